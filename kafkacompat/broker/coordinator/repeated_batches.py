"""Batches whose keys come again: consumers commit the same partitions over and over, so a later batch supersedes an
earlier one as a whole, whose records are never decoded.

A batch is compared without its values: what is between them has all keys and lengths. If that is the same, the records
are, one by one, those of the earlier batch with other values.
"""

from collections import OrderedDict
from struct import Struct

from kafkacompat.broker.coordinator.plain_records import plain_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.broker.coordinator.plain_records import Latest
    from kafkacompat.protocol.records.batch import BatchHeader

    Records = list[tuple[bytes, Latest]]

KEPT_RECORDS = 20_000
"""Of all batches that wait for one that supersedes them; the oldest have waited long enough beyond it."""
RECORD_BYTES = 400
"""What a record takes beside its bytes in the batch: the objects that it was decoded into, and its key once more."""
SHAPES_MAX = 256
PATIENCE, REST = 32, 512
"""After so many batches in a row that superseded none, so many are not added."""


class RepeatedBatches:
    """Batches in the order of the log, each superseded by none that came later."""

    __slots__ = ("_bytes", "_kept", "_patience", "_records", "_rest", "_shapes")

    def __init__(self) -> None:
        self._kept: OrderedDict[object, tuple[bytes, BatchHeader, Records | None]] = OrderedDict()
        self._records = self._bytes = 0
        self._shapes: dict[tuple[int, int], list[tuple[list[int], Struct]]] = {}
        self._patience = PATIENCE
        self._rest = 0

    def replace(self, content: bytes, header: "BatchHeader") -> bool:
        """Whether the batch supersedes an earlier one: then it is kept in its place, without a look at its records.

        ``content``: what follows its header, decompressed.
        """
        for _, shape in self._shapes.get((len(content), header.record_count), ()):
            key = header.last_offset_delta, shape.unpack(content)
            if key in self._kept:
                self._kept[key] = content, header, None
                self._kept.move_to_end(key)
                self._patience = PATIENCE
                return True
        return False

    def add(self, content: bytes, header: "BatchHeader", records: "Records", values: list[int]) -> bool:
        """Keep a batch that supersedes none. ``values``: where the value of each record begins and ends. Returns False
        if it is not kept, as none is found to come again: then ``drain`` comes before it.
        """
        if self._rest:
            self._rest -= 1
            return False
        self._patience -= 1
        if not self._patience:
            self._patience, self._rest = PATIENCE, REST
        key = header.last_offset_delta, self._shape_of(content, header, values).unpack(content)
        former = self._kept.pop(key, None)  # its shape was forgotten
        if former is not None:
            self._count(former[0], -former[1].record_count)
        self._kept[key] = content, header, records
        self._count(content, header.record_count)
        return True

    def _shape_of(self, content: bytes, header: "BatchHeader", values: list[int]) -> Struct:
        if len(self._shapes) >= SHAPES_MAX:
            self._shapes.clear()
        shapes = self._shapes.setdefault((len(content), header.record_count), [])
        for known, shape in shapes:
            if known == values:
                return shape
        parts, at = [], 0
        for begin, end in zip(values[::2], values[1::2], strict=True):
            parts.append(f"{begin - at}s{end - begin}x")
            at = end
        shape = Struct(f"{''.join(parts)}{len(content) - at}s")
        del shapes[:-1]  # two of one size are enough
        shapes.append((values, shape))
        return shape

    def overflow(self, most_bytes: int) -> "Iterator[tuple[Records, bool]]":
        """As ``drain``, but only the batches that are too many, the oldest first."""
        while self._records > KEPT_RECORDS or self._bytes > most_bytes:
            yield self._read_oldest()

    def drain(self) -> "Iterator[tuple[Records, bool]]":
        """The records of all batches, each of which is dropped as it is returned, and whether they were decoded for
        that: those of a batch that superseded another one are.
        """
        while self._kept:
            yield self._read_oldest()

    def release(self) -> "Iterator[int]":
        """Drop all batches. Yields how many decoded records each has."""
        while self._kept:
            yield len(self._pop()[2] or ())

    def _read_oldest(self) -> "tuple[Records, bool]":
        content, header, records = self._pop()
        if records is not None:
            return records, False
        records = plain_records(content, header)
        assert records is not None, "a batch of this shape was read before"
        return records, True

    def _pop(self) -> "tuple[bytes, BatchHeader, Records | None]":
        _, oldest = self._kept.popitem(last=False)
        self._count(oldest[0], -oldest[1].record_count)
        return oldest

    def _count(self, content: bytes, records: int) -> None:
        """Count a batch, or with a negative number of records one that is gone."""
        self._records += records
        self._bytes += RECORD_BYTES * records + (len(content) if records > 0 else -len(content))
