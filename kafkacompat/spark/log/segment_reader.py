"""Reads a piece of a segment file in chunks of whole batches, and makes Arrow batches of them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import numpy as np
import pyarrow as pa

from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol.columns.record_decoder import decode, select
from kafkacompat.protocol.columns.varints import PADDING_BYTES, Bytes, Flags, Ints
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, RecordBatchError
from kafkacompat.protocol.records.compression import decompress
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.spark.log import batch_headers as of
from kafkacompat.spark.log.batch_headers import Headers, column
from kafkacompat.spark.log.columns import BatchRows, RecordRows, Source, batch_batch, record_batch
from kafkacompat.spark.log.index_files import batch_positions
from kafkacompat.spark.log.read_damage import Damage, DamageHandler
from kafkacompat.spark.log.split import Reading, Split
from kafkacompat.storage.index import MAX_RELATIVE_OFFSET

DELETED_SUFFIX = ".deleted"
"""Kafka renames the files of a segment so, and removes them a minute later."""
_log = logging.getLogger(__name__)


class SegmentGoneError(KafkaCompatError):
    """A segment was removed after the read was planned."""


def read_split(split: Split, reading: Reading, damage: DamageHandler) -> Iterator[pa.RecordBatch]:
    """The rows of a split. Raises DamagedLogError, SegmentGoneError, OSError."""
    file = _open(split, reading)
    if file is not None:
        with file:
            yield from _SegmentReader(file, split, reading, damage).rows()


def _open(split: Split, reading: Reading) -> FileIO | None:
    for path in (split.path, split.path + DELETED_SUFFIX):
        try:
            return Path(path).open("rb", buffering=0)
        except FileNotFoundError:
            continue
    message = f"{split.path} was removed, by retention for example, after the read was planned"
    if reading.fail_on_data_loss:
        raise SegmentGoneError(f'{message}. option("failOnDataLoss", "false") goes on without it')
    _log.warning("%s", message)
    return None


class _SegmentReader:
    """One pass over a split."""

    def __init__(self, file: FileIO, split: Split, reading: Reading, damage: DamageHandler) -> None:
        self._file, self._split, self._reading, self._damage = file, split, reading, damage
        self._source = Source(split.topic, split.partition, split.path)
        # no checksum covers a batch's base offset: it is compared with what the segment and the split can have, where
        # offsets are 32 bits from the segment's base
        self._next_offset = int(Path(split.path).stem)
        self._max_offset = min(split.max_offset, self._next_offset + MAX_RELATIVE_OFFSET)
        self._knows_before = split.position == 0
        self._misses_end = False
        self._is_done = False

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Reads chunk after chunk. A batch that a chunk cuts off begins the next one."""
        position, end, filled = self._split.position, self._split.end_position, 0
        buffer = bytearray(self._reading.chunk_bytes + PADDING_BYTES)
        self._file.seek(position)
        while position < end and not self._is_done:
            room = min(len(buffer) - PADDING_BYTES, end - position)
            got = of.fill(self._file, buffer, filled, room)
            if got < room:
                end = position + got  # the file is shorter than it was
            places, used, wanted, fault = of.walk(buffer, got)
            yield from self._rows_of(buffer, places, position)
            if self._is_done:
                break
            if not fault and position + used + wanted > end > position + used:
                fault = f"batch of {wanted} bytes, but the file has {end - position - used} more" if wanted else "torn"
                if self._may_end(buffer, used, got, is_cut_off=True):
                    break
            elif fault and self._may_end(buffer, used, got, is_cut_off=False):
                break
            if fault:
                position, filled = self._after(position + used, end, fault), 0
                self._file.seek(position)
                continue
            position, filled = position + used, got - used
            rest = buffer[used:got]
            if wanted > len(buffer) - PADDING_BYTES:
                buffer = bytearray(wanted + PADDING_BYTES)
            buffer[:filled] = rest
        self._check_reached(end)

    def _may_end(self, buffer: bytearray, used: int, got: int, *, is_cut_off: bool) -> bool:
        """Whether what is left may be what a broker is writing, or has allocated to write to."""
        return self._split.may_be_torn and (is_cut_off or not any(buffer[used:got]))

    def _after(self, position: int, end: int, reason: str) -> int:
        """Where to go on after bytes that are no batch: at the next batch that the index knows."""
        known = [at for at in batch_positions(self._split.path) if position < at < end]
        resume = known[0] if known else end
        self._found(position, resume - position, UNKNOWN_OFFSET, reason)
        self._knows_before = False
        return resume

    def _found(self, position: int, size_bytes: int, base_offset: int, reason: str) -> None:
        split = self._split
        self._damage(Damage(split.topic, split.partition, split.path, position, size_bytes, base_offset, reason))

    def _check_reached(self, end: int) -> None:
        split = self._split
        if split.must_reach and not (self._is_done or self._misses_end):
            self._found(
                end, 0, UNKNOWN_OFFSET,
                f"the log ends at offset {max(self._next_offset, 0)}, but is committed up to {split.end_offset}",
            )  # fmt: skip

    def _rows_of(self, buffer: bytearray, places: list[int], position: int) -> Iterator[pa.RecordBatch]:
        """The rows of whole batches."""
        if not places:
            return
        data, at = np.frombuffer(buffer, np.uint8), np.array(places)
        batches = of.read_headers(data, at)
        keep = self._in_order(batches, at + position)
        keep &= self._in_range(batches, keep)
        keep &= column(batches, "max_timestamp") >= self._reading.min_timestamp_ms
        at, batches = at[keep], batches[keep]
        if self._reading.is_by_batch:
            yield self._batch_rows(buffer, data, at, batches, position)
        else:
            if self._reading.check_crcs:
                sound = self._checked(buffer, at, batches, position)
                at, batches = at[sound], batches[sound]
            has_rows = self._has_rows(batches)
            yield from self._record_rows(buffer, data, at[has_rows], batches[has_rows], position)

    def _in_order(self, batches: Headers, positions: Ints) -> Flags:
        """Offsets ascend from batch to batch, and are such as the segment may have."""
        base, last = column(batches, "base_offset"), of.last_offsets(batches)
        before = np.concatenate(([self._next_offset], last[:-1] + 1))
        keep = (base >= before) & (last >= base) & (base >= 0) & (last <= self._max_offset)
        if not keep.all():
            following = self._next_offset
            for number in range(base.size):
                first, end = int(base[number]), int(last[number])
                keep[number] = first >= max(following, 0) and first <= end <= self._max_offset
                if keep[number]:
                    following = end + 1
                else:
                    size = int(of.sizes(batches[number : number + 1])[0])
                    is_beyond = end > self._max_offset
                    wanted = (
                        f"at most {self._max_offset} can be" if is_beyond else f"{max(following, 0)} or more follows"
                    )
                    reason = f"a batch of offsets {first} to {end} where {wanted}"
                    self._found(int(positions[number]), size, first, reason)
        if self._split.is_committed_end:
            keep &= self._within_committed(batches, positions, before, keep)
        self._knows_before = True
        return keep

    def _within_committed(self, batches: Headers, positions: Ints, before: Ints, in_order: Flags) -> Flags:
        """Whether batches are where the end of what is committed lies between two of them.

        Behind it no offset is missing: one that leaves offsets out there, or that reaches over it, has a base offset
        that is too high. It may be the last one of the log, so that nothing behind it shows that.
        """
        base, end = column(batches, "base_offset"), self._split.end_offset
        beyond = (before < end) & (of.last_offsets(batches) >= end) & (base > before) & (base != end) & in_order
        if not self._knows_before:
            beyond[:1] = False
        for number in np.flatnonzero(beyond).tolist():
            header = batches[number : number + 1]
            first, last = int(base[number]), int(of.last_offsets(header)[0])
            reason = f"a batch of offsets {first} to {last} where {int(before[number])} follows and {end} is committed"
            self._misses_end = True  # and no other damage is needed to explain that
            self._found(int(positions[number]), int(of.sizes(header)[0]), first, reason)
        return ~beyond

    def _in_range(self, batches: Headers, in_order: Flags) -> Flags:
        """Not before the first offset, nor after the last. Notes where the next chunk goes on."""
        base, last = column(batches, "base_offset"), of.last_offsets(batches)
        end = self._split.end_offset
        known = last[in_order]
        if known.size:
            self._next_offset = max(self._next_offset, int(known[-1]) + 1)
            self._is_done = self._split.is_last and bool((known + 1 >= end).any())
        return (base < end) & (last >= self._split.start_offset)

    def _checked(self, buffer: bytearray, at: Ints, batches: Headers, position: int) -> Flags:
        """Which batches have the checksum that their headers say."""
        with memoryview(buffer) as view:
            computed = of.checksums(view, at, of.sizes(batches))
        stored = column(batches, "crc")
        sound = computed == stored
        for number in np.flatnonzero(~sound).tolist():
            reason = f"checksum {computed[number]:08x} of a batch that says {stored[number]:08x}"
            self._found_batch(batches, at, position, number, reason)
        return sound

    def _found_batch(self, batches: Headers, at: Ints, position: int, number: int, reason: str) -> None:
        header = batches[number : number + 1]
        base, size = int(column(header, "base_offset")[0]), int(of.sizes(header)[0])
        self._found(int(at[number]) + position, size, base, reason)

    def _has_rows(self, batches: Headers) -> Flags:
        """Neither control batches nor those of aborted transactions."""
        keep = ~of.is_control(batches) & (column(batches, "record_count") != 0)
        if self._split.aborted and keep.any():
            producer, base = column(batches, "producer_id"), column(batches, "base_offset")
            transactional = of.is_transactional(batches)
            for producer_id, first, last in self._split.aborted:
                keep &= ~(transactional & (producer == producer_id) & (base >= first) & (base <= last))
        return keep

    def _batch_rows(self, buffer: bytearray, data: Bytes, at: Ints, batches: Headers, position: int) -> pa.RecordBatch:
        computed = None
        if self._reading.check_crcs:
            with memoryview(buffer) as view:
                computed = of.checksums(view, at, of.sizes(batches))
        rows = BatchRows(self._source, data, batches, at, at + position, computed)
        return batch_batch(rows, self._reading.names)

    def _record_rows(
        self, buffer: bytearray, data: Bytes, at: Ints, batches: Headers, position: int
    ) -> Iterator[pa.RecordBatch]:
        size = of.sizes(batches)
        if not of.codecs(batches).any():
            if at.size:
                yield from self._decoded(buffer, data, at + BATCH_OVERHEAD, at + size, (at, batches, position))
            return
        pieces: list[bytes | bytearray | memoryview] = []
        numbers: list[int] = []
        total = 0
        codec = of.codecs(batches).tolist()
        with memoryview(buffer) as view:
            for number, (start, end) in enumerate(zip(at.tolist(), (at + size).tolist(), strict=True)):
                try:
                    content = view[start + BATCH_OVERHEAD : end]
                    pieces.append(decompress(codec[number], content) if codec[number] else bytes(content))
                except RecordBatchError as error:
                    self._found_batch(batches, at, position, number, str(error))
                    continue
                numbers.append(number)
                total += len(pieces[-1])
                if total >= self._reading.chunk_bytes:
                    yield from self._joined(buffer, pieces, (at[numbers], batches[numbers], position))
                    pieces, numbers, total = [], [], 0
        if numbers:
            yield from self._joined(buffer, pieces, (at[numbers], batches[numbers], position))

    def _joined(
        self, buffer: bytearray, pieces: list[bytes | bytearray | memoryview], where: tuple[Ints, Headers, int]
    ) -> Iterator[pa.RecordBatch]:
        end = np.cumsum([len(piece) for piece in pieces])
        data = np.frombuffer(b"".join([*pieces, bytes(PADDING_BYTES)]), np.uint8)
        start = np.concatenate(([0], end[:-1]))
        yield from self._decoded(buffer, data, start, end, where)

    def _decoded(
        self, buffer: bytearray, data: Bytes, start: Ints, end: Ints, where: tuple[Ints, Headers, int]
    ) -> Iterator[pa.RecordBatch]:
        """Records from `start` to `end`. `where`: the batches' places in the buffer, headers, the buffer's place."""
        at, batches, position = where
        records, bad = decode(data, start, end, column(batches, "record_count"), column(batches, "last_offset_delta"))
        for number in bad.tolist():
            self._found_batch(batches, at, position, number, _reason(buffer, int(at[number])))
        batch = records.batch
        offset = column(batches, "base_offset")[batch] + records.offset_delta
        keep = (offset >= self._split.start_offset) & (offset < self._split.end_offset)
        if not keep.all():
            records, offset, batch = select(records, keep), offset[keep], batch[keep]
        fixed = of.is_log_append_time(batches)[batch]
        times = column(batches, "base_timestamp")[batch] + records.timestamp_delta
        if fixed.any():
            times = np.where(fixed, column(batches, "max_timestamp")[batch], times)
        if offset.size:
            yield record_batch(RecordRows(self._source, data, batches, records, offset, times), self._reading.names)


def _reason(buffer: bytearray, at: int) -> str:
    """What the reader of single records says of a batch that could not be decoded."""
    try:
        for _ in read_records(buffer, at):
            pass
    except RecordBatchError as error:
        return str(error)
    return "its records cannot be decoded"
