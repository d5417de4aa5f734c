"""Very many connections at once: silent ones, busy ones, and such that send a byte now and then (slowloris)."""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from kafkacompat.server.descriptors import raise_limit
from tests.robustness.client import batch_of, fetch_request, frame_of, produce_request
from tests.robustness.live import CANARY, Server, watched

DROPPED_WITHIN_S = 40.0
ANSWER_TIMEOUT_S = 20.0
RSS_KB_MAX = 25.0
"""Of memory for each connection that is silent."""
BUSY_PAUSE_S = 1.0
OPENED_AT_ONCE = 100
HELLO = frame_of(ApiVersionsRequest("kafkacompat", "1"), 3)


class Peer:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.slowest_s = 0.0

    async def ask(self, frame: bytes) -> None:
        """Raises what asyncio raises when there is no answer."""
        began = time.monotonic()
        self.writer.write(frame)
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            (size,) = struct.unpack(">i", await self.reader.readexactly(4))
            await self.reader.readexactly(size)
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)

    async def work(self, until: asyncio.Event) -> None:
        """Write and read, again and again."""
        produce = frame_of(produce_request(CANARY, batch_of(b"busy")), 9)
        fetch = frame_of(fetch_request(CANARY, 0, 1000), 12)
        while not until.is_set():
            await self.ask(produce)
            await self.ask(fetch)
            await asyncio.sleep(BUSY_PAUSE_S)

    async def trickle(self) -> float:
        """A byte of a request in a second, until the connection is closed; the seconds that took."""
        began = time.monotonic()
        endless = struct.pack(">i", 10_000) + bytes(10_000)
        end = asyncio.create_task(self.reader.read())
        for at in range(len(endless)):
            with suppress(ConnectionError):
                self.writer.write(endless[at : at + 1])
            done, _ = await asyncio.wait([end], timeout=1.0)
            if done or time.monotonic() - began > 2 * DROPPED_WITHIN_S:
                break
        end.cancel()
        with suppress(ConnectionError, asyncio.CancelledError):
            await end
        return time.monotonic() - began


async def connect(port: int, count: int, *, hello: bool = True) -> list[Peer]:
    """So many connections, which have said hello, or nothing."""
    peers: list[Peer] = []
    while len(peers) < count:
        some = min(OPENED_AT_ONCE, count - len(peers))
        opened = await asyncio.gather(*(asyncio.open_connection("127.0.0.1", port) for _ in range(some)))
        new = [Peer(*each) for each in opened]
        if hello:
            await asyncio.gather(*(peer.ask(HELLO) for peer in new))
        peers += new
    return peers


async def _come_and_go(port: int) -> None:
    close(await connect(port, OPENED_AT_ONCE))


def close(peers: Sequence[Peer]) -> None:
    for peer in peers:
        peer.writer.transport.abort()


def run(server: Server, idle: int, active: int, slow: int) -> tuple[list[str], str]:
    """What is wrong, and what was seen."""
    raise_limit()
    warm_up = partial(asyncio.run, _come_and_go(server.port))
    with watched(server, pause_s=0.2, warm_up=warm_up) as (canary, growth):
        found, seen = asyncio.run(_run(server, idle, active, slow))
    seen += f"; canary: p99 {canary.p99_s * 1000:.0f} ms; memory +{growth.most_mb:.1f} MB at most"
    return found, seen


async def _run(server: Server, idle: int, active: int, slow: int) -> tuple[list[str], str]:
    found: list[str] = []
    before_mb = server.rss_mb
    silent = await connect(server.port, idle)
    kb = (server.rss_mb - before_mb) * 1024 / max(1, idle)
    over = asyncio.Event()
    busy = await connect(server.port, active)
    work = [asyncio.create_task(peer.work(over)) for peer in busy]
    # half of them have been clients before
    slowlorises = [*await connect(server.port, slow // 2), *await connect(server.port, slow - slow // 2, hello=False)]
    dropped_s = await asyncio.gather(*(peer.trickle() for peer in slowlorises))
    over.set()
    failed = [each for each in await asyncio.gather(*work, return_exceptions=True) if each is not None]
    if kb > RSS_KB_MAX:
        found.append(f"{kb:.1f} kB of memory for a connection")
    if failed:
        found.append(f"{len(failed)} busy connections failed, one with {failed[0]!r}")
    late = [took_s for took_s in dropped_s if took_s > DROPPED_WITHIN_S]
    if late:
        found.append(f"{len(late)} slow connections were not closed within {DROPPED_WITHIN_S:g} s")
    for peer in silent:  # they are as they were
        try:
            await peer.ask(HELLO)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            found.append(f"a silent connection is gone: {error!r}")
            break
    close([*silent, *busy, *slowlorises])
    slowest_s = max((peer.slowest_s for peer in busy), default=0.0)
    return found, (
        f"{idle} idle connections of {kb:.1f} kB each, {active} active, slowest answer {slowest_s * 1000:.0f} ms, "
        f"{slow} slow ones closed after {max(dropped_s, default=0.0):.0f} s at most"
    )
