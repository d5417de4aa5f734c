"""Settings of a broker that is alone: each is changed, and the effect is seen."""

from typing import Any

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.messages.describe_cluster import DescribeClusterRequest
from kafkacompat.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from kafkacompat.protocol.messages.describe_topic_partitions import DescribeTopicPartitionsRequest
from kafkacompat.protocol.messages.describe_topic_partitions import TopicRequest as TopicWanted
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from kafkacompat.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from kafkacompat.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.server.limits import LISTEN_BACKLOG, Limits
from tests.broker.harness import BrokerHarness
from tests.config.effects.registry import shows

NOW_MS = 1_700_000_000_000


def _broker(partitions: int = 1, **settings: str) -> BrokerHarness:
    broker = BrokerHarness(**settings)
    broker.create_topic("t", partitions)
    return broker


def _produce(broker: BrokerHarness, index: int = 0, size_bytes: int = 10, **fields: int) -> None:
    batch = bytes(build_batch([Record(0, NOW_MS, None, bytes(size_bytes))], **fields))  # type: ignore[arg-type]
    data = TopicProduceData("t", partition_data=[PartitionProduceData(index, batch)])
    answer = broker.ask(ProduceRequest(acks=1, timeout_ms=1000, topic_data=[data]), 9)
    assert not answer.responses[0].partition_responses[0].error_code


def _made(broker: BrokerHarness, partitions: int = -1, factor: int = -1) -> Any:
    request = CreateTopicsRequest(topics=[CreatableTopic("made", partitions, factor)])
    return broker.ask(request, 7).topics[0]


def _metadata(broker: BrokerHarness, topic: str) -> Any:
    answer = broker.begin(MetadataRequest([MetadataRequestTopic(name=topic)], allow_auto_topic_creation=True), 12)
    for _ in range(10):
        broker.advance(1)
    return answer.message


@shows("auto.create.topics.enable")
def test_topics_are_made_when_they_are_asked_for() -> None:
    assert _metadata(BrokerHarness(), "asked").topics[0].error_code == errors.NONE
    refused = _metadata(BrokerHarness(auto_create_topics_enable="false"), "asked").topics[0]
    assert refused.error_code == errors.UNKNOWN_TOPIC_OR_PARTITION


@shows("num.partitions")
def test_topics_have_as_many_partitions() -> None:
    assert _made(BrokerHarness(num_partitions="3")).num_partitions == 3
    assert _made(BrokerHarness(num_partitions="5")).num_partitions == 5


@shows("default.replication.factor")
def test_topics_have_as_many_replicas() -> None:
    assert _made(BrokerHarness(default_replication_factor="1")).error_code == errors.NONE
    refused = _made(BrokerHarness(default_replication_factor="2"))
    assert refused.error_code == errors.INVALID_REPLICATION_FACTOR


@shows("delete.topic.enable")
def test_topics_can_be_deleted() -> None:
    for setting, code in (("true", errors.NONE), ("false", errors.TOPIC_DELETION_DISABLED)):
        broker = _broker(delete_topic_enable=setting)
        request = DeleteTopicsRequest([DeleteTopicState("t")], timeout_ms=1000)
        assert broker.ask(request, 6).responses[0].error_code == code


@shows("transaction.state.log.num.partitions", "transaction.state.log.segment.bytes", "transaction.state.log.min.isr")
def test_the_topic_of_transactions_is_made_as_is_said() -> None:
    broker = BrokerHarness(
        transaction_state_log_num_partitions="7", transaction_state_log_segment_bytes="2000000",
        transaction_state_log_min_isr="1",
    )  # fmt: skip
    assert len(_metadata(broker, "__transaction_state").topics[0].partitions) == 7
    config = broker.broker.topic_config("__transaction_state")
    assert config.segment_bytes == 2_000_000
    assert config.min_insync_replicas == 1


@shows("transaction.state.log.replication.factor")
def test_the_topic_of_transactions_has_as_many_replicas() -> None:
    for factor, code in (("1", errors.NONE), ("2", errors.UNKNOWN_TOPIC_OR_PARTITION)):
        broker = BrokerHarness(transaction_state_log_replication_factor=factor)
        assert _metadata(broker, "__transaction_state").topics[0].error_code == code


@shows("node.id")
def test_a_broker_is_known_by_its_id() -> None:
    for node_id in ("1", "5"):
        assert [broker.node_id for broker in _metadata(BrokerHarness(node_id=node_id), "t").brokers] == [int(node_id)]


@shows("broker.rack")
def test_a_broker_is_known_by_its_rack() -> None:
    for rack in ("r1", "r2"):
        brokers = BrokerHarness(broker_rack=rack).ask(DescribeClusterRequest(), 0).brokers
        assert [broker.rack for broker in brokers] == [rack]


@shows("fetch.max.bytes")
def test_a_fetch_is_answered_with_as_many_bytes() -> None:
    def fetched(**settings: str) -> int:
        broker = _broker(3, **settings)
        for index in range(3):
            _produce(broker, index, 5_000)
        parts = [FetchPartition(index, -1, 0, partition_max_bytes=1 << 20) for index in range(3)]
        request = FetchRequest(
            max_wait_ms=0, min_bytes=0, max_bytes=1 << 20, topics=[FetchTopic("t", partitions=parts)]
        )
        answer = broker.ask(request, 12)
        return sum(bool(part.records) for part in answer.responses[0].partitions)

    assert fetched() == 3
    assert fetched(fetch_max_bytes="6000") == 1


@shows("max.incremental.fetch.session.cache.slots")
def test_so_many_sessions_are_kept() -> None:
    def has_session(**settings: str) -> bool:
        broker = _broker(**settings)
        topic = FetchTopic("t", partitions=[FetchPartition(0, -1, 0, partition_max_bytes=1 << 20)])
        request = FetchRequest(max_wait_ms=0, min_bytes=0, session_id=0, session_epoch=0, topics=[topic])
        return bool(broker.ask(request, 12).session_id)

    assert has_session()
    assert not has_session(max_incremental_fetch_session_cache_slots="0")


@shows("max.request.partition.size.limit")
def test_partitions_are_described_up_to_a_limit() -> None:
    def described(**settings: str) -> int:
        request = DescribeTopicPartitionsRequest([TopicWanted("t")], response_partition_limit=100)
        return len(_broker(5, **settings).ask(request, 0).topics[0].partitions)

    assert described() == 5
    assert described(max_request_partition_size_limit="2") == 2


@shows("request.timeout.ms")
def test_what_waits_for_others_waits_so_long() -> None:
    for timeout_ms in (30_000, 7_000):
        broker = _broker(100, request_timeout_ms=str(timeout_ms))
        parts = [ListOffsetsPartition(index, -1, NOW_MS) for index in range(100)]
        broker.begin(ListOffsetsRequest(-1, 0, [ListOffsetsTopic("t", parts)]), 7)
        (pending,) = broker.connection.waiting
        assert pending.deadline_ms - broker.now.monotonic_ms == timeout_ms


@shows("replica.high.watermark.checkpoint.interval.ms")
def test_high_watermarks_are_written_so_often() -> None:
    for interval_ms, text in ((5_000, b"t 0 0\n"), (1_000, b"t 0 1\n")):
        broker = _broker(replica_high_watermark_checkpoint_interval_ms=str(interval_ms))
        broker.advance(interval_ms)
        broker.advance(1)
        _produce(broker)
        broker.advance(1_500)
        assert text in broker.fs.read_bytes("/data/replication-offset-checkpoint")


@shows("producer.id.expiration.check.interval.ms")
def test_producers_are_forgotten_when_somebody_looks() -> None:
    for interval_ms, count in ((600_000, 1), (1_000, 0)):
        broker = _broker(producer_id_expiration_ms="5000", producer_id_expiration_check_interval_ms=str(interval_ms))
        _produce(broker, producer_id=7, producer_epoch=0, base_sequence=0)
        broker.advance(9_000)
        broker.advance(9_000)
        answer = broker.ask(DescribeProducersRequest([TopicRequest("t", [0])]), 0)
        assert len(answer.topics[0].partitions[0].active_producers) == count


@shows("controlled.shutdown.enable")
def test_a_stop_hands_over_first() -> None:
    for setting, is_at_once in (("true", False), ("false", True)):
        broker = _broker(controlled_shutdown_enable=setting)
        stopped: list[object] = []
        broker.broker.shut_down(broker.now, stopped.append)
        assert bool(stopped) is is_at_once


@shows("metadata.log.max.snapshot.interval.ms")
def test_a_snapshot_of_the_metadata_is_written_so_often() -> None:
    for interval_ms, is_there in ((3_600_000, False), (10_000, True)):
        broker = _broker(metadata_log_max_snapshot_interval_ms=str(interval_ms))
        for _ in range(20):
            broker.advance(1_000)
        names = broker.fs.listdir("/data/__cluster_metadata-0")
        assert (len([name for name in names if name.endswith(".checkpoint")]) > 1) is is_there


@shows("metadata.log.segment.ms")
def test_segments_of_the_metadata_log_last_so_long() -> None:
    for segment_ms, count in ((604_800_000, 1), (1_000, 2)):
        broker = _broker(metadata_log_segment_ms=str(segment_ms))
        broker.advance(5_000)
        broker.create_topic("later")
        assert len(broker.broker.quorum.raft.log.segments.all) >= count
        assert (len(broker.broker.quorum.raft.log.segments.all) > 1) is (count > 1)


@shows("metadata.log.segment.bytes")
def test_segments_of_the_metadata_log_are_so_large() -> None:
    for segment_bytes, is_rolled in ((1 << 30, False), (8 << 20, True)):
        broker = BrokerHarness(metadata_log_segment_bytes=str(segment_bytes))
        log = broker.broker.quorum.raft.log
        assert log.segments.active is not None
        log.segments.active.size_bytes += 8 << 20  # as if it had grown
        broker.create_topic("t")
        assert (len(log.segments.all) > 1) is is_rolled


@shows("metadata.max.retention.ms")
def test_old_snapshots_of_the_metadata_go() -> None:
    for retention_ms, count in ((604_800_000, 4), (5_000, 2)):
        broker = BrokerHarness(
            metadata_log_max_snapshot_interval_ms="10000", metadata_max_retention_ms=str(retention_ms)
        )
        for number in range(40):
            broker.advance(1_000)
            if not number % 10:
                broker.create_topic(f"t{number}")
        names = broker.fs.listdir("/data/__cluster_metadata-0")
        found = len([name for name in names if name.endswith(".checkpoint")])
        assert found >= count if count > 2 else found <= count


@shows("socket.listen.backlog.size")
def test_so_many_connections_wait_to_be_accepted() -> None:
    assert Limits(BrokerHarness().broker.config).listen_backlog == LISTEN_BACKLOG
    assert Limits(BrokerHarness(socket_listen_backlog_size="17").broker.config).listen_backlog == 17
