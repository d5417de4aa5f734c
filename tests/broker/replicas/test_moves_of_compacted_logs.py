"""Up to where a log counts as compacted after it has moved to another log directory."""

from __future__ import annotations

import errno

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.storage.checkpoints import CLEANER_FILE, readable_offsets
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.offset_checkpoints import OffsetCheckpoints
from tests.broker.harness import BrokerHarness
from tests.broker.replicas.test_replica_alter_log_dirs import alter, places, until, wait
from tests.broker.test_several_directories import harness, produce

KEY = ("t", 0)
MOVED = {"/b": (False, 0)}


def begin(fs: MemFs, compacted_to: int | None, policy: str = "compact") -> BrokerHarness:
    """A replica in /a with three records, which is compacted up to there."""
    broker = harness(fs)
    broker.create_topic("t", 1, cleanup_policy=policy)
    assert [produce(broker, 0) for _ in range(3)] == [errors.NONE] * 3
    wait(broker, 20)
    if compacted_to is not None:
        note(broker, 0, compacted_to)
    return broker


def note(broker: BrokerHarness, number: int, offset: int) -> None:
    """A pass of compaction over the log in this directory has ended."""
    broker.broker.logs.directories[number].checkpoints.note_cleaner_offset(KEY, offset)


def compacted(broker: BrokerHarness) -> list[int | None]:
    return [each.checkpoints.cleaner_offset(KEY) for each in broker.broker.logs.directories]


def written(fs: MemFs) -> list[int | None]:
    """What Apache Kafka would find: its cleaner ends when two directories name the partition."""
    return [(readable_offsets(fs, f"/{name}/{CLEANER_FILE}") or {}).get(KEY) for name in "abc"]


def test_a_pass_that_ends_while_the_log_is_copied_does_not_count_for_the_copy() -> None:
    broker = begin(MemFs(), 1)
    assert alter(broker, "/b", 0) == [errors.NONE]
    note(broker, 0, 3)
    assert compacted(broker) == [3, None, None]
    wait(broker)
    assert places(broker, 0) == MOVED
    assert compacted(broker) == [None, 1, None]


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_copy_that_a_start_finds_is_compacted_anew(is_killed: bool) -> None:
    """Its log may have been compacted since, and the copy has what was there before."""
    fs = MemFs()
    broker = begin(fs, 1)
    broker.broker.directory_assignments._is_asking = True  # and never ends, so that nothing is swapped
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker)
    broker.advance(70_000)
    broker.close(clean=not is_killed)
    if is_killed:
        fs.restart()
    assert written(fs) == [1, None, None]
    broker = harness(fs, seed=2)
    wait(broker)
    assert places(broker, 0) == MOVED
    assert compacted(broker) == [None, None, None]


def test_what_a_swap_has_noted_that_a_loss_of_power_has_undone_does_not_count() -> None:
    fs = MemFs()
    broker = begin(fs, 1)
    broker.broker.directory_assignments._is_asking = True  # and never ends, so that nothing is swapped
    assert alter(broker, "/b", 0) == [errors.NONE]
    note(broker, 1, 1)
    broker.close()
    broker = harness(fs, seed=2)
    until(broker, lambda: compacted(broker)[1] is None)
    wait(broker)
    assert places(broker, 0) == MOVED
    assert compacted(broker) == [None, None, None]


def test_no_two_directories_name_the_partition_at_any_time() -> None:
    fs = MemFs()
    broker = begin(fs, 2)
    broker.advance(70_000)
    assert written(fs) == [2, None, None]
    assert alter(broker, "/b", 0) == [errors.NONE]
    for _ in range(100):
        broker.advance(10)
        for directory in reversed(broker.broker.logs.directories):
            directory.checkpoints.publish()
            directory.checkpoints.write()
            assert sum(each is not None for each in written(fs)) < 2
    assert places(broker, 0) == MOVED
    assert written(fs) == [None, 2, None]


@pytest.mark.parametrize(("number", "is_offline"), [(errno.EIO, True), (errno.EMFILE, False)])
def test_the_swap_waits_until_the_file_of_the_old_directory_is_written(number: int, is_offline: bool) -> None:
    fs = MemFs()
    broker = begin(fs, 2)
    broker.advance(70_000)
    fs.fail_next(lambda operation: operation[0] == "open" and operation[1].startswith(f"/a/{CLEANER_FILE}"), number)
    assert alter(broker, "/b", 0) == [errors.NONE]
    wait(broker, 10)
    assert places(broker, 0) == {"/b": (True, 0)} | ({} if is_offline else {"/a": (False, 0)})
    wait(broker, 80)
    assert [each.path for each in broker.broker.logs.offline_directories] == (["/a"] if is_offline else [])
    if not is_offline:
        assert places(broker, 0) == MOVED
        assert compacted(broker) == [None, 2, None]
    assert broker.broker.alter_log_dirs.busy_count == 0


@pytest.mark.parametrize("is_noted", [True, False])
def test_a_copy_is_not_cleaner_than_its_log_that_was_truncated(is_noted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is copied from there on was never compacted."""
    broker = begin(MemFs(), 3)
    manager = broker.broker.alter_log_dirs
    partition = broker.broker.partitions.get(*KEY)
    assert partition is not None
    with monkeypatch.context() as held:
        held.setattr(manager, "_is_throttled", lambda _now: True)
        assert alter(broker, "/b", 0) == [errors.NONE]
        wait(broker, 5)
    if is_noted:
        note(broker, 0, 1)
    else:  # it is about to be
        monkeypatch.setattr(OffsetCheckpoints, "lower", lambda *_: False)
        partition.log.truncate_to(1)
        partition.high_watermark = 1
    wait(broker)
    assert places(broker, 0) == MOVED
    assert compacted(broker) == [None, 1, None]


def test_a_log_that_was_not_compacted_before_is_not_after_it() -> None:
    broker = begin(MemFs(), None)
    assert alter(broker, "/b", 0) == [errors.NONE]
    note(broker, 0, 3)
    wait(broker)
    assert places(broker, 0) == MOVED
    assert compacted(broker) == [None, None, None]


@pytest.mark.parametrize(("policy", "expected"), [("compact", 2), ("delete", None)])
def test_what_was_compacted_before_the_move_counts_behind_it(policy: str, expected: int | None) -> None:
    broker = begin(MemFs(), 2 if policy == "compact" else None, policy)
    for path, number in (("/b", 1), ("/c", 2)):
        assert alter(broker, path, 0) == [errors.NONE]
        wait(broker)
        assert places(broker, 0) == {path: (False, 0)}
        assert compacted(broker) == [expected if each == number else None for each in range(3)]
