"""Throttled replication (KIP-73, Kafka's ReplicationQuotaManager): limits the bandwidth of replicas that catch up."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition

EVERYWHERE = ("*",)


class ReplicationQuota:
    """The quota of one side of replication, leaders or followers. `rate` is in bytes per second, None for unlimited.

    The rate is measured over the last `window_count` windows, idle ones included.
    """

    __slots__ = ("_window_count", "_window_ms", "_windows", "rate")

    def __init__(self, window_count: int, window_ms: int) -> None:
        self.rate: int | None = None
        self._window_count = window_count
        self._window_ms = window_ms
        self._windows: dict[int, int] = {}  # number of the window -> bytes, the oldest first

    def holds_back(self, partition: "Partition", replica_id: int, replicas: "Sequence[str]", now: "Now") -> bool:
        """Whether `replica_id` gets no records of the partition now: the topic throttles it, it is not in sync, and the
        rate is exceeded.
        """
        return self.applies_to(partition, replica_id, replicas) and self.is_exceeded(now)

    def applies_to(self, partition: "Partition", replica_id: int, replicas: "Sequence[str]") -> bool:
        """Whether `replica_id` gets no records of the partition while the rate is exceeded."""
        return self.rate is not None and replica_id not in partition.isr and throttles(replicas, partition)

    def record(self, partition: "Partition", replicas: "Sequence[str]", size_bytes: int, now: "Now") -> None:
        """Count replicated bytes of a partition, if the topic throttles it."""
        if self.rate is not None and size_bytes and throttles(replicas, partition):
            self.count(size_bytes, now)

    def is_exceeded(self, now: "Now") -> bool:
        """Whether the rate is exceeded by what was counted."""
        return self.rate is not None and self._moved_per_second(now) > self.rate

    def count(self, size_bytes: int, now: "Now") -> None:
        """Count bytes, whatever they belong to."""
        if self.rate is not None:
            number = now.monotonic_ms // self._window_ms
            if number not in self._windows:
                self._forget_before(number)
            self._windows[number] = self._windows.get(number, 0) + size_bytes

    def _moved_per_second(self, now: "Now") -> float:
        self._forget_before(now.monotonic_ms // self._window_ms)
        if not self._windows:
            return 0.0
        since_ms = now.monotonic_ms - next(iter(self._windows)) * self._window_ms
        return 1000 * sum(self._windows.values()) / max(since_ms, self._window_ms)

    def _forget_before(self, number: int) -> None:
        for old in [each for each in self._windows if each <= number - self._window_count]:
            del self._windows[old]


def throttles(replicas: "Sequence[str]", partition: "Partition") -> bool:
    """Whether a topic's list of partition:broker entries, or its *, includes this broker's replica."""
    return bool(replicas) and (tuple(replicas) == EVERYWHERE or f"{partition.index}:{partition.node_id}" in replicas)
