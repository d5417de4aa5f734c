"""Waiting in tests: for what must happen, with a deadline, or for an event later than one that must not happen.

A fixed sleep before "nothing has happened" passes on a slow machine whatever the code does. A later event that was
served shows that the earlier one had its chance.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

DEADLINE_S = 30
PAUSE_S = 0.005
LATER_ROUNDS = 3
"""What one event sets off may take another turn of the loop or two."""


def wait_until(condition: Callable[[], object], timeout_s: float = DEADLINE_S, what: object = "") -> float:
    """Wait for it; the seconds that took. `what` says what was waited for, or is called to say so."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > timeout_s:
            raise AssertionError(f"not within {timeout_s} s: {what() if callable(what) else what or condition}")
        pause()
    return time.monotonic() - began


def pause() -> None:
    """Before a caller that has a deadline looks again."""
    time.sleep(PAUSE_S)


async def until(condition: Callable[[], object], timeout_s: float = DEADLINE_S) -> None:
    """The same while the loop goes on."""
    async with asyncio.timeout(timeout_s):
        while not condition():
            await asyncio.sleep(PAUSE_S)


async def later_event() -> None:
    """Ask a server of our own on this loop, over the same kind of socket: what reached another socket of the loop
    before has been served now, or never will be.
    """

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1):
            writer.write(data)
        writer.close()
        ended.set_result(None)

    ended = asyncio.get_running_loop().create_future()
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    try:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        for _ in range(LATER_ROUNDS):
            writer.write(b"?")
            assert await asyncio.wait_for(reader.readexactly(1), DEADLINE_S) == b"?"
        writer.close()
        await writer.wait_closed()
        await ended
    finally:
        server.close()
