"""SaslHandshake, API key 17: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedVersionError,
    count_error,
    malformed,
    null_error,
    put_string,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 17
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 32767


_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hi = Struct(">hi").unpack_from
_write_i = Struct(">i").pack


class SaslHandshakeRequest(Message):
    __slots__ = ("mechanism",)

    def __init__(
        self,
        mechanism: str = "",
    ) -> None:
        self.mechanism = mechanism


def _decode_sasl_handshake_request_v0(buf: Buffer, pos: int) -> tuple[SaslHandshakeRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("SaslHandshakeRequest.mechanism")
    end = pos + n
    mechanism = buf[pos:end].decode()
    pos = end
    return SaslHandshakeRequest(mechanism), pos


def _encode_sasl_handshake_request_v0(m: SaslHandshakeRequest, w: bytearray) -> None:
    put_string(w, m.mechanism)


_REQUEST_DECODERS = {0: _decode_sasl_handshake_request_v0, 1: _decode_sasl_handshake_request_v0}
_REQUEST_ENCODERS = {0: _encode_sasl_handshake_request_v0, 1: _encode_sasl_handshake_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> SaslHandshakeRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("SaslHandshakeRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("SaslHandshakeRequest", version, pos, len(buf))
    return message


def encode_request(message: SaslHandshakeRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("SaslHandshakeRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class SaslHandshakeResponse(Message):
    __slots__ = ("error_code", "mechanisms")

    def __init__(
        self,
        error_code: int = 0,
        mechanisms: Sequence[str] = (),
    ) -> None:
        self.error_code = error_code
        self.mechanisms = mechanisms


def _decode_sasl_handshake_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[SaslHandshakeResponse, int]:
    error_code, n = _read_hi(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("SaslHandshakeResponse.mechanisms")
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("SaslHandshakeResponse.mechanisms", n)
    budget[0] -= n
    mechanisms = []
    for _ in range(n):
        (n,) = _read_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_error("SaslHandshakeResponse.mechanisms")
        end = pos + n
        mechanisms.append(buf[pos:end].decode())
        pos = end
    return SaslHandshakeResponse(error_code, mechanisms), pos


def _encode_sasl_handshake_response_v0(m: SaslHandshakeResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    n = len(m.mechanisms)
    w += _write_i(n)
    for mechanisms_item in m.mechanisms:
        put_string(w, mechanisms_item)


_RESPONSE_DECODERS = {0: _decode_sasl_handshake_response_v0, 1: _decode_sasl_handshake_response_v0}
_RESPONSE_ENCODERS = {0: _encode_sasl_handshake_response_v0, 1: _encode_sasl_handshake_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> SaslHandshakeResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("SaslHandshakeResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("SaslHandshakeResponse", version, pos, len(buf))
    return message


def encode_response(message: SaslHandshakeResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("SaslHandshakeResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
