"""The aborted transactions that end in a segment, which readers of committed records must leave out."""

from itertools import pairwise
from struct import Struct

from kafkacompat.storage.fs import Fs
from kafkacompat.storage.index import CorruptIndexError, IndexFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

FIRST_OFFSET, LAST_OFFSET, LAST_STABLE_OFFSET = 2, 3, 4  #: where an entry has it
ENTRIES_AT_ONCE = 256
"""Entries that a search reads at once: most need fewer."""
_VERSION = 0


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

    __slots__ = ()

    suffix = ".txnindex"
    layout = Struct(">hqqqq")  # version and the four of AbortedTransaction

    @classmethod
    def load(cls, fs: Fs, stem: str, base_offset: int) -> "Self":
        index = super().load(fs, stem, base_offset)
        if index.count <= ENTRIES_AT_ONCE:  # of more only those are checked that are used
            index.entries()
        return index

    def append(self, transaction: AbortedTransaction) -> None:
        """Add a transaction that was aborted after all others here."""
        assert self.last_entry is None or transaction.last_offset > self.last_entry[LAST_OFFSET]
        self._add(_VERSION, *transaction.as_tuple())

    def flush(self) -> bool:
        return bool(self.count or self._fs.exists(self.path)) and super().flush()

    def overlapping(self, start_offset: int, end_offset: int) -> tuple[list[AbortedTransaction], bool]:
        """The transactions with records in ``start_offset`` … ``end_offset`` (exclusive), and whether that is all.

        The list is complete if a transaction here was aborted after everything below ``end_offset`` had been decided;
        otherwise later segments may hold more. Raises CorruptIndexError, OSError.
        """
        found: list[AbortedTransaction] = []
        slot, _ = self._find_last(LAST_OFFSET, start_offset, inclusive=False)
        while slot < self.count:
            entries = self._entries_from(slot, ENTRIES_AT_ONCE)
            stable = [entry[LAST_STABLE_OFFSET] >= end_offset for entry in entries]
            is_complete = True in stable
            if is_complete:
                del entries[stable.index(True) + 1 :]
            found += [AbortedTransaction(*entry[1:]) for entry in entries if entry[FIRST_OFFSET] < end_offset]
            if is_complete:
                return found, True
            slot += len(entries)
        return found, False

    def truncate_to(self, offset: int) -> None:
        """Drop the transactions whose marker is at or above ``offset``. Raises CorruptIndexError, OSError."""
        self._keep(*self._find_last(LAST_OFFSET, offset, inclusive=False))

    def _check(self, entries: "list[tuple[Any, ...]]") -> None:
        for version, _, first_offset, last_offset, _ in entries:
            if version != _VERSION:
                raise CorruptIndexError(self.path, f"entry of version {version}")
            if not 0 <= first_offset < last_offset or last_offset < self.base_offset:
                raise CorruptIndexError(self.path, "entries outside of their segment")
        if any(after[LAST_OFFSET] <= before[LAST_OFFSET] for before, after in pairwise(entries)):
            raise CorruptIndexError(self.path, "entries do not ascend")
