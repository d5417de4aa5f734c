"""TxnOffsetCommit (28), versions 0-5: commit the offsets of a group as part of a transaction (KIP-98).

v2 adds the leader epoch (KIP-320), v3 is flexible and adds the group's member (KIP-447), v4 may be answered with
TRANSACTION_ABORTABLE, v5 adds the group's partition to the transaction (KIP-890).

Behavior:
- A topic or partition that does not exist: UNKNOWN_TOPIC_OR_PARTITION, beside the results of the others.
- The transaction must be open at its coordinator: INVALID_PRODUCER_EPOCH, INVALID_PRODUCER_ID_MAPPING,
  TRANSACTION_ABORTABLE (before v4 INVALID_TXN_STATE), CONCURRENT_TRANSACTIONS. Below v5 AddOffsetsToTxn comes first.
- A member that is given must belong to the group, in this generation: UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID,
  ILLEGAL_GENERATION. It may commit during a rebalance.
- The response is sent once the offsets are replicated. They count from the end of the transaction on, if that is a
  commit; until then OffsetFetch with require_stable answers UNSTABLE_OFFSET_COMMIT.
- v0-1: COORDINATOR_NOT_AVAILABLE instead of COORDINATOR_LOAD_IN_PROGRESS (KAFKA-7296).
"""

from kafkacompat.broker.answers import Deferred
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context

FIRST_VERSION_WITH_LOADING = 2
FIRST_VERSION_WITH_ABORTABLE = 4
FIRST_VERSION_THAT_ADDS = 5

#: Errors that clients before v2 do not know, and what they are told.
FORMER_ERRORS = {errors.COORDINATOR_LOAD_IN_PROGRESS: errors.COORDINATOR_NOT_AVAILABLE}


def handle(request: TxnOffsetCommitRequest, context: "Context") -> "Answer":
    """Commit the offsets of the partitions that exist."""
    known, unknown = _known(request.topics, context)
    if not known:
        return TxnOffsetCommitResponse(topics=unknown)
    version = context.version
    asked = TxnOffsetCommitRequest(
        request.transactional_id, request.group_id, request.producer_id, request.producer_epoch,
        request.generation_id_or_member_epoch, request.member_id, request.group_instance_id, known,
    )  # fmt: skip
    if asked.group_id == "":
        return _complete(failed(asked, errors.INVALID_GROUP_ID), unknown, version)
    deferred = Deferred()
    context.services.groups.commit_in_transaction(
        asked,
        lambda error_code: failed(asked, error_code),
        context.now,
        adds=version >= FIRST_VERSION_THAT_ADDS,
        done=lambda response: deferred.complete(_complete(response, unknown, version)),
    )
    return deferred


def failed(request: TxnOffsetCommitRequest, error_code: int) -> TxnOffsetCommitResponse:
    """The response that answers every partition with one error."""
    return TxnOffsetCommitResponse(
        topics=[
            TxnOffsetCommitResponseTopic(
                topic.name,
                partitions=[
                    TxnOffsetCommitResponsePartition(partition.partition_index, error_code)
                    for partition in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _known(
    topics: "Sequence[TxnOffsetCommitRequestTopic]", context: "Context"
) -> tuple[list[TxnOffsetCommitRequestTopic], list[TxnOffsetCommitResponseTopic]]:
    """The topics with those partitions that exist, and the results for the others."""
    known, unknown = [], []
    for topic in topics:
        image = context.services.image.topics.get(topic.name)
        count = 0 if image is None else len(image.partitions)
        there = [partition for partition in topic.partitions if 0 <= partition.partition_index < count]
        missing = [partition for partition in topic.partitions if not 0 <= partition.partition_index < count]
        if there:
            known.append(TxnOffsetCommitRequestTopic(topic.name, partitions=there))
        if missing or image is None:
            code = errors.UNKNOWN_TOPIC_OR_PARTITION
            results = [TxnOffsetCommitResponsePartition(partition.partition_index, code) for partition in missing]
            unknown.append(TxnOffsetCommitResponseTopic(topic.name, partitions=results))
    return known, unknown


def _complete(
    response: TxnOffsetCommitResponse, unknown: list[TxnOffsetCommitResponseTopic], version: int
) -> TxnOffsetCommitResponse:
    """The response with the results of what does not exist first, as Kafka has it, and errors that old clients know."""
    former = FORMER_ERRORS if version < FIRST_VERSION_WITH_LOADING else {}
    if version < FIRST_VERSION_WITH_ABORTABLE:
        former = former | {errors.TRANSACTION_ABORTABLE: errors.INVALID_TXN_STATE}
    topics = {topic.name: topic for topic in unknown}
    for topic in response.topics:
        for partition in topic.partitions:
            partition.error_code = former.get(partition.error_code, partition.error_code)
        if topic.name in topics:
            topics[topic.name].partitions = [*topics[topic.name].partitions, *topic.partitions]
        else:
            topics[topic.name] = topic
    return TxnOffsetCommitResponse(topics=list(topics.values()))
