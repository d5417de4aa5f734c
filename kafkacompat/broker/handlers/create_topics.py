"""CreateTopics (19), versions 2-7: create topics, with an optional assignment and configs, or only validate them.

v4 accepts -1 for the broker's defaults (KIP-464), v5 is flexible and returns the configs (KIP-525), v7 the topic id.

Behavior:
- Each topic has its own result; the valid topics of a request are created even if others fail.
- The active controller creates them; other nodes forward the request. The response is sent once the records are
  committed. A single-node cluster also waits until the partitions are open.
- A time-out of 0 or less: REQUEST_TIMED_OUT, and nothing is created.
"""

from kafkacompat.broker.answers import Encoded
from kafkacompat.broker.control.operations import ask_for_client
from kafkacompat.protocol.messages.create_topics import (
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
    encode_creatable_topic_result,
    encode_response,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context
    from kafkacompat.protocol.primitives import Parts
    from kafkacompat.steps import Steps

TOPICS_AT_ONCE = 50
"""Responses with more topics are encoded in steps: 50 take about 1 ms."""
UNITS_PER_TOPIC = 4
"""What it costs to encode a topic: all of its configs."""


def handle(request: CreateTopicsRequest, context: "Context") -> "Answer":
    """Ask the active controller; the response is sent once its records are committed and applied."""
    rng = context.services.rng
    return ask_for_client(
        context, lambda controller: controller.create_topics(request, rng, context.now), request.timeout_ms,
        respond=_respond,
    )  # fmt: skip


def _respond(response: CreateTopicsResponse, context: "Context") -> "CreateTopicsResponse | Steps[Encoded]":
    return response if len(response.topics) <= TOPICS_AT_ONCE else _encode_in_steps(response, context)


def _encode_in_steps(response: CreateTopicsResponse, context: "Context") -> "Steps[Encoded]":
    """Encode the response. Each of its topics may come with more than 30 configs."""
    topics = []
    for topic in response.topics:
        topics.append(encode_creatable_topic_result(topic, context.version))
        yield UNITS_PER_TOPIC
    parts: Parts = []
    encode_response(
        CreateTopicsResponse(response.throttle_time_ms, topics),  # type: ignore[arg-type] # encoded already
        context.version,
        parts,
    )
    return Encoded(parts)


def failed(request: CreateTopicsRequest, error_code: int) -> CreateTopicsResponse:
    """The response that answers every topic of the request with one error."""
    return CreateTopicsResponse(
        topics=[CreatableTopicResult(topic.name, error_code=error_code, error_message=None) for topic in request.topics]
    )
