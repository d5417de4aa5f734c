"""OffsetCommit (8), versions 2-10: remember how far a group has read.

v2-4 may set a retention time of their own, v5 leaves it to the broker (KIP-211), v6 adds the leader epoch (KIP-320),
v7 brings static members (KIP-345), v8 is flexible, v9 answers GROUP_ID_NOT_FOUND instead of ILLEGAL_GENERATION to a
member of a group that does not exist (KIP-848), v10 names topics by id (KIP-848).
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.coordinator.group.offsets import CommitTarget

FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND = 9
FIRST_VERSION_WITH_TOPIC_IDS = 10


def handle(request: OffsetCommitRequest, context: "Context") -> object:
    """Write the offsets of topics that exist; each partition has an answer of its own."""
    version = context.version
    is_new = version >= FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND
    not_found_error = errors.GROUP_ID_NOT_FOUND if is_new else errors.ILLEGAL_GENERATION
    targets = _targets(request, context)
    return context.broker.groups.write(
        request.group_id,
        lambda shard, _token: shard.commit_offsets(request, targets, not_found_error, context.now),
        lambda error_code: failed(request, error_code),
        context.now,
    )


def failed(request: OffsetCommitRequest, error_code: int) -> OffsetCommitResponse:
    """The response that answers every partition with one error."""
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                topic.name,
                topic.topic_id,
                [
                    OffsetCommitResponsePartition(partition.partition_index, error_code)
                    for partition in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _targets(request: OffsetCommitRequest, context: "Context") -> "list[CommitTarget]":
    image = context.broker.image
    if context.version < FIRST_VERSION_WITH_TOPIC_IDS:
        unknown = errors.UNKNOWN_TOPIC_OR_PARTITION
        return [(topic, image.topics.get(topic.name), unknown) for topic in request.topics]
    targets: list[CommitTarget] = []
    for topic in request.topics:
        name = image.topic_name(topic.topic_id)
        targets.append((topic, None if name is None else image.topics[name], errors.UNKNOWN_TOPIC_ID))
    return targets
