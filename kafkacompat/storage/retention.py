"""Which segments of a log are too old: by its start, its size and its time, in this order (Kafka's ``UnifiedLog``)."""

from kafkacompat.protocol.constants import NO_TIMESTAMP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from kafkacompat.config.topic import TopicConfig

    class SegmentFacts(Protocol):
        """What is asked of a segment."""

        base_offset: int
        size_bytes: int

    LargestTimestamp = Callable[[Any], int | None]


class Plan:
    """How many of the oldest segments go, by each rule. ``unread`` is the place of a segment whose largest timestamp
    has to be read before more can be said, ``in_future`` that of one which no time makes old; None without one.
    """

    __slots__ = ("by_log_start", "by_size", "by_time", "in_future", "unread")

    def __init__(self) -> None:
        self.by_log_start = self.by_size = self.by_time = 0
        self.unread: int | None = None
        self.in_future: int | None = None

    @property
    def count(self) -> int:
        return self.by_log_start + self.by_size + self.by_time


class LogFacts:
    """A log's segments from the oldest on, its offsets, and the wall clock's time (ms)."""

    __slots__ = ("high_watermark", "log_end_offset", "log_start_offset", "segments", "wall_ms")

    def __init__(
        self,
        segments: "Sequence[SegmentFacts]",
        log_start_offset: int,
        high_watermark: int,
        log_end_offset: int,
        wall_ms: int,
    ) -> None:
        self.segments = segments
        self.log_start_offset = log_start_offset
        self.high_watermark = high_watermark
        self.log_end_offset = log_end_offset
        self.wall_ms = wall_ms

    def may_go(self, place: int) -> bool:
        """Whether all records of a segment are committed. An empty last one stays: there is nothing to remove."""
        is_last = place + 1 == len(self.segments)
        end = self.log_end_offset if is_last else self.segments[place + 1].base_offset
        return end <= self.high_watermark and not (is_last and not self.segments[place].size_bytes)


def plan(log: LogFacts, config: "TopicConfig", largest_ms: "LargestTimestamp", limit: int) -> Plan:
    """At most ``limit`` segments that go. ``largest_ms``: the largest timestamp of a segment, None if it is not read
    yet, NO_TIMESTAMP if its records have none.

    The three rules in this order (KAFKA-12177). Without ``delete`` in the policy, also without any, the log start alone
    counts.
    """
    found = Plan()
    segments = log.segments[:limit] if limit < len(log.segments) else log.segments
    place = 0
    while place < len(segments) and place + 1 < len(log.segments) and log.may_go(place):
        if log.segments[place + 1].base_offset > log.log_start_offset:
            break
        place += 1
    found.by_log_start = place
    if "delete" not in config.cleanup_policy:
        return found
    found.by_size = _by_size(log, segments, place, config.retention_bytes)
    _by_time(log, segments, found, config.retention_ms, largest_ms)
    return found


def _by_size(log: LogFacts, segments: "Sequence[SegmentFacts]", place: int, retention_bytes: int) -> int:
    """How many go because the log is larger than its limit; it never becomes smaller than that."""
    if retention_bytes < 0:
        return 0
    over_bytes = sum(segment.size_bytes for segment in log.segments[place:]) - retention_bytes
    first = place
    while place < len(segments) and log.may_go(place) and over_bytes >= segments[place].size_bytes:
        over_bytes -= segments[place].size_bytes
        place += 1
    return place - first


def _by_time(
    log: LogFacts, segments: "Sequence[SegmentFacts]", found: Plan, retention_ms: int, largest_ms: "LargestTimestamp"
) -> None:
    """Count those whose newest record is older than the limit."""
    if retention_ms < 0:
        return
    for place in range(found.count, len(segments)):
        if not log.may_go(place):
            return
        newest_ms = largest_ms(segments[place])
        if newest_ms is None:
            found.unread = place
            return
        if newest_ms == NO_TIMESTAMP or log.wall_ms - newest_ms <= retention_ms:
            if newest_ms > log.wall_ms:
                found.in_future = place
            return
        found.by_time += 1
