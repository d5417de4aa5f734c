"""Whether the batches of a segment follow each other: what is missing, there twice, in another order, or misnamed.

No checksum covers a batch's base offset, so what a wrong one looks like is told from what is lost by its neighbours: a
batch whose number alone is wrong has a place between them of exactly its size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from kafkacompat.protocol.columns.varints import Flags, Ints
from kafkacompat.protocol.constants import LONG_MAX, UNKNOWN_OFFSET
from kafkacompat.spark.audit.audit_findings import BASE_OFFSET, BELOW_LOG_START, DUPLICATE_BATCH, MISSING_OFFSETS, ORDER
from kafkacompat.spark.audit.audit_scan import NO_BATCHES, Batches

HELD_BACK = 256
"""Batches at the end of a chunk that are judged with the next one: what belongs before them may come there."""

WINDOW = 4096
"""Batches that are looked at in one operation: after a break the rest of them is looked at once more."""

IsThere: TypeAlias = Callable[[int, int, int, int], bool]
"""`is_there(base, last, crc, position)`: whether the file has such a batch before that position."""


class Misplaced(NamedTuple):
    """A finding without its place in the cluster."""

    kind: str
    first_offset: int
    last_offset: int
    detail: str
    position: int = UNKNOWN_OFFSET


class OrderCheck:
    """The batches of one segment in the order of the file. `found` has what is wrong, `blind` offsets of which
    nothing is known: from first to last, both inclusive.

    `cleaned_until`: below it compaction has removed batches. `is_first`: no segment is before this one.
    """

    def __init__(
        self, base_offset: int, next_base_offset: int, cleaned_until: int, *, is_first: bool, is_there: IsThere
    ) -> None:
        self._base, self._following = base_offset, next_base_offset
        self._cleaned_until, self._is_first, self._is_there = cleaned_until, is_first, is_there
        self._held = NO_BATCHES
        self._has_hole = False
        self.next_offset = base_offset
        self.found: list[Misplaced] = []
        self.blind: list[tuple[int, int]] = []

    def unreadable(self) -> None:
        """Between what came and what comes are bytes that are no batch: a gap there is no finding of its own."""
        self._has_hole = True

    def feed(self, batches: Batches, *, is_end: bool = False) -> Batches:
        """Judge what came. Returns the batches whose place is known, with their right offsets, in ascending order."""
        view = self._held.then(batches) if self._held.base.size else batches
        stop = view.base.size if is_end else max(0, view.base.size - HELD_BACK)
        keep: Flags = np.ones(view.base.size, np.bool_)
        base, last = view.base.copy(), self._last_offsets(view)
        number = self._judge(view, base, last, keep, stop)
        self._held = view.some(slice(number, None))
        placed = view.some(slice(0, number))._replace(base=base[:number], last=last[:number]).some(keep[:number])
        if (placed.base[1:] < placed.base[:-1]).any():
            placed = placed.some(np.argsort(placed.base, kind="stable"))
        return placed

    def _last_offsets(self, view: Batches) -> Ints:
        """As the headers say; where the checksum is wrong, as the next batch says."""
        last = view.last.copy()
        for number in np.flatnonzero(~view.is_sound).tolist():
            following = int(view.base[number + 1]) if number + 1 < last.size else self._following
            if int(view.base[number]) < following != LONG_MAX:
                last[number] = following - 1
        return last

    def end(self) -> Batches:
        """No more comes: what was held back, and whether the next segment follows."""
        placed = self.feed(NO_BATCHES, is_end=True)
        if self._following != LONG_MAX and self.next_offset < self._following:
            self._gap(self._following, UNKNOWN_OFFSET)
        self._has_hole = False
        return placed

    def _judge(self, view: Batches, base: Ints, last: Ints, keep: Flags, stop: int) -> int:
        """Go from break to break. Returns how many batches were judged."""
        number = 0
        while number < stop:
            end = min(stop, number + WINDOW)
            before = np.concatenate(([self.next_offset], last[number : end - 1] + 1))
            first = base[number:end]
            is_broken = (first != before) | (last[number:end] < first)
            is_broken &= ~((first > before) & (first <= self._cleaned_until))
            broken = np.flatnonzero(is_broken)
            follow = int(broken[0]) if broken.size else end - number
            if follow:
                number += follow
                self.next_offset = int(last[number - 1]) + 1
            else:
                number = self._break(view, base, last, keep, number)
        return number

    def _break(self, view: Batches, base: Ints, last: Ints, keep: Flags, at: int) -> int:
        """What is wrong with the batch `at`. Returns the number of the next one to be judged."""
        expected, first, end, position = self.next_offset, int(base[at]), int(last[at]), int(view.position[at])
        size = max(end - first, 0) + 1
        following = int(base[at + 1]) if at + 1 < base.size else self._following
        if first < expected and self._is_there(first, end, int(view.computed[at]), position):
            self._note(DUPLICATE_BATCH, first, end, position, f"there already, before offset {expected}")
            keep[at] = False
        elif first != expected and following == expected + size:
            kind = BELOW_LOG_START if self._is_first and first < self._base else BASE_OFFSET
            self._note(kind, expected, following - 1, position, f"it says base offset {first}, where {expected} is due")
            base[at], last[at] = expected, following - 1
            self.next_offset = following
        elif first > expected:
            behind = _span(base[at:], last[at:], expected)
            if behind:
                lasts = last[at : at + behind]
                self.next_offset = int(lasts.max()) + 1
                self._note(ORDER, expected, self.next_offset - 1, position, f"{behind} batches in another order")
                return at + behind
            self._gap(first, position)
            self.next_offset = max(first, end + 1)
        elif self._is_first and first < self._base:
            self._note(BELOW_LOG_START, first, end, position, f"the log begins with offset {self._base}")
            keep[at] = False
        else:
            what = "its last offset is below its first" if end < first else f"offset {expected} is due"
            self._note(ORDER, first, end, position, f"a batch of offsets {first} to {end}, where {what}")
            keep[at] = False
        return at + 1

    def _gap(self, until: int, position: int) -> None:
        """Offsets from the next one up to `until` (exclusive) have no batch."""
        expected = self.next_offset
        if until > max(expected, self._cleaned_until):
            self.blind.append((expected, until - 1))
            if not self._has_hole:
                count = until - expected
                self._note(MISSING_OFFSETS, expected, until - 1, position, f"{count} offsets without a batch")
        self._has_hole = False

    def _note(self, kind: str, first: int, last: int, position: int, detail: str) -> None:
        self.found.append(Misplaced(kind, first, last, detail, position))


def _span(base: Ints, last: Ints, expected: int) -> int:
    """How many of the first batches fill the offsets from `expected` on, in some order, without a gap; 0 if none do."""
    base, last = base[:HELD_BACK], last[:HELD_BACK]
    size = last - base + 1
    is_whole = np.minimum.accumulate(base) == expected
    is_whole &= np.maximum.accumulate(last) + 1 - expected == np.cumsum(size)
    found = np.flatnonzero(is_whole & (size > 0))
    return int(found[0]) + 1 if found.size else 0
