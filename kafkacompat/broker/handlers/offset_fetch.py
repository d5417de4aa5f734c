"""OffsetFetch (9), versions 1-10: the committed offsets of a group.

v2 may ask for all topics (null) and adds an error for the group, v5 adds the leader epoch (KIP-320), v6 is flexible, v7
may require stable offsets (KIP-447), v8 asks for several groups (KIP-709), v9 adds the member (KIP-848; classic groups
ignore it), v10 names topics by id (KIP-848).

Behavior:
- A partition without a committed offset, or of an unknown group: offset −1 and no error.
- Offsets that are written but not yet committed are not returned. With require_stable the response waits until the
  newest ones are committed, and a partition with an offset in an open transaction: UNSTABLE_OFFSET_COMMIT.
- An unknown topic id: UNKNOWN_TOPIC_ID.
- A response of more than 100 MB: INVALID_REQUEST for the remaining groups. Likewise for a group whose partitions are
  named again more than 1,000 times.
"""

from functools import partial

from kafkacompat.broker.answers import RESPONSE_BYTES_MAX
from kafkacompat.broker.coordinator.group.offsets import NOT_COMMITTED
from kafkacompat.broker.coordinator.runtime import together
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
    encode_offset_fetch_response_group,
)
from kafkacompat.protocol.primitives import ZERO_UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias, TypeVar

    from kafkacompat.broker.answers import Answer, Late
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
    from kafkacompat.steps import Steps

    Find: TypeAlias = Callable[[], OffsetFetchResponseGroup]
    Found = TypeVar("Found")

FIRST_VERSION_WITH_GROUP_ERROR = 2
FIRST_VERSION_WITH_GROUPS = 8
FIRST_VERSION_WITH_TOPIC_IDS = 10

BYTES_PER_UNIT = 100
"""This many encoded bytes, about three offsets, cost one unit of work (`steps.py`)."""

REPEATS_MAX = 1_000
"""How many times partitions of one group may be named again: the answer to each has up to 4 KiB of metadata, and all of
a group are answered in one turn."""

#: OffsetFetch uses another error for a coordinator that cannot commit in time: clients retry only this one.
FETCH_ERRORS = {errors.COORDINATOR_NOT_AVAILABLE: errors.NOT_COORDINATOR}


def handle(request: OffsetFetchRequest, context: "Context") -> "Answer":
    """Ask each group's shard."""
    if context.version >= FIRST_VERSION_WITH_GROUPS:
        return _fetch_groups(request, context)
    topics = request.topics
    asked = (
        None
        if topics is None
        else [OffsetFetchRequestTopics(t.name, partition_indexes=t.partition_indexes) for t in topics]
    )
    group = OffsetFetchRequestGroup(request.group_id, topics=asked)
    return _fetch(group, request, context, lambda find: _single(find(), request, context.version))


def _fetch_groups(request: OffsetFetchRequest, context: "Context") -> "Steps[Late]":
    """Fetch group by group, and encode each, as one may have many offsets."""
    left_bytes = RESPONSE_BYTES_MAX

    def encoded(group_id: str, find: "Find") -> bytes:
        nonlocal left_bytes
        group = find() if left_bytes > 0 else _too_large(group_id)
        found = encode_offset_fetch_response_group(group, context.version)
        left_bytes -= len(found)
        return found

    answers: list[bytes | Pending] = []
    waits = False
    for group in request.groups:
        before = left_bytes
        if left_bytes > 0:
            answer = _fetch(group, request, context, partial(encoded, group.group_id))
        else:
            answer = encode_offset_fetch_response_group(_too_large(group.group_id), context.version)
        answers.append(answer)
        waits = waits or (isinstance(answer, Pending) and not request.require_stable)
        if not waits:  # no step may separate a read that waits from `together`: it could end in between
            yield 1 + (before - left_bytes) // BYTES_PER_UNIT
    response = together(answers, _response)
    if type(response) is Pending:  # all that is newest may be committed already: no event would complete it then
        return response.finish(context.now, False) or response  # noqa: FBT003 (as a Pending has it)
    return response


def _too_large(group_id: str) -> OffsetFetchResponseGroup:
    return OffsetFetchResponseGroup(group_id, error_code=errors.INVALID_REQUEST)


def _response(groups: "Sequence[bytes]") -> OffsetFetchResponse:
    return OffsetFetchResponse(groups=groups)  # type: ignore[arg-type] # encoded already


def failed(request: OffsetFetchRequest, error_code: int) -> OffsetFetchResponse:
    """The response that answers every group with one error."""
    groups = [OffsetFetchResponseGroup(group.group_id, error_code=error_code) for group in request.groups]
    return OffsetFetchResponse(error_code=error_code, groups=groups)


def _fetch(
    group: OffsetFetchRequestGroup, request: OffsetFetchRequest, context: "Context", answer: "Callable[[Find], Found]"
) -> "Found | Pending":
    """The offsets of one group: the committed ones, or with require_stable the newest once they are committed.

    `answer` makes the result when the group is read, which is before they are committed.
    """
    by_id = context.version >= FIRST_VERSION_WITH_TOPIC_IDS
    topics = group.topics
    unknown: list[OffsetFetchResponseTopics] = []
    if by_id and topics is not None:
        topics, unknown = _named(topics, context)

    def refuse(error_code: int) -> "Found":
        error_code = FETCH_ERRORS.get(error_code, error_code)
        return answer(lambda: OffsetFetchResponseGroup(group.group_id, error_code=error_code))

    if _repeats(group) > REPEATS_MAX:
        return refuse(errors.INVALID_REQUEST)

    def find(shard: "GroupCoordinatorShard") -> OffsetFetchResponseGroup:
        found = shard.fetch_offsets(
            group.group_id, topics, id_of, member_id=group.member_id, member_epoch=group.member_epoch, newest=newest
        )
        if by_id and topics is None:
            found.topics = _with_ids(found.topics, context)
        elif found.error_code == errors.NONE:
            found.topics = [*found.topics, *unknown]
        return found

    def id_of(name: str) -> bytes:
        image = context.services.image.topics.get(name)
        return ZERO_UUID if image is None else image.topic_id

    newest = request.require_stable
    read = context.services.groups.read_newest if newest else context.services.groups.read
    return read(group.group_id, lambda shard: answer(lambda: find(shard)), refuse, context.now)


def _repeats(group: OffsetFetchRequestGroup) -> int:
    """How many times partitions are named that were named before."""
    count, seen = 0, dict[tuple[str, bytes], set[int]]()
    for topic in group.topics or ():
        count += len(topic.partition_indexes)
        seen.setdefault((topic.name, topic.topic_id), set()).update(topic.partition_indexes)
    return count - sum(map(len, seen.values()))


def _named(
    topics: "Sequence[OffsetFetchRequestTopics]", context: "Context"
) -> tuple[list[OffsetFetchRequestTopics], list[OffsetFetchResponseTopics]]:
    """The topics with their names, and the results for unknown topic ids."""
    known = []
    unknown = []
    for topic in topics:
        name = context.services.image.topic_name(topic.topic_id)
        if name is None:
            partitions = [
                OffsetFetchResponsePartitions(index, *NOT_COMMITTED, errors.UNKNOWN_TOPIC_ID)
                for index in topic.partition_indexes
            ]
            unknown.append(OffsetFetchResponseTopics("", topic.topic_id, partitions))
        else:
            known.append(OffsetFetchRequestTopics(name, topic.topic_id, topic.partition_indexes))
    return known, unknown


def _with_ids(topics: "Sequence[OffsetFetchResponseTopics]", context: "Context") -> list[OffsetFetchResponseTopics]:
    """The topics with their ids; deleted topics are left out, their offsets will be deleted, too."""
    images = context.services.image.topics
    return [
        OffsetFetchResponseTopics(topic.name, images[topic.name].topic_id, topic.partitions)
        for topic in topics
        if topic.name in images
    ]


def _single(group: OffsetFetchResponseGroup, request: OffsetFetchRequest, version: int) -> OffsetFetchResponse:
    """The response for one group in versions before 8; version 1 has errors in partitions only."""
    if group.error_code != errors.NONE:
        topics = []
        if version < FIRST_VERSION_WITH_GROUP_ERROR:
            topics = [
                OffsetFetchResponseTopic(
                    topic.name,
                    [
                        OffsetFetchResponsePartition(index, *NOT_COMMITTED, group.error_code)
                        for index in topic.partition_indexes
                    ],
                )
                for topic in request.topics or ()
            ]
        return OffsetFetchResponse(topics=topics, error_code=group.error_code)
    return OffsetFetchResponse(
        topics=[
            OffsetFetchResponseTopic(
                topic.name,
                [
                    OffsetFetchResponsePartition(
                        p.partition_index, p.committed_offset, p.committed_leader_epoch, p.metadata, p.error_code
                    )
                    for p in topic.partitions
                ],
            )
            for topic in group.topics
        ]
    )
