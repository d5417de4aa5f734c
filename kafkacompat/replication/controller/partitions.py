"""New partitions: manual or automatic assignment of their replicas, and CreatePartitions."""

from collections import Counter

from kafkacompat.protocol.error_codes import (
    INVALID_PARTITIONS,
    INVALID_REPLICA_ASSIGNMENT,
    INVALID_REPLICATION_FACTOR,
    INVALID_REQUEST,
    NONE,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from kafkacompat.protocol.internal.cluster_metadata import PartitionRecord
from kafkacompat.protocol.messages.create_partitions import CreatePartitionsResponse, CreatePartitionsTopicResult
from kafkacompat.replication.controller.limits import check_record_count
from kafkacompat.replication.controller.placement import place
from kafkacompat.replication.metadata.result import RefusedError, Result
from kafkacompat.replication.metadata.settings import default_directory
from kafkacompat.steps import UNITS_PER_STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.steps import Steps


def new_partition(image: "MetadataImage", topic_id: bytes, index: int, replicas: "Sequence[int]") -> PartitionRecord:
    """The record of a new partition, led by its first active replica. Raises RefusedError if none is active."""
    isr = [broker for broker in replicas if image.is_active(broker)]
    if not isr:
        raise RefusedError(
            INVALID_REPLICATION_FACTOR,
            f"Unable to replicate the partition {len(replicas)} time(s): "
            "All brokers are currently fenced or in controlled shutdown.",
        )
    return PartitionRecord(
        partition_id=index,
        topic_id=topic_id,
        replicas=list(replicas),
        isr=isr,
        leader=isr[0],
        leader_epoch=0,
        partition_epoch=0,
        directories=[default_directory(image, broker) for broker in replicas],
    )


def new_partitions(
    image: "MetadataImage", topic_id: bytes, first: int, placed: "Sequence[Sequence[int]]"
) -> "Steps[list[PartitionRecord]]":
    """The records of new partitions from index `first` on. Raises RefusedError."""
    made: list[PartitionRecord] = []
    for n, replicas in enumerate(placed):
        made.append(new_partition(image, topic_id, first + n, replicas))
        if n % UNITS_PER_STEP == UNITS_PER_STEP - 1:
            yield UNITS_PER_STEP * 2 // 5  # encoding and applying their records costs more than making them
    return made


def check_assignment(
    image: "MetadataImage", index: int, replicas: "Sequence[int]", replication_factor: int | None
) -> None:
    """Check a manual replica assignment. Raises RefusedError with INVALID_REPLICA_ASSIGNMENT."""
    if not replicas:
        raise _refused("The manual partition assignment includes an empty replica list.")
    before = None
    for broker in sorted(replicas):
        if broker not in image.brokers:
            raise _refused(
                f"The manual partition assignment includes broker {broker}, but no such broker is registered."
            )
        if broker == before:
            raise _refused(f"The manual partition assignment includes the broker {broker} more than once.")
        before = broker
    if replication_factor is not None and len(replicas) != replication_factor:
        raise _refused(
            f"The manual partition assignment includes a partition with {len(replicas)} replica(s), but this is not "
            f"consistent with previous partitions, which have {replication_factor} replica(s)."
        )
    if not any(image.is_active(broker) for broker in replicas):
        raise _refused(
            f"All brokers specified in the manual partition assignment for partition {index} are fenced or in "
            "controlled shutdown."
        )


def _refused(message: str) -> RefusedError:
    return RefusedError(INVALID_REPLICA_ASSIGNMENT, message)


def create_partitions(request: "CreatePartitionsRequest", image: "MetadataImage") -> "Steps[Result]":
    """Add partitions to topics (key 37). Each topic succeeds or fails by itself; successes form one atomic batch."""
    times = Counter(topic.name for topic in request.topics)
    records: list[Message] = []
    results: dict[str, CreatePartitionsTopicResult] = {}
    for topic in request.topics:
        try:
            if times[topic.name] > 1:
                raise RefusedError(INVALID_REQUEST, "Duplicate topic name.")
            added = yield from _added(topic, image)
            check_record_count(range(len(records) + len(added)))
        except RefusedError as refused:
            results[topic.name] = CreatePartitionsTopicResult(topic.name, refused.error_code, refused.message)
        else:
            records += added
            results[topic.name] = CreatePartitionsTopicResult(topic.name, NONE, None)
    response = CreatePartitionsResponse(results=list(results.values()))
    return Result([] if request.validate_only else records, response)


def _added(request: "CreatePartitionsTopic", image: "MetadataImage") -> "Steps[list[PartitionRecord]]":
    topic = image.topics.get(request.name)
    if topic is None:
        raise RefusedError(UNKNOWN_TOPIC_OR_PARTITION)
    present = len(topic.partitions)
    added = request.count - present
    if added == 0:
        raise RefusedError(INVALID_PARTITIONS, f"Topic already has {present} partition(s).")
    if added < 0:
        raise RefusedError(
            INVALID_PARTITIONS,
            f"The topic {topic.name} currently has {present} partition(s); {request.count} would not be an increase.",
        )
    check_record_count(range(added))
    replication_factor = len(topic.partitions[0].replicas)
    if request.assignments is None:
        chosen: list[Sequence[int]] = list(place(image, topic.name, present, added, replication_factor))
    else:
        chosen = [assignment.broker_ids for assignment in request.assignments]
        if len(chosen) != added:
            raise _refused(
                f"Attempted to add {added} additional partition(s), but only {len(chosen)} assignment(s) were "
                "specified."
            )
        for n, replicas in enumerate(chosen):
            check_assignment(image, present + n, replicas, replication_factor)
    return (yield from new_partitions(image, topic.topic_id, present, chosen))
