"""Up to where a log counts as compacted after it has moved to another log directory."""

from __future__ import annotations

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness
from tests.broker.replicas.test_replica_alter_log_dirs import alter, places, wait
from tests.broker.test_several_directories import harness, produce

KEY = ("t", 0)


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


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_pass_that_ends_while_the_log_is_copied_does_not_count_for_the_copy(is_killed: bool) -> None:
    fs = MemFs()
    broker = begin(fs, 1)
    broker.broker.directory_assignments._is_asking = True  # and never ends, so that nothing is swapped
    assert alter(broker, "/b", 0) == [errors.NONE]
    note(broker, 0, 3)
    wait(broker)
    assert compacted(broker) == [3, 1, None]
    broker.advance(70_000)
    broker.close(clean=not is_killed)
    if is_killed:
        fs.restart()
    broker = harness(fs, seed=2)
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}
    assert compacted(broker) == [None, 1, None]


def test_a_log_that_was_not_compacted_before_is_not_after_it() -> None:
    broker = begin(MemFs(), None)
    assert alter(broker, "/b", 0) == [errors.NONE]
    note(broker, 0, 3)
    wait(broker)
    assert places(broker, 0) == {"/b": (False, 0)}
    assert compacted(broker) == [None, 0, None]


@pytest.mark.parametrize(("policy", "expected"), [("compact", 2), ("delete", None)])
def test_what_was_compacted_before_the_move_counts_behind_it(policy: str, expected: int | None) -> None:
    broker = begin(MemFs(), 2 if policy == "compact" else None, policy)
    for path, number in (("/b", 1), ("/c", 2)):
        assert alter(broker, path, 0) == [errors.NONE]
        wait(broker)
        assert places(broker, 0) == {path: (False, 0)}
        assert compacted(broker) == [expected if each == number else None for each in range(3)]
