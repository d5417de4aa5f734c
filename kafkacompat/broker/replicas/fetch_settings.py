"""How a follower fetches: Kafka's replica.fetch.* and replica.socket.timeout.ms."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config import BrokerConfig

PARTITION_MAX_BYTES = 4 << 20
"""Of a partition in one fetch unless replica.fetch.max.bytes is set: as much as a producer has on its way. With Kafka's
1 MiB each round would carry one large batch."""


class FetchSettings:
    """Kafka's replica.fetch.* and replica.socket.timeout.ms."""

    __slots__ = ("backoff_ms", "max_bytes", "max_wait_ms", "min_bytes", "partition_max_bytes", "timeout_ms")

    def __init__(self, config: "BrokerConfig") -> None:
        self.backoff_ms = config.get_int("replica.fetch.backoff.ms")
        self.max_bytes = config.get_int("replica.fetch.response.max.bytes")
        is_set = "replica.fetch.max.bytes" in config.static
        self.partition_max_bytes = config.get_int("replica.fetch.max.bytes") if is_set else PARTITION_MAX_BYTES
        self.max_wait_ms = config.get_int("replica.fetch.wait.max.ms")
        self.min_bytes = config.get_int("replica.fetch.min.bytes")
        self.timeout_ms = config.get_int("replica.socket.timeout.ms")
