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


def handle(request: DescribeProducersRequest, context: "Context") -> DescribeProducersResponse:
    """List the producer state of each partition with a local replica, leader or follower."""
    return DescribeProducersResponse(
        topics=[
            TopicResponse(topic.name, [_describe(topic.name, index, context) for index in topic.partition_indexes])
            for topic in request.topics
        ]
    )


def _describe(topic: str, index: int, context: "Context") -> PartitionResponse:
    found = context.services.partitions.find(context.services.image, topic, index)
    error = found if isinstance(found, int) else found.leader_error(needs_leader=False)
    if isinstance(found, int) or error != errors.NONE:
        if topic in context.services.image.topics:
            return PartitionResponse(index, error)
        return PartitionResponse(index, context.services.unknown_topic_error(topic), f"there is no topic {topic!r}")
    return PartitionResponse(
        index,
        errors.NONE,
        None,
        [
            ProducerState(
                producer.producer_id,
                producer.epoch,
                producer.last_sequence,
                producer.last_timestamp_ms,
                producer.coordinator_epoch,
                producer.transaction_first_offset,
            )
            for producer in found.log.producers.entries.values()
        ],
    )


def failed(request: DescribeProducersRequest, error_code: int) -> DescribeProducersResponse:
    """The response that answers every partition of the request with one error."""
    return DescribeProducersResponse(
        topics=[
            TopicResponse(topic.name, [PartitionResponse(index, error_code) for index in topic.partition_indexes])
            for topic in request.topics
        ]
    )
