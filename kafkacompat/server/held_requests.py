"""Holds the requests of all connections while a reset replaces their broker."""

from __future__ import annotations

from kafkacompat.broker.connection import CloseConnection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.connection import Connection
    from kafkacompat.now import Now
    from kafkacompat.server.connection import CompleteEarly, Dispatch, Reply
    from kafkacompat.server.connections import Connections


class HeldRequests:
    """Requests that arrive from its creation until `release`. A connection has one of them; others wait behind it.

    With `pass_new`, those of connections that are opened during the reset are passed on before: they are from nodes,
    which need each other to become ready, and from clients that find a cluster as it is while it starts.

    Connections forget what refers to the former broker. Those with a request in progress are closed, because nobody
    will answer it.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._held: list[tuple[bytes | bytearray, Connection, Reply]] = []
        self._older = {state.id for state in connections.states()}
        connections.dispatch, connections.complete_early = self._hold, _never
        for connection in list(connections):
            connection.state.produce_shapes = None
            connection.state.waiting.clear()
            if connection.in_flight_count:
                connection.close("the broker was reset while it worked on a request", abort=True)

    @property
    def count(self) -> int:
        """The number of requests held."""
        return len(self._held)

    def _hold(self, frame: bytes | bytearray, connection: Connection, _now: Now, reply: Reply) -> None:
        self._held.append((frame, connection, reply))

    def pass_new(self, dispatch: Dispatch) -> None:
        """Pass the requests of new connections to the next broker from now on."""

        def dispatch_new(frame: bytes | bytearray, connection: Connection, now: Now, reply: Reply) -> None:
            if connection.id in self._older:
                self._held.append((frame, connection, reply))
            else:
                dispatch(frame, connection, now, reply)

        self._connections.dispatch = dispatch_new
        self._pass(dispatch, lambda connection: connection.id not in self._older)

    def release(self, dispatch: Dispatch, complete_early: CompleteEarly) -> None:
        """Pass requests to the next broker from now on, beginning with those that are held."""
        self._connections.dispatch, self._connections.complete_early = dispatch, complete_early
        self._pass(dispatch, lambda _connection: True)

    def _pass(self, dispatch: Dispatch, chosen: Callable[[Connection], bool]) -> None:
        held, self._held = self._held, []
        self._held = [each for each in held if not chosen(each[1])]
        for frame, connection, reply in held:
            if not chosen(connection) or connection.is_closed:
                continue
            try:
                dispatch(frame, connection, self._connections.clock.now(), reply)
            except CloseConnection as reason:
                connection.drop(str(reason))


def _never(_frame: object, _connection: object, _now: object) -> bool:
    """No request completes another one early."""
    return False
