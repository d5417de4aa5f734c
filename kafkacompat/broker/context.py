"""What a handler is given beside the request."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.broker import Broker
    from kafkacompat.broker.produce_shape import ProduceShapes
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.now import Now
    from kafkacompat.protocol.headers import RequestHeader


class CloseConnection(Exception):  # noqa: N818 (an order to the shell, not an error of ours)
    """The peer broke the protocol, or asked for silence: the shell closes its connection and logs the reason."""


class Connection:
    """One client's connection as the broker knows it; the shell makes it."""

    __slots__ = (
        "client_host",
        "id",
        "listener",
        "pending",
        "produce_shapes",
        "software_name",
        "software_version",
    )

    def __init__(self, connection_id: int, client_host: str, listener: str) -> None:
        self.id = connection_id
        self.client_host = client_host
        self.listener = listener
        self.software_name = ""
        self.software_version = ""
        self.pending: Pending | None = None
        self.produce_shapes: ProduceShapes | None = None


class Encoded:
    """A response that is already encoded (without its header): cached answers, and those built by hand."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[object]) -> None:
        self.parts = parts


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
    def client_id(self) -> str:
        """The client id of the request, "" when it sent none."""
        return self.header.client_id or ""
