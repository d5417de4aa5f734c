"""Slices straight from a file: what the kernel does not have in memory is read by a thread first."""

from __future__ import annotations

import asyncio
import os
import socket
from collections import deque
from pathlib import Path

import pytest

from kafkacompat.server import direct
from kafkacompat.server.direct import PIECE_BYTES, DirectWriter
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.slices import Slice

SIZE_BYTES = 3 * PIECE_BYTES + 1000
pytestmark = pytest.mark.skipif(
    not direct.HAS_SENDFILE or direct._NOWAIT is None, reason="the system cannot tell what it has in memory"
)


class World:
    """A writer on one end of a pair of sockets, a reader at the other; reads are done when a test says so."""

    def __init__(self, path: Path) -> None:
        self.data = os.urandom(SIZE_BYTES)
        path.write_bytes(self.data)
        self.loop = asyncio.get_running_loop()
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.near = socket.create_connection(listening.getsockname())
            self.far, _ = listening.accept()
        for end in (self.near, self.far):
            end.setblocking(False)
        self.reads: list = []
        self.asked: list[tuple[int, int]] = []
        self.slice = Slice(FileCache(RealFs()).file(str(path)), 0, SIZE_BYTES)
        self.parts: deque = deque([b"head", self.slice, b"", b"tail"])
        self.at = 0
        self.writer = DirectWriter(self.loop, self.near.fileno(), self.go_on, self.read_ahead)

    def read_ahead(self, run, done) -> None:
        self.asked.append(run.args[1:])
        self.reads.append((run, done))

    def go_on(self) -> None:
        if self.parts:
            self.at = self.writer.send(self.parts, self.at)

    async def receive(self, at_least: int) -> bytes:
        found = bytearray()
        while len(found) < at_least:
            found += await asyncio.wait_for(self.loop.sock_recv(self.far, 1 << 20), 30)
        return bytes(found)

    def close(self) -> None:
        self.writer.close()
        self.near.close()
        self.far.close()


async def test_what_is_in_memory_is_sent_at_once(tmp_path: Path) -> None:
    world = World(tmp_path / "f")
    world.go_on()
    assert await world.receive(SIZE_BYTES + 8) == b"head" + world.data + b"tail"
    assert world.asked == []
    world.close()


async def test_what_is_not_is_read_first_a_piece_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "_is_cached", lambda _fd, _position: False)
    world = World(tmp_path / "f")
    world.go_on()
    received = await world.receive(4)
    while world.reads:
        assert len(world.reads) == 1
        world.go_on()  # whoever flushes meanwhile sends nothing that would have to wait
        run, done = world.reads.pop()
        run()
        done()
        while world.parts and not world.reads:  # the socket takes it bit by bit
            received += await world.receive(1)
    received += await world.receive(SIZE_BYTES + 8 - len(received))
    assert received == b"head" + world.data + b"tail"
    assert world.asked == [(n * PIECE_BYTES, min(PIECE_BYTES, SIZE_BYTES - n * PIECE_BYTES)) for n in range(4)]
    world.close()


async def test_a_file_that_left_the_memory_is_asked_for(tmp_path: Path) -> None:
    world = World(tmp_path / "f")
    fd = world.slice.fileno()
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    if direct._is_cached(fd, 0):
        pytest.skip("the file system keeps it, or cannot tell")
    world.go_on()
    assert world.asked[0] == (0, PIECE_BYTES)
    run, done = world.reads.pop()
    run()
    assert direct._is_cached(fd, PIECE_BYTES - 1)
    done()
    world.close()


async def test_nothing_happens_when_the_connection_went_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(direct, "_is_cached", lambda _fd, _position: False)
    world = World(tmp_path / "f")
    world.go_on()
    run, done = world.reads.pop()
    world.close()
    world.slice.release()
    run()
    done()
    assert world.reads == []
