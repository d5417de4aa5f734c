"""Goes through the records of many batches at once, with NumPy: what ``scan_loop.py`` does one by one.

Batches are collected until there are so many bytes or records of them that operations on arrays pay. A larger batch
comes alone, and in pieces. Only the process that compacts imports this module, if it can.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kafkacompat.protocol.columns.record_decoder import Cursor, boundaries, walk
from kafkacompat.protocol.columns.varints import PADDING_BYTES, Bytes, Flags, Ints, unzigzag
from kafkacompat.protocol.records.batch import RecordBatchError
from kafkacompat.protocol.records.reader import MIN_RECORD_BYTES
from kafkacompat.storage import scan
from kafkacompat.storage.compaction import scan_loop
from kafkacompat.storage.compaction.array_map import ArrayOffsetMap
from kafkacompat.storage.compaction.batch_rules import NO_DELTA, Stays, check, control_kind
from kafkacompat.storage.compaction.clean_rules import DELETE, keeps_tombstones
from kafkacompat.storage.compaction.noted_batches import NotedBatches
from kafkacompat.storage.compaction.thinned_batch import records_in, room_for_header

if TYPE_CHECKING:
    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.compaction.batch_rules import BatchRules, Verdict, Written
    from kafkacompat.storage.compaction.clean_rules import RoundTransactions
    from kafkacompat.storage.compaction.ordinary_batches import Output
    from kafkacompat.storage.compaction.scan_loop import Batches, Thinned
    from kafkacompat.storage.compaction.thinned_batch import Data
    from kafkacompat.storage.scan import Take

CHUNK_BYTES = 2 * 1024 * 1024
CHUNK_RECORDS = 64 * 1024
"""A chunk has less than that and one batch, and no piece has more records."""
MAX_VARINT_BYTES = 5
"""Of a length and of an offset delta (``ByteUtils.readVarint``)."""


class _Batch(NamedTuple):
    """A batch whose records are looked at, and where they are in the bytes of its chunk."""

    header: BatchHeader
    batch: memoryview
    start: int
    end: int
    verdict: Verdict | None


class _Piece(NamedTuple):
    """Records in their order. ``batch``: the number of each record's batch in its chunk. ``key_size`` −1: none."""

    batch: Ints
    start: Ints
    end: Ints
    offset: Ints
    timestamp_delta: Ints
    key_start: Ints
    key_size: Ints
    has_value: Flags

    def first(self, count: int) -> _Piece:
        return _Piece(*(column[:count] for column in self))


class _Chunk:
    """Batches that are decoded together."""

    def __init__(self) -> None:
        self.batches: list[_Batch] = []
        self._parts: list[bytes | bytearray | memoryview] = []
        self._size = 0
        self._records = 0
        self.text: Data = b""
        self.others: list[tuple[int, BatchHeader, Written]] = []  # what stays without that, and behind how many batches
        self._others_size = 0
        self.interrupted: set[int] = set()  # behind how many batches some were aborted

    def add(self, header: BatchHeader, batch: memoryview, verdict: Verdict | None = None) -> bool:
        """Returns whether the chunk is full. Raises RecordBatchError."""
        data, start = records_in(header, batch)
        size, count = len(data) - start, header.record_count
        scan_loop.check_count(header, size)
        self.batches.append(_Batch(header, batch, self._size, self._size + size, verdict))
        self._parts.append(memoryview(data)[start:] if start else data)
        self._size += size
        self._records += count
        return self._size >= CHUNK_BYTES or self._records >= CHUNK_RECORDS

    def add_other(self, header: BatchHeader, result: Written) -> bool:
        """What stays of a batch whose records are not looked at. Returns whether the chunk is full."""
        self.others.append((len(self.batches), header, result))
        self._others_size += len(result[0])
        return len(self.others) >= CHUNK_RECORDS or self._others_size >= CHUNK_BYTES

    def pieces(self) -> Iterator[_Piece]:
        """The records. Raises CorruptBatchError behind the last one before the damage."""
        if not self.batches:
            return
        self.text = b"".join([*self._parts, bytes(PADDING_BYTES)])
        self._parts.clear()
        data = np.frombuffer(self.text, np.uint8)
        headers = [batch.header for batch in self.batches]
        last_delta = np.array([header.last_offset_delta for header in headers], np.int64)
        base = np.array([header.base_offset for header in headers], np.int64)
        batch_start = np.array([batch.start for batch in self.batches], np.int64)
        for batch, start, at, raw, limit, is_last in self._boundaries(data, batch_start):
            piece, wrong, goes_on = _decode(data, batch, start, at, raw, limit, is_last)
            wrong |= (piece.offset < 0) | (piece.offset > last_delta[batch])
            piece = piece._replace(offset=piece.offset + base[batch])
            # a batch that goes on behind its last record is damaged behind that
            sound = int(wrong.argmax()) if wrong.any() else batch.size
            if goes_on.any():
                sound = min(sound, int(goes_on.argmax()) + 1)
            if sound == batch.size and not goes_on.any():
                yield piece
                continue
            yield piece.first(sound)
            place = self.batches[int(batch[sound - 1 if sound and goes_on[sound - 1] else sound])]
            _refuse(self.text[place.start : place.end], 0, place.header)

    def _boundaries(self, data: Bytes, batch_start: Ints) -> Iterator[tuple[Ints, Ints, Ints, Ints, Ints, Flags]]:
        """Pieces of records: of each its batch, its start, where it begins after its length, that as it stands there,
        the end of its batch, and whether it is the last one of it.
        """
        batch_end = np.array([batch.end for batch in self.batches], np.int64)
        count = np.array([batch.header.record_count for batch in self.batches], np.int64)
        if len(self.batches) > 1 or self._records <= CHUNK_RECORDS:
            batch, at, raw, limit = boundaries(data, batch_start, batch_end, count)
            last = np.cumsum(count) - 1
            is_last = np.zeros(batch.size, np.bool_)
            is_last[last[count > 0]] = True
            start = np.empty_like(at)
            start[1:] = at[:-1] + (raw[:-1] >> np.uint64(1)).astype(np.int64)
            np.minimum(start, limit, out=start)
            first = (last + 1 - count)[count > 0]
            start[first] = batch_start[count > 0]
            for begin in range(0, batch.size, CHUNK_RECORDS):
                some = slice(begin, begin + CHUNK_RECORDS)
                yield batch[some], start[some], at[some], raw[some], limit[some], is_last[some]
            return
        place, end, left = 0, int(batch_end[0]), int(count[0])
        while left:
            number = min(left, CHUNK_RECORDS)
            ats, raws = walk(data.data, place, end, number)
            at, raw = np.array(ats, np.int64), np.array(raws, np.uint64)
            start = np.empty_like(at)
            start[0] = place
            start[1:] = np.minimum(at[:-1] + (raw[:-1] >> np.uint64(1)).astype(np.int64), end)
            place = min(ats[-1] + (raws[-1] >> 1), end)
            left -= number
            is_last = np.zeros(number, np.bool_)
            is_last[-1] = not left
            yield np.zeros(number, np.int64), start, at, raw, np.full(number, end), is_last


def _refuse(data: Data, start: int, header: BatchHeader) -> None:
    """Raise what the other scanner finds wrong with a batch. The two agree on what is."""
    for _ in scan_loop.walk(data, start, header):
        pass
    raise AssertionError(f"the batch at offset {header.base_offset} is damaged for one scanner only")


def _decode(
    data: Bytes, batch: Ints, start: Ints, at: Ints, raw: Ints, limit: Ints, is_last: Flags
) -> tuple[_Piece, Flags, Flags]:
    """The records, with their offset deltas, which are damaged, and which are followed by what is no record. Headers
    are not looked at.
    """
    length = unzigzag(raw)
    wrong = (length < MIN_RECORD_BYTES - 1) | (length > limit - at) | (at - start > MAX_VARINT_BYTES)
    end = at + np.clip(length, 0, np.maximum(limit - at, 0))
    cursor = Cursor(data, np.minimum(at + 1, end), end)  # attributes: none exist
    timestamp_delta = cursor.integers()

    def integers() -> Ints:
        before = cursor.at
        found = cursor.integers()
        cursor.wrong |= cursor.at - before > MAX_VARINT_BYTES
        return found

    offset_delta = integers()
    key_size = integers()
    key_start = cursor.at
    key_size = np.maximum(key_size, -1)
    cursor.wrong |= key_size > end - key_start
    key_size = np.minimum(key_size, end - key_start)
    cursor.at = key_start + np.maximum(key_size, 0)
    value_size = integers()
    wrong |= cursor.wrong | (value_size > end - cursor.at)
    piece = _Piece(batch, start, end, offset_delta, timestamp_delta, key_start, key_size, value_size >= 0)
    return piece, wrong, is_last & (end != limit)


class ArrayScanner:
    """See ``scan_loop.Scanner``."""

    __slots__ = ("_is_finished", "_noted", "_offsets", "without_key")

    def __init__(self, map_bytes: int, secret: bytes) -> None:
        """``map_bytes``: memory for keys. ``secret``: of their hashes."""
        self._offsets = ArrayOffsetMap(map_bytes, secret)
        self._noted = NotedBatches()
        self._is_finished = False
        self.without_key = 0

    @property
    def end_offset(self) -> int:
        """See ``Scanner``."""
        return self._offsets.latest + 1

    def reached(self, offset: int) -> None:
        """See ``Scanner``."""
        self._offsets.reached(offset)

    def index(self, batches: Batches, transactions: RoundTransactions, first_dirty: int) -> bool:
        """See ``Scanner``."""
        chunk, ends = _Chunk(), [first_dirty - 1]
        self._is_finished = False
        try:
            for header, batch in batches:
                check(header, batch)
                is_full = False
                if header.is_control:
                    transactions.end(header, control_kind(header, batch))
                    ends[-1] = header.last_offset
                elif not transactions.is_aborted(header):
                    is_full = chunk.add(header, batch)
                    ends.append(header.last_offset)
                else:
                    chunk.interrupted.add(len(chunk.batches))
                    ends[-1] = header.last_offset
                if is_full:
                    full, full_ends, chunk, ends = chunk, ends, _Chunk(), [first_dirty - 1]
                    if not self._note(full, full_ends, first_dirty):
                        return False
        except RecordBatchError:
            if not self._note(chunk, ends, first_dirty):
                return False  # what is damaged comes behind the end of the map
            raise
        return self._note(chunk, ends, first_dirty)

    def index_ahead(self, _first_dirty: int) -> Take:
        """See ``Scanner``."""
        return scan.leave_all

    def thin_ahead(self, _rules: BatchRules, _output: Output) -> Take:
        """See ``Scanner``. (Batches wait in chunks, which others must not overtake.)"""
        return scan.leave_all

    def _note(self, chunk: _Chunk, ends: list[int], first_dirty: int) -> bool:
        """Note the records of a chunk. ``ends``: the last offset before each of its batches, and the last one of
        all: what is not in the chunk has nothing to note.
        """
        offsets, dense = self._offsets, _Dense(chunk, first_dirty)
        data: Bytes | None = None
        for piece in chunk.pieces():
            if data is None:
                data = np.frombuffer(chunk.text, np.uint8)
            dense.look_at(piece)
            keyed = np.flatnonzero((piece.key_size >= 0) & (piece.offset >= first_dirty))
            sums = offsets.sums(data, piece.key_start[keyed], piece.key_size[keyed])
            taken = offsets.put(sums, piece.offset[keyed], piece.has_value[keyed])
            if taken < keyed.size:
                before = ends[int(piece.batch[keyed[taken]])]
                if before >= first_dirty:
                    offsets.reached(before)
                return False
        if ends[-1] >= first_dirty:
            offsets.reached(ends[-1])
        for number, (batch, is_dense) in enumerate(zip(chunk.batches, dense.of_batch.tolist(), strict=True)):
            if number in chunk.interrupted:
                self._noted.interrupt()
            self._noted.add(batch.header, is_noted=is_dense)
        if len(chunk.batches) in chunk.interrupted:
            self._noted.interrupt()
        return True

    def thin(self, batches: Batches, rules: BatchRules) -> Thinned:
        """See ``Scanner``."""
        chunk = _Chunk()
        if not self._is_finished:
            self._noted.finish(*self._offsets.all_newest())
            self._is_finished = True
        try:
            for header, batch in batches:
                verdict = rules.verdict(header, batch)
                if verdict.fate == DELETE:
                    continue
                is_full = False
                result: Written | None
                if verdict.drops or header.is_control:
                    result = scan_loop.without_keys(header, batch, rules, verdict)
                elif self._noted.has(header):
                    result = self._noted.thinned(header, batch, rules, verdict)
                else:
                    result = None
                    is_full = chunk.add(header, batch, verdict)
                if result is not None and not chunk.batches:
                    yield header, *result
                elif result is not None:
                    is_full = chunk.add_other(header, result)
                if is_full:
                    full, chunk = chunk, _Chunk()
                    yield from self._thinned(full, rules)
                    del full
        except RecordBatchError:
            yield from self._thinned(chunk, rules)
            raise
        yield from self._thinned(chunk, rules)

    def _thinned(self, chunk: _Chunk, rules: BatchRules) -> Thinned:
        found = [_Found(batch.header.record_count) for batch in chunk.batches]
        tombstones = np.array([keeps_tombstones(batch.header, rules.now_ms) for batch in chunk.batches], np.bool_)
        for piece in chunk.pieces():
            keep = self._keeps(np.frombuffer(chunk.text, np.uint8), piece, tombstones)
            if keep.size:
                _add_piece(found, chunk.text, piece, keep)
        others = deque(chunk.others)
        for number, ((header, batch, start, _, verdict), each) in enumerate(zip(chunk.batches, found, strict=True)):
            while others and others[0][0] <= number:
                _, other, result = others.popleft()
                yield other, *result
            assert verdict is not None
            kept: Written | None
            if each.count:
                stays = Stays(each.count, each.max_delta, each.body, each.flags, has_tombstone=each.has_tombstone)
                kept = rules.result(header, batch, chunk.text, start, stays, verdict)
            else:
                kept = rules.without_records(header, verdict)
            if kept is not None:
                yield header, *kept
        for _, other, result in others:
            yield other, *result

    def _keeps(self, data: Bytes, piece: _Piece, tombstones: Flags) -> Flags:
        """Which records stay."""
        keep: Flags = piece.offset > self._offsets.latest
        asked = np.flatnonzero(~keep & (piece.key_size >= 0) & (piece.has_value | tombstones[piece.batch]))
        self.without_key += int((~keep & (piece.key_size < 0)).sum())
        sums = self._offsets.sums(data, piece.key_start[asked], piece.key_size[asked])
        keep[asked] = piece.offset[asked] >= self._offsets.newest(sums)
        return keep


class _Dense:
    """Which batches of a chunk have only records with keys, at offsets that are their places, all of them dirty."""

    def __init__(self, chunk: _Chunk, first_dirty: int) -> None:
        self._base = np.array([batch.header.base_offset for batch in chunk.batches], np.int64)
        count = np.array([batch.header.record_count for batch in chunk.batches], np.int64)
        self._first = np.cumsum(count) - count
        self._seen = 0
        self.of_batch: Flags = self._base >= first_dirty

    def look_at(self, piece: _Piece) -> None:
        """The next piece."""
        place = np.arange(self._seen, self._seen + piece.batch.size) - self._first[piece.batch]
        self._seen += piece.batch.size
        self.of_batch[piece.batch[(piece.key_size < 0) | (piece.offset - self._base[piece.batch] != place)]] = False


class _Found:
    """What was found of a batch of so many records: see ``Stays``."""

    __slots__ = ("_flags", "body", "count", "has_tombstone", "max_delta", "record_count")

    def __init__(self, record_count: int) -> None:
        self.record_count = record_count
        self.count = 0
        self.max_delta = NO_DELTA
        self.has_tombstone = False
        self.body: bytearray | None = None
        self._flags: list[Flags] = []

    def add(self, keep: Flags, count: int, max_delta: int, *, has_values: bool) -> bool:
        """The next records: which stay, how many, and of those. Returns whether there are others of the batch."""
        self._flags.append(keep)
        self.count += count
        if count:
            self.max_delta = max(self.max_delta, max_delta)
            self.has_tombstone = self.has_tombstone or not has_values
        return count < self.record_count

    def flags(self) -> bytes:
        """See ``Stays``."""
        return b"".join([each.tobytes() for each in self._flags])


def _places(of: Ints, numbers: Ints) -> tuple[Ints, Ints]:
    """Where in ``of``, which ascends, each number begins and ends."""
    begin: Ints = np.searchsorted(of, numbers)
    end: Ints = np.searchsorted(of, numbers, side="right")
    return begin, end


def _add_piece(found: list[_Found], text: Data, piece: _Piece, keep: Flags) -> None:
    """Add to each batch what stays of its records in a piece."""
    begins = np.flatnonzero(np.append(True, piece.batch[1:] != piece.batch[:-1]))
    numbers = piece.batch[begins]
    kept = np.flatnonzero(keep)
    of_kept = piece.batch[kept]
    first, behind = _places(of_kept, numbers)
    has_some = np.flatnonzero(behind > first)
    max_delta, has_values = np.zeros(numbers.size, np.int64), np.ones(numbers.size, np.bool_)
    if kept.size:
        max_delta[has_some] = np.maximum.reduceat(piece.timestamp_delta[kept], first[has_some])
        has_values[has_some] = np.logical_and.reduceat(piece.has_value[kept], first[has_some])
    is_first: Flags = np.append(True, (kept[1:] != kept[:-1] + 1) | (of_kept[1:] != of_kept[:-1]))
    run_first = np.flatnonzero(is_first[: kept.size])
    run_last: Ints = np.append(run_first[1:], kept.size)[: run_first.size] - 1
    starts, stops = piece.start[kept[run_first]].tolist(), piece.end[kept[run_last]].tolist()
    of_runs = of_kept[run_first]
    runs, runs_end = _places(of_runs, numbers)
    view = memoryview(text)
    ends: Ints = np.append(begins[1:], keep.size)
    columns: tuple[Ints, ...] = (numbers, begins, ends, behind - first, max_delta, has_values, runs, runs_end)
    rows = zip(*(each.tolist() for each in columns), strict=True)
    for number, begin, end, count, delta, has_all, run, run_end in rows:
        each = found[number]
        if each.add(keep[begin:end], count, delta, has_values=has_all):
            body = each.body
            if body is None:
                body = each.body = room_for_header()
            for start, stop in zip(starts[run:run_end], stops[run:run_end], strict=True):
                body += view[start:stop]
