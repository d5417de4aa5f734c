"""ElectLeaders (43): preferred and unclean elections (rule C7, KIP-460)."""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.elect_leaders import (
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from kafkacompat.replication.controller.election_context import election_context
from kafkacompat.replication.controller.limits import check_record_count
from kafkacompat.replication.election import PREFERRED, UNCLEAN, change
from kafkacompat.replication.metadata.image import NO_LEADER
from kafkacompat.replication.metadata.result import RefusedError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
    from kafkacompat.protocol.messages.elect_leaders import ElectLeadersRequest
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage, TopicImage
    from kafkacompat.replication.metadata.settings import Settings

MAX_PERIODIC_ELECTIONS = 1000
"""Most periodic elections in one change (Kafka's MAX_ELECTIONS_PER_IMBALANCE)."""
UNCLEAN_CONFIG = "unclean.leader.election.enable"

_REASONS = {
    errors.ELECTION_NOT_NEEDED: "Leader election not needed for topic partition.",
    errors.PREFERRED_LEADER_NOT_AVAILABLE: "The preferred leader was not available.",
    errors.ELIGIBLE_LEADERS_NOT_AVAILABLE: "Eligible topic partition leaders are not available.",
}


def elect_leaders(request: "ElectLeadersRequest", image: "MetadataImage", settings: "Settings") -> Result:
    """Elect leaders. Each partition succeeds or fails by itself; all changes form one atomic batch.

    Without a list all partitions are elected; the answer then omits partitions that need no election, but not their
    topics.
    """
    if request.election_type not in (PREFERRED, UNCLEAN):
        message = f"Unknown election type {request.election_type}"
        return Result([], refused_elections(request, errors.INVALID_REQUEST, message))
    everything = request.topic_partitions is None
    wanted = (
        [(topic.name, range(len(topic.partitions))) for topic in image.topics.values()]
        if request.topic_partitions is None
        else [(asked.topic, asked.partitions) for asked in request.topic_partitions]
    )
    records: list[Message] = []
    outcomes: dict[
        tuple[str, int], PartitionResult
    ] = {}  # a partition listed twice is elected once, and answered twice
    results = []
    for name, indexes in wanted:
        for index in indexes:
            if (name, index) not in outcomes:
                outcomes[name, index] = _outcome(name, index, request.election_type, records, image, settings)
        answers = [outcomes[name, index] for index in indexes]
        if everything:
            answers = [answer for answer in answers if answer.error_code != errors.ELECTION_NOT_NEEDED]
        results.append(ReplicaElectionResult(name, answers))
    return Result(records, ElectLeadersResponse(replica_election_results=results))


def refused_elections(
    request: "ElectLeadersRequest", error_code: int, message: str | None = None
) -> ElectLeadersResponse:
    """One error for the whole request, repeated for each partition, as in Kafka."""
    results = [
        ReplicaElectionResult(asked.topic, [PartitionResult(index, error_code, message) for index in asked.partitions])
        for asked in request.topic_partitions or ()
    ]
    return ElectLeadersResponse(error_code=error_code, replica_election_results=results)


def _outcome(
    name: str, index: int, kind: int, records: "list[Message]", image: "MetadataImage", settings: "Settings"
) -> PartitionResult:
    """Elect one partition, and add its record, if any, to `records`. Returns the answer."""
    try:
        record = _election(name, index, kind, image, settings)
        check_record_count(range(len(records) + 1))
    except RefusedError as refused:
        return PartitionResult(index, refused.error_code, refused.message)
    records.append(record)
    return PartitionResult(index, errors.NONE, None)


def elect_periodically(kind: int, image: "MetadataImage", settings: "Settings") -> Result:
    """Elect preferred leaders, or run unclean elections where the topic allows them (C6, C7).

    The response tells whether the change reached its limit, so that there may be more to do.
    """
    records: list[Message] = []
    for topic in image.topics.values():
        if kind == UNCLEAN and settings.topic_value(image, topic.name, UNCLEAN_CONFIG) is not True:
            continue
        for index, partition in enumerate(topic.partitions):
            if _is_done(partition, kind):
                continue
            try:
                records.append(_election(topic.name, index, kind, image, settings))
            except RefusedError:
                continue
            if len(records) == MAX_PERIODIC_ELECTIONS:
                return Result(records, True)  # noqa: FBT003
    return Result(records, False)  # noqa: FBT003


def _election(
    name: str, index: int, kind: int, image: "MetadataImage", settings: "Settings"
) -> "PartitionChangeRecord":
    """The record of one election. Raises RefusedError."""
    topic, partition = _find(name, index, image)
    if _is_done(partition, kind):
        raise _refused(errors.ELECTION_NOT_NEEDED)
    context = election_context(settings, image, topic, partition)
    context.allow_unclean = context.allow_unclean or kind == UNCLEAN
    record = change(partition, topic.topic_id, index, context, preferred=kind == PREFERRED)
    if record is None:
        is_preferred = kind == PREFERRED
        raise _refused(errors.PREFERRED_LEADER_NOT_AVAILABLE if is_preferred else errors.ELIGIBLE_LEADERS_NOT_AVAILABLE)
    return record


def _is_done(partition: "PartitionImage", kind: int) -> bool:
    if kind == PREFERRED:
        return partition.leader == partition.replicas[0]
    return partition.leader != NO_LEADER


def _find(name: str, index: int, image: "MetadataImage") -> "tuple[TopicImage, PartitionImage]":
    topic = image.topics.get(name)
    if topic is None:
        raise RefusedError(errors.UNKNOWN_TOPIC_OR_PARTITION, f"No such topic as {name}")
    if not 0 <= index < len(topic.partitions):
        raise RefusedError(errors.UNKNOWN_TOPIC_OR_PARTITION, f"No such partition as {name}-{index}")
    return topic, topic.partitions[index]


def _refused(error_code: int) -> RefusedError:
    return RefusedError(error_code, _REASONS[error_code])
