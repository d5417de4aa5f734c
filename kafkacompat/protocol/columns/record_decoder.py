"""Decodes the records of many batches together, in columns.

Two passes. The first finds where each record begins: the length of record *i* says where record *i + 1* is, so it goes
through all batches in step, record *i* of each of them in one operation; the last few batches, too few for that, are
walked one by one. The second pass knows all records, and reads a field of all of them in one operation.

What may be wrong with a record is what `protocol/records/reader.py` refuses. Here a batch with such a record is only
found, and has no columns; the other reader says what is wrong with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kafkacompat.protocol.columns.varints import (
    MAX_VARINT_BYTES,
    PADDING_BYTES,
    Bytes,
    Flags,
    Ints,
    read_varints,
    unzigzag,
)
from kafkacompat.protocol.records.reader import MIN_RECORD_BYTES

MIN_IN_STEP = 64
"""For fewer batches a step of NumPy takes longer than walking each of them."""
MIN_HEADERS_IN_STEP = 16


class Spans(NamedTuple):
    """Pieces of the data: where each begins, and its size in bytes; −1 is a null."""

    start: Ints
    size: Ints


class Headers(NamedTuple):
    """The headers of all records, in order, and how many each record has."""

    count: Ints
    key: Spans
    value: Spans


class Records(NamedTuple):
    """Decoded records, in order. Deltas count from the batch's base. `batch` is the number of each record's batch."""

    batch: Ints
    offset_delta: Ints
    timestamp_delta: Ints
    key: Spans
    value: Spans
    headers: Headers


def decode(data: Bytes, start: Ints, end: Ints, count: Ints, last_delta: Ints) -> tuple[Records, Ints]:
    """The records of all sound batches, and the numbers of those that are not sound.

    `data` ends with PADDING_BYTES zeros. Each batch has its decompressed records from `start` to `end`; `count` and
    `last_delta` are what its header says.
    """
    assert not start.size or int(end.max()) <= data.size - PADDING_BYTES
    is_bad = (count < 0) | (count * MIN_RECORD_BYTES > end - start) | ((count == 0) & (end != start))
    good = np.flatnonzero(~is_bad)
    batch, at, raw, batch_end = boundaries(data, start[good], end[good], count[good])
    batch = good[batch]
    length = unzigzag(raw)
    after = at + length
    wrong = (length < MIN_RECORD_BYTES - 1) | (after > batch_end)
    if wrong.any():
        is_bad[batch[wrong]] = True
        keep = ~is_bad[batch]
        batch, at, after = batch[keep], at[keep], after[keep]
    fields, wrong = _fields(data, at, after)
    wrong |= (fields.offset_delta < 0) | (fields.offset_delta > last_delta[batch])
    records = fields._replace(batch=batch)
    is_bad[batch[wrong]] = True
    _check_ends(batch, after, end, is_bad)
    if is_bad.any():
        records = select(records, ~is_bad[batch])
    return records, np.flatnonzero(is_bad)


def _check_ends(batch: Ints, after: Ints, end: Ints, is_bad: Flags) -> None:
    """The last record of each batch ends with it."""
    if batch.size:
        last = np.flatnonzero(np.append(batch[1:] != batch[:-1], True))
        is_bad[batch[last[after[last] != end[batch[last]]]]] = True


def select(records: Records, keep: Flags) -> Records:
    """Some of the records."""
    headers = records.headers
    of_kept: Flags = np.repeat(keep, headers.count)

    def some(spans: Spans, kept: Flags) -> Spans:
        return Spans(spans.start[kept], spans.size[kept])

    return Records(
        records.batch[keep],
        records.offset_delta[keep],
        records.timestamp_delta[keep],
        some(records.key, keep),
        some(records.value, keep),
        Headers(headers.count[keep], some(headers.key, of_kept), some(headers.value, of_kept)),
    )


def boundaries(data: Bytes, start: Ints, end: Ints, count: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Of each record: its batch, where it begins after its length, the length as it stands there, and its batch's end.

    No position is behind the end of its batch, whatever the lengths say.
    """
    first = np.cumsum(count) - count
    total = int(count.sum())
    at_all: Ints = np.empty(total, np.int64)
    raw_all: Ints = np.empty(total, np.uint64)
    batch: Ints = np.repeat(np.arange(count.size), count)
    order = np.argsort(-count, kind="stable")
    begin, position, limit = first[order], start[order].copy(), end[order]
    counts = count[order]
    step = 0
    active = int(np.searchsorted(-counts, 0, side="left"))
    while active >= MIN_IN_STEP:
        at = position[:active]
        raw, after = _lengths(data, at)
        place = begin[:active] + step
        at_all[place], raw_all[place] = after, raw
        size = np.minimum(raw >> np.uint64(1), np.uint64(data.size)).view(np.int64)
        np.minimum(after + size, limit[:active], out=at)
        step += 1
        active = int(np.searchsorted(-counts, -step, side="left"))
    if active:
        text = data.data if data.flags.c_contiguous else data.tobytes()
        for number in range(active):
            ends, raws = walk(text, int(position[number]), int(limit[number]), int(counts[number]) - step)
            place = slice(int(begin[number]) + step, int(begin[number]) + int(counts[number]))
            at_all[place], raw_all[place] = ends, raws
    return batch, at_all, raw_all, end[batch]


def _lengths(data: Bytes, at: Ints) -> tuple[Ints, Ints]:
    """The lengths at `at`, not yet signed, and the positions after them. Two bytes hold most of them."""
    low, high = data[at].astype(np.uint64), data[at + 1].astype(np.uint64)
    is_long = low >= 0x80
    if bool((is_long & (high >= 0x80)).any()):
        values, after, too_long = read_varints(data, at)
        if too_long is not None:
            values[too_long] = -1  # no record has that
        return ((values << 1) ^ (values >> 63)).view(np.uint64), after
    return np.where(is_long, (low & np.uint64(0x7F)) | (high << np.uint64(7)), low), at + 1 + is_long


def walk(data: memoryview | bytes, at: int, end: int, count: int) -> tuple[list[int], list[int]]:
    """``count`` records of one batch from ``at`` on, each from the length of the one before: as ``boundaries``."""
    starts, raws = [], []
    for _ in range(count):
        byte = data[at]
        at += 1
        if byte >= 0x80:
            raw, shift = byte & 0x7F, 7
            while True:
                byte = data[at]
                at += 1
                raw |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
                if shift > 63:
                    raw = 1
                    break
        else:
            raw = byte
        starts.append(at)
        raws.append(raw & 0xFFFFFFFFFFFFFFFF)
        at += raw >> 1
        at = min(at, end)
    return starts, raws


class Cursor:
    """A position in each record, which never leaves its record, and what was wrong with the fields before it."""

    def __init__(self, data: Bytes, at: Ints, end: Ints) -> None:
        self.data, self.at, self.end = data, at, end
        self.wrong = np.zeros(at.size, np.bool_)

    def integers(self) -> Ints:
        """An integer of each record."""
        values, after, too_long = read_varints(self.data, self.at)
        self.wrong |= after > self.end
        if too_long is not None:
            self.wrong |= too_long
        self.at = np.minimum(after, self.end)
        return values

    def spans(self, least: int) -> Spans:
        """Bytes with their length before them. `least` −1 allows nulls."""
        size = self.integers()
        start = self.at
        self.wrong |= (size < least) | (size > self.end - start)
        size = np.clip(size, -1, self.end - start)
        self.at = start + np.maximum(size, 0)
        return Spans(start, size)


def _fields(data: Bytes, at: Ints, end: Ints) -> tuple[Records, Flags]:
    """The fields of all records, and which records are wrong."""
    cursor = Cursor(data, at + 1, end)  # attributes: none exist
    timestamp_delta = cursor.integers()
    offset_delta = cursor.integers()
    key = cursor.spans(-1)
    value = cursor.spans(-1)
    count = cursor.integers()
    cursor.wrong |= (count < 0) | (count > (end - cursor.at) // 2)
    count[cursor.wrong] = 0
    headers = _headers(cursor, count)
    cursor.wrong |= cursor.at != end
    return Records(at, offset_delta, timestamp_delta, key, value, headers), cursor.wrong


def _headers(cursor: Cursor, count: Ints) -> Headers:
    """Header *j* of all records in one operation; cursor and its `wrong` go on to the end of the headers."""
    total = int(count.sum())
    first = np.cumsum(count) - count
    columns: Ints = np.empty((4, total), np.int64)
    active = np.flatnonzero(count)
    number = 0
    while active.size:
        if active.size < MIN_HEADERS_IN_STEP and number >= MIN_HEADERS_IN_STEP:
            for record in active.tolist():
                _walk_headers(cursor, record, columns, int(first[record]) + number, int(count[record]) - number)
            break
        part = Cursor(cursor.data, cursor.at[active], cursor.end[active])
        key, value = part.spans(0), part.spans(-1)
        columns[:, first[active] + number] = (*key, *value)
        cursor.at[active] = part.at
        cursor.wrong[active] |= part.wrong
        number += 1
        active = active[count[active] > number]
    return Headers(count, Spans(columns[0], columns[1]), Spans(columns[2], columns[3]))


def _walk_headers(cursor: Cursor, record: int, columns: Ints, place: int, count: int) -> None:
    """The last headers of one record that has many more than the others."""
    data, at, end = cursor.data.data, int(cursor.at[record]), int(cursor.end[record])
    for number in range(place, place + count):
        for row in (0, 2):
            size, at = _integer(data, min(at, end))
            if size < (-1 if row else 0) or size > end - at:
                cursor.wrong[record] = True
                columns[:, number : place + count] = 0
                return
            columns[row : row + 2, number] = at, size
            at += max(size, 0)
    cursor.at[record] = at


def _integer(data: memoryview, at: int) -> tuple[int, int]:
    """The integer at `at` and the position after it; a size that nothing has if it has more than ten bytes."""
    raw = 0
    for number in range(MAX_VARINT_BYTES):
        byte = data[at + number]
        raw |= (byte & 0x7F) << 7 * number
        if byte < 0x80:
            return (raw >> 1) ^ -(raw & 1), at + number + 1
    return -2, at
