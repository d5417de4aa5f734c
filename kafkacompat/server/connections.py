"""All connections of one broker: their shared resources, their limits, and the sweep over their time-outs."""

from __future__ import annotations

import logging
from collections import Counter
from contextlib import nullcontext
from functools import partial

from kafkacompat.broker.connection import BROKER, Connection
from kafkacompat.server.budget import RequestBudget
from kafkacompat.server.connection import ClientConnection
from kafkacompat.server.frames import SHARED_BUFFER_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Protocol

    from kafkacompat.now import Now
    from kafkacompat.server.clock import SystemClock
    from kafkacompat.server.connection import CompleteEarly, Dispatch, Reply
    from kafkacompat.server.direct import ReadAhead
    from kafkacompat.server.endpoints import Binding
    from kafkacompat.server.limits import Limits
    from kafkacompat.server.peer_addresses import AddressesByPeer

    class Tap(Protocol):
        """Sees what connections do; see `kafkacompat/traffic/tap.py`."""

        def node_stopped(self) -> None: ...
        def opened(self, connection: Connection) -> None: ...
        def closed(self, connection: Connection) -> None: ...
        def dispatch(
            self, inner: Dispatch, frame: bytes | bytearray, connection: Connection, now: Now, reply: Reply
        ) -> None: ...


log = logging.getLogger(__name__)


class Connections:
    """The connections of one broker.

    dispatch: answers one frame (`Broker.dispatch`). complete_early: called with a frame that waits behind the request
    in flight; returns whether it may be executed before that is answered (`Dispatcher.complete_early`).
    disconnected: called once for every closed connection.
    after_event: called after requests were dispatched, to run timers and syncs; gets the time of the first request and
    the last frame.
    around_large: a context manager for requests of LARGE_FRAME_BYTES or more.
    capacity: the number of connections for which the process has file descriptors. for_nodes: the listeners that only
    nodes use, because clients have others. reserved: how many descriptors are reserved for connections on those.
    read_ahead: reads from the disk on a background thread, if there is one.
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
        self._tap: Tap | None = None
        self.dispatch = dispatch
        self.complete_early = complete_early
        self.after_event = after_event
        self.read_ahead = read_ahead
        self.around_large: AbstractContextManager[None] = nullcontext()
        self.budget = RequestBudget(limits.request_budget_bytes)
        self.shared_buffer = bytearray(SHARED_BUFFER_BYTES)
        self.addresses: AddressesByPeer | None = None
        """Chooses the addresses that clients of broker listeners are told; None: the advertised ones."""
        self.on_room: Callable[[], None] = lambda: None  # called when a connection has closed: accepting may resume
        self._disconnected = disconnected
        self._capacity = capacity
        self._for_nodes = for_nodes
        self._reserved = reserved
        self._next_id = 0
        self._open: dict[ClientConnection, None] = {}
        self._admitted: Counter[str] = Counter()  # by address, from accept to close
        self._admitted_on: Counter[str] = Counter()  # by the name of the listener
        self._admitted_of: Counter[str] = Counter()  # by its kind
        self._held_before: dict[ClientConnection, int] = {}  # bytes of responses, at the last sweep
        self._sweep_timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        """The number of open connections."""
        return len(self._open)

    def __iter__(self) -> Iterator[ClientConnection]:
        """The open connections, oldest first."""
        return iter(self._open)

    def states(self) -> Iterator[Connection]:
        """The broker's view of each open connection."""
        return (connection.state for connection in self._open)

    def client_states(self) -> Iterator[Connection]:
        """Those of `states` on listeners that are not for nodes only."""
        return (state for state in self.states() if state.listener not in self._for_nodes)

    def has_room(self, binding: Binding) -> bool:
        """Whether another connection may be accepted on this listener now. If not, clients wait, as in Kafka.

        As in Kafka's ConnectionQuotas there is a limit for each listener, one for all broker listeners, and one for all
        controller listeners. A dedicated inter-broker listener does not wait for clients: see `_make_room`.
        """
        listener, limits = binding.listener, self.limits
        capacity = self._capacity if listener in self._for_nodes else self._capacity - self._reserved
        if self._admitted.total() >= capacity or self._admitted_on[listener] >= limits.connections_on(listener):
            return False
        return self._is_protected(binding) or self._admitted_of[binding.kind] < limits.max_connections

    def admit(self, address: str, binding: Binding) -> ClientConnection | None:
        """The protocol object for a new connection; None if its address has too many, and it must be closed."""
        if self._admitted[address] >= self.limits.connections_from(address):
            log.info("closing a connection from %s: it has %d others", address, self._admitted[address])
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
        """An admitted connection has closed, or was never opened."""
        address = connection.state.client_host
        self._admitted_on[connection.state.listener] -= 1
        self._admitted_of[connection.state.kind] -= 1
        self._admitted[address] -= 1
        if not self._admitted[address]:
            del self._admitted[address]
        self.on_room()

    def opened(self, connection: ClientConnection) -> None:
        """Called by the connection when its socket is open."""
        self._open[connection] = None
        if self._tap is not None:
            self._tap.opened(connection.state)
        if self._sweep_timer is None:
            self._sweep_timer = self.loop.call_later(self.limits.sweep_interval_ms / 1000, self._sweep)

    def lost(self, connection: ClientConnection) -> None:
        """Called by the connection when its socket is closed."""
        self._open.pop(connection, None)
        if self._tap is not None:
            self._tap.closed(connection.state)
        now = self.clock.now()
        try:
            self._disconnected(connection.state, now)
        except Exception:
            log.exception("a bug: handling the end of %r failed", connection)
        self.refused(connection)
        self.after_event(now.monotonic_ms, "the end of a connection")

    def close_all(self, *, abort: bool) -> None:
        """Close every connection. Queued responses are still sent unless `abort` is set."""
        if self._open:
            log.info("closing %d connections: the broker stops", len(self._open))
        for connection in list(self._open):
            connection.close("", abort=abort)

    @property
    def dispatch(self) -> Dispatch:
        """Answers a frame. Connections call `serve`, which is the same unless there is a tap."""
        return self._dispatch

    @dispatch.setter
    def dispatch(self, dispatch: Dispatch) -> None:
        self._dispatch = dispatch
        self.serve = dispatch if self._tap is None else partial(self._tap.dispatch, dispatch)

    def set_tap(self, tap: Tap | None) -> None:
        """Let a tap see requests and responses, and the connections' beginnings and ends; None ends it."""
        self._tap = tap
        self.dispatch = self._dispatch

    def stop_dispatching(self) -> None:
        """Dispatch no more requests; responses to earlier ones are still sent."""
        self.dispatch = _ignore
        self.complete_early = lambda *_: False

    def stop_sweeping(self) -> None:
        """Cancel the timer of the sweep."""
        if self._sweep_timer is not None:
            self._sweep_timer.cancel()
            self._sweep_timer = None

    def _is_protected(self, binding: Binding) -> bool:
        """Whether this is a dedicated inter-broker listener."""
        return binding.kind == BROKER and binding.listener in self._for_nodes

    def _make_room(self) -> None:
        """Close the least recently used client connections while inter-broker ones exceed max.connections."""
        excess = self._admitted_of[BROKER] - self.limits.max_connections
        if excess <= 0:
            return
        all_of_them = [connection for connection in self._open if connection.state.kind == BROKER]
        going = sum(connection.is_closed for connection in all_of_them)
        clients = [one for one in all_of_them if not one.is_closed and not one.state.is_inter_broker]
        clients.sort(key=lambda connection: connection.used_ms)
        for connection in clients[: max(0, excess - going)]:
            connection.close("max.connections is reached, and a broker connects", abort=True)

    def _bound_responses(self) -> None:
        """Close connections while responses hold too much memory: first those whose clients have read nothing since the
        last sweep, of these first those that hold the most.
        """
        before = self._held_before
        held = {connection: size for connection in self._open if (size := connection.held_response_bytes)}
        excess = sum(held.values()) - self.limits.response_budget_bytes
        order = sorted(held, key=lambda each: (before.get(each) != held[each], -held[each])) if excess > 0 else ()
        for connection in order:
            if excess > 0:
                excess -= held[connection]
                connection.close(f"{held[connection]} bytes of responses not read, and too many in all", abort=True)
        self._held_before = held

    def _sweep(self) -> None:
        self._sweep_timer = None
        now = self.clock.now()
        for connection in list(self._open):
            connection.sweep(now)
        self._bound_responses()
        self._make_room()  # also connections that were not open yet at the last attempt
        if self._open:
            self._sweep_timer = self.loop.call_later(self.limits.sweep_interval_ms / 1000, self._sweep)


def _ignore(frame: object, connection: object, now: object, reply: object) -> None:
    """Drops requests that arrive while the broker closes."""
