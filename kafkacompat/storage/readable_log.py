"""The reading side of a partition's log: from an offset, batch by batch, and what takes it offline."""

from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR, OFFSET_OUT_OF_RANGE
from kafkacompat.storage.errors import LogError, ShortageError
from kafkacompat.storage.reserve import is_out_of_descriptors
from kafkacompat.storage.slices import EMPTY, Slice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.segments import Segments
    from kafkacompat.storage.txn_index import AbortedTransaction, SearchBudget


class ReadableLog:
    """The reading side of a ``Log``: its segments, the offsets that can be read, and its state after a disk error.

    ``log_end_offset`` is the offset of the next record; records from ``log_start_offset`` on can be read. ``failure``:
    the error that took the log offline, None while it works.
    """

    __slots__ = ("_on_failure", "failure", "is_closed", "log_end_offset", "log_start_offset", "path", "segments")

    def __init__(self, path: str, segments: "Segments", log_start_offset: int, log_end_offset: int) -> None:
        self.path = path
        self.segments = segments
        self.log_start_offset = log_start_offset
        self.log_end_offset = log_end_offset
        self.failure: OSError | None = None
        self.is_closed = False  # then the result of a sync that still runs is ignored
        self._on_failure: Callable[[OSError], None] | None = None

    @property
    def offline(self) -> bool:
        """Whether the disk failed, so that nothing can be read or written."""
        return self.failure is not None

    @property
    def size_bytes(self) -> int:
        """Bytes in all segments, also below the log start offset; indexes are not counted, as in DescribeLogDirs."""
        return sum(segment.size_bytes for segment in self.segments.all)

    @property
    def starts_late(self) -> bool:
        """Whether records lie before the log start, so that a checkpoint has to say where it is."""
        segments = self.segments.all
        return bool(segments) and self.log_start_offset > segments[0].base_offset

    def fail(self, error: OSError) -> LogError:
        """Take the log offline because the disk failed. Returns what to raise."""
        if self.failure is None:
            self.failure = error
            if self._on_failure is not None and not self.is_closed:  # else a late reader misses files that are gone
                self._on_failure(error)
        return LogError(KAFKA_STORAGE_ERROR, f"{self.path}: {error}")

    def read_failed(self, error: OSError) -> LogError:
        """As ``fail``; the log stays online if only descriptors were wanting. Returns what to raise, a ShortageError
        then: who reads comes again.
        """
        if is_out_of_descriptors(error):
            return ShortageError(f"{self.path}: {error}")
        return self.fail(error)

    def read(self, offset: int, max_bytes: int, *, end_offset: int, at_least_one: bool, whole: bool = False) -> Slice:
        """Batches of one segment, from the one that holds ``offset`` up to (without) the one that holds ``end_offset``.

        At most ``max_bytes``: the last batch may be cut off there, as in Kafka. A larger first batch is returned whole
        with ``at_least_one``, and not at all without. With ``whole`` the slice ends at the last batch whose position is
        remembered. Empty at the end. ``release`` the slice when done. Raises LogError with
        OFFSET_OUT_OF_RANGE, CORRUPT_MESSAGE or KAFKA_STORAGE_ERROR.
        """
        start, log_end = self.log_start_offset, self.log_end_offset
        if not start <= offset <= log_end:
            raise LogError(OFFSET_OUT_OF_RANGE, f"offset {offset} is not in {start}..{log_end}")
        if offset >= end_offset or offset == log_end:
            return EMPTY
        if self.failure is not None:
            raise self.fail(self.failure)
        if max_bytes <= 0 and not at_least_one:
            return EMPTY
        limit = end_offset if end_offset < log_end else None
        try:
            return self.segments.read(offset, max_bytes, limit, at_least_one=at_least_one, whole=whole)
        except OSError as error:
            raise self.read_failed(error) from error

    def aborted(
        self, offset: int, part: Slice, max_count: int | None = None, budget: "SearchBudget | None" = None
    ) -> "list[AbortedTransaction]":
        """The aborted transactions that a reader of committed records has to leave out of ``part``, which ``read`` has
        returned from ``offset`` on. One more is possible, but none is missing. Raises LogError, TooManyError if there
        are more than ``max_count``, and UnfinishedError where the ``budget`` is used up.
        """
        try:
            return self.segments.aborted_in(offset, part, self.log_end_offset, max_count, budget)
        except OSError as error:
            raise self.read_failed(error) from error

    def batches(self, offset: int, end_offset: int) -> "Iterator[tuple[BatchHeader, memoryview]]":
        """Header and bytes of each whole batch with records in ``offset`` … ``end_offset``, to replay the log.

        The log must not be truncated meanwhile. Raises LogError with CORRUPT_MESSAGE or KAFKA_STORAGE_ERROR.
        """
        try:
            yield from self.segments.batches(offset, end_offset)
        except OSError as error:
            raise self.read_failed(error) from error
