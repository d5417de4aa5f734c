"""What is named twice in a request: what counts and how it is answered, as a comparison with Apache Kafka showed it."""

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import delete_records, describe_log_dirs, list_offsets, metadata, produce
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.broker.harness import BrokerHarness

RECORDS = 5


@pytest.fixture
def broker() -> BrokerHarness:
    harness = BrokerHarness()
    harness.create_topic("t", 2)
    harness.create_topic("u", 1)
    batch = build_batch([Record(n, 1_700_000_000_000 + n, b"k", b"v") for n in range(RECORDS)])
    data = produce.TopicProduceData("t", partition_data=[produce.PartitionProduceData(0, batch)])
    harness.ask(produce.ProduceRequest(None, -1, 1_000, [data]), 9)
    return harness


def parts(answer) -> dict:
    found = [((topic.name, part.partition_index), part) for topic in answer.topics for part in topic.partitions]
    assert len({topic.name for topic in answer.topics}) == len(answer.topics)
    assert len(dict(found)) == len(found)
    return dict(found)


def listed(*asked, isolation=0):
    topics = [
        list_offsets.ListOffsetsTopic(name, [list_offsets.ListOffsetsPartition(index, -1, time)])
        for name, index, time in asked
    ]
    return list_offsets.ListOffsetsRequest(-1, isolation, topics)


def test_list_offsets(broker):
    answers = parts(broker.ask(listed(("t", 0, -1), ("t", 1, -1), ("t", 0, -2)), 7))
    assert {key: part.error_code for key, part in answers.items()} == {("t", 0): errors.INVALID_REQUEST, ("t", 1): 0}
    nothing = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic("t", [])])
    assert list(broker.ask(nothing, 7).topics) == []


@pytest.mark.parametrize("level", [-1, 2])
def test_list_offsets_at_an_isolation_level_that_does_not_exist(broker, level):
    answers = parts(broker.ask(listed(("t", 0, -1), ("not", 9, -1), isolation=level), 7))
    assert {part.error_code for part in answers.values()} == {errors.UNKNOWN_SERVER_ERROR}


def test_delete_records(broker):
    topics = [
        delete_records.DeleteRecordsTopic("t", [delete_records.DeleteRecordsPartition(0, offset)]) for offset in (4, 2)
    ]
    answers = parts(broker.ask(delete_records.DeleteRecordsRequest(topics, 1_000), 2))
    assert answers["t", 0].low_watermark == 2


def test_describe_log_dirs(broker):
    topics = [describe_log_dirs.DescribableLogDirTopic("t", [index]) for index in (0, 1)]
    (result,) = broker.ask(describe_log_dirs.DescribeLogDirsRequest(topics), 4).results
    assert sorted(part.partition_index for part in result.topics[0].partitions) == [0, 1]


def asked(*wanted, operations=False):
    topics = [metadata.MetadataRequestTopic(*one) for one in wanted]
    return metadata.MetadataRequest(topics, False, False, operations)


def test_metadata_by_id_goes_before_metadata_by_name(broker):
    topic_id = broker.view.topics()["t"]
    answer = broker.ask(asked((topic_id, None), (topic_id, "u"), (ZERO_UUID, "u")), 12)
    assert [topic.name for topic in answer.topics] == ["t"]
    assert [topic.name for topic in broker.ask(asked((ZERO_UUID, "u"), (ZERO_UUID, "u")), 12).topics] == ["u"]


def test_what_is_allowed_with_an_unknown_topic(broker):
    known, unknown = broker.ask(asked((ZERO_UUID, "t"), (ZERO_UUID, "not"), operations=True), 12).topics
    assert unknown.error_code == errors.UNKNOWN_TOPIC_OR_PARTITION
    assert known.topic_authorized_operations == unknown.topic_authorized_operations > 0
