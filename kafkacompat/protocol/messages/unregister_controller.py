"""UnregisterController, API key 94: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    Message,
    UnsupportedVersionError,
    malformed,
    put_compact_nullable_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 94
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ix = Struct(">ix").pack


class UnregisterControllerRequest(Message):
    __slots__ = ("controller_id",)

    def __init__(
        self,
        controller_id: int = 0,
    ) -> None:
        self.controller_id = controller_id


def _decode_unregister_controller_request_v0(buf: Buffer, pos: int) -> tuple[UnregisterControllerRequest, int]:
    controller_id, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return UnregisterControllerRequest(controller_id), pos


def _encode_unregister_controller_request_v0(m: UnregisterControllerRequest, w: bytearray) -> None:
    w += _write_ix(m.controller_id)


_REQUEST_DECODERS = {0: _decode_unregister_controller_request_v0}
_REQUEST_ENCODERS = {0: _encode_unregister_controller_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> UnregisterControllerRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("UnregisterControllerRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("UnregisterControllerRequest", version, pos, len(buf))
    return message


def encode_request(message: UnregisterControllerRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("UnregisterControllerRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class UnregisterControllerResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message


def _decode_unregister_controller_response_v0(buf: Buffer, pos: int) -> tuple[UnregisterControllerResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    error_message: str | None
    if not n:
        error_message = None
    else:
        end = pos + n - 1
        error_message = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return UnregisterControllerResponse(throttle_time_ms, error_code, error_message), pos


def _encode_unregister_controller_response_v0(m: UnregisterControllerResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_unregister_controller_response_v0}
_RESPONSE_ENCODERS = {0: _encode_unregister_controller_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> UnregisterControllerResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("UnregisterControllerResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("UnregisterControllerResponse", version, pos, len(buf))
    return message


def encode_response(message: UnregisterControllerResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("UnregisterControllerResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
