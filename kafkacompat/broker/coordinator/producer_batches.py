"""Batches of a transaction in a coordinator's log: its records, and the marker that ends it.

Of Kafka's coordinators only the group coordinator has transactions in its log (`__consumer_offsets`).
"""

from kafkacompat.protocol.constants import NO_SEQUENCE
from kafkacompat.protocol.records.batch import stamp_producer
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.verification_entries import VerificationEntry


class TransactionalProducer:
    """The producer whose transaction contains a result's records.

    guard: proves to the log that the transaction coordinator has been asked about this transaction (KIP-890); None
    where the log has the transaction open already.
    """

    __slots__ = ("epoch", "guard", "producer_id")

    def __init__(self, producer_id: int, epoch: int, guard: "VerificationEntry | None" = None) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.guard = guard


class Marker:
    """The end of a producer's transaction, as its coordinator decided (an entry of WriteTxnMarkers).

    transaction_version: 2 if the epoch is one above that of the transaction's records (KIP-890), otherwise 0 or 1.
    """

    __slots__ = ("coordinator_epoch", "epoch", "is_commit", "producer_id", "transaction_version")

    def __init__(
        self, producer_id: int, epoch: int, coordinator_epoch: int, *, is_commit: bool, transaction_version: int
    ) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.coordinator_epoch = coordinator_epoch
        self.is_commit = is_commit
        self.transaction_version = transaction_version


def in_transaction(batch: bytearray, producer: TransactionalProducer) -> bytearray:
    """The batch as part of the producer's transaction. Coordinators number no records (Kafka's CoordinatorRuntime)."""
    stamp_producer(batch, 0, producer.producer_id, producer.epoch, NO_SEQUENCE, is_transactional=True)
    return batch


def marker_batch(marker: Marker, wall_ms: int) -> bytearray:
    """The control batch of a marker (Kafka's MemoryRecords.withEndTransactionMarker)."""
    key = encode_key(COMMIT if marker.is_commit else ABORT)
    record = Record(0, wall_ms, key, encode_end_transaction(marker.coordinator_epoch))
    return build_batch(
        [record], producer_id=marker.producer_id, producer_epoch=marker.epoch, is_transactional=True, is_control=True
    )
