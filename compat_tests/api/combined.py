"""Many cases out of few: entries in one request, and versions of one test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, TypeVar

import pytest

_Entry = TypeVar("_Entry")


def together(entries: Mapping[str, _Entry]) -> dict[str, list[_Entry]]:
    """Each entry alone, each two of them, and all at once: what is wrong with one must not touch the others."""
    alone = {name: [entry] for name, entry in entries.items()}
    pairs = {f"{one}, {other}": [entries[one], entries[other]] for one, other in combinations(entries, 2)}
    return {**alone, **pairs, "all of them": list(entries.values())}


def every_day(known: Sequence[int], *also: int) -> list[Any]:
    """The versions of a test: the first, the last and `also` every day, the others with --full."""
    chosen = {known[0], known[-1], *also}
    return [one if one in chosen else pytest.param(one, marks=pytest.mark.full) for one in known]
