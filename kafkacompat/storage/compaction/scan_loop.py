"""Goes through the records of a log one by one, in plain Python. ``scan_arrays.py`` does the same in another way.

No batch has a list of its records: of millions of tiny ones it would take a hundred times their bytes.
"""

from functools import partial

from kafkacompat.protocol.records.batch import CorruptBatchError
from kafkacompat.protocol.records.reader import MIN_RECORD_BYTES
from kafkacompat.protocol.varint import read_varint, read_varlong
from kafkacompat.storage.compaction import ordinary_batches
from kafkacompat.storage.compaction.batch_rules import NO_DELTA, Stays, Verdict, check, control_kind
from kafkacompat.storage.compaction.clean_rules import DELETE, DELETE_EMPTY, keeps_tombstones
from kafkacompat.storage.compaction.noted_batches import NotedBatches, stay_at
from kafkacompat.storage.compaction.offset_map import OffsetMap
from kafkacompat.storage.compaction.record_keys import read_keys
from kafkacompat.storage.compaction.thinned_batch import records_in, room_for_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Protocol

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.compaction.batch_rules import BatchRules, Written
    from kafkacompat.storage.compaction.clean_rules import RoundTransactions
    from kafkacompat.storage.compaction.ordinary_batches import Output
    from kafkacompat.storage.compaction.thinned_batch import Data
    from kafkacompat.storage.scan import Take

    Batches = Iterable[tuple[BatchHeader, memoryview]]
    Thinned = Iterator[tuple[BatchHeader, bytes | bytearray | memoryview, int]]
    """Batches that stay, with their old headers and new max timestamps in ms."""
    Predicate = Callable[[int, bytes | None, bool], bool]
    """Whether a record stays: by its offset delta, its key, and whether it has a value."""
    Span = tuple[int, int, int, bytes | None, bool]
    """A record: its end, timestamp and offset delta, key, and whether it has a value."""

    class Scanner(Protocol):
        """The records of a log: those of a pass at first, to see which is the newest of each key, then all of them.

        Batches are looked at in their order; the methods may be called for one segment after the other.
        ``end_offset``: the newest records are known up to there. ``without_key``: records without a key, which went.
        """

        without_key: int

        @property
        def end_offset(self) -> int: ...

        def index(self, batches: Batches, transactions: RoundTransactions, first_dirty: int) -> bool:
            """Note the records from ``first_dirty`` on. False if there is no room for more keys. Raises
            RecordBatchError, also for a wrong checksum: a key that was damaged could supersede good records of
            another one.
            """

        def reached(self, offset: int) -> None:
            """All records up to ``offset`` were noted."""

        def thin(self, batches: Batches, rules: BatchRules) -> Thinned:
            """What stays of the batches. Raises RecordBatchError."""

        def index_ahead(self, first_dirty: int) -> "Take":
            """What notes batches out of what was read, as ``index`` would; that gets the others. Clean ones that it
            takes are passed over. For one segment.
            """

        def thin_ahead(self, rules: BatchRules, output: Output) -> "Take":
            """What thins batches out of what was read, as ``thin`` would; that gets the others. What stays goes to
            ``output``. Raises RecordBatchError.
            """


ORDINARY = Verdict(DELETE_EMPTY, drops=False, ends_nothing=False)
"""What ``BatchRules.verdict`` would say of each batch that `ordinary_batches.thin` opens."""


def check_count(header: "BatchHeader", size_bytes: int) -> None:
    """Raises CorruptBatchError if so many records cannot be in so many bytes."""
    count = header.record_count
    if count < 0 or count * MIN_RECORD_BYTES > size_bytes or (not count and size_bytes):
        at = header.base_offset
        raise CorruptBatchError(f"{count} records cannot be in the {size_bytes} bytes of the batch at offset {at}")


def walk(data: "Data", at: int, header: "BatchHeader") -> "Iterator[Span]":
    """The records of a batch, which is decompressed already, from ``at`` to the end. Raises CorruptBatchError."""
    first, size, last_delta = at, len(data), header.last_offset_delta
    check_count(header, size - at)
    try:
        for _ in range(header.record_count):
            start = at
            length = data[at]
            if length < 128:
                length = (length >> 1) ^ -(length & 1)
                at += 1
            else:
                length, at = read_varint(data, at)
            end = at + length
            timestamp_delta = data[at + 1]
            if timestamp_delta < 128:
                timestamp_delta = (timestamp_delta >> 1) ^ -(timestamp_delta & 1)
                at += 2
            else:
                timestamp_delta, at = read_varlong(data, at + 1)
            offset_delta = data[at]
            if offset_delta < 128:
                offset_delta = (offset_delta >> 1) ^ -(offset_delta & 1)
                at += 1
            else:
                offset_delta, at = read_varint(data, at)
            key_bytes = data[at]
            if key_bytes < 128:
                key_bytes = (key_bytes >> 1) ^ -(key_bytes & 1)
                at += 1
            else:
                key_bytes, at = read_varint(data, at)
            key = None
            if key_bytes >= 0:
                key = bytes(data[at : at + key_bytes])
                at += key_bytes
            value_bytes, at = read_varint(data, at)
            if (
                length < MIN_RECORD_BYTES - 1
                or not at <= end <= size
                or not 0 <= offset_delta <= last_delta
                or value_bytes > end - at
            ):
                raise CorruptBatchError(f"record at {start - first} of the batch at offset {header.base_offset}")
            yield end, timestamp_delta, offset_delta, key, value_bytes >= 0
            at = end
    except (IndexError, ValueError):
        raise CorruptBatchError(f"a record runs past the end of the batch at offset {header.base_offset}") from None
    if at != size:
        raise CorruptBatchError(f"{size - at} bytes after the last record of the batch at offset {header.base_offset}")


class LoopScanner:
    """See ``Scanner``."""

    __slots__ = ("_is_finished", "_noted", "_offsets", "without_key")

    def __init__(self, map_bytes: int, secret: bytes) -> None:
        """``map_bytes``: memory for keys. ``secret``: of their hashes."""
        self._offsets = OffsetMap(map_bytes, secret)
        self._noted = NotedBatches()
        self._is_finished = False
        self.without_key = 0

    @property
    def end_offset(self) -> int:
        """See ``Scanner``."""
        return self._offsets.latest + 1

    def reached(self, offset: int) -> None:
        """See ``Scanner``."""
        self._offsets.reached(offset)

    def index(self, batches: "Batches", transactions: "RoundTransactions", first_dirty: int) -> bool:
        """See ``Scanner``."""
        self._is_finished = False
        for header, batch in batches:
            check(header, batch)
            if header.is_control:
                transactions.end(header, control_kind(header, batch))
            elif transactions.is_aborted(header):
                self._noted.interrupt()
            elif not self._note(header, batch, first_dirty):
                return False
            if header.last_offset >= first_dirty:
                self._offsets.reached(header.last_offset)
        return True

    def index_ahead(self, first_dirty: int) -> "Take":
        """See ``Scanner``."""
        self._is_finished = False
        return ordinary_batches.Indexing(self._offsets, self._noted, first_dirty).take

    def _note(self, header: "BatchHeader", batch: memoryview, first_dirty: int) -> bool:
        """Note the records of a batch. Returns False if there is no room."""
        base_offset, offsets = header.base_offset, self._offsets
        data, start = records_in(header, batch)
        if base_offset >= first_dirty and offsets.has_room(header.record_count):
            found = read_keys(data, start, header, offsets.kept)
            if found is not None:
                offsets.put_all(base_offset, found)
                self._noted.add(header, is_noted=found.is_dense)
                return True
        for _, _, delta, key, has_value in walk(data, start, header):
            offset = base_offset + delta
            if key is not None and offset >= first_dirty and not offsets.put(key, offset, has_value=has_value):
                return False
        self._noted.add(header, is_noted=False)
        return True

    def thin(self, batches: "Batches", rules: "BatchRules") -> "Thinned":
        """See ``Scanner``."""
        self._finish()
        for header, batch in batches:
            verdict = rules.verdict(header, batch)
            if verdict.fate == DELETE:
                continue
            if verdict.drops or header.is_control:
                result = without_keys(header, batch, rules, verdict)
            elif self._noted.has(header):
                result = self._noted.thinned(header, batch, rules, verdict)
            else:
                result = self._thinned_by_keys(header, batch, rules, verdict)
            if result is not None:
                yield header, *result

    def thin_ahead(self, rules: "BatchRules", output: "Output") -> "Take":
        """See ``Scanner``."""
        self._finish()

        def thinned(header: "BatchHeader", batch: memoryview, is_noted: bool) -> "Written | None":
            thin = self._noted.thinned if is_noted else self._thinned_by_keys
            return thin(header, batch, rules, ORDINARY)

        return partial(ordinary_batches.thin, self._noted, rules, thinned, output)

    def _finish(self) -> None:
        if not self._is_finished:
            self._noted.finish(*self._offsets.all_newest())
            self._is_finished = True

    def _thinned_by_keys(
        self, header: "BatchHeader", batch: memoryview, rules: "BatchRules", verdict: "Verdict"
    ) -> "Written | None":
        offsets, has_tombstones = self._offsets, keeps_tombstones(header, rules.now_ms)
        data, start = records_in(header, batch)
        found = read_keys(data, start, header, offsets.kept) if header.last_offset <= offsets.latest else None
        if found is None:
            predicate = offsets.predicate(header.base_offset, has_tombstones=has_tombstones)
            stays, without_key = _walked(data, start, header, predicate)
            self.without_key += without_key
        else:
            places = offsets.staying(header.base_offset, found)
            tombstones = set(places).intersection(found.tombstones)
            if tombstones and not has_tombstones:
                places = [place for place in places if place not in tombstones]
            stays = stay_at(places, header, data, start, has_tombstone=has_tombstones and bool(tombstones))
        if not stays.count:
            return rules.without_records(header, verdict)
        return rules.result(header, batch, data, start, stays, verdict)


def _all(_delta: int, _key: bytes | None, _has_value: bool) -> bool:
    return True


def without_keys(header: "BatchHeader", batch: memoryview, rules: "BatchRules", verdict: "Verdict") -> "Written | None":
    """What stays of a marker, or of a batch whose records all go, whatever their keys. Raises RecordBatchError."""
    if verdict.drops:
        return rules.without_records(header, verdict)
    data, start = records_in(header, batch)
    stays, _ = _walked(data, start, header, _all)
    if not stays.count:
        return rules.without_records(header, verdict)
    return rules.result(header, batch, data, start, stays, verdict)


def _walked(data: "Data", start: int, header: "BatchHeader", predicate: "Predicate") -> tuple[Stays, int]:
    body: bytearray | None = None
    view = memoryview(data)
    count, without_key, max_delta, has_tombstone = 0, 0, NO_DELTA, False
    run = run_end = start  # a run of records that stay, and is not in the body yet
    for end, timestamp_delta, delta, key, has_value in walk(data, start, header):
        if predicate(delta, key, has_value):
            count += 1
            if timestamp_delta > max_delta:
                max_delta = timestamp_delta
            if not has_value:
                has_tombstone = True
            run_end = end
        else:
            if body is None:
                body = room_for_header()
            body += view[run:run_end]
            run = run_end = end
            if key is None:
                without_key += 1
    if body is not None:
        body += view[run:run_end]

    def flags() -> bytes:
        spans = walk(data, start, header)
        return bytes(predicate(delta, key, has_value) for _, _, delta, key, has_value in spans)

    return Stays(count, max_delta, body, flags, has_tombstone=has_tombstone), without_key
