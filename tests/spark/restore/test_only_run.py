"""Locks of imports."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from kafkacompat.spark.archives.archive_spec import ArchiveError
from kafkacompat.spark.restore import only_run as module
from kafkacompat.spark.restore.only_run import only_run
from kafkacompat.storage.fs import lock_descriptor


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    target = str(tmp_path / "data")
    with only_run(target):
        with pytest.raises(ArchiveError, match=r"another run writes .*data"), only_run(target):
            pass
        with only_run(f"{target}-other"):
            pass
    with only_run(target):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_leaves_no_lock(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), only_run(str(tmp_path / "data")):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_ends_between_the_opening_and_the_lock_lets_one_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that was opened has no name any more: a third run would make a new one, and lock that."""
    target, first = str(tmp_path / "data"), ExitStack()
    first.enter_context(only_run(target))

    def lock(fd: int) -> None:
        first.close()
        lock_descriptor(fd)

    monkeypatch.setattr(module, "lock_descriptor", lock)
    with only_run(target), pytest.raises(ArchiveError, match="another run"), only_run(target):
        pass
    assert list(tmp_path.iterdir()) == []


def test_runs_that_end_again_and_again_keep_nobody_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "data.importing.lock"
    monkeypatch.setattr(module, "lock_descriptor", lambda _fd: lock.unlink())
    with pytest.raises(ArchiveError, match="another run"), only_run(str(tmp_path / "data")):
        pass
