"""Whole nodes whose disks are full for a while: replicas with room lead, the others follow as far as they can."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kafkacompat.storage.session import FILE_NAME as SESSION_FILE
from tests.sim.nodes.clients import TOPIC, Consumer
from tests.sim.nodes.run import Run
from tests.sim.world import SECOND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.replication.metadata.image import PartitionImage

SEED = 3
HANDS_OVER_WITHIN_US = 4 * SECOND
"""The check of the disk, a heartbeat, and the end of a request that has waited for the replica without room."""


class World(Run):
    """Whole nodes with clients, and no faults but those that a test makes."""

    def begin(self) -> None:
        for node in self.cluster.nodes.values():
            node.start()
        self.cluster.add_clients(2, 1, 30, acks1=False)
        self._until(self.cluster.is_whole, 20 * SECOND, "the cluster is not ready")
        self.run_for(2 * SECOND)

    def partition(self) -> PartitionImage:
        brokers = self.cluster.brokers
        newest = max((broker.image for broker in brokers), key=lambda image: image.offset)
        return newest.topics[TOPIC].partitions[0]

    def fill(self, *node_ids: int) -> None:
        for node_id in node_ids:
            self.cluster.nodes[node_id].fs.free_bytes = 0

    def make_room(self, *node_ids: int) -> None:
        for node_id in node_ids:
            self.cluster.nodes[node_id].fs.free_bytes = None

    def run_for(self, duration_us: int) -> int:
        """How many records were acknowledged meanwhile."""
        before = self.acknowledged
        self.world.run_for(duration_us)
        self._check()
        return self.acknowledged - before

    def end(self) -> None:
        self.cluster.is_over = True
        self._until(self.cluster.is_well, 30 * SECOND, "the cluster did not recover")
        self.cluster.check_the_end()
        self.cluster.stop_all(5 * SECOND)
        self._check()


@contextmanager
def a_cluster() -> Iterator[World]:
    run = World(SEED)
    try:
        with run._listening(), run.cluster.invariants.watching():
            run.begin()
            yield run
            run.end()
    finally:
        run.cluster.bury()


def test_replicas_with_room_lead_and_the_one_without_comes_back() -> None:
    with a_cluster() as run:
        first = run.partition().leader
        run.fill(first)
        run.run_for(HANDS_OVER_WITHIN_US)
        found = run.partition()
        assert found.leader != first
        assert first not in found.isr
        assert run.run_for(SECOND) > 10
        run.make_room(first)
        run.run_for(3 * SECOND)
        assert set(run.partition().isr) == {1, 2, 3}
        assert run.run_for(SECOND) > 10


def test_a_follower_without_room_is_waited_for_no_longer() -> None:
    with a_cluster() as run:
        first = run.partition()
        follower = next(each for each in first.replicas if each != first.leader)
        run.fill(follower)
        run.run_for(HANDS_OVER_WITHIN_US)
        found = run.partition()
        assert (found.leader, follower in found.isr) == (first.leader, False)
        assert run.run_for(SECOND) > 10
        run.make_room(follower)
        run.run_for(3 * SECOND)
        assert set(run.partition().isr) == {1, 2, 3}


def test_where_no_replica_has_room_the_leader_stays_for_reads() -> None:
    with a_cluster() as run:
        run.fill(1, 2, 3)
        run.run_for(HANDS_OVER_WITHIN_US)
        found = run.partition()
        assert run.run_for(2 * SECOND) == 0
        assert (run.partition().leader, run.partition().leader_epoch) == (found.leader, found.leader_epoch)
        late = Consumer(run.cluster, "late", 0)
        run.cluster.clients.append(late)
        run.run_for(2 * SECOND)
        assert any(getattr(each, "process", "") == "late" for each in run.cluster.history)
        run.make_room(next(each for each in found.replicas if each != found.leader))
        run.run_for(HANDS_OVER_WITHIN_US)
        assert run.partition().leader != found.leader
        run.make_room(1, 2, 3)
        run.run_for(3 * SECOND)
        assert run.run_for(SECOND) > 10


def test_nodes_that_are_killed_meanwhile_come_back() -> None:
    with a_cluster() as run:
        run.fill(1, 2, 3)
        run.run_for(2 * SECOND)
        for node_id in (1, 2, 3):
            run.cluster.nodes[node_id].kill()
        run.run_for(SECOND)
        for node_id in (1, 2, 3):
            run.cluster.nodes[node_id].start()
        run.run_for(8 * SECOND)
        run.make_room(1, 2, 3)
        run.run_for(8 * SECOND)
        assert run.run_for(SECOND) > 10


def test_a_node_that_starts_without_any_room_waits_for_it() -> None:
    with a_cluster() as run, log_lines() as lines:
        node = run.cluster.nodes[3]
        node.stop()
        run.run_for(2 * SECOND)
        assert node.loop is None
        node.fs.free_bytes = 100
        node.start()
        run.run_for(4 * SECOND)
        assert not node.was_refused
        run.make_room(3)
        run.run_for(4 * SECOND)
        assert run.cluster.is_whole()
        assert node.fs.exists(f"/{node.name}/{SESSION_FILE}")
    assert 1 <= sum("waits for room" in line for line in lines) <= 2


@contextmanager
def log_lines() -> Iterator[list[str]]:
    """What the nodes log."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("kafkacompat")
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
