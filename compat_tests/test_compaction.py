"""Random logs, cleaned by Apache Kafka and by this broker; then each broker serves the other's result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat_tests.cleaned_by_both import Comparison

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = (1, 2, 3)


def test_both_leave_the_same_and_each_serves_what_the_other_has_left(tmp_path: Path) -> None:
    comparison = Comparison(SEEDS, tmp_path, print)
    comparison.go()
    assert comparison.complaints == []
    assert comparison.removed > 0
    assert comparison.emptied > 0
    assert comparison.markers_gone > 0
