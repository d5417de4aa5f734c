"""DeleteRecords (21), versions 0-2: move a partition's log start up (KIP-107). v2 is flexible."""

from kafkacompat.protocol import error_codes as errors
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

UNKNOWN = -1
DELETE_POLICY = "delete"


def handle(request: DeleteRecordsRequest, context: "Context") -> DeleteRecordsResponse:
    """Delete what lies before each given offset; offset -1 means the high watermark."""
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(topic.name, [_delete(topic.name, entry, context) for entry in topic.partitions])
            for topic in request.topics
            if topic.partitions
        ]
    )


def _delete(topic: str, entry: DeleteRecordsPartition, context: "Context") -> DeleteRecordsPartitionResult:
    broker = context.broker
    index = entry.partition_index
    found = broker.partitions.find(broker.image, topic, index)
    if isinstance(found, int):
        return DeleteRecordsPartitionResult(index, UNKNOWN, found)
    error = found.leader_error()
    if error == errors.NONE and (broker.is_internal(topic) or DELETE_POLICY not in found.log.config.cleanup_policy):
        # Kafka refuses both: internal topics live by compaction, and so does a topic whose policy does not delete
        error = errors.INVALID_TOPIC_EXCEPTION if broker.is_internal(topic) else errors.POLICY_VIOLATION
    if error != errors.NONE:
        return DeleteRecordsPartitionResult(index, UNKNOWN, error)
    try:
        return DeleteRecordsPartitionResult(index, found.delete_records_before(entry.offset, context.now), errors.NONE)
    except LogError as refused:
        return DeleteRecordsPartitionResult(index, UNKNOWN, refused.error_code)


def failed(request: DeleteRecordsRequest, error_code: int) -> DeleteRecordsResponse:
    """The response that answers every partition of the request with one error."""
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                topic.name,
                [
                    DeleteRecordsPartitionResult(entry.partition_index, UNKNOWN, error_code)
                    for entry in topic.partitions
                ],
            )
            for topic in request.topics
            if topic.partitions
        ]
    )
