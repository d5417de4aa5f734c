"""Metadata (3), versions 0-13: brokers, topics, partitions and who leads them.

v0 reads an empty list as "all topics", later versions null. v1 adds racks, the controller and internal topics, v2 the
cluster id, v4 lets the client forbid auto-creation, v5 offline replicas, v7 leader epochs, v8 authorized operations
(KIP-430; those of the cluster moved to DescribeCluster with v11), v9 is flexible, v10 topic ids (questions by id came
with v12: INVALID_REQUEST before), v13 a top-level error.

An auto-created topic is in this very answer: Kafka answers UNKNOWN_TOPIC_OR_PARTITION first and lets the client retry.
For one that cannot be created, as there are too few brokers, that is the answer whatever the reason, as in Kafka.
"""

from kafkacompat.broker.authorized_operations import CLUSTER_OPERATIONS, NOT_ASKED, TOPIC_OPERATIONS
from kafkacompat.broker.context import Encoded
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
    encode_response,
)
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.replication.metadata.image import NO_LEADER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import PartitionImage, TopicImage

FIRST_VERSION_WITH_NULL_FOR_ALL = 1
FIRST_VERSION_WITH_ALL_REPLICAS = 1
FIRST_VERSION_WITH_LISTENER_NOT_FOUND = 6
FIRST_VERSION_ASKED_BY_ID = 12
CACHE_MAX_ENTRIES = 256  # distinct questions (version, listener, topics) answered from memory until the image changes
CACHED_ANSWER_MAX_BYTES = 256 * 1024  # the question, which is the key, is no larger than its answer


def handle(request: MetadataRequest, context: "Context") -> "MetadataResponse | Encoded | Pending":
    """Answer from the image, creating what is missing where client and broker allow it."""
    if context.version < FIRST_VERSION_ASKED_BY_ID and any(map(_is_asked_by_id, request.topics or ())):
        return failed(request, errors.INVALID_REQUEST)
    names = _names(request, context)
    if names is None or not _may_create(request, context):
        return _answer(request, context)
    missing = [name for name in names if name not in context.broker.image.topics]
    if not missing:
        return _answer(request, context)
    failures, wait_for = context.broker.auto_create_topics(missing, context)
    if not wait_for:
        return _respond(request, context)

    def finish(_now: "Now", expired: bool) -> MetadataResponse | None:
        ready = all(name in context.broker.image.topics or name in failures for name in missing)
        return _respond(request, context) if ready or expired else None

    return Pending(wait_for, context.now.monotonic_ms + context.broker.request_timeout_ms, finish)


def _is_asked_by_id(topic: MetadataRequestTopic) -> bool:
    return topic.name is None or topic.topic_id != ZERO_UUID


def _names(request: MetadataRequest, context: "Context") -> list[str] | None:
    """The names asked for, None when all topics are."""
    topics = request.topics
    if topics is None or (context.version < FIRST_VERSION_WITH_NULL_FOR_ALL and not topics):
        return None
    return [topic.name for topic in _distinct(topics) if topic.name is not None]


def _may_create(request: MetadataRequest, context: "Context") -> bool:
    return request.allow_auto_topic_creation and context.broker.auto_create_enabled


def _answer(request: MetadataRequest, context: "Context") -> Encoded:
    """The answer as bytes, from the cache if this was asked before on this image."""
    broker = context.broker
    if broker.metadata_cache_image is not broker.image:
        broker.metadata_cache.clear()
        broker.metadata_cache_image = broker.image
    key = (
        context.version,
        context.connection.listener,
        request.include_topic_authorized_operations,
        request.include_cluster_authorized_operations,
        None if request.topics is None else tuple((topic.name, topic.topic_id) for topic in request.topics),
    )
    parts = broker.metadata_cache.get(key)
    if parts is None:
        encoded: list[bytes] = []
        encode_response(_respond(request, context), context.version, encoded)
        parts = [b"".join(encoded)]
        if len(broker.metadata_cache) >= CACHE_MAX_ENTRIES:
            broker.metadata_cache.clear()
        if len(parts[0]) <= CACHED_ANSWER_MAX_BYTES:
            broker.metadata_cache[key] = parts
    return Encoded(list(parts))


def _respond(request: MetadataRequest, context: "Context") -> MetadataResponse:
    broker = context.broker
    operations = TOPIC_OPERATIONS if request.include_topic_authorized_operations else NOT_ASKED
    if _names(request, context) is None:
        topics = [_describe(topic, context, operations) for topic in broker.image.topics.values()]
    else:
        topics = [_find(asked, context, operations) for asked in _distinct(request.topics or ())]
    return MetadataResponse(
        brokers=[MetadataResponseBroker(*node) for node in broker.nodes_to_tell(context.connection.listener)],
        cluster_id=broker.cluster_id,
        controller_id=broker.some_broker_id(),  # any one forwards what only a controller can do, as in Kafka
        topics=topics,
        cluster_authorized_operations=(
            CLUSTER_OPERATIONS if request.include_cluster_authorized_operations else NOT_ASKED
        ),
    )


def _distinct(topics: "Sequence[MetadataRequestTopic]") -> "list[MetadataRequestTopic]":
    """What is asked for, once each. Where one is asked for by id, those asked for by name do not count, as in Kafka."""
    ids = {topic.topic_id: None for topic in topics if topic.topic_id != ZERO_UUID}
    if ids:
        return [MetadataRequestTopic(topic_id, None) for topic_id in ids]
    return list({topic.name: topic for topic in topics}.values())


def _find(asked: MetadataRequestTopic, context: "Context", operations: int) -> MetadataResponseTopic:
    image = context.broker.image
    name = asked.name if asked.name is not None else image.topic_name(asked.topic_id)
    if name is None:
        return MetadataResponseTopic(errors.UNKNOWN_TOPIC_ID, None, asked.topic_id)
    topic = image.topics.get(name)
    if topic is not None:
        return _describe(topic, context, operations)
    error = context.broker.unknown_topic_error(name)
    return MetadataResponseTopic(
        error, name, ZERO_UUID, context.broker.is_internal(name), topic_authorized_operations=operations
    )


def _describe(topic: "TopicImage", context: "Context", operations: int) -> MetadataResponseTopic:
    reached = {node[0] for node in context.broker.nodes(context.connection.listener)}
    return MetadataResponseTopic(
        errors.NONE,
        topic.name,
        topic.topic_id,
        context.broker.is_internal(topic.name),
        [_describe_partition(index, image, reached, context) for index, image in enumerate(topic.partitions)],
        operations,
    )


def _describe_partition(
    index: int, partition: "PartitionImage", reached: set[int], context: "Context"
) -> MetadataResponsePartition:
    """A partition as a client of this listener sees it: brokers that are fenced, or are not on it, are not `reached`.

    v0 leaves such replicas out (Kafka's KRaftMetadataCache).
    """
    replicas, isr = partition.replicas, partition.isr
    if context.version < FIRST_VERSION_WITH_ALL_REPLICAS:
        replicas, isr = (tuple(each for each in ids if each in reached) for ids in (replicas, isr))
    leader, error = partition.leader, errors.NONE
    if leader not in reached:
        is_known = leader in context.broker.image.brokers and context.version >= FIRST_VERSION_WITH_LISTENER_NOT_FOUND
        leader, error = NO_LEADER, errors.LISTENER_NOT_FOUND if is_known else errors.LEADER_NOT_AVAILABLE
    elif len(replicas) < len(partition.replicas):
        error = errors.REPLICA_NOT_AVAILABLE
    offline = [broker_id for broker_id in partition.replicas if broker_id not in reached]
    return MetadataResponsePartition(error, index, leader, partition.leader_epoch, replicas, isr, offline)


def failed(request: MetadataRequest, error_code: int) -> MetadataResponse:
    """The response that answers every topic of the request with one error. A name may be null from v12 on alone, where
    Kafka sends an empty one as well (`MetadataRequest.getErrorResponse`).
    """
    return MetadataResponse(
        topics=[MetadataResponseTopic(error_code, topic.name or "", topic.topic_id) for topic in request.topics or ()],
        error_code=error_code,
    )
