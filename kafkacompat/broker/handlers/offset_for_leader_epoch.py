"""OffsetForLeaderEpoch (23), versions 2-4: the end offset of a leader epoch, by which a reader detects truncation
(KIP-320).

v3 adds the replica id, v4 is flexible.
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context


def handle(request: OffsetForLeaderEpochRequest, context: "Context") -> OffsetForLeaderEpochResponse:
    """Answer each partition with the largest epoch not above the one asked for, and its end."""
    return OffsetForLeaderEpochResponse(
        topics=[
            OffsetForLeaderTopicResult(
                topic.topic, [_answer(topic.topic, entry, context) for entry in topic.partitions]
            )
            for topic in request.topics
        ]
    )


def _answer(topic: str, entry: OffsetForLeaderPartition, context: "Context") -> EpochEndOffset:
    found = context.services.partitions.find(context.services.image, topic, entry.partition)
    if isinstance(found, int):
        return EpochEndOffset(error_code=found, partition=entry.partition)
    error = found.leader_error(entry.current_leader_epoch)
    if error != errors.NONE:
        return EpochEndOffset(error_code=error, partition=entry.partition)
    epoch, end_offset = found.end_offset_for_epoch(entry.leader_epoch)
    return EpochEndOffset(partition=entry.partition, leader_epoch=epoch, end_offset=end_offset)


def failed(request: OffsetForLeaderEpochRequest, error_code: int) -> OffsetForLeaderEpochResponse:
    """The response that answers every partition of the request with one error."""
    return OffsetForLeaderEpochResponse(
        topics=[
            OffsetForLeaderTopicResult(
                topic.topic,
                [EpochEndOffset(error_code=error_code, partition=entry.partition) for entry in topic.partitions],
            )
            for topic in request.topics
        ]
    )
