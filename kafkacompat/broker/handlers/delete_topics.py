"""DeleteTopics (20), versions 1-6: by name, from v6 also by id (KIP-516). v4 is flexible, v5 adds error messages.

Up to v2 a broker that does not delete says INVALID_REQUEST, from v3 on TOPIC_DELETION_DISABLED.
"""

from kafkacompat.broker.control.operations import ask_for_client
from kafkacompat.protocol.messages.delete_topics import DeletableTopicResult, DeleteTopicsRequest, DeleteTopicsResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: DeleteTopicsRequest, context: "Context") -> "Answer":
    """Hand it to the controller; the answer comes once its records are committed and applied here."""
    version = context.version
    return ask_for_client(
        context, lambda controller: controller.delete_topics(request, version, context.now), request.timeout_ms
    )


def failed(request: DeleteTopicsRequest, error_code: int) -> DeleteTopicsResponse:
    """The response that answers every topic of the request with one error."""
    return DeleteTopicsResponse(
        responses=[
            *(DeletableTopicResult(name, error_code=error_code) for name in request.topic_names),
            *(DeletableTopicResult(topic.name, topic.topic_id, error_code) for topic in request.topics),
        ]
    )
