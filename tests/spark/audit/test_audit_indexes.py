"""Entries of the indexes, and the runs of those that are wrong."""

from __future__ import annotations

import numpy as np

from kafkacompat.spark.audit.audit_indexes import OffsetIndexCheck, TimeIndexCheck
from kafkacompat.spark.audit.audit_runs import runs
from tests.spark.audit.test_audit_order import batches

SOUND = batches([100, 110, 120, 130])._replace(position=np.arange(4) * 50, max_timestamp=np.array([5, 9, 7, 12]))


def entries(first: str, *values: tuple[int, int]) -> np.ndarray:
    names = (first, "position" if first == "offset" else "offset")
    return np.array(list(values), [(name, np.int64) for name in names])


def offsets(*values: tuple[int, int]) -> list[tuple[int, int]]:
    check = OffsetIndexCheck(entries("offset", *values), 100)
    check.feed(SOUND)
    return [(each.first_offset, each.position) for each in check.end()]


def test_an_entry_has_the_position_and_the_last_offset_of_a_batch() -> None:
    assert offsets((19, 50), (39, 150)) == []
    assert offsets((18, 50), (39, 150)) == [(118, 50)]
    assert offsets((19, 51), (39, 150)) == [(119, 51)]
    assert offsets((19, 50), (39, 500)) == [(139, 500)]
    assert offsets((39, 150), (19, 50)) == [(119, 50)]


def test_what_is_not_known_is_excused() -> None:
    check = OffsetIndexCheck(entries("offset", (19, 51), (39, 152)), 100)
    check.feed(SOUND)
    check.excuse(50, 10)
    assert [each.position for each in check.end()] == [152]


def test_an_entry_has_the_largest_timestamp_of_a_batch() -> None:
    check = TimeIndexCheck(entries("timestamp", (5, 9), (9, 15), (12, 38), (20, 39)), 100)
    check.feed(SOUND)
    assert [each.first_offset for each in check.end()] == [139]


def test_runs_of_flags() -> None:
    assert runs(np.array([1, 1, 0, 1, 0, 0, 1, 1, 1], np.bool_)) == [(0, 1), (3, 3), (6, 8)]
    assert runs(np.zeros(3, np.bool_)) == []
