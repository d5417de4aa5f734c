"""The shell's limits in one place: Kafka's settings, and those that Kafka has no setting for."""

from __future__ import annotations

from kafkacompat.config.definitions import LISTENER_PREFIX, broker_key, listener_base
from kafkacompat.config.values import parse_value
from kafkacompat.server.budget import default_limit_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config import BrokerConfig

FIRST_REQUEST_TIMEOUT_MS = 10_000
"""A connection that has not sent a whole request by then is no client."""
SLOW_FRAME_WINDOW_MS = 30_000
SLOW_FRAME_MIN_BYTES_PER_S = 1024
"""A frame that arrives slower than this over the window holds memory for nothing (slowloris)."""
SLOW_READER_TIMEOUT_MS = 60_000
"""A peer that takes not one byte of its responses for so long is closed."""
SWEEP_INTERVAL_MS = 1_000
"""One timer looks after all connections."""
REQUESTS_PER_TURN = 64
"""How many waiting requests of one connection are answered before others get their turn."""
LISTEN_BACKLOG = 1024
"""Unless socket.listen.backlog.size is set: Kafka's 50 is for a thread that only accepts; a burst of connections over
the backlog waits a second for its next try."""
WAITING_FRAMES_MAX = 64
WAITING_BYTES_MAX = 128 * 1024
"""Requests read ahead of the one in flight. Some, because who does not read does not see that the peer has gone."""
PRODUCES_IN_FLIGHT_MAX = 5
PRODUCES_IN_FLIGHT_MAX_BYTES = 8 * 1024 * 1024
"""What a producer has on its way is appended before the first of it is answered, up to here: as many requests as
Kafka's producers have on their way by default."""
LARGE_FRAME_BYTES = 64 * 1024
"""A request as large as that may name thousands of things: a fetch of 2,000 partitions is."""
WRITE_PIECE_BYTES = 512 * 1024
"""A response goes out in pieces of this size, so that with the transport's rest at most 1 MiB of it is in memory."""
WRITE_HIGH_WATER_BYTES = 64 * 1024
_MAX_CONNECTIONS = "max.connections"


class Limits:
    """What one broker's connections may take."""

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
        "slow_frame_min_bytes_per_s",
        "slow_frame_window_ms",
        "slow_reader_timeout_ms",
        "sweep_interval_ms",
    )

    def __init__(self, config: BrokerConfig) -> None:
        backlog_is_set = "socket.listen.backlog.size" in config.static
        self.listen_backlog = config.get_int("socket.listen.backlog.size") if backlog_is_set else LISTEN_BACKLOG
        self.max_frame_bytes = config.get_int("socket.request.max.bytes")
        # of other nodes: the largest batch that a broker with this limit lets in, and a whole fetch of others beside it
        self.max_response_bytes = self.max_frame_bytes + config.get_int("replica.fetch.response.max.bytes")
        self.max_connections = config.get_int(_MAX_CONNECTIONS)
        self.max_connections_by_listener = _by_listener(config)
        self.max_connections_per_ip = config.get_int("max.connections.per.ip")
        self.max_connections_per_ip_overrides = _overrides(config.text("max.connections.per.ip.overrides") or "")
        self.idle_timeout_ms = config.get_int("connections.max.idle.ms")
        budget = config.get_int("queued.max.request.bytes")
        self.request_budget_bytes = budget if budget > 0 else default_limit_bytes()
        self.first_request_timeout_ms = FIRST_REQUEST_TIMEOUT_MS
        self.slow_frame_window_ms = SLOW_FRAME_WINDOW_MS
        self.slow_frame_min_bytes_per_s = SLOW_FRAME_MIN_BYTES_PER_S
        self.slow_reader_timeout_ms = SLOW_READER_TIMEOUT_MS
        self.sweep_interval_ms = SWEEP_INTERVAL_MS

    def connections_on(self, listener: str) -> int:
        """How many connections one listener may have: what it is given for itself, or what all may have."""
        return self.max_connections_by_listener.get(listener.lower(), self.max_connections)

    def connections_from(self, address: str) -> int:
        """How many connections one peer address may have."""
        return self.max_connections_per_ip_overrides.get(address, self.max_connections_per_ip)


def _by_listener(config: BrokerConfig) -> dict[str, int]:
    """`listener.name.<listener>.max.connections`, by the listener's name in small letters (Kafka's configPrefix)."""
    found = {}
    for name, text in config.static.items():
        if listener_base(name) == _MAX_CONNECTIONS:
            key = broker_key(name)
            count = key and parse_value(key, text)
            assert isinstance(count, int), name
            found[name.removeprefix(LISTENER_PREFIX).removesuffix(f".{_MAX_CONNECTIONS}")] = count
    return found


def _overrides(text: str) -> dict[str, int]:
    """`127.0.0.1:5,::1:6` as a map. The config table has checked the form."""
    pairs = (entry.strip().rpartition(":") for entry in text.split(",") if entry.strip())
    return {address.strip("[]"): int(count) for address, _, count in pairs}
