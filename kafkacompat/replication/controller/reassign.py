"""AlterPartitionReassignments (45) and ListPartitionReassignments (46) (C8, KIP-455).

A reassigned partition first has its old and its new replicas. When the last new replica joins the ISR, the same record
completes the reassignment (`election.change`). Until then the ISR and the leader epoch do not change.
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from kafkacompat.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from kafkacompat.replication.controller.election_context import election_context, min_isr_of
from kafkacompat.replication.controller.limits import check_record_count
from kafkacompat.replication.controller.partitions import check_assignment
from kafkacompat.replication.election import Assignment, change
from kafkacompat.replication.metadata.result import RefusedError, Result
from kafkacompat.replication.metadata.settings import default_directory
from kafkacompat.steps import UNITS_PER_ITERATION, UNITS_PER_STEP

PARTITIONS_PER_STEP = UNITS_PER_STEP // 2
"""An election costs twice as much as encoding and applying its record."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
    from kafkacompat.protocol.messages.alter_partition_reassignments import (
        AlterPartitionReassignmentsRequest,
        ReassignablePartition,
    )
    from kafkacompat.protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage, TopicImage
    from kafkacompat.replication.metadata.settings import Settings
    from kafkacompat.steps import Steps

    _Merged = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def alter_reassignments(
    request: "AlterPartitionReassignmentsRequest", image: "MetadataImage", settings: "Settings"
) -> "Steps[Result]":
    """Begin, redirect or cancel reassignments. Each partition succeeds or fails by itself; all changes form one atomic
    batch.
    """
    records: list[Message] = []
    topics = []
    yield min(sum(len(asked.partitions) for asked in request.topics), UNITS_PER_ITERATION)  # that were decoded in it
    count = 0
    for asked in request.topics:
        answers = []
        for partition in asked.partitions:
            count += 1
            if count % PARTITIONS_PER_STEP == 0:
                yield UNITS_PER_STEP
            try:
                allows = request.allow_replication_factor_change
                record = _change(asked.name, partition, image, settings, allows_other_factor=allows)
                if record is not None:
                    records.append(record)
                    check_record_count(records)
                answers.append(ReassignablePartitionResponse(partition.partition_index, errors.NONE, None))
            except RefusedError as refused:
                answers.append(
                    ReassignablePartitionResponse(partition.partition_index, refused.error_code, refused.message)
                )
        topics.append(ReassignableTopicResponse(asked.name, answers))
    if not topics:  # Kafka stops here, with an empty message
        return Result(records, AlterPartitionReassignmentsResponse(error_message=""))
    response = AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=request.allow_replication_factor_change, error_message=None, responses=topics
    )
    return Result(records, response)


def _change(
    name: str,
    asked: "ReassignablePartition",
    image: "MetadataImage",
    settings: "Settings",
    *,
    allows_other_factor: bool,
) -> "PartitionChangeRecord | None":
    """The record for one partition; None if nothing changes. Raises RefusedError."""
    index = asked.partition_index
    topic = image.topics.get(name)
    if topic is None:
        raise RefusedError(errors.UNKNOWN_TOPIC_OR_PARTITION, f"Unable to find a topic named {name}.")
    if not 0 <= index < len(topic.partitions):
        raise RefusedError(errors.UNKNOWN_TOPIC_OR_PARTITION, f"Unable to find partition {name}:{index}.")
    partition = topic.partitions[index]
    if asked.replicas is None:
        allow_unclean = settings.topic_value(image, name, "unclean.leader.election.enable") is True
        min_isr = min_isr_of(settings, image, topic, partition)
        merged = _reverted(name, index, partition, min_isr, allow_unclean=allow_unclean)
    else:
        check_assignment(image, index, asked.replicas, None)
        wanted_before = len(partition.replicas) - len(partition.removing)
        if len(asked.replicas) != wanted_before and not allows_other_factor:
            raise RefusedError(
                errors.INVALID_REPLICATION_FACTOR,
                f"The replication factor is changed from {wanted_before} to {len(asked.replicas)}",
            )
        merged = _merged(partition, asked.replicas)
    replicas, adding, removing = merged
    grown = partition.but(replicas=replicas, directories=())
    context = election_context(settings, image, topic, grown)
    assignment = Assignment(replicas, adding, removing, lambda broker_id: default_directory(image, broker_id))
    return change(partition, topic.topic_id, index, context, assignment=assignment)


def _merged(partition: "PartitionImage", wanted: "Sequence[int]") -> "_Merged":
    """The assignment during the reassignment: all replicas, those added and those removed."""
    removing = tuple(sorted(set(partition.replicas) - set(wanted)))
    adding = tuple(sorted(set(wanted) - set(partition.replicas)))
    return (*wanted, *removing), adding, removing


def _reverted(name: str, index: int, partition: "PartitionImage", min_isr: int, *, allow_unclean: bool) -> "_Merged":
    """The assignment after a cancellation: the replicas without the added ones. Raises RefusedError.

    Kafka drops the added replicas at once. If fewer than min.insync.replicas of the others are in sync, too few of them
    may hold the committed records: then the added ones are dropped once the others are back in the ISR.
    """
    if not partition.adding and not partition.removing:
        raise RefusedError(errors.NO_REASSIGNMENT_IN_PROGRESS)
    replicas = tuple(broker for broker in partition.replicas if broker not in partition.adding)
    in_sync = set(replicas) & set(partition.isr)
    if not in_sync and allow_unclean:
        return replicas, (), ()
    if not in_sync:
        raise RefusedError(
            errors.INVALID_REPLICA_ASSIGNMENT,
            f"Unable to revert partition assignment for {name}:{index} because it would require an unclean leader "
            "election.",
        )
    if len(in_sync) < min(min_isr, len(replicas)):
        return (*replicas, *partition.adding), (), partition.adding
    return replicas, (), ()


def list_reassignments(
    request: "ListPartitionReassignmentsRequest", image: "MetadataImage"
) -> ListPartitionReassignmentsResponse:
    """The ongoing reassignments of the requested partitions, or of all."""
    wanted: Iterable[tuple[TopicImage | None, Iterable[int]]]
    if request.topics is None:
        wanted = [(topic, range(len(topic.partitions))) for topic in image.topics.values()]
    else:
        wanted = [(image.topics.get(asked.name), asked.partition_indexes) for asked in request.topics]
    topics = []
    for topic, indexes in wanted:
        ongoing = [] if topic is None else [each for index in indexes for each in _ongoing(topic, index)]
        if topic is not None and ongoing:
            topics.append(OngoingTopicReassignment(topic.name, ongoing))
    return ListPartitionReassignmentsResponse(error_message=None, topics=topics)


def _ongoing(topic: "TopicImage", index: int) -> "Iterable[OngoingPartitionReassignment]":
    if 0 <= index < len(topic.partitions):
        partition = topic.partitions[index]
        if partition.adding or partition.removing:
            yield OngoingPartitionReassignment(
                index, list(partition.replicas), list(partition.adding), list(partition.removing)
            )
