"""Reads a segment file for an audit: the headers of all batches as columns, and their computed checksums.

Nothing is decoded but the kinds of control records. What is no batch is reported, and reading goes on at the next
batch whose checksum is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from kafkacompat.protocol.columns.varints import PADDING_BYTES, Bytes, Flags, Ints
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, MAGIC_OFFSET, MAGIC_V2
from kafkacompat.protocol.records.control import ABORT
from kafkacompat.spark.audit.audit_findings import FORMAT, FRAMING
from kafkacompat.spark.log import batch_headers as of
from kafkacompat.spark.log.batch_headers import Headers, column
from kafkacompat.spark.log.split import CHUNK_BYTES

SEARCHED_BYTES = 1024 * 1024
"""How much is searched in one operation for the next batch behind damage."""
NO_MARKER = 0
"""What `Batches.marker` has for data; for a control record it is its kind and one more."""
ABORT_MARKER = ABORT + 1
OTHER_MARKER = 1 << 16
"""A control record that is laid out in another way than Kafka's."""
_KEY_LENGTH_AT = BATCH_OVERHEAD + 4  # behind one byte each for length, attributes, timestamp delta and offset delta
_KIND_AT = _KEY_LENGTH_AT + 3  # behind the key's length and version
_KEY_BYTES = 8  # zigzag of 4


class Batches(NamedTuple):
    """Columns of batches, one entry for each. `marker`: see NO_MARKER."""

    base: Ints
    last: Ints
    position: Ints
    size: Ints
    epoch: Ints
    stored: Ints
    computed: Ints
    attributes: Ints
    base_timestamp: Ints
    max_timestamp: Ints
    producer_id: Ints
    producer_epoch: Ints
    base_sequence: Ints
    count: Ints
    marker: Ints

    @property
    def is_sound(self) -> Flags:
        return self.stored == self.computed

    def some(self, wanted: Ints | Flags | slice) -> Batches:
        """Those of the given numbers or flags."""
        return Batches(*(each[wanted] for each in self))

    def then(self, others: Batches) -> Batches:
        """These and others behind them."""
        return Batches(*(np.concatenate(pair) for pair in zip(self, others, strict=True)))


NO_BATCHES = Batches(*(np.empty(0, np.int64) for _ in Batches._fields))


class Unreadable(NamedTuple):
    """Bytes of a file that are no batch. `kind` is that of a finding."""

    kind: str
    position: int
    size_bytes: int
    reason: str


OnDamage: TypeAlias = Callable[[Unreadable], None]


class Scan:
    """One pass over a segment file. `end_position`: behind the last whole batch; `torn_bytes`: what is behind that at
    the end of the last segment, which a broker may be writing.
    """

    def __init__(self, path: str, *, is_last: bool, chunk_bytes: int = CHUNK_BYTES) -> None:
        self._path, self._is_last, self._chunk_bytes = path, is_last, chunk_bytes
        self.end_position = 0
        self.torn_bytes = 0

    def batches(self, on_damage: OnDamage) -> Iterator[Batches]:
        """Chunk after chunk, in the order of the file. Raises OSError."""
        with Path(self._path).open("rb", buffering=0) as file:
            yield from self._chunks(file, on_damage)

    def _chunks(self, file: FileIO, on_damage: OnDamage) -> Iterator[Batches]:
        end = file.seek(0, 2)
        file.seek(0)
        buffer = bytearray(self._chunk_bytes + PADDING_BYTES)
        position = filled = 0
        while position < end:
            room = min(len(buffer) - PADDING_BYTES, end - position)
            got = of.fill(file, buffer, filled, room)
            if got < room:
                end = position + got  # the file is shorter than it was
            places, used, wanted, fault = of.walk(buffer, got)
            is_cut_off = not fault and position + used + wanted > end > position + used
            batches = _batches(buffer, places, position)
            whole, resume, reason = self._whole(batches, is_at_damage=bool(fault or is_cut_off))
            if whole < len(places):
                used, fault, is_cut_off = places[whole], reason or fault, not (reason or fault)
            if whole:
                self.end_position = position + used
                yield batches.some(slice(0, whole))
            if fault or is_cut_off:
                resume = resume or find_batch(self._path, position + used, end)
                if resume is None and self._is_last and (is_cut_off or not any(buffer[used:got])):
                    self.torn_bytes = end - position - used
                    return
                kind = FORMAT if fault and buffer[used + MAGIC_OFFSET] < MAGIC_V2 else FRAMING
                size = (end if resume is None else resume) - position - used
                on_damage(Unreadable(kind, position + used, size, fault or "a batch that the file cuts off"))
                position, filled = position + used + size, 0
                file.seek(position)
                continue
            position, filled = position + used, got - used
            rest = buffer[used:got]
            if wanted > len(buffer) - PADDING_BYTES:
                buffer = bytearray(wanted + PADDING_BYTES)
            buffer[:filled] = rest

    def _whole(self, batches: Batches, *, is_at_damage: bool) -> tuple[int, int | None, str]:
        """How many of the batches have a length that can be; where to go on behind them, if it is known, and why.

        No checksum covers the length. One that is too large has other batches in it, and one that is too small leaves
        bytes behind it that are no batch.
        """
        unsound = np.flatnonzero(~batches.is_sound)
        for number in unsound.tolist():
            position = int(batches.position[number])
            inside = find_batch(self._path, position, position + int(batches.size[number]), int(batches.base[number]))
            if inside is not None:
                return number, inside, "a length that reaches over other batches"
        if is_at_damage and unsound.size and unsound[-1] == batches.base.size - 1:
            return int(unsound[-1]), None, "a length that leaves a part of the batch behind"
        return batches.base.size, None, ""


def find_batch(path: str, position: int, end: int, above: int = UNKNOWN_OFFSET) -> int | None:
    """Where behind `position` a batch with offsets above `above` begins whose checksum is right; None if there is none
    that ends at or before `end`.
    """
    data = np.memmap(path, np.uint8, "r")[:end]
    for start in range(position + 1, end - BATCH_OVERHEAD + 1, SEARCHED_BYTES):
        stop = min(start + SEARCHED_BYTES, end - BATCH_OVERHEAD + 1)
        at: Ints = start + np.flatnonzero(data[start + MAGIC_OFFSET : stop + MAGIC_OFFSET] == MAGIC_V2)
        headers = of.read_headers(data, at)
        size, base = of.sizes(headers), column(headers, "base_offset")
        can_be = (size >= BATCH_OVERHEAD) & (size <= end - at) & (base > above) & (of.last_offsets(headers) >= base)
        stored = column(headers, "crc")
        for number in np.flatnonzero(can_be).tolist():
            found = of.checksums(data.data, at[number : number + 1], size[number : number + 1])
            if found[0] == stored[number]:
                return int(at[number])
    return None


def _batches(buffer: bytearray, places: list[int], position: int) -> Batches:
    if not places:
        return NO_BATCHES
    data = np.frombuffer(buffer, np.uint8)
    at: Ints = np.array(places, np.int64)
    headers = of.read_headers(data, at)
    size = of.sizes(headers)
    with memoryview(buffer) as view:
        computed = of.checksums(view, at, size)
    return Batches(
        column(headers, "base_offset"), of.last_offsets(headers), at + position, size,
        column(headers, "leader_epoch"), column(headers, "crc"), computed, column(headers, "attributes"),
        column(headers, "base_timestamp"), column(headers, "max_timestamp"), column(headers, "producer_id"),
        column(headers, "producer_epoch"), column(headers, "base_sequence"), column(headers, "record_count"),
        _markers(data, at, headers),
    )  # fmt: skip


def _markers(data: Bytes, at: Ints, headers: Headers) -> Ints:
    """Kinds of control records. Kafka writes them uncompressed, one in a batch, with lengths of one byte."""
    found: Ints = np.full(at.size, NO_MARKER)
    control = np.flatnonzero(of.is_control(headers))
    if control.size:
        place = np.minimum(at[control], data.size - _KIND_AT - 2)  # a batch may be too short for a record
        kind = data[place + _KIND_AT].astype(np.int64) << 8 | data[place + _KIND_AT + 1]
        found[control] = np.where(data[place + _KEY_LENGTH_AT] == _KEY_BYTES, kind + 1, OTHER_MARKER)
    return found
