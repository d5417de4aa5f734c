"""CreatePartitions (37), versions 0-3: more partitions for a topic (KIP-195). v2 is flexible."""

from kafkacompat.broker.control.operations import submit
from kafkacompat.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)
from kafkacompat.replication.controller.partitions import create_partitions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: CreatePartitionsRequest, context: "Context") -> "Answer":
    """Hand it to the controller; the answer comes once its records are committed and applied here."""
    return submit(lambda image, _now: create_partitions(request, image), context, request.timeout_ms)


def failed(request: CreatePartitionsRequest, error_code: int) -> CreatePartitionsResponse:
    """The response that answers every topic of the request with one error."""
    return CreatePartitionsResponse(
        results=[CreatePartitionsTopicResult(topic.name, error_code) for topic in request.topics]
    )
