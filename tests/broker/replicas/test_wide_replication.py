"""Replication of thousands of partitions: leader and followers do some of the work in each turn, which is counted."""

from collections.abc import Callable
from typing import Any

import pytest

from kafkacompat.broker.connection import Connection
from kafkacompat.broker.handlers import produce as produce_handler
from kafkacompat.broker.replicas import fetcher, follower_fetch
from kafkacompat.broker.replicas.replica_manager import ReplicaManager
from kafkacompat.broker.replicas.replication_quota import ReplicationQuota
from kafkacompat.broker.timers import Timers
from kafkacompat.now import LONG_AGO, Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import produce
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.replication.partition import Partition
from tests.broker.replica_node import Cluster, Node

MANY = 120
AT_ONCE, NAMED = 20, 30
ACKS_ALL = -1
LONG_MS = 60_000
BATCH = bytes(build_batch([Record(0, 1_700_000_000_000, None, bytes(100))], base_offset=0))


class Turns:
    """How much is done in one turn of any broker's loop at most, by what is done."""

    def __init__(self) -> None:
        self.most: dict[str, int] = {}
        self.sums: dict[str, int] = {}
        self._now: dict[str, int] = {}

    def next_turn(self) -> None:
        self._now.clear()

    def watch(self, patch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        function = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            self._now[name] = self._now.get(name, 0) + 1
            self.sums[name] = self.sums.get(name, 0) + 1
            self.most[name] = max(self.most.get(name, 0), self._now[name])
            return function(*args, **kwargs)

        patch.setattr(owner, name, counted)

    def each(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.next_turn()
            return function(*args, **kwargs)

        return call


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Turns:
    """Turns, in which little is done."""
    monkeypatch.setattr(follower_fetch, "PARTITIONS_AT_ONCE_MAX", AT_ONCE)
    monkeypatch.setattr(fetcher, "NAMED_MAX", NAMED)
    monkeypatch.setattr(fetcher, "UNITS_PER_ITERATION", AT_ONCE * fetcher.UNITS_PER_APPEND)
    monkeypatch.setattr(produce_handler, "PARTITIONS_AT_ONCE_MAX", AT_ONCE)
    found = Turns()
    monkeypatch.setattr(Timers, "run", found.each(Timers.run))
    found.watch(monkeypatch, follower_fetch, "serve_follower")
    found.watch(monkeypatch, ReplicaManager, "append")
    found.watch(monkeypatch, Partition, "fetch_answered")
    return found


@pytest.fixture
def cluster(turns: Turns) -> Cluster:
    """Three brokers; broker 1 leads all partitions."""
    three = Cluster(1, 2, 3)
    three.later = _apart(three, turns)
    three.create_topic("t", *([1, 2, 3] for _ in range(MANY)))
    three.advance(2_000)
    three.requests.clear()
    turns.most.clear()
    turns.sums.clear()
    return three


def _apart(cluster: Cluster, turns: Turns) -> Callable[[Callable[[], None]], None]:
    """Each message arrives in a turn of its own."""
    later = Cluster.later

    def counted(action: Callable[[], None]) -> None:
        later(cluster, turns.each(action))

    return counted


def produced(indexes: range, acks: int = ACKS_ALL) -> produce.ProduceRequest:
    data = [produce.PartitionProduceData(index, BATCH) for index in indexes]
    return produce.ProduceRequest(
        acks=acks, timeout_ms=LONG_MS, topic_data=[produce.TopicProduceData(name="t", partition_data=data)]
    )


def test_records_of_many_partitions_are_replicated_in_turns(cluster: Cluster, turns: Turns) -> None:
    answers = cluster[1].ask(produced(range(MANY)), 9)
    for _ in range(50):
        cluster.advance(20)
        if answers:
            break
    (answer,) = answers
    assert {each.error_code for each in answer.responses[0].partition_responses} == {errors.NONE}
    for node in (1, 2, 3):
        assert {cluster[node].partition("t", index).log.log_end_offset for index in range(MANY)} == {1}
    cluster.advance(1_000)
    for node in (1, 2, 3):
        assert {cluster[node].partition("t", index).high_watermark for index in range(MANY)} == {1}
    assert turns.most["append"] <= AT_ONCE
    assert turns.most["serve_follower"] <= 2 * AT_ONCE  # both followers may be woken in a turn
    assert turns.most["fetch_answered"] <= AT_ONCE * fetcher.UNITS_PER_APPEND // fetcher.UNITS_PER_PARTITION


def test_a_request_names_some_of_the_partitions_and_the_next_ones_the_others(cluster: Cluster) -> None:
    cluster.cuts.append({1, 2})
    cluster.advance(1_500)
    cluster.requests.clear()
    cluster.cuts.clear()
    cluster.advance(1_500)
    requests = [request for follower, _, request in cluster.requests if follower == 2]
    counts = [sum(len(topic.partitions) for topic in request.topics) for request in requests]
    first = next(place for place, count in enumerate(counts) if count)
    named = [count for count in counts[first:] if count]
    assert max(named) <= NAMED
    waits = [request.max_wait_ms for request in requests if request.topics]
    assert waits[-1] > 0
    assert sum(named[-MANY // NAMED :]) == MANY


@pytest.mark.parametrize("why", ["throttled", "offline"])
def test_partitions_that_are_not_fetched_keep_no_others_from_their_turn(turns: Turns, monkeypatch, why: str) -> None:
    turns.watch(monkeypatch, ReplicationQuota, "is_exceeded")  # which adds up what moved in each window
    two = Cluster(1, 2)
    two.fence(2)
    network, two[2].fetchers.network = two[2].fetchers.network, None
    two.create_topic("first", *([1, 2] for _ in range(2 * NAMED)), follower_replication_throttled_replicas="*")
    two.create_topic("t", [1, 2])
    two.unfence(2)
    if why == "throttled":
        two[2].follower_quota.rate = 1
        two[2].follower_quota.count(1 << 20, two.now)
    else:
        for index in range(2 * NAMED):
            two[2].partition("first", index).log.failure = OSError("the disk is gone")
    two[1].ask(produced(range(1), acks=1), 9)
    two[2].fetchers.network = network
    two[2].fetchers.resume(two.now)
    two.settle()
    assert two[2].partition("t", 0).log.log_end_offset == 1
    named = [len(topic.partitions) for _, _, request in two.requests for topic in request.topics]
    assert named[0] == 1
    assert turns.most["is_exceeded"] == 1
    assert two[2].partition("first", 0).log.offline == (why == "offline")


def test_a_leader_without_room_for_a_session_is_asked_for_all_at_once(cluster: Cluster, monkeypatch) -> None:
    monkeypatch.setattr(type(cluster[1].fetch_sessions), "_keep", lambda *_args: False)
    cluster.cuts.append({1, 2})
    cluster.advance(1_500)
    cluster.cuts.clear()
    cluster.advance(3_000)
    cluster.requests.clear()
    cluster.advance(2_000)
    requests = [request for follower, _, request in cluster.requests if follower == 2 and request.topics]
    assert [sum(len(topic.partitions) for topic in request.topics) for request in requests] == [MANY] * len(requests)
    assert 3 <= len(requests) <= 5  # each waits for records


def until_read(cluster: Cluster, after_turns: int, *, behind: Callable[[], bool] = lambda: True) -> None:
    """Stop in a turn, before its timers, when broker 1 has begun to read a wide fetch and gone on for so many turns."""
    for _ in range(200):
        cluster.deliver()
        if len(cluster[1].long_answers) and behind():
            if not after_turns:
                return
            after_turns -= 1
        if not cluster.run_timers():
            cluster.now = Now(cluster.now.monotonic_ms + 20, cluster.now.wall_ms + 20)
    raise AssertionError("no fetch is read in so many turns")


def _ends(node: Node, indexes: range) -> set[int]:
    return {node.partition("t", index).log.log_end_offset for index in indexes}


@pytest.fixture
def two(turns: Turns, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """Two brokers. Broker 1 leads all partitions; broker 2 names them in one request."""
    monkeypatch.setattr(fetcher, "NAMED_MAX", MANY)
    cluster = Cluster(1, 2)
    cluster.create_topic("t", *([1, 2] for _ in range(MANY)))
    cluster.advance(2_000)
    return cluster


@pytest.mark.parametrize("index", [0, MANY - 1])
@pytest.mark.parametrize("after_turns", range(3))
@pytest.mark.parametrize("is_full", [True, False])
def test_what_moves_while_a_follower_is_read_is_answered(
    two: Cluster, index: int, after_turns: int, *, is_full: bool
) -> None:
    leader, moved = two[1], range(AT_ONCE + 10)
    (state,) = leader.delayed_follower_fetches.sessions_of(2)
    if is_full:
        state.full_read_ms = LONG_AGO  # the next fetch reads all
    else:
        state.full_read_ms = two.now.monotonic_ms
        for some in (moved[:AT_ONCE], moved[AT_ONCE:]):
            leader.ask(produced(some), 9)
    # The fetch behind the records looks at their partitions, finds nothing more, and waits.
    until_read(two, after_turns, behind=lambda: is_full or _ends(two[2], moved) == {1})
    assert len(leader.long_answers) == 1
    answers = leader.ask(produced(range(index, index + 1)), 9)
    two.settle()
    assert answers, "the record waits for the end of a long poll"


def fetched(cluster: Cluster, session: tuple[int, int], *, min_bytes: int = 1, max_wait_ms: int = 0) -> list[Any]:
    """Broker 2, which is cut off, fetches in a session of this id and epoch, over a new connection. The first fetch of
    a session names all partitions.
    """
    topic_id, is_first = cluster.image.topics["t"].topic_id, not session[1]
    asked = [FetchPartition(index, fetch_offset=0, partition_max_bytes=1 << 20) for index in range(MANY)]
    request = FetchRequest(
        replica_state=ReplicaState(2, 12), min_bytes=min_bytes, max_wait_ms=max_wait_ms, max_bytes=1 << 20,
        session_id=session[0], session_epoch=session[1],
        topics=[FetchTopic("", topic_id, asked)] if is_first else [],
    )  # fmt: skip
    return cluster[1].ask(request, 18, Connection(77, "127.0.0.1", "PLAINTEXT"))


@pytest.fixture
def alone(two: Cluster) -> Cluster:
    """Broker 2 is cut off from broker 1: tests ask in its name."""
    two.cuts.append({1, 2})
    two.advance(2_000)
    return two


@pytest.mark.parametrize("after_turns", range(3))
def test_what_moves_while_a_fetch_that_waits_is_read_again_is_answered(alone: Cluster, after_turns: int) -> None:
    leader = alone[1]
    first = fetched(alone, (0, 0))
    alone.settle()
    (told,) = first
    enough = (AT_ONCE + 11) * len(BATCH)
    answers = fetched(alone, (told.session_id, 1), min_bytes=enough, max_wait_ms=LONG_MS)
    alone.settle()
    for some in (range(AT_ONCE), range(AT_ONCE, AT_ONCE + 10)):
        leader.ask(produced(some, acks=1), 9)
    until_read(alone, after_turns)
    assert not answers
    leader.ask(produced(range(MANY - 1, MANY), acks=1), 9)
    alone.settle()
    assert answers, "enough records wait for the end of a long poll"
    assert sum(len(each.records) for each in answers[0].responses[0].partitions) == enough


def test_two_sessions_of_a_follower_that_are_read_for_the_first_time_are_told_of_what_moves(alone: Cluster) -> None:
    both = [fetched(alone, (0, 0), max_wait_ms=LONG_MS) for _ in range(2)]
    assert len(alone[1].long_answers) == 2
    alone.settle()
    assert both == [[], []]
    alone[1].ask(produced(range(1), acks=1), 9)
    alone.settle()
    assert [len(answers) for answers in both] == [1, 1]


def test_forgotten_partitions_are_not_remembered(cluster: Cluster) -> None:
    leader = cluster[1]
    state = next(iter(leader.delayed_follower_fetches.sessions_of(2)))
    leader.ask(produced(range(10)), 9)
    cluster.nodes[2].fetchers.leave(cluster[2].partition("t", 3))
    cluster.advance(1_500)
    assert all((each.topic_id, each.index) in state.partitions for each in state.moved)


def test_followers_are_told_of_many_high_watermarks_in_several_answers(cluster: Cluster, monkeypatch) -> None:
    monkeypatch.setattr(follower_fetch, "TOLD_MAX", 2 * AT_ONCE)
    answers = cluster[1].ask(produced(range(MANY)), 9)
    while not answers:
        cluster.advance(1, 1)
    told: list[int] = []
    respond = follower_fetch.respond

    def counted(*args: Any, **kwargs: Any) -> Any:
        response = respond(*args, **kwargs)
        told.append(sum(len(topic.partitions) for topic in response.responses))
        return response

    monkeypatch.setattr(follower_fetch, "respond", counted)
    cluster.advance(520)  # one long poll ends; the next fetches do not wait
    assert max(told) <= 3 * AT_ONCE
    for node in (2, 3):
        assert {cluster[node].partition("t", index).high_watermark for index in range(MANY)} == {1}
