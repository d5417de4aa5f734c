"""PushTelemetry, API key 72: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    Message,
    UnsupportedVersionError,
    ZERO_UUID,
    malformed,
    null_error,
    put_compact_bytes,
    skip_tags,
    wrong_end,
)
from kafkacompat.protocol.varint import uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 72
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_write_uitb = Struct(">16si?b").pack
_read_uitbB = Struct(">16si?bB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_write_ihx = Struct(">ihx").pack


class PushTelemetryRequest(Message):
    __slots__ = ("client_instance_id", "subscription_id", "terminating", "compression_type", "metrics")

    def __init__(
        self,
        client_instance_id: bytes = ZERO_UUID,
        subscription_id: int = 0,
        terminating: bool = False,
        compression_type: int = 0,
        metrics: bytes = b"",
    ) -> None:
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.terminating = terminating
        self.compression_type = compression_type
        self.metrics = metrics


def _decode_push_telemetry_request_v0(buf: Buffer, pos: int) -> tuple[PushTelemetryRequest, int]:
    client_instance_id, subscription_id, terminating, compression_type, n = _read_uitbB(buf, pos)
    pos += 23
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PushTelemetryRequest.metrics")
    end = pos + n - 1
    metrics = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return PushTelemetryRequest(client_instance_id, subscription_id, terminating, compression_type, metrics), pos


def _encode_push_telemetry_request_v0(m: PushTelemetryRequest, w: bytearray) -> None:
    w += _write_uitb(m.client_instance_id, m.subscription_id, m.terminating, m.compression_type)
    put_compact_bytes(w, m.metrics)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_push_telemetry_request_v0}
_REQUEST_ENCODERS = {0: _encode_push_telemetry_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> PushTelemetryRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("PushTelemetryRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("PushTelemetryRequest", version, pos, len(buf))
    return message


def encode_request(message: PushTelemetryRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("PushTelemetryRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class PushTelemetryResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code


def _decode_push_telemetry_response_v0(buf: Buffer, pos: int) -> tuple[PushTelemetryResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n:
        pos = skip_tags(buf, pos, n)
    return PushTelemetryResponse(throttle_time_ms, error_code), pos


def _encode_push_telemetry_response_v0(m: PushTelemetryResponse, w: bytearray) -> None:
    w += _write_ihx(m.throttle_time_ms, m.error_code)


_RESPONSE_DECODERS = {0: _decode_push_telemetry_response_v0}
_RESPONSE_ENCODERS = {0: _encode_push_telemetry_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> PushTelemetryResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("PushTelemetryResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("PushTelemetryResponse", version, pos, len(buf))
    return message


def encode_response(message: PushTelemetryResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("PushTelemetryResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
