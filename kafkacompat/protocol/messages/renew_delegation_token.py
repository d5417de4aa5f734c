"""RenewDelegationToken, API key 39: request and response in every version."""

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
    skip_tags,
    wrong_end,
)
from kafkacompat.protocol.varint import uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 39
MIN_VERSION = 1
MAX_VERSION = 2
FLEXIBLE_VERSION = 2


_read_hqi = Struct(">hqi").unpack_from
_write_hqi = Struct(">hqi").pack
_read_hqiB = Struct(">hqiB").unpack_from
_write_hqix = Struct(">hqix").pack
_read_i = Struct(">i").unpack_from
_read_q = Struct(">q").unpack_from
_write_q = Struct(">q").pack
_read_qB = Struct(">qB").unpack_from
_write_qx = Struct(">qx").pack


class RenewDelegationTokenRequest(Message):
    __slots__ = ("hmac", "renew_period_ms")

    def __init__(
        self,
        hmac: bytes = b"",
        renew_period_ms: int = 0,
    ) -> None:
        self.hmac = hmac
        self.renew_period_ms = renew_period_ms


def _decode_renew_delegation_token_request_v1(buf: Buffer, pos: int) -> tuple[RenewDelegationTokenRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("RenewDelegationTokenRequest.hmac")
    end = pos + n
    hmac = bytes(buf[pos:end])
    pos = end
    (renew_period_ms,) = _read_q(buf, pos)
    pos += 8
    return RenewDelegationTokenRequest(hmac, renew_period_ms), pos


def _decode_renew_delegation_token_request_v2(buf: Buffer, pos: int) -> tuple[RenewDelegationTokenRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RenewDelegationTokenRequest.hmac")
    end = pos + n - 1
    hmac = bytes(buf[pos:end])
    pos = end
    renew_period_ms, n = _read_qB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return RenewDelegationTokenRequest(hmac, renew_period_ms), pos


def _encode_renew_delegation_token_request_v1(m: RenewDelegationTokenRequest, w: bytearray) -> None:
    put_bytes(w, m.hmac)
    w += _write_q(m.renew_period_ms)


def _encode_renew_delegation_token_request_v2(m: RenewDelegationTokenRequest, w: bytearray) -> None:
    put_compact_bytes(w, m.hmac)
    w += _write_qx(m.renew_period_ms)


_REQUEST_DECODERS = {1: _decode_renew_delegation_token_request_v1, 2: _decode_renew_delegation_token_request_v2}
_REQUEST_ENCODERS = {1: _encode_renew_delegation_token_request_v1, 2: _encode_renew_delegation_token_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> RenewDelegationTokenRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("RenewDelegationTokenRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("RenewDelegationTokenRequest", version, pos, len(buf))
    return message


def encode_request(message: RenewDelegationTokenRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("RenewDelegationTokenRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class RenewDelegationTokenResponse(Message):
    __slots__ = ("error_code", "expiry_timestamp_ms", "throttle_time_ms")

    def __init__(
        self,
        error_code: int = 0,
        expiry_timestamp_ms: int = 0,
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.throttle_time_ms = throttle_time_ms


def _decode_renew_delegation_token_response_v1(buf: Buffer, pos: int) -> tuple[RenewDelegationTokenResponse, int]:
    error_code, expiry_timestamp_ms, throttle_time_ms = _read_hqi(buf, pos)
    pos += 14
    return RenewDelegationTokenResponse(error_code, expiry_timestamp_ms, throttle_time_ms), pos


def _decode_renew_delegation_token_response_v2(buf: Buffer, pos: int) -> tuple[RenewDelegationTokenResponse, int]:
    error_code, expiry_timestamp_ms, throttle_time_ms, n = _read_hqiB(buf, pos)
    pos += 15
    if n:
        pos = skip_tags(buf, pos, n)
    return RenewDelegationTokenResponse(error_code, expiry_timestamp_ms, throttle_time_ms), pos


def _encode_renew_delegation_token_response_v1(m: RenewDelegationTokenResponse, w: bytearray) -> None:
    w += _write_hqi(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms)


def _encode_renew_delegation_token_response_v2(m: RenewDelegationTokenResponse, w: bytearray) -> None:
    w += _write_hqix(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms)


_RESPONSE_DECODERS = {1: _decode_renew_delegation_token_response_v1, 2: _decode_renew_delegation_token_response_v2}
_RESPONSE_ENCODERS = {1: _encode_renew_delegation_token_response_v1, 2: _encode_renew_delegation_token_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> RenewDelegationTokenResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("RenewDelegationTokenResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("RenewDelegationTokenResponse", version, pos, len(buf))
    return message


def encode_response(message: RenewDelegationTokenResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("RenewDelegationTokenResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
