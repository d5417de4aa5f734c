"""What compaction keeps of a batch and of a record, as in Kafka's ``Cleaner`` and ``CleanedTransactionMetadata``.

A batch that is not needed for its records may still be needed empty: the last one of a producer keeps its sequence
(KIP-98), and the last one of a round keeps the end of the cleaned part (KAFKA-17076).
"""

from kafkacompat.protocol.constants import NO_PRODUCER_ID, UNKNOWN_OFFSET
from kafkacompat.protocol.records.control import ABORT, COMMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.txn_index import AbortedTransaction

    LastRecords = Mapping[int, tuple[int, int]]
    """Of each producer: the offset of its last record, −1 if it has written none in its epoch, and that epoch."""

DELETE = "delete"  #: the batch goes
DELETE_EMPTY = "delete-empty"  #: it goes if no record of it stays
RETAIN_EMPTY = "retain-empty"  #: it stays, with or without records


class RoundTransactions:
    """The transactions that a pass over a log meets. One pass goes through all groups of segments (KAFKA-8351).

    ``aborted``: those that may have batches in the log, without duplicates.
    """

    __slots__ = ("_committed", "_met", "_open", "_upcoming")

    def __init__(self, aborted: "Iterable[AbortedTransaction]") -> None:
        self._upcoming = sorted(aborted, key=lambda each: each.first_offset, reverse=True)
        self._open: dict[int, AbortedTransaction] = {}  # producer id -> the aborted transaction we are in
        self._met: set[int] = set()  # producers of which a batch of that transaction was met
        self._committed: set[int] = set()  # producers of which a batch of a committed transaction was met

    def is_aborted(self, header: "BatchHeader") -> bool:
        """Whether a data batch belongs to an aborted transaction. To be called once for each that is in a transaction,
        in their order. While offsets ascend, it makes no difference whether it is called for the others.
        """
        self._begin_up_to(header.last_offset)
        if not header.is_transactional:
            return False
        if header.producer_id in self._open:
            self._met.add(header.producer_id)
            return True
        self._committed.add(header.producer_id)
        return False

    def end(self, header: "BatchHeader", kind: int | None) -> "tuple[bool, AbortedTransaction | None]":
        """Whether no batch of the transaction that a control batch ends was met, so that it is not needed any more; and
        the aborted transaction that stays in the index. ``kind`` of the control record, None for an emptied batch.
        """
        self._begin_up_to(header.last_offset)
        producer_id = header.producer_id
        if kind is None:
            return True, None
        if kind == ABORT:
            transaction = self._open.pop(producer_id, None)
            if transaction is not None and producer_id in self._met:
                self._met.discard(producer_id)
                return False, transaction
            return True, None
        if kind == COMMIT:
            was_met = producer_id in self._committed
            self._committed.discard(producer_id)
            return not was_met, None
        return False, None

    def _begin_up_to(self, offset: int) -> None:
        while self._upcoming and self._upcoming[-1].first_offset <= offset:
            transaction = self._upcoming.pop()
            self._open.setdefault(transaction.producer_id, transaction)


def is_last_of_producer(header: "BatchHeader", last_records: "LastRecords") -> bool:
    """Whether a batch keeps the sequence of its producer, or, if that has written nothing, its epoch."""
    last = last_records.get(header.producer_id) if header.producer_id != NO_PRODUCER_ID else None
    if last is None:
        return False
    last_offset, epoch = last
    if last_offset != UNKNOWN_OFFSET:
        return header.last_offset == last_offset
    return header.is_control and header.producer_epoch == epoch


def drops_records(header: "BatchHeader", now_ms: int, *, is_discardable: bool) -> bool:
    """Whether a batch loses all records, whatever their keys: data that was aborted, and a marker past its horizon."""
    if not header.is_control:
        return is_discardable
    return is_discardable and header.has_delete_horizon and header.base_timestamp <= now_ms


def retention(header: "BatchHeader", last_records: "LastRecords", upper_bound: int, *, drops: bool) -> str:
    """DELETE, DELETE_EMPTY or RETAIN_EMPTY. ``upper_bound``: where the uncleanable part of the log begins."""
    if is_last_of_producer(header, last_records) or header.next_offset == upper_bound:
        return RETAIN_EMPTY
    return DELETE if drops else DELETE_EMPTY


def keeps_tombstones(header: "BatchHeader", now_ms: int) -> bool:
    """Whether newest records without a value stay: until the horizon of their batch has passed (KIP-534)."""
    return not header.has_delete_horizon or now_ms < header.base_timestamp


def new_horizon(
    header: "BatchHeader", now_ms: int, delete_retention_ms: int, *, has_tombstone: bool, ends_nothing: bool
) -> int | None:
    """The horizon that a batch gets now, in ms; None if it needs none or has one: that is never changed.

    ``ends_nothing``: a marker whose transaction has no batches any more.
    """
    if header.has_delete_horizon or not (has_tombstone or ends_nothing):
        return None
    return now_ms + delete_retention_ms
