"""The response for one partition of a fetch, from a follower (R8) or a consumer (R9)."""

import logging

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import INVALID_PREFERRED_REPLICA_ID, NO_PARTITION_LEADER_EPOCH, UNKNOWN_OFFSET
from kafkacompat.protocol.messages.fetch import AbortedTransaction, EpochEndOffset, PartitionData
from kafkacompat.replication.partition import READ_COMMITTED
from kafkacompat.storage.errors import LogError, UnfinishedError
from kafkacompat.storage.truncation import diverging_epoch
from kafkacompat.storage.txn_index import MAX_FOUND, TooManyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.txn_index import SearchBudget

    class Asked(Protocol):
        """A follower's fetch of one partition, from a message or a session."""

        current_leader_epoch: int
        fetch_offset: int
        last_fetched_epoch: int
        log_start_offset: int

    class AskedByConsumer(Protocol):
        """A consumer's fetch of one partition."""

        current_leader_epoch: int
        fetch_offset: int
        last_fetched_epoch: int


_log = logging.getLogger(__name__)
FEW_BYTES = 256 * 1024
"""What is read for a consumer where more than ``MAX_FOUND`` transactions were aborted."""
NO_RECORDS = b""
_nothing = PartitionData()
NO_DIVERGING_EPOCH, NO_CURRENT_LEADER, NO_SNAPSHOT = (
    _nothing.diverging_epoch, _nothing.current_leader, _nothing.snapshot_id
)  # fmt: skip


def serve_follower(
    partition: "Partition",
    replica_id: int,
    broker_epoch: int,
    asked: "Asked",
    max_bytes: int,
    now: "Now",
    *,
    has_waited: bool = False,
    at_least_one: bool = True,
) -> PartitionData:
    """Answer a fetch of a follower whose broker has the epoch `broker_epoch`, and record its log end.

    The log end is not recorded if the fetch fails or the logs diverge, nor when a delayed fetch is read again
    (`has_waited`), as its broker may have died meanwhile. `records` is a slice that the caller releases.
    """
    partition.traffic.fetch_requests += 1
    error = partition.leader_error(asked.current_leader_epoch)
    if error == errors.NONE and (replica_id not in partition.replicas or replica_id == partition.node_id):
        return refuse_non_replica(partition, asked)
    if error == errors.NONE and partition.in_sync.is_stale(replica_id, broker_epoch):
        error = errors.NOT_LEADER_OR_FOLLOWER
    if error != errors.NONE:
        return _refused(partition.index, error)
    if asked.last_fetched_epoch != NO_PARTITION_LEADER_EPOCH:
        agreed = partition.end_offset_for_epoch(asked.last_fetched_epoch)
        if agreed[0] == NO_PARTITION_LEADER_EPOCH:
            return _refused(partition.index, errors.UNKNOWN_LEADER_EPOCH)  # all our epochs are later than its last
        where = diverging_epoch(asked.fetch_offset, asked.last_fetched_epoch, agreed)
        if where is not None:
            return _answer(partition, diverging=EpochEndOffset(*where))
    try:
        part = partition.read_for_follower(asked.fetch_offset, max_bytes, at_least_one=at_least_one)
    except LogError as refused:
        start = partition.log_start_offset if refused.error_code == errors.OFFSET_OUT_OF_RANGE else UNKNOWN_OFFSET
        return _refused(partition.index, refused.error_code, start)
    if not has_waited:
        partition.follower_starts_at(replica_id, asked.log_start_offset)
        partition.follower_fetched(replica_id, asked.fetch_offset, broker_epoch, now)
    answer = _answer(partition)
    if len(part):
        answer.records = part
    return answer


def refuse_non_replica(partition: "Partition", asked: "AskedByConsumer") -> PartitionData:
    """Answer a broker that has no replica of this partition."""
    error = partition.leader_error(asked.current_leader_epoch)
    if error == errors.NONE:
        epoch_is_named = asked.current_leader_epoch != NO_PARTITION_LEADER_EPOCH
        error = errors.UNKNOWN_LEADER_EPOCH if epoch_is_named else errors.NOT_LEADER_OR_FOLLOWER
    return _refused(partition.index, error)


def serve_consumer(
    partition: "Partition",
    asked: "AskedByConsumer",
    max_bytes: int,
    isolation_level: int,
    now: "Now",
    *,
    needs_leader: bool,
    at_least_one: bool,
    preferred_read_replica: int = INVALID_PREFERRED_REPLICA_ID,
    budget: "SearchBudget | None" = None,
) -> PartitionData:
    """Answer a consumer: an error, the replica that it should read from (KIP-392), where its records and ours diverge
    (KIP-595), or committed batches. `records` is a slice that the caller releases: of at most `max_bytes`, or one batch
    if there has to be `at_least_one`; empty at the end of the readable records.

    `needs_leader`: this consumer may read only from the leader. `budget`: of its fetch, for aborted transactions.
    """
    traffic = partition.traffic
    traffic.fetch_requests += 1
    error = partition.leader_error(asked.current_leader_epoch, needs_leader=needs_leader)
    if error:
        traffic.failed_fetch_requests += 1
        return _refused(partition.index, error)
    log, high_watermark = partition.log, partition.high_watermark
    last_stable_offset = log.producers.last_stable_offset(high_watermark, log.log_start_offset)
    reads_committed = isolation_level == READ_COMMITTED
    answer = PartitionData(
        partition.index, 0, high_watermark, last_stable_offset, log.log_start_offset, NO_DIVERGING_EPOCH,
        NO_CURRENT_LEADER, NO_SNAPSHOT, [] if reads_committed else None, preferred_read_replica, NO_RECORDS,
    )  # fmt: skip
    if preferred_read_replica != INVALID_PREFERRED_REPLICA_ID:
        answer.aborted_transactions = None
        return answer
    if asked.last_fetched_epoch != NO_PARTITION_LEADER_EPOCH:
        agreed = partition.end_offset_for_epoch(asked.last_fetched_epoch)
        if agreed[0] == NO_PARTITION_LEADER_EPOCH:
            return _refused(partition.index, errors.OFFSET_OUT_OF_RANGE)
        where = diverging_epoch(asked.fetch_offset, asked.last_fetched_epoch, agreed)
        if where is not None:
            answer.diverging_epoch = EpochEndOffset(*where)
            answer.aborted_transactions = None
            return answer
    if asked.fetch_offset != (last_stable_offset if reads_committed else high_watermark):
        try:
            part = partition.read(
                asked.fetch_offset, max(0, max_bytes), isolation_level, now, at_least_one=at_least_one
            )
        except LogError as refused:
            traffic.failed_fetch_requests += 1
            return _refused(partition.index, refused.error_code)
        if len(part):
            answer.records = part
            code = _name_aborted(answer, partition, asked.fetch_offset, now, budget) if reads_committed else errors.NONE
            if code != errors.NONE:
                traffic.failed_fetch_requests += 1
                return _refused(partition.index, code)
    return answer


def _name_aborted(
    answer: PartitionData, partition: "Partition", offset: int, now: "Now", budget: "SearchBudget | None"
) -> int:
    """Name the aborted transactions in what was read. Returns an error code if they are not known: nothing may be sent
    then. Of a part of the log with very many, the beginning is sent alone.
    """
    log = partition.log
    try:
        try:
            aborted = log.aborted(offset, answer.records, MAX_FOUND, budget)  # type: ignore[arg-type] # a slice
        except TooManyError:
            size_bytes = min(FEW_BYTES, len(answer.records))  # type: ignore[arg-type] # a slice
            answer.records.release()  # type: ignore[union-attr]
            answer.records = partition.read(offset, size_bytes, READ_COMMITTED, now, at_least_one=True)
            aborted = log.aborted(offset, answer.records, None, budget)
    except LogError as error:
        answer.records.release()  # type: ignore[union-attr]
        if isinstance(error, UnfinishedError):
            _log.info("a reader of %s has to wait: %s", log.path, error)
            return error.error_code
        _log.error("the aborted transactions of %s are not known: %s", log.path, error)
        return errors.UNKNOWN_SERVER_ERROR
    answer.aborted_transactions = [AbortedTransaction(each.producer_id, each.first_offset) for each in aborted]
    return errors.NONE


def _answer(partition: "Partition", *, diverging: EpochEndOffset | None = None) -> PartitionData:
    answer = PartitionData(
        partition_index=partition.index,
        high_watermark=partition.high_watermark,
        last_stable_offset=partition.last_stable_offset,
        log_start_offset=partition.log_start_offset,
        aborted_transactions=None,
        records=NO_RECORDS,
    )
    if diverging is not None:
        answer.diverging_epoch = diverging
    return answer


def _refused(index: int, error_code: int, log_start_offset: int = UNKNOWN_OFFSET) -> PartitionData:
    """OFFSET_OUT_OF_RANGE carries the log start for our followers; those of Kafka ask with ListOffsets."""
    return PartitionData(
        partition_index=index,
        error_code=error_code,
        high_watermark=UNKNOWN_OFFSET,
        log_start_offset=log_start_offset,
        aborted_transactions=None,
        records=NO_RECORDS,
    )
