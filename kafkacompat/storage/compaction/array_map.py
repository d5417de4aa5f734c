"""The newest offsets of keys as NumPy arrays, for many keys at once: a third of the memory of ``offset_map.py``.

A key is kept as two sums of its 32-bit words, each word times a random 64-bit number that is drawn anew for each pass
(multilinear hashing). Whatever two keys are, the chance that both sums agree is at most 2**-66, so that nobody who does
not know the numbers can make keys that collide.
"""

from __future__ import annotations

from array import array
from hashlib import blake2b
from typing import Any

import numpy as np

from kafkacompat.protocol.columns.varints import Bytes, Flags, Ints
from kafkacompat.protocol.constants import UNKNOWN_OFFSET

SLOT_BYTES = 36
"""A slot has 24; half as much again is taken while the table doubles."""
ENTRY_BYTES = 52
"""Memory for a key: at most seven of ten slots are taken, so that searches stay short."""
MIN_SLOTS = 1024
MAX_WORDS = 32
"""Longer keys (256 bytes) are hashed by BLAKE2 one by one."""
WORD_BYTES = 8
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_TOMBSTONE = np.uint64(1 << 63)
"""In the place of an offset, that of a record without a value."""


class ArrayOffsetMap:
    """``latest``: see ``OffsetMap``. ``limit``: so many keys at most."""

    __slots__ = ("_max_slots", "_numbers", "_secret", "_table", "count", "latest", "limit")

    def __init__(self, size_bytes: int, secret: bytes) -> None:
        """``size_bytes``: memory for keys; there is room for one at least."""
        self.limit = max(1, size_bytes // ENTRY_BYTES)
        self._max_slots = max(self.limit + 2, size_bytes // SLOT_BYTES)
        self.latest = UNKNOWN_OFFSET
        self.count = 0
        self._secret = secret
        digests = [blake2b(secret + bytes((number,))).digest() for number in range(2 * (2 * MAX_WORDS + 1) // 8 + 1)]
        self._numbers = np.frombuffer(b"".join(digests), np.uint64)
        self._table = self._new_table(1)

    def _new_table(self, keys: int) -> Any:
        """Rows of two sums and an offset plus one, maybe marked as a tombstone's, for so many keys at least. A table is
        half of another one.
        """
        slots = self._max_slots
        while slots // 2 >= MIN_SLOTS and slots // 2 >= 2 * keys:
            slots //= 2
        return np.zeros((slots, 3), np.uint64)

    def sums(self, data: Bytes, start: Ints, size: Ints) -> Any:
        """The rows of keys, without offsets. ``data`` has PADDING_BYTES behind the last key."""
        words: Any = np.ndarray((data.size - WORD_BYTES + 1,), "<u8", data, 0, (1,))
        rows = np.zeros((size.size, 3), np.uint64)
        numbers = iter(self._numbers)
        length = size.astype(np.uint64)
        one, other = length * next(numbers), length * next(numbers)
        longest = min(int(size.max(initial=0)), MAX_WORDS * WORD_BYTES)
        for done in range(0, longest, WORD_BYTES):
            is_long = size > done
            some: Any = slice(None) if is_long.all() else np.flatnonzero(is_long)
            word = words[start[some] + done]
            bits = 8 * np.minimum(size[some] - done, WORD_BYTES).astype(np.uint64)
            word &= ~np.uint64(0) >> (np.uint64(64) - bits)
            low, high = word & _LOW, word >> _HALF
            one[some] += low * next(numbers) + high * next(numbers)
            other[some] += low * next(numbers) + high * next(numbers)
        rows[:, 0], rows[:, 1] = one, other
        for place in np.flatnonzero(size > MAX_WORDS * WORD_BYTES).tolist():
            key = data[start[place] : start[place] + size[place]].tobytes()
            rows[place, :2] = np.frombuffer(blake2b(self._secret + key, digest_size=16).digest(), np.uint64)
        return rows

    def _slots(self, rows: Any) -> Ints:
        """Where the search for each row begins. The upper half of a sum is the one that is well mixed."""
        return (((rows[:, 0] >> _HALF) * np.uint64(len(self._table))) >> _HALF).astype(np.int64)

    def put(self, rows: Any, offset: Ints, has_value: Flags) -> int:
        """Note records, whose offsets ascend. Returns how many were noted: those behind the one that fills the map are
        not.
        """
        taken = len(rows)
        if self.count + taken > self.limit:
            taken = self._room(rows)
            rows, offset, has_value = rows[:taken], offset[:taken], has_value[:taken]
        if taken:
            rows[:, 2] = (offset + 1).view(np.uint64) | np.where(has_value, np.uint64(0), _TOMBSTONE)
            self._insert(rows)
            self.latest = int(offset[-1])
        return taken

    def _room(self, rows: Any) -> int:
        """How many of the records can be noted until the map is full."""
        room = self.limit - self.count
        if not room:
            return 0
        is_new = np.flatnonzero(self.newest(rows) == UNKNOWN_OFFSET)
        sums = np.ascontiguousarray(rows[is_new, :2]).view("V16").ravel()
        first = np.sort(is_new[np.unique(sums, return_index=True)[1]])
        return len(rows) if first.size < room else int(first[room - 1]) + 1

    def _insert(self, rows: Any) -> None:
        if 10 * (self.count + len(rows)) > 7 * len(self._table) and len(self._table) < self._max_slots:
            old = self._table[self._table[:, 2] != 0]
            self._table = old  # so that the larger one is there already
            self._table = self._new_table(min(self.limit, self.count + len(rows)))
            self.count = 0
            self._place(old)
        self._place(rows)

    def _place(self, rows: Any) -> None:
        """Of records with the same key the last one counts: of several values for one place NumPy leaves the last."""
        table, slot = self._table, self._slots(rows)
        while len(rows):
            found = table[slot]
            is_empty = found[:, 2] == 0
            if is_empty.any():
                wanted = slot[is_empty]
                table[wanted] = rows[is_empty]
                self.count += np.unique(wanted).size
                found[is_empty] = table[wanted]
            is_there = (found[:, 0] == rows[:, 0]) & (found[:, 1] == rows[:, 1])
            table[slot[is_there], 2] = rows[is_there, 2]
            rows, slot = rows[~is_there], slot[~is_there] + 1
            slot[slot == len(table)] = 0

    def newest(self, rows: Any) -> Ints:
        """The newest offset of each key, or UNKNOWN_OFFSET."""
        table, slot = self._table, self._slots(rows)
        offset: Ints = np.full(len(rows), UNKNOWN_OFFSET, np.int64)
        place: Ints = np.arange(len(rows))
        while len(rows):
            found = table[slot]
            is_there: Flags = (found[:, 0] == rows[:, 0]) & (found[:, 1] == rows[:, 1]) & (found[:, 2] != 0)
            offset[place[is_there]] = (found[is_there, 2] & ~_TOMBSTONE).view(np.int64) - 1
            goes_on = ~is_there & (found[:, 2] != 0)
            rows, place, slot = rows[goes_on], place[goes_on], slot[goes_on] + 1
            slot[slot == len(table)] = 0
        return offset

    def all_newest(self) -> tuple[array[int], array[int]]:
        """See ``OffsetMap.all_newest``."""
        taken = self._table[:, 2][self._table[:, 2] != 0]
        newest, tombstones = array("q"), array("q")
        for found, some in ((newest, taken & ~_TOMBSTONE), (tombstones, taken[taken >= _TOMBSTONE] & ~_TOMBSTONE)):
            found.frombytes(np.sort(some.view(np.int64) - 1).tobytes())
        return newest, tombstones

    def reached(self, offset: int) -> None:
        """Everything up to ``offset`` is in the map."""
        self.latest = max(self.latest, offset)
