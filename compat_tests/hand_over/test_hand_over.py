"""Short forms of the walk, another one with each seed of the random order.

The long one: `python -m compat_tests.hand_over --rounds 10`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from compat_tests import verified_files
from compat_tests.hand_over.seen import differences
from compat_tests.hand_over.walk import Walk


@pytest.mark.parametrize("rounds", [1, pytest.param(2, marks=pytest.mark.full)])
def test_a_directory_changes_hands_and_nothing_is_lost(rounds: int, tmp_path: Path) -> None:
    """And `log verify` has no fault to name in what both have written."""
    seed = random.randrange(1 << 31)  # pytest-randomly has seeded it
    print(f"to repeat it: python -m compat_tests.hand_over --rounds {rounds} --seed {seed}")
    walk = Walk(seed)
    try:
        walk.go(rounds)
        walk.copy_to(tmp_path / "data")
    finally:
        walk.close()
    verified_files.check(tmp_path / "data", random.Random(seed), partitions=1)


def test_what_is_lost_new_or_changed_is_named() -> None:
    before = {"a": [1, 2], "b": "x", "c": 1}
    assert differences(before, dict(before)) == []
    assert differences(before, {"a": [1, 3], "b": "y", "d": 2}) == [
        "c is gone", "d is new: 2", "a: lost [2], new [3]", "b: 'x' is now 'y'",
    ]  # fmt: skip
