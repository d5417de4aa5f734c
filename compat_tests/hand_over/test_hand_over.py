"""The short form of the walk. The long one: `python -m compat_tests.hand_over --rounds 10`."""

from __future__ import annotations

import pytest

from compat_tests.hand_over.seen import differences
from compat_tests.hand_over.walk import Walk

ROUNDS = 2


@pytest.mark.full
def test_a_directory_changes_hands_and_nothing_is_lost() -> None:
    walk = Walk(seed=1)
    try:
        walk.go(ROUNDS)
    finally:
        walk.close()


def test_what_is_lost_new_or_changed_is_named() -> None:
    before = {"a": [1, 2], "b": "x", "c": 1}
    assert differences(before, dict(before)) == []
    assert differences(before, {"a": [1, 3], "b": "y", "d": 2}) == [
        "c is gone", "d is new: 2", "a: lost [2], new [3]", "b: 'x' is now 'y'",
    ]  # fmt: skip
