"""Batches as most producers send them, in one loop over what was read at once: of large records a pass has few, and
each step for a batch counts.

An ordinary batch is in no transaction, has no delete horizon, and its checksum is right. The first batch that is not,
or that is cut off, is left to the scanner, as is one of which anything is unusual. What these functions find is what
the scanner would find.
"""

from struct import Struct

from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.records.batch import (
    ATTRIBUTES_OFFSET,
    BATCH_OVERHEAD,
    COMPRESSION_MASK,
    CONTROL_BIT,
    DELETE_HORIZON_BIT,
    LOG_OVERHEAD,
    MAGIC_V2,
    TRANSACTIONAL_BIT,
    RecordBatchError,
    read_header,
)
from kafkacompat.protocol.records.compression import decompress
from kafkacompat.protocol.records.crc32c import crc32c
from kafkacompat.storage.compaction.noted_batches import NO_RANGE
from kafkacompat.storage.compaction.record_keys import MAX_COPIED_BYTES, keys_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.compaction.batch_rules import BatchRules, Written
    from kafkacompat.storage.compaction.noted_batches import NotedBatches
    from kafkacompat.storage.compaction.offset_map import OffsetMap

    Take = Callable[[bytes, int], int]
    """See ``scan.batches``."""

    Thin = Callable[[BatchHeader, memoryview, bool], Written | None]
    """What stays of a batch, if anything. It is told whether the batch was noted."""

    class Output(Protocol):
        """Where the batches go that stay."""

        def add(self, batch: bytes | bytearray | memoryview, last_offset: int, max_timestamp_ms: int) -> None: ...

        def add_run(self, batches: bytes, notes: list[tuple[int, int, int]]) -> None:
            """Batches that follow each other; of each its size in bytes, last offset and max timestamp."""


UNUSUAL = TRANSACTIONAL_BIT | CONTROL_BIT | DELETE_HORIZON_BIT
MIN_LENGTH = BATCH_OVERHEAD - LOG_OVERHEAD
_read_fields = Struct(">qi4xBIhi8xqq6xi").unpack_from
"""Base offset, length, magic, checksum, attributes, last offset delta, max timestamp, producer id, record count."""


def index(offsets: "OffsetMap", noted: "NotedBatches", first_dirty: int, data: bytes, at: int) -> int:
    """Note the records of the ordinary batches from ``at`` on, while there is room. Batches before ``first_dirty`` are
    passed over. Returns where the first batch begins that is left.
    """
    size, view = len(data), memoryview(data)
    last_offset = UNKNOWN_OFFSET
    while at + BATCH_OVERHEAD <= size:
        base, length, magic, crc, attributes, last_delta, _, _, count = _read_fields(data, at)
        end = at + LOG_OVERHEAD + length
        if magic != MAGIC_V2 or length < MIN_LENGTH or end > size:
            break
        if base + last_delta < first_dirty:
            at = end
            continue
        if (
            base < first_dirty
            or attributes & UNUSUAL
            or not offsets.has_room(count)
            or crc32c(view[at + ATTRIBUTES_OFFSET : end]) != crc
        ):
            break
        if attributes & COMPRESSION_MASK:
            records = _decompressed(attributes & COMPRESSION_MASK, view[at + BATCH_OVERHEAD : end])
            found = records and keys_between(records, 0, len(records), count, last_delta, offsets.kept)
        else:
            found = keys_between(data, at + BATCH_OVERHEAD, end, count, last_delta, offsets.kept)
        if not found:
            break
        offsets.put_all(base, found)
        last_offset = base + last_delta
        noted.add_offsets(base, last_offset, is_noted=found.is_dense)
        at = end
    if last_offset != UNKNOWN_OFFSET:
        offsets.reached(last_offset)
    return at


def _decompressed(codec: int, records: memoryview) -> bytes | None:
    try:
        data = decompress(codec, records)
    except RecordBatchError:
        return None
    return bytes(data) if len(data) <= MAX_COPIED_BYTES else None


def thin(
    noted: "NotedBatches",
    rules: "BatchRules",
    thinned: "Thin",
    output: "Output",
    data: bytes,
    at: int,
) -> int:
    """Add to ``output`` what stays of the ordinary batches from ``at`` on. ``thinned`` tells what stays of a batch of
    which neither all nor nothing does. Returns where the first batch begins that is left. Raises RecordBatchError.
    """
    size, view = len(data), memoryview(data)
    low, high = NO_RANGE  # the range of noted batches that we are in
    run, notes = at, list[tuple[int, int, int]]()  # batches that stay, and are not in the output yet
    while at + BATCH_OVERHEAD <= size:
        base, length, magic, crc, attributes, last_delta, max_ms, producer_id, count = _read_fields(data, at)
        end, last_offset = at + LOG_OVERHEAD + length, base + last_delta
        if (
            magic != MAGIC_V2
            or length < MIN_LENGTH
            or end > size
            or attributes & UNUSUAL
            or rules.is_last(producer_id, last_offset)
            or crc32c(view[at + ATTRIBUTES_OFFSET : end]) != crc
        ):
            break
        if not low <= base < high:
            low, high = noted.range_at(base)
        is_noted = low <= base and last_offset < high
        stay_count = noted.stay_count(base, last_offset) if is_noted else 0
        if 0 < stay_count == count and not noted.has_tombstone(base, last_offset):
            if not notes:
                run = at
            notes.append((end - at, last_offset, max_ms))
        else:
            if notes:  # a copy: what waits to be written must not hold all that was read with it
                output.add_run(data[run:at], notes)
                notes = []
            goes = is_noted and not stay_count
            result = None if goes else thinned(read_header(data, at), view[at:end], is_noted)
            if result is not None:
                output.add(result[0], last_offset, result[1])
        at = end
    if notes:
        output.add_run(data[run:at], notes)
    return at
