"""What a node uses of its system: clocks, randomness, files, sockets and threads. Simulations pass in another one."""

from __future__ import annotations

import os
import random
from functools import partial

from kafkacompat.server.clock import SystemClock
from kafkacompat.server.ports import bind
from kafkacompat.server.worker import Worker, run_concurrently

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    import socket
    from collections.abc import Awaitable, Callable, Sequence

    from kafkacompat.broker.network import Address
    from kafkacompat.storage.fs import Fs

    Connect = Callable[[Address, int], Awaitable[socket.socket]]


class Platform:
    """The real system. is_read_only: whether `files` writes nothing."""

    is_read_only = False

    def __init__(self) -> None:
        self.clock = SystemClock()
        self.temporary_files: Callable[[], Fs] | None = None
        """Makes the file system of temporary data; None: any process may read them."""
        self.memory_max_bytes: int | None = None
        """The most that the files of each node take where they are in memory."""

    def rng(self) -> random.Random:
        """A random generator with an unpredictable seed."""
        return random.Random(os.urandom(16))

    def files(self, *, temporary: bool, directories: Sequence[str] = ()) -> Fs:
        """The file system for the directories of a node; a temporary one never syncs."""
        if self.memory_max_bytes is not None:
            from kafkacompat.server.limited_fs import LimitedFs

            return LimitedFs(self.memory_max_bytes, "max_bytes", directories)
        if temporary and self.temporary_files is not None:
            return self.temporary_files()
        from kafkacompat.storage.fs import RealFs

        return RealFs(temporary=temporary)

    def bind(self, host: str, port: int) -> list[socket.socket]:
        """See ports.bind."""
        return bind(host, port)

    def worker(self, loop: asyncio.AbstractEventLoop, name: str) -> Worker:
        """A background thread that delivers its results on the loop."""
        return Worker(loop, name)

    def run_concurrently(self, actions: Sequence[Callable[[], None]]) -> None:
        """Run actions concurrently, and return when all are done."""
        run_concurrently(actions)

    def connector(self, loop: asyncio.AbstractEventLoop) -> Connect:
        """A function that opens sockets to other nodes, see dialing.connect."""
        from kafkacompat.server.dialing import Resolver, connect

        return partial(connect, Resolver(loop))
