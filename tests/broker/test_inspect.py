"""What tools see of a node is what is there, and looking changes nothing."""

from kafkacompat.broker.inspect import (
    BrokerView,
    ConnectionView,
    Inspection,
    PartitionView,
    ProducerView,
    QuorumView,
    TransactionView,
    WaitView,
)
from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from kafkacompat.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.broker.handlers.group_harness import commit, stable_pair, with_coordinator
from tests.broker.handlers.txn_harness import Transactions, pair_of
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
    assert (after.is_leader, after.has_failed, after.isr, after.maximal_isr) == (True, False, (1,), (1,))
    assert (after.leader_epoch, after.partition_epoch, after.segment_count) == (0, 0, 1)
    assert list(kafka.view.replicas()) == [after]


def test_the_cluster_is_seen_as_the_node_has_it() -> None:
    kafka = BrokerHarness()
    kafka.create_topic("t", 2)
    view = kafka.view
    assert (view.node_id, view.is_active_controller, view.is_behind) == (1, True, False)
    assert view.metadata_offset == kafka.broker.image.offset
    assert view.topics() == {"t": kafka.broker.image.topics["t"].topic_id}
    assert view.partitions("t") == [PartitionView(1, 0, 0, (1,), (1,), ())] * 2
    (broker,) = view.brokers()
    assert broker == BrokerView(1, kafka.broker.broker_epoch, is_fenced=False, is_stopping=False)
    assert (view.offline_directories, view.timer_count) == ({}, len(kafka.broker.timers))
    raft = kafka.broker.quorum.raft
    assert view.quorum == QuorumView(1, raft.leader_epoch, raft.log.log_end_offset, raft.log.log_end_offset)
    assert view.cluster_id == kafka.broker.cluster_id


def test_what_is_not_there_is_not_made() -> None:
    kafka = BrokerHarness()
    view = Inspection(kafka.broker)
    assert (view.replica("t", 0), view.partitions("t"), view.topics(), list(view.replicas())) == (None, [], {}, [])
    assert (view.group("g"), list(view.groups()), view.committed_offsets("g"), view.producers("t", 0)) == (
        None, [], {}, [],
    )  # fmt: skip
    assert (view.fetch_sessions(), list(view.connections()), view.waiting_count) == ([], [], 0)
    assert kafka.broker.coordinators.groups_if_made is None
    kafka.settle()
    assert view.topics() == {}


def fetch(**fields: int) -> FetchRequest:
    topics = [FetchTopic("t", partitions=[FetchPartition(0, fetch_offset=0, partition_max_bytes=1000)])]
    return FetchRequest(max_wait_ms=1_000, min_bytes=1, max_bytes=1000, topics=topics, **fields)


def test_a_connection_is_seen_with_its_client_and_what_it_waits_for() -> None:
    kafka = BrokerHarness()
    kafka.create_topic("t")
    view = Inspection(kafka.broker, lambda: [kafka.connection])
    (stranger,) = view.connections()
    assert (stranger.client_id, stranger.software_name, stranger.waits) == ("", "", ())
    kafka.ask(ApiVersionsRequest("some-client", "1.2"), 3)
    kafka.begin(fetch(session_epoch=-1), 11)
    (connection,) = view.connections()
    assert connection == ConnectionView(
        kafka.connection.id, "127.0.0.1", "PLAINTEXT", "tests", "some-client", "1.2",
        (WaitView(("FetchSession",), kafka.now.monotonic_ms + 1_000),),
    )  # fmt: skip
    assert view.waiting_count == 1
    kafka.advance(1_000)
    (connection,) = view.connections()
    assert (view.waiting_count, connection.waits) == (0, ())


def test_a_fetch_session_is_seen_as_it_is_used() -> None:
    kafka = BrokerHarness()
    kafka.create_topic("t")
    kafka.ask(production(), 9)
    made = kafka.ask(fetch(session_epoch=0), 11)
    (session,) = kafka.view.fetch_sessions()
    assert (session.id, session.epoch, session.is_follower, session.partition_count) == (made.session_id, 1, False, 1)
    kafka.begin(FetchRequest(max_wait_ms=1_000, min_bytes=100_000, session_id=session.id, session_epoch=1), 11)
    (later,) = kafka.view.fetch_sessions()
    assert (later.epoch, later.waiting_count) == (2, 1)
    kafka.ask(FetchRequest(max_wait_ms=0, session_id=session.id, session_epoch=-1), 11, kafka.connect())
    assert kafka.view.fetch_sessions() == []


def test_a_group_is_seen_as_administrators_see_it() -> None:
    kafka = with_coordinator()
    first, second = stable_pair(kafka)
    commit(kafka, 7, generation=2, member_id=first)
    shown = kafka.ask("describe_groups", 5, DescribeGroupsRequest(["g"])).groups[0]
    (listed,) = kafka.ask("list_groups", 5, ListGroupsRequest()).groups
    group = kafka.view.group("g")
    assert group is not None
    assert (group.state, group.protocol_type, group.protocol) == (
        shown.group_state, shown.protocol_type, shown.protocol_data,
    )  # fmt: skip
    assert (group.id, group.kind, group.state) == (listed.group_id, listed.group_type, listed.group_state)
    assert [(member.id, member.client_id, member.client_host, member.assignment) for member in group.members] == [
        (member.member_id, member.client_id, member.client_host, bytes(member.member_assignment))
        for member in shown.members
    ]
    assert (group.generation, group.leader, {member.id for member in group.members}) == (2, first, {first, second})
    assert list(kafka.view.groups()) == [group]
    assert kafka.view.committed_offsets("g") == {("t", 0): 7}


def test_a_producer_is_seen_as_administrators_see_it() -> None:
    kafka = BrokerHarness()
    kafka.create_topic("t")
    records = build_batch([Record(0, 1_700_000_000_000, b"k", b"v")], producer_id=5, producer_epoch=1, base_sequence=0)
    data = [TopicProduceData("t", partition_data=[PartitionProduceData(0, records)])]
    kafka.ask(ProduceRequest(acks=-1, timeout_ms=100, topic_data=data), 9)
    answer = kafka.ask(DescribeProducersRequest([TopicRequest("t", [0])]), 0)
    (shown,) = answer.topics[0].partitions[0].active_producers
    (producer,) = kafka.view.producers("t", 0)
    assert producer == ProducerView(shown.producer_id, shown.producer_epoch, shown.last_sequence, 0, -1)


def test_a_transactional_id_is_seen_as_administrators_see_it() -> None:
    kafka = Transactions()
    assert list(BrokerHarness().view.transactions()) == []
    pair = pair_of(kafka.init())
    kafka.add(pair, ("a", 1), ("a", 0))
    (shown,) = kafka.describe("t")
    assert list(kafka.view.transactions()) == [
        TransactionView(
            "t", shown.transaction_state, shown.producer_id, shown.producer_epoch, shown.transaction_timeout_ms,
            shown.transaction_start_time_ms, (("a", 0), ("a", 1)),
        )
    ]  # fmt: skip
