"""Moves between log directories that meet errors, wait, or are stopped: what is left of them, and when they go on."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.broker.replicas import replica_alter_log_dirs
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.slices import Slice
from tests.broker.replicas.test_replica_alter_log_dirs import alter, begin, folders, places, wait
from tests.broker.test_several_directories import delete, harness, produce


def test_a_move_that_is_refused_leaves_nothing() -> None:
    fs = MemFs()
    broker = begin(fs)
    fs.fail_next(lambda operation: operation[1].endswith("partition.metadata.tmp"), errno.EMFILE)
    assert alter(broker, "/b", 0) == [errors.KAFKA_STORAGE_ERROR]
    assert not [name for name in folders(broker, "/b") if name.endswith("-future")]
    broker.close()
    broker = harness(fs, seed=2)
    wait(broker)
    assert places(broker, 0) == {"/a": (False, 0)}


def test_a_future_replica_that_cannot_be_opened_is_tried_again_ever_later(caplog: pytest.LogCaptureFixture) -> None:
    fs = Unopened()
    broker = begin(fs)
    assert alter(broker, "/b", 0) == [errors.NONE]
    found = folders(broker, "/b")
    broker.close(clean=False)
    fs.restart()
    fs.is_held = True
    broker = harness(fs, seed=2)
    wait(broker, 15_000 // 50)
    assert 2 <= fs.attempts <= 5
    assert folders(broker, "/b") == found
    assert len([each for each in caplog.records if "does not move on" in each.message]) == 1
    fs.is_held = False
    wait(broker, 20_000 // 50)
    assert places(broker, 0) == {"/b": (False, 0)}


class Unopened(MemFs):
    """No future replica can be opened while it is held."""

    is_held = False
    attempts = 0

    def read_bytes(self, path: str) -> bytes:
        if self.is_held and "-future/partition.metadata" in path:
            self.attempts += 1
            raise OSError(errno.EMFILE, "too many open files", path)
        return super().read_bytes(path)


def test_a_move_of_a_topic_that_was_deleted_is_none_of_its_successor() -> None:
    fs = MemFs()
    broker = begin(fs)
    assert alter(broker, "/b", 0) == [errors.NONE]
    manager = broker.broker.alter_log_dirs
    manager.stop()  # the move is not looked at before the topic is there again
    delete(broker, "t")
    broker.create_topic("t", 1)
    path = next(path for path in ("/b", "/c") if path not in places(broker, 0))
    assert alter(broker, path, 0) == [errors.NONE]
    assert places(broker, 0)[path] == (True, 0)


def test_background_work_with_a_bug_ends_the_move(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = begin()
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    broker.broker.alter_log_dirs.part_bytes = 50  # read beside the loop

    def read_all(_part: object) -> bytearray:
        raise ValueError("a mistake")

    monkeypatch.setattr(replica_alter_log_dirs, "_read_all", read_all)
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker)
    assert partition.future_log is None
    assert len([each for each in caplog.records if "any more: a mistake" in each.message]) == 1


def test_a_move_waits_for_a_pass_of_compaction_without_work(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = begin()
    compaction, manager = broker.broker.compaction, broker.broker.alter_log_dirs
    partition, syncs, sync = broker.broker.partitions.get("t", 0), [], manager._sync
    monkeypatch.setattr(compaction, "cleaner", SimpleNamespace(working_on=partition))

    def count(*arguments: Any) -> None:
        syncs.append(None)
        sync(*arguments)

    monkeypatch.setattr(manager, "_sync", count)
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker)
    assert places(broker, 0) == {"/a": (False, 0), "/b": (True, 0)}
    assert syncs == []
    monkeypatch.setattr(compaction, "cleaner", None)
    wait(broker, 5)
    assert places(broker, 0) == {"/b": (False, 0)}
    assert len(syncs) == 1


def test_moves_that_wait_do_not_slow_one_that_can_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica_alter_log_dirs, "MOVES_PER_ITERATION", 2)
    broker = harness()
    broker.create_topic("t", 30)
    for _ in range(40):
        assert produce(broker, 0) == errors.NONE
    manager = broker.broker.alter_log_dirs
    manager.part_bytes = 100
    moving = [index for index in range(1, 30) if "/a" in places(broker, index)]
    assert alter(broker, "/b", *moving) == [errors.NONE] * len(moving)
    for move in manager._moves.values():
        move.until_ms = broker.now.monotonic_ms + 3_600_000
    wait(broker, 20)
    assert alter(broker, "/b", 0) == [errors.NONE]
    for _ in range(150):
        broker.now = Now(broker.now.monotonic_ms + 1, broker.now.wall_ms + 1)
        broker.broker.timers.run(broker.now)
        broker.settle()
    assert places(broker, 0)["/b"] == (True, 0)


def test_a_stop_lets_go_of_what_is_to_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = begin()
    manager = broker.broker.alter_log_dirs
    manager.part_bytes = 50
    assert alter(broker, "/b", 0) == [errors.NONE]
    for _ in range(10):
        broker.broker.timers.run(broker.now)
        if manager._unread:
            break
    (part,) = manager._unread.values()
    released, release = [], Slice.release

    def note(self: Slice) -> None:
        released.append(self)
        release(self)

    monkeypatch.setattr(Slice, "release", note)
    manager.stop()
    wait(broker, 3)
    assert released == [part]
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    assert partition.future_log is not None
    assert partition.future_log.log_end_offset == 0
