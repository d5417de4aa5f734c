"""The time index of a segment: at which offset the maximum timestamp so far reached which value."""

from array import array
from bisect import bisect_right
from itertools import pairwise
from struct import Struct

from kafkacompat.storage.index import MAX_RELATIVE_OFFSET, CorruptIndexError, IndexFile

NO_TIMESTAMP = -1
_ENTRY = Struct(">qI")


class TimeIndex(IndexFile):
    """Pairs of the largest timestamp seen so far and the offset that had it; both ascend (Kafka's ``TimeIndex``)."""

    __slots__ = ("_offsets", "_timestamps")

    entry_bytes = _ENTRY.size

    def maybe_append(self, timestamp: int, offset: int) -> None:
        """Add the maximum ``timestamp`` (ms) so far, which ``offset`` has, unless it is not above the last entry's."""
        assert self.fits(offset)
        last_timestamp, last_offset = self.last()
        if timestamp <= last_timestamp:
            return
        assert offset >= last_offset
        self._timestamps.append(timestamp)
        self._offsets.append(offset - self.base_offset)

    def lookup(self, timestamp: int) -> tuple[int, int]:
        """The last entry with a timestamp at or below the one given, as timestamp and offset.

        All records up to that offset are no newer than the entry, so a search for the first record that is at or
        after the timestamp starts there. (−1, base offset) when there is no entry.
        """
        slot = bisect_right(self._timestamps, timestamp) - 1
        if slot < 0:
            return NO_TIMESTAMP, self.base_offset
        return self._timestamps[slot], self.base_offset + self._offsets[slot]

    def last(self) -> tuple[int, int]:
        """The last entry, the segment's maximum timestamp as far as it is indexed, or (−1, base offset)."""
        if not self._timestamps:
            return NO_TIMESTAMP, self.base_offset
        return self._timestamps[-1], self.base_offset + self._offsets[-1]

    def truncate_to(self, offset: int) -> None:
        """Drop the entries at and above ``offset``."""
        count = len(self._offsets)
        while count and self._offsets[count - 1] >= offset - self.base_offset:
            count -= 1
        self._keep(count)

    def __len__(self) -> int:
        return len(self._timestamps)

    def _decode(self, data: bytes) -> None:
        entries = list(_ENTRY.iter_unpack(data))
        if any(after[0] <= before[0] or after[1] < before[1] for before, after in pairwise(entries)):
            raise CorruptIndexError(self.path, "entries do not ascend")
        if entries and (entries[0][0] < 0 or entries[-1][1] > MAX_RELATIVE_OFFSET):
            raise CorruptIndexError(self.path, f"entries from {entries[0]} to {entries[-1]}")
        self._timestamps = array("q", [timestamp for timestamp, _ in entries])
        self._offsets = array("I", [offset for _, offset in entries])

    def _encode(self, start: int) -> bytes:
        pairs = zip(self._timestamps[start:], self._offsets[start:], strict=True)
        return b"".join(_ENTRY.pack(timestamp, offset) for timestamp, offset in pairs)

    def _cut(self, count: int) -> None:
        if not count:
            self._timestamps = array("q")
            self._offsets = array("I")  # relative to the base offset
        del self._timestamps[count:]
        del self._offsets[count:]
