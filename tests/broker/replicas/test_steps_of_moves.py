"""Each step of a move between log directories leaves what the next one needs: files, checkpoints, who was told."""

from __future__ import annotations

import errno
from itertools import pairwise

import pytest

from kafkacompat.broker.replicas import replica_alter_log_dirs
from kafkacompat.broker.replicas.replica_alter_log_dirs import TIMER
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from kafkacompat.replication.partition import Partition
from kafkacompat.storage.checkpoints import PARTITION_METADATA_FILE, readable_offsets, write_partition_metadata
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness
from tests.broker.replicas.test_moves_that_wait import asked, been_in, codes, is_idle, settled, tell_controller
from tests.broker.replicas.test_replica_alter_log_dirs import Held, accepted, alter, begin, folders, places, until, wait
from tests.broker.test_several_directories import FullDisk, assigned, delete, harness, produce

KEY = ("t", 0)
MOVED = {"/b": (False, 0)}


def partition_of(broker: BrokerHarness, index: int = 0) -> Partition:
    partition = broker.broker.partitions.get("t", index)
    assert partition is not None
    return partition


def is_read(log: Log) -> bool:
    """Whether somebody keeps a file of the log open."""
    return any(segment.file.is_referenced for segment in log.segments.all)


def offline(broker: BrokerHarness) -> list[str]:
    return [each.path for each in broker.broker.logs.offline_directories]


# Beginning


def test_a_move_that_meets_a_broken_disk_takes_it_offline() -> None:
    fs = MemFs()
    broker = begin(fs)
    fs.fail_next(lambda operation: operation[1].endswith("partition.metadata.tmp"), errno.EIO)
    assert alter(broker, "/b", 0) == [errors.KAFKA_STORAGE_ERROR]
    assert offline(broker) == ["/b"]


def test_a_move_that_goes_on_after_a_start_and_meets_a_broken_disk_takes_it_offline() -> None:
    fs = Refusing()
    broker = begin(fs)
    assert alter(broker, "/b", 0) == [errors.NONE]
    broker.close(clean=False)
    fs.restart()
    fs.number = errno.EMFILE
    broker = harness(fs, seed=2)
    wait(broker, 10)
    assert offline(broker) == []
    fs.number = errno.EIO
    wait(broker, 100)
    assert offline(broker) == ["/b"]


class FullAnew(FullDisk):
    """A full disk has no room for new folders either."""

    def mkdir(self, path: str) -> None:
        if not self.is_dir(path):
            self._check(path)
        super().mkdir(path)


def test_a_move_that_was_answered_waits_for_room_for_a_new_folder() -> None:
    fs = FullAnew()
    broker = begin(fs)
    broker.broker.directory_assignments._is_asking = True  # and never ends, so that nothing is swapped
    assert alter(broker, "/b", 0) == [errors.NONE]
    broker.advance(70_000)  # the checkpoints name it
    (name,) = folders(broker, "/b")
    broker.close(clean=False)
    fs.restart()
    write_partition_metadata(fs, f"/b/{name}/{PARTITION_METADATA_FILE}", b"another topic id", sync=True)
    fs.full = "/b/t-"
    broker = harness(fs, seed=2)
    fs.full = "/b/"
    wait(broker, 200)
    (move,) = broker.broker.alter_log_dirs._moves.values()
    assert move.place == "lacks room"
    assert places(broker, 0) == {"/a": (False, 0)}
    fs.full = None
    wait(broker, 400)
    assert places(broker, 0) == MOVED


class Refusing(MemFs):
    """No future replica can be opened while there is a number."""

    number = 0

    def begin(self, name: str, path: str, size_bytes: int = 0) -> None:
        super().begin(name, path, size_bytes)
        if self.number and "-future/partition.metadata" in path:
            raise OSError(self.number, "refused", path)


def test_a_copy_in_the_directory_of_its_log_is_deleted() -> None:
    fs = MemFs()
    broker = begin(fs)
    broker.close()
    fs.mkdir(f"/a/t-0.{'f' * 32}-future")
    broker = harness(fs, seed=2)
    wait(broker, 3)
    assert [name.rpartition("-")[2] for name in folders(broker, "/a")] == ["0", "delete"]


def test_a_promise_outlives_a_restart() -> None:
    """The metadata names /b, where a record is missing: it goes on to do so."""
    fs = Held()
    broker = accepted(begin(fs))
    broker.close()
    fs.restart()
    fs.is_held = False
    broker = harness(fs, seed=2)
    broker.broker.alter_log_dirs.stop()
    wait(broker, 40)
    assert assigned(broker) == ["/b"]
    assert places(broker, 0)["/a"] == (False, 0)


def test_a_promise_for_a_topic_that_was_deleted_is_none_for_its_successor() -> None:
    broker = settled()
    manager = broker.broker.alter_log_dirs
    (move,) = manager._moves.values()
    assert move.is_promised
    manager.stop()  # it is not looked at before the topic is there again
    delete(broker, "t")
    broker.create_topic("t", 3)
    manager.changed(partition_of(broker, move.partition.index), broker.now)
    assert (move.is_promised, move.future) == (False, None)


def test_the_controller_hears_at_once_that_a_promise_is_not_kept() -> None:
    broker = accepted(begin(Held()))
    wait(broker, 20)  # it has been told of /b, and nothing else is on its way
    broker.broker.directory_assignments._is_asking = False
    assert alter(broker, "/a", 0) == [errors.NONE]
    assert broker.broker.directory_assignments._is_asking


def test_nothing_begins_after_a_stop() -> None:
    broker = begin()
    assert alter(broker, "/b", 0) == [errors.NONE]
    broker.broker.alter_log_dirs.stop()
    assert is_idle(broker)
    wait(broker, 3)
    assert places(broker, 0) == {"/a": (False, 0), "/b": (True, 3)}


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_move_that_waits_for_its_name_begins_once_that_is_free(
    is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a pause; where it cannot begin then, the client is told so, and nothing is left of it."""
    fs = MemFs()
    broker = begin(fs)
    been_in(broker, "/b")
    with monkeypatch.context() as held:
        held.setattr(broker, "settle", lambda: None)  # no work beside the loop ends
        answer = asked(broker, "/b")
        broker.advance(10)
        assert not answer.is_there
    if is_refused:
        fs.fail_next(lambda operation: operation[1].endswith("partition.metadata.tmp"), errno.EMFILE)
    broker.settle()
    assert codes(answer) == [errors.KAFKA_STORAGE_ERROR if is_refused else errors.NONE]
    ends = [name.rpartition("-")[2] for name in folders(broker, "/b")]
    assert ends.count("future") == (0 if is_refused else 1)
    assert offline(broker) == []


# Errors on the way


def test_an_error_on_the_way_is_followed_by_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = begin()
    manager, attempts = broker.broker.alter_log_dirs, []

    def step(*_: object) -> str:
        attempts.append(broker.now.monotonic_ms)
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(manager, "_step", step)
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker, 8_000 // 50)
    pauses = [after - before for before, after in pairwise(attempts)]
    assert pauses == [1_000, 2_000, 4_000]
    assert manager.failed_count == 1


def test_a_bug_on_the_way_ends_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = begin()
    manager = broker.broker.alter_log_dirs

    def step(*_: object) -> str:
        raise ValueError("a mistake")

    monkeypatch.setattr(manager, "_step", step)
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker, 2)
    assert manager._moves == {}
    assert partition_of(broker).future_log is None


def test_an_error_is_forgotten_once_the_copy_goes_on() -> None:
    fs = MemFs()
    broker = begin(fs)
    broker.broker.directory_assignments._is_asking = True  # and never ends
    fs.fail_next(lambda operation: operation[0] == "open" and "-future/0000" in operation[1], errno.EMFILE)
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker, 3)
    assert broker.broker.alter_log_dirs.failed_count == 1
    wait(broker, 40)
    assert places(broker, 0)["/b"] == (True, 0)
    assert broker.broker.alter_log_dirs.failed_count == 0


# Reading


@pytest.mark.parametrize("part_bytes", [50, 1 << 16], ids=["beside the loop", "in a turn"])
def test_what_was_read_is_let_go(part_bytes: int) -> None:
    broker = begin()
    log, manager = partition_of(broker).log, broker.broker.alter_log_dirs
    manager.part_bytes = part_bytes
    broker.broker.directory_assignments._is_asking = True  # and never ends
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker, 10)
    assert places(broker, 0)["/b"] == (True, 0)
    assert not is_read(log)


def test_a_move_that_has_to_queue_reads_nothing_meanwhile() -> None:
    broker = begin()
    manager = broker.broker.alter_log_dirs
    manager.busy_count = manager._max_busy
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker, 3)
    (move,) = manager._moves.values()
    assert move.place == "queued"
    assert not is_read(partition_of(broker).log)


def test_a_log_that_cannot_be_read_for_its_copy_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = begin()
    broker.broker.alter_log_dirs.part_bytes = 50  # read beside the loop

    def read_all(_part: object) -> bytearray:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(replica_alter_log_dirs, "_read_all", read_all)
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker, 3)
    assert partition_of(broker).log.offline
    assert offline(broker) == ["/a"]


# Taking the place


def test_before_a_copy_takes_the_place_its_checkpoints_are_written() -> None:
    fs = Swapped()
    broker = begin(fs)
    broker.broker.directory_assignments._is_asking = True  # until it has a copy of all records
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker, 5)
    broker.begin(DeleteRecordsRequest([DeleteRecordsTopic("t", [DeleteRecordsPartition(0, 2)])], timeout_ms=0), 2)
    wait(broker, 2)
    tell_controller(broker)
    wait(broker)
    assert places(broker, 0) == MOVED
    assert fs.found == [{KEY: 2}, {KEY: 3}]  # without the log start the deleted records would come back after a kill


class Swapped(MemFs):
    """What the checkpoints of /b hold of the partition when a log gets its name there: log starts, high watermarks."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[tuple[str, int], int]] = []

    def rename(self, path: str, new_path: str) -> None:
        if new_path == "/b/t-0":
            for name in ("log-start-offset-checkpoint", "replication-offset-checkpoint"):
                self.found.append(readable_offsets(self, f"/b/{name}") or {})
        super().rename(path, new_path)


@pytest.mark.parametrize(("number", "is_offline"), [(errno.EIO, True), (errno.EMFILE, False)])
def test_checkpoints_that_cannot_be_written_before_are_tried_again(number: int, is_offline: bool) -> None:
    fs = MemFs()
    broker = begin(fs)
    fs.fail_next(
        lambda operation: operation[0] == "open" and operation[1].startswith("/b/replication-offset-ch"), number
    )
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker, 80)
    assert offline(broker) == (["/b"] if is_offline else [])
    assert places(broker, 0) == ({"/a": (False, 0)} if is_offline else MOVED)
    assert broker.broker.alter_log_dirs.busy_count == 0


def test_a_copy_has_the_last_epoch_though_it_has_no_record() -> None:
    fs = MemFs()
    broker = begin(fs)
    log = partition_of(broker).log
    log.epochs.assign(log.epochs.latest + 1, log.log_end_offset)
    before = log.epochs.entries
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker)
    assert places(broker, 0) == MOVED
    assert partition_of(broker).log.epochs.entries == before


def test_a_copy_is_as_clean_as_its_log() -> None:
    broker = harness()
    broker.create_topic("t", 1, cleanup_policy="compact")
    assert [produce(broker, 0) for _ in range(3)] == [errors.NONE] * 3
    first, second, _ = broker.broker.logs.directories
    first.checkpoints.note_cleaner_offset(KEY, 2)
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker)
    assert places(broker, 0) == MOVED
    assert second.checkpoints.cleaner_offset(KEY) == 2
    assert first.checkpoints.cleaner_offset(KEY) is None


def test_after_the_swap_nothing_is_left_of_the_move_and_all_is_synced() -> None:
    broker = settled()
    (move,) = broker.broker.alter_log_dirs._moves.values()
    index = move.partition.index
    tell_controller(broker)
    until(broker, lambda: move.synced_start is not None, step_ms=10)
    assert produce(broker, index) == errors.NONE
    for _ in range(5):
        broker.advance(10)
    log = partition_of(broker, index).log
    assert places(broker, index) == MOVED
    assert (log.log_end_offset, log.flushed_offset) == (2, 2)
    assert broker.broker.alter_log_dirs._moves == {}
    assert partition_of(broker, index).future_log is None
    assert not broker.broker.timers.is_set(TIMER)
