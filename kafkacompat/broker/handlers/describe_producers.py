"""DescribeProducers (61), version 0: the producer state of partitions (KIP-664).

Behavior:
- A response of more than 100 MB: INVALID_REQUEST for the remaining partitions.
"""

from kafkacompat.broker.answers import RESPONSE_BYTES_MAX
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
    encode_partition_response,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.steps import Steps

PRODUCERS_PER_UNIT = 5
TOO_LARGE = f"the response has over {RESPONSE_BYTES_MAX >> 20} MB: ask for fewer partitions"


def handle(request: DescribeProducersRequest, context: "Context") -> "Steps[DescribeProducersResponse]":
    """List the producer state of each partition with a local replica, leader or follower."""
    topics = []
    left_bytes = RESPONSE_BYTES_MAX
    for topic in request.topics:
        partitions: list[bytes] = []
        for index in topic.partition_indexes:
            if left_bytes > 0:
                partition = yield from _describe(topic.name, index, context)
            else:
                partition = PartitionResponse(index, errors.INVALID_REQUEST, TOO_LARGE)
            partitions.append(encode_partition_response(partition, context.version))
            left_bytes -= len(partitions[-1])
        topics.append(TopicResponse(topic.name, partitions))  # type: ignore[arg-type] # encoded already
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
