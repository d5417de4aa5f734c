"""Fetching into an empty log whose start offset lies inside of the first batch."""

from kafkacompat.protocol.records.batch import RECORDS_OFFSET, RecordBatchError, read_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.log import Log


def append_to_empty(log: "Log", records: memoryview, *, leader_epoch: int, now: "Now") -> None:
    """As ``append_as_follower``, to a log without records.

    If DeleteRecords has moved the leader's log start into a batch, the leader sends the whole batch: the log begins
    with it, and the log start does not change (as in Kafka's ``Partition.appendRecordsToFollowerOrFutureReplica``).
    """
    start_offset = log.log_start_offset
    header = _first_header(records)
    if header is not None and header.base_offset < start_offset <= header.last_offset:
        log.truncate_fully_and_start_at(header.base_offset)
    log.append_as_follower(records, leader_epoch=leader_epoch, now=now)
    log.delete_records_before(start_offset, now)


def _first_header(records: memoryview) -> "BatchHeader | None":
    """None if there is no whole batch; the append reports what is wrong with it."""
    if len(records) < RECORDS_OFFSET:
        return None
    try:
        header = read_header(records)
    except RecordBatchError:
        return None
    return header if header.size_bytes <= len(records) else None
