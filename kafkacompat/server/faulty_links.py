"""Cuts and slows links of a node in this process: requests that arrive late or not, responses that are sent so.

A fault goes one way. What a cut holds back is delivered when it ends, as TCP delivers after a network partition; what
belongs to connections that have closed meanwhile is dropped. On a slow link each message arrives so much later, in
order, however many are on their way. Nothing of this exists before the first fault.
"""

from __future__ import annotations

import re
from collections import deque
from functools import partial

from kafkacompat.broker.connection import CloseConnection
from kafkacompat.server.sender import release

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping
    from typing import Protocol, TypeAlias

    from kafkacompat.broker.connection import Connection
    from kafkacompat.now import Now
    from kafkacompat.server.clock import SystemClock
    from kafkacompat.server.connection import CompleteEarly, Dispatch, Reply
    from kafkacompat.server.connections import Connections

    Peer: TypeAlias = int | str
    Delays: TypeAlias = Mapping[Peer, int | None]

    class Broker(Protocol):
        """The node behind the links."""

        dispatch: Dispatch

        @property
        def complete_early(self) -> CompleteEarly: ...

    class Server(Protocol):
        """What of a `BrokerServer` is used. `broker` is another one after a reset."""

        clock: SystemClock
        connections: Connections

        @property
        def broker(self) -> Broker: ...

        def after_event(self) -> None: ...


CLIENTS = "clients"
CLIENT_ID_AT = 8
"""Where the size of the client id is in a request's frame."""
_NODE = re.compile(rb"(?:raft-client-|broker-)?(\d{1,9})(?:-.*)?")


class _Link:
    """What is on its way on one connection: requests and replies, each with the time (ms) at which it was sent.

    in_flight: the requests that have arrived at the broker, and have no reply yet.
    """

    __slots__ = ("connection", "in_flight", "is_moving", "peer", "replies", "requests", "timer")

    def __init__(self, connection: Connection, peer: Peer) -> None:
        self.connection = connection
        self.peer = peer
        self.requests: deque[tuple[int, bytes | bytearray, Reply]] = deque()
        self.replies: deque[tuple[int, list[object] | None, Reply]] = deque()
        self.in_flight = 0
        self.is_moving = False
        self.timer: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is on its way."""
        return not (self.requests or self.replies or self.in_flight)


class FaultyLinks:
    """The faulty links of one node. It stands before the broker's `dispatch` and `complete_early` while there are any.

    Peers are node ids, recognized by the client ids that nodes use (`1`, `raft-client-1`, `broker-1-fetcher-0`), or
    CLIENTS. How much is on its way on a connection is limited by what the connection lets be in flight.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self.incoming: Delays = {}
        self.outgoing: Delays = {}
        self._links: dict[Connection, _Link] = {}

    @property
    def held_count(self) -> int:
        """The number of requests and responses on their way."""
        return sum(len(link.requests) + len(link.replies) for link in self._links.values())

    def set(self, incoming: Delays, outgoing: Delays) -> None:
        """The delays in ms of requests from these peers, and of responses to those; None: nothing arrives.

        They take the place of the earlier ones: what waits for a cut that has ended is delivered.
        """
        self.incoming, self.outgoing = dict(incoming), dict(outgoing)
        connections, broker = self._server.connections, self._server.broker
        if (incoming or outgoing) and connections.dispatch == broker.dispatch:
            connections.dispatch, connections.complete_early = self.dispatch, self.complete_early
        for connection, link in list(self._links.items()):
            if connection in self._links:  # a request of an earlier one may have answered, and ended, this one
                self._move(link)
        self._detach()

    def disconnected(self, connection: Connection) -> None:
        """Forget what is on its way on a connection that has closed."""
        link = self._links.get(connection)
        if link is not None:
            for _, parts, _ in link.replies:
                release(parts or ())
            self._forget(link)

    def close(self) -> None:
        """Forget what is on its way on all connections; the broker stops."""
        self.incoming, self.outgoing = {}, {}
        for connection in list(self._links):
            self.disconnected(connection)

    # In place of the broker's

    def dispatch(self, frame: bytes | bytearray, connection: Connection, now: Now, reply: Reply) -> None:
        """Answer a request, now or when it arrives; see `Dispatcher.dispatch`."""
        link = self._links.get(connection)
        if link is None:
            peer = _peer_of(frame)
            if peer not in self.incoming and peer not in self.outgoing:
                self._server.broker.dispatch(frame, connection, now, reply)
                return
            link = self._links[connection] = _Link(connection, peer)
        link.requests.append((now.monotonic_ms, frame, reply))
        self._move(link)

    def complete_early(self, frame: bytes | bytearray, connection: Connection, now: Now) -> bool:
        """See `Dispatcher.complete_early`. A request on a faulty link is on its way while earlier ones are answered."""
        return connection in self._links or self._server.broker.complete_early(frame, connection, now)

    # Moving

    def _move(self, link: _Link) -> None:
        """Deliver what is due, and wait for the rest."""
        if link.is_moving:  # a reply within `dispatch`: the loop below goes on with it
            return
        link.is_moving = True
        try:
            now = self._server.clock.now()
            while self._deliver_one(link, now):
                pass
        finally:
            link.is_moving = False
        if link.is_idle:
            self._forget(link)
        else:
            self._wait(link, now)

    def _deliver_one(self, link: _Link, now: Now) -> bool:
        if link.replies and _is_due(self._reply_due_ms(link), now):
            _, parts, reply = link.replies.popleft()
            reply(parts)
            return True
        if not link.requests or not _is_due(self._request_due_ms(link), now):
            return False
        _, frame, reply = link.requests[0]
        if link.in_flight:
            may_overtake = self._server.broker.complete_early(frame, link.connection, now)
            if link.in_flight and not may_overtake:
                return False
        del link.requests[0]
        link.in_flight += 1
        try:
            self._server.broker.dispatch(frame, link.connection, now, partial(self._answered, link, reply))
        except CloseConnection as reason:
            link.connection.drop(str(reason))
        return True

    def _answered(self, link: _Link, reply: Reply, parts: list[object] | None) -> None:
        if link.connection not in self._links:
            release(parts or ())
            return
        link.in_flight -= 1
        link.replies.append((self._server.clock.now().monotonic_ms, parts, reply))
        self._move(link)

    def _request_due_ms(self, link: _Link) -> int | None:
        return _due_ms(link.requests[0][0], self.incoming, link.peer)

    def _reply_due_ms(self, link: _Link) -> int | None:
        return _due_ms(link.replies[0][0], self.outgoing, link.peer)

    def _wait(self, link: _Link, now: Now) -> None:
        _cancel(link)
        due = [self._request_due_ms(link)] if link.requests else []
        due += [self._reply_due_ms(link)] if link.replies else []
        later = [each for each in due if each is not None and each > now.monotonic_ms]
        if later:
            wait_s = (min(later) - now.monotonic_ms) / 1000
            link.timer = self._server.connections.loop.call_later(wait_s, self._due, link)

    def _due(self, link: _Link) -> None:
        link.timer = None
        self._move(link)
        self._server.after_event()

    # Ends

    def _forget(self, link: _Link) -> None:
        _cancel(link)
        del self._links[link.connection]
        self._detach()

    def _detach(self) -> None:
        """Once no link is faulty and nothing is on its way, requests go straight to the broker again."""
        connections, broker = self._server.connections, self._server.broker
        is_used = self.incoming or self.outgoing or self._links
        if not is_used and connections.dispatch == self.dispatch:  # a node that stops has another one by now
            connections.dispatch, connections.complete_early = broker.dispatch, broker.complete_early


def _due_ms(sent_ms: int, delays: Delays, peer: Peer) -> int | None:
    """When a message arrives; None while its link is cut."""
    delay_ms = delays.get(peer, 0)
    return None if delay_ms is None else sent_ms + delay_ms


def _is_due(due_ms: int | None, now: Now) -> bool:
    return due_ms is not None and due_ms <= now.monotonic_ms


def _cancel(link: _Link) -> None:
    if link.timer is not None:
        link.timer.cancel()
        link.timer = None


def _peer_of(frame: bytes | bytearray) -> Peer:
    size = int.from_bytes(frame[CLIENT_ID_AT : CLIENT_ID_AT + 2], "big", signed=True)
    found = _NODE.fullmatch(frame[CLIENT_ID_AT + 2 : CLIENT_ID_AT + 2 + max(0, size)])
    return int(found[1]) if found else CLIENTS
