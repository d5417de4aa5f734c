"""Heartbeat, API key 12: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    Message,
    UnsupportedFieldError,
    UnsupportedVersionError,
    malformed,
    null_error,
    put_compact_nullable_string,
    put_compact_string,
    put_nullable_string,
    put_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 12
MIN_VERSION = 0
MAX_VERSION = 4
FLEXIBLE_VERSION = 4


_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ihx = Struct(">ihx").pack


class HeartbeatRequest(Message):
    __slots__ = ("group_id", "generation_id", "member_id", "group_instance_id")

    def __init__(
        self,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id


def _decode_heartbeat_request_v0(buf: Buffer, pos: int) -> tuple[HeartbeatRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("HeartbeatRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    generation_id, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("HeartbeatRequest.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    return HeartbeatRequest(group_id, generation_id, member_id, None), pos


def _decode_heartbeat_request_v3(buf: Buffer, pos: int) -> tuple[HeartbeatRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("HeartbeatRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    generation_id, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("HeartbeatRequest.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    group_instance_id: str | None
    if n < 0:
        group_instance_id = None
    else:
        end = pos + n
        group_instance_id = buf[pos:end].decode()
        pos = end
    return HeartbeatRequest(group_id, generation_id, member_id, group_instance_id), pos


def _decode_heartbeat_request_v4(buf: Buffer, pos: int) -> tuple[HeartbeatRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("HeartbeatRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    generation_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("HeartbeatRequest.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    group_instance_id: str | None
    if not n:
        group_instance_id = None
    else:
        end = pos + n - 1
        group_instance_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return HeartbeatRequest(group_id, generation_id, member_id, group_instance_id), pos


def _encode_heartbeat_request_v0(m: HeartbeatRequest, w: bytearray) -> None:
    if m.group_instance_id is not None:
        raise UnsupportedFieldError("HeartbeatRequest.group_instance_id", "3+")
    put_string(w, m.group_id)
    w += _write_i(m.generation_id)
    put_string(w, m.member_id)


def _encode_heartbeat_request_v3(m: HeartbeatRequest, w: bytearray) -> None:
    put_string(w, m.group_id)
    w += _write_i(m.generation_id)
    put_string(w, m.member_id)
    put_nullable_string(w, m.group_instance_id)


def _encode_heartbeat_request_v4(m: HeartbeatRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    w += _write_i(m.generation_id)
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_heartbeat_request_v0, 1: _decode_heartbeat_request_v0, 2: _decode_heartbeat_request_v0, 3: _decode_heartbeat_request_v3, 4: _decode_heartbeat_request_v4}
_REQUEST_ENCODERS = {0: _encode_heartbeat_request_v0, 1: _encode_heartbeat_request_v0, 2: _encode_heartbeat_request_v0, 3: _encode_heartbeat_request_v3, 4: _encode_heartbeat_request_v4}


def decode_request(buf: Buffer, pos: int, version: int) -> HeartbeatRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("HeartbeatRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("HeartbeatRequest", version, pos, len(buf))
    return message


def encode_request(message: HeartbeatRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("HeartbeatRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class HeartbeatResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code


def _decode_heartbeat_response_v0(buf: Buffer, pos: int) -> tuple[HeartbeatResponse, int]:
    (error_code,) = _read_h(buf, pos)
    pos += 2
    return HeartbeatResponse(0, error_code), pos


def _decode_heartbeat_response_v1(buf: Buffer, pos: int) -> tuple[HeartbeatResponse, int]:
    throttle_time_ms, error_code = _read_ih(buf, pos)
    pos += 6
    return HeartbeatResponse(throttle_time_ms, error_code), pos


def _decode_heartbeat_response_v4(buf: Buffer, pos: int) -> tuple[HeartbeatResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n:
        pos = skip_tags(buf, pos, n)
    return HeartbeatResponse(throttle_time_ms, error_code), pos


def _encode_heartbeat_response_v0(m: HeartbeatResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)


def _encode_heartbeat_response_v1(m: HeartbeatResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)


def _encode_heartbeat_response_v4(m: HeartbeatResponse, w: bytearray) -> None:
    w += _write_ihx(m.throttle_time_ms, m.error_code)


_RESPONSE_DECODERS = {0: _decode_heartbeat_response_v0, 1: _decode_heartbeat_response_v1, 2: _decode_heartbeat_response_v1, 3: _decode_heartbeat_response_v1, 4: _decode_heartbeat_response_v4}
_RESPONSE_ENCODERS = {0: _encode_heartbeat_response_v0, 1: _encode_heartbeat_response_v1, 2: _encode_heartbeat_response_v1, 3: _encode_heartbeat_response_v1, 4: _encode_heartbeat_response_v4}


def decode_response(buf: Buffer, pos: int, version: int) -> HeartbeatResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("HeartbeatResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("HeartbeatResponse", version, pos, len(buf))
    return message


def encode_response(message: HeartbeatResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("HeartbeatResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
