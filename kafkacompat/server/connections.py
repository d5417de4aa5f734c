"""All connections of one broker: what they share, how many there may be, and the one sweep over them."""

from __future__ import annotations

import logging
from collections import Counter
from contextlib import nullcontext

from kafkacompat.broker.connection import BROKER, Connection
from kafkacompat.server.budget import RequestBudget
from kafkacompat.server.connection import ClientConnection
from kafkacompat.server.frames import SHARED_BUFFER_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from kafkacompat.now import Now
    from kafkacompat.server.clock import SystemClock
    from kafkacompat.server.connection import CompleteEarly, Dispatch
    from kafkacompat.server.direct import ReadAhead
    from kafkacompat.server.endpoints import Binding
    from kafkacompat.server.limits import Limits

log = logging.getLogger(__name__)


class Connections:
    """Made once for each broker.

    dispatch: answers one frame (`Broker.dispatch`). complete_early: told of the one that waits behind what is in
    flight; whether it may be carried out before that is answered.
    disconnected: told once for every connection that ended.
    after_event: called after requests were dispatched, so that timers and syncs can be looked at: with the time at
    which the first of them was, and the last one's frame.
    around_large: what is to hold while a request of LARGE_FRAME_BYTES or more is carried out.
    capacity: how many connections the process has file descriptors for. for_nodes: the listeners that no client needs,
    as clients have others. reserved: how many of the descriptors are for connections on those.
    read_ahead: reads from a disk that is slow, beside the loop; None where nobody does.
    """

    def __init__(
        self,
        *,
        loop: asyncio.AbstractEventLoop,
        clock: SystemClock,
        limits: Limits,
        dispatch: Dispatch,
        complete_early: CompleteEarly,
        disconnected: Callable[[Connection, Now], None],
        after_event: Callable[[int, object], None],
        capacity: int,
        for_nodes: frozenset[str] = frozenset(),
        reserved: int = 0,
        read_ahead: ReadAhead | None = None,
    ) -> None:
        self.loop = loop
        self.clock = clock
        self.limits = limits
        self.dispatch = dispatch
        self.complete_early = complete_early
        self.after_event = after_event
        self.read_ahead = read_ahead
        self.around_large: AbstractContextManager[None] = nullcontext()
        self.budget = RequestBudget(limits.request_budget_bytes)
        self.shared_buffer = bytearray(SHARED_BUFFER_BYTES)
        self.on_room: Callable[[], None] = lambda: None  # a connection ended: accepting may go on
        self._disconnected = disconnected
        self._capacity = capacity
        self._for_nodes = for_nodes
        self._reserved = reserved
        self._next_id = 0
        self._open: dict[ClientConnection, None] = {}
        self._admitted: Counter[str] = Counter()  # by address, from accept to loss
        self._admitted_on: Counter[str] = Counter()  # by the name of the listener
        self._admitted_of: Counter[str] = Counter()  # by its kind
        self._sweep_timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        """How many connections are open."""
        return len(self._open)

    def states(self) -> Iterator[Connection]:
        """The broker's view of each open connection."""
        return (connection.state for connection in self._open)

    def has_room(self, binding: Binding) -> bool:
        """Whether another connection may be accepted there now (Kafka's max.connections waits, too).

        As in Kafka's ConnectionQuotas each listener has its limit, and there is one for all that are for brokers and
        clients, and one for all of controllers. A listener between brokers waits for no client: see `_make_room`.
        """
        listener, limits = binding.listener, self.limits
        capacity = self._capacity if listener in self._for_nodes else self._capacity - self._reserved
        if self._admitted.total() >= capacity or self._admitted_on[listener] >= limits.connections_on(listener):
            return False
        return self._is_protected(binding) or self._admitted_of[binding.kind] < limits.max_connections

    def admit(self, address: str, binding: Binding) -> ClientConnection | None:
        """The protocol object for a new connection; None when its address has too many (it is to be closed)."""
        if self._admitted[address] >= self.limits.connections_from(address):
            log.info("closing a connection from %s: it has %d already", address, self._admitted[address])
            return None
        self._admitted[address] += 1
        self._admitted_on[binding.listener] += 1
        self._admitted_of[binding.kind] += 1
        if self._is_protected(binding):
            self._make_room()
        self._next_id += 1
        state = Connection(
            self._next_id, address, binding.listener, binding.kind, is_inter_broker=binding.is_inter_broker
        )
        return ClientConnection(self, state, self.clock.now())

    def refused(self, connection: ClientConnection) -> None:
        """An admitted connection never opened."""
        address = connection.state.client_host
        self._admitted_on[connection.state.listener] -= 1
        self._admitted_of[connection.state.kind] -= 1
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
        now = self.clock.now()
        try:
            self._disconnected(connection.state, now)
        except Exception:
            log.exception("a bug: the end of %r was not handled", connection)
        self.refused(connection)
        self.after_event(now.monotonic_ms, "the end of a connection")

    def close_all(self, *, abort: bool) -> None:
        """Close every connection: after what is on its way, or at once."""
        for connection in list(self._open):
            connection.close("the broker stops", abort=abort)

    def stop_dispatching(self) -> None:
        """Begin no request any more; answers to those that were begun still go out."""
        self.dispatch = _ignore
        self.complete_early = lambda *_: False

    def stop_sweeping(self) -> None:
        """Leave no timer behind."""
        if self._sweep_timer is not None:
            self._sweep_timer.cancel()
            self._sweep_timer = None

    def _is_protected(self, binding: Binding) -> bool:
        """Whether it is the listener between brokers, and clients have another one."""
        return binding.kind == BROKER and binding.listener in self._for_nodes

    def _make_room(self) -> None:
        """Close clients' connections, the least recently used first, while brokers' ones make too many of them all."""
        excess = self._admitted_of[BROKER] - self.limits.max_connections
        if excess <= 0:
            return
        all_of_them = [connection for connection in self._open if connection.state.kind == BROKER]
        going = sum(connection.is_closed for connection in all_of_them)
        clients = [one for one in all_of_them if not one.is_closed and not one.state.is_inter_broker]
        clients.sort(key=lambda connection: connection.used_ms)
        for connection in clients[: max(0, excess - going)]:
            connection.close("another broker needs its place among max.connections", abort=True)

    def _sweep(self) -> None:
        self._sweep_timer = None
        now = self.clock.now()
        for connection in list(self._open):
            connection.sweep(now)
        self._make_room()  # of those that were not open yet when it was needed
        if self._open:
            self._sweep_timer = self.loop.call_later(self.limits.sweep_interval_ms / 1000, self._sweep)


def _ignore(frame: object, connection: object, now: object, reply: object) -> None:
    """For requests that come while the broker closes."""
