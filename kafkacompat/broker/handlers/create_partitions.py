"""CreatePartitions (37), versions 0-3: add partitions to topics (KIP-195). v2 is flexible."""

from kafkacompat.broker.control.operations import ask_for_client
from kafkacompat.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: CreatePartitionsRequest, context: "Context") -> "Answer":
    """Ask the active controller; the response is sent once its records are committed and applied."""
    return ask_for_client(
        context, lambda controller: controller.create_partitions(request, context.now), request.timeout_ms
    )


def failed(request: CreatePartitionsRequest, error_code: int) -> CreatePartitionsResponse:
    """The response that answers every topic of the request with one error."""
    return CreatePartitionsResponse(
        results=[CreatePartitionsTopicResult(topic.name, error_code) for topic in request.topics]
    )
