"""Directories that a reset sets aside: emptied at once, removed on a thread."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from kafkacompat.server import discarded as module
from kafkacompat.server.discarded import DISCARDED_MAX, DiscardedDirectories
from kafkacompat.server.worker import Worker
from tests.waiting import until


def in_use(path: Path) -> Path:
    (path / "orders-0").mkdir(parents=True)
    (path / "orders-0" / "0.log").write_bytes(b"a batch")
    return path


async def test_a_directory_is_empty_at_once_and_the_former_one_is_gone_at_the_stop(tmp_path: Path) -> None:
    path = in_use(tmp_path / "data")
    discarded = DiscardedDirectories(lambda: Worker(asyncio.get_running_loop(), "test"))
    for _ in range(3):
        await discarded.room()
        discarded.discard(str(path))
        assert list(path.iterdir()) == []
        assert path.stat().st_mode & 0o777 == 0o700
        in_use(path)
    discarded.stop()
    assert [each.name for each in tmp_path.iterdir()] == ["data"]


async def test_a_reset_waits_while_too_many_wait_for_their_removal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_remove = threading.Event()
    monkeypatch.setattr(module, "_remove", lambda path: (may_remove.wait(30), Path(path).rmdir()))
    path = tmp_path / "data"
    path.mkdir()
    discarded = DiscardedDirectories(lambda: Worker(asyncio.get_running_loop(), "test"))
    for _ in range(DISCARDED_MAX):
        await discarded.room()
        discarded.discard(str(path))
        discarded.remove()
    room = asyncio.ensure_future(discarded.room())
    await asyncio.sleep(0)
    assert not room.done()
    may_remove.set()
    await room
    await until(lambda: len(list(tmp_path.iterdir())) == 1)
    discarded.stop()
