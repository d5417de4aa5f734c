"""Responses that refuse a whole request, in its API's form."""

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
        response.error_code = errors.NONE  # it is said of each item
    message: Message = response
    return message


def worded(api: "Api", request: "Message", context: "Context", answer: "Settled") -> "Response":
    """An answer as it goes out: a failure in its API's form."""
    return refusal(api, request, answer.error_code, context.version) if isinstance(answer, Failed) else answer


def bug(api: "Api", request: "Message", context: "Context") -> "Message":
    """Our own mistake harms one request: it is logged, answered, and the broker goes on. Called while it is handled."""
    client_id = context.header.client_id
    log.exception("a bug: %s v%d from client %.300r failed: %.2000r", api.stem, context.version, client_id, request)
    return refusal(api, request, errors.UNKNOWN_SERVER_ERROR, context.version)
