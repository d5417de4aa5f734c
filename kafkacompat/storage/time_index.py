"""The time index of a segment: at which offset the maximum timestamp so far reached which value."""

from struct import Struct

from kafkacompat.protocol.constants import NO_TIMESTAMP
from kafkacompat.storage.index import MAX_RELATIVE_OFFSET, CorruptIndexError, IndexFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TimeIndex(IndexFile):
    """Pairs of the largest timestamp seen so far and the offset that had it; both ascend (Kafka's ``TimeIndex``)."""

    __slots__ = ()

    suffix = ".timeindex"
    layout = Struct(">qI")  # timestamp in ms and offset − base

    def maybe_append(self, timestamp: int, offset: int) -> None:
        """Add the maximum ``timestamp`` (ms) so far, which ``offset`` has, unless it is not above the last entry's."""
        assert self.fits(offset)
        last_timestamp, last_offset = self.last()
        if timestamp <= last_timestamp:
            return
        assert offset >= last_offset
        self._add(timestamp, offset - self.base_offset)

    def lookup(self, timestamp: int) -> tuple[int, int]:
        """The last entry with a timestamp at or below the one given, as timestamp and offset.

        All records up to that offset are no newer than the entry, so a search for the first record that is at or
        after the timestamp starts there. (−1, base offset) when there is no entry. Raises CorruptIndexError, OSError.
        """
        _, found = self._find_last(0, timestamp, inclusive=True)
        return self._absolute(found)

    def last(self) -> tuple[int, int]:
        """The last entry, the segment's maximum timestamp as far as it is indexed, or (−1, base offset)."""
        return self._absolute(self.last_entry)

    def truncate_to(self, offset: int) -> None:
        """Drop the entries at and above ``offset``. Raises CorruptIndexError, OSError."""
        self._keep(*self._find_last(1, offset - self.base_offset, inclusive=False))

    def _absolute(self, entry: "tuple[Any, ...] | None") -> tuple[int, int]:
        return (NO_TIMESTAMP, self.base_offset) if entry is None else (entry[0], self.base_offset + entry[1])

    def _check(self, entries: "list[tuple[Any, ...]]") -> None:
        timestamps, offsets = [entry[0] for entry in entries], [entry[1] for entry in entries]
        if sorted(set(timestamps)) != timestamps or sorted(offsets) != offsets:
            raise CorruptIndexError(self.path, "entries do not ascend")
        if entries and (entries[0][0] < 0 or entries[-1][1] > MAX_RELATIVE_OFFSET):
            raise CorruptIndexError(self.path, f"entries from {entries[0]} to {entries[-1]}")
