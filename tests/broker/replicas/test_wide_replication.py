"""Replication of thousands of partitions: leader and followers do some of the work in each turn, which is counted."""

from collections.abc import Callable
from typing import Any

import pytest

from kafkacompat.broker.handlers import produce as produce_handler
from kafkacompat.broker.replicas import fetcher, follower_fetch
from kafkacompat.broker.replicas.replica_manager import ReplicaManager
from kafkacompat.broker.timers import Timers
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import produce
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.replication.partition import Partition
from tests.broker.replica_node import Cluster

MANY = 120
AT_ONCE, NAMED = 20, 30
ACKS_ALL = -1


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


def produced(indexes: range) -> produce.ProduceRequest:
    batch = bytes(build_batch([Record(0, 1_700_000_000_000, None, bytes(100))], base_offset=0))
    data = [produce.PartitionProduceData(index, batch) for index in indexes]
    return produce.ProduceRequest(
        acks=ACKS_ALL, timeout_ms=60_000, topic_data=[produce.TopicProduceData(name="t", partition_data=data)]
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


def test_what_moves_while_a_follower_is_read_is_answered(cluster: Cluster, turns: Turns) -> None:
    leader = cluster[1]
    state = next(iter(leader.delayed_follower_fetches.sessions_of(2)))
    for index in (0, MANY - 1):
        state.full_read_ms = -(1 << 40)  # the next fetch reads all, in turns
        for _ in range(40):
            cluster.advance(20)
            if len(leader.long_answers):
                break
        answers = leader.ask(produced(range(index, index + 1)), 9)
        for _ in range(4):
            cluster.advance(1)
        assert answers, "the record waited for the end of a long poll"


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
