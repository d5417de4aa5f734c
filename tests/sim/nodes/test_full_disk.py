"""Whole nodes whose disks are full for a while: replicas with room lead, the others follow while they can."""

from __future__ import annotations

import errno
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kafkacompat.broker import scheduled_tasks
from kafkacompat.protocol.messages import create_topics, delete_topics
from kafkacompat.storage.durability_marker import BOOT_ID_PATH
from kafkacompat.storage.durability_marker import FILE_NAME as SESSION_FILE
from kafkacompat.storage.memfs import MemFs
from tests.sim.nodes.clients import TIMEOUT_MS, TOPIC, Client, Consumer
from tests.sim.nodes.machine import set_boot_id
from tests.sim.nodes.run import Run
from tests.sim.world import MS, SECOND

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from kafkacompat.replication.metadata.image import PartitionImage
    from tests.sim.nodes.node import Node

SEED = 3
OTHER_TOPIC = "other"
DELETE_CHECK_MS = 2_000
"""Nodes look for deleted logs this often, so that a test need not simulate many seconds of it."""
HANDS_OVER_WITHIN_US = 4 * SECOND
"""The check of the disk, a heartbeat, and the end of a request that has waited for the replica without room."""


def test_the_boot_id_takes_no_room() -> None:
    fs = MemFs(free_bytes=0)
    set_boot_id(fs, 1)
    set_boot_id(fs, 2)
    assert fs.free_bytes == 0
    assert fs.read_bytes(BOOT_ID_PATH).startswith(b"00000002")


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


class Creator(Client):
    """Creates another topic."""

    async def go(self) -> None:
        topic = create_topics.CreatableTopic(OTHER_TOPIC, 1, 3)
        answer = await self.ask(1, create_topics, 7, create_topics.CreateTopicsRequest([topic], TIMEOUT_MS))
        assert answer.topics[0].error_code == 0


class Deleter(Client):
    """Deletes it."""

    async def go(self) -> None:
        topic = delete_topics.DeleteTopicState(OTHER_TOPIC)
        request = delete_topics.DeleteTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS)
        answer = await self.ask(1, delete_topics, 6, request)
        assert answer.responses[0].error_code == 0


def directories(node: Node) -> list[str]:
    """Of the other topic."""
    return [name for name in node.fs.listdir(f"/{node.name}") if name.startswith(OTHER_TOPIC)]


def keep_names(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on a directory on this disk gets no other name, as there is no block for that."""
    rename = node.fs.rename

    def without_room(path: str, new_path: str) -> None:
        if node.fs.is_dir(path):
            raise OSError(errno.ENOSPC, "no space left on device", new_path)
        rename(path, new_path)

    monkeypatch.setattr(node.fs, "rename", without_room)


def test_a_topic_that_is_deleted_without_any_room_goes_when_there_is_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduled_tasks, "DELETE_CHECK_MS", DELETE_CHECK_MS)
    with a_cluster() as run, log_lines() as lines:
        run.cluster.clients.append(Creator(run.cluster, "creator"))
        run.run_for(2 * SECOND)
        node = run.cluster.nodes[3]
        with monkeypatch.context() as patch:
            keep_names(node, patch)
            run.fill(3)
            run.cluster.clients.append(Deleter(run.cluster, "deleter"))
            run.run_for(DELETE_CHECK_MS * MS)
            assert directories(node) == [f"{OTHER_TOPIC}-0"]
            assert node.is_ready
            assert run.run_for(SECOND) > 10
        run.make_room(3)
        run.run_for(DELETE_CHECK_MS * MS + SECOND)
        assert all(name.endswith("-delete") for name in directories(node))
        assert run.cluster.is_whole()
    assert any("it waits" in line for line in lines)


def test_a_stray_without_any_room_is_set_aside_when_there_is_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduled_tasks, "DELETE_CHECK_MS", DELETE_CHECK_MS)
    with a_cluster() as run:
        run.cluster.clients.append(Creator(run.cluster, "creator"))
        run.run_for(2 * SECOND)
        node = run.cluster.nodes[3]
        node.stop()
        run.run_for(2 * SECOND)
        run.cluster.clients.append(Deleter(run.cluster, "deleter"))
        run.run_for(SECOND)
        with monkeypatch.context() as patch:
            keep_names(node, patch)
            node.start()
            run.run_for(4 * SECOND)
            assert directories(node) == [f"{OTHER_TOPIC}-0"]
            assert node.is_ready
        run.run_for(DELETE_CHECK_MS * MS + SECOND)
        (stray,) = directories(node)
        assert stray.endswith("-stray")
        assert run.cluster.is_whole()


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
