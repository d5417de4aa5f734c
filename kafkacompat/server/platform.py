"""What a node takes from the machine it runs on: clocks, randomness, files, sockets and a thread. All of it is in one
object, so that simulated nodes can be given a machine of their own.
"""

from __future__ import annotations

import os
import random
from functools import partial

from kafkacompat.server.clock import SystemClock
from kafkacompat.server.ports import bind
from kafkacompat.server.worker import Worker, side_by_side

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    import socket
    from collections.abc import Awaitable, Callable, Sequence

    from kafkacompat.broker.network import Address
    from kafkacompat.storage.fs import Fs

    Connect = Callable[[Address, int], Awaitable[socket.socket]]


class Platform:
    """The real one."""

    def __init__(self) -> None:
        self.clock = SystemClock()

    def rng(self) -> random.Random:
        """A stream of chance that nobody can foretell."""
        return random.Random(os.urandom(16))

    def files(self, *, temporary: bool) -> Fs:
        """The file system; one that is temporary syncs nothing."""
        from kafkacompat.storage.fs import RealFs

        return RealFs(temporary=temporary)

    def bind(self, host: str, port: int) -> list[socket.socket]:
        """See ports.bind."""
        return bind(host, port)

    def worker(self, loop: asyncio.AbstractEventLoop, name: str) -> Worker:
        """A thread for what may block for long, with its results on the loop."""
        return Worker(loop, name)

    def side_by_side(self, actions: Sequence[Callable[[], None]]) -> None:
        """Carry out what may block for long, all at the same time, and return when it is done."""
        side_by_side(actions)

    def connector(self, loop: asyncio.AbstractEventLoop) -> Connect:
        """What opens sockets to other nodes: see dialing.connect."""
        from kafkacompat.server.dialing import Resolver, connect

        return partial(connect, Resolver(loop))
