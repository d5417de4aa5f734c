"""Whether the entries of a segment's indexes name batches: Kafka's own rules, as DumpLogSegments checks them.

An entry of the offset index has the last offset of a batch and the position where it begins. An entry of the time index
has an offset of a batch and the largest timestamp of that batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kafkacompat.protocol.columns.varints import Flags, Ints
from kafkacompat.spark.audit.audit_findings import OFFSET_INDEX, TIME_INDEX
from kafkacompat.spark.audit.audit_order import Misplaced
from kafkacompat.spark.audit.audit_runs import runs
from kafkacompat.spark.audit.audit_scan import Batches


class OffsetIndexCheck:
    """The offset index of a segment, fed with its batches in any order of positions."""

    def __init__(self, entries: Any, base_offset: int) -> None:
        self._offset: Ints = entries["offset"].astype(np.int64) + base_offset
        self._position: Ints = entries["position"].astype(np.int64)
        self._is_right: Flags = np.zeros(self._offset.size, np.bool_)
        self._is_excused: Flags = np.zeros(self._offset.size, np.bool_)

    def feed(self, batches: Batches) -> None:
        """Batches whose place is known, one chunk."""
        if not batches.base.size or not self._position.size:
            return
        order = np.argsort(batches.position, kind="stable")
        position, last, sound = batches.position[order], batches.last[order], batches.is_sound[order]
        slot = np.minimum(np.searchsorted(position, self._position), position.size - 1)
        is_here = position[slot] == self._position
        self._is_right |= is_here & (last[slot] == self._offset)
        self._is_excused |= is_here & ~sound[slot]

    def excuse(self, position: int, size_bytes: int) -> None:
        """Nothing is known of these bytes."""
        self._is_excused |= (self._position >= position) & (self._position < position + size_bytes)

    def end(self) -> list[Misplaced]:
        """The entries that are wrong, those next to each other together."""
        ascends = (np.diff(self._position, prepend=-1) > 0) & (np.diff(self._offset, prepend=-1) > 0)
        wrong = ~((self._is_right | self._is_excused) & ascends)

        def tell(first: int, last: int) -> Misplaced:
            says = f"says offset {self._offset[first]} at position {self._position[first]}"
            detail = f"{_entries(first, last)} {says}, where no such batch is"
            return Misplaced(
                OFFSET_INDEX, int(self._offset[first]), int(self._offset[last]), detail, int(self._position[first])
            )  # fmt: skip

        return _runs(wrong, tell)


class TimeIndexCheck:
    """The time index of a segment, fed with its batches in ascending order."""

    def __init__(self, entries: Any, base_offset: int) -> None:
        self._offset: Ints = entries["offset"].astype(np.int64) + base_offset
        self._timestamp: Ints = entries["timestamp"].astype(np.int64)
        self._is_right: Flags = np.zeros(self._offset.size, np.bool_)
        self._is_excused: Flags = np.zeros(self._offset.size, np.bool_)

    def feed(self, batches: Batches) -> None:
        """Batches whose place is known, one chunk."""
        if not batches.base.size or not self._offset.size:
            return
        slot = np.maximum(np.searchsorted(batches.base, self._offset, side="right") - 1, 0)
        is_here = (batches.base[slot] <= self._offset) & (batches.last[slot] >= self._offset)
        self._is_right |= is_here & (batches.max_timestamp[slot] == self._timestamp)
        self._is_excused |= is_here & ~batches.is_sound[slot]

    def excuse(self, first_offset: int, last_offset: int) -> None:
        """Nothing is known of these offsets."""
        self._is_excused |= (self._offset >= first_offset) & (self._offset <= last_offset)

    def end(self) -> list[Misplaced]:
        """The entries that are wrong, those next to each other together."""
        ascends = (np.diff(self._timestamp, prepend=-1) > 0) & (np.diff(self._offset, prepend=-1) >= 0)
        wrong = ~((self._is_right | self._is_excused) & ascends)

        def tell(first: int, last: int) -> Misplaced:
            detail = f"{_entries(first, last)} says timestamp {self._timestamp[first]}, which that batch does not have"
            return Misplaced(TIME_INDEX, int(self._offset[first]), int(self._offset[last]), detail)

        return _runs(wrong, tell)


def _runs(wrong: Flags, tell: Callable[[int, int], Misplaced]) -> list[Misplaced]:
    """One finding for wrong entries that are next to each other."""
    return [tell(first, last) for first, last in runs(wrong)]


def _entries(first: int, last: int) -> str:
    return f"entry {first}" if first == last else f"entries {first} to {last}, of which the first"
