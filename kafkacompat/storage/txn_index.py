"""The aborted transactions that end in a segment, which readers of committed records must leave out."""

from itertools import pairwise
from struct import Struct

from kafkacompat.steps import UNITS_PER_ITERATION
from kafkacompat.storage.errors import UnfinishedError
from kafkacompat.storage.fs import Fs
from kafkacompat.storage.index import CorruptIndexError, IndexFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from kafkacompat.steps import Steps

FIRST_OFFSET, LAST_OFFSET, LAST_STABLE_OFFSET = 2, 3, 4  #: where an entry has it
ENTRIES_AT_ONCE = 256
"""Entries that a search reads at once, at most."""
FIRST_ENTRIES = 8
"""Entries that a search reads first, where it begins inside a block: as many as most need; then four times as many."""
MAX_FOUND = 5_000
"""Aborted transactions that a fetch names, unless a small part of the log has more: about 10 ms."""
UNITS_PER_BLOCK = 8
"""Work of reading ENTRIES_AT_ONCE entries (`steps.py`)."""
_VERSION = 0


class TooManyError(Exception):
    """More transactions than ``MAX_FOUND`` were aborted in what was read: less has to be read."""


class SearchBudget:
    """The work (``steps.py``) that the searches of one fetch may do in a turn, through all its partitions: to read what
    no search of an index has read before, to compare indexes with the log, and to build them anew.
    """

    __slots__ = ("units_left",)

    def __init__(self, units: int = UNITS_PER_ITERATION) -> None:
        self.units_left = units

    def spend(self, work: "Steps[object]") -> bool:
        """Go on with work until it is done or the budget is used up, at most one step beyond it. Returns whether the
        work is done.
        """
        try:
            while self.units_left > 0:
                self.units_left -= next(work)
        except StopIteration:
            return True
        return False


class Search:
    """One search through the indexes of a log: ``found`` so far. Without a ``budget`` it has one of its own."""

    __slots__ = ("_max_found", "budget", "found")

    def __init__(self, max_found: int | None = None, budget: SearchBudget | None = None) -> None:
        self.found: list[AbortedTransaction] = []
        self.budget = SearchBudget() if budget is None else budget
        self._max_found = max_found

    def add(self, transactions: "list[AbortedTransaction]") -> None:
        """Raises TooManyError."""
        self.found += transactions
        if self._max_found is not None and len(self.found) > self._max_found:
            raise TooManyError


class AbortedTransaction:
    """One aborted transaction: its first record, its abort marker, and the last stable offset at that moment."""

    __slots__ = ("first_offset", "last_offset", "last_stable_offset", "producer_id")

    def __init__(self, producer_id: int, first_offset: int, last_offset: int, last_stable_offset: int) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.last_stable_offset = last_stable_offset

    def as_tuple(self) -> tuple[int, int, int, int]:
        return self.producer_id, self.first_offset, self.last_offset, self.last_stable_offset

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbortedTransaction) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __repr__(self) -> str:
        return "AbortedTransaction({}, {}, {}, {})".format(*self.as_tuple())


class TxnIndex(IndexFile):
    """Aborted transactions in the order of their markers (Kafka's ``TransactionIndex``). Most segments have none:
    no file is written for them."""

    __slots__ = ("_blocks",)

    suffix = ".txnindex"
    layout = Struct(">hqqqq")  # version and the four of AbortedTransaction

    def __init__(self, fs: Fs, stem: str, base_offset: int, *, is_held: bool = False) -> None:
        super().__init__(fs, stem, base_offset, is_held=is_held)
        # Of each block of up to ENTRIES_AT_ONCE that a search has read: its lowest first offset, its highest last
        # stable offset, and its size. While a transaction stays open, all those that are aborted meanwhile have to be
        # looked at.
        self._blocks: dict[int, tuple[int, int, int]] = {}

    @classmethod
    def load(cls, fs: Fs, stem: str, base_offset: int) -> "Self":
        index = super().load(fs, stem, base_offset)
        if index.count <= ENTRIES_AT_ONCE:  # of more only those are checked that are used
            index.entries()
        return index

    def append(self, transaction: AbortedTransaction) -> None:
        """Add a transaction that was aborted after all others here."""
        assert self.last_entry is None or transaction.last_offset > self.last_entry[LAST_OFFSET]
        self._blocks.pop(self.count // ENTRIES_AT_ONCE, None)
        self._add(_VERSION, *transaction.as_tuple())

    def flush(self) -> bool:
        return bool(self.count or self._fs.exists(self.path)) and super().flush()

    def overlapping(self, start_offset: int, end_offset: int, search: Search) -> bool:
        """Add the transactions with records in ``start_offset`` … ``end_offset`` (exclusive). Returns whether that is
        all.

        The list is complete if a transaction here was aborted after everything below ``end_offset`` had been decided;
        otherwise later segments may hold more. Raises CorruptIndexError, OSError, TooManyError, and UnfinishedError if
        too much had to be read: the next search goes on from there.
        """
        slot = 0  # without a look into the file: all markers are in the segment
        if start_offset > self.base_offset:
            slot, _ = self._find_last(LAST_OFFSET, start_offset, inclusive=False)
        limit = FIRST_ENTRIES
        while slot < self.count:
            number, within = divmod(slot, ENTRIES_AT_ONCE)
            wanted = min(limit, ENTRIES_AT_ONCE - within) if within else ENTRIES_AT_ONCE  # to remember a block
            block = None if within else self._blocks.get(number)
            if block is not None and block[0] >= end_offset > block[1]:
                slot += block[2]
                continue
            if block is None:
                if search.budget.units_left <= 0:
                    raise UnfinishedError(f"{self.path} is being read")
                search.budget.units_left -= max(1, UNITS_PER_BLOCK * wanted // ENTRIES_AT_ONCE)
            entries = self._entries_from(slot, wanted)
            limit *= 4
            if not within:
                least = min([entry[FIRST_OFFSET] for entry in entries])
                self._blocks[number] = least, max([entry[LAST_STABLE_OFFSET] for entry in entries]), len(entries)
            stable = [entry[LAST_STABLE_OFFSET] >= end_offset for entry in entries]
            is_complete = True in stable
            if is_complete:
                del entries[stable.index(True) + 1 :]
            search.add([AbortedTransaction(*entry[1:]) for entry in entries if entry[FIRST_OFFSET] < end_offset])
            if is_complete:
                return True
            slot += len(entries)
        return False

    def entry(self, slot: int) -> "tuple[Any, ...]":
        """The entry with this number, as the file stores it. Raises CorruptIndexError, OSError."""
        return self._entries_from(slot, 1)[0]

    def checked(self) -> "Steps[None]":
        """Read all entries, in steps. Raises CorruptIndexError, OSError."""
        slot, before = 0, self.last_entry
        while slot < self.count:
            entries = self._entries_from(slot, ENTRIES_AT_ONCE)
            if slot:
                assert before is not None
                self._check([before, entries[0]])
            before = entries[-1]
            slot += len(entries)
            yield UNITS_PER_BLOCK

    def truncate_to(self, offset: int) -> None:
        """Drop the transactions whose marker is at or above ``offset``. Raises CorruptIndexError, OSError."""
        self._keep(*self._find_last(LAST_OFFSET, offset, inclusive=False))
        self._blocks = {}

    def _check(self, entries: "list[tuple[Any, ...]]") -> None:
        for version, producer_id, first_offset, last_offset, stable_offset in entries:
            if version != _VERSION:
                raise CorruptIndexError(self.path, f"entry of version {version}")
            if producer_id < 0 or not 0 <= stable_offset <= last_offset + 1:
                raise CorruptIndexError(self.path, f"producer {producer_id}, last stable offset {stable_offset}")
            if not 0 <= first_offset < last_offset or last_offset < self.base_offset:
                raise CorruptIndexError(self.path, "entries outside of their segment")
        if any(after[LAST_OFFSET] <= before[LAST_OFFSET] for before, after in pairwise(entries)):
            raise CorruptIndexError(self.path, "entries do not ascend")
