"""What an operation of the control API gets and returns."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.control_api.http.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from kafkacompat.server.broker_reset import BrokerReset
    from kafkacompat.server.broker_server import BrokerServer

    class NodeVerbs(Protocol):
        """The verbs for whole nodes. Each returns when it is done, which may take long, or raises KafkaCompatError."""

        def kill(self, broker: int) -> None:
            """End it like a crash."""

        def stop(self, broker: int) -> None:
            """Stop it cleanly."""

        def start(self, broker: int) -> None:
            """Start it. Raises KafkaCompatError if it runs."""

        def restart(self, broker: int) -> None:
            """Stop it if it runs, and start it."""

        def pause(self, broker: int) -> None:
            """Let it answer nothing, with its connections open."""

        def resume(self, broker: int) -> None:
            """End the pause."""

        def is_running(self, broker: int) -> bool:
            """Whether it runs, paused or not. Raises KafkaCompatError for an unknown node."""


class HalfReset(NamedTuple):
    """A node between two parts of a reset. advertised: the addresses that it is to advertise again."""

    server: BrokerServer
    reset: BrokerReset
    advertised: dict[str, str]


class Call(NamedTuple):
    """One call of an operation.

    servers: the nodes in this process, by id. path, query: parameters with the types of their schemas. body: the JSON
    text of the request, which fits its schema; None without one; an `IncomingBody` if the route has `takes`. version:
    of kafkacompat. running: what `servers` is by now. verbs: of whoever can stop and start these nodes; None if nobody
    can. half_reset: see `reset_parts.py`.
    """

    servers: Mapping[int, BrokerServer]
    path: Mapping[str, Any]
    query: Mapping[str, Any]
    body: Any = None
    version: str = ""
    running: Callable[[], Mapping[int, BrokerServer]] | None = None
    verbs: NodeVerbs | None = None
    half_reset: dict[int, HalfReset] | None = None

    @property
    def server(self) -> BrokerServer:
        """The first node that runs. Raises ProblemError if none does."""
        return self.all_nodes[0]

    @property
    def all_nodes(self) -> list[BrokerServer]:
        """The nodes that run. Raises ProblemError if none does."""
        if not self.servers:
            raise ProblemError(503, "no-node", "no node runs in this process: start one")
        return list(self.servers.values())

    def again(self) -> Call:
        """The same call on the nodes that run by now."""
        return self._replace(servers=dict(self.servers if self.running is None else self.running()), query={})

    def node(self, node_id: int) -> BrokerServer:
        """A node by id. Raises ProblemError if it does not run in this process."""
        if node_id not in self.servers:
            known = ", ".join(map(str, sorted(self.servers))) or "none"
            raise ProblemError(404, "no-node", f"node {node_id} does not run in this process: these do: {known}")
        return self.servers[node_id]


class FileAt(NamedTuple):
    """The body of an answer that is the file at a path."""

    path: str


class Answer(NamedTuple):
    """What an operation returns if it is not 200, or not JSON."""

    status: int
    body: object
    headers: tuple[tuple[str, str], ...] = ()
