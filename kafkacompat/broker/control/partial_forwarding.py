"""Forwards the rest of a request of which this broker rejects some resources itself.

A broker validates changes of its own config; the active controller validates all others (Kafka's ConfigAdminManager).
"""

import logging

from kafkacompat.broker.answers import Encoded
from kafkacompat.broker.control.forwarding import forward
from kafkacompat.broker.refusals import as_response, refusal
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.headers import encode_request_header
from kafkacompat.protocol.primitives import MalformedMessageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from kafkacompat.broker.answers import Settled
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.registry import Api
    from kafkacompat.protocol.primitives import Message

log = logging.getLogger(__name__)


def forward_rest(
    api: "Api",
    request: "Any",
    refused: "Mapping[int, Message]",
    context: "Context",
    done: "Callable[[Message], None]",
) -> None:
    """Forward the resources that are not in `refused`, whose keys are positions in `request.resources`.

    `done(response)` is called once, with a result for every resource, in the order of the request.
    """
    version = context.version
    rest = [resource for position, resource in enumerate(request.resources) if position not in refused]

    def join(response: "Any") -> None:
        others = iter(response.responses)
        response.responses = [
            refused[position] if position in refused else next(others) for position in range(len(request.resources))
        ]
        done(response)

    part = type(request)(rest, request.validate_only)
    if not rest:
        join(refusal(api, part, errors.NONE, version))
        return

    def answered(answer: "Settled") -> None:
        response: Any = as_response(api, part, context, answer)
        if isinstance(response, Encoded):
            response = _decoded(api, response, version)
        if response is None or len(response.responses) != len(rest):
            response = refusal(api, part, errors.UNKNOWN_SERVER_ERROR, version)
        join(response)

    frame: list[bytes] = [encode_request_header(context.header)]
    api.messages.encode_request(part, version, frame)
    forward(api, b"".join(frame), context, answered)


def _decoded(api: "Api", response: Encoded, version: int) -> "Any":
    """The controller's response; None if it cannot be decoded."""
    (body,) = response.parts
    try:
        return api.messages.decode_response(body, 0, version)
    except MalformedMessageError as error:
        log.warning("the controller's answer to %s cannot be read: %s", api.stem, error)
        return None
