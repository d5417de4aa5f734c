"""CreateTopics (19), versions 2-7: with defaults, configs, or an assignment by hand; or only validated.

v4 lets -1 ask for the broker's defaults (KIP-464), v5 is flexible and answers with the configs (KIP-525), v7 with the
id.
"""

from kafkacompat.broker.control.operations import ask_for_client
from kafkacompat.protocol.messages.create_topics import CreatableTopicResult, CreateTopicsRequest, CreateTopicsResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: CreateTopicsRequest, context: "Context") -> "Answer":
    """Hand it to the controller; the answer comes once its records are committed and applied here."""
    rng = context.services.rng
    return ask_for_client(
        context, lambda controller: controller.create_topics(request, rng, context.now), request.timeout_ms
    )


def failed(request: CreateTopicsRequest, error_code: int) -> CreateTopicsResponse:
    """The response that answers every topic of the request with one error."""
    return CreateTopicsResponse(
        topics=[CreatableTopicResult(topic.name, error_code=error_code, error_message=None) for topic in request.topics]
    )
