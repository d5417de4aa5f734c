"""From timestamps to offsets. Only these reads decompress batches, and only the batch that holds the answer.

A small batch is decompressed at once. A large one can be an ``Opening``, run on a background thread; the search then
continues with its outcome.
"""

from kafkacompat.protocol.constants import NO_TIMESTAMP
from kafkacompat.protocol.error_codes import CORRUPT_MESSAGE, NOT_LEADER_OR_FOLLOWER
from kafkacompat.protocol.records.batch import RecordBatchError, RecordTooLargeError
from kafkacompat.protocol.records.compression import MAX_DECOMPRESSED_BYTES
from kafkacompat.protocol.records.reader import record_bytes, times_of
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.segment import Segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.durability import SyncedLog
    from kafkacompat.storage.fs import File

#: A batch of more bytes, compressed or not, or of more records is large.
SMALL_BATCH_BYTES = 256 * 1024
SMALL_BATCH_RECORDS = 1_000


class TimestampOffset:
    """A record: its offset, its timestamp in ms, and the leader epoch it was written in."""

    __slots__ = ("leader_epoch", "offset", "timestamp_ms")

    def __init__(self, offset: int, timestamp_ms: int, leader_epoch: int) -> None:
        self.offset = offset
        self.timestamp_ms = timestamp_ms
        self.leader_epoch = leader_epoch

    def __repr__(self) -> str:
        return f"TimestampOffset(offset={self.offset}, timestamp_ms={self.timestamp_ms})"


class _Wanted:
    """The batch at ``position`` of a segment, and the record that is searched in it.

    ``is_last``: the search ends with it.
    """

    __slots__ = ("end_offset", "header", "is_last", "position", "segment", "start_offset", "timestamp_ms")

    def __init__(
        self,
        segment: Segment,
        position: int,
        header: "BatchHeader",
        timestamp_ms: int,
        start_offset: int,
        end_offset: int,
        *,
        is_last: bool = False,
    ) -> None:
        self.segment = segment
        self.position = position
        self.header = header
        self.timestamp_ms = timestamp_ms
        self.start_offset = start_offset
        self.end_offset = end_offset
        self.is_last = is_last

    def read(self, file: "File", limit_bytes: int) -> "TimestampOffset | None":
        """The first record that is at or after the time. Raises RecordTooLargeError when the records are more than
        ``limit_bytes``; LogError with CORRUPT_MESSAGE, OSError.
        """
        header = self.header
        batch = file.pread(self.position, header.size_bytes)
        try:
            content = record_bytes(batch, 0, header, limit_bytes)
            for offset, timestamp_ms in times_of(content, header):
                if offset >= self.end_offset:
                    return None
                if timestamp_ms >= self.timestamp_ms and offset >= self.start_offset:
                    return TimestampOffset(offset, timestamp_ms, header.leader_epoch)
        except RecordTooLargeError:
            raise
        except RecordBatchError as error:
            raise LogError(CORRUPT_MESSAGE, f"batch at offset {header.base_offset}: {error}") from None
        return None

    @property
    def beginning(self) -> TimestampOffset:
        """The batch's beginning, if it cannot be decompressed: a reader begins early, and misses nothing."""
        header = self.header
        has_times = not header.is_log_append_time and not header.has_delete_horizon
        timestamp_ms = header.base_timestamp if has_times else header.max_timestamp
        return TimestampOffset(max(header.base_offset, self.start_offset), timestamp_ms, header.leader_epoch)


if TYPE_CHECKING:
    Search = Generator[_Wanted, TimestampOffset | None, TimestampOffset | None]


class Opening:
    """A search that has reached a large batch. ``run`` decompresses it, on any thread; ``resume`` continues with that.

    Meanwhile the log may close files and delete segments: ``resume`` starts a new search behind the batch.
    """

    __slots__ = ("_log", "_truncations", "_wanted")

    def __init__(self, log: "SyncedLog", wanted: _Wanted) -> None:
        self._log = log
        self._wanted = wanted
        self._truncations = log.durability.truncations

    def run(self) -> "TimestampOffset | LogError | None":
        """The record; the batch's beginning if its records exceed MAX_DECOMPRESSED_BYTES. Raises OSError."""
        wanted = self._wanted
        try:
            file = self._log.fs.open(
                wanted.segment.file.path
            )  # a descriptor of its own: the log's belongs to the event loop
        except FileNotFoundError:
            return LogError(NOT_LEADER_OR_FOLLOWER, f"{wanted.segment.file.path} was removed before a batch was opened")
        try:
            return wanted.read(file, MAX_DECOMPRESSED_BYTES)
        except RecordTooLargeError:
            return wanted.beginning
        except LogError as error:
            return error
        finally:
            file.close()

    def resume(self, outcome: "TimestampOffset | Exception | None", *, defers: bool) -> "Found":
        """The answer of the search, or another ``Opening`` if it ``defers`` large batches. Raises LogError."""
        if self._log.durability.truncations != self._truncations or self._log.is_closed:
            raise LogError(NOT_LEADER_OR_FOLLOWER, f"{self._log.path} was truncated while a batch was opened")
        if isinstance(outcome, OSError):
            raise self._log.read_failed(outcome)
        if isinstance(outcome, Exception):
            raise outcome
        log, wanted = self._log, self._wanted
        if outcome is not None or wanted.is_last:
            return outcome
        start_offset = max(wanted.header.next_offset, log.log_start_offset)
        segments = log.segments.from_offset(start_offset)
        try:
            search = _first_at_or_after(segments, wanted.timestamp_ms, start_offset, wanted.end_offset)
            return _run_search(log, search, defers=defers)
        except OSError as error:
            raise log.read_failed(error) from error


if TYPE_CHECKING:
    Found = TimestampOffset | Opening | None


def search_from(log: "SyncedLog", timestamp_ms: int, end_offset: int, *, defers: bool) -> "Found":
    """The first record of ``log`` before ``end_offset`` at or after ``timestamp_ms``. Raises LogError."""
    search = _first_at_or_after(tuple(log.segments.all), timestamp_ms, log.log_start_offset, end_offset)
    return _run_search(log, search, defers=defers)


def search_max(log: "SyncedLog", end_offset: int, *, defers: bool) -> "Found":
    """The first record of ``log`` with the largest timestamp, as ListOffsets −3 answers it (KIP-734).

    As in Kafka (``UnifiedLog.fetchOffsetByTimestamp``) the largest of the whole log counts: None when it lies at or
    behind ``end_offset``, where consumers may not read yet. Raises LogError.
    """
    return _run_search(log, _first_with_max_timestamp(tuple(log.segments.all), end_offset), defers=defers)


def _run_search(log: "SyncedLog", search: "Search", *, defers: bool) -> "Found":
    """Run a search until it has an answer or reaches a large batch. Raises LogError."""
    try:
        wanted = next(search)
        while True:
            header = wanted.header
            is_small = header.size_bytes <= SMALL_BATCH_BYTES and header.record_count <= SMALL_BATCH_RECORDS
            if is_small or not defers:
                try:
                    limit_bytes = SMALL_BATCH_BYTES if defers else MAX_DECOMPRESSED_BYTES
                    found = wanted.read(wanted.segment.file.open(), limit_bytes)
                except RecordTooLargeError:
                    if defers:
                        return Opening(log, wanted)
                    found = wanted.beginning
                wanted = search.send(found)
            else:
                return Opening(log, wanted)
    except StopIteration as end:
        answer: TimestampOffset | None = end.value
        return answer
    except OSError as error:
        raise log.read_failed(error) from error


def _first_at_or_after(
    segments: "Sequence[Segment]", timestamp_ms: int, start_offset: int, end_offset: int
) -> "Search":
    for segment in segments:
        segment.load()
        if segment.max_timestamp_ms < timestamp_ms:
            continue
        for position, header in segment.headers(max(segment.offset_before(timestamp_ms), start_offset)):
            if header.base_offset >= end_offset:
                return None
            if header.max_timestamp < timestamp_ms:
                continue
            found = yield _Wanted(segment, position, header, timestamp_ms, start_offset, end_offset)
            if found is not None:
                return found
    return None


def _first_with_max_timestamp(segments: "Sequence[Segment]", end_offset: int) -> "Search":
    best: Segment | None = None
    for segment in segments:
        segment.load()
        if segment.max_timestamp_ms > (best.max_timestamp_ms if best else NO_TIMESTAMP):
            best = segment
    if best is None:
        return None
    largest_ms = best.max_timestamp_ms
    for position, header in best.headers(best.max_timestamp_offset):
        if header.max_timestamp == largest_ms:
            return (yield _Wanted(best, position, header, largest_ms, header.base_offset, end_offset, is_last=True))
    return None
