"""Fetch (1), versions 4-18: read committed batches, waiting for them if there are none (a long poll).

v4 brought isolation levels, v5 the log start offset, v7 fetch sessions (KIP-227), v9 leader epochs (KIP-320), v11 racks
(KIP-392), v12 is flexible and reports divergence (KIP-595), v13 names topics by id (KIP-516), v15 the replica's epoch
(KIP-903), v16 the endpoints of new leaders (KIP-951), v17 a directory id (KIP-853), v18 a follower's high watermark
(KIP-1166).

Consumers are answered in `broker/consumer_fetch.py`, other brokers in `broker/replicas/follower_fetch.py`; the rules
for one partition are in `replication/serving.py`.
"""

from kafkacompat.broker.connection import CONTROLLER
from kafkacompat.broker.consumer_fetch import answer_consumer
from kafkacompat.broker.fetch_response import refuse_unknown
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.fetch import FetchableTopicResponse, FetchRequest, FetchResponse
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.replication.partition import READ_COMMITTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context

FIRST_VERSION_WITH_TOPIC_IDS = 13
FIRST_VERSION_WITH_REPLICA_STATE = 15
ISOLATION_LEVELS = (0, READ_COMMITTED)


def handle(request: FetchRequest, context: "Context") -> "Answer":
    """Find the session of the request, and answer it as a consumer's, a follower's or a voter's."""
    services = context.services
    if context.connection.kind == CONTROLLER:  # only the metadata log can be read there
        from kafkacompat.broker.control.quorum_requests import serve

        return serve(request, context)
    if request.isolation_level not in ISOLATION_LEVELS:
        return failed(request, errors.UNKNOWN_SERVER_ERROR)  # as in Kafka
    uses_topic_ids = context.version >= FIRST_VERSION_WITH_TOPIC_IDS
    is_follower = _is_follower(request, context)
    fetch = services.fetch_sessions.open(request, context.now, uses_topic_ids=uses_topic_ids, is_privileged=is_follower)
    if fetch.error_code != errors.NONE:
        return FetchResponse(error_code=fetch.error_code)
    if is_follower and context.connection.is_inter_broker:
        from kafkacompat.broker.replicas.follower_fetch import answer_follower

        return answer_follower(request, context, fetch)
    return answer_consumer(request, context, fetch, is_follower=is_follower)


def failed(request: FetchRequest, error_code: int) -> FetchResponse:
    """The response with one error for the whole request. Topics requested by id are left out."""
    return FetchResponse(
        error_code=error_code,
        responses=[
            FetchableTopicResponse(
                topic.topic, topic.topic_id, [refuse_unknown(asked.partition, error_code) for asked in topic.partitions]
            )
            for topic in request.topics
            if topic.topic_id == ZERO_UUID
        ],
    )


def _is_follower(request: FetchRequest, context: "Context") -> bool:
    by_state = context.version >= FIRST_VERSION_WITH_REPLICA_STATE
    return (request.replica_state.replica_id if by_state else request.replica_id) >= 0
