"""OffsetCommit (8), versions 2-10: commit the offsets of a group.

v2-4 may set a retention time, v5 leaves it to the broker (KIP-211), v6 adds the leader epoch (KIP-320), v7 adds static
members (KIP-345), v8 is flexible, v9 changes an error code (below), v10 names topics by id (KIP-848).

Behavior:
- Each partition has its own result. A topic or partition that does not exist: UNKNOWN_TOPIC_OR_PARTITION, from v10
  UNKNOWN_TOPIC_ID for an unknown id.
- The response is sent once the offsets are committed to __consumer_offsets.
- A member of another generation: ILLEGAL_GENERATION. A member while its group waits for assignments:
  REBALANCE_IN_PROGRESS. A client without a member id is accepted only in an empty group.
- A member of a group that does not exist: ILLEGAL_GENERATION, from v9 GROUP_ID_NOT_FOUND (KIP-848).
"""

from kafkacompat.broker.coordinator.runtime import together
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from kafkacompat.steps import UNITS_PER_ITERATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kafkacompat.broker.answers import Answer, Late
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.coordinator.group.offsets import CommitTarget
    from kafkacompat.steps import Steps

FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND = 9
FIRST_VERSION_WITH_TOPIC_IDS = 10
PARTITIONS_PER_ITERATION = 1_000
"""Larger requests are validated and written in parts of this many partitions, each one batch and about 5 ms."""


def handle(request: OffsetCommitRequest, context: "Context") -> "Answer":
    """Commit the offsets, large requests in several parts."""
    if sum(len(topic.partitions) for topic in request.topics) <= PARTITIONS_PER_ITERATION:
        return _commit(request, request.topics, context)
    return _commit_in_steps(request, context)


def _commit(
    request: OffsetCommitRequest, topics: "Sequence[OffsetCommitRequestTopic]", context: "Context"
) -> "OffsetCommitResponse | Pending":
    """Commit the offsets of these topics."""
    version = context.version
    is_new = version >= FIRST_VERSION_WITH_GROUP_ID_NOT_FOUND
    not_found_error = errors.GROUP_ID_NOT_FOUND if is_new else errors.ILLEGAL_GENERATION
    targets = _targets(topics, context)
    return context.services.groups.write(
        request.group_id,
        lambda shard, _token: shard.commit_offsets(request, targets, not_found_error, context.now),
        lambda error_code: _refused(topics, error_code),
        context.now,
    )


def _commit_in_steps(request: OffsetCommitRequest, context: "Context") -> "Steps[Late]":
    """Commit part by part; each part is validated and written by itself."""
    answers = []
    for topics in _parts(request.topics):
        answers.append(_commit(request, topics, context))
        yield UNITS_PER_ITERATION
    response: OffsetCommitResponse | Pending = together(answers, _joined)
    if type(response) is Pending:  # all parts may be committed already: no event would complete it then
        return response.finish(context.now, False) or response  # noqa: FBT003 (as a Pending has it)
    return response


def _parts(topics: "Sequence[OffsetCommitRequestTopic]") -> "Iterator[list[OffsetCommitRequestTopic]]":
    """Split the topics into parts of PARTITIONS_PER_ITERATION partitions; a topic may be in several parts."""
    part: list[OffsetCommitRequestTopic] = []
    room = PARTITIONS_PER_ITERATION
    for topic in topics:
        begin = 0
        while begin < len(topic.partitions):
            some = topic.partitions[begin : begin + room]
            part.append(OffsetCommitRequestTopic(topic.name, topic.topic_id, some))
            begin, room = begin + len(some), room - len(some)
            if not room:
                yield part
                part, room = [], PARTITIONS_PER_ITERATION
    if part:
        yield part


def _joined(responses: "Sequence[OffsetCommitResponse]") -> OffsetCommitResponse:
    """Join the responses of the parts; a topic that was split becomes one again."""
    topics: list[OffsetCommitResponseTopic] = []
    for response in responses:
        first, *rest = response.topics
        if topics and (topics[-1].name, topics[-1].topic_id) == (first.name, first.topic_id):
            topics[-1].partitions = [*topics[-1].partitions, *first.partitions]
        else:
            topics.append(first)
        topics += rest
    return OffsetCommitResponse(topics=topics)


def failed(request: OffsetCommitRequest, error_code: int) -> OffsetCommitResponse:
    """The response that answers every partition with one error."""
    return _refused(request.topics, error_code)


def _refused(topics: "Sequence[OffsetCommitRequestTopic]", error_code: int) -> OffsetCommitResponse:
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
            for topic in topics
        ]
    )


def _targets(topics: "Sequence[OffsetCommitRequestTopic]", context: "Context") -> "list[CommitTarget]":
    image = context.services.image
    if context.version < FIRST_VERSION_WITH_TOPIC_IDS:
        unknown = errors.UNKNOWN_TOPIC_OR_PARTITION
        return [(topic, image.topics.get(topic.name), unknown) for topic in topics]
    targets: list[CommitTarget] = []
    for topic in topics:
        name = image.topic_name(topic.topic_id)
        targets.append((topic, None if name is None else image.topics[name], errors.UNKNOWN_TOPIC_ID))
    return targets
