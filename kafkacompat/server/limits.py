"""The limits of the shell: from Kafka's settings, and constants where Kafka has no setting."""

from __future__ import annotations

from kafkacompat.broker.answers import RESPONSE_BYTES_MAX
from kafkacompat.config.definitions import LISTENER_PREFIX, broker_key, listener_base
from kafkacompat.config.values import parse_value
from kafkacompat.server.budget import default_limit_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config import BrokerConfig

FIRST_REQUEST_TIMEOUT_MS = 10_000
"""The time limit for the first complete request of a connection."""
SLOW_FRAME_WINDOW_MS = 30_000
SLOW_FRAME_MIN_BYTES_PER_S = 1024
"""A frame that arrives more slowly over the window closes its connection (slowloris)."""
SLOW_READER_TIMEOUT_MS = 60_000
"""A connection whose peer reads no byte of its responses for this time is closed."""
SWEEP_INTERVAL_MS = 1_000
"""How often one timer checks the time-outs of all connections."""
REQUESTS_PER_ITERATION = 64
"""How many waiting requests of a connection are dispatched in one turn of the loop."""
LISTEN_BACKLOG = 1024
"""The backlog if socket.listen.backlog.size is not set. Kafka's 50 is for a dedicated acceptor thread; a connection
beyond the backlog is retried by its client after a second."""
WAITING_FRAMES_MAX = 64
WAITING_BYTES_MAX = 128 * 1024
"""Requests read ahead of the one in flight. Reading some is necessary to notice that the peer has disconnected."""
PRODUCES_IN_FLIGHT_MAX = 5
PRODUCES_IN_FLIGHT_MAX_BYTES = 8 * 1024 * 1024
"""Produce requests of a connection that are appended before the first of them is answered; five is the default of
max.in.flight.requests.per.connection."""
LARGE_FRAME_BYTES = 64 * 1024
"""A request from this size may name thousands of partitions (a fetch of 2,000 is as large)."""
WRITE_PIECE_BYTES = 512 * 1024
"""Responses are sent in pieces of this size, so that at most 1 MiB of one is in memory, with the transport's buffer."""
WRITE_HIGH_WATER_BYTES = 64 * 1024
_MAX_CONNECTIONS = "max.connections"


class Limits:
    """The limits of one broker's connections."""

    __slots__ = (
        "first_request_timeout_ms",
        "idle_timeout_ms",
        "listen_backlog",
        "max_connections",
        "max_connections_by_listener",
        "max_connections_per_ip",
        "max_connections_per_ip_overrides",
        "max_frame_bytes",
        "max_response_bytes",
        "request_budget_bytes",
        "response_budget_bytes",
        "slow_frame_min_bytes_per_s",
        "slow_frame_window_ms",
        "slow_reader_timeout_ms",
        "sweep_interval_ms",
    )

    def __init__(self, config: BrokerConfig) -> None:
        backlog_is_set = "socket.listen.backlog.size" in config.static
        self.listen_backlog = config.get_int("socket.listen.backlog.size") if backlog_is_set else LISTEN_BACKLOG
        self.max_frame_bytes = config.get_int("socket.request.max.bytes")
        # responses of other nodes: the largest batch that a broker with this limit accepts, plus a full fetch
        self.max_response_bytes = self.max_frame_bytes + config.get_int("replica.fetch.response.max.bytes")
        self.max_connections = config.get_int(_MAX_CONNECTIONS)
        self.max_connections_by_listener = _by_listener(config)
        self.max_connections_per_ip = config.get_int("max.connections.per.ip")
        self.max_connections_per_ip_overrides = _overrides(config.text("max.connections.per.ip.overrides") or "")
        self.idle_timeout_ms = config.get_int("connections.max.idle.ms")
        budget = config.get_int("queued.max.request.bytes")
        self.request_budget_bytes = budget if budget > 0 else default_limit_bytes()
        self.response_budget_bytes = max(self.request_budget_bytes, RESPONSE_BYTES_MAX)  # of those that are not read
        self.first_request_timeout_ms = FIRST_REQUEST_TIMEOUT_MS
        self.slow_frame_window_ms = SLOW_FRAME_WINDOW_MS
        self.slow_frame_min_bytes_per_s = SLOW_FRAME_MIN_BYTES_PER_S
        self.slow_reader_timeout_ms = SLOW_READER_TIMEOUT_MS
        self.sweep_interval_ms = SWEEP_INTERVAL_MS

    def connections_on(self, listener: str) -> int:
        """The connection limit of a listener: its own, or the general one."""
        return self.max_connections_by_listener.get(listener.lower(), self.max_connections)

    def connections_from(self, address: str) -> int:
        """The connection limit of a peer address."""
        return self.max_connections_per_ip_overrides.get(address, self.max_connections_per_ip)


def _by_listener(config: BrokerConfig) -> dict[str, int]:
    """`listener.name.<listener>.max.connections`, by the listener's name in lower case (Kafka's configPrefix)."""
    found = {}
    for name, text in config.static.items():
        if listener_base(name) == _MAX_CONNECTIONS:
            key = broker_key(name)
            count = key and parse_value(key, text)
            assert isinstance(count, int), name
            found[name.removeprefix(LISTENER_PREFIX).removesuffix(f".{_MAX_CONNECTIONS}")] = count
    return found


def _overrides(text: str) -> dict[str, int]:
    """`127.0.0.1:5,::1:6` as a map. The configuration has validated the format."""
    pairs = (entry.strip().rpartition(":") for entry in text.split(",") if entry.strip())
    return {address.strip("[]"): int(count) for address, _, count in pairs}
