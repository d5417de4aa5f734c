"""GetTelemetrySubscriptions, API key 71: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedVersionError,
    ZERO_UUID,
    count_error,
    malformed,
    null_error,
    put_compact_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 71
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_read_uB = Struct(">16sB").unpack_from
_write_ux = Struct(">16sx").pack
_write_ihui = Struct(">ih16si").pack
_read_ihuiB = Struct(">ih16siB").unpack_from
_write_iit = Struct(">ii?").pack
_read_iitB = Struct(">ii?B").unpack_from


class GetTelemetrySubscriptionsRequest(Message):
    __slots__ = ("client_instance_id",)

    def __init__(
        self,
        client_instance_id: bytes = ZERO_UUID,
    ) -> None:
        self.client_instance_id = client_instance_id


def _decode_get_telemetry_subscriptions_request_v0(buf: Buffer, pos: int) -> tuple[GetTelemetrySubscriptionsRequest, int]:
    client_instance_id, n = _read_uB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return GetTelemetrySubscriptionsRequest(client_instance_id), pos


def _encode_get_telemetry_subscriptions_request_v0(m: GetTelemetrySubscriptionsRequest, w: bytearray) -> None:
    w += _write_ux(m.client_instance_id)


_REQUEST_DECODERS = {0: _decode_get_telemetry_subscriptions_request_v0}
_REQUEST_ENCODERS = {0: _encode_get_telemetry_subscriptions_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> GetTelemetrySubscriptionsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("GetTelemetrySubscriptionsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("GetTelemetrySubscriptionsRequest", version, pos, len(buf))
    return message


def encode_request(message: GetTelemetrySubscriptionsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("GetTelemetrySubscriptionsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class GetTelemetrySubscriptionsResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "client_instance_id", "subscription_id", "accepted_compression_types", "push_interval_ms", "telemetry_max_bytes", "delta_temporality", "requested_metrics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        client_instance_id: bytes = ZERO_UUID,
        subscription_id: int = 0,
        accepted_compression_types: Sequence[int] = (),
        push_interval_ms: int = 0,
        telemetry_max_bytes: int = 0,
        delta_temporality: bool = False,
        requested_metrics: Sequence[str] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.accepted_compression_types = accepted_compression_types
        self.push_interval_ms = push_interval_ms
        self.telemetry_max_bytes = telemetry_max_bytes
        self.delta_temporality = delta_temporality
        self.requested_metrics = requested_metrics


def _decode_get_telemetry_subscriptions_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[GetTelemetrySubscriptionsResponse, int]:
    throttle_time_ms, error_code, client_instance_id, subscription_id, n = _read_ihuiB(buf, pos)
    pos += 27
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("GetTelemetrySubscriptionsResponse.accepted_compression_types")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("GetTelemetrySubscriptionsResponse.accepted_compression_types", n)
    budget[0] -= n
    accepted_compression_types = list(unpack_from(f">{n}b", buf, pos))
    pos += n
    push_interval_ms, telemetry_max_bytes, delta_temporality, n = _read_iitB(buf, pos)
    pos += 10
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("GetTelemetrySubscriptionsResponse.requested_metrics")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("GetTelemetrySubscriptionsResponse.requested_metrics", n)
    budget[0] -= n
    requested_metrics = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("GetTelemetrySubscriptionsResponse.requested_metrics")
        end = pos + n - 1
        requested_metrics.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return GetTelemetrySubscriptionsResponse(throttle_time_ms, error_code, client_instance_id, subscription_id, accepted_compression_types, push_interval_ms, telemetry_max_bytes, delta_temporality, requested_metrics), pos


def _encode_get_telemetry_subscriptions_response_v0(m: GetTelemetrySubscriptionsResponse, w: bytearray) -> None:
    w += _write_ihui(m.throttle_time_ms, m.error_code, m.client_instance_id, m.subscription_id)
    n = len(m.accepted_compression_types)
    put_uvarint(w, n + 1)
    w += pack(f">{n}b", *m.accepted_compression_types)
    w += _write_iit(m.push_interval_ms, m.telemetry_max_bytes, m.delta_temporality)
    n = len(m.requested_metrics)
    put_uvarint(w, n + 1)
    for requested_metrics_item in m.requested_metrics:
        put_compact_string(w, requested_metrics_item)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_get_telemetry_subscriptions_response_v0}
_RESPONSE_ENCODERS = {0: _encode_get_telemetry_subscriptions_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> GetTelemetrySubscriptionsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("GetTelemetrySubscriptionsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("GetTelemetrySubscriptionsResponse", version, pos, len(buf))
    return message


def encode_response(message: GetTelemetrySubscriptionsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("GetTelemetrySubscriptionsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
