"""DescribeProducers (61), version 0: the producer state of partitions (KIP-664)."""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.steps import Steps

PRODUCERS_PER_UNIT = 5


def handle(request: DescribeProducersRequest, context: "Context") -> "Steps[DescribeProducersResponse]":
    """List the producer state of each partition with a local replica, leader or follower."""
    topics = []
    for topic in request.topics:
        partitions: list[PartitionResponse] = []
        for index in topic.partition_indexes:
            partition = yield from _describe(topic.name, index, context)
            partitions.append(partition)
        topics.append(TopicResponse(topic.name, partitions))
    return DescribeProducersResponse(topics=topics)


def _describe(topic: str, index: int, context: "Context") -> "Steps[PartitionResponse]":
    found = context.services.partitions.find(context.services.image, topic, index)
    error = found if isinstance(found, int) else found.leader_error(needs_leader=False)
    yield 1
    if isinstance(found, int) or error != errors.NONE:
        if topic in context.services.image.topics:
            return PartitionResponse(index, error)
        return PartitionResponse(index, context.services.unknown_topic_error(topic), f"there is no topic {topic!r}")
    producers = []
    for producer in list(found.log.producers.entries.values()):
        producers.append(
            ProducerState(
                producer.producer_id,
                producer.epoch,
                producer.last_sequence,
                producer.last_timestamp_ms,
                producer.coordinator_epoch,
                producer.transaction_first_offset,
            )
        )
        if len(producers) % PRODUCERS_PER_UNIT == 0:
            yield 1
    return PartitionResponse(index, errors.NONE, None, producers)


def failed(request: DescribeProducersRequest, error_code: int) -> DescribeProducersResponse:
    """The response that answers every partition of the request with one error."""
    return DescribeProducersResponse(
        topics=[
            TopicResponse(topic.name, [PartitionResponse(index, error_code) for index in topic.partition_indexes])
            for topic in request.topics
        ]
    )
