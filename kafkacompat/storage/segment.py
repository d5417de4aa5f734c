"""One segment: a file of batches with its indexes. Appends at the end, finds offsets, reads, truncates.

Batches are opaque: only what their headers say is looked at. What lies below ``size_bytes`` is published and never
changes, so that readers may read it at any time. The rules for index entries and rolling are those of Kafka's
``LogSegment``.
"""

import logging
from array import array
from bisect import bisect_left, bisect_right
from contextlib import suppress
from errno import EIO

from kafkacompat.protocol.constants import LONG_MAX, NO_TIMESTAMP
from kafkacompat.protocol.error_codes import CORRUPT_MESSAGE
from kafkacompat.protocol.records.batch import RecordBatchError
from kafkacompat.storage import scan
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.files import SharedFile
from kafkacompat.storage.index import MAX_RELATIVE_OFFSET, CorruptIndexError, IndexFile, OffsetIndex
from kafkacompat.storage.reserve import is_shortage
from kafkacompat.storage.shortage import behind_records
from kafkacompat.storage.time_index import TimeIndex
from kafkacompat.storage.txn_index import TxnIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.files import FileCache
    from kafkacompat.storage.fs import Buffer, Fs

#: Batches whose position is known without the index: where consumers and followers usually read.
RECENT_BATCHES = 32
#: So many at the end may lack an entry: Apache Kafka counts the bytes up to the next one anew after each start.
INTERVALS_WITHOUT_ENTRY = 8

LOG_SUFFIX = ".log"
INDEX_SUFFIX = OffsetIndex.suffix
TIME_INDEX_SUFFIX = TimeIndex.suffix
TXN_INDEX_SUFFIX = TxnIndex.suffix
SNAPSHOT_SUFFIX = ".snapshot"
DELETED_SUFFIX = ".deleted"
SUFFIXES = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX, SNAPSHOT_SUFFIX)

_log = logging.getLogger(__name__)


class Segment:
    """A segment of the log in ``directory`` from ``base_offset`` on. Owned by one log, used by one thread.

    ``synced_bytes`` of ``size_bytes`` are durable, at least. ``first_timestamp_ms`` is the max timestamp of the first
    batch, None while it is not known; ``max_timestamp_offset`` the last offset of the first batch that has the max
    timestamp.
    """

    __slots__ = (
        "_bytes_since_entry",
        "_fs",
        "_indexes",
        "_is_loaded",
        "_jitter_ms",
        "_max_entries",
        "_recent_ends",
        "_recent_positions",
        "_stem",
        "_txn_index",
        "base_offset",
        "cancel_trimming",
        "created_ms",
        "file",
        "first_timestamp_ms",
        "index_interval_bytes",
        "is_preallocated",
        "largest_read_ms",
        "max_timestamp_ms",
        "max_timestamp_offset",
        "size_bytes",
        "synced_bytes",
    )

    def __init__(
        self,
        fs: "Fs",
        files: "FileCache",
        directory: str,
        base_offset: int,
        *,
        size_bytes: int,
        created_ms: int,
        index_interval_bytes: int,
        max_index_bytes: int,
        jitter_ms: int = 0,
        is_preallocated: bool = False,
    ) -> None:
        """jitter_ms: how much earlier than ``segment_ms`` of `must_roll` its age lets another segment begin.
        is_preallocated: disk may be reserved behind its end (``preallocation.py``).
        """
        stem = f"{directory}/{base_offset:020d}"
        self.base_offset = base_offset
        self.size_bytes = size_bytes
        self.synced_bytes = size_bytes  # recovery may lower it
        self.created_ms = created_ms
        self._jitter_ms = jitter_ms
        self.is_preallocated = is_preallocated
        self.cancel_trimming: Callable[[], None] | None = None  # while ``preallocation.end`` runs
        self.index_interval_bytes = index_interval_bytes
        self.file: SharedFile = files.file(stem + LOG_SUFFIX)
        self._fs = fs
        self._stem = stem
        # the time index keeps room for the entry that is written when the segment is sealed
        self._max_entries = min(
            max_index_bytes // OffsetIndex.layout.size, max_index_bytes // TimeIndex.layout.size - 1
        )
        self._indexes: tuple[OffsetIndex, TimeIndex] | None = None  # while it grows
        self._txn_index: TxnIndex | None = None
        self._is_loaded = False
        self.first_timestamp_ms: int | None = None
        self.largest_read_ms: int | None = None  # of a sealed segment whose indexes are not loaded
        self.max_timestamp_ms = NO_TIMESTAMP
        self.max_timestamp_offset = base_offset
        self._bytes_since_entry = 0
        self._recent_ends = array("I")  # relative to the base offset
        self._recent_positions = array("I")
        if not size_bytes:
            self._start_indexes()

    # Indexes, looked at when they are first used

    def load(self) -> None:
        """Check the indexes, rebuild them if they cannot be right, and read the max timestamp.

        To be called before that is used; once is enough. Raises OSError, and LogError when the segment is corrupt.
        """
        if not self._is_loaded:
            self._load()

    def _load(self) -> "tuple[OffsetIndex, TimeIndex]":
        try:
            indexes = self._open_indexes()
            reason = self._index_fault(*indexes)
        except CorruptIndexError as error:
            reason = str(error)
        if reason:
            return self._rebuild(reason)
        self._is_loaded = True
        self.max_timestamp_ms, self.max_timestamp_offset = indexes[1].last()
        self._bytes_since_entry = self.size_bytes - indexes[0].last()[1]  # as if it had never been closed
        return indexes

    def _open_indexes(self) -> "tuple[OffsetIndex, TimeIndex]":
        return (
            OffsetIndex.load(self._fs, self._stem, self.base_offset),
            TimeIndex.load(self._fs, self._stem, self.base_offset),
        )

    def _rebuild(self, reason: str) -> "tuple[OffsetIndex, TimeIndex]":
        """Build them from the batches, and write them; where the disk has no room for that, they stay in memory. Raises
        OSError, and LogError when the segment is corrupt.
        """
        _log.warning("rebuilding the indexes of %s: %s", self.file.path, reason)
        grows = self.grows
        index, time_index = indexes = self._start_indexes(is_held=True)
        try:
            self._index_all_batches()
            is_written = self._has_replaced(time_index, index)
        except BaseException:
            self.drop_indexes()
            self._is_loaded = False
            raise
        if is_written and not grows:
            self.drop_indexes()
        return indexes

    def _has_replaced(self, time_index: TimeIndex, index: OffsetIndex) -> bool:
        """Write both indexes. Returns False if room or descriptors are short: reads can do without. Raises OSError."""
        try:
            time_index.replace()  # first: a crash in between must not leave a pair that looks sound
            index.replace()
        except OSError as error:
            if not is_shortage(error):
                raise
            _log.warning("the indexes of %s stay in memory: %s", self.file.path, error)
            return False
        return True

    def _index_all_batches(self) -> None:
        last_offset = self.base_offset - 1
        for position, header in self._headers(0):
            if header.last_offset <= last_offset:
                raise LogError(CORRUPT_MESSAGE, f"{self.file.path}: offsets do not ascend at position {position}")
            last_offset = header.last_offset
            self.note_batch(position, header.size_bytes, last_offset, header.max_timestamp)
        self._note_max_timestamp()

    def _start_indexes(self, *, is_held: bool = False) -> "tuple[OffsetIndex, TimeIndex]":
        """Empty indexes, for a segment that has not been read."""
        self._is_loaded = True
        self._indexes = (
            OffsetIndex(self._fs, self._stem, self.base_offset, is_held=is_held),
            TimeIndex(self._fs, self._stem, self.base_offset, is_held=is_held),
        )
        self.max_timestamp_ms = NO_TIMESTAMP
        self.max_timestamp_offset = self.base_offset
        self._bytes_since_entry = 0
        self._forget_recent(0)
        return self._indexes

    def grow(self) -> "tuple[OffsetIndex, TimeIndex]":
        """Prepare for appends: the indexes stay in memory until ``drop_indexes``. Raises OSError and LogError."""
        if self._indexes is None:
            self._indexes = self._load()
        return self._indexes

    @property
    def grows(self) -> bool:
        """Whether the indexes are in memory."""
        return self._indexes is not None

    def drop_indexes(self) -> None:
        """Drop the indexes from memory, as the files hold all entries: the segment is sealed."""
        self._indexes = None
        self._txn_index = None
        self._forget_recent(0)

    def _forget_recent(self, keep: int) -> None:
        """Keep the first ``keep`` of the remembered batch positions."""
        del self._recent_positions[keep:]
        del self._recent_ends[keep:]

    def offset_before(self, timestamp_ms: int) -> int:
        """An offset up to which all records are at or before ``timestamp_ms``. Raises OSError and LogError."""
        try:
            return self._look_into(1).lookup(timestamp_ms)[1]
        except CorruptIndexError as error:
            return self._rebuild(str(error))[1].lookup(timestamp_ms)[1]

    def _look_up(self, offset: int) -> int:
        """Position of a batch that ends at or shortly before ``offset``; 0 if there is none."""
        try:
            return self._look_into(0).lookup(offset)[1]
        except CorruptIndexError as error:
            return self._rebuild(str(error))[0].lookup(offset)[1]

    def _look_into(self, which: int) -> "OffsetIndex | TimeIndex":
        """The offset index (0) or the time index (1), for one use."""
        if self._indexes is not None:
            return self._indexes[which]
        if not self._is_loaded:
            return self._load()[which]
        return (OffsetIndex, TimeIndex)[which].load(self._fs, self._stem, self.base_offset)

    @property
    def txn_index(self) -> TxnIndex:
        """The aborted transactions of the segment. Raises OSError and CorruptIndexError; it is for the log to build it
        anew (``aborted.py``).
        """
        if self._txn_index is None:
            self._txn_index = TxnIndex.load(self._fs, self._stem, self.base_offset)
        return self._txn_index

    def new_txn_index(self) -> TxnIndex:
        """An empty one, whose file stays as it is until ``replace_txn_index``."""
        return TxnIndex(self._fs, self._stem, self.base_offset, is_held=True)

    def replace_txn_index(self, index: TxnIndex) -> None:
        """Use this one from now on, and write it; where the disk has no room for that, it stays in memory. Raises
        OSError.
        """
        self._txn_index = index
        try:
            index.replace()
        except OSError as error:
            if not is_shortage(error):
                raise
            _log.warning("%s stays in memory: %s", index.path, error)

    def _index_fault(self, index: OffsetIndex, time_index: TimeIndex) -> str:
        if index.last()[1] >= self.size_bytes > 0:
            return f"the index reaches position {index.last()[1]} of {self.size_bytes}"
        if time_index.count > index.count + 1 and self._lacks_entry(index):
            return f"{time_index.count} entries of the time index for {index.count} of the offset index"
        if not index.count and not time_index.count and self.size_bytes:
            return "both are empty"
        return ""

    def _lacks_entry(self, index: OffsetIndex) -> bool:
        """Whether a batch that begins many intervals behind the last entry has none. That the time index has more
        entries says nothing: each clean stop may add one there alone.
        """
        last, most = index.last()[1], INTERVALS_WITHOUT_ENTRY * self.index_interval_bytes
        return any(position - last > most for position, _ in self._headers(last))

    def reset_indexes(self) -> None:
        """Start with empty indexes; ``note_batch`` for each batch builds them."""
        self._start_indexes()
        self._txn_index = TxnIndex(self._fs, self._stem, self.base_offset)

    # Appending

    def append(self, records: "Buffer", last_offset: int, max_timestamp_ms: int) -> None:
        """Write one batch at the end and publish it. Raises OSError, and then nothing is published."""
        position = self.size_bytes
        size_bytes = self.write(records)
        try:
            self.note_batch(position, size_bytes, last_offset, max_timestamp_ms)
        except OSError as error:
            raise behind_records(error) from error

    def write(self, *records: "Buffer") -> int:
        """Write whole batches at the end; ``note_batch`` must be called for each. Raises OSError; what was written of
        them is cut off then.
        """
        file = self.file.file or self.file.open()
        try:
            written = file.write(records)
        except OSError as error:
            self._cut_partial_write(error)
            raise
        self.size_bytes += written
        return written

    def _cut_partial_write(self, error: OSError) -> None:
        """Remove a partial write. If that fails, nothing may be appended behind it: the disk has failed."""
        try:
            self.file.open().truncate(self.size_bytes)
        except OSError as failed:
            message = f"{failed.strerror or failed}, while a failed write was removed ({error.strerror})"
            raise OSError(EIO, message) from error

    def note_batch(self, position: int, size_bytes: int, last_offset: int, max_timestamp_ms: int) -> None:
        """Add the batch at ``position`` of the file to the indexes."""
        if not position:
            self.first_timestamp_ms = max_timestamp_ms
        if max_timestamp_ms > self.max_timestamp_ms:
            self.max_timestamp_ms = max_timestamp_ms
            self.max_timestamp_offset = last_offset
        if self._bytes_since_entry > self.index_interval_bytes:
            index, time_index = self.grow()
            index.append(last_offset, position)
            time_index.maybe_append(self.max_timestamp_ms, self.max_timestamp_offset)
            self._bytes_since_entry = 0
        self._bytes_since_entry += size_bytes
        ends = self._recent_ends
        ends.append(last_offset - self.base_offset)
        self._recent_positions.append(position)
        if len(ends) >= 2 * RECENT_BATCHES:
            del ends[:RECENT_BATCHES]
            del self._recent_positions[:RECENT_BATCHES]

    def must_roll(
        self, size_bytes: int, last_offset: int, max_timestamp_ms: int, segment_bytes: int, segment_ms: int, now_ms: int
    ) -> bool:
        """Whether an append of ``size_bytes`` up to ``last_offset`` belongs into a new segment."""
        if self.size_bytes + size_bytes > segment_bytes:
            return True
        if last_offset - self.base_offset > MAX_RELATIVE_OFFSET:
            return True
        if self.size_bytes and self._age_ms(max_timestamp_ms, now_ms) > segment_ms - self._jitter_ms:
            return True
        return self.grow()[0].count >= self._max_entries

    def _age_ms(self, max_timestamp_ms: int, now_ms: int) -> int:
        """By the timestamps of the records where they have one, else since the segment was created."""
        first_ms = self.first_timestamp_ms  # known but after a start: no call for each append
        if first_ms is None:
            first_ms = self.read_first_timestamp()
        if first_ms >= 0:
            return max_timestamp_ms - first_ms
        return now_ms - self.created_ms

    def read_first_timestamp(self) -> int:
        """``first_timestamp_ms``, from the file if it is not known; −1 without batches. Raises LogError and OSError."""
        if self.first_timestamp_ms is None:
            self.first_timestamp_ms = self._first_in_file()
        return self.first_timestamp_ms

    def _first_in_file(self) -> int:
        for _, header in self._headers(0):
            return header.max_timestamp
        return NO_TIMESTAMP

    @property
    def known_largest_ms(self) -> int | None:
        """The largest timestamp of its records; None if ``read_largest_ms`` has to be asked first."""
        return self.max_timestamp_ms if self._is_loaded else self.largest_read_ms

    def read_largest_ms(self) -> int:
        """What the time index of a sealed segment ends with, or the largest timestamp of its batches if that is damaged
        or says nothing; NO_TIMESTAMP only if they have none. May run on any thread. Raises LogError and OSError.
        """
        try:
            largest_ms = TimeIndex.load(self._fs, self._stem, self.base_offset).last()[0]
        except (CorruptIndexError, OSError):
            largest_ms = NO_TIMESTAMP
        return self._scan_largest_ms() if largest_ms == NO_TIMESTAMP else largest_ms

    def _scan_largest_ms(self) -> int:
        return max(self._timestamps(), default=NO_TIMESTAMP)

    def read_first_ms(self) -> int:
        """``first_timestamp_ms`` of a sealed segment; NO_TIMESTAMP without batches. May run on any thread. Raises
        LogError and OSError.
        """
        return next(self._timestamps(), NO_TIMESTAMP)

    def _timestamps(self) -> "Iterator[int]":
        """The largest timestamp of each batch. Raises LogError and OSError."""
        path = self._stem + LOG_SUFFIX
        file = self._fs.open(path)
        try:
            for _, header in scan.headers(file, 0, self.size_bytes):
                yield header.max_timestamp
        except RecordBatchError as error:
            raise LogError(CORRUPT_MESSAGE, f"{path}: {error}") from None
        finally:
            file.close()

    # Finding

    def locate(self, offset: int) -> int:
        """Position of the first batch that ends at or after ``offset``; the segment's size when there is none."""
        ends, relative = self._recent_ends, offset - self.base_offset
        if ends and (relative > ends[0] or not self._recent_positions[0]):
            slot = bisect_left(ends, relative)
            return self._recent_positions[slot] if slot < len(ends) else self.size_bytes
        found = self._find(self._look_up(offset), offset)
        return self.size_bytes if found is None else found[0]

    def offset_behind(self, position: int) -> int | None:
        """An offset that no batch before ``position`` reaches, but one behind it may; None if the end of the segment
        has to do. Raises OSError and LogError.
        """
        starts = self._recent_positions
        if starts and position >= starts[0]:
            slot = bisect_left(starts, position)
            return self.base_offset + self._recent_ends[slot] if slot < len(starts) else None
        try:
            return self._look_into(0).offset_behind(position)  # type: ignore[union-attr] # the offset index
        except CorruptIndexError as error:
            return self._rebuild(str(error))[0].offset_behind(position)

    def batch_size_bytes(self, position: int) -> int:
        """Size of the batch that begins at ``position``."""
        starts = self._recent_positions
        slot = bisect_left(starts, position)
        if slot < len(starts) and starts[slot] == position:
            return (starts[slot + 1] if slot + 1 < len(starts) else self.size_bytes) - position
        found = self._find(position, -1)
        return 0 if found is None else found[2]

    def whole_batches(self, position: int, size_bytes: int) -> int:
        """How much of the next ``size_bytes`` from ``position`` on is not of a batch that is cut off, if that is known
        without a look into the file.
        """
        starts = self._recent_positions
        slot = bisect_right(starts, position + size_bytes) - 1
        return starts[slot] - position if slot >= 0 and starts[slot] > position else size_bytes

    def headers(self, offset: int) -> "Iterator[tuple[int, BatchHeader]]":
        """Position and header of each batch from the one that holds ``offset`` on. Raises LogError and OSError."""
        yield from self._headers(self.locate(offset))

    def batches(self, offset: int) -> "Iterator[tuple[BatchHeader, memoryview]]":
        """Header and bytes of each batch from the one that holds ``offset`` on. Raises LogError and OSError."""
        position = self.locate(offset)
        self.file.retain()  # the caller may go on in a later turn
        try:
            for _, header, batch in scan.batches(self.file.open(), position, self.size_bytes):
                yield header, batch
        except RecordBatchError as error:
            raise LogError(CORRUPT_MESSAGE, f"{self.file.path}: {error}") from None
        finally:
            self.file.release()

    def _find(self, position: int, offset: int) -> tuple[int, int, int] | None:
        try:
            return scan.find_batch(self.file.open(), position, self.size_bytes, offset)
        except RecordBatchError as error:
            raise LogError(CORRUPT_MESSAGE, f"{self.file.path}: {error}") from None

    def _headers(self, position: int) -> "Iterator[tuple[int, BatchHeader]]":
        try:
            yield from scan.headers(self.file.open(), position, self.size_bytes)
        except RecordBatchError as error:
            raise LogError(CORRUPT_MESSAGE, f"{self.file.path}: {error}") from None

    def read_next_offset(self) -> int:
        """The offset behind the last batch, searched from the last entry of the index on."""
        next_offset = self.base_offset
        for _, header in self._headers(self._look_up(LONG_MAX)):
            next_offset = header.next_offset
        return next_offset

    def end_of_batches(self) -> int:
        """End of the last whole batch; a later one was not written completely. Raises LogError, OSError."""
        end = 0
        for position, header in self._headers(self._look_up(LONG_MAX)):
            end = position + header.size_bytes
        return end

    # Changing

    def truncate_to(self, offset: int) -> None:
        """Remove the first batch that ends at or after ``offset``, and everything behind it. Raises OSError."""
        self.stop_trimming()
        position = self.locate(offset)
        index, time_index = self._truncated_indexes(offset)
        self.txn_index.truncate_to(offset)
        if position < self.size_bytes:
            self.file.open().truncate(position)
            self.size_bytes = position
            self.synced_bytes = min(self.synced_bytes, position)
        if not position:
            self.first_timestamp_ms = None
        self._forget_recent(bisect_left(self._recent_positions, position))
        self._bytes_since_entry = 0
        self.max_timestamp_ms, self.max_timestamp_offset = time_index.last()
        for _, header in self._headers(index.lookup(self.max_timestamp_offset)[1]):
            if header.max_timestamp > self.max_timestamp_ms:
                self.max_timestamp_ms = header.max_timestamp
                self.max_timestamp_offset = header.last_offset

    def _truncated_indexes(self, offset: int) -> "tuple[OffsetIndex, TimeIndex]":
        try:
            for index in (indexes := self.grow()):
                index.truncate_to(offset)
        except CorruptIndexError as error:
            for index in (indexes := self._rebuild(str(error))):
                index.truncate_to(offset)
        return indexes

    def seal(self) -> list[str]:
        """Write what the indexes hold, with the entry that names the max timestamp: on roll and on close.

        Answers the files that were written: they are not durable yet. Raises OSError.
        """
        if self._indexes is None:
            return []  # unchanged since it was sealed
        self._note_max_timestamp()
        indexes: list[IndexFile] = [*self._indexes]
        if self._txn_index is not None:
            indexes.append(self._txn_index)
        return [index.path for index in indexes if index.flush()]

    def _note_max_timestamp(self) -> None:
        if self.max_timestamp_ms > NO_TIMESTAMP and self._indexes is not None:
            self._indexes[1].maybe_append(self.max_timestamp_ms, self.max_timestamp_offset)

    def trim(self) -> None:
        """Give back the disk that is reserved behind the end, if there may be some; the content stays what it is."""
        if self.is_preallocated:
            self.is_preallocated = False
            with suppress(OSError):  # of a disk that fails, or a file that is deleted: then it goes with the file
                self.file.open().truncate(self.size_bytes)

    def stop_trimming(self) -> None:
        """Its file may grow from now on: ``preallocation.end`` leaves it alone."""
        if self.cancel_trimming is not None:
            self.cancel_trimming()
            self.cancel_trimming = None
            self.is_preallocated = True

    def close(self) -> None:
        """Close the file; indexes stay as they are."""
        self.stop_trimming()
        self.file.close()

    def moved_to(self, directory: str) -> None:
        """The directory was renamed. An open file stays open."""
        self._stem = f"{directory}/{self.base_offset:020d}"
        self.file.path = self._stem + LOG_SUFFIX
        for index in (*(self._indexes or ()), *(() if self._txn_index is None else (self._txn_index,))):
            index.moved_to(self._stem)

    def paths(self) -> list[str]:
        """The files that the segment may have."""
        return [self._stem + suffix for suffix in SUFFIXES]
