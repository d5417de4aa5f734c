"""Appends of several batches: offsets are assigned, and the batches are divided into one chunk per segment."""

from kafkacompat.protocol.constants import NO_TIMESTAMP
from kafkacompat.protocol.error_codes import RECORD_LIST_TOO_LARGE
from kafkacompat.protocol.records.batch import BatchHeader, stamp, stamp_log_append_time
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.index import MAX_RELATIVE_OFFSET

PlacedBatch = tuple[int, BatchHeader]
"""Position in the bytes of the append, and header."""


class Chunk:
    """Batches that are written to one segment with one write: the bytes ``start`` to ``end`` of an append."""

    __slots__ = ("batches", "end", "start")

    def __init__(self, batches: list[PlacedBatch]) -> None:
        self.batches = batches
        self.start = batches[0][0]
        self.end = batches[-1][0] + batches[-1][1].size_bytes

    @property
    def base_offset(self) -> int:
        return self.batches[0][1].base_offset

    @property
    def last_offset(self) -> int:
        return self.batches[-1][1].last_offset

    @property
    def max_timestamp_ms(self) -> int:
        return max(header.max_timestamp for _, header in self.batches)


def divide(batches: list[PlacedBatch], segment_bytes: int) -> list[Chunk]:
    """Group ``batches`` into chunks of at most ``segment_bytes``. Raises LogError if one batch exceeds that.

    Batches of a compacted log may be so far from each other that one segment cannot have both.
    """
    chunks: list[list[PlacedBatch]] = []
    for position, header in batches:
        if header.size_bytes > segment_bytes:
            raise LogError(
                RECORD_LIST_TOO_LARGE, f"batch of {header.size_bytes} bytes, segment.bytes is {segment_bytes}"
            )
        if (
            chunks
            and position + header.size_bytes - chunks[-1][0][0] <= segment_bytes
            and header.last_offset - chunks[-1][0][1].base_offset <= MAX_RELATIVE_OFFSET
        ):
            chunks[-1].append((position, header))
        else:
            chunks.append([(position, header)])
    return [Chunk(chunk) for chunk in chunks]


def assign_offsets(
    records: memoryview, batches: list[PlacedBatch], next_offset: int, leader_epoch: int, append_time_ms: int
) -> None:
    """Set the offsets from ``next_offset`` on and the epoch in ``records`` and headers; LogAppendTime too unless −1."""
    for position, header in batches:
        stamp(records, position, next_offset, leader_epoch)
        header.base_offset = next_offset
        header.leader_epoch = leader_epoch
        next_offset = header.next_offset
        if append_time_ms != NO_TIMESTAMP and not header.is_control:
            stamp_log_append_time(records, position, append_time_ms)
            header.max_timestamp = append_time_ms
