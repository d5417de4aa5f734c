"""A follower that is alive and lags: it leaves the ISR, and joins it again."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.sim.nodes.clients import TOPIC
from tests.sim.nodes.cluster import Cluster
from tests.sim.world import MS, SECOND, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.broker.broker import Broker
    from kafkacompat.replication.metadata.image import PartitionImage

LAG_MS = 2_000
SESSION_MS = 60_000
"""Longer than the test: no broker is fenced, so a follower leaves the ISR only because it lags."""


@contextmanager
def whole_cluster(settings: dict[str, str] | None = None) -> Iterator[Cluster]:
    """Three nodes that are all in sync, with a producer for each of three partitions."""
    session = {"broker.session.timeout.ms": str(SESSION_MS), "broker.heartbeat.interval.ms": "500"}
    cluster = Cluster(World(3), 3, {"replica.lag.time.max.ms": str(LAG_MS), **session, **(settings or {})})
    with cluster.invariants.watching():
        for node in cluster.nodes.values():
            node.start()
        cluster.add_clients(3, 0, 100, acks1=False)
        assert cluster.world.run_while(lambda: not cluster.is_whole(), 20 * SECOND, 50 * MS)
        yield cluster
    assert cluster.invariants.committed_count > 0
    assert not cluster.failures()
    cluster.bury()


def active(cluster: Cluster) -> Broker:
    return next(broker for broker in cluster.brokers if broker.quorum.is_active)


def partition_led_beside(controller: Broker) -> tuple[int, PartitionImage]:
    """A partition whose leader is not the active controller."""
    partitions = controller.image.topics[TOPIC].partitions
    return next(
        (index, partition) for index, partition in enumerate(partitions) if partition.leader != controller.node_id
    )


def test_a_follower_that_lags_leaves_the_isr_and_comes_back() -> None:
    with whole_cluster() as cluster:
        controller = active(cluster)
        index, before = partition_led_beside(controller)
        follower = next(node for node in before.replicas if node not in (before.leader, controller.node_id))
        world, internet = cluster.world, cluster.internet

        def image() -> PartitionImage:
            return active(cluster).image.topics[TOPIC].partitions[index]

        internet.cut |= {(f"n{before.leader}", f"n{follower}"), (f"n{follower}", f"n{before.leader}")}
        assert world.run_while(lambda: follower in image().isr, 3 * LAG_MS * MS, 50 * MS), "it stays in sync"
        assert (image().leader, len(image().isr)) == (before.leader, 2)
        assert not active(cluster).image.brokers[follower].fenced, "it was to leave for its lag alone"
        acknowledged = cluster.acknowledged_count
        world.run_for(SECOND)
        assert cluster.acknowledged_count > acknowledged, "with two in sync producers go on"

        internet.cut.clear()
        assert world.run_while(lambda: follower not in image().isr, 20 * SECOND, 50 * MS), "it does not come back"
