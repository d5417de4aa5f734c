"""Fetches of followers that wait at their leader: what they hold meanwhile, and what is left of them afterwards."""

import pytest

from kafkacompat.broker.connection import Connection
from kafkacompat.broker.replicas import follower_fetch
from kafkacompat.config.broker_quorum import RACK_AWARE
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from tests.broker.handlers.test_produce_fetch import LEADER, batch, produce_request
from tests.broker.replica_node import Cluster

PLENTY = 1 << 20
WAIT_MS = 500


@pytest.fixture
def cluster() -> Cluster:
    """Broker 1 leads, and broker 2 is cut off: the test asks in its name."""
    two = Cluster(1, 2)
    two.create_topic("t", [1, 2])
    two.cuts.append({1, 2})
    two.advance(2_000)
    return two


def fetch(cluster: Cluster, *, fetch_offset: int = 0, min_bytes: int = PLENTY) -> list:
    """Without a session."""
    asked = FetchPartition(0, fetch_offset=fetch_offset, partition_max_bytes=PLENTY)
    request = FetchRequest(
        replica_state=ReplicaState(2, 12), min_bytes=min_bytes, max_wait_ms=WAIT_MS, max_bytes=PLENTY,
        topics=[FetchTopic("", cluster.image.topics["t"].topic_id, [asked])],
    )  # fmt: skip
    return cluster[1].ask(request, 18, Connection(77, "127.0.0.1", "PLAINTEXT"))


def produce(cluster: Cluster) -> None:
    cluster[1].ask(produce_request((0, batch(b"a")), acks=LEADER), 9)
    cluster.settle()


def test_who_waits_for_more_keeps_no_descriptor_open(cluster):
    """Else a deleted segment would take up its room as long as followers wait, and descriptors beyond the limit."""
    produce(cluster)
    segment = next(iter(cluster[1].partition().log.segments.from_offset(0)))
    answers = fetch(cluster)
    assert answers == []
    assert not segment.file.is_referenced
    for _ in range(3):
        produce(cluster)
        assert answers == []
        assert not segment.file.is_referenced
    cluster.advance(WAIT_MS)
    assert len(answers[0].responses[0].partitions[0].records) > 0
    assert not segment.file.is_referenced


def test_of_a_fetch_without_a_session_nothing_is_kept_when_it_is_answered(cluster):
    known = cluster[1].delayed_follower_fetches._by_replica
    before = set(known[2])
    answers = fetch(cluster)
    assert len(set(known[2]) - before) == 1
    cluster.advance(WAIT_MS)
    assert len(answers) == 1
    assert set(known[2]) <= before


def test_of_a_fetch_that_cannot_be_read_nothing_is_kept(cluster, monkeypatch, caplog):
    def fails(*_arguments, **_options):
        raise ZeroDivisionError

    known = cluster[1].delayed_follower_fetches._by_replica
    before = set(known[2])
    monkeypatch.setattr(follower_fetch, "serve_follower", fails)
    fetch(cluster)
    assert "ZeroDivisionError" in caplog.text
    assert set(known[2]) <= before


@pytest.mark.parametrize("settings", [{}, {"replica_selector_class": RACK_AWARE}], ids=str)
def test_with_replicas_for_racks_a_follower_that_moves_the_high_watermark_hears_of_it_at_once(settings):
    """Its consumers wait for it, and its own fetch moves it."""
    two = Cluster(1, 2, racks={1: "a", 2: "b"}, **settings)
    two.create_topic("t", [1, 2])
    two.cuts.append({1, 2})
    two.advance(2_000)
    produce(two)
    answers = fetch(two, fetch_offset=1)
    two.advance(1)
    heard = [answer.responses[0].partitions[0].high_watermark for answer in answers]
    assert heard == ([1] if settings else [])
    two.advance(WAIT_MS)
    assert len(answers) == 1


def test_what_a_coordinator_appends_when_a_high_watermark_moves_waits_for_no_later_fetch(monkeypatch):
    """The high watermark moves while the follower is read, whose fetch then waits."""
    two = Cluster(1, 2)
    two.create_topic("t", [1, 2], [1, 2])
    two.advance(2_000)
    leader, answers = two[1], []
    told = leader.coordinators.on_high_watermark

    def appended(partition, now):
        told(partition, now)
        if partition.index == 0 and not answers:
            answers.append(leader.ask(produce_request((1, batch(b"b"))), 9))

    monkeypatch.setattr(leader.coordinators, "on_high_watermark", appended)
    leader.ask(produce_request((0, batch(b"a"))), 9)
    two.advance(WAIT_MS // 10)
    (answer,) = answers
    assert len(answer) == 1
