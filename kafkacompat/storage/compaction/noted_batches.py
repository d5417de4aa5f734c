"""Batches of which every record was noted: which of them stay is told by their offsets alone.

A record of such a batch stays if its offset is the newest of a key. A batch without newest offsets goes, one that has
no others stays as it is, and neither is decompressed. In the others the way leads from length to length.
"""

from array import array
from bisect import bisect_left, bisect_right

from kafkacompat.protocol.constants import LONG_MAX, UNKNOWN_OFFSET
from kafkacompat.protocol.varint import read_varint, read_varlong
from kafkacompat.storage.compaction.batch_rules import NO_DELTA, Stays
from kafkacompat.storage.compaction.thinned_batch import records_in, room_for_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.compaction.batch_rules import BatchRules, Verdict, Written
    from kafkacompat.storage.compaction.thinned_batch import Data

NO_RANGE = LONG_MAX, UNKNOWN_OFFSET
"""Begins behind all offsets and ends before them."""
MAX_RANGES = 64 * 1024
"""Batches behind so many ranges are thinned by their keys, as if they had not been noted."""


class NotedBatches:
    """Ranges of offsets in which all data batches are such ones, and the newest offsets of all keys."""

    __slots__ = ("_ends", "_is_broken", "_last_offset", "_newest", "_starts", "_tombstones")

    def __init__(self) -> None:
        self._starts, self._ends = array("q"), array("q")
        self._is_broken = True  # the next batch begins a range
        self._last_offset = UNKNOWN_OFFSET
        self._newest, self._tombstones = array("q"), array("q")

    def interrupt(self) -> None:
        """The next data batch is not to be noted: it was aborted."""
        self._is_broken = True

    def add(self, header: "BatchHeader", *, is_noted: bool) -> None:
        """The next one. ``is_noted``: all of its records were, and the offset delta of each is its place."""
        self.add_offsets(header.base_offset, header.last_offset, is_noted=is_noted)

    def add_offsets(self, base_offset: int, last_offset: int, *, is_noted: bool) -> None:
        """As ``add``, without a header."""
        if base_offset <= self._last_offset:  # where two records have one offset, that tells nothing
            self._starts, self._ends, self._last_offset = array("q"), array("q"), LONG_MAX
            return
        self._last_offset = last_offset
        if not is_noted:
            self._is_broken = True
            return
        if self._is_broken:
            if len(self._starts) >= MAX_RANGES:
                return
            self._starts.append(base_offset)
            self._ends.append(last_offset + 1)
            self._is_broken = False
        self._ends[-1] = last_offset + 1

    def finish(self, newest: "array[int]", tombstones: "array[int]") -> None:
        """The newest offsets of all keys, and those of records without a value among them; they ascend."""
        self._newest, self._tombstones = newest, tombstones

    def has(self, header: "BatchHeader") -> bool:
        """Whether `thinned` can tell what stays of a data batch."""
        if header.has_delete_horizon:  # its tombstones may go
            return False
        start, end = self.range_at(header.base_offset)
        return start <= header.base_offset and header.next_offset <= end

    def range_at(self, offset: int) -> tuple[int, int]:
        """Where the range begins and ends that begins last before ``offset`` or at it; NO_RANGE if there is none."""
        place = bisect_right(self._starts, offset) - 1
        return (self._starts[place], self._ends[place]) if place >= 0 else NO_RANGE

    def stay_count(self, base_offset: int, last_offset: int) -> int:
        """How many of these offsets are newest ones."""
        newest = self._newest
        first = bisect_left(newest, base_offset)
        if first == len(newest) or newest[first] > last_offset:
            return 0
        return bisect_right(newest, last_offset, first) - first

    def has_tombstone(self, base_offset: int, last_offset: int) -> bool:
        """Whether one of these newest offsets is that of a record without a value."""
        first = bisect_left(self._tombstones, base_offset)
        return first < len(self._tombstones) and self._tombstones[first] <= last_offset

    def thinned(
        self, header: "BatchHeader", batch: memoryview, rules: "BatchRules", verdict: "Verdict"
    ) -> "Written | None":
        """What stays of a batch, if anything. Raises RecordBatchError."""
        base_offset, last_offset = header.base_offset, header.last_offset
        first = bisect_left(self._newest, base_offset)
        newest = self._newest[first : bisect_right(self._newest, last_offset, first)]
        if not newest:
            return rules.without_records(header, verdict)
        has_tombstone = self.has_tombstone(base_offset, last_offset)
        if len(newest) == header.record_count and not has_tombstone:
            return rules.result(header, batch, b"", 0, _all_stay(header), verdict)
        data, start = records_in(header, batch)
        places = [offset - base_offset for offset in newest]
        stays = stay_at(places, header, data, start, has_tombstone=has_tombstone)
        return rules.result(header, batch, data, start, stays, verdict)


def _all_stay(header: "BatchHeader") -> Stays:
    return Stays(header.record_count, NO_DELTA, None, bytes, has_tombstone=False)


def stay_at(places: "Sequence[int]", header: "BatchHeader", data: "Data", start: int, *, has_tombstone: bool) -> Stays:
    """The records at some places, which count from 0 and ascend, of a sound batch. ``has_tombstone``: whether some of
    them have no value.
    """
    if len(places) == header.record_count and not has_tombstone:
        return _all_stay(header)
    body, view = room_for_header(), memoryview(data)
    max_delta, at, at_place, run = NO_DELTA, start, 0, start
    for place in places:
        if place != at_place:
            body += view[run:at]
            run = at = _pass_over(place - at_place, data, at)
        length = data[at]
        if length < 128:
            at += 1
            end = at + (length >> 1)
        elif (second := data[at + 1]) < 128:
            at += 2
            end = at + ((length & 127 | second << 7) >> 1)
        else:
            length, at = read_varint(data, at)
            end = at + length
        timestamp_delta = data[at + 1]
        if timestamp_delta < 128:
            timestamp_delta = (timestamp_delta >> 1) ^ -(timestamp_delta & 1)
        else:
            timestamp_delta, _ = read_varlong(data, at + 1)
        if timestamp_delta > max_delta:
            max_delta = timestamp_delta
        at, at_place = end, place + 1
    body += view[run:at]

    def flags() -> bytes:
        found = bytearray(header.record_count)
        for place in places:
            found[place] = 1
        return bytes(found)

    return Stays(len(places), max_delta, body, flags, has_tombstone=has_tombstone)


def _pass_over(count: int, data: "Data", at: int) -> int:
    """Where the record begins that is behind ``count`` records from ``at`` on."""
    for _ in range(count):
        length = data[at]
        if length < 128:
            at += 1 + (length >> 1)
        else:
            second = data[at + 1]
            if second < 128:
                at += 2 + ((length & 127 | second << 7) >> 1)
            else:
                length, at = read_varint(data, at)
                at += length
    return at
