"""The offset index of a segment: where in its file a search for an offset starts. And the base of all index files.

What an index file holds is searched there, with a few small reads: in memory are the last entry and those that are not
written yet. Nothing depends on an index file: one that is missing or corrupt is rebuilt from the segment. Formats as in
Kafka's ``OffsetIndex``, ``TimeIndex`` and ``TransactionIndex``.
"""

import logging
from bisect import bisect_right
from operator import itemgetter
from struct import Struct

from kafkacompat.storage.fs import File, Fs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

MAX_RELATIVE_OFFSET = 2**31 - 1  #: of an offset to its segment's base; Kafka reads it as a signed integer
#: Entries that wait in memory before they are written: 64 KiB of a log with Kafka's ``index.interval.bytes``.
UNWRITTEN_ENTRIES = 16
#: A binary search reads the rest at once when so many entries are left.
BLOCK_ENTRIES = 32

_log = logging.getLogger(__name__)


class CorruptIndexError(Exception):
    """A damaged index file; it has to be rebuilt from the segment."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path


class IndexFile:
    """A file of ``count`` entries of one size. ``last_entry`` is the last one as it is on disk, None without one."""

    __slots__ = (
        "_fs", "_has_changed", "_is_held", "_matches", "_stem", "_unwritten", "_written", "base_offset", "count",
        "last_entry",
    )  # fmt: skip

    suffix: str
    layout: Struct

    def __init__(self, fs: Fs, stem: str, base_offset: int, *, is_held: bool = False) -> None:
        """An empty index beside the segment whose files begin with ``stem``; what its file may hold is replaced by the
        first flush. With ``is_held`` the file is left as it is until ``replace``.
        """
        self._fs = fs
        self._stem = stem
        self.base_offset = base_offset
        self.count = 0
        self.last_entry: tuple[Any, ...] | None = None
        self._unwritten = bytearray()  # the last entries
        self._written = 0  # entries in the file that are also the first ones here
        self._matches = False  # whether the file holds nothing else
        self._has_changed = False  # since the last flush
        self._is_held = is_held

    @classmethod
    def load(cls, fs: Fs, stem: str, base_offset: int) -> "Self":
        """The index in the file beside a segment; only its last entry is read. Empty when there is none. Raises
        CorruptIndexError, OSError.

        A running Apache Kafka keeps the file longer than its content and filled up with zeros; after it was killed
        they are still there. No entry at the end is all zeros, so they can be told from entries.
        """
        index = cls(fs, stem, base_offset)
        path, entry_bytes = index.path, cls.layout.size
        try:
            size_bytes = fs.size(path)
        except FileNotFoundError:
            return index
        if size_bytes % entry_bytes:
            raise CorruptIndexError(path, f"{size_bytes} bytes are not a multiple of {entry_bytes}")
        if size_bytes:
            file = fs.open(path)
            try:
                index._count_written(file, size_bytes // entry_bytes)
            finally:
                file.close()
        index._matches = index._written * entry_bytes == size_bytes
        return index

    @property
    def path(self) -> str:
        """Of the file, which need not be there."""
        return self._stem + self.suffix

    def __len__(self) -> int:
        return self.count

    def _count_written(self, file: File, count: int) -> None:
        """Find the last entry of a file with room for ``count`` entries."""
        zeros = bytes(self.layout.size)
        last = self._read(file, count - 1)
        if last == zeros:
            nothing = -1  # the last that is known to be none of the zeros behind the end
            while count - nothing > 1:
                middle = (nothing + count) // 2
                entry = self._read(file, middle)
                if entry == zeros:
                    count = middle
                else:
                    nothing, last = middle, entry
        self._written = self.count = count
        if count:
            self.last_entry = self.layout.unpack(last)
            self._check([self.last_entry])

    def flush(self) -> bool:
        """Write what the file lacks, creating it when it is missing, and cut off what it has too much.

        Answers whether the file has changed since the last time. Raises OSError.
        """
        self._write()
        has_changed, self._has_changed = self._has_changed, False
        return has_changed

    def _write(self) -> None:
        if self._matches and not self._unwritten:
            return
        self._has_changed = True
        file = self._fs.open(self.path, append=True)
        try:
            if not self._matches:
                file.truncate(self._written * self.layout.size)
                self._matches = True
            if self._unwritten:
                self._matches = False  # until all of it is there
                file.write([self._unwritten])
                self._written = self.count
                self._unwritten = bytearray()
                self._matches = True
        finally:
            file.close()

    def replace(self) -> None:
        """Write all entries of an index that is held into a new file, durably, in place of the old. Raises OSError."""
        assert not self._written
        self._fs.write_atomic(self.path, self._unwritten, sync=True)
        self._written = self.count
        self._unwritten = bytearray()
        self._matches = True
        self._is_held = False

    def fits(self, offset: int) -> bool:
        """Whether ``offset`` can be expressed relative to the base offset; if not, the segment must be rolled."""
        return 0 <= offset - self.base_offset <= MAX_RELATIVE_OFFSET

    def entries(self) -> "list[tuple[Any, ...]]":
        """All entries, as they are on disk. Raises CorruptIndexError, OSError."""
        data = bytes(self._unwritten)
        if self._written:
            file = self._fs.open(self.path)
            try:
                data = self._read(file, 0, self._written) + data
            finally:
                file.close()
        found = list(self.layout.iter_unpack(data))
        self._check(found)
        return found

    def _add(self, *entry: int) -> None:
        self._unwritten += self.layout.pack(*entry)
        self.count += 1
        self.last_entry = entry
        if not (self.count - self._written) % UNWRITTEN_ENTRIES and not self._is_held:
            try:
                self._write()
            except OSError as error:  # it is not needed before the segment is sealed, which tries again
                _log.warning("%s is written later: %s", self.path, error)

    def _find_last(self, column: int, value: int, *, inclusive: bool) -> "tuple[int, tuple[Any, ...] | None]":
        """How many entries have less than ``value`` in the ascending ``column``, or as much if that is ``inclusive``;
        and the last of them. Raises CorruptIndexError, OSError.
        """
        limit = value if inclusive else value - 1
        last, layout = self.last_entry, self.layout
        if last is None or last[column] <= limit:
            return self.count, last
        if not self._written or (self._unwritten and layout.unpack_from(self._unwritten)[column] <= limit):
            low, before, entries = self._written, None, list(layout.iter_unpack(self._unwritten))
        else:
            low, before, entries = self._read_around(column, limit)
        slot = bisect_right(entries, limit, key=itemgetter(column))
        return low + slot, entries[slot - 1] if slot else before

    def _read_around(self, column: int, limit: int) -> "tuple[int, tuple[Any, ...] | None, list[tuple[Any, ...]]]":
        """The entries of the file among which ``limit`` is passed: how many are before them, the last of those, and
        they themselves.
        """
        layout = self.layout
        file = self._fs.open(self.path)
        try:
            low, high, before = 0, self._written, None
            while high - low > BLOCK_ENTRIES:
                middle = (low + high) // 2
                entry = layout.unpack(self._read(file, middle))
                if entry[column] <= limit:
                    low, before = middle + 1, entry
                else:
                    high = middle
            entries = list(layout.iter_unpack(self._read(file, low, high - low)))
        finally:
            file.close()
        self._check(entries if before is None else [before, *entries])
        return low, before, entries

    def _read(self, file: File, slot: int, count: int = 1) -> bytes:
        """``count`` entries of the file, from ``slot`` on."""
        size_bytes = count * self.layout.size
        data = file.pread(slot * self.layout.size, size_bytes)
        if len(data) < size_bytes:
            raise CorruptIndexError(self.path, f"it ends before entry {slot + count}")
        return data

    def _keep(self, count: int, last_entry: "tuple[Any, ...] | None") -> None:
        """Keep the first ``count`` entries, of which ``last_entry`` is the last."""
        self.count = count
        self.last_entry = last_entry
        if count < self._written:
            self._written = count
            self._matches = False
        del self._unwritten[(count - self._written) * self.layout.size :]

    def _check(self, entries: "list[tuple[Any, ...]]") -> None:
        """Raises CorruptIndexError for neighbouring entries in a wrong order."""
        raise NotImplementedError


class OffsetIndex(IndexFile):
    """Ascending pairs of the last offset of a batch and the position of that batch, one every few kilobytes."""

    __slots__ = ()

    suffix = ".index"
    layout = Struct(">II")  # offset − base and position

    def append(self, offset: int, position: int) -> None:
        """Add the batch that ends with ``offset`` and starts at ``position``; both must be above the last entry's."""
        assert self.fits(offset)
        relative, last = offset - self.base_offset, self.last_entry
        assert last is None or (relative > last[0] and position > last[1])
        self._add(relative, position)

    def lookup(self, offset: int) -> tuple[int, int]:
        """The last entry at or before ``offset``, as offset and position; (base offset, 0) when there is none.

        Raises CorruptIndexError, OSError.
        """
        _, found = self._find_last(0, offset - self.base_offset, inclusive=True)
        return self._absolute(found)

    def last(self) -> tuple[int, int]:
        """The last entry, or (base offset, 0)."""
        return self._absolute(self.last_entry)

    def truncate_to(self, offset: int) -> None:
        """Drop the entries at and above ``offset``. Raises CorruptIndexError, OSError."""
        self._keep(*self._find_last(0, offset - self.base_offset, inclusive=False))

    def _absolute(self, entry: "tuple[Any, ...] | None") -> tuple[int, int]:
        return (self.base_offset, 0) if entry is None else (self.base_offset + entry[0], entry[1])

    def _check(self, entries: "list[tuple[Any, ...]]") -> None:
        for column, name in enumerate(("offsets", "positions")):
            found = [entry[column] for entry in entries]
            if sorted(set(found)) != found:
                raise CorruptIndexError(self.path, f"{name} do not ascend")
            if found and found[-1] > MAX_RELATIVE_OFFSET:
                raise CorruptIndexError(self.path, f"{name} up to {found[-1]}")
