"""All connections of one broker: what they share, how many there may be, and the one sweep over them."""

from __future__ import annotations

import logging
from collections import Counter

from kafkacompat.broker.context import Connection
from kafkacompat.server.budget import RequestBudget
from kafkacompat.server.connection import ClientConnection
from kafkacompat.server.frames import SHARED_BUFFER_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from kafkacompat.now import Now
    from kafkacompat.server.clock import SystemClock
    from kafkacompat.server.limits import Limits

    Reply = Callable[[list[object] | None], None]
    Dispatch = Callable[[bytes | bytearray, Connection, Now, Reply], None]

log = logging.getLogger(__name__)


class Connections:
    """Made once for each broker.

    dispatch: answers one frame (`Broker.dispatch`).
    disconnected: told once for every connection that ended.
    turn_ended: called after requests were dispatched, so that timers and syncs can be looked at.
    capacity: how many connections the process has file descriptors for.
    """

    def __init__(
        self,
        *,
        loop: asyncio.AbstractEventLoop,
        clock: SystemClock,
        limits: Limits,
        dispatch: Dispatch,
        disconnected: Callable[[Connection, Now], None],
        turn_ended: Callable[[], None],
        capacity: int,
    ) -> None:
        self.loop = loop
        self.clock = clock
        self.limits = limits
        self.dispatch = dispatch
        self.turn_ended = turn_ended
        self.budget = RequestBudget(limits.request_budget_bytes)
        self.shared_buffer = bytearray(SHARED_BUFFER_BYTES)
        self.on_room: Callable[[], None] = lambda: None  # a connection ended: accepting may go on
        self._disconnected = disconnected
        self._capacity = min(capacity, limits.max_connections)
        self._next_id = 0
        self._open: dict[ClientConnection, None] = {}
        self._admitted: Counter[str] = Counter()  # by address, from accept to loss
        self._sweep_timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        """How many connections are open."""
        return len(self._open)

    @property
    def has_room(self) -> bool:
        """Whether another connection may be accepted now (Kafka's max.connections waits, too)."""
        return self._admitted.total() < self._capacity

    def admit(self, address: str, listener: str) -> ClientConnection | None:
        """The protocol object for a new connection; None when its address has too many (it is to be closed)."""
        if self._admitted[address] >= self.limits.connections_from(address):
            log.info("closing a connection from %s: it has %d already", address, self._admitted[address])
            return None
        self._admitted[address] += 1
        self._next_id += 1
        return ClientConnection(self, Connection(self._next_id, address, listener), self.clock.now())

    def refused(self, connection: ClientConnection) -> None:
        """An admitted connection never opened."""
        address = connection.state.client_host
        self._admitted[address] -= 1
        if not self._admitted[address]:
            del self._admitted[address]
        self.on_room()

    def opened(self, connection: ClientConnection) -> None:
        """Called by the connection when its socket is there."""
        self._open[connection] = None
        if self._sweep_timer is None:
            self._sweep_timer = self.loop.call_later(self.limits.sweep_interval_ms / 1000, self._sweep)

    def lost(self, connection: ClientConnection) -> None:
        """Called by the connection when its socket is gone."""
        self._open.pop(connection, None)
        try:
            self._disconnected(connection.state, self.clock.now())
        except Exception:
            log.exception("a bug: the end of %r was not handled", connection)
        self.refused(connection)
        self.turn_ended()

    def close_all(self, *, abort: bool) -> None:
        """Close every connection: after what is on its way, or at once."""
        for connection in list(self._open):
            connection.close("the broker stops", abort=abort)

    def stop_sweeping(self) -> None:
        """Leave no timer behind."""
        if self._sweep_timer is not None:
            self._sweep_timer.cancel()
            self._sweep_timer = None

    def _sweep(self) -> None:
        self._sweep_timer = None
        now = self.clock.now()
        for connection in list(self._open):
            connection.sweep(now)
        if self._open:
            self._sweep_timer = self.loop.call_later(self.limits.sweep_interval_ms / 1000, self._sweep)
