"""DeleteTopics (20), versions 1-6: delete topics by name, from v6 also by id (KIP-516). v4 is flexible, v5 adds error
messages.

With delete.topic.enable=false it answers TOPIC_DELETION_DISABLED, up to v2 INVALID_REQUEST.
"""

from kafkacompat.broker.control.operations import ask_for_client
from kafkacompat.protocol.messages.delete_topics import DeletableTopicResult, DeleteTopicsRequest, DeleteTopicsResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context


def handle(request: DeleteTopicsRequest, context: "Context") -> "Answer":
    """Ask the active controller; the response is sent once its records are committed and applied."""
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
