"""The broker's view of a client connection."""

from kafkacompat.broker.principal import ANONYMOUS, Principal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import ClassVar, Protocol

    from kafkacompat.broker.produce_shape import ProduceShapes
    from kafkacompat.broker.purgatory import Pending

    ReachedAt = tuple[str, int]

    class ByteFault(Protocol):
        """What happens to the bytes of a response. `closes`: the connection is closed after the last piece."""

        closes: ClassVar[bool]

        def pieces(self, frame: bytes) -> Iterator[tuple[float, bytes]]:
            """(pause before it in ms, bytes) of a whole response, its size included."""


BROKER, CONTROLLER = "broker", "controller"
"""The kinds of listeners. Broker listeners serve clients, too."""


class CloseConnection(Exception):  # noqa: N818 (an instruction to the shell, not an error)
    """The shell must close the connection and log the reason: the peer broke the protocol, or asked for no answer to a
    request that failed.
    """


class Connection:
    """The broker's view of a client connection; the shell creates it.

    listener: the listener's name. kind: BROKER or CONTROLLER. is_inter_broker: brokers use this listener (clients may,
    too).
    is_forwarded: the client is connected to another node, which forwards its requests in envelopes.
    principal: the client's identity. client_id, software_name, software_version: from its ApiVersions request.
    waiting: requests in the purgatory, oldest first; discarded when the connection closes.
    on_close: what is called when the connection closes while other parts of the node work on its requests, by any key.
    held_count: the number of requests that pipeline steps hold; later requests may not overtake them.
    mute: takes no request from the connection for so many milliseconds.
    drop: closes the connection with a reason, for use in a later event than that of the request.
    resumed: told that a request which held later ones back now waits among `waiting`: some may overtake it.
    treat_bytes: has a fault treat the bytes of the response with this correlation id; no-op without a socket.
    reached_at: the host that this client is told for the brokers of this machine, and the port for this node (0: that
    of its listener); None: it is told the advertised addresses.
    """

    __slots__ = (
        "client_host",
        "client_id",
        "drop",
        "held_count",
        "id",
        "is_closed",
        "is_forwarded",
        "is_inter_broker",
        "kind",
        "listener",
        "mute",
        "on_close",
        "principal",
        "produce_shapes",
        "reached_at",
        "resumed",
        "software_name",
        "software_version",
        "treat_bytes",
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
        is_forwarded: bool = False,
        principal: Principal = ANONYMOUS,
    ) -> None:
        self.id = connection_id
        self.client_host = client_host
        self.is_closed = False
        self.listener = listener
        self.kind = kind
        self.is_inter_broker = is_inter_broker
        self.is_forwarded = is_forwarded
        self.principal = principal
        self.client_id = ""
        self.software_name = ""
        self.software_version = ""
        self.waiting: list[Pending] = []
        self.on_close: dict[object, Callable[[], None]] = {}
        self.held_count = 0
        self.drop: Callable[[str], None] = not_connected
        self.treat_bytes: Callable[[int, ByteFault], None] = no_bytes
        self.mute: Callable[[int], None] = never_muted
        self.resumed: Callable[[], None] = nothing_held
        self.produce_shapes: ProduceShapes | None = None
        self.reached_at: ReachedAt | None = None


def not_connected(_reason: str) -> None:
    """The default of `drop`: there is no socket to close."""


def no_bytes(_correlation_id: int, _fault: "ByteFault") -> None:
    """The default of `treat_bytes`: there is no socket to write to."""


def never_muted(_duration_ms: int) -> None:
    """The default of `mute`: there is no socket to read from."""


def nothing_held() -> None:
    """The default of `resumed`: no frames wait."""
