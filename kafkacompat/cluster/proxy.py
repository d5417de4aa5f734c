"""A TCP proxy that injects faults between nodes, or between clients and a broker.

    async with Proxy(("127.0.0.1", 9092)) as proxy:     # clients connect to proxy.port
        proxy.hold(TO)                                    # requests are held until heal()

`kafkacompat.cluster.proxy_process` runs several proxies in their own process.

A fault applies to all connections or to those of one node, which is recognized by the client id of its first request
(`1`, `raft-client-1`, `broker-1-fetcher-0`). Held bytes are not lost: they arrive after `heal`, as TCP would retransmit
them after a network partition.
"""

from __future__ import annotations

import asyncio
import re
import socket
from contextlib import suppress

from kafkacompat.server.ports import bind, close_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

TO, FROM, BOTH = "to", "from", "both"
"""Directions: to the target, from it."""

READ_BYTES = 64 * 1024
HELD_PIECES_MAX = 64
"""The limit of pieces of READ_BYTES that are held in one direction of a connection; then its sender is not read."""
BACKLOG = 256
FILL_TIMEOUT_S = 0.05
_FILLERS_MAX = 8
_NODE = re.compile(r"(?:raft-client-|broker-)?(\d+)(?:-.*)?")


class Fault:
    """Bytes in `direction` are delayed by `delay_ms`, or held until the fault is healed (None).

    source: the node whose connections are affected; None for all connections.
    """

    __slots__ = ("delay_ms", "direction", "source")

    def __init__(self, direction: str, source: int | None, delay_ms: int | None) -> None:
        if direction not in (TO, FROM, BOTH):
            raise ValueError(f"{direction!r} is not a direction: use {TO}, {FROM} or {BOTH}")
        self.direction = direction
        self.source = source
        self.delay_ms = delay_ms

    def hits(self, direction: str, source: int | None) -> bool:
        """Whether the fault affects this direction of a connection of this node."""
        return self.direction in (BOTH, direction) and self.source in (None, source)


class Proxy:
    """Forwards the connections to one port to `target` (host, port)."""

    def __init__(self, target: tuple[str, int], *, host: str = "127.0.0.1", port: int = 0) -> None:
        self.target = target
        self.host = host
        self.port = port
        self._sockets: list[socket.socket] = []
        self._fillers: list[socket.socket] = []
        self._accepting = False
        self._connections: dict[_Connection, asyncio.Task[None]] = {}
        self._faults: list[Fault] = []
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Proxy:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Start to listen; `port` is known then."""
        self._bind()
        self._listen()

    async def close(self) -> None:
        """Stop listening and close all connections."""
        self._stop_listening()
        tasks = list(self._connections.values())
        self.cut()
        if tasks:
            await asyncio.wait(tasks)

    # Faults

    def heal(self) -> None:
        """End all faults. Held bytes are delivered first."""
        self._faults.clear()
        self._wake()
        if not self._accepting:
            self._stop_listening()
            self._bind()
            self._listen()

    def hold(self, direction: str = BOTH, source: int | None = None) -> None:
        """Hold bytes in this direction until `heal`, on old and new connections."""
        self._faults.append(Fault(direction, source, None))
        self._wake()

    def delay(self, delay_ms: int, direction: str = BOTH, source: int | None = None) -> None:
        """Delay bytes in this direction; their order is kept."""
        self._faults.append(Fault(direction, source, delay_ms))
        self._wake()

    def cut(self, source: int | None = None) -> None:
        """Reset the open connections; new ones are accepted."""
        for connection, task in list(self._connections.items()):
            if source in (None, connection.source):
                connection.reset()
                task.cancel()

    def refuse(self) -> None:
        """Reset open connections and refuse new ones, as a system does whose process has died."""
        self._stop_listening()
        self._bind()  # a port that is bound but does not listen refuses connections
        self.cut()

    def vanish(self) -> None:
        """Hold all bytes and leave new connections unanswered, as a system does that is cut off from the network.

        The backlog of the port is filled and not emptied, so the system drops further connection attempts.
        """
        self.hold()
        self._pause_accepting()
        for listening in self._sockets:
            listening.listen(0)
            for _ in range(_FILLERS_MAX):
                filler = socket.socket(listening.family)
                self._fillers.append(filler)
                filler.settimeout(FILL_TIMEOUT_S)
                try:
                    filler.connect(listening.getsockname())
                except TimeoutError:
                    break

    @property
    def sources(self) -> list[int | None]:
        """The nodes of the open connections; None for clients, and before the first request."""
        return [connection.source for connection in self._connections]

    # Called by connections

    async def let_pass(self, connection: _Connection, direction: str, since: float) -> None:
        """Wait until bytes that arrived at `since` (the loop's time) may be delivered in this direction."""
        loop = asyncio.get_running_loop()
        while True:
            faults = [fault for fault in self._faults if fault.hits(direction, connection.source)]
            changed = self._changed
            if any(fault.delay_ms is None for fault in faults):
                await changed.wait()
                continue
            wait_s = since + sum(fault.delay_ms or 0 for fault in faults) / 1000 - loop.time()
            if wait_s <= 0:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), wait_s)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    # The port

    def _bind(self) -> None:
        self._sockets = bind(self.host, self.port)
        self.port = self._sockets[0].getsockname()[1]

    def _listen(self) -> None:
        self._accepting = True
        for sock in self._sockets:
            sock.listen(BACKLOG)
            asyncio.get_running_loop().add_reader(sock, self._accept, sock)

    def _pause_accepting(self) -> None:
        if self._accepting:
            self._accepting = False
            for sock in self._sockets:
                asyncio.get_running_loop().remove_reader(sock)

    def _stop_listening(self) -> None:
        self._pause_accepting()
        close_all([*self._sockets, *self._fillers])
        self._sockets, self._fillers = [], []

    def _accept(self, listening: socket.socket) -> None:
        with suppress(BlockingIOError, InterruptedError, ConnectionAbortedError):
            sock, _ = listening.accept()
            sock.settimeout(0)
            connection = _Connection(self, sock)
            task = asyncio.create_task(connection.run())
            self._connections[connection] = task
            task.add_done_callback(lambda _: self._ended(connection))

    def _ended(self, connection: _Connection) -> None:
        del self._connections[connection]
        connection.close()


class _Connection:
    """A client's connection and the one to the target."""

    def __init__(self, proxy: Proxy, sock: socket.socket) -> None:
        self.source: int | None = None
        self._proxy = proxy
        self._here = sock
        self._there: socket.socket | None = None
        self._is_first = True

    def reset(self) -> None:
        """Let both ends be closed with a RST."""
        for sock in (self._here, self._there):
            if sock is not None and sock.fileno() >= 0:
                with suppress(OSError):
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    async def run(self) -> None:
        """Forward bytes until both sides have ended."""
        pumps: list[asyncio.Task[None]] = []
        try:
            there = self._there = await self._connect()
            for sock in (self._here, there):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pumps = [
                asyncio.create_task(self._pump(self._here, there, TO)),
                asyncio.create_task(self._pump(there, self._here, FROM)),
            ]
            await asyncio.gather(*pumps)
        except (OSError, asyncio.CancelledError):
            self.reset()
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)

    def close(self) -> None:
        """Close both ends."""
        close_all(sock for sock in (self._here, self._there) if sock is not None)

    async def _connect(self) -> socket.socket:
        loop = asyncio.get_running_loop()
        host, port = self._proxy.target
        sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        try:
            sock.settimeout(0)
            await loop.sock_connect(sock, (host, port))
        except BaseException:
            sock.close()
            raise
        return sock

    async def _pump(self, source: socket.socket, sink: socket.socket, direction: str) -> None:
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(HELD_PIECES_MAX)
        writing = asyncio.create_task(self._write(pieces, sink, direction))
        loop = asyncio.get_running_loop()
        try:
            while True:
                data = await loop.sock_recv(source, READ_BYTES)
                if direction == TO and self._is_first:
                    self._is_first = False
                    self.source = _node_of(data)
                await pieces.put((loop.time(), data))
                if not data:
                    break
            await writing
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

    async def _write(self, pieces: asyncio.Queue[tuple[float, bytes]], sink: socket.socket, direction: str) -> None:
        loop = asyncio.get_running_loop()
        while True:
            since, data = await pieces.get()
            await self._proxy.let_pass(self, direction, since)
            if not data:
                sink.shutdown(socket.SHUT_WR)
                return
            await loop.sock_sendall(sink, data)


def _node_of(first_bytes: bytes) -> int | None:
    """The node that sent this request, by its client id, which follows size, API key, version and correlation id."""
    size = int.from_bytes(first_bytes[12:14], "big")
    match = _NODE.fullmatch(first_bytes[14 : 14 + size].decode(errors="replace")) if len(first_bytes) > 14 else None
    return int(match[1]) if match else None
