"""Requests of which the broker that was asked refuses some resources itself and passes the rest on.

So it is with configs: a broker judges its own, and the active controller what all share (Kafka's ConfigAdminManager).
"""

import logging

from kafkacompat.broker.control.forwarding import forward
from kafkacompat.broker.dispatch import failed_response
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.headers import decode_response_header, encode_request_header, response_header_is_flexible
from kafkacompat.protocol.primitives import MalformedMessageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from kafkacompat.broker.context import Context
    from kafkacompat.broker.registry import Api
    from kafkacompat.protocol.primitives import Message

log = logging.getLogger(__name__)


def forward_rest(
    api: "Api",
    request: "Any",
    refused: "Mapping[int, Message]",
    context: "Context",
    done: "Callable[[object], None]",
) -> None:
    """Have the active controller answer what is not in `refused`, whose keys are positions in `request.resources`.

    `done(response)` is called once, with an answer for every resource, in the order of the request.
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
        join(failed_response(api, part, 0, version))
        return

    def answered(answer: bytes | None, error_code: int) -> None:
        if answer is None:
            join(failed_response(api, part, error_code, version))
            return
        try:
            position = decode_response_header(answer, response_header_is_flexible(api.key, version))[1]
            response = api.messages.decode_response(answer, position, version)
        except MalformedMessageError as error:
            log.warning("the controller's answer to %s cannot be read: %s", api.stem, error)
            response = None
        if response is None or len(response.responses) != len(rest):
            response = failed_response(api, part, errors.UNKNOWN_SERVER_ERROR, version)
        join(response)

    frame: list[bytes] = [encode_request_header(context.header)]
    api.messages.encode_request(part, version, frame)
    forward(b"".join(frame), context, answered)
