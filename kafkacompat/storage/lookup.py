"""From timestamps to offsets. The only reads that open batches, and of those only the one that holds the answer."""

from kafkacompat.protocol.records.batch import BatchHeader, RecordBatchError
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.errors import CORRUPT_MESSAGE, LogError
from kafkacompat.storage.segment import NO_TIMESTAMP, Segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class TimestampOffset:
    """A record: its offset, its timestamp in ms, and the leader epoch it was written in."""

    __slots__ = ("leader_epoch", "offset", "timestamp_ms")

    def __init__(self, offset: int, timestamp_ms: int, leader_epoch: int) -> None:
        self.offset = offset
        self.timestamp_ms = timestamp_ms
        self.leader_epoch = leader_epoch

    def __repr__(self) -> str:
        return f"TimestampOffset(offset={self.offset}, timestamp_ms={self.timestamp_ms})"


def first_at_or_after(
    segments: "Sequence[Segment]", timestamp_ms: int, start_offset: int, end_offset: int
) -> TimestampOffset | None:
    """The first record in ``start_offset`` … ``end_offset`` (exclusive) that is at or after ``timestamp_ms``."""
    for segment in segments:
        segment.load()
        if segment.max_timestamp_ms < timestamp_ms:
            continue
        for header, batch in segment.batches(max(segment.offset_before(timestamp_ms), start_offset)):
            if header.base_offset >= end_offset:
                return None
            if header.max_timestamp < timestamp_ms:
                continue
            found = _first_record(header, batch, timestamp_ms, start_offset, end_offset)
            if found is not None:
                return found
    return None


def first_with_max_timestamp(segments: "Sequence[Segment]", end_offset: int) -> TimestampOffset | None:
    """The first record with the largest timestamp, as ListOffsets −3 answers it (KIP-734).

    As in Kafka (``UnifiedLog.fetchOffsetByTimestamp``) the largest of the whole log counts: None when it lies at or
    behind ``end_offset``, where consumers may not read yet.
    """
    best: Segment | None = None
    for segment in segments:
        segment.load()
        if segment.max_timestamp_ms > (best.max_timestamp_ms if best else NO_TIMESTAMP):
            best = segment
    if best is None:
        return None
    for header, batch in best.batches(best.max_timestamp_offset):
        if header.max_timestamp == best.max_timestamp_ms:
            return _first_record(header, batch, best.max_timestamp_ms, header.base_offset, end_offset)
    return None


def _first_record(
    header: BatchHeader, batch: memoryview, timestamp_ms: int, start_offset: int, end_offset: int
) -> TimestampOffset | None:
    try:
        for record in read_records(batch, 0, header):
            if record.offset >= end_offset:
                return None
            if record.timestamp >= timestamp_ms and record.offset >= start_offset:
                return TimestampOffset(record.offset, record.timestamp, header.leader_epoch)
    except RecordBatchError as error:
        raise LogError(CORRUPT_MESSAGE, f"batch at offset {header.base_offset}: {error}") from None
    return None
