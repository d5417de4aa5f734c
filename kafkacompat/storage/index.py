"""The offset index of a segment: where in its file to start looking for an offset. And what all index files share.

Entries are kept in memory; ``flush`` writes those that are new. Nothing depends on an index
file: one that is missing or corrupt is rebuilt from the segment. Formats as in Kafka's ``OffsetIndex``, ``TimeIndex``
and ``TransactionIndex``.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from itertools import pairwise

from kafkacompat.storage.fs import Fs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

MAX_RELATIVE_OFFSET = 2**31 - 1  #: of an offset to its segment's base; Kafka reads it as a signed integer


class CorruptIndexError(Exception):
    """An index file that cannot be what was written; the segment is to be read to rebuild it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path


class IndexFile:
    """A file of entries of one size. ``path`` may be assigned to when the file has been renamed."""

    __slots__ = ("_fs", "_matches", "_written", "base_offset", "path")

    entry_bytes: int

    def __init__(self, fs: Fs, path: str, base_offset: int) -> None:
        """An empty index; what the file may hold is replaced by the first flush."""
        self._fs = fs
        self.path = path
        self.base_offset = base_offset
        self._written = 0  # entries in the file that are also the first ones here
        self._matches = False  # whether the file holds nothing else
        self._cut(0)

    @classmethod
    def load(cls, fs: Fs, path: str, base_offset: int) -> "Self":
        """The index in the file at ``path``, empty when there is none. Raises CorruptIndexError, OSError.

        A running Apache Kafka keeps the file longer than its content and filled up with zeros; after it was killed
        they are still there. No entry at the end is all zeros, so they can be told from entries.
        """
        index = cls(fs, path, base_offset)
        try:
            data = fs.read_bytes(path)
        except FileNotFoundError:
            return index
        if len(data) % cls.entry_bytes:
            raise CorruptIndexError(path, f"{len(data)} bytes are not a multiple of {cls.entry_bytes}")
        index._written = -(-len(data.rstrip(b"\0")) // cls.entry_bytes)
        index._matches = index._written * cls.entry_bytes == len(data)
        index._decode(data[: index._written * cls.entry_bytes])
        return index

    def flush(self) -> bool:
        """Write what the file lacks, creating it when it is missing, and cut off what it has too much.

        Answers whether there was anything to do. Raises OSError.
        """
        if self._matches and self._written == len(self):
            return False
        file = self._fs.open(self.path, append=True)
        try:
            if not self._matches:
                file.truncate(self._written * self.entry_bytes)
                self._matches = True
            if self._written < len(self):
                self._matches = False  # until all of it is there
                file.write([self._encode(self._written)])
                self._written = len(self)
                self._matches = True
        finally:
            file.close()
        return True

    def replace(self) -> None:
        """Write all entries into a new file that takes the place of the old one, durably. Raises OSError."""
        self._fs.write_atomic(self.path, self._encode(0), sync=True)
        self._written = len(self)
        self._matches = True

    def fits(self, offset: int) -> bool:
        """Whether ``offset`` can be expressed relative to the base offset; if not, the segment must be rolled."""
        return 0 <= offset - self.base_offset <= MAX_RELATIVE_OFFSET

    def _keep(self, count: int) -> None:
        """Keep the first ``count`` entries."""
        self._cut(count)
        if count < self._written:
            self._written = count
            self._matches = False

    def __len__(self) -> int:
        raise NotImplementedError

    def _decode(self, data: bytes) -> None:
        raise NotImplementedError

    def _encode(self, start: int) -> bytes:
        """The bytes of the entries from index ``start`` on."""
        raise NotImplementedError

    def _cut(self, count: int) -> None:
        """Drop all but the first ``count`` entries from memory."""
        raise NotImplementedError


class OffsetIndex(IndexFile):
    """Ascending pairs of the last offset of a batch and the position of that batch, one every few kilobytes."""

    __slots__ = ("_offsets", "_positions")

    entry_bytes = 8  # offset − base and position, both u32

    def append(self, offset: int, position: int) -> None:
        """Add the batch that ends with ``offset`` and starts at ``position``; both must be above the last entry's."""
        assert self.fits(offset)
        relative = offset - self.base_offset
        assert not self._offsets or (relative > self._offsets[-1] and position > self._positions[-1])
        self._offsets.append(relative)
        self._positions.append(position)

    def lookup(self, offset: int) -> tuple[int, int]:
        """The last entry at or before ``offset``, as offset and position; (base offset, 0) when there is none."""
        slot = bisect_right(self._offsets, offset - self.base_offset) - 1
        if slot < 0:
            return self.base_offset, 0
        return self.base_offset + self._offsets[slot], self._positions[slot]

    def last(self) -> tuple[int, int]:
        """The last entry, or (base offset, 0)."""
        return self.lookup(self.base_offset + MAX_RELATIVE_OFFSET)

    def truncate_to(self, offset: int) -> None:
        """Drop the entries at and above ``offset``."""
        self._keep(bisect_left(self._offsets, offset - self.base_offset))

    def __len__(self) -> int:
        return len(self._offsets)

    def _decode(self, data: bytes) -> None:
        words = array("I", data)
        if sys.byteorder == "little":
            words.byteswap()
        offsets, positions = words[::2], words[1::2]
        for column, name in ((offsets, "offsets"), (positions, "positions")):
            if any(after <= before for before, after in pairwise(column)):
                raise CorruptIndexError(self.path, f"{name} do not ascend")
            if column and column[-1] > MAX_RELATIVE_OFFSET:
                raise CorruptIndexError(self.path, f"{name} up to {column[-1]}")
        self._offsets, self._positions = offsets, positions

    def _encode(self, start: int) -> bytes:
        words = array("I", bytes(self.entry_bytes * (len(self) - start)))
        words[::2] = self._offsets[start:]
        words[1::2] = self._positions[start:]
        if sys.byteorder == "little":
            words.byteswap()
        return words.tobytes()

    def _cut(self, count: int) -> None:
        if not count:
            self._offsets = array("I")  # relative to the base offset
            self._positions = array("I")
        del self._offsets[count:]
        del self._positions[count:]
