"""Update the producer state from batches that have offsets: own, fetched, or read at recovery."""

from kafkacompat.protocol.constants import NO_PRODUCER_ID
from kafkacompat.protocol.records.batch import BatchHeader, Buffer
from kafkacompat.protocol.records.control import ABORT, COMMIT, decode_end_transaction, decode_key
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.producer_state import CompletedTransaction, ProducerState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kafkacompat.storage.producer_snapshots import SnapshotFiles
    from kafkacompat.storage.verification_entries import VerificationEntry


class Marker:
    """The end of a transaction, from a control batch."""

    __slots__ = ("coordinator_epoch", "is_aborted", "timestamp_ms")

    def __init__(self, coordinator_epoch: int, timestamp_ms: int, *, is_aborted: bool) -> None:
        self.coordinator_epoch = coordinator_epoch
        self.timestamp_ms = timestamp_ms
        self.is_aborted = is_aborted


def read_marker(header: BatchHeader, batch: Buffer) -> Marker | None:
    """The transaction marker in a control batch; None if compaction has emptied it or it is of another kind.

    Raises RecordBatchError.
    """
    for record in read_records(batch, 0, header):
        kind = decode_key(record.key)
        if kind in (ABORT, COMMIT):
            return Marker(decode_end_transaction(record.value), record.timestamp, is_aborted=kind == ABORT)
    return None


def check_own_producer(
    producers: ProducerState,
    header: BatchHeader,
    records: memoryview,
    position: int,
    guard: "VerificationEntry | None",
    transaction_version: int,
) -> None:
    """Whether a coordinator's batch with a producer id may be appended: epochs and the guard, no sequences. Raises
    LogError.
    """
    if not header.is_control:
        producers.check_epoch(header.producer_id, header.producer_epoch)
        if header.is_transactional:
            producers.check_verified(header.producer_id, header.producer_epoch, guard)
        return
    marker = read_marker(header, records[position : position + header.size_bytes])
    if marker is not None:
        producers.check_marker(
            header.producer_id, header.producer_epoch, marker.coordinator_epoch, transaction_version=transaction_version
        )


def replay(producers: ProducerState, header: BatchHeader, batch: Buffer) -> CompletedTransaction | None:
    """Apply a batch of the log. Returns the transaction that it ends, if any."""
    producers.end_offset = header.next_offset
    if header.producer_id == NO_PRODUCER_ID:
        return None
    if not header.is_control:
        producers.update(
            header.producer_id,
            header.producer_epoch,
            header.base_sequence,
            header.last_sequence,
            header.base_offset,
            header.last_offset,
            header.max_timestamp,
            is_transactional=header.is_transactional,
        )
        return None
    marker = read_marker(header, batch)
    if marker is None:
        return None
    return producers.end_transaction(
        header.producer_id,
        header.producer_epoch,
        marker.coordinator_epoch,
        header.base_offset,
        marker.timestamp_ms,
        is_aborted=marker.is_aborted,
    )


def rebuild_producers(
    snapshots: "SnapshotFiles",
    batches: "Callable[[int, int], Iterator[tuple[BatchHeader, memoryview]]]",
    log_start_offset: int,
    end_offset: int,
) -> ProducerState:
    """The producers as they were at ``end_offset``: the newest snapshot before it, and the ``batches`` since
    (``Log.batches``) that end before it. Raises LogError and OSError.
    """
    producers = snapshots.newest(end_offset)
    if producers is None:
        producers = ProducerState(log_start_offset)
    for header, batch in batches(producers.end_offset, end_offset):
        if header.next_offset <= end_offset:
            replay(producers, header, batch)
    producers.end_offset = end_offset
    return producers
