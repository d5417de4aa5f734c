"""What a handler is given beside the request."""

from kafkacompat.broker.registry import BROKER, CONTROLLER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.broker import Broker
    from kafkacompat.broker.produce_shape import ProduceShapes
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.now import Now
    from kafkacompat.protocol.headers import RequestHeader


class CloseConnection(Exception):  # noqa: N818 (an order to the shell, not an error of ours)
    """The peer broke the protocol, or asked for silence: the shell closes its connection and logs the reason."""


class Connection:
    """One client's connection as the broker knows it; the shell makes it.

    listener: its name. kind: BROKER or CONTROLLER. is_inter_broker: other brokers use this listener (clients may, too).
    is_passed_on: the client is connected to another node, which passes its requests on in envelopes.
    waiting, let_go: what to forget when the connection closes before its requests are answered: what waits here, in the
    order in which it came, and how to tell whoever else was asked.
    """

    __slots__ = (
        "client_host",
        "id",
        "is_closed",
        "is_inter_broker",
        "is_passed_on",
        "kind",
        "let_go",
        "listener",
        "produce_shapes",
        "software_name",
        "software_version",
        "waiting",
    )

    def __init__(
        self,
        connection_id: int,
        client_host: str,
        listener: str,
        kind: str = BROKER,
        *,
        is_inter_broker: bool = True,
        is_passed_on: bool = False,
    ) -> None:
        self.id = connection_id
        self.client_host = client_host
        self.is_closed = False
        self.listener = listener
        self.kind = kind
        self.is_inter_broker = is_inter_broker
        self.is_passed_on = is_passed_on
        self.software_name = ""
        self.software_version = ""
        self.waiting: list[Pending] = []
        self.let_go: Callable[[], None] | None = None
        self.produce_shapes: ProduceShapes | None = None


class Encoded:
    """A response that is already encoded (without its header): cached answers, and those built by hand."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[object]) -> None:
        self.parts = parts


class Later:
    """An answer that another part of the node brings: `bring` is called once, before or after `then`.

    Unlike what waits in the purgatory it has no deadline of its own; whoever brings it has one.
    """

    __slots__ = ("_response", "_take")

    def __init__(self) -> None:
        self._response: object | None = None
        self._take: Callable[[object], None] | None = None

    def bring(self, response: object) -> None:
        """The answer is there."""
        assert self._response is None, "an answer was brought twice"
        self._response = response
        if self._take is not None:
            self._take(response)

    def then(self, take: "Callable[[object], None]") -> None:
        """Who takes the answer, now or later."""
        self._take = take
        if self._response is not None:
            take(self._response)


class Failed:
    """A handler's way to say that the whole request failed with one error."""

    __slots__ = ("error_code",)

    def __init__(self, error_code: int) -> None:
        self.error_code = error_code


class Context:
    """One request's surroundings."""

    __slots__ = ("broker", "connection", "frame", "header", "now", "version")

    def __init__(
        self,
        broker: "Broker",
        connection: Connection,
        header: "RequestHeader",
        now: "Now",
        frame: bytes | bytearray = b"",
    ) -> None:
        self.broker = broker
        self.frame = frame
        self.connection = connection
        self.header = header
        self.version = header.api_version
        self.now = now

    @property
    def is_passed_on(self) -> bool:
        """Whether this node is asked as a controller: by another node, or on its controller listener."""
        return self.connection.is_passed_on or self.connection.kind == CONTROLLER

    @property
    def client_id(self) -> str:
        """The client id of the request, "" when it sent none."""
        return self.header.client_id or ""
