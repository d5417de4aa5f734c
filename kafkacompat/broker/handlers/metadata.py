"""Metadata (3), versions 0-13: brokers, topics, partitions and their leaders.

In v0 an empty list asks for all topics, in later versions null. v1 adds racks, the controller and internal topics, v2
the cluster id, v4 lets the client forbid auto-creation, v5 adds offline replicas, v7 leader epochs, v8 authorized
operations (KIP-430; those of the cluster moved to DescribeCluster in v11), v9 is flexible, v10 adds topic ids, v12
requests by id (INVALID_REQUEST before), v13 a top-level error.

Behavior:
- An auto-created topic is in the same response. Kafka answers UNKNOWN_TOPIC_OR_PARTITION first, and the client retries.
- A topic that does not exist or cannot be created: UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION for an illegal
  name, UNKNOWN_TOPIC_ID for an unknown id.
- A partition whose leader has just been lost: the response waits for the election, see `_answer_when_led`.
- A partition without a leader: LEADER_NOT_AVAILABLE. A leader without an endpoint on the client's listener:
  LISTENER_NOT_FOUND from v6.
"""

from kafkacompat.broker.answers import Encoded
from kafkacompat.broker.authorized_operations import CLUSTER_OPERATIONS, NOT_ASKED, TOPIC_OPERATIONS
from kafkacompat.broker.metadata_answers import COPIES_PER_UNIT
from kafkacompat.broker.purgatory import METADATA_KEY, Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
    encode_metadata_response_partition,
    encode_metadata_response_topic,
    encode_response,
)
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.replication.metadata.image import NO_LEADER
from kafkacompat.steps import UNITS_PER_ITERATION, at_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage, TopicImage
    from kafkacompat.steps import Steps

FIRST_VERSION_WITH_NULL_FOR_ALL = 1
FIRST_VERSION_WITH_ALL_REPLICAS = 1
FIRST_VERSION_WITH_LISTENER_NOT_FOUND = 6
FIRST_VERSION_ASKED_BY_ID = 12


def handle(request: MetadataRequest, context: "Context") -> "MetadataResponse | Encoded | Pending | Steps[Encoded]":
    """Answer from the image; create missing topics first if client and broker allow it."""
    if context.version < FIRST_VERSION_ASKED_BY_ID and any(map(_is_asked_by_id, request.topics or ())):
        return failed(request, errors.INVALID_REQUEST)
    names = _names(request, context)
    if names is None or not _may_create(request, context):
        return _answer_when_led(request, context)
    missing = [name for name in names if name not in context.services.image.topics]
    if not missing:
        return _answer_when_led(request, context)
    failures, wait_for = context.services.internal_topics.auto_create(missing, context.now)
    if not wait_for:
        return _respond(request, context)

    def finish(_now: "Now", expired: bool) -> Encoded | None:
        ready = all(name in context.services.image.topics or name in failures for name in missing)
        return at_once(_respond(request, context)) if ready or expired else None

    return Pending(wait_for, context.now.monotonic_ms + context.services.request_timeout_ms, finish)


def _is_asked_by_id(topic: MetadataRequestTopic) -> bool:
    return topic.name is None or topic.topic_id != ZERO_UUID


def _names(request: MetadataRequest, context: "Context") -> list[str] | None:
    """The requested names; None for all topics."""
    topics = request.topics
    if topics is None or (context.version < FIRST_VERSION_WITH_NULL_FOR_ALL and not topics):
        return None
    return [topic.name for topic in _distinct(topics) if topic.name is not None]


def _may_create(request: MetadataRequest, context: "Context") -> bool:
    return request.allow_auto_topic_creation and context.services.auto_create_enabled


def _answer_when_led(request: MetadataRequest, context: "Context") -> "Encoded | Pending | Steps[Encoded]":
    """If a leader was just lost, answer when a new one is elected: a client that is given the old one retries late,
    franz-go after 5 s, librdkafka after 2 s.
    """
    until_ms = _election_ends_ms(request, context, context.now)
    if until_ms is None:
        return _answer(request, context)

    def finish(now: "Now", expired: bool) -> object | None:
        is_over = expired or _election_ends_ms(request, context, now) is None
        return _answer(request, context) if is_over else None

    return Pending([METADATA_KEY], until_ms, finish)


def _election_ends_ms(request: MetadataRequest, context: "Context", now: "Now") -> int | None:
    """By when all requested partitions with a lost leader should have a new one (monotonic); None if there are none."""
    lost = context.services.fetchers.lost_leaders(now)
    if not lost:
        return None
    image = context.services.image
    if _names(request, context) is None:
        leaders = {leader for leader in lost if leader in image.brokers and not image.brokers[leader].fenced}
    else:
        names = (image.topic_name(each.topic_id) if each.name is None else each.name for each in request.topics or ())
        topics = [image.topics[name] for name in names if name is not None and name in image.topics]
        leaders = {partition.leader for topic in topics for partition in topic.partitions} & lost.keys()
    return max((lost[leader] for leader in leaders), default=None)


def _answer(request: MetadataRequest, context: "Context") -> "Encoded | Steps[Encoded]":
    """The encoded response, from the cache if an equal request was answered from this image."""
    services = context.services
    question = (
        context.version,
        context.connection.listener,
        context.connection.reached_at,
        request.include_topic_authorized_operations,
        request.include_cluster_authorized_operations,
        None if request.topics is None else tuple((topic.name, topic.topic_id) for topic in request.topics),
    )
    parts = services.metadata_answers.find(question, services.image)
    return _respond_to(question, request, context) if parts is None else Encoded(list(parts))


def _respond_to(question: "Hashable", request: MetadataRequest, context: "Context") -> "Steps[Encoded]":
    """Encode the response and keep it. If another client's equal request is about to be answered, use its response."""
    services = context.services
    answers = services.metadata_answers
    while answers.is_begun(question):
        yield UNITS_PER_ITERATION
    image = services.image
    parts = answers.find(question, image)
    if parts is None:
        answers.begin(question)
        try:
            parts = yield from _encode(request, context)
        finally:
            answers.end(question)
        answers.keep(question, image, parts, len(request.topics or ()))
    return Encoded(list(parts))


def _respond(request: MetadataRequest, context: "Context") -> "Steps[Encoded]":
    """Encode a response that is not kept."""
    return Encoded(list((yield from _encode(request, context))))


def _encode(request: MetadataRequest, context: "Context") -> "Steps[list[bytes]]":
    """Encode the response from the current image."""
    services = context.services
    image, connection = services.image, context.connection
    nodes = services.alive_nodes(connection.listener, connection.reached_at)
    describing = _Describing(image, context, request)
    if _names(request, context) is None:
        topics: Sequence[object] = yield from describing.all_topics()
    else:
        topics = yield from describing.some_topics(_distinct(request.topics or ()))
    response = MetadataResponse(
        brokers=[MetadataResponseBroker(*node) for node in nodes],
        cluster_id=services.cluster_id,
        controller_id=services.random_alive_broker_id(),  # every broker forwards controller requests, as in Kafka
        topics=topics,  # type: ignore[arg-type] # they may come encoded
        cluster_authorized_operations=(
            CLUSTER_OPERATIONS if request.include_cluster_authorized_operations else NOT_ASKED
        ),
    )
    encoded: list[bytes] = []
    encode_response(response, context.version, encoded)
    return [b"".join(encoded)]


def _distinct(topics: "Sequence[MetadataRequestTopic]") -> "list[MetadataRequestTopic]":
    """The requested topics without duplicates. If any is requested by id, names are ignored, as in Kafka."""
    ids = {topic.topic_id: None for topic in topics if topic.topic_id != ZERO_UUID}
    if ids:
        return [MetadataRequestTopic(topic_id, None) for topic_id in ids]
    return list({topic.name: topic for topic in topics}.values())


class _Describing:
    """Describes topics for clients of one listener. `_reached`: the brokers with an endpoint on it, fenced ones not."""

    def __init__(self, image: "MetadataImage", context: "Context", request: MetadataRequest) -> None:
        self._image = image
        self._version = context.version
        self._services = context.services
        self._operations = TOPIC_OPERATIONS if request.include_topic_authorized_operations else NOT_ASKED
        self._reached = frozenset(node[0] for node in context.services.nodes(context.connection.listener))
        way = (self._version, self._operations, self._reached, frozenset(image.brokers))
        self._kept = context.services.metadata_answers.table(way)

    def all_topics(self) -> "Steps[list[bytes]]":
        found: list[bytes] = []
        copies = 0
        for topic in self._image.topics.values():
            encoded = self._kept.encoded(topic)
            if encoded is None:
                encoded = yield from self._encode(topic)
            else:
                copies += 1
                if copies % COPIES_PER_UNIT == 0:
                    yield 1
            found.append(encoded)
        self._kept.forget_others(self._image)
        return found

    def some_topics(self, asked: "Sequence[MetadataRequestTopic]") -> "Steps[list[bytes | MetadataResponseTopic]]":
        found: list[bytes | MetadataResponseTopic] = []
        for each in asked:
            name = each.name if each.name is not None else self._image.topic_name(each.topic_id)
            topic = None if name is None else self._image.topics.get(name)
            if topic is not None:
                found.append(self._kept.encoded(topic) or (yield from self._encode(topic)))
            elif name is None:
                found.append(MetadataResponseTopic(errors.UNKNOWN_TOPIC_ID, None, each.topic_id))
            else:
                found.append(self._unknown(name))
            yield 1
        return found

    def _unknown(self, name: str) -> MetadataResponseTopic:
        return MetadataResponseTopic(
            self._services.unknown_topic_error(name), name, ZERO_UUID, self._services.internal_topics.is_internal(name),
            topic_authorized_operations=self._operations,
        )  # fmt: skip

    def _encode(self, topic: "TopicImage") -> "Steps[bytes]":
        pieces = yield from self._kept.pieces(topic, self._partition)
        described = MetadataResponseTopic(
            errors.NONE, topic.name, topic.topic_id, self._services.internal_topics.is_internal(topic.name),
            pieces, self._operations,  # type: ignore[arg-type] # encoded already
        )  # fmt: skip
        encoded = encode_metadata_response_topic(described, self._version)
        self._kept.keep(topic, encoded, pieces)
        yield 1
        return encoded

    def _partition(self, index: int, partition: "PartitionImage") -> bytes:
        """v0 omits replicas that are not reached (Kafka's KRaftMetadataCache)."""
        replicas, isr, reached = partition.replicas, partition.isr, self._reached
        if self._version < FIRST_VERSION_WITH_ALL_REPLICAS:
            replicas, isr = (tuple(each for each in ids if each in reached) for ids in (replicas, isr))
        leader, error = partition.leader, errors.NONE
        if leader not in reached:
            is_known = leader in self._image.brokers and self._version >= FIRST_VERSION_WITH_LISTENER_NOT_FOUND
            leader, error = NO_LEADER, errors.LISTENER_NOT_FOUND if is_known else errors.LEADER_NOT_AVAILABLE
        elif len(replicas) < len(partition.replicas):
            error = errors.REPLICA_NOT_AVAILABLE
        offline = [broker_id for broker_id in partition.replicas if broker_id not in reached]
        described = MetadataResponsePartition(error, index, leader, partition.leader_epoch, replicas, isr, offline)
        return encode_metadata_response_partition(described, self._version)


def failed(request: MetadataRequest, error_code: int) -> MetadataResponse:
    """The response that answers every topic of the request with one error. Null names become empty, as in Kafka
    (`MetadataRequest.getErrorResponse`), because versions before 12 have no null.
    """
    return MetadataResponse(
        topics=[MetadataResponseTopic(error_code, topic.name or "", topic.topic_id) for topic in request.topics or ()],
        error_code=error_code,
    )
