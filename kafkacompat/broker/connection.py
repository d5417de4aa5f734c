"""One client's connection, as the broker knows it."""

from kafkacompat.broker.principal import ANONYMOUS, Principal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.produce_shape import ProduceShapes
    from kafkacompat.broker.purgatory import Pending

BROKER, CONTROLLER = "broker", "controller"
"""The kinds of listeners. The one for brokers serves clients too."""


class CloseConnection(Exception):  # noqa: N818 (an order to the shell, not an error of ours)
    """The peer broke the protocol, or asked for silence: the shell closes its connection and logs the reason."""


class Connection:
    """One client's connection as the broker knows it; the shell makes it.

    listener: its name. kind: BROKER or CONTROLLER. is_inter_broker: other brokers use this listener (clients may, too).
    is_forwarded: the client is connected to another node, which forwards its requests in envelopes.
    principal: who the client is.
    waiting, on_close: what to forget when the connection closes before its requests are answered: what waits here, in
    the order in which it came, and how to tell whoever else was asked.
    held_count: so many requests are held by steps of the pipeline; none may overtake them.
    drop: closes the connection, for a reason, when that is found out in a later event than that of the request.
    """

    __slots__ = (
        "client_host",
        "drop",
        "held_count",
        "id",
        "is_closed",
        "is_forwarded",
        "is_inter_broker",
        "kind",
        "listener",
        "on_close",
        "principal",
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
        self.software_name = ""
        self.software_version = ""
        self.waiting: list[Pending] = []
        self.on_close: Callable[[], None] | None = None
        self.held_count = 0
        self.drop: Callable[[str], None] = not_connected
        self.produce_shapes: ProduceShapes | None = None


def not_connected(_reason: str) -> None:
    """Nothing is there to be closed."""
