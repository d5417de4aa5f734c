"""Requests that only the active controller can answer, sent to it in an Envelope (KIP-590).

The request goes as the client sent it, header and all; so does the answer come back (Kafka's ForwardingManager).
"""

import logging
from functools import partial

from kafkacompat.broker.network import FORWARD
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import ENVELOPE
from kafkacompat.protocol.internal import principal
from kafkacompat.protocol.internal.principal import DefaultPrincipalData
from kafkacompat.protocol.messages.envelope import EnvelopeRequest, EnvelopeResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now

log = logging.getLogger(__name__)

FORWARD_TIMEOUT_MS = 60_000
"""How long the active controller is looked for (Kafka's BrokerServer has it for its forwarding channel)."""
ENVELOPE_VERSION = 0
PRINCIPAL_VERSION = 0
ENVELOPE_OVERHEAD_BYTES = 1024
"""More than an envelope adds to the request in it."""


def forward(frame: bytes | bytearray, context: "Context", done: "Callable[[bytes | None, int], None]") -> None:
    """Have the active controller answer a request of this context's client.

    `done(answer, error_code)` is called once, unless the client goes before: with header and body as they go to it, or
    with None and the error that it gets. Kafka's: REQUEST_TIMED_OUT where no controller answered, UNKNOWN_SERVER_ERROR
    for any other failure of the envelope. Ours: MESSAGE_TOO_LARGE for what the controller's listener would close the
    connection for.
    """
    broker = context.broker
    if len(frame) + ENVELOPE_OVERHEAD_BYTES > broker.config.get_int("socket.request.max.bytes"):
        done(None, errors.MESSAGE_TOO_LARGE)
        return
    connection = context.connection
    envelope = EnvelopeRequest(bytes(frame), _principal_bytes(), address_bytes(connection.client_host))

    def answered(response: object | None, _now: "Now") -> None:
        connection.let_go = None
        if response is None:
            done(None, errors.REQUEST_TIMED_OUT)
            return
        assert isinstance(response, EnvelopeResponse)
        if response.error_code or response.response_data is None:
            log.warning("the controller refused a forwarded request with error %d", response.error_code)
            done(None, errors.UNKNOWN_SERVER_ERROR)
            return
        done(response.response_data, errors.NONE)

    call = broker.channel.request(
        FORWARD, ENVELOPE, ENVELOPE_VERSION, envelope, answered, timeout_ms=FORWARD_TIMEOUT_MS, now=context.now
    )
    if call.is_open:
        connection.let_go = partial(broker.channel.drop, call)


def _principal_bytes() -> bytes:
    """Every client is User:ANONYMOUS as long as no listener authenticates."""
    parts: list[bytes] = [PRINCIPAL_VERSION.to_bytes(2, "big")]
    principal.encode_default_principal_data(DefaultPrincipalData("User", "ANONYMOUS"), PRINCIPAL_VERSION, parts)
    return b"".join(parts)


def address_bytes(host: str) -> bytes:
    """The 4 or 16 bytes of an IP address."""
    octets = host.split(".")
    if len(octets) == 4 and all(octet.isdigit() and int(octet) < 256 for octet in octets):
        return bytes(map(int, octets))
    from ipaddress import IPv6Address

    return IPv6Address(host.partition("%")[0]).packed


def address_text(raw: bytes) -> str:
    """An IP address as the shell writes it. Raises ValueError for other lengths than 4 and 16 bytes."""
    if len(raw) == 4:
        return ".".join(map(str, raw))
    from ipaddress import IPv6Address

    return str(IPv6Address(raw))
