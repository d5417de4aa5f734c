"""Fetch (1), versions 4-18: read committed batches, waiting for them if there are none (a long poll).

v4 brought isolation levels, v5 the log start offset, v7 fetch sessions (KIP-227), v9 leader epochs (KIP-320), v11 racks
(KIP-392), v12 is flexible and shows divergence (KIP-595), v13 names topics by id (KIP-516), v15 the replica's epoch
(KIP-903), v16 the endpoints of new leaders (KIP-951), v17 a directory id (KIP-853), v18 a follower's high watermark
(KIP-1166).

Fetches of other brokers are answered in `broker/replicas/follower_fetch.py`.
"""

from kafkacompat.broker.connection import CONTROLLER
from kafkacompat.broker.consumer_fetch import NOBODY_TO_ASK, answer_consumer
from kafkacompat.broker.leader_hints import name_leaders
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.messages import fetch as messages
from kafkacompat.protocol.messages.fetch import FetchableTopicResponse, FetchRequest, FetchResponse, PartitionData
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.replication.partition import READ_COMMITTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.fetch_session import CachedPartition
    from kafkacompat.broker.fetch_session_cache import FetchContext
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.partition import Partition

FIRST_VERSION_WITH_TOPIC_IDS = 13
FIRST_VERSION_WITH_REPLICA_STATE = 15
NO_RECORDS = b""
ISOLATION_LEVELS = (0, READ_COMMITTED)


def handle(request: FetchRequest, context: "Context") -> "Message | Pending":
    """Read what there is; wait for `min_bytes` up to `max_wait_ms`."""
    services = context.services
    if context.connection.kind == CONTROLLER:  # the metadata log is all that there is to read
        from kafkacompat.broker.control.quorum_requests import serve

        return serve(request, context)
    if request.isolation_level not in ISOLATION_LEVELS:
        return failed(request, errors.UNKNOWN_SERVER_ERROR)  # so Kafka says
    uses_topic_ids = context.version >= FIRST_VERSION_WITH_TOPIC_IDS
    is_follower = _is_follower(request, context)
    fetch = services.fetch_sessions.open(request, context.now, uses_topic_ids=uses_topic_ids, is_privileged=is_follower)
    if fetch.error_code != errors.NONE:
        return FetchResponse(error_code=fetch.error_code)
    if is_follower and context.connection.is_inter_broker:
        from kafkacompat.broker.replicas.follower_fetch import answer_follower

        return answer_follower(request, context, fetch, resolve, refuse, respond)
    return answer_consumer(request, context, fetch, resolve, refuse, respond, is_follower=is_follower)


def failed(request: FetchRequest, error_code: int) -> FetchResponse:
    """The response that answers the whole request with one error. Topics asked for by id are not repeated."""
    return FetchResponse(
        error_code=error_code,
        responses=[
            FetchableTopicResponse(
                topic.topic, topic.topic_id, [_refused(asked.partition, error_code) for asked in topic.partitions]
            )
            for topic in request.topics
            if topic.topic_id == ZERO_UUID
        ],
    )


def _name(wanted: "CachedPartition", context: "Context") -> str | None:
    return wanted.topic or context.services.image.topic_name(wanted.topic_id)


def _refused(index: int, error_code: int, *, by_partition: bool = False) -> PartitionData:
    """Kafka's partitions give no list of aborted transactions with an error; who asks none gets an empty one."""
    return PartitionData(
        partition_index=index,
        error_code=error_code,
        high_watermark=UNKNOWN_OFFSET,
        aborted_transactions=None if by_partition else (),
        records=NO_RECORDS,
    )


def refuse(index: int, error_code: int) -> PartitionData:
    """The answer for a partition that cannot be read."""
    return _refused(index, error_code, by_partition=error_code not in NOBODY_TO_ASK)


def resolve(wanted: "CachedPartition", context: "Context") -> "Partition | int":
    """The partition if a replica of it is here, or the error."""
    services = context.services
    image = services.image
    name = wanted.topic or image.topic_name(wanted.topic_id)
    if name is None:
        if not wanted.known_as:
            return errors.UNKNOWN_TOPIC_ID
        is_another = wanted.known_as in image.topics
        return errors.INCONSISTENT_TOPIC_ID if is_another else errors.UNKNOWN_TOPIC_OR_PARTITION
    wanted.known_as = name
    return services.partitions.find(image, name, wanted.index)


def _is_follower(request: FetchRequest, context: "Context") -> bool:
    by_state = context.version >= FIRST_VERSION_WITH_REPLICA_STATE
    return (request.replica_state.replica_id if by_state else request.replica_id) >= 0


def respond(
    answers: "list[tuple[CachedPartition, PartitionData]]",
    fetch: "FetchContext",
    context: "Context",
    *,
    is_follower: bool,
) -> FetchResponse:
    """The response of what was found, in the order in which it was read; what is told is remembered in the session."""
    topics: list[FetchableTopicResponse] = []
    partitions: list[PartitionData] = []
    topic, topic_id = None, b""
    refused: list[tuple[str | None, int, PartitionData]] = []
    session, is_incremental = fetch.session, fetch.incremental
    for wanted, answer in answers:
        if is_incremental and session is not None:
            if answer.records:
                session.goes_last(wanted)
            elif not wanted.has_changes(answer):
                continue
        wanted.tell(answer)
        if wanted.topic != topic or wanted.topic_id != topic_id:
            topic, topic_id, partitions = wanted.topic, wanted.topic_id, []
            topics.append(FetchableTopicResponse(topic, topic_id, partitions))
        partitions.append(answer)
        if answer.error_code != errors.NONE:
            refused.append((_name(wanted, context), wanted.index, answer))
    endpoints = name_leaders(refused, messages, context) if refused else ()
    if is_follower:
        endpoints = ()  # a broker knows the addresses of the others
    return FetchResponse(session_id=fetch.session_id, responses=topics, node_endpoints=endpoints)
