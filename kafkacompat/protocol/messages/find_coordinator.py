"""FindCoordinator, API key 10: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedFieldError,
    UnsupportedVersionError,
    count_error,
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
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 10
MIN_VERSION = 0
MAX_VERSION = 6
FLEXIBLE_VERSION = 3


_read_b = Struct(">b").unpack_from
_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_write_bx = Struct(">bx").pack
_read_h = Struct(">h").unpack_from
_write_hi = Struct(">hi").pack
_read_hih = Struct(">hih").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ihh = Struct(">ihh").unpack_from
_write_ix = Struct(">ix").pack


class FindCoordinatorRequest(Message):
    __slots__ = ("key", "key_type", "coordinator_keys")

    def __init__(
        self,
        key: str = "",
        key_type: int = 0,
        coordinator_keys: Sequence[str] = (),
    ) -> None:
        self.key = key
        self.key_type = key_type
        self.coordinator_keys = coordinator_keys


def _decode_find_coordinator_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[FindCoordinatorRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("FindCoordinatorRequest.key")
    end = pos + n
    key = buf[pos:end].decode()
    pos = end
    return FindCoordinatorRequest(key, 0, ()), pos


def _decode_find_coordinator_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[FindCoordinatorRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("FindCoordinatorRequest.key")
    end = pos + n
    key = buf[pos:end].decode()
    pos = end
    (key_type,) = _read_b(buf, pos)
    pos += 1
    return FindCoordinatorRequest(key, key_type, ()), pos


def _decode_find_coordinator_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[FindCoordinatorRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FindCoordinatorRequest.key")
    end = pos + n - 1
    key = buf[pos:end].decode()
    pos = end
    key_type, n = _read_bB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return FindCoordinatorRequest(key, key_type, ()), pos


def _decode_find_coordinator_request_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[FindCoordinatorRequest, int]:
    key_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FindCoordinatorRequest.coordinator_keys")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("FindCoordinatorRequest.coordinator_keys", n)
    budget[0] -= n
    coordinator_keys = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("FindCoordinatorRequest.coordinator_keys")
        end = pos + n - 1
        coordinator_keys.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FindCoordinatorRequest("", key_type, coordinator_keys), pos


def _encode_find_coordinator_request_v0(m: FindCoordinatorRequest, w: bytearray) -> None:
    if m.key_type != 0:
        raise UnsupportedFieldError("FindCoordinatorRequest.key_type", "1+")
    if m.coordinator_keys:
        raise UnsupportedFieldError("FindCoordinatorRequest.coordinator_keys", "4+")
    put_string(w, m.key)


def _encode_find_coordinator_request_v1(m: FindCoordinatorRequest, w: bytearray) -> None:
    if m.coordinator_keys:
        raise UnsupportedFieldError("FindCoordinatorRequest.coordinator_keys", "4+")
    put_string(w, m.key)
    w += _write_b(m.key_type)


def _encode_find_coordinator_request_v3(m: FindCoordinatorRequest, w: bytearray) -> None:
    if m.coordinator_keys:
        raise UnsupportedFieldError("FindCoordinatorRequest.coordinator_keys", "4+")
    put_compact_string(w, m.key)
    w += _write_bx(m.key_type)


def _encode_find_coordinator_request_v4(m: FindCoordinatorRequest, w: bytearray) -> None:
    if m.key != "":
        raise UnsupportedFieldError("FindCoordinatorRequest.key", "0-3")
    w += _write_b(m.key_type)
    n = len(m.coordinator_keys)
    put_uvarint(w, n + 1)
    for coordinator_keys_item in m.coordinator_keys:
        put_compact_string(w, coordinator_keys_item)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_find_coordinator_request_v0, 1: _decode_find_coordinator_request_v1, 2: _decode_find_coordinator_request_v1, 3: _decode_find_coordinator_request_v3, 4: _decode_find_coordinator_request_v4, 5: _decode_find_coordinator_request_v4, 6: _decode_find_coordinator_request_v4}
_REQUEST_ENCODERS = {0: _encode_find_coordinator_request_v0, 1: _encode_find_coordinator_request_v1, 2: _encode_find_coordinator_request_v1, 3: _encode_find_coordinator_request_v3, 4: _encode_find_coordinator_request_v4, 5: _encode_find_coordinator_request_v4, 6: _encode_find_coordinator_request_v4}


def decode_request(buf: Buffer, pos: int, version: int) -> FindCoordinatorRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("FindCoordinatorRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("FindCoordinatorRequest", version, pos, len(buf))
    return message


def encode_request(message: FindCoordinatorRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("FindCoordinatorRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class Coordinator(Message):
    __slots__ = ("key", "node_id", "host", "port", "error_code", "error_message")

    def __init__(
        self,
        key: str = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.key = key
        self.node_id = node_id
        self.host = host
        self.port = port
        self.error_code = error_code
        self.error_message = error_message


class FindCoordinatorResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "node_id", "host", "port", "coordinators")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        coordinators: Sequence[Coordinator] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.node_id = node_id
        self.host = host
        self.port = port
        self.coordinators = coordinators


def _decode_coordinator_v4(buf: Buffer, pos: int) -> tuple[Coordinator, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Coordinator.key")
    end = pos + n - 1
    key = buf[pos:end].decode()
    pos = end
    node_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Coordinator.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, error_code, n = _read_ihB(buf, pos)
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
    return Coordinator(key, node_id, host, port, error_code, error_message), pos


def _decode_find_coordinator_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[FindCoordinatorResponse, int]:
    error_code, node_id, n = _read_hih(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("FindCoordinatorResponse.host")
    end = pos + n
    host = buf[pos:end].decode()
    pos = end
    (port,) = _read_i(buf, pos)
    pos += 4
    return FindCoordinatorResponse(0, error_code, "", node_id, host, port, ()), pos


def _decode_find_coordinator_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[FindCoordinatorResponse, int]:
    throttle_time_ms, error_code, n = _read_ihh(buf, pos)
    pos += 8
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    node_id, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("FindCoordinatorResponse.host")
    end = pos + n
    host = buf[pos:end].decode()
    pos = end
    (port,) = _read_i(buf, pos)
    pos += 4
    return FindCoordinatorResponse(throttle_time_ms, error_code, error_message, node_id, host, port, ()), pos


def _decode_find_coordinator_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[FindCoordinatorResponse, int]:
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
    node_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FindCoordinatorResponse.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return FindCoordinatorResponse(throttle_time_ms, error_code, error_message, node_id, host, port, ()), pos


def _decode_find_coordinator_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[FindCoordinatorResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FindCoordinatorResponse.coordinators")
    n -= 1
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("FindCoordinatorResponse.coordinators", n)
    budget[0] -= n
    coordinators = []
    for _ in range(n):
        coordinators_item, pos = _decode_coordinator_v4(buf, pos)
        coordinators.append(coordinators_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FindCoordinatorResponse(throttle_time_ms, 0, "", 0, "", 0, coordinators), pos


def _encode_coordinator_v4(m: Coordinator, w: bytearray) -> None:
    put_compact_string(w, m.key)
    w += _write_i(m.node_id)
    put_compact_string(w, m.host)
    w += _write_ih(m.port, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_find_coordinator_response_v0(m: FindCoordinatorResponse, w: bytearray) -> None:
    if m.coordinators:
        raise UnsupportedFieldError("FindCoordinatorResponse.coordinators", "4+")
    w += _write_hi(m.error_code, m.node_id)
    put_string(w, m.host)
    w += _write_i(m.port)


def _encode_find_coordinator_response_v1(m: FindCoordinatorResponse, w: bytearray) -> None:
    if m.coordinators:
        raise UnsupportedFieldError("FindCoordinatorResponse.coordinators", "4+")
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_nullable_string(w, m.error_message)
    w += _write_i(m.node_id)
    put_string(w, m.host)
    w += _write_i(m.port)


def _encode_find_coordinator_response_v3(m: FindCoordinatorResponse, w: bytearray) -> None:
    if m.coordinators:
        raise UnsupportedFieldError("FindCoordinatorResponse.coordinators", "4+")
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_i(m.node_id)
    put_compact_string(w, m.host)
    w += _write_ix(m.port)


def _encode_find_coordinator_response_v4(m: FindCoordinatorResponse, w: bytearray) -> None:
    if m.error_code != 0:
        raise UnsupportedFieldError("FindCoordinatorResponse.error_code", "0-3")
    if m.node_id != 0:
        raise UnsupportedFieldError("FindCoordinatorResponse.node_id", "0-3")
    if m.host != "":
        raise UnsupportedFieldError("FindCoordinatorResponse.host", "0-3")
    if m.port != 0:
        raise UnsupportedFieldError("FindCoordinatorResponse.port", "0-3")
    w += _write_i(m.throttle_time_ms)
    n = len(m.coordinators)
    put_uvarint(w, n + 1)
    for coordinators_item in m.coordinators:
        _encode_coordinator_v4(coordinators_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_find_coordinator_response_v0, 1: _decode_find_coordinator_response_v1, 2: _decode_find_coordinator_response_v1, 3: _decode_find_coordinator_response_v3, 4: _decode_find_coordinator_response_v4, 5: _decode_find_coordinator_response_v4, 6: _decode_find_coordinator_response_v4}
_RESPONSE_ENCODERS = {0: _encode_find_coordinator_response_v0, 1: _encode_find_coordinator_response_v1, 2: _encode_find_coordinator_response_v1, 3: _encode_find_coordinator_response_v3, 4: _encode_find_coordinator_response_v4, 5: _encode_find_coordinator_response_v4, 6: _encode_find_coordinator_response_v4}


def decode_response(buf: Buffer, pos: int, version: int) -> FindCoordinatorResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("FindCoordinatorResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("FindCoordinatorResponse", version, pos, len(buf))
    return message


def encode_response(message: FindCoordinatorResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("FindCoordinatorResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
