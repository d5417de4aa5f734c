"""Envelope (58), version 0: a client's request that another node forwards to the active controller (KIP-590). v0 is
flexible.

Behavior:
- Served on controller listeners only. The inner request passes the pipeline with the client's principal and address;
  the response goes back in the envelope with its header.
- An inner request that cannot be decoded, or of an unknown API or version: UNSUPPORTED_VERSION. One that is not
  forwardable: INVALID_REQUEST. (As in Apache Kafka 4.3.1.)
- This node is not active, or stops being active: NOT_CONTROLLER, whereupon the sender finds the new controller.
"""

from functools import partial

from kafkacompat.broker.answers import Deferred
from kafkacompat.broker.connection import BROKER, CloseConnection, Connection
from kafkacompat.broker.context import Context
from kafkacompat.broker.control.forwarding import address_text
from kafkacompat.broker.dispatch import send_encoded
from kafkacompat.broker.principal import Principal
from kafkacompat.broker.registry import APIS, Api
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.headers import decode_request_header, decode_response_header, response_header_is_flexible
from kafkacompat.protocol.messages.envelope import EnvelopeRequest, EnvelopeResponse
from kafkacompat.protocol.primitives import MalformedMessageError, Message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.protocol.headers import RequestHeader


class _RefusedError(Exception):
    def __init__(self, error_code: int) -> None:
        super().__init__(f"error {error_code}")
        self.error_code = error_code


def handle(request: EnvelopeRequest, context: "Context") -> EnvelopeResponse | Deferred:
    """Unwrap the request, answer it, and wrap the response."""
    try:
        client_host, principal = _client(request)
        header, api, inner = _take_out(request.request_data)
    except _RefusedError as refused:
        return EnvelopeResponse(error_code=refused.error_code)
    services, outer = context.services, context.connection
    if not services.quorum.is_active:
        return EnvelopeResponse(error_code=errors.NOT_CONTROLLER)
    connection = Connection(outer.id, client_host, outer.listener, BROKER, is_forwarded=True, principal=principal)
    deferred = Deferred()
    outer.on_close[connection] = partial(services.disconnected, connection, context.now)

    def answered(parts: list[object] | None) -> None:
        outer.on_close.pop(connection, None)
        deferred.complete(_put_in(api, header, parts, is_active=services.quorum.is_active))

    def drop(_reason: str) -> None:  # the response has no place for an error
        answered(None)

    connection.drop = drop
    inner_context = Context(services, connection, header, context.now, request.request_data)
    try:
        services.pipeline.run(api, inner, inner_context, send_encoded, answered)
    except CloseConnection as reason:
        drop(str(reason))
    return deferred


def failed(_request: EnvelopeRequest, error_code: int) -> EnvelopeResponse:
    """The response that fails the envelope itself."""
    return EnvelopeResponse(error_code=error_code)


def _client(request: EnvelopeRequest) -> tuple[str, Principal]:
    """The client's address and principal."""
    try:
        principal = Principal.from_bytes(request.request_principal or b"")
    except MalformedMessageError:
        raise _RefusedError(errors.PRINCIPAL_DESERIALIZATION_FAILURE) from None
    try:
        return address_text(request.client_host_address), principal
    except ValueError:
        raise _RefusedError(errors.INVALID_REQUEST) from None


def _take_out(frame: bytes) -> "tuple[RequestHeader, Api, Message]":
    """Decode the inner request. Raises _RefusedError, see the module's docstring."""
    try:
        header, position = decode_request_header(frame)
    except MalformedMessageError:
        raise _RefusedError(errors.UNSUPPORTED_VERSION) from None
    api = APIS.get(header.api_key)
    if api is None:
        raise _RefusedError(errors.UNSUPPORTED_VERSION)
    if not api.forwards:
        raise _RefusedError(errors.INVALID_REQUEST)
    if not api.min_version <= header.api_version <= api.max_version:
        raise _RefusedError(errors.UNSUPPORTED_VERSION)
    try:
        return header, api, api.messages.decode_request(frame, position, header.api_version)
    except MalformedMessageError:
        raise _RefusedError(errors.UNSUPPORTED_VERSION) from None


def _put_in(api: Api, header: "RequestHeader", parts: "list[Any] | None", *, is_active: bool) -> EnvelopeResponse:
    """Wrap the response. If it has NOT_CONTROLLER anywhere, so has the envelope: its sender then retries."""
    if parts is None:
        return EnvelopeResponse(error_code=errors.UNKNOWN_SERVER_ERROR)
    data = b"".join(map(bytes, parts))  # forwarded APIs return no records, so there are no slices of files
    if not is_active:
        position = decode_response_header(data, response_header_is_flexible(api.key, header.api_version))[1]
        if _says(api.messages.decode_response(data, position, header.api_version), errors.NOT_CONTROLLER):
            return EnvelopeResponse(error_code=errors.NOT_CONTROLLER)
    return EnvelopeResponse(data)


def _says(value: object, error_code: int) -> bool:
    """Whether this error code occurs anywhere in a response."""
    if isinstance(value, list | tuple):
        return any(_says(item, error_code) for item in value)
    if not isinstance(value, Message):
        return False
    names: tuple[str, ...] = type(value).__slots__
    return any(
        (name == "error_code" and getattr(value, name) == error_code) or _says(getattr(value, name), error_code)
        for name in names
    )
