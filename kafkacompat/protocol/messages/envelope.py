"""Envelope, API key 58: request and response in every version."""

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
    put_compact_bytes,
    put_compact_nullable_bytes,
    skip_tags,
    wrong_end,
)
from kafkacompat.protocol.varint import uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 58
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_read_hB = Struct(">hB").unpack_from
_write_hx = Struct(">hx").pack


class EnvelopeRequest(Message):
    __slots__ = ("request_data", "request_principal", "client_host_address")

    def __init__(
        self,
        request_data: bytes = b"",
        request_principal: bytes | None = b"",
        client_host_address: bytes = b"",
    ) -> None:
        self.request_data = request_data
        self.request_principal = request_principal
        self.client_host_address = client_host_address


def _decode_envelope_request_v0(buf: Buffer, pos: int) -> tuple[EnvelopeRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("EnvelopeRequest.request_data")
    end = pos + n - 1
    request_data = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    request_principal: bytes | None
    if not n:
        request_principal = None
    else:
        end = pos + n - 1
        request_principal = bytes(buf[pos:end])
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("EnvelopeRequest.client_host_address")
    end = pos + n - 1
    client_host_address = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return EnvelopeRequest(request_data, request_principal, client_host_address), pos


def _encode_envelope_request_v0(m: EnvelopeRequest, w: bytearray) -> None:
    put_compact_bytes(w, m.request_data)
    put_compact_nullable_bytes(w, m.request_principal)
    put_compact_bytes(w, m.client_host_address)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_envelope_request_v0}
_REQUEST_ENCODERS = {0: _encode_envelope_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> EnvelopeRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("EnvelopeRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("EnvelopeRequest", version, pos, len(buf))
    return message


def encode_request(message: EnvelopeRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("EnvelopeRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class EnvelopeResponse(Message):
    __slots__ = ("response_data", "error_code")

    def __init__(
        self,
        response_data: bytes | None = None,
        error_code: int = 0,
    ) -> None:
        self.response_data = response_data
        self.error_code = error_code


def _decode_envelope_response_v0(buf: Buffer, pos: int) -> tuple[EnvelopeResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    response_data: bytes | None
    if not n:
        response_data = None
    else:
        end = pos + n - 1
        response_data = bytes(buf[pos:end])
        pos = end
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return EnvelopeResponse(response_data, error_code), pos


def _encode_envelope_response_v0(m: EnvelopeResponse, w: bytearray) -> None:
    put_compact_nullable_bytes(w, m.response_data)
    w += _write_hx(m.error_code)


_RESPONSE_DECODERS = {0: _decode_envelope_response_v0}
_RESPONSE_ENCODERS = {0: _encode_envelope_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> EnvelopeResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("EnvelopeResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("EnvelopeResponse", version, pos, len(buf))
    return message


def encode_response(message: EnvelopeResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("EnvelopeResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
