"""The sockets to other nodes: implements Network (broker/network.py) with connections that are opened on demand."""

from __future__ import annotations

import asyncio
import logging

from kafkacompat.broker.network import OPEN, REFUSED, UNKNOWN, Network
from kafkacompat.server.frames import SHARED_BUFFER_BYTES
from kafkacompat.server.peer_connection import ChannelTraffic, PeerConnection, PeerRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from kafkacompat.broker.network import Address
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.server.clock import SystemClock
    from kafkacompat.server.peer_connection import Done
    from kafkacompat.server.platform import Connect

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_MS = 2_000
DIAL_TIMEOUT_MS = 500
"""A live node accepts within this time; a longer silence proves nothing."""


class Peers(Network):
    """The connections of one node to others.

    after_event: called with a start time and a description after responses were delivered, to run timers and syncs.
    connect: opens sockets, as `dialing.connect` does.
    max_response_bytes: a larger response closes its connection.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        clock: SystemClock,
        after_event: Callable[[int | None, object], None],
        *,
        connect: Connect,
        max_response_bytes: int,
    ) -> None:
        self.loop = loop
        self.clock = clock
        self._after_event = after_event
        self._began_ms: int | None = None  # the time of the first response in this turn
        self.max_response_bytes = max_response_bytes
        self.shared_buffer = bytearray(SHARED_BUFFER_BYTES)
        self._connect = connect
        self._connections: dict[tuple[Address, str], PeerConnection] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._connecting: dict[asyncio.Task[None], None] = {}  # those that may still be cancelled, in order
        self._is_closed = False
        self._traffic: dict[str, ChannelTraffic] = {}

    def __len__(self) -> int:
        """The number of connections that are open or being opened."""
        return len(self._connections)

    @property
    def own_addresses(self) -> set[str]:
        """From where to where each of its connections is open, as `ClientConnection.ends` has it."""
        return {connection.own_address for connection in self._connections.values()}

    # The Network

    def send(
        self,
        to: Address,
        channel: str,
        client_id: str,
        api_key: int,
        version: int,
        request: Message,
        timeout_ms: int,
        done: Done,
    ) -> None:
        """See Network."""
        deadline_ms = self.clock.now().monotonic_ms + timeout_ms
        outgoing = PeerRequest(client_id, api_key, version, request, deadline_ms, done)
        if self._is_closed:
            self.fail([outgoing])
            return
        connection = self._connections.get((to, channel))
        if connection is None:
            connection = self._connections[to, channel] = PeerConnection(self, to, channel)
            self._run(self._open(connection))
        if not connection.accept(outgoing):
            log.warning("a request failed: too many others wait for the %r", connection)
            self.fail([outgoing])

    def close_channel(self, to: Address, channel: str) -> None:
        """See Network."""
        connection = self._connections.get((to, channel))
        if connection is not None:
            connection.close("it is no longer needed")

    def dial(self, to: Address, done: Callable[[str, Now], None]) -> None:
        """See Network."""
        if not self._is_closed:
            self._run(self._dial(to, done))

    async def close(self) -> None:
        """Close all connections. Unanswered and later requests fail; dials are dropped."""
        self._is_closed = True
        for connection in list(self._connections.values()):
            connection.close("the node stops")
        for task in list(self._connecting):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await asyncio.sleep(0)  # lets the failures be delivered and the sockets close

    def traffic_of(self, channel: str) -> ChannelTraffic:
        """What went over a channel, to all nodes."""
        return self._traffic.setdefault(channel, ChannelTraffic())

    # What connections call

    def answer(self, request: PeerRequest, response: object | None) -> None:
        """Deliver a response; an exception in its callback is logged and harms no other request."""
        now = self.clock.now()
        if self._began_ms is None:
            self._began_ms = now.monotonic_ms
        try:
            request.done(response, now)
        except Exception:
            log.exception("a bug: handling the response to a request with API key %d failed", request.api_key)

    def after_event(self) -> None:
        """All responses of this turn are delivered."""
        began_ms, self._began_ms = self._began_ms, None
        self._after_event(began_ms, "an answer of another node")

    def fail(self, requests: Sequence[PeerRequest]) -> None:
        """Let the requests fail, in a later turn of the loop."""
        if requests:
            self.loop.call_soon(self._fail_now, requests)

    def closed(self, connection: PeerConnection, unanswered: Sequence[PeerRequest]) -> None:
        """Remove a closed connection: the next request opens another one."""
        key = (connection.to, connection.channel)
        if self._connections.get(key) is connection:
            del self._connections[key]
        self.fail(unanswered)

    def _fail_now(self, requests: Sequence[PeerRequest]) -> None:
        for request in requests:
            self.answer(request, None)
        self.after_event()

    # Opening sockets

    def _run(self, coroutine: Coroutine[None, None, None]) -> None:
        task: asyncio.Task[None] = self.loop.create_task(coroutine)
        self._tasks.add(task)
        self._connecting[task] = None
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._connecting.pop(task, None)

    async def _open(self, connection: PeerConnection) -> None:
        try:
            sock = await self._connect(connection.to, CONNECT_TIMEOUT_MS)
            if connection.is_closed:
                sock.close()
                return
            # From here on it must not be cancelled: with uvloop that leaves two owners of one descriptor.
            self._connecting.pop(asyncio.current_task(), None)  # type: ignore[arg-type]
            transport, _ = await self.loop.create_connection(lambda: connection, sock=sock)
        except Exception as error:  # noqa: BLE001 (a host name that cannot be one is no OSError)
            connection.close(f"it cannot be opened: {error}")
        else:
            connection.opened(transport)

    async def _dial(self, to: Address, done: Callable[[str, Now], None]) -> None:
        outcome = UNKNOWN
        try:
            async with asyncio.timeout(DIAL_TIMEOUT_MS / 1000):
                sock = await self._connect(to, DIAL_TIMEOUT_MS)
            sock.close()
            outcome = OPEN
        except ConnectionRefusedError:
            outcome = REFUSED
        except Exception as error:  # noqa: BLE001 (a host name that cannot be one is no OSError)
            log.debug("dialing %r failed: %s", to, error)
        try:
            done(outcome, self.clock.now())
        except Exception:
            log.exception("a bug: handling the outcome of dialing %r failed", to)
        self.after_event()
