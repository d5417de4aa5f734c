"""Throttled replicas catch up at the rate that they are given; those in sync, and others, are not slowed down."""

from types import SimpleNamespace

import pytest

from kafkacompat.broker.replicas.replication_quota import ReplicationQuota, throttles
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from tests.broker.handlers.test_produce_fetch import LEADER, batch, only, produce_request
from tests.broker.replica_node import Cluster

RATE = 20_000
BATCHES = 100
SIDES = ["leader", "follower"]


def lagging(side: str, replicas: str) -> Cluster:
    """Broker 2 is out of the in-sync set, a hundred batches of 1 kB behind broker 1."""
    cluster = Cluster(1, 2, replica_fetch_max_bytes="5000")
    cluster.create_topic("t", [1, 2], **{f"{side}_replication_throttled_replicas": replicas})
    cluster.fence(2)
    cluster.cuts.append({1, 2})
    for _ in range(BATCHES):
        cluster[1].ask(produce_request((0, batch(b"x" * 1000)), acks=LEADER), 9)
        cluster.settle()
    for node in cluster.nodes.values():
        node.leader_quota.rate = node.follower_quota.rate = RATE
    cluster.advance(1000)
    cluster.cuts.clear()
    cluster.unfence(2)
    return cluster


@pytest.mark.parametrize("side", SIDES)
def test_a_throttled_replica_takes_its_time(side):
    cluster = lagging(side, "0:1" if side == "leader" else "0:2")
    cluster.advance(2500)
    half_way = cluster[2].partition().log_end_offset
    assert 20 < half_way < 80  # 2.5 s at 20 kB/s, and the first window
    cluster.advance(6000)
    assert cluster[2].partition().log_end_offset == BATCHES
    assert cluster.image.topics["t"].partitions[0].isr == (1, 2)


@pytest.mark.parametrize("side", SIDES)
def test_a_replica_that_is_not_named_does_not(side):
    cluster = lagging(side, "0:2" if side == "leader" else "0:1")
    cluster.advance(1500)
    assert cluster[2].partition().log_end_offset == BATCHES


@pytest.mark.parametrize("side", SIDES)
def test_a_replica_in_sync_is_not_slowed_down(side):
    cluster = Cluster(1, 2)
    cluster.create_topic("t", [1, 2], **{f"{side}_replication_throttled_replicas": "*"})
    for node in cluster.nodes.values():
        node.leader_quota.rate = node.follower_quota.rate = 1
    for _ in range(5):
        answers = cluster[1].ask(produce_request((0, batch(b"x" * 1000))), 9)
        cluster.settle()
        assert only(answers[0]).error_code == errors.NONE


def test_what_moved_long_ago_does_not_count():
    cluster = Cluster(1, 2)
    cluster.create_topic("t", [1, 2])
    partition = cluster[1].partition()
    quota = ReplicationQuota(11, 1000)
    quota.rate = 100
    quota.record(partition, ("*",), 1000, Now(0, 0))
    assert quota.holds_back(partition, 9, ("*",), Now(500, 0))
    assert quota.holds_back(partition, 9, ("*",), Now(9_000, 0))
    assert not quota.holds_back(partition, 9, ("*",), Now(10_000, 0))
    assert not quota.holds_back(partition, 9, ("0:2",), Now(500, 0))
    assert not quota.holds_back(partition, 2, ("*",), Now(500, 0))


def test_no_more_windows_are_kept_than_count():
    quota = ReplicationQuota(window_count=11, window_ms=1000)
    quota.rate = RATE
    partition = SimpleNamespace(index=0, node_id=1)
    for number in range(100):
        quota.record(partition, ["*"], 1, Now(number * 1000, 0))
        assert len(quota._windows) <= 11


def test_lists_name_partitions_of_brokers():
    cluster = Cluster(1, 2)
    cluster.create_topic("t", [1, 2], [1, 2])
    partition = cluster[1].partition("t", 1)
    assert throttles(("0:1", "1:1"), partition)
    assert not throttles(("1:2", "0:1"), partition)
    assert not throttles((), partition)
