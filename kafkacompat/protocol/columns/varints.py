"""Zigzag varints of many records at once: one NumPy operation for each byte of the longest, however many there are."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

# NumPy's arrays of one dimension, by what they hold; types are checked without NumPy as well
Bytes: TypeAlias = Any
"""Of uint8."""
Ints: TypeAlias = Any
"""Of int64."""
Flags: TypeAlias = Any
"""Of bool."""

MAX_VARINT_BYTES = 10
PADDING_BYTES = 2 * MAX_VARINT_BYTES
"""Zeros that have to follow the data, so that an integer which runs past the end is read before it is refused."""


def read_varints(data: Bytes, at: Ints) -> tuple[Ints, Ints, Flags | None]:
    """The integers at the positions `at`, the positions after them, and which have more than ten bytes (None: none)."""
    first = data[at]
    after = at + 1
    longer = np.flatnonzero(first >= 0x80)
    if not longer.size:
        small = first.astype(np.int64)
        return (small >> 1) ^ -(small & 1), after, None
    raw = (first & 0x7F).astype(np.uint64)
    too_long = None
    place = at[longer]
    for number in range(1, MAX_VARINT_BYTES + 1):
        if number == MAX_VARINT_BYTES:
            too_long = np.zeros(at.size, np.bool_)
            too_long[longer] = True
            break
        byte = data[place + number]
        raw[longer] |= (byte & 0x7F).astype(np.uint64) << np.uint64(7 * number)
        after[longer] += 1
        goes_on = byte >= 0x80
        if not goes_on.any():
            break
        longer, place = longer[goes_on], place[goes_on]
    return unzigzag(raw), after, too_long


def unzigzag(raw: Any) -> Ints:
    """Signed integers out of 0, −1, 1, −2, … as 0, 1, 2, 3, …"""
    half: Ints = (raw >> np.uint64(1)).view(np.int64)
    return half ^ -(raw & np.uint64(1)).view(np.int64)
