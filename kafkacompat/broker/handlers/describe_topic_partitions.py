"""DescribeTopicPartitions (75), version 0: topics in pages, with eligible leader replicas (KIP-966).

Topics are sorted by name. A page has at most as many partitions as the client's limit and
max.request.partition.size.limit allow; `next_cursor` is the start of the next page.
"""

from kafkacompat.broker.authorized_operations import TOPIC_OPERATIONS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponseCursor,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.replication.metadata.image import NO_LEADER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.replication.metadata.image import PartitionImage, TopicImage
    from kafkacompat.steps import Steps


def handle(request: DescribeTopicPartitionsRequest, context: "Context") -> "Steps[DescribeTopicPartitionsResponse]":
    """Describe topics from the cursor on until the page is full."""
    image = context.services.image
    cursor = request.cursor
    asked = {topic.name for topic in request.topics}
    names = sorted(asked or image.topics)
    first_partition = 0
    if cursor is not None:
        if cursor.partition_index < 0 or not cursor.topic_name or (asked and cursor.topic_name not in asked):
            return failed(request, errors.INVALID_REQUEST)
        names = [name for name in names if name >= cursor.topic_name]
        if names and names[0] == cursor.topic_name:
            first_partition = cursor.partition_index
    left = max(
        1, min(request.response_partition_limit, context.services.config.get_int("max.request.partition.size.limit"))
    )
    topics: list[DescribeTopicPartitionsResponseTopic] = []
    for name in names:
        if left == 0:
            return DescribeTopicPartitionsResponse(topics=topics, next_cursor=_cursor(name, 0))
        topic = image.topics.get(name)
        yield 1
        if topic is None:
            topics.append(_unknown(name, context))
            continue
        last = min(len(topic.partitions), first_partition + left)
        topics.append((yield from _describe(topic, first_partition, last, context)))
        left -= last - first_partition
        if last < len(topic.partitions):
            return DescribeTopicPartitionsResponse(topics=topics, next_cursor=_cursor(name, last))
        first_partition = 0
    return DescribeTopicPartitionsResponse(topics=topics)


def _cursor(name: str, index: int) -> DescribeTopicPartitionsResponseCursor:
    return DescribeTopicPartitionsResponseCursor(name, index)


def _unknown(name: str, context: "Context") -> DescribeTopicPartitionsResponseTopic:
    error = context.services.unknown_topic_error(name)
    return DescribeTopicPartitionsResponseTopic(
        error, name, ZERO_UUID, context.services.internal_topics.is_internal(name), (), TOPIC_OPERATIONS
    )


def _describe(
    topic: "TopicImage", first: int, last: int, context: "Context"
) -> "Steps[DescribeTopicPartitionsResponseTopic]":
    partitions = []
    for index in range(first, last):
        partitions.append(_partition(index, topic.partitions[index], context))
        yield 1
    return DescribeTopicPartitionsResponseTopic(
        errors.NONE,
        topic.name,
        topic.topic_id,
        context.services.internal_topics.is_internal(topic.name),
        partitions,
        TOPIC_OPERATIONS,
    )


def _partition(index: int, partition: "PartitionImage", context: "Context") -> DescribeTopicPartitionsResponsePartition:
    return DescribeTopicPartitionsResponsePartition(
        errors.NONE if partition.leader != NO_LEADER else errors.LEADER_NOT_AVAILABLE,
        index,
        partition.leader,
        partition.leader_epoch,
        partition.replicas,
        partition.isr,
        # arrays, never null: Java clients do not expect the null that the schema allows
        partition.elr,
        partition.last_known_elr,
        context.services.image.offline_replicas(partition),
    )


def failed(request: DescribeTopicPartitionsRequest, error_code: int) -> DescribeTopicPartitionsResponse:
    """The response that answers every topic of the request with one error."""
    return DescribeTopicPartitionsResponse(
        topics=[DescribeTopicPartitionsResponseTopic(error_code, topic.name) for topic in request.topics]
    )
