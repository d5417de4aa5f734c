"""SaslAuthenticate, API key 36: request and response in every version."""

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
    null_error,
    put_bytes,
    put_compact_bytes,
    put_compact_nullable_string,
    put_nullable_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)
from kafkacompat.protocol.varint import uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 36
MIN_VERSION = 0
MAX_VERSION = 2
FLEXIBLE_VERSION = 2


_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_read_q = Struct(">q").unpack_from
_write_q = Struct(">q").pack
_read_qB = Struct(">qB").unpack_from
_write_qx = Struct(">qx").pack


class SaslAuthenticateRequest(Message):
    __slots__ = ("auth_bytes",)

    def __init__(
        self,
        auth_bytes: bytes = b"",
    ) -> None:
        self.auth_bytes = auth_bytes


def _decode_sasl_authenticate_request_v0(buf: Buffer, pos: int) -> tuple[SaslAuthenticateRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("SaslAuthenticateRequest.auth_bytes")
    end = pos + n
    auth_bytes = bytes(buf[pos:end])
    pos = end
    return SaslAuthenticateRequest(auth_bytes), pos


def _decode_sasl_authenticate_request_v2(buf: Buffer, pos: int) -> tuple[SaslAuthenticateRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("SaslAuthenticateRequest.auth_bytes")
    end = pos + n - 1
    auth_bytes = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return SaslAuthenticateRequest(auth_bytes), pos


def _encode_sasl_authenticate_request_v0(m: SaslAuthenticateRequest, w: bytearray) -> None:
    put_bytes(w, m.auth_bytes)


def _encode_sasl_authenticate_request_v2(m: SaslAuthenticateRequest, w: bytearray) -> None:
    put_compact_bytes(w, m.auth_bytes)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_sasl_authenticate_request_v0, 1: _decode_sasl_authenticate_request_v0, 2: _decode_sasl_authenticate_request_v2}
_REQUEST_ENCODERS = {0: _encode_sasl_authenticate_request_v0, 1: _encode_sasl_authenticate_request_v0, 2: _encode_sasl_authenticate_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> SaslAuthenticateRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("SaslAuthenticateRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("SaslAuthenticateRequest", version, pos, len(buf))
    return message


def encode_request(message: SaslAuthenticateRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("SaslAuthenticateRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class SaslAuthenticateResponse(Message):
    __slots__ = ("error_code", "error_message", "auth_bytes", "session_lifetime_ms")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        auth_bytes: bytes = b"",
        session_lifetime_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.auth_bytes = auth_bytes
        self.session_lifetime_ms = session_lifetime_ms


def _decode_sasl_authenticate_response_v0(buf: Buffer, pos: int) -> tuple[SaslAuthenticateResponse, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("SaslAuthenticateResponse.auth_bytes")
    end = pos + n
    auth_bytes = bytes(buf[pos:end])
    pos = end
    return SaslAuthenticateResponse(error_code, error_message, auth_bytes, 0), pos


def _decode_sasl_authenticate_response_v1(buf: Buffer, pos: int) -> tuple[SaslAuthenticateResponse, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("SaslAuthenticateResponse.auth_bytes")
    end = pos + n
    auth_bytes = bytes(buf[pos:end])
    pos = end
    (session_lifetime_ms,) = _read_q(buf, pos)
    pos += 8
    return SaslAuthenticateResponse(error_code, error_message, auth_bytes, session_lifetime_ms), pos


def _decode_sasl_authenticate_response_v2(buf: Buffer, pos: int) -> tuple[SaslAuthenticateResponse, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
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
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("SaslAuthenticateResponse.auth_bytes")
    end = pos + n - 1
    auth_bytes = bytes(buf[pos:end])
    pos = end
    session_lifetime_ms, n = _read_qB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return SaslAuthenticateResponse(error_code, error_message, auth_bytes, session_lifetime_ms), pos


def _encode_sasl_authenticate_response_v0(m: SaslAuthenticateResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_nullable_string(w, m.error_message)
    put_bytes(w, m.auth_bytes)


def _encode_sasl_authenticate_response_v1(m: SaslAuthenticateResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_nullable_string(w, m.error_message)
    put_bytes(w, m.auth_bytes)
    w += _write_q(m.session_lifetime_ms)


def _encode_sasl_authenticate_response_v2(m: SaslAuthenticateResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    put_compact_bytes(w, m.auth_bytes)
    w += _write_qx(m.session_lifetime_ms)


_RESPONSE_DECODERS = {0: _decode_sasl_authenticate_response_v0, 1: _decode_sasl_authenticate_response_v1, 2: _decode_sasl_authenticate_response_v2}
_RESPONSE_ENCODERS = {0: _encode_sasl_authenticate_response_v0, 1: _encode_sasl_authenticate_response_v1, 2: _encode_sasl_authenticate_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> SaslAuthenticateResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("SaslAuthenticateResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("SaslAuthenticateResponse", version, pos, len(buf))
    return message


def encode_response(message: SaslAuthenticateResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("SaslAuthenticateResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
