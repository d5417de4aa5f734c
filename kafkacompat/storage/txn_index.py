"""The aborted transactions that end in a segment, which readers of committed records must leave out."""

from itertools import pairwise
from struct import Struct

from kafkacompat.storage.fs import Fs
from kafkacompat.storage.index import CorruptIndexError, IndexFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

LAST_OFFSET = 3  #: where an entry has it
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
        index.entries()  # there are few: all are checked
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
        otherwise later segments may hold more. Raises OSError.
        """
        found = []
        for _, *fields in self.entries():
            transaction = AbortedTransaction(*fields)
            if transaction.last_offset >= start_offset and transaction.first_offset < end_offset:
                found.append(transaction)
            if transaction.last_stable_offset >= end_offset:
                return found, True
        return found, False

    def truncate_to(self, offset: int) -> None:
        """Drop the transactions whose marker is at or above ``offset``. Raises OSError."""
        self._keep(*self._find_last(LAST_OFFSET, offset, inclusive=False))

    def _check(self, entries: "list[tuple[Any, ...]]") -> None:
        for version, _, first_offset, last_offset, _ in entries:
            if version != _VERSION:
                raise CorruptIndexError(self.path, f"entry of version {version}")
            if not 0 <= first_offset < last_offset or last_offset < self.base_offset:
                raise CorruptIndexError(self.path, "entries outside of their segment")
        if any(after[LAST_OFFSET] <= before[LAST_OFFSET] for before, after in pairwise(entries)):
            raise CorruptIndexError(self.path, "entries do not ascend")
