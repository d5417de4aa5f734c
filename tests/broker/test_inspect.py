"""What tools see of a node is what is there, and looking changes nothing."""

from kafkacompat.broker.inspect import BrokerView, Inspection, PartitionView
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.broker.harness import BrokerHarness


def production() -> ProduceRequest:
    data = PartitionProduceData(0, build_batch([Record(0, 1_700_000_000_000, b"k", b"v")]))
    return ProduceRequest(acks=-1, timeout_ms=100, topic_data=[TopicProduceData("t", partition_data=[data])])


def test_a_replica_is_seen_as_it_was_when_it_was_asked_for() -> None:
    kafka = BrokerHarness()
    kafka.create_topic("t")
    before = kafka.view.replica("t", 0)
    kafka.ask(production(), 9)
    after = kafka.view.replica("t", 0)
    assert before is not None
    assert after is not None
    assert (before.log_end_offset, before.size_bytes) == (0, 0)
    assert (after.log_start_offset, after.high_watermark, after.log_end_offset) == (0, 1, 1)
    assert after.size_bytes > 0
    assert (after.is_leader, after.has_failed, after.isr) == (True, False, (1,))
    assert list(kafka.view.replicas()) == [after]


def test_the_cluster_is_seen_as_the_node_has_it() -> None:
    kafka = BrokerHarness()
    kafka.create_topic("t", 2)
    view = kafka.view
    assert (view.node_id, view.is_active_controller, view.is_behind) == (1, True, False)
    assert view.metadata_offset == kafka.broker.image.offset
    assert view.topics() == {"t": kafka.broker.image.topics["t"].topic_id}
    assert view.partitions("t") == [PartitionView(1, 0, (1,), (1,))] * 2
    (broker,) = view.brokers()
    assert broker == BrokerView(1, kafka.broker.broker_epoch, is_fenced=False, is_stopping=False)
    assert (view.failed_directory, view.timer_count) == (None, len(kafka.broker.timers))


def test_what_is_not_there_is_not_made() -> None:
    kafka = BrokerHarness()
    view = Inspection(kafka.broker)
    assert (view.replica("t", 0), view.partitions("t"), view.topics(), list(view.replicas())) == (None, [], {}, [])
    kafka.settle()
    assert view.topics() == {}


def test_who_waits_is_seen() -> None:
    kafka = BrokerHarness()
    kafka.create_topic("t")
    topics = [FetchTopic("t", partitions=[FetchPartition(0, fetch_offset=0, partition_max_bytes=1000)])]
    kafka.begin(FetchRequest(max_wait_ms=1_000, min_bytes=1, max_bytes=1000, session_epoch=-1, topics=topics), 11)
    assert kafka.view.is_waiting
    kafka.advance(1_000)
    assert not kafka.view.is_waiting
