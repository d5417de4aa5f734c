"""Where several things are wrong at once, and where a page ends: what Kafka looks at first."""

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import delete_records, describe_topic_partitions, list_offsets
from tests.broker.harness import BrokerHarness


@pytest.fixture
def broker() -> BrokerHarness:
    harness = BrokerHarness()
    harness.create_topic("t", 2)
    return harness


@pytest.mark.parametrize(
    ("topic", "epoch", "timestamp", "version"), [("t", 5, -5, 7), ("unknown", -1, -5, 7), ("unknown", -1, -7, 11)]
)
def test_a_time_that_the_version_lacks_is_refused_before_a_leader_is_asked(broker, topic, epoch, timestamp, version):
    wanted = list_offsets.ListOffsetsTopic(topic, [list_offsets.ListOffsetsPartition(0, epoch, timestamp)])
    answer = broker.ask(list_offsets.ListOffsetsRequest(-1, 0, [wanted]), version)
    assert answer.topics[0].partitions[0].error_code == errors.UNSUPPORTED_VERSION


def test_a_page_that_is_full_points_at_the_next_topic_even_if_nobody_knows_it(broker):
    topics = [describe_topic_partitions.TopicRequest(name) for name in ("t", "unknown")]
    answer = broker.ask(describe_topic_partitions.DescribeTopicPartitionsRequest(topics, 2), 0)
    assert [topic.name for topic in answer.topics] == ["t"]
    assert (answer.next_cursor.topic_name, answer.next_cursor.partition_index) == ("unknown", 0)
    answer = broker.ask(describe_topic_partitions.DescribeTopicPartitionsRequest(topics, 3), 0)
    assert [topic.error_code for topic in answer.topics] == [0, errors.UNKNOWN_TOPIC_OR_PARTITION]
    assert answer.next_cursor is None


@pytest.mark.parametrize(
    ("policy", "error"), [("compact", errors.POLICY_VIOLATION), ("compact,delete", errors.NONE), ("", errors.NONE)]
)
def test_records_may_be_deleted_unless_compaction_alone_does_it(policy, error):
    broker = BrokerHarness()
    broker.create_topic("t", 1, **{"cleanup.policy": policy})
    wanted = delete_records.DeleteRecordsTopic("t", [delete_records.DeleteRecordsPartition(0, 0)])
    answer = broker.ask(delete_records.DeleteRecordsRequest([wanted], 1_000), 2)
    assert answer.topics[0].partitions[0].error_code == error
