"""Which part of a log is compacted, and when."""

from typing import Any

import pytest

from kafkacompat.storage.compaction.plan import SEGMENTS_PER_GROUP, Plan, first_dirty_offset, groups, plan, unread
from tests.storage.support import topic_config


class FakeSegment:
    """A segment of ten offsets; its timestamps are its base offset."""

    def __init__(self, base_offset: int, size_bytes: int = 100) -> None:
        self.base_offset = base_offset
        self.size_bytes = size_bytes
        self.known_largest_ms: int | None = None
        self.first_timestamp_ms: int | None = None


def plan_of(first_dirty: int, limit: int, now_ms: int = 1_000, **config: object) -> Plan:
    segments: list[Any] = [FakeSegment(base) for base in (0, 10, 20, 30, 40)]

    def timestamp(segment: Any) -> int:
        return int(segment.base_offset)

    return plan(segments, first_dirty, limit, topic_config(**config), now_ms, timestamp, timestamp)


@pytest.mark.parametrize(("checkpoint", "expected"), [(None, 5), (4, 5), (5, 5), (9, 9), (20, 20), (21, 5)])
def test_a_checkpoint_outside_of_the_log_counts_for_nothing(checkpoint: int | None, expected: int) -> None:
    assert first_dirty_offset(checkpoint, 5, 20) == expected


@pytest.mark.parametrize(
    ("first_dirty", "limit", "upper_bound", "ratio"),
    [(0, 99, 40, 1.0), (0, 39, 30, 1.0), (20, 99, 40, 0.5), (40, 99, 40, 0.0), (45, 99, 40, 0.0), (25, 99, 40, 0.4),
     (0, 5, 0, 0.0)],
)  # fmt: skip
def test_the_active_segment_and_what_is_not_stable_stay(
    first_dirty: int, limit: int, upper_bound: int, ratio: float
) -> None:
    found = plan_of(first_dirty, limit)
    assert found.upper_bound == upper_bound
    assert found.ratio == pytest.approx(ratio)
    assert [segment.base_offset for segment in found.segments] == list(range(0, upper_bound, 10))


def test_young_segments_stay() -> None:
    assert plan_of(0, 99, now_ms=120, min_compaction_lag_ms=100).upper_bound == 30
    assert plan_of(0, 99, now_ms=119, min_compaction_lag_ms=100).upper_bound == 20
    assert plan_of(0, 99, now_ms=119, min_compaction_lag_ms=0).upper_bound == 40


class NotLookedAt(list[Any]):
    """Segments that nobody may look at."""

    def __iter__(self) -> Any:
        raise AssertionError


def test_timestamps_are_read_as_far_as_they_are_asked_for_and_not_known() -> None:
    segments: list[Any] = [FakeSegment(base) for base in (0, 10, 20, 30)]
    for segment, largest_ms, first_ms in zip(segments, (None, 10, None, None), (None, None, 20, None), strict=True):
        segment.known_largest_ms, segment.first_timestamp_ms = largest_ms, first_ms

    def asked(**config: object) -> list[tuple[int, bool, bool]]:
        found = unread(segments, 0, topic_config(**config))
        return [(segment.base_offset, needs_largest, needs_first) for segment, needs_largest, needs_first in found]

    assert asked(min_compaction_lag_ms=1) == [(0, True, False), (20, True, False)]
    assert asked(max_compaction_lag_ms=1) == [(0, False, True), (10, False, True)]
    both = asked(min_compaction_lag_ms=1, max_compaction_lag_ms=1)
    assert both == [(0, True, True), (10, False, True), (20, True, False)]
    assert unread(NotLookedAt(segments), 0, topic_config()) == []


def test_old_dirt_is_due_whatever_its_share() -> None:
    assert plan_of(10, 99, now_ms=111, max_compaction_lag_ms=100).is_due(1.0)
    assert not plan_of(10, 99, now_ms=110, max_compaction_lag_ms=100).is_due(1.0)
    assert not plan_of(10, 5, now_ms=111, max_compaction_lag_ms=100).is_due(1.0)


def test_the_share_must_be_above_the_least() -> None:
    assert not plan_of(20, 99).is_due(0.5)
    assert plan_of(20, 99).is_due(0.49)


def test_neighbours_are_joined_while_everything_fits() -> None:
    sizes = [(base, 100, 8, 12) for base in (0, 10, 20, 30)]
    assert groups(sizes, 1_000, 1_000, 40) == [[0, 10, 20, 30]]
    assert groups(sizes, 200, 1_000, 40) == [[0, 10], [20, 30]]
    assert groups(sizes, 1_000, 24, 40) == [[0, 10], [20, 30]]
    assert groups([(0, 1, 0, 0), (2**31, 1, 0, 0)], 1_000, 24, 2**31 + 1) == [[0], [2**31]]
    assert groups([(0, 1, 0, 0), (5, 1, 0, 0)], 1_000, 24, 2**31) == [[0, 5]]
    assert [len(each) for each in groups([(n, 0, 0, 0) for n in range(150)], 9, 9, 150)] == [SEGMENTS_PER_GROUP, 50]
    assert groups([], 9, 9, 0) == []
