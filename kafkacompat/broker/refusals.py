"""Error responses for whole requests, in the form of their API."""

import logging

from kafkacompat.broker.answers import Failed
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.broker.answers import Response, Settled
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.registry import Api
    from kafkacompat.protocol.primitives import Message

log = logging.getLogger(__name__)


def refusal(api: "Api", request: "Message", error_code: int, version: int) -> "Message":
    """The response with one error for the whole request."""
    response: Any = api.handler.failed(request, error_code)
    if version < api.top_level_error_since:
        response.error_code = errors.NONE  # this version has the error in each item
    message: Message = response
    return message


def as_response(api: "Api", request: "Message", context: "Context", answer: "Settled") -> "Response":
    """The response for an answer: a failure becomes the error response of its API."""
    return refusal(api, request, answer.error_code, context.version) if isinstance(answer, Failed) else answer


def bug_response(api: "Api", request: "Message", context: "Context") -> "Message":
    """Log the exception that is being handled as a bug, and return UNKNOWN_SERVER_ERROR for the request."""
    client_id = context.header.client_id
    log.exception("a bug: %s v%d from client %.300r failed: %.2000r", api.stem, context.version, client_id, request)
    return refusal(api, request, errors.UNKNOWN_SERVER_ERROR, context.version)
