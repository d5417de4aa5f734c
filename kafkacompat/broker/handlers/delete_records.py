"""DeleteRecords (21), versions 0-2: raise a partition's log start offset (KIP-107). v2 is flexible.

Behavior:
- The response waits until all live replicas have deleted, also the future replica of one that moves to another
  directory; `low_watermark` is the lowest of their log start offsets. After the request's time-out: REQUEST_TIMED_OUT.
- An internal topic: INVALID_TOPIC_EXCEPTION. A topic whose cleanup.policy does not include delete: POLICY_VIOLATION.
"""

from kafkacompat.broker.purgatory import METADATA_KEY, OpenParts, Pending
from kafkacompat.broker.replicas.partition_events import low_watermark_key
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.steps import Steps

DELETE_POLICY = "delete"
UNITS_PER_DELETION = 30
"""Measured: 0.3 ms where records are deleted, which closes the active segment. Other partitions count as one unit."""


class _Waiting:
    """A partition that was deleted up to `offset` here, but not yet on all live followers."""

    __slots__ = ("offset", "partition", "result")

    def __init__(self, partition: "Partition", offset: int, result: DeleteRecordsPartitionResult) -> None:
        self.partition = partition
        self.offset = offset
        self.result = result

    def try_complete(self) -> bool:
        """Set the result if it is known; returns whether it is."""
        error = self.partition.leader_error()
        low_watermark = UNKNOWN_OFFSET if error != errors.NONE else self.partition.low_watermark
        if error == errors.NONE and low_watermark < self.offset:
            return False
        self.result.error_code = error
        self.result.low_watermark = low_watermark
        return True


def handle(request: DeleteRecordsRequest, context: "Context") -> "Steps[DeleteRecordsResponse | Pending]":
    """Delete the records before each offset; -1 means the high watermark. If a partition is named twice, the last
    offset counts, as in Kafka.
    """
    asked: dict[str, dict[int, DeleteRecordsPartition]] = {}
    for topic in request.topics:
        for entry in topic.partitions:
            asked.setdefault(topic.name, {})[entry.partition_index] = entry
    waiting: list[_Waiting] = []
    topics = []
    for name, entries in asked.items():
        results = []
        for entry in entries.values():
            result, has_deleted = _delete(name, entry, context, waiting)
            results.append(result)
            yield UNITS_PER_DELETION if has_deleted else 1
        topics.append(DeleteRecordsTopicResult(name, results))
    response = DeleteRecordsResponse(topics=topics)
    waiting = [entry for entry in waiting if not entry.try_complete()]
    if not waiting:
        return response

    left = OpenParts({each: (low_watermark_key(each.partition), each.partition.watch_key) for each in waiting})

    def finish(_now: "Now", expired: bool) -> DeleteRecordsResponse | None:
        if not left.try_complete(pending.touched, _Waiting.try_complete) and not expired:
            return None
        for entry in left:
            entry.result.error_code = errors.REQUEST_TIMED_OUT  # with the low watermark of the last check, as in Kafka
        return response

    keys = [METADATA_KEY, *left.keys]  # fenced brokers are not waited for, and fencing changes the metadata
    pending = Pending(keys, context.now.monotonic_ms + max(request.timeout_ms, 0), finish)
    return pending


def _delete(
    topic: str, entry: DeleteRecordsPartition, context: "Context", waiting: list[_Waiting]
) -> tuple[DeleteRecordsPartitionResult, bool]:
    """The result, and whether the log start has moved."""
    services = context.services
    index = entry.partition_index
    found = services.partitions.find(services.image, topic, index)
    if isinstance(found, int):
        return DeleteRecordsPartitionResult(index, UNKNOWN_OFFSET, found), False
    error = found.leader_error()
    policies = found.log.config.cleanup_policy  # an empty policy keeps records for ever, but permits DeleteRecords
    if error == errors.NONE and (
        services.internal_topics.is_internal(topic) or (policies and DELETE_POLICY not in policies)
    ):
        # Kafka refuses both: their compacted logs must stay complete
        error = (
            errors.INVALID_TOPIC_EXCEPTION if services.internal_topics.is_internal(topic) else errors.POLICY_VIOLATION
        )
    if error != errors.NONE:
        return DeleteRecordsPartitionResult(index, UNKNOWN_OFFSET, error), False
    target = found.high_watermark if entry.offset == UNKNOWN_OFFSET else entry.offset
    before = found.log.log_start_offset
    try:
        context.services.partitions.delete_records_before(found, target, context.now)
    except LogError as refused:
        return DeleteRecordsPartitionResult(index, UNKNOWN_OFFSET, refused.error_code), False
    result = DeleteRecordsPartitionResult(index, found.low_watermark, errors.NONE)
    if found.in_sync.followers:
        services.delayed_follower_fetches.moved(found, context.now, wakes=True, is_urgent=True)
    if found.in_sync.followers or found.future_log is not None:
        waiting.append(_Waiting(found, target, result))
    return result, found.log.log_start_offset != before


def failed(request: DeleteRecordsRequest, error_code: int) -> DeleteRecordsResponse:
    """The response that answers every partition of the request with one error."""
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                topic.name,
                [
                    DeleteRecordsPartitionResult(entry.partition_index, UNKNOWN_OFFSET, error_code)
                    for entry in topic.partitions
                ],
            )
            for topic in request.topics
            if topic.partitions
        ]
    )
