"""Forwards requests to the active controller in an Envelope (KIP-590; Kafka's ForwardingManager).

The envelope contains the client's request and, on the way back, the response, both with their headers.
"""

import logging
from functools import partial

from kafkacompat.broker.answers import Encoded, Failed
from kafkacompat.broker.network import FORWARD
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import ENVELOPE
from kafkacompat.protocol.headers import decode_response_header, response_header_is_flexible
from kafkacompat.protocol.messages.envelope import EnvelopeRequest, EnvelopeResponse
from kafkacompat.protocol.primitives import MalformedMessageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.answers import Settled
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.registry import Api
    from kafkacompat.now import Now

log = logging.getLogger(__name__)

FORWARD_TIMEOUT_MS = 60_000
"""How long a request is retried until the active controller answers, as in the forwarding channel of Kafka's
BrokerServer.
"""
ENVELOPE_VERSION = 0
ENVELOPE_OVERHEAD_BYTES = 1024
"""An upper bound of what the envelope adds to the request."""


def forward(api: "Api", frame: bytes | bytearray, context: "Context", done: "Callable[[Settled], None]") -> None:
    """Forward `frame`, a request of this context's client with its header, to the active controller.

    `done(response)` is called once, unless the client disconnects first. Errors as in Kafka: REQUEST_TIMED_OUT if no
    controller answered, UNKNOWN_SERVER_ERROR if the envelope failed. Additionally MESSAGE_TOO_LARGE, where the
    controller's listener would close the connection.
    """
    services = context.services
    if len(frame) + ENVELOPE_OVERHEAD_BYTES > services.config.get_int("socket.request.max.bytes"):
        done(Failed(errors.MESSAGE_TOO_LARGE))
        return
    connection = context.connection
    envelope = EnvelopeRequest(bytes(frame), context.principal.to_bytes(), address_bytes(connection.client_host))

    def answered(response: object | None, now: "Now") -> None:
        connection.on_close.pop(context, None)
        context.now = now
        done(Failed(errors.REQUEST_TIMED_OUT) if response is None else _taken_out(api, context, response))

    call = services.channel.request(
        FORWARD, ENVELOPE, ENVELOPE_VERSION, envelope, answered, timeout_ms=FORWARD_TIMEOUT_MS, now=context.now
    )
    if call.is_open:
        connection.on_close[context] = partial(services.channel.drop, call)


def _taken_out(api: "Api", context: "Context", response: object) -> "Settled":
    """Unwrap the controller's response from its envelope."""
    assert isinstance(response, EnvelopeResponse)
    if response.error_code or response.response_data is None:
        log.warning("the controller refused a forwarded request with error %d", response.error_code)
        return Failed(errors.UNKNOWN_SERVER_ERROR)
    try:
        position = decode_response_header(
            response.response_data, response_header_is_flexible(api.key, context.version)
        )[1]
    except MalformedMessageError as error:
        log.warning("the controller's answer to %s cannot be read: %s", api.stem, error)
        return Failed(errors.UNKNOWN_SERVER_ERROR)
    return Encoded([response.response_data[position:]])


def address_bytes(host: str) -> bytes:
    """An IP address as 4 or 16 bytes."""
    octets = host.split(".")
    if len(octets) == 4 and all(octet.isdigit() and int(octet) < 256 for octet in octets):
        return bytes(map(int, octets))
    from ipaddress import IPv6Address

    return IPv6Address(host.partition("%")[0]).packed


def address_text(raw: bytes) -> str:
    """An IP address as text. Raises ValueError for lengths other than 4 and 16 bytes."""
    if len(raw) == 4:
        return ".".join(map(str, raw))
    from ipaddress import IPv6Address

    return str(IPv6Address(raw))
