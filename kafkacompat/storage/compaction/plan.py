"""Which part of a log is compacted, whether that is worth it, and in which groups of segments (``LogCleanerManager``,
``LogToClean``, ``Cleaner.groupSegmentsBySize``)."""

from itertools import pairwise

from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.storage.index import MAX_RELATIVE_OFFSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.storage.segment import Segment

SEGMENTS_PER_GROUP = 100
"""Segments that are replaced in one turn of the event loop. Kafka has no limit."""


class Plan:
    """What a pass over a log cleans: from ``first_dirty`` to ``upper_bound``, where the uncleanable part begins.

    ``segments``: all before that. ``ratio``: the share of them that is dirty. ``delay_ms``: how much longer than
    ``max.compaction.lag.ms`` a record has waited.
    """

    __slots__ = ("delay_ms", "dirty_bytes", "first_dirty", "ratio", "segments", "upper_bound")

    def __init__(self, segments: "Sequence[Segment]", first_dirty: int, upper_bound: int, *, delay_ms: int) -> None:
        self.segments = [segment for segment in segments if segment.base_offset < upper_bound]
        self.first_dirty = first_dirty
        self.upper_bound = upper_bound
        self.delay_ms = delay_ms
        clean_bytes = 0
        self.dirty_bytes = 0
        ends = [*(segment.base_offset for segment in self.segments[1:]), upper_bound]
        for segment, end in zip(self.segments, ends, strict=False):
            if segment.base_offset < first_dirty:
                clean_bytes += segment.size_bytes
            if end > first_dirty:  # with the first dirty offset in it, a segment counts twice, as in Kafka
                self.dirty_bytes += segment.size_bytes
        total_bytes = clean_bytes + self.dirty_bytes
        self.ratio = self.dirty_bytes / total_bytes if total_bytes else 0.0

    def is_due(self, min_ratio: float) -> bool:
        """Whether the pass is worth it."""
        return self.dirty_bytes > 0 and (self.delay_ms > 0 or self.ratio > min_ratio)


def first_dirty_offset(checkpoint: int | None, log_start_offset: int, log_end_offset: int) -> int:
    """Where the part begins that was never cleaned: ``checkpoint``, unless that is outside of the log."""
    if checkpoint is None or not log_start_offset <= checkpoint <= log_end_offset:
        return log_start_offset
    return checkpoint


def unread(
    segments: "Sequence[Segment]", first_dirty: int, config: "TopicConfig"
) -> "list[tuple[Segment, bool, bool]]":
    """The segments whose timestamps `plan` asks for and that have to be read from the disk first: whether that is the
    largest, and whether it is the first.
    """
    asks_largest, asks_first = config.min_compaction_lag_ms > 0, config.max_compaction_lag_ms < LONG_MAX
    found: list[tuple[Segment, bool, bool]] = []
    if not asks_largest and not asks_first:
        return found  # without a look at the segments: of many logs nothing is asked
    for segment in _dirty(segments, first_dirty):
        needs_largest = asks_largest and segment.known_largest_ms is None
        needs_first = asks_first and segment.first_timestamp_ms is None
        if needs_largest or needs_first:
            found.append((segment, needs_largest, needs_first))
    return found


def _dirty(segments: "Sequence[Segment]", first_dirty: int) -> "list[Segment]":
    return [segment for segment, behind in pairwise(segments) if behind.base_offset > first_dirty]


def plan(
    segments: "Sequence[Segment]",
    first_dirty: int,
    limit: int,
    config: "TopicConfig",
    now_ms: int,
    largest_timestamp: "Callable[[Segment], int]",
    first_timestamp: "Callable[[Segment], int]",
) -> Plan:
    """Of all ``segments`` of a log, of which the last is active. ``limit``: nothing from it on is cleaned.

    The timestamps are asked for only if the config needs them.
    """
    dirty = _dirty(segments, first_dirty)
    limit = min(limit, segments[-1].base_offset)
    if config.min_compaction_lag_ms > 0:
        newest_ms = now_ms - config.min_compaction_lag_ms
        young = (segment.base_offset for segment in dirty if largest_timestamp(segment) > newest_ms)
        limit = min(limit, next(young, limit))
    limit = max(limit, first_dirty)
    limit = max(limit, segments[0].base_offset)
    upper_bound = max(segment.base_offset for segment in segments if segment.base_offset <= limit)
    delay_ms = 0
    if config.max_compaction_lag_ms < LONG_MAX:
        oldest_ms = now_ms - config.max_compaction_lag_ms
        first_ms = min((at_ms for segment in dirty if (at_ms := first_timestamp(segment)) > 0), default=oldest_ms)
        delay_ms = max(0, oldest_ms - first_ms)
    return Plan(segments, first_dirty, upper_bound, delay_ms=delay_ms)


def groups(
    sizes: "Sequence[tuple[int, int, int, int]]", segment_bytes: int, max_index_bytes: int, upper_bound: int
) -> list[list[int]]:
    """Base offsets of neighbours that become one segment. ``sizes``: base offset, and bytes of log, offset index and
    time index of each segment.
    """
    grouped: list[list[int]] = []
    log_bytes = index_bytes = time_index_bytes = 0
    for place, (base_offset, log_size, index_size, time_index_size) in enumerate(sizes):
        behind = sizes[place + 1][0] if place + 1 < len(sizes) else upper_bound
        if (
            grouped
            and len(grouped[-1]) < SEGMENTS_PER_GROUP
            and log_bytes + log_size <= segment_bytes
            and index_bytes + index_size <= max_index_bytes
            and time_index_bytes + time_index_size <= max_index_bytes
            and behind - 1 - grouped[-1][0] <= MAX_RELATIVE_OFFSET
        ):
            grouped[-1].append(base_offset)
            log_bytes += log_size
            index_bytes += index_size
            time_index_bytes += time_index_size
        else:
            grouped.append([base_offset])
            log_bytes, index_bytes, time_index_bytes = log_size, index_size, time_index_size
    return grouped
