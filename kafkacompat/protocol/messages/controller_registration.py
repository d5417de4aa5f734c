"""ControllerRegistration, API key 70: request and response in every version."""

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
    ZERO_UUID,
    count_error,
    malformed,
    null_error,
    put_compact_nullable_string,
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

API_KEY = 70
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_read_HhB = Struct(">HhB").unpack_from
_write_Hhx = Struct(">Hhx").pack
_read_hhB = Struct(">hhB").unpack_from
_write_hhx = Struct(">hhx").pack
_write_iut = Struct(">i16s?").pack
_read_iutB = Struct(">i16s?B").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from


class Listener(Message):
    __slots__ = ("name", "host", "port", "security_protocol")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        security_protocol: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol


class Feature(Message):
    __slots__ = ("name", "min_supported_version", "max_supported_version")

    def __init__(
        self,
        name: str = "",
        min_supported_version: int = 0,
        max_supported_version: int = 0,
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version


class ControllerRegistrationRequest(Message):
    __slots__ = ("controller_id", "incarnation_id", "zk_migration_ready", "listeners", "features")

    def __init__(
        self,
        controller_id: int = 0,
        incarnation_id: bytes = ZERO_UUID,
        zk_migration_ready: bool = False,
        listeners: Sequence[Listener] = (),
        features: Sequence[Feature] = (),
    ) -> None:
        self.controller_id = controller_id
        self.incarnation_id = incarnation_id
        self.zk_migration_ready = zk_migration_ready
        self.listeners = listeners
        self.features = features


def _decode_listener_v0(buf: Buffer, pos: int) -> tuple[Listener, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Listener.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Listener.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, security_protocol, n = _read_HhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return Listener(name, host, port, security_protocol), pos


def _decode_feature_v0(buf: Buffer, pos: int) -> tuple[Feature, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Feature.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    min_supported_version, max_supported_version, n = _read_hhB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return Feature(name, min_supported_version, max_supported_version), pos


def _decode_controller_registration_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ControllerRegistrationRequest, int]:
    controller_id, incarnation_id, zk_migration_ready, n = _read_iutB(buf, pos)
    pos += 22
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ControllerRegistrationRequest.listeners")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("ControllerRegistrationRequest.listeners", n)
    budget[0] -= n
    listeners = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(buf, pos)
        listeners.append(listeners_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ControllerRegistrationRequest.features")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ControllerRegistrationRequest.features", n)
    budget[0] -= n
    features = []
    for _ in range(n):
        features_item, pos = _decode_feature_v0(buf, pos)
        features.append(features_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ControllerRegistrationRequest(controller_id, incarnation_id, zk_migration_ready, listeners, features), pos


def _encode_listener_v0(m: Listener, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_string(w, m.host)
    w += _write_Hhx(m.port, m.security_protocol)


def _encode_feature_v0(m: Feature, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_hhx(m.min_supported_version, m.max_supported_version)


def _encode_controller_registration_request_v0(m: ControllerRegistrationRequest, w: bytearray) -> None:
    w += _write_iut(m.controller_id, m.incarnation_id, m.zk_migration_ready)
    n = len(m.listeners)
    put_uvarint(w, n + 1)
    for listeners_item in m.listeners:
        _encode_listener_v0(listeners_item, w)
    n = len(m.features)
    put_uvarint(w, n + 1)
    for features_item in m.features:
        _encode_feature_v0(features_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_controller_registration_request_v0}
_REQUEST_ENCODERS = {0: _encode_controller_registration_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> ControllerRegistrationRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ControllerRegistrationRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ControllerRegistrationRequest", version, pos, len(buf))
    return message


def encode_request(message: ControllerRegistrationRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ControllerRegistrationRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class ControllerRegistrationResponse(Message):
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


def _decode_controller_registration_response_v0(buf: Buffer, pos: int) -> tuple[ControllerRegistrationResponse, int]:
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
    return ControllerRegistrationResponse(throttle_time_ms, error_code, error_message), pos


def _encode_controller_registration_response_v0(m: ControllerRegistrationResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_controller_registration_response_v0}
_RESPONSE_ENCODERS = {0: _encode_controller_registration_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> ControllerRegistrationResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ControllerRegistrationResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ControllerRegistrationResponse", version, pos, len(buf))
    return message


def encode_response(message: ControllerRegistrationResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ControllerRegistrationResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
