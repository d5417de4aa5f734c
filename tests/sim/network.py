"""Connections between simulated processes, with delay, loss and partitions. Messages of one connection stay in order.

An answer uses the connection of its request, and is delivered at most once, to the process that sent the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kafkacompat.replication.raft.messages import Fetch
from tests.sim.world import MS, SECOND, World, describe

if TYPE_CHECKING:
    from kafkacompat.replication.raft.messages import Answer, Reply, Send

REQUEST_TIMEOUT_US = 2 * SECOND


class Host(Protocol):
    """The network's view of a process: `run` delivers an event if the process still has that incarnation."""

    id: int
    incarnation: int
    is_running: bool
    has_power: bool

    def run(self, incarnation: int, event: str, *arguments: object) -> None: ...


class Connection:
    """A connection from a client to a server, each in one incarnation. A silent one drops everything without notice."""

    __slots__ = (
        "answer_us", "client", "client_incarnation", "is_open", "is_served", "is_silent", "pending", "request_us",
        "server", "server_incarnation", "unanswered",
    )  # fmt: skip

    def __init__(self, client: Host, server: Host) -> None:
        self.client, self.client_incarnation = client, client.incarnation
        self.server, self.server_incarnation = server, server.incarnation
        self.is_open = self.is_served = True  # as the client sees it, and the server
        self.is_silent = False
        self.pending: dict[int, None] = {}
        self.unanswered: dict[int, None] = {}
        self.request_us = self.answer_us = 0


class Network:
    """Delays are drawn between 0.2 ms and `delay_max_us`, sometimes up to `tail_us`; links in `cut` carry nothing."""

    def __init__(self, world: World, hosts: dict[int, Host]) -> None:
        self._world = world
        self._rng = world.rng("network")
        self._hosts = hosts
        self._connections: dict[tuple[int, int, bool], Connection] = {}
        self.cut: set[tuple[int, int]] = set()
        self.delay_max_us = 5 * MS
        self.tail_us = 0
        self.loss = self.duplicate = 0.0
        self.shows_deaths = True
        """Whether a closed connection and a refused dial count as evidence of death."""

    def delay(self) -> int:
        if self.tail_us and self._rng.random() < 0.02:
            return self._rng.randrange(self.tail_us)
        return self._rng.randrange(200, self.delay_max_us)

    def ask(self, client: Host, send: Send) -> None:
        """Send a request on the connection of its kind, dialled if there is none."""
        world, server = self._world, self._hosts[send.node_id]
        connection = self._connect(client, server, is_fetch=isinstance(send.message, Fetch))
        connection.pending[send.token] = None
        world.after(REQUEST_TIMEOUT_US, self._time_out, connection, send.token)
        if not self._carries(connection, client, server):
            return
        world.note(f"{client.id} > {server.id} {send.token} {describe(send.message)}")
        connection.request_us = max(connection.request_us, world.now_us + self.delay())
        world.after(connection.request_us - world.now_us, self._deliver, connection, send.token, send.message)
        if self.duplicate and self._rng.random() < self.duplicate:
            lost = Connection(client, server)
            lost.is_open = False
            delay_us = self._rng.randrange(3 * SECOND)
            world.after(delay_us, self._deliver, lost, send.token, send.message)

    def _connect(self, client: Host, server: Host, *, is_fetch: bool) -> Connection:
        key = (client.id, server.id, is_fetch)
        connection = self._connections.get(key)
        if connection is None or not connection.is_open:
            connection = self._connections[key] = Connection(client, server)
            connection.request_us = self._world.now_us + self.delay()
            if not server.has_power or self._is_cut(client, server):
                connection.is_silent = True
            elif not server.is_running:
                connection.is_silent = True
                self._world.after(self.delay(), self._refused, connection)
        return connection

    def _is_cut(self, one: Host, other: Host) -> bool:
        return (one.id, other.id) in self.cut or (other.id, one.id) in self.cut

    def _carries(self, connection: Connection, sender: Host, receiver: Host) -> bool:
        """Whether a message is delivered. After a lost one none is, as later ones would be out of order."""
        if connection.is_silent:
            return False
        if (sender.id, receiver.id) in self.cut:
            connection.is_silent = True
        elif self.loss and self._rng.random() < self.loss:
            connection.is_silent = True
            self._world.after(self._rng.randrange(SECOND), self._close, connection)
        return not connection.is_silent

    def _deliver(self, connection: Connection, token: int, message: object) -> None:
        if connection.is_served:
            connection.unanswered[token] = None
            connection.server.run(connection.server_incarnation, "requested", (connection, token), message)

    def answer(self, server: Host, reply: Reply) -> None:
        """Send an answer back on the connection of its request, if that is still there."""
        assert isinstance(reply.token, tuple)
        connection, token = reply.token
        connection.unanswered.pop(token, None)
        if connection.is_served and self._carries(connection, server, connection.client):
            world = self._world
            world.note(f"{server.id} < {connection.client.id} {token} {describe(reply.answer)}")
            connection.answer_us = max(connection.answer_us, world.now_us + self.delay())
            world.after(connection.answer_us - world.now_us, self._deliver_answer, connection, token, reply.answer)

    def _deliver_answer(self, connection: Connection, token: int, answer: Answer) -> None:
        if connection.is_open and token in connection.pending:
            del connection.pending[token]
            connection.client.run(connection.client_incarnation, "answered", token, answer)

    def _time_out(self, connection: Connection, token: int) -> None:
        if token in connection.pending:
            self._close(connection)

    def _close(self, connection: Connection) -> None:
        """The client closes a connection, or learns that it is closed."""
        if not connection.is_open:
            return
        connection.is_open = False
        pending, connection.pending = connection.pending, {}
        for token in pending:
            connection.client.run(connection.client_incarnation, "failed", token)
        self._tell_server(connection)

    def _tell_server(self, connection: Connection) -> None:
        if (connection.client.id, connection.server.id) not in self.cut:
            self._world.after(self.delay(), self._forget, connection)

    def _forget(self, connection: Connection) -> None:
        if connection.is_served:
            connection.is_served = False
            for token in connection.unanswered:
                connection.server.run(connection.server_incarnation, "forgotten", (connection, token))

    def _refused(self, connection: Connection) -> None:
        """A refused dial: evidence of death, if the server still does not listen when the refusal arrives."""
        self._close(connection)
        if self.shows_deaths:
            connection.client.run(connection.client_incarnation, "died", connection.server.id)

    def ended(self, host: Host) -> None:
        """A process ended. With power, its kernel closes its connections; without, they become silent."""
        for connection in list(self._connections.values()):
            if connection.client is host and connection.client_incarnation == host.incarnation:
                connection.is_open = False
                connection.pending.clear()
                if host.has_power:
                    self._tell_server(connection)
            elif connection.server is host and connection.server_incarnation == host.incarnation:
                connection.is_served = False
                if not host.has_power or (host.id, connection.client.id) in self.cut:
                    connection.is_silent = True
                elif connection.is_open:
                    self._world.after(self.delay(), self._reset, connection)

    def _reset(self, connection: Connection) -> None:
        """A client sees its connection closed, and dials again to find out whether the server is alive."""
        self._close(connection)
        server = connection.server
        if server.has_power and not server.is_running and not self._is_cut(connection.client, server):
            self._world.after(self.delay(), self._refused, connection)
