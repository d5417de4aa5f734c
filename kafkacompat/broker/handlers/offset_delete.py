"""OffsetDelete (47), version 0: delete a group's offsets of topics that no member subscribes to (KIP-496)."""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.offset_delete import OffsetDeleteRequest, OffsetDeleteResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: OffsetDeleteRequest, context: "Context") -> "Answer":
    """Write tombstones for the offsets that exist."""
    if request.group_id == "":
        return _failed(errors.INVALID_GROUP_ID)
    topics = []
    for topic in request.topics:
        image = context.services.image.topics.get(topic.name)
        count = 0 if image is None else len(image.partitions)
        unknown = {
            partition.partition_index: errors.UNKNOWN_TOPIC_OR_PARTITION
            for partition in topic.partitions
            if not 0 <= partition.partition_index < count
        }
        topics.append((topic, unknown))
    return context.services.groups.write(
        request.group_id,
        lambda shard, _token: shard.delete_offsets(request.group_id, topics, context.now),
        _failed,
        context.now,
    )


def failed(_request: OffsetDeleteRequest, error_code: int) -> OffsetDeleteResponse:
    """The response that fails the whole request."""
    return _failed(error_code)


def _failed(error_code: int) -> OffsetDeleteResponse:
    return OffsetDeleteResponse(error_code=error_code)
