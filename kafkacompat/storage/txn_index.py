"""The aborted transactions that end in a segment, which readers of committed records must leave out."""

from itertools import pairwise
from struct import Struct

from kafkacompat.storage.index import CorruptIndexError, IndexFile

_ENTRY = Struct(">hqqqq")
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

    __slots__ = ("_transactions",)

    entry_bytes = _ENTRY.size
    _transactions: list[AbortedTransaction]

    def append(self, transaction: AbortedTransaction) -> None:
        """Add a transaction that was aborted after all others here."""
        assert not self._transactions or transaction.last_offset > self._transactions[-1].last_offset
        self._transactions.append(transaction)

    def flush(self) -> bool:
        return bool(self._transactions or self._fs.exists(self.path)) and super().flush()

    def overlapping(self, start_offset: int, end_offset: int) -> tuple[list[AbortedTransaction], bool]:
        """The transactions with records in ``start_offset`` … ``end_offset`` (exclusive), and whether that is all.

        It is when a transaction here was aborted after everything below ``end_offset`` had been decided; otherwise
        later segments may hold more.
        """
        found = []
        for transaction in self._transactions:
            if transaction.last_offset >= start_offset and transaction.first_offset < end_offset:
                found.append(transaction)
            if transaction.last_stable_offset >= end_offset:
                return found, True
        return found, False

    def truncate_to(self, offset: int) -> None:
        """Drop the transactions whose marker is at or above ``offset``."""
        count = len(self._transactions)
        while count and self._transactions[count - 1].last_offset >= offset:
            count -= 1
        self._keep(count)

    def __len__(self) -> int:
        return len(self._transactions)

    def _decode(self, data: bytes) -> None:
        transactions = []
        for version, *fields in _ENTRY.iter_unpack(data):
            if version != _VERSION:
                raise CorruptIndexError(self.path, f"entry of version {version}")
            transactions.append(AbortedTransaction(*fields))
        for before, after in pairwise(transactions):
            if after.last_offset <= before.last_offset:
                raise CorruptIndexError(self.path, "entries do not ascend")
        if any(not 0 <= t.first_offset < t.last_offset or t.last_offset < self.base_offset for t in transactions):
            raise CorruptIndexError(self.path, "entries outside of their segment")
        self._transactions = transactions

    def _encode(self, start: int) -> bytes:
        return b"".join(_ENTRY.pack(_VERSION, *transaction.as_tuple()) for transaction in self._transactions[start:])

    def _cut(self, count: int) -> None:
        if not count:
            self._transactions = []
        del self._transactions[count:]
