"""The aborted transactions of a log: those that a reader of committed records must leave out of what it reads.

Each segment has an index of those that end in it (``txn_index.py``). An index that cannot be read is built anew from
the log: a list that lacks one would show records that were never committed. Entries have no checksum, so those of an
index are compared with the batches that they name, once before it is used; where there are very many, some of them.
"""

import logging
from contextlib import suppress

from kafkacompat.steps import UNITS_PER_STEP, Stepped, at_once
from kafkacompat.storage.errors import LogError, UnfinishedError
from kafkacompat.storage.index import CorruptIndexError
from kafkacompat.storage.producer_replay import replay
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.txn_index import ENTRIES_AT_ONCE, UNITS_PER_BLOCK, AbortedTransaction, Search, SearchBudget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.steps import Steps
    from kafkacompat.storage.producer_snapshots import SnapshotFiles
    from kafkacompat.storage.producer_state import CompletedTransaction
    from kafkacompat.storage.segment import Segment
    from kafkacompat.storage.txn_index import TxnIndex

    Batches = Callable[[int, int], Iterator[tuple[BatchHeader, memoryview]]]
    HeaderAt = Callable[[int], BatchHeader | None]
    T = TypeVar("T")

_log = logging.getLogger(__name__)
BYTES_PER_UNIT = 8 * 1024
"""Of the log, read for a unit of work (`steps.py`)."""
UNITS_PER_COMPARISON = 20
"""Work of comparing an entry with its first batch and its marker: two look-ups, each in an offset index."""

COMPARED_OF_MANY = 48
"""Entries of an index of more than ENTRIES_AT_ONCE: the budget of one fetch allows so many, once."""


def as_entry(ended: "CompletedTransaction") -> AbortedTransaction:
    """The entry of a transaction that an abort marker ended."""
    return AbortedTransaction(ended.producer_id, ended.first_offset, ended.last_offset, ended.last_stable_offset)


class AbortedTransactions:
    """The transaction indexes of one log. ``base_offsets``: of the segments that have entries, ascending; others may be
    among them. ``batches``, ``header_at``: see ``Segments``.
    """

    __slots__ = (
        "_batches", "_changes", "_compared", "_header_at", "_is_at_work", "_rebuilding", "_snapshots", "base_offsets",
    )  # fmt: skip

    def __init__(self, snapshots: "SnapshotFiles", batches: "Batches", header_at: "HeaderAt") -> None:
        self._snapshots = snapshots
        self._batches = batches
        self._header_at = header_at
        self.base_offsets: list[int] = []
        self._rebuilding: dict[int, tuple[Segment, Steps[Any]]] = {}  # by base offset: work that goes on
        self._changes = 0
        self._compared: set[int] = set()  # the base offsets of the segments whose indexes need not be compared any more
        self._is_at_work = False

    def expect(self, segment: "Segment") -> None:
        """Load what ``add`` needs for this segment, while nothing is written yet. Raises OSError."""
        if self.base_offsets and self.base_offsets[-1] == segment.base_offset:
            with suppress(CorruptIndexError):  # `add` says so
                segment.txn_index  # noqa: B018 (loaded by the look at it)

    def add(self, segment: "Segment", ended: "CompletedTransaction") -> None:
        """An abort marker that was written to the last segment has ended a transaction. Raises OSError, LogError."""
        if not self.base_offsets or self.base_offsets[-1] < segment.base_offset:
            self.base_offsets.append(segment.base_offset)
            self._compared.add(segment.base_offset)  # all its entries come from its batches
        try:
            segment.txn_index.append(as_entry(ended))
        except CorruptIndexError as error:  # building it anew finds this one as well
            _log.warning("the aborted transactions of a segment are built anew when they are needed: %s", error)

    def forget(self, base_offset: int) -> None:
        """The segment was removed."""
        if base_offset in self.base_offsets:
            self.base_offsets.remove(base_offset)
        self._changes += 1
        self._compared.discard(base_offset)
        self._rebuilding.pop(base_offset, None)

    def truncate(self, segment: "Segment", offset: int) -> None:
        """Truncate a segment (``Segment.truncate_to``). Raises OSError, LogError."""
        self._rebuilding.clear()
        self._changes += 1
        try:
            segment.truncate_to(offset)
        except CorruptIndexError as error:
            at_once(self._rebuilt(segment, error))  # nothing may be written behind it before
            segment.truncate_to(offset)

    def search(self, max_count: int | None, budget: "SearchBudget | None") -> Search:
        """A search that `overlapping` goes on with, segment after segment."""
        return Search(max_count, budget)

    def overlapping(self, segment: "Segment", start_offset: int, end_offset: int, search: Search) -> bool:
        """See ``TxnIndex.overlapping``. Raises OSError, LogError, TooManyError."""
        count = len(search.found)

        def look() -> bool:
            del search.found[count:]
            return segment.txn_index.overlapping(start_offset, end_offset, search)

        return self._read(segment, search.budget, look)

    def entries(self, segment: "Segment") -> "list[tuple[int, int, int, int]]":
        """All transactions that were aborted in a segment, as tuples. Raises OSError, LogError; UnfinishedError if it
        takes longer.
        """

        def read() -> "list[tuple[Any, ...]]":
            return segment.txn_index.entries()  # loading it may fail, too

        return [entry[1:] for entry in self._read(segment, SearchBudget(), read)]

    def mend(self, segments: "Iterable[Segment]") -> "Steps[int]":
        """Read the whole indexes of these segments and build anew those that are damaged. Returns how many these were.
        Raises OSError, LogError.
        """
        count = 0
        for segment in segments:
            if segment.base_offset not in self.base_offsets:
                continue
            try:
                yield from segment.txn_index.checked()
                count += yield from self._comparing(segment)
            except CorruptIndexError as error:
                count += 1
                yield from self._rebuilt(segment, error)
        return count

    def go_on(self) -> "Stepped | None":
        """Work on indexes that readers wait for, to be done between other events; None if it is being done."""
        if self._is_at_work or not self._rebuilding:
            return None
        self._is_at_work = True
        return Stepped(self._work())

    def _work(self) -> "Steps[None]":
        try:
            while self._rebuilding:
                base_offset, known = self._rebuilding.popitem()
                if not SearchBudget(UNITS_PER_STEP).spend(known[1]):
                    self._rebuilding[base_offset] = known
                yield UNITS_PER_STEP
        finally:
            self._is_at_work = False

    def _read(self, segment: "Segment", budget: SearchBudget, use: "Callable[[], T]") -> "T":
        try:
            if segment.base_offset not in self._compared:
                self._go_on_with(segment, budget, lambda: self._comparing(segment))
            return use()
        except CorruptIndexError as error:
            fault = error
            self._go_on_with(segment, budget, lambda: self._rebuilt(segment, fault))
            return use()

    def _go_on_with(self, segment: "Segment", budget: SearchBudget, begin: "Callable[[], Steps[Any]]") -> None:
        """Go on with comparing or building the index of a segment. Raises OSError, LogError; UnfinishedError if the
        budget is used up before it is done.
        """
        known = self._rebuilding.pop(segment.base_offset, None)
        if known is None or known[0] is not segment:
            known = segment, begin()
        if not budget.spend(known[1]):
            self._rebuilding[segment.base_offset] = known
            raise UnfinishedError(f"the aborted transactions of {segment.file.path} are being read")

    def _comparing(self, segment: "Segment") -> "Steps[bool]":
        """Compare the entries with the batches that they name, and build the index anew if one is wrong. Returns
        whether one was. Raises OSError, LogError.
        """
        changes, highest_stable, fault = self._changes, 0, ""
        yield UNITS_PER_BLOCK
        try:
            for _, producer_id, first, last, stable in _sample(segment.txn_index):
                if first < highest_stable:
                    fault = f"a transaction from {first} on was open when all below {highest_stable} was decided"
                highest_stable = max(highest_stable, stable)
                try:
                    fault = fault or self._fault(segment, producer_id, first, last)
                except LogError:
                    break  # what cannot be read is no reader's: the rest cannot be compared
                yield UNITS_PER_COMPARISON
                self._check_unchanged(segment, changes)
                if fault:
                    raise CorruptIndexError(segment.txn_index.path, fault)
        except CorruptIndexError as error:
            yield from self._rebuilt(segment, error)
            return True
        self._compared.add(segment.base_offset)
        return False

    def _fault(self, segment: "Segment", producer_id: int, first: int, last: int) -> str:
        """What is wrong with an entry; "" if it is right, or compaction has removed what it names. Raises OSError,
        LogError.
        """
        marker = self._header_at(last)
        if marker is None and last >= segment.read_next_offset():
            return f"a marker at {last}, behind the end of the segment"
        if marker is not None and not (marker.is_control and marker.producer_id == producer_id):
            return f"no marker of producer {producer_id} at {last}"
        begin = self._header_at(first)
        if begin is None:
            return ""
        is_first = begin.base_offset == first and begin.producer_id == producer_id
        if is_first and begin.is_transactional and not begin.is_control:
            return ""
        return f"no batch of producer {producer_id} at {first}"

    def _rebuilt(self, segment: "Segment", fault: CorruptIndexError) -> "Steps[None]":
        """Build the index of a segment from its batches and the producers before it. Raises OSError, LogError."""
        _log.warning("building the aborted transactions of a segment anew: %s", fault)
        changes = self._changes
        producers = self._snapshots.newest(segment.base_offset) or ProducerState()
        for header, batch in self._batches(producers.end_offset, segment.base_offset):
            replay(producers, header, batch)
            yield _units(batch)
            self._check_unchanged(segment, changes)
        index: TxnIndex = segment.new_txn_index()
        at_offset, size_bytes = segment.base_offset, 0
        while size_bytes < segment.size_bytes:  # of the last one, that grows meanwhile
            size_bytes = segment.size_bytes
            for header, batch in segment.batches(at_offset):
                ended = replay(producers, header, batch)
                if ended is not None and ended.is_aborted:
                    index.append(as_entry(ended))
                at_offset = header.next_offset
                yield _units(batch)
                self._check_unchanged(segment, changes)
        if segment.base_offset in self.base_offsets and changes == self._changes:
            segment.replace_txn_index(index)
            self._compared.add(segment.base_offset)

    def _check_unchanged(self, segment: "Segment", changes: int) -> None:
        if changes != self._changes:  # what is read next may be gone
            raise UnfinishedError(f"{segment.file.path}: segments were removed or truncated; reading begins anew")


def _sample(index: "TxnIndex") -> "Iterator[tuple[Any, ...]]":
    """All entries, or, of more than are read at once, COMPARED_OF_MANY that are evenly spread, with the first and the
    last one. Raises CorruptIndexError, OSError.
    """
    if index.count <= ENTRIES_AT_ONCE:
        yield from index.entries()
        return
    last = index.count - 1
    for number in range(COMPARED_OF_MANY):
        yield index.entry(number * last // (COMPARED_OF_MANY - 1))


def _units(batch: memoryview) -> int:
    """Work of reading and replaying a batch."""
    return 1 + len(batch) // BYTES_PER_UNIT
