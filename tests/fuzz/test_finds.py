"""What fuzzing found, each as the smallest request that showed it."""

import struct

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
from kafkacompat.protocol.messages import fetch, find_coordinator, metadata, offset_commit, produce
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.protocol.records.batch import BASE_TIMESTAMP_OFFSET, stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.replication.metadata.result import Result
from tests.broker.harness import BrokerHarness


@pytest.fixture
def broker() -> BrokerHarness:
    harness = BrokerHarness()
    harness.create_topic("t")
    return harness


@pytest.mark.parametrize("version", [10, 11])
@pytest.mark.parametrize(("topic_id", "name"), [(ZERO_UUID, None), (b"1" * 16, "t")])
def test_metadata_by_topic_id_is_refused_before_it_came(broker, version, topic_id, name):
    answer = broker.ask(metadata.MetadataRequest([metadata.MetadataRequestTopic(topic_id, name)]), version)
    assert [(topic.error_code, topic.name) for topic in answer.topics] == [(errors.INVALID_REQUEST, name or "")]


@pytest.mark.parametrize("version", [9, 12, 15, 16])
def test_a_fenced_fetch_names_the_leader_where_the_version_can(broker, version):
    topic_id = broker.view.topics()["t"]
    next_epoch = Result([PartitionChangeRecord(0, topic_id, leader=1)])
    broker.broker.quorum.submit(lambda _image, _now: next_epoch, broker.now)
    broker.settle()
    wanted = [fetch.FetchPartition(0, current_leader_epoch=0, partition_max_bytes=1)]
    topic = fetch.FetchTopic("t" if version < 13 else "", topic_id if version >= 13 else ZERO_UUID, wanted)
    answer = broker.ask(fetch.FetchRequest(max_wait_ms=0, topics=[topic]), version)
    assert answer.responses[0].partitions[0].error_code == errors.FENCED_LEADER_EPOCH
    assert [node.node_id for node in answer.node_endpoints] == ([1] if version >= 16 else [])


def test_an_offset_may_be_kept_until_the_end_of_time(broker):
    broker.begin(find_coordinator.FindCoordinatorRequest("g"), 1)  # makes the topic of offsets
    broker.advance(1_000)
    partition = offset_commit.OffsetCommitRequestPartition(0, 5)
    topic = offset_commit.OffsetCommitRequestTopic("t", partitions=[partition])
    request = offset_commit.OffsetCommitRequest("g", retention_time_ms=2**63 - 1, topics=[topic])
    assert broker.ask(request, 4).topics[0].partitions[0].error_code == errors.NONE


@pytest.mark.parametrize("version", [3, 9])
def test_produce_without_records_is_no_shape_to_remember(broker, version):
    topic = produce.TopicProduceData("t", partition_data=[produce.PartitionProduceData(0, None)])
    answer = broker.ask(produce.ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[topic]), version)
    assert answer.responses[0].partition_responses[0].error_code == errors.INVALID_RECORD


@pytest.mark.parametrize("base_timestamp", [2**63 - 2, -(2**63)])
def test_a_timestamp_beyond_64_bits_is_refused_where_a_batch_is_built_anew(broker, base_timestamp):
    broker.create_topic("zipped", compression_type="zstd")
    sent = build_batch([Record(offset, timestamp, b"k", b"v") for offset, timestamp in enumerate((-5, -10, 5))])
    struct.pack_into(">qq", sent, BASE_TIMESTAMP_OFFSET, base_timestamp, 0)
    stamp_crc(sent, 0, len(sent))
    topic = produce.TopicProduceData("zipped", partition_data=[produce.PartitionProduceData(0, sent)])
    answer = broker.ask(produce.ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[topic]), 9)
    assert answer.responses[0].partition_responses[0].error_code in (errors.INVALID_RECORD, errors.INVALID_TIMESTAMP)


def test_a_damaged_group_log_is_not_read_for_ever(caplog):
    broker = BrokerHarness(offsets_topic_num_partitions="1")
    broker.begin(find_coordinator.FindCoordinatorRequest("g"), 1)
    broker.advance(1_000)
    topic = offset_commit.OffsetCommitRequestTopic("__consumer_offsets")
    topic.partitions = [offset_commit.OffsetCommitRequestPartition(0, 5)]
    request = offset_commit.OffsetCommitRequest("g", topics=[topic])
    for _ in range(2):
        assert broker.ask(request, 8).topics[0].partitions[0].error_code == errors.NONE
    broker.close()
    path = "/data/__consumer_offsets-0/00000000000000000000.log"
    for bit in range(4):  # the last offset delta of the first batch
        broker.fs.flip_bit(path, 23 + bit, bit)
    again = BrokerHarness(broker.fs)
    assert "__consumer_offsets-0 cannot be loaded" in caplog.text
    again.close()
