"""Machines connected by sockets. Data arrives in order, with delay, in pieces; a cut link holds it back, as TCP
retransmits. The kernel of a machine answers for processes that are paused or have ended.
"""

from __future__ import annotations

import asyncio
import errno
from collections import deque
from typing import TYPE_CHECKING, Any

from tests.sim.world import MS, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.network import Address
    from tests.sim.virtual_loop import ProcessLoop
    from tests.sim.world import World

END, RESET = "end", "reset"
AGAIN_US = 100 * MS
"""The interval of TCP's retransmissions over a cut link; the first packet is retransmitted after a second."""


class Jumps:
    """By how much the clocks of all nodes were moved, as `Cluster.clock` moves them."""

    def __init__(self) -> None:
        self.wall_ms = self.life_ms = 0


class Host:
    """A machine. `loop` is the event loop of its process."""

    def __init__(self, internet: Internet, name: str) -> None:
        self.name = name
        self.internet = internet
        self.loop: ProcessLoop | None = None
        self.has_power = True
        self.listening: dict[int, ListeningSocket] = {}
        self.ends: dict[End, None] = {}
        internet.hosts[name] = self
        self.address = f"10.0.0.{len(internet.hosts)}"
        self.graves: list[ProcessLoop] = []

    def process_ended(self) -> None:
        """The kernel closes what the process had open; without power there is no kernel."""
        if self.loop is not None:
            self.graves.append(self.loop)
            self.loop.drop()
            self.loop = None
        self.listening.clear()
        ends, self.ends = list(self.ends), {}
        for end in ends:
            end.loop = None
            if self.has_power:
                end.send(END)
            else:
                end.wire.clear()


class Internet:
    """Links are pairs of names; those in `cut` carry nothing in that direction."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rng = world.rng("internet")
        self.hosts: dict[str, Host] = {}
        self.jumps = Jumps()
        self.cut: set[tuple[str, str]] = set()
        self.tap: Callable[[End, bytes], bool] | None = None
        """Told all data that is sent, at its sender's end. Returns whether the data is lost."""
        self.delay_max_us = 2 * MS
        self.tail_us = 0

    def delay(self) -> int:
        if self.tail_us and self.rng.random() < 0.01:
            return self.rng.randrange(self.tail_us)
        return self.rng.randrange(50, self.delay_max_us)

    def carries(self, one: str, other: str) -> bool:
        return (one, other) not in self.cut and self.hosts[other].has_power

    def reset_some(self, one: str, other: str) -> None:
        """Reset the connections between two machines, on both sides."""
        for end in list(self.hosts[one].ends):
            if end.peer.host.name == other:
                end.reset()

    # --- opening ---

    async def connect(self, host: Host, to: Address, timeout_ms: int) -> Socket:
        """As dialing.connect: raises TimeoutError, ConnectionRefusedError."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Socket] = loop.create_future()
        self._knock(host, to, future)
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                return await future
        except BaseException:
            if future.done() and not future.cancelled() and future.exception() is None:
                future.result().close()  # it came in the very turn in which nobody wants it any more
            raise

    def _knock(self, host: Host, to: Address, future: asyncio.Future[Socket]) -> None:
        self.world.after(self.delay(), self._knocked, host, to, future)
        self.world.after(SECOND, self._knock_again, host, to, future)

    def _knock_again(self, host: Host, to: Address, future: asyncio.Future[Socket]) -> None:
        if not future.done() and host.loop is future.get_loop():
            self._knock(host, to, future)

    def _knocked(self, host: Host, to: Address, future: asyncio.Future[Socket]) -> None:
        if host.loop is not future.get_loop() or not self.carries(host.name, to.host):
            return
        there = self.hosts[to.host]
        listening = there.listening.get(to.port)
        if listening is None:
            refused = ConnectionRefusedError(errno.ECONNREFUSED, "refused")
            self.world.after(self.delay(), self._told, there, host, future, refused)
            return
        here, other = End(host, host.loop), End(there, there.loop)
        here.peer, other.peer = other, here
        there.ends[other] = None
        listening.arrived(Socket(other))
        self.world.after(self.delay(), self._told, there, host, future, Socket(here))

    def _told(self, there: Host, host: Host, future: asyncio.Future[Socket], what: Socket | OSError) -> None:
        if host.loop is future.get_loop() and self.carries(there.name, host.name) and there.has_power:
            host.loop.inject(_settle, future, what)
        elif isinstance(what, Socket):
            what.close()  # whoever knocks does so again


def _settle(future: asyncio.Future[Socket], what: Socket | OSError) -> None:
    if future.done():
        if isinstance(what, Socket):
            what.close()
    elif isinstance(what, Socket):
        what.opened()
        future.set_result(what)
    else:
        future.set_exception(what)


class End:
    """One end of a connection. `wire` has the data sent and not yet received."""

    def __init__(self, host: Host, loop: ProcessLoop | None) -> None:
        self.host = host
        self.loop = loop
        self.transport: Transport | None = None
        self.early: list[bytes | str] = []  # came before there was a transport
        self.wire: deque[tuple[int, bytes | str]] = deque()
        self.is_open = True
        self.peer: End

    def send(self, what: bytes | str) -> None:
        internet = self.host.internet
        if internet.tap is not None and isinstance(what, bytes) and internet.tap(self, what):
            return
        world = internet.world
        arrives_us = world.now_us + internet.delay()
        if self.wire:
            arrives_us = max(arrives_us, self.wire[-1][0])
        self.wire.append((arrives_us, what))
        if len(self.wire) == 1:
            world.after(arrives_us - world.now_us, self._carry)

    def _carry(self) -> None:
        """Deliver due data in order, or retry later."""
        internet = self.host.internet
        world, wire = internet.world, self.wire
        if not wire:
            return
        if not internet.carries(self.host.name, self.peer.host.name) or not self.host.has_power:
            world.after(AGAIN_US, self._carry)
            return
        while wire and wire[0][0] <= world.now_us:
            _, what = wire.popleft()
            self.peer.got(what)
        if wire:
            world.after(wire[0][0] - world.now_us, self._carry)

    def got(self, what: bytes | str) -> None:
        """Data has arrived. A closed end answers with a reset."""
        if self.loop is None or not self.is_open:
            if isinstance(what, bytes):
                self.send(RESET)
            return
        if self.transport is None:
            self.early.append(what)
            return
        self.loop.inject(self.transport.got, what)

    def reset(self) -> None:
        """Reset the connection, on both sides."""
        self.got(RESET)
        self.peer.got(RESET)

    def forget(self) -> None:
        """This end is closed."""
        self.is_open = False
        self.host.ends.pop(self, None)


class Socket:
    """A connected socket, with the methods that the server uses."""

    def __init__(self, end: End) -> None:
        self._end = end

    def opened(self) -> None:
        """The process that has asked for it has it."""
        self._end.host.ends[self._end] = None

    def attach(self, loop: ProcessLoop, protocol: Any) -> Transport:
        """Give it to a loop."""
        end = self._end
        if end.loop is not loop:
            raise ConnectionResetError(errno.ECONNRESET, "the process that it was for is gone")
        transport = end.transport = Transport(end, loop, protocol)
        loop.call_soon(transport.begin)
        return transport

    def settimeout(self, timeout: float | None) -> None:
        """It never blocks."""

    def setsockopt(self, *_: object) -> None:
        """It has no options."""

    def close(self) -> None:
        if self._end.is_open and self._end.loop is not None:
            self._end.forget()
            self._end.send(END)


class ListeningSocket:
    """A bound socket, which may listen."""

    def __init__(self, host: Host, port: int) -> None:
        self._host = host
        self._loop = host.loop
        self._port = port
        self._backlog: deque[Socket] = deque()

    def getsockname(self) -> tuple[str, int]:
        return self._host.name, self._port

    def listen(self, backlog: int) -> None:
        self._host.listening[self._port] = self

    def arrived(self, sock: Socket) -> None:
        self._backlog.append(sock)
        assert self._loop is not None
        self._loop.readable(self)

    @property
    def is_readable(self) -> bool:
        return bool(self._backlog)

    def accept(self) -> tuple[Socket, tuple[str, int]]:
        if not self._backlog:
            raise BlockingIOError
        sock = self._backlog.popleft()
        return sock, (sock._end.peer.host.address, 0)

    def close(self) -> None:
        if self._host.listening.get(self._port) is self:
            del self._host.listening[self._port]
        while self._backlog:
            self._backlog.popleft().close()


class _NoDescriptor:
    def fileno(self) -> int:
        raise OSError(errno.EBADF, "a simulated socket has no descriptor")


class Transport(asyncio.Transport):
    """asyncio's end of a connection. It takes whatever is written."""

    def __init__(self, end: End, loop: ProcessLoop, protocol: Any) -> None:
        super().__init__()
        self._end = end
        self._loop = loop
        self._protocol = protocol
        self._is_closing = False
        self._is_paused = False
        self._received: deque[bytes | str] = deque()

    def begin(self) -> None:
        self._protocol.connection_made(self)
        early, self._end.early = self._end.early, []
        for what in early:
            self.got(what)

    def got(self, what: bytes | str) -> None:
        """From the wire."""
        if what is RESET:
            self._lose(ConnectionResetError(errno.ECONNRESET, "reset"))
            return
        self._received.append(what)
        self._hand_on()

    def _hand_on(self) -> None:
        while self._received and not self._is_paused and not self._is_closing:
            what = self._received.popleft()
            if isinstance(what, str):
                if not self._protocol.eof_received():
                    self.close()
            else:
                self._hand_on_bytes(memoryview(what))

    def _hand_on_bytes(self, data: memoryview) -> None:
        """Sometimes in two pieces, as a frame may arrive in parts."""
        rng = self._end.host.internet.rng
        cut = rng.randrange(1, len(data)) if len(data) > 1 and rng.random() < 0.05 else len(data)
        at = 0
        while at < len(data) and not self._is_closing:
            buffer = self._protocol.get_buffer(-1)
            count = min(len(buffer), (cut if at < cut else len(data)) - at)
            buffer[:count] = data[at : at + count]
            at += count
            self._protocol.buffer_updated(count)

    def _lose(self, error: OSError | None) -> None:
        if not self._is_closing:
            self._is_closing = True
            self._end.forget()
            self._loop.call_soon(self._protocol.connection_lost, error)

    # --- asyncio.Transport ---

    def write(self, data: Any) -> None:
        if not self._is_closing:
            self._end.send(bytes(data))

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(list_of_data))

    def close(self) -> None:
        if not self._is_closing:
            self._end.send(END)
            self._lose(None)

    def abort(self) -> None:
        if not self._is_closing:
            self._end.send(RESET)
            self._lose(None)

    def is_closing(self) -> bool:
        return self._is_closing

    def pause_reading(self) -> None:
        self._is_paused = True

    def resume_reading(self) -> None:
        self._is_paused = False
        self._loop.call_soon(self._hand_on)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """There is no buffer."""

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return _NoDescriptor() if name == "socket" else default
