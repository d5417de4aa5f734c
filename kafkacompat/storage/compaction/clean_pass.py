"""One pass over a log: reads sealed segments, writes ``.cleaned`` files. Nothing else is changed.

It may run beside the event loop or in another process. The log puts the results in the place of its segments
(``Log.replace_segments``). What a crash leaves is removed at the next start (``swap_files.py``).
"""

from contextlib import suppress

from kafkacompat.storage import scan
from kafkacompat.storage.compaction.batch_rules import BatchRules
from kafkacompat.storage.compaction.clean_rules import RoundTransactions
from kafkacompat.storage.compaction.plan import groups
from kafkacompat.storage.compaction.scan_loop import LoopScanner
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.segment import INDEX_SUFFIX, LOG_SUFFIX, SUFFIXES, TIME_INDEX_SUFFIX, Segment
from kafkacompat.storage.segments import Cleaned
from kafkacompat.storage.swap_files import CLEANED_SUFFIX
from kafkacompat.storage.txn_index import AbortedTransaction, TxnIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.compaction.request import Request
    from kafkacompat.storage.compaction.scan_loop import Scanner
    from kafkacompat.storage.fs import Buffer, File, Fs
    from kafkacompat.storage.scan import Take

CHUNK_BYTES = 1024 * 1024
"""What is read or written before the throttle is asked."""
READ_BYTES = 256 * 1024
"""At a time: a MB comes from the system anew for each read, which has to clear it, and is larger than most caches."""


class StoppedError(Exception):
    """The pass was closed."""


class Pass:
    """``index`` first, then ``clean`` for each of the groups that it returns, in their order.

    ``throttle(size_bytes)`` is called after so much was read or written, and may sleep.
    """

    __slots__ = ("_fs", "_is_closed", "_owed_bytes", "_request", "_rules", "_scanner", "_sizes", "_throttle")

    def __init__(
        self,
        fs: "Fs",
        request: "Request",
        throttle: "Callable[[int], None]" = lambda _size: None,
        scanner: "Callable[[int, bytes], Scanner]" = LoopScanner,
    ) -> None:
        self._fs = fs
        self._request = request
        self._throttle = throttle
        self._owed_bytes = 0
        self._is_closed = False
        self._sizes = dict(request.segments)
        self._scanner = scanner(request.map_bytes, request.secret)
        self._rules: BatchRules | None = None

    def index(self) -> tuple[int, list[list[int]]]:
        """Fill the map with the dirty part. Returns where the part begins that the next pass finds dirty, and the
        groups of segments to clean, by their base offsets. Raises RecordBatchError, CorruptIndexError and OSError.
        """
        request = self._request
        self._fill()
        end = self._scanner.end_offset
        self._rules = BatchRules(
            RoundTransactions(self._aborted()), request.last_records, upper_bound=request.upper_bound,
            now_ms=request.now_ms, delete_retention_ms=request.delete_retention_ms,
        )  # fmt: skip
        sizes = [(base, size, *self._index_sizes(base)) for base, size in request.segments if base < end]
        return end, groups(sizes, request.segment_bytes, request.max_index_bytes, request.upper_bound)

    def _fill(self) -> None:
        request = self._request
        transactions = RoundTransactions(each for each in self._aborted() if each.last_offset >= request.first_dirty)
        bases = [base for base, _ in request.segments]
        for base, end in zip(bases, [*bases[1:], request.upper_bound], strict=True):
            if end > request.first_dirty:
                ahead = self._scanner.index_ahead(request.first_dirty)
                dirty = self._batches([base], ahead, request.first_dirty)
                if not self._scanner.index(dirty, transactions, request.first_dirty):
                    return
                self._scanner.reached(end - 1)

    def _batches(
        self, bases: list[int], ahead: "Take", first_offset: int = 0
    ) -> "Iterator[tuple[BatchHeader, memoryview]]":
        """The batches of segments that ``ahead`` leaves; of these, those that end at ``first_offset`` or later."""

        def take(data: bytes, at: int) -> int:
            while (end := ahead(data, at)) > at:  # it may end early, so that we pay in between
                self._pay(end - at)
                at = end
            return at

        for base in bases:
            file = self._fs.open(self._path(base, LOG_SUFFIX))
            try:
                for _, header, batch in scan.batches(file, 0, self._sizes[base], READ_BYTES, take):
                    self._pay(len(batch))
                    if header.last_offset >= first_offset:
                        yield header, _alone(batch)
            finally:
                file.close()

    def _aborted(self) -> "list[AbortedTransaction]":
        found = {AbortedTransaction(*each) for each in self._request.aborted}
        for base in self._request.indexed:
            index = TxnIndex.load(self._fs, self._path(base), base)
            found.update(AbortedTransaction(*entry[1:]) for entry in index.entries())
        return list(found)

    def _path(self, base_offset: int, suffix: str = "") -> str:
        return f"{self._request.path}/{base_offset:020d}{suffix}"

    def _index_sizes(self, base_offset: int) -> tuple[int, int]:
        sizes = [0, 0]
        for place, suffix in enumerate((INDEX_SUFFIX, TIME_INDEX_SUFFIX)):
            with suppress(FileNotFoundError):
                sizes[place] = self._fs.size(self._path(base_offset, suffix))
        return sizes[0], sizes[1]

    def _pay(self, size_bytes: int) -> None:
        self._owed_bytes += size_bytes
        if self._is_closed:
            raise StoppedError
        if self._owed_bytes >= CHUNK_BYTES:
            self._throttle(self._owed_bytes)
            self._owed_bytes = 0

    def close(self) -> None:
        """End what runs in another thread."""
        self._is_closed = True

    def clean(self, group: list[int]) -> Cleaned:
        """Write what stays of neighbouring segments, durably. Raises RecordBatchError and OSError, and then nothing of
        it is left.
        """
        try:
            return self._clean(group)
        except BaseException:
            discard(self._fs, self._request.path, group[0])
            raise

    def _clean(self, group: list[int]) -> Cleaned:
        request, rules, scanner = self._request, self._rules, self._scanner
        assert rules is not None, "index() comes first"
        discard(self._fs, request.path, group[0])
        fs = _CleanedFs(self._fs)
        files = FileCache(fs)  # type: ignore[arg-type]
        segment = Segment(
            fs, files, request.path, group[0], size_bytes=0, created_ms=request.now_ms,  # type: ignore[arg-type]
            index_interval_bytes=request.index_interval_bytes, max_index_bytes=request.max_index_bytes,
        )  # fmt: skip
        index = segment.txn_index
        written = _Written(segment, self._pay)
        without_key = scanner.without_key
        try:
            batches = self._batches(group, scanner.thin_ahead(rules, written))
            for header, batch, max_timestamp_ms in scanner.thin(batches, rules):
                written.add(batch, header.last_offset, max_timestamp_ms)
            written.flush()
            for transaction in rules.retained:
                index.append(transaction)
            rules.retained.clear()
            segment.file.open().fsync()
            for path in segment.seal():
                _sync(fs, path)
        finally:
            segment.close()
        return Cleaned(
            size_bytes=segment.size_bytes, read_bytes=sum(self._sizes[base] for base in group),
            has_aborted=bool(index.count), without_key=scanner.without_key - without_key,
        )  # fmt: skip


def _alone(batch: memoryview) -> memoryview:
    """A batch in memory of its own: one that stays for a while must not hold all that was read with it."""
    whole = batch.obj
    return batch if isinstance(whole, bytes) and len(whole) == len(batch) else memoryview(bytes(batch))


class _Written:
    """Collects batches, and writes many at once. ``pay`` is told how large they are."""

    __slots__ = ("_notes", "_parts", "_pay", "_segment", "_size_bytes")

    def __init__(self, segment: Segment, pay: "Callable[[int], None]") -> None:
        self._segment = segment
        self._pay = pay
        self._parts: list[Buffer] = []
        self._notes: list[tuple[int, int, int]] = []
        self._size_bytes = 0

    def add(self, batch: "Buffer", last_offset: int, max_timestamp_ms: int) -> None:
        self.add_run(batch, [(len(batch), last_offset, max_timestamp_ms)])

    def add_run(self, batches: "Buffer", notes: list[tuple[int, int, int]]) -> None:
        self._parts.append(batches)
        self._notes += notes
        self._size_bytes += len(batches)
        if self._size_bytes >= CHUNK_BYTES:
            self.flush()
        self._pay(len(batches))

    def flush(self) -> None:
        position = self._segment.size_bytes
        if self._parts:
            self._segment.write(*self._parts)
        for size_bytes, last_offset, max_timestamp_ms in self._notes:
            self._segment.note_batch(position, size_bytes, last_offset, max_timestamp_ms)
            position += size_bytes
        self._parts = []
        self._notes = []
        self._size_bytes = 0


class _CleanedFs:
    """The file system under which a segment's files have the suffix ``.cleaned``."""

    __slots__ = ("_fs",)

    def __init__(self, fs: "Fs") -> None:
        self._fs = fs

    def open(self, path: str, *, append: bool = False) -> "File":
        return self._fs.open(path + CLEANED_SUFFIX, append=append)

    def size(self, path: str) -> int:
        return self._fs.size(path + CLEANED_SUFFIX)

    def exists(self, path: str) -> bool:
        return self._fs.exists(path + CLEANED_SUFFIX)


def _sync(fs: _CleanedFs, path: str) -> None:
    file = fs.open(path, append=True)
    try:
        file.fsync()
    finally:
        file.close()


def discard(fs: "Fs", path: str, base_offset: int) -> None:
    """Remove a result that is not used. Raises OSError."""
    for suffix in SUFFIXES:
        with suppress(FileNotFoundError):
            fs.remove(f"{path}/{base_offset:020d}{suffix}{CLEANED_SUFFIX}")
