"""Shared by fetches of consumers and of followers: partition lookup, error answers, the response."""

from kafkacompat.broker.leader_hints import name_leaders
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.messages import fetch as messages
from kafkacompat.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.fetch_session import CachedPartition
    from kafkacompat.broker.fetch_session_cache import FetchContext
    from kafkacompat.replication.partition import Partition

NO_RECORDS = b""
WITH_RECORDS_MAX = 500
"""Partitions with records in one response; the others have theirs in the next one, as when it is full. Each keeps a
descriptor open until it is sent.
"""
UNKNOWN_TOPICS = {errors.UNKNOWN_TOPIC_ID: 1, errors.UNKNOWN_TOPIC_OR_PARTITION: 2}
"""Errors of partitions that do not exist, and their order in a response, after all other partitions."""


def find_partition(asked: "CachedPartition", context: "Context") -> "Partition | int":
    """The partition if this broker has a replica of it, else the error code."""
    services = context.services
    image = services.image
    name = asked.topic or image.topic_name(asked.topic_id)
    if name is None:
        if not asked.known_as:
            return errors.UNKNOWN_TOPIC_ID
        is_another = asked.known_as in image.topics
        return errors.INCONSISTENT_TOPIC_ID if is_another else errors.UNKNOWN_TOPIC_OR_PARTITION
    asked.known_as = name
    return services.partitions.find(image, name, asked.index)


def refuse(index: int, error_code: int) -> PartitionData:
    """The answer for a partition without a replica here."""
    answer = refuse_unknown(index, error_code)
    if error_code not in UNKNOWN_TOPICS:
        answer.aborted_transactions = None
    return answer


def refuse_unknown(index: int, error_code: int) -> PartitionData:
    """The answer for a partition that does not exist. As in Kafka its aborted transactions are empty; with errors of
    existing partitions they are null.
    """
    return PartitionData(
        partition_index=index,
        error_code=error_code,
        high_watermark=UNKNOWN_OFFSET,
        aborted_transactions=(),
        records=NO_RECORDS,
    )


def respond(
    answers: "list[tuple[CachedPartition, PartitionData]]",
    fetch: "FetchContext",
    context: "Context",
    *,
    is_follower: bool,
) -> FetchResponse:
    """The response with these answers, in read order. A session remembers what its client is sent."""
    topics: list[FetchableTopicResponse] = []
    partitions: list[PartitionData] = []
    topic, topic_id = None, b""
    refused: list[tuple[str | None, int, PartitionData]] = []
    session, is_incremental = fetch.session, fetch.incremental
    for cached, answer in answers:
        if is_incremental and session is not None:
            if answer.records:
                session.move_to_end(cached)
            elif not cached.has_changes(answer):
                continue
        cached.note_sent(answer)
        if cached.topic != topic or cached.topic_id != topic_id:
            topic, topic_id, partitions = cached.topic, cached.topic_id, []
            topics.append(FetchableTopicResponse(topic, topic_id, partitions))
        partitions.append(answer)
        if answer.error_code != errors.NONE:
            refused.append((cached.topic or context.services.image.topic_name(cached.topic_id), cached.index, answer))
    endpoints = name_leaders(refused, messages, context) if refused else ()
    if is_follower:
        endpoints = ()  # brokers know the addresses of the others
    return FetchResponse(session_id=fetch.session_id, responses=topics, node_endpoints=endpoints)
