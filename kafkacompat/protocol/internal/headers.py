"""Headers of requests and responses."""

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
    put_nullable_string,
    skip_tags,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts


_write_hhi = Struct(">hhi").pack
_read_hhih = Struct(">hhih").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ix = Struct(">ix").pack


class RequestHeader(Message):
    __slots__ = ("request_api_key", "request_api_version", "correlation_id", "client_id")

    def __init__(
        self,
        request_api_key: int = 0,
        request_api_version: int = 0,
        correlation_id: int = 0,
        client_id: str | None = "",
    ) -> None:
        self.request_api_key = request_api_key
        self.request_api_version = request_api_version
        self.correlation_id = correlation_id
        self.client_id = client_id


def _decode_request_header_v1(buf: Buffer, pos: int) -> tuple[RequestHeader, int]:
    request_api_key, request_api_version, correlation_id, n = _read_hhih(buf, pos)
    pos += 10
    client_id: str | None
    if n < 0:
        client_id = None
    else:
        end = pos + n
        client_id = buf[pos:end].decode()
        pos = end
    return RequestHeader(request_api_key, request_api_version, correlation_id, client_id), pos


def _decode_request_header_v2(buf: Buffer, pos: int) -> tuple[RequestHeader, int]:
    request_api_key, request_api_version, correlation_id, n = _read_hhih(buf, pos)
    pos += 10
    client_id: str | None
    if n < 0:
        client_id = None
    else:
        end = pos + n
        client_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return RequestHeader(request_api_key, request_api_version, correlation_id, client_id), pos


def _encode_request_header_v1(m: RequestHeader, w: bytearray) -> None:
    w += _write_hhi(m.request_api_key, m.request_api_version, m.correlation_id)
    put_nullable_string(w, m.client_id)


def _encode_request_header_v2(m: RequestHeader, w: bytearray) -> None:
    w += _write_hhi(m.request_api_key, m.request_api_version, m.correlation_id)
    put_nullable_string(w, m.client_id)
    w.append(0)


_REQUEST_HEADER_DECODERS = {1: _decode_request_header_v1, 2: _decode_request_header_v2}
_REQUEST_HEADER_ENCODERS = {1: _encode_request_header_v1, 2: _encode_request_header_v2}


def decode_request_header(buf: Buffer, pos: int, version: int) -> RequestHeader:
    try:
        message, pos = _REQUEST_HEADER_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("RequestHeader", version, error) from error
    if pos != len(buf):
        raise wrong_end("RequestHeader", version, pos, len(buf))
    return message


def encode_request_header(message: RequestHeader, version: int, out: Parts) -> None:
    if version not in _REQUEST_HEADER_ENCODERS:
        raise UnsupportedVersionError("RequestHeader", version)
    w = bytearray()
    _REQUEST_HEADER_ENCODERS[version](message, w)
    out.append(w)


class ResponseHeader(Message):
    __slots__ = ("correlation_id",)

    def __init__(
        self,
        correlation_id: int = 0,
    ) -> None:
        self.correlation_id = correlation_id


def _decode_response_header_v0(buf: Buffer, pos: int) -> tuple[ResponseHeader, int]:
    (correlation_id,) = _read_i(buf, pos)
    pos += 4
    return ResponseHeader(correlation_id), pos


def _decode_response_header_v1(buf: Buffer, pos: int) -> tuple[ResponseHeader, int]:
    correlation_id, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return ResponseHeader(correlation_id), pos


def _encode_response_header_v0(m: ResponseHeader, w: bytearray) -> None:
    w += _write_i(m.correlation_id)


def _encode_response_header_v1(m: ResponseHeader, w: bytearray) -> None:
    w += _write_ix(m.correlation_id)


_RESPONSE_HEADER_DECODERS = {0: _decode_response_header_v0, 1: _decode_response_header_v1}
_RESPONSE_HEADER_ENCODERS = {0: _encode_response_header_v0, 1: _encode_response_header_v1}


def decode_response_header(buf: Buffer, pos: int, version: int) -> ResponseHeader:
    try:
        message, pos = _RESPONSE_HEADER_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ResponseHeader", version, error) from error
    if pos != len(buf):
        raise wrong_end("ResponseHeader", version, pos, len(buf))
    return message


def encode_response_header(message: ResponseHeader, version: int, out: Parts) -> None:
    if version not in _RESPONSE_HEADER_ENCODERS:
        raise UnsupportedVersionError("ResponseHeader", version)
    w = bytearray()
    _RESPONSE_HEADER_ENCODERS[version](message, w)
    out.append(w)
