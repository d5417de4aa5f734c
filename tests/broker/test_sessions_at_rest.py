"""What a session is told though it does not ask anew: each of these moves a partition that was at rest."""

from types import SimpleNamespace

import pytest

from kafkacompat.broker.inspect import Inspection
from kafkacompat.config.broker_quorum import RACK_AWARE
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.cluster_metadata import RemoveTopicRecord
from kafkacompat.protocol.messages import fetch
from kafkacompat.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from kafkacompat.protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from kafkacompat.replication.metadata.result import Result
from kafkacompat.replication.partition import Partition
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF
from tests.broker.handlers.test_produce_fetch import LEADER, batch, produce_request
from tests.broker.replica_node import Cluster

INITIAL = 0


class AtRest:
    """A session with one partition at its end, at one broker of three; broker 1 leads."""

    def __init__(self, node_id: int, version: int = 17, **more) -> None:
        self.cluster = Cluster(1, 2, 3, **more)
        self.cluster.create_topic("t", [1, 2, 3])
        self.produce(b"a", b"b")
        self.node_id, self.version = node_id, version
        self.id, self.epoch = 0, INITIAL
        self.rack = ""
        self.topic = ("", self.cluster.image.topics["t"].topic_id) if version >= 13 else ("t", bytes(16))
        assert len(self.ask(offset=2)) == 1
        assert self.ask() == []
        assert self.session().due_count == 0

    def produce(self, *values: bytes) -> None:
        self.cluster[1].ask(produce_request((0, batch(*values))), 9)
        self.cluster.settle()
        self.cluster.advance(600)

    def session(self):
        sessions = Inspection(self.cluster[self.node_id]).fetch_sessions()
        return next(session for session in sessions if session.id == self.id)

    def request(self, offset: int | None = None, **more):
        topics = []
        if offset is not None:
            asked = fetch.FetchPartition(0, more.pop("leader_epoch", -1), offset, partition_max_bytes=1 << 20)
            topics = [fetch.FetchTopic(*self.topic, [asked])]
        return fetch.FetchRequest(
            min_bytes=1, session_id=self.id, session_epoch=self.epoch, topics=topics, rack_id=self.rack, **more
        )

    def ask(self, offset: int | None = None, **more) -> list:
        """Fetch on; the partitions that are answered."""
        (answer,) = self.cluster[self.node_id].ask(self.request(offset, **more), self.version)
        assert answer.error_code == errors.NONE
        self.id, self.epoch = answer.session_id, self.epoch + 1
        return [data for topic in answer.responses for data in topic.partitions]

    def wait(self) -> list:
        """A fetch that waits; what comes is appended."""
        answers = self.cluster[self.node_id].ask(self.request(max_wait_ms=60_000), self.version)
        assert answers == []
        self.epoch += 1
        return answers

    def delete_records(self) -> None:
        gone = DeleteRecordsTopic("t", [DeleteRecordsPartition(0, 1)])
        self.cluster[1].ask(DeleteRecordsRequest([gone], 1000), 2)
        self.cluster.advance(600)

    def delete_topic(self) -> None:
        topic_id = self.cluster.image.topics["t"].topic_id
        self.cluster.commit(Result([RemoveTopicRecord(topic_id)], None))
        self.cluster.settle()


@pytest.mark.parametrize("node_id", [1, 2])
def test_a_log_start_that_moves_is_told(node_id: int) -> None:
    rest = AtRest(node_id)
    rest.delete_records()
    assert [data.log_start_offset for data in rest.ask()] == [1]
    assert rest.ask() == []


@pytest.mark.parametrize("node_id", [1, 2])
@pytest.mark.parametrize("waits", [False, True])
def test_new_records_are_told(node_id: int, waits: bool) -> None:
    rest = AtRest(node_id)
    answers = rest.wait() if waits else []
    rest.produce(b"c")
    if waits:
        (data,) = answers[0].responses[0].partitions
    else:
        (data,) = rest.ask()
    assert (data.high_watermark, len(data.records)) == (3, len(batch(b"c")))


@pytest.mark.parametrize("node_id", [1, 2])
@pytest.mark.parametrize("waits", [False, True])
def test_another_leader_epoch_is_told(node_id: int, waits: bool) -> None:
    rest = AtRest(node_id)
    assert rest.ask(offset=2, leader_epoch=0) == []
    answers = rest.wait() if waits else []
    rest.cluster.fence(1)
    if waits:
        (data,) = answers[0].responses[0].partitions
    else:
        (data,) = rest.ask()
    assert data.error_code == errors.FENCED_LEADER_EPOCH
    assert (data.current_leader.leader_id, data.current_leader.leader_epoch) == (2, 1)


def test_where_nobody_leads_the_epoch_is_told_as_well() -> None:
    rest = AtRest(2)
    assert rest.ask(offset=2, leader_epoch=0) == []
    rest.cluster[2].partitions.resign(rest.cluster.now)
    assert rest.ask() == []
    for node_id in (1, 3, 2):
        rest.cluster.fence(node_id)
    (data,) = rest.ask()
    assert data.error_code == errors.FENCED_LEADER_EPOCH


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("leads", [False, True])
def test_a_topic_that_is_deleted_is_told(waits: bool, leads: bool) -> None:
    rest = AtRest(1)
    if not leads:
        rest.cluster[1].partitions.resign(rest.cluster.now)
        assert rest.ask() == []
    answers = rest.wait() if waits else []
    rest.delete_topic()
    if waits:
        (data,) = answers[0].responses[0].partitions
    else:
        (data,) = rest.ask()
    assert data.error_code == errors.UNKNOWN_TOPIC_OR_PARTITION
    assert len(rest.ask()) == 1  # each time


def test_a_replica_that_fails_is_told(monkeypatch) -> None:
    rest = AtRest(2)
    with monkeypatch.context() as broken:
        broken.setattr(Partition, "apply", lambda *_: 1 / 0)
        rest.cluster.fence(3)
    (data,) = rest.ask()
    assert data.error_code == errors.KAFKA_STORAGE_ERROR


def test_a_replica_that_stops_rather_than_cuts_is_told() -> None:
    rest = AtRest(2)
    follower = rest.cluster[2].partition()
    follower.following.failure = "the leader lacks what is committed"
    rest.cluster[1].ask(produce_request((0, batch(b"c")), acks=LEADER), 9)
    rest.cluster.settle()
    assert follower.has_failed
    (data,) = rest.ask()
    assert data.error_code == errors.KAFKA_STORAGE_ERROR


def test_a_replica_that_begins_where_its_leader_does_is_told() -> None:
    rest = AtRest(2)
    node = rest.cluster[2]
    epoch = node.partition().leader_epoch
    node.partition().fetch_failed(node.partition().following.open_ticket)
    found = []
    node.fetchers.network = SimpleNamespace(send=lambda *args: found.append(args[-1]))
    (fetcher,) = node.fetchers._fetchers.values()
    fetcher._find_start(node.partition(), epoch)
    offsets = ListOffsetsTopicResponse("t", [ListOffsetsPartitionResponse(0, 0, -1, 5, epoch)])
    found[0](ListOffsetsResponse(0, [offsets]), rest.cluster.now)
    (data,) = rest.ask()
    assert (data.error_code, data.high_watermark) == (errors.OFFSET_OUT_OF_RANGE, -1)


def test_a_directory_that_fails_is_told() -> None:
    rest = AtRest(1)
    rest.cluster[1].logs.metadata_directory.take_offline(OSError(5, "Input/output error"))
    (data,) = rest.ask()
    assert data.error_code == errors.KAFKA_STORAGE_ERROR


def test_in_a_rack_with_a_replica_of_its_own_nothing_rests() -> None:
    rest = AtRest(1, racks={1: "a", 2: "b", 3: "c"}, replica_selector_class=RACK_AWARE)
    rest.rack = "elsewhere"
    assert rest.ask() == []
    assert rest.session().due_count == 0
    rest.rack = "b"
    (data,) = rest.ask()
    assert data.preferred_read_replica == 2
    rest.cluster.fence(2)
    assert [data.preferred_read_replica for data in rest.ask()] == []
    rest.cluster.unfence(2)
    rest.cluster.advance(600)
    assert [data.preferred_read_replica for data in rest.ask()] == [2]


def test_a_rack_that_gets_a_replica_is_told() -> None:
    rest = AtRest(1, racks={1: "a", 2: "b", 3: "c"}, replica_selector_class=RACK_AWARE)
    rest.rack = "d"
    assert rest.ask() == []
    fs = rest.cluster.kill(3)
    brokers = dict(rest.cluster.image.brokers)
    brokers[3] = brokers[3].but(rack="d")
    rest.cluster.image = rest.cluster.image.but(brokers=brokers)
    rest.cluster.restart(3, fs)
    rest.cluster.advance(600)
    assert [data.preferred_read_replica for data in rest.ask()] == [3]


def test_a_replica_that_joins_again_is_named_to_consumers_of_its_rack() -> None:
    """Out of the in-sync replicas it is not, though it has what is asked for (KIP-392)."""
    rest = AtRest(1, racks={1: "a", 2: "b", 3: "c"}, replica_selector_class=RACK_AWARE)
    rest.rack = "b"
    assert [data.preferred_read_replica for data in rest.ask()] == [2]
    rest.cluster.cuts.append({1, 2})
    rest.produce(b"c")
    rest.cluster.advance(31_000, 1_000)
    rest.cluster[1].partitions.check_lag(rest.cluster.now)
    rest.cluster.settle()
    leader = rest.cluster[1].partition()
    assert leader.isr == (1, 3)
    assert leader.in_sync.followers[2].end_offset == 2
    (data,) = rest.ask()
    assert (data.preferred_read_replica, len(data.records)) == (-1, len(batch(b"c")))
    assert rest.ask(offset=3) == []
    rest.cluster.cuts.clear()
    rest.cluster.advance(2_000)
    assert set(leader.isr) == {1, 2, 3}
    assert [data.preferred_read_replica for data in rest.ask()] == [2]


def test_a_leader_that_has_to_register_again_tells_old_consumers() -> None:
    rest = AtRest(1, version=10)
    rest.cluster[1].partitions.resign(rest.cluster.now)
    (data,) = rest.ask()
    assert data.error_code == errors.NOT_LEADER_OR_FOLLOWER


def test_who_reads_what_is_not_committed_finds_more() -> None:
    rest = AtRest(1)
    open_transaction = memoryview(batch(b"c", producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True))
    leader = rest.cluster[1]
    leader.partitions.append(leader.partition(), open_transaction, LEADER, rest.cluster.now, guard=VERIFICATION_IS_OFF)
    rest.cluster.advance(600)
    assert [data.high_watermark for data in rest.ask(isolation_level=1)] == [3]
    assert rest.ask(isolation_level=1) == []
    assert [len(data.records) for data in rest.ask()] == [len(open_transaction)]
