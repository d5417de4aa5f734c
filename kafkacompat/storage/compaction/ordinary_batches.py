"""Batches as most producers send them, in one loop over what was read at once: of large records a pass has few, and
each step for a batch counts.

An ordinary batch is in no transaction, has no delete horizon, and its checksum is right. The first batch that is not,
or that is cut off, is left to the scanner, as is one of which anything is unusual. While offsets ascend, what is found
here is what the scanner would find.
"""

from struct import Struct

from kafkacompat.protocol.constants import LONG_MAX, UNKNOWN_OFFSET
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
from kafkacompat.storage.compaction.record_keys import MAX_COPIED_BYTES, MAX_RECORDS, keys_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.compaction.batch_rules import BatchRules, Written
    from kafkacompat.storage.compaction.noted_batches import NotedBatches
    from kafkacompat.storage.compaction.offset_map import OffsetMap

    Thin = Callable[[BatchHeader, memoryview, bool], Written | None]
    """What stays of a batch, if anything. It is told whether the batch was noted."""

    class Output(Protocol):
        """Where the batches go that stay."""

        def add(self, batch: bytes | bytearray | memoryview, last_offset: int, max_timestamp_ms: int) -> None: ...

        def add_run(self, batches: bytes, notes: list[tuple[int, int, int]]) -> None:
            """Batches that follow each other; of each its size in bytes, last offset and max timestamp."""


UNUSUAL = TRANSACTIONAL_BIT | CONTROL_BIT | DELETE_HORIZON_BIT
MIN_LENGTH = BATCH_OVERHEAD - LOG_OVERHEAD
MAX_OPENED = 32
"""Compressed batches that are opened at once: the pass may have to wait, or to end. A KB may become 64 MB."""
LEFT_BATCHES = 32
"""Behind one whose records turn out to be unusual, not looked at: it is read twice, and others may be as it is."""
_read_fields = Struct(">qi4xBIhi8xqq6xi").unpack_from
"""Base offset, length, magic, checksum, attributes, last offset delta, max timestamp, producer id, record count."""


class Indexing:
    """Notes the records from ``first_dirty`` on."""

    __slots__ = ("_first_dirty", "_noted", "_offsets", "_to_leave")

    def __init__(self, offsets: "OffsetMap", noted: "NotedBatches", first_dirty: int) -> None:
        self._offsets = offsets
        self._noted = noted
        self._first_dirty = first_dirty
        self._to_leave = 0  # so many batches are not looked at

    def take(self, data: bytes, at: int) -> int:
        """Note the records of the ordinary batches from ``at`` on, while there is room. Clean batches are passed over.
        Returns where the first batch begins that is left.
        """
        if self._to_leave:
            self._to_leave -= 1
            return at
        offsets, first_dirty, size, view = self._offsets, self._first_dirty, len(data), memoryview(data)
        latest, opened = UNKNOWN_OFFSET, 0
        while at + BATCH_OVERHEAD <= size and opened < MAX_OPENED:
            base, length, magic, crc, attributes, last_delta, _, _, count = _read_fields(data, at)
            end, last_offset = at + LOG_OVERHEAD + length, base + last_delta
            if magic != MAGIC_V2 or length < MIN_LENGTH or end > size or not 0 <= base <= last_offset < LONG_MAX:
                break
            if last_offset < first_dirty:
                at = end
                continue
            if (
                base < first_dirty
                or attributes & UNUSUAL
                or not 0 < count <= MAX_RECORDS
                or not offsets.has_room(count)
                or crc32c(view[at + ATTRIBUTES_OFFSET : end]) != crc
            ):
                break
            if codec := attributes & COMPRESSION_MASK:
                opened += 1
                records = _decompressed(codec, view[at + BATCH_OVERHEAD : end])
                found = records and keys_between(records, 0, len(records), count, last_delta, offsets.kept)
            else:
                found = keys_between(data, at + BATCH_OVERHEAD, end, count, last_delta, offsets.kept)
            if not found:
                self._to_leave = LEFT_BATCHES
                break
            offsets.put_all(base, found)
            latest = last_offset
            self._noted.add_offsets(base, last_offset, is_noted=found.is_dense)
            at = end
        if latest != UNKNOWN_OFFSET:
            offsets.reached(latest)
        return at


def _decompressed(codec: int, records: memoryview) -> bytes | None:
    try:
        return bytes(decompress(codec, records, MAX_COPIED_BYTES))
    except RecordBatchError:
        return None


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

    What waits to be written must not hold all that was read with it: batches that stay as they are are copied.
    """
    size, view, opened = len(data), memoryview(data), 0
    low, high = NO_RANGE  # the range of noted batches that we are in
    run, notes = at, list[tuple[int, int, int]]()  # batches that stay, and are not in the output yet
    while at + BATCH_OVERHEAD <= size and opened < MAX_OPENED:
        base, length, magic, crc, attributes, last_delta, max_ms, producer_id, count = _read_fields(data, at)
        end, last_offset = at + LOG_OVERHEAD + length, base + last_delta
        if (
            magic != MAGIC_V2
            or length < MIN_LENGTH
            or end > size
            or not 0 <= base <= last_offset < LONG_MAX
            or attributes & UNUSUAL
            or rules.is_last(producer_id, last_offset)
            or crc32c(view[at + ATTRIBUTES_OFFSET : end]) != crc
        ):
            break
        if not low <= base < high:
            low, high = noted.range_at(base)
        is_noted = low <= base and last_offset < high
        stay_count = noted.stay_count(base, last_offset) if is_noted else 0
        stays, result = 0 < stay_count == count and not noted.has_tombstone(base, last_offset), None
        if not stays and (stay_count or not is_noted):
            batch = view[at:end]
            result = thinned(read_header(data, at), batch, is_noted)
            stays = result is not None and result[0] is batch
            opened += attributes & COMPRESSION_MASK != 0
        if stays:
            if not notes:
                run = at
            notes.append((end - at, last_offset, max_ms))
        else:
            if notes:
                output.add_run(data[run:at], notes)
                notes = []
            if result is not None:
                output.add(result[0], last_offset, result[1])
        at = end
    if notes:
        output.add_run(data[run:at], notes)
    return at
