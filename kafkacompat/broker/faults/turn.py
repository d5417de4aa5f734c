"""One request at the step of fault rules: what rules look at, and what an action may do with the request."""

from typing import NamedTuple

from kafkacompat.broker.answers import Failed
from kafkacompat.broker.connection import CONTROLLER
from kafkacompat.broker.faults.shapes import shape_of
from kafkacompat.protocol.api_keys import ADD_PARTITIONS_TO_TXN, FETCH
from kafkacompat.protocol.error_codes import NETWORK_EXCEPTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.broker.answers import Response, Settled
    from kafkacompat.broker.connection import Connection
    from kafkacompat.broker.faults.shapes import Entity, Shape
    from kafkacompat.broker.pipeline import Passage
    from kafkacompat.now import Now

BROKERS_ADD_FROM = 4
"""The version of AddPartitionsToTxn from which only brokers send it (KIP-890)."""
NO_SOCKET = 0  # the id of the connection of a node's request to itself


class FaultRequest(NamedTuple):
    """A request as a predicate sees it. `message` is the decoded request, with Kafka's fields in snake_case."""

    api: str
    version: int
    client_id: str
    client_host: str
    broker: int
    listener: str
    connection: int
    message: "Any"


class Turn:
    """One request. `proceed` and `answer` are those of its `Passage`; both may be called in a later event.

    frame: the bytes of the request as it came; `replace_request` does not change it.
    """

    __slots__ = (
        "_entities", "_now", "api", "client_id", "connection", "context", "frame", "node_id", "passage", "version",
    )  # fmt: skip

    def __init__(self, passage: "Passage") -> None:
        context = passage.context
        self.passage = passage
        self.api = passage.api
        self.context: Any = context
        self.connection: Connection = context.connection
        self.frame = context.frame
        self.version = context.version
        self.client_id = context.client_id
        self.node_id = context.services.node_id
        self._entities: list[Entity] | None = None
        self._now: Now | None = None  # set in later events

    @property
    def request(self) -> "Any":
        """The decoded request."""
        return self.passage.request

    @property
    def shape(self) -> "Shape":
        """Where this API in this version has its entities."""
        return shape_of(self.api.key, self.version)

    @property
    def entities(self) -> "list[Entity]":
        """The entities that the request names; for a fetch in a session all that the session has."""
        if self._entities is None:
            if self.api.key == FETCH:
                from kafkacompat.broker.faults.session_entities import fetched

                services = self.context.services
                self._entities = fetched(self.shape, self.request, services.image, services.fetch_sessions)
            else:
                self._entities = self.shape.entities(self.request, self.context.services.image)
        return self._entities

    @property
    def is_of_node(self) -> bool:
        """Whether a node of the cluster sent it: on a controller listener, or with the client id of a fetcher."""
        if self.api.is_of_peers or (self.connection.kind == CONTROLLER and not self.connection.is_forwarded):
            return True
        if self.api.key == ADD_PARTITIONS_TO_TXN:
            return self.version >= BROKERS_ADD_FROM
        sender = self.client_id
        return sender.startswith("broker-") and ("-fetcher-" in sender or sender.endswith("-txn-marker-sender"))

    def view(self) -> FaultRequest:
        """The request for a predicate."""
        connection = self.connection
        return FaultRequest(
            self.api.stem, self.version, self.client_id, connection.client_host, self.node_id, connection.listener,
            connection.id, self.request,
        )  # fmt: skip

    # For actions

    def replace_request(self, request: "Any") -> None:
        """Go on with another request in its place, also if it is forwarded to the controller."""
        from kafkacompat.protocol.headers import encode_request_header

        frame: list[Any] = [encode_request_header(self.context.header)]
        self.api.messages.encode_request(request, self.version, frame)
        self.passage.request = request
        self.context.frame = b"".join(map(bytes, frame))

    def proceed(self, answered: "Callable[[Response], None] | None" = None) -> None:
        """Pass the request on; with `answered` the response goes to it instead of the client."""
        self.passage.proceed(answered, now=self._now)

    def answer(self, response: "Settled") -> None:
        """Answer the client."""
        self.passage.answer(response, now=self._now)

    def later(self, delay_ms: float, action: "Callable[[], None]", gone: "Callable[[], None]") -> None:
        """Call `action` after so many milliseconds, or `gone` when the connection has closed before that. Requests of
        this connection that come later wait.
        """
        connection, timers = self.connection, self.context.services.timers
        if connection.is_closed:
            gone()
            return

        def due(now: "Now") -> None:
            del connection.on_close[self]
            self._now = now
            action()

        def closed() -> None:
            timers.cancel(self)
            gone()

        connection.on_close[self] = closed
        timers.set(self, self.context.now.monotonic_ms + round(delay_ms), due)

    def drop_connection(self, reason: str) -> None:
        """Close the connection without an answer. A node's request to itself is failed instead."""
        if self.connection.id == NO_SOCKET:
            self.answer(Failed(NETWORK_EXCEPTION))
        else:
            self.connection.drop(reason)
