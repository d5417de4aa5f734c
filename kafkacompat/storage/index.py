"""The offset index of a segment, which maps offsets to file positions, and the base class of all index files.

A lookup searches the index file with a few small reads. Only the last entry, the unwritten entries and those that were
read last are in memory: a consumer that reads on needs the next ones. A missing or corrupt index file is rebuilt from
the segment. The formats are those of Kafka's ``OffsetIndex``, ``TimeIndex`` and ``TransactionIndex``.
"""

import logging
from bisect import bisect_right
from struct import Struct

from kafkacompat.storage.fs import File, Fs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

MAX_RELATIVE_OFFSET = 2**31 - 1  #: to the segment's base offset; Kafka reads a signed integer
#: Entries kept in memory before they are written: 64 KiB of log with the default ``index.interval.bytes``.
UNWRITTEN_ENTRIES = 16
#: A binary search reads the remaining entries at once when there are this many or fewer.
BLOCK_ENTRIES = 32
#: Entries that are read and remembered at once, more than a block: those of the next fetches are among them.
WINDOW_ENTRIES = 64

_log = logging.getLogger(__name__)


class CorruptIndexError(Exception):
    """An index file is damaged and has to be rebuilt from the segment."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path


class IndexFile:
    """``count`` entries of fixed size. ``last_entry`` is the last one, as the file stores it; None if empty."""

    __slots__ = (
        "_fs", "_has_changed", "_is_held", "_matches", "_stem", "_unwritten", "_window", "_window_slot", "_written",
        "base_offset", "count", "last_entry",
    )  # fmt: skip

    suffix: str
    layout: Struct

    def __init__(self, fs: Fs, stem: str, base_offset: int, *, is_held: bool = False) -> None:
        """An empty index for the segment whose file names begin with ``stem``. The first flush overwrites an existing
        file. With ``is_held`` the file is not written before ``replace``.
        """
        self._fs = fs
        self._stem = stem
        self.base_offset = base_offset
        self.count = 0
        self.last_entry: tuple[Any, ...] | None = None
        self._unwritten = bytearray()  # the entries that follow the written ones
        self._written = 0  # number of leading entries that are in the file
        self._window = b""  # the entries of the file that were read last, from this number on
        self._window_slot = 0
        self._matches = False  # whether the file holds these entries and nothing else
        self._has_changed = False  # since the last flush
        self._is_held = is_held

    @classmethod
    def load(cls, fs: Fs, stem: str, base_offset: int) -> "Self":
        """Load a segment's index from its file; only the last entry is read. Empty if there is no file. Raises
        CorruptIndexError, OSError.

        Apache Kafka preallocates the file and fills it with zeros, which remain if it is killed. No last entry is all
        zeros, so the zeros are recognized.
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
        """Path of the file, which may not exist yet."""
        return self._stem + self.suffix

    def moved_to(self, stem: str) -> None:
        """The file's directory was renamed."""
        self._stem = stem

    def __len__(self) -> int:
        return self.count

    def _count_written(self, file: File, count: int) -> None:
        """Find the last entry of a file that has space for ``count`` entries."""
        zeros = bytes(self.layout.size)
        last = self._read(file, count - 1)
        if last == zeros:
            non_zero = -1  # the last slot known to hold an entry
            while count - non_zero > 1:
                middle = (non_zero + count) // 2
                entry = self._read(file, middle)
                if entry == zeros:
                    count = middle
                else:
                    non_zero, last = middle, entry
        self._written = self.count = count
        if count:
            self.last_entry = self.layout.unpack(last)
            self._check([self.last_entry])

    def flush(self) -> bool:
        """Write the unwritten entries, create the file if it is missing, and remove surplus bytes at its end.

        Returns whether the file has changed since the last flush. Raises OSError.
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
                self._matches = False  # until the write is complete
                file.write([self._unwritten])
                self._written = self.count
                self._unwritten = bytearray()
                self._matches = True
        finally:
            file.close()

    def replace(self) -> None:
        """Replace the file durably by one with all entries of a held index. Raises OSError."""
        assert not self._written
        self._fs.write_atomic(self.path, self._unwritten, sync=True)
        self._written = self.count
        self._unwritten = bytearray()
        self._matches = True
        self._is_held = False

    def fits(self, offset: int) -> bool:
        """Whether ``offset`` can be stored relative to the base offset; if not, the segment must be rolled."""
        return 0 <= offset - self.base_offset <= MAX_RELATIVE_OFFSET

    def entries(self) -> "list[tuple[Any, ...]]":
        """All entries, as the file stores them. Raises CorruptIndexError, OSError."""
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

    def _entries_from(self, slot: int, limit: int) -> "list[tuple[Any, ...]]":
        """At most ``limit`` entries from number ``slot`` on; at least one, unless it is the end. Raises
        CorruptIndexError, OSError.
        """
        size = self.layout.size
        if slot >= self._written:
            start = (slot - self._written) * size
            return list(self.layout.iter_unpack(self._unwritten[start : start + limit * size]))
        count = min(limit, self._written - slot)
        start = (slot - self._window_slot) * size
        if start < 0 or start + count * size > len(self._window):
            file = self._fs.open(self.path)
            try:
                if count > WINDOW_ENTRIES:
                    found = list(self.layout.iter_unpack(self._read(file, slot, count)))
                    self._check(found)
                    return found
                self._read_window(file, slot, None)
            finally:
                file.close()
            start = 0
        return list(self.layout.iter_unpack(self._window[start : start + count * size]))

    def _read_window(self, file: File, slot: int, before: "tuple[Any, ...] | None") -> None:
        """Read and remember the entries from number ``slot`` on; ``before`` is the one before them, if it is known."""
        window = self._read(file, slot, min(WINDOW_ENTRIES, self._written - slot))
        entries = list(self.layout.iter_unpack(window))
        self._check(entries if before is None else [before, *entries])
        self._window, self._window_slot = window, slot

    def _add(self, *entry: int) -> None:
        self._unwritten += self.layout.pack(*entry)
        self.count += 1
        self.last_entry = entry
        if not (self.count - self._written) % UNWRITTEN_ENTRIES and not self._is_held:
            try:
                self._write()
            except OSError as error:  # sealing the segment tries again
                _log.warning("%s is written later: %s", self.path, error)

    def _find_last(self, column: int, value: int, *, inclusive: bool) -> "tuple[int, tuple[Any, ...] | None]":
        """How many entries have a value below ``value`` (or, with ``inclusive``, equal to it) in the ascending
        ``column``, and the last of these entries. Raises CorruptIndexError, OSError.
        """
        limit = value if inclusive else value - 1
        last, size, unpack = self.last_entry, self.layout.size, self.layout.unpack_from
        if last is None or last[column] <= limit:
            return self.count, last
        before = None
        if not self._written or (self._unwritten and unpack(self._unwritten)[column] <= limit):
            low, entries = self._written, memoryview(self._unwritten)
        else:
            if not self._is_in_window(column, limit):
                before = self._read_around(column, limit)
            low, entries = self._window_slot, memoryview(self._window)
        # only those are decoded that are compared: each fetch comes here
        slot = bisect_right(
            range(len(entries) // size), limit, key=lambda number: unpack(entries, number * size)[column]
        )
        return low + slot, unpack(entries, (slot - 1) * size) if slot else before

    def _is_in_window(self, column: int, limit: int) -> bool:
        """Whether the values first exceed ``limit`` among the remembered entries, and not with the first one."""
        window, layout = self._window, self.layout
        if not window:
            return False
        last = len(window) - layout.size
        return bool(layout.unpack_from(window)[column] <= limit < layout.unpack_from(window, last)[column])

    def _read_around(self, column: int, limit: int) -> "tuple[Any, ...] | None":
        """Remember the entries around the one from which on the values exceed ``limit``, and what follows. Returns the
        one before them.
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
            self._read_window(file, low, before)
        finally:
            file.close()
        return before

    def _read(self, file: File, slot: int, count: int = 1) -> bytes:
        """Read ``count`` entries of the file, beginning with number ``slot``."""
        size_bytes = count * self.layout.size
        data = file.pread(slot * self.layout.size, size_bytes)
        if len(data) < size_bytes:
            raise CorruptIndexError(self.path, f"it ends before entry {slot + count}")
        return data

    def _keep(self, count: int, last_entry: "tuple[Any, ...] | None") -> None:
        """Drop all but the first ``count`` entries; ``last_entry`` is the last of them."""
        self.count = count
        self.last_entry = last_entry
        self._window = b""
        if count < self._written:
            self._written = count
            self._matches = False
        del self._unwritten[(count - self._written) * self.layout.size :]

    def _check(self, entries: "list[tuple[Any, ...]]") -> None:
        """Raises CorruptIndexError if the entries are not in order."""
        raise NotImplementedError


class OffsetIndex(IndexFile):
    """Pairs of a batch's last offset and its position, one per ``index.interval.bytes``, in ascending order."""

    __slots__ = ()

    suffix = ".index"
    layout = Struct(">II")  # offset relative to the base, position

    def append(self, offset: int, position: int) -> None:
        """Add the batch that ends with ``offset`` and starts at ``position``. Both must exceed the last entry's."""
        assert self.fits(offset)
        relative, last = offset - self.base_offset, self.last_entry
        assert last is None or (relative > last[0] and position > last[1])
        self._add(relative, position)

    def lookup(self, offset: int) -> tuple[int, int]:
        """Offset and position of the last entry at or before ``offset``; (base offset, 0) if there is none.

        Raises CorruptIndexError, OSError.
        """
        _, found = self._find_last(0, offset - self.base_offset, inclusive=True)
        return self._absolute(found)

    def offset_behind(self, position: int) -> int | None:
        """The offset of the first entry whose batch starts at or behind ``position``; None if there is none.

        Raises CorruptIndexError, OSError.
        """
        slot, _ = self._find_last(1, position, inclusive=False)
        return None if slot >= self.count else self.base_offset + int(self._entries_from(slot, 1)[0][0])

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
