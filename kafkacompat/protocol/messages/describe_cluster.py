"""DescribeCluster, API key 60: request and response in every version."""

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
    skip_tags,
    string_length_tail,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 60
MIN_VERSION = 0
MAX_VERSION = 2
FLEXIBLE_VERSION = 0


_read_tB = Struct(">?B").unpack_from
_read_tbtB = Struct(">?b?B").unpack_from
_write_tbtx = Struct(">?b?x").pack
_read_tbB = Struct(">?bB").unpack_from
_write_tbx = Struct(">?bx").pack
_write_tx = Struct(">?x").pack
_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ix = Struct(">ix").pack


class DescribeClusterRequest(Message):
    __slots__ = ("include_cluster_authorized_operations", "endpoint_type", "include_fenced_brokers")

    def __init__(
        self,
        include_cluster_authorized_operations: bool = False,
        endpoint_type: int = 1,
        include_fenced_brokers: bool = False,
    ) -> None:
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.endpoint_type = endpoint_type
        self.include_fenced_brokers = include_fenced_brokers


def _decode_describe_cluster_request_v0(buf: Buffer, pos: int) -> tuple[DescribeClusterRequest, int]:
    include_cluster_authorized_operations, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeClusterRequest(include_cluster_authorized_operations, 1, False), pos


def _decode_describe_cluster_request_v1(buf: Buffer, pos: int) -> tuple[DescribeClusterRequest, int]:
    include_cluster_authorized_operations, endpoint_type, n = _read_tbB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeClusterRequest(include_cluster_authorized_operations, endpoint_type, False), pos


def _decode_describe_cluster_request_v2(buf: Buffer, pos: int) -> tuple[DescribeClusterRequest, int]:
    include_cluster_authorized_operations, endpoint_type, include_fenced_brokers, n = _read_tbtB(buf, pos)
    pos += 4
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeClusterRequest(include_cluster_authorized_operations, endpoint_type, include_fenced_brokers), pos


def _encode_describe_cluster_request_v0(m: DescribeClusterRequest, w: bytearray) -> None:
    if m.endpoint_type != 1:
        raise UnsupportedFieldError("DescribeClusterRequest.endpoint_type", "1+")
    if m.include_fenced_brokers:
        raise UnsupportedFieldError("DescribeClusterRequest.include_fenced_brokers", "2+")
    w += _write_tx(m.include_cluster_authorized_operations)


def _encode_describe_cluster_request_v1(m: DescribeClusterRequest, w: bytearray) -> None:
    if m.include_fenced_brokers:
        raise UnsupportedFieldError("DescribeClusterRequest.include_fenced_brokers", "2+")
    w += _write_tbx(m.include_cluster_authorized_operations, m.endpoint_type)


def _encode_describe_cluster_request_v2(m: DescribeClusterRequest, w: bytearray) -> None:
    w += _write_tbtx(m.include_cluster_authorized_operations, m.endpoint_type, m.include_fenced_brokers)


_REQUEST_DECODERS = {0: _decode_describe_cluster_request_v0, 1: _decode_describe_cluster_request_v1, 2: _decode_describe_cluster_request_v2}
_REQUEST_ENCODERS = {0: _encode_describe_cluster_request_v0, 1: _encode_describe_cluster_request_v1, 2: _encode_describe_cluster_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeClusterRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("DescribeClusterRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeClusterRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeClusterRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeClusterRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DescribeClusterBroker(Message):
    __slots__ = ("broker_id", "host", "port", "rack", "is_fenced")

    def __init__(
        self,
        broker_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
        is_fenced: bool = False,
    ) -> None:
        self.broker_id = broker_id
        self.host = host
        self.port = port
        self.rack = rack
        self.is_fenced = is_fenced


class DescribeClusterResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "endpoint_type", "cluster_id", "controller_id", "brokers", "cluster_authorized_operations")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        endpoint_type: int = 1,
        cluster_id: str = "",
        controller_id: int = -1,
        brokers: Sequence[DescribeClusterBroker] = (),
        cluster_authorized_operations: int = -2147483648,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.endpoint_type = endpoint_type
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.brokers = brokers
        self.cluster_authorized_operations = cluster_authorized_operations


def _decode_describe_cluster_broker_v0(buf: Buffer, pos: int) -> tuple[DescribeClusterBroker, int]:
    broker_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeClusterBroker.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeClusterBroker(broker_id, host, port, rack, False), pos


def _decode_describe_cluster_broker_v2(buf: Buffer, pos: int) -> tuple[DescribeClusterBroker, int]:
    broker_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeClusterBroker.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    is_fenced, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeClusterBroker(broker_id, host, port, rack, is_fenced), pos


def _decode_describe_cluster_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeClusterResponse, int]:
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
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeClusterResponse.cluster_id")
    end = pos + n - 1
    cluster_id = buf[pos:end].decode()
    pos = end
    controller_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeClusterResponse.brokers")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("DescribeClusterResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_describe_cluster_broker_v0(buf, pos)
        brokers.append(brokers_item)
    cluster_authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeClusterResponse(throttle_time_ms, error_code, error_message, 1, cluster_id, controller_id, brokers, cluster_authorized_operations), pos


def _decode_describe_cluster_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeClusterResponse, int]:
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
    endpoint_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeClusterResponse.cluster_id")
    end = pos + n - 1
    cluster_id = buf[pos:end].decode()
    pos = end
    controller_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeClusterResponse.brokers")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("DescribeClusterResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_describe_cluster_broker_v0(buf, pos)
        brokers.append(brokers_item)
    cluster_authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeClusterResponse(throttle_time_ms, error_code, error_message, endpoint_type, cluster_id, controller_id, brokers, cluster_authorized_operations), pos


def _decode_describe_cluster_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeClusterResponse, int]:
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
    endpoint_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeClusterResponse.cluster_id")
    end = pos + n - 1
    cluster_id = buf[pos:end].decode()
    pos = end
    controller_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeClusterResponse.brokers")
    n -= 1
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("DescribeClusterResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_describe_cluster_broker_v2(buf, pos)
        brokers.append(brokers_item)
    cluster_authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeClusterResponse(throttle_time_ms, error_code, error_message, endpoint_type, cluster_id, controller_id, brokers, cluster_authorized_operations), pos


def _encode_describe_cluster_broker_v0(m: DescribeClusterBroker, w: bytearray) -> None:
    if m.is_fenced:
        raise UnsupportedFieldError("DescribeClusterBroker.is_fenced", "2+")
    w += _write_i(m.broker_id)
    put_compact_string(w, m.host)
    w += _write_i(m.port)
    put_compact_nullable_string(w, m.rack)
    w.append(0)


def _encode_describe_cluster_broker_v2(m: DescribeClusterBroker, w: bytearray) -> None:
    w += _write_i(m.broker_id)
    put_compact_string(w, m.host)
    w += _write_i(m.port)
    put_compact_nullable_string(w, m.rack)
    w += _write_tx(m.is_fenced)


def _encode_describe_cluster_response_v0(m: DescribeClusterResponse, w: bytearray) -> None:
    if m.endpoint_type != 1:
        raise UnsupportedFieldError("DescribeClusterResponse.endpoint_type", "1+")
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    put_compact_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.brokers)
    put_uvarint(w, n + 1)
    for brokers_item in m.brokers:
        _encode_describe_cluster_broker_v0(brokers_item, w)
    w += _write_ix(m.cluster_authorized_operations)


def _encode_describe_cluster_response_v1(m: DescribeClusterResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_b(m.endpoint_type)
    put_compact_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.brokers)
    put_uvarint(w, n + 1)
    for brokers_item in m.brokers:
        _encode_describe_cluster_broker_v0(brokers_item, w)
    w += _write_ix(m.cluster_authorized_operations)


def _encode_describe_cluster_response_v2(m: DescribeClusterResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_b(m.endpoint_type)
    put_compact_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.brokers)
    put_uvarint(w, n + 1)
    for brokers_item in m.brokers:
        _encode_describe_cluster_broker_v2(brokers_item, w)
    w += _write_ix(m.cluster_authorized_operations)


_RESPONSE_DECODERS = {0: _decode_describe_cluster_response_v0, 1: _decode_describe_cluster_response_v1, 2: _decode_describe_cluster_response_v2}
_RESPONSE_ENCODERS = {0: _encode_describe_cluster_response_v0, 1: _encode_describe_cluster_response_v1, 2: _encode_describe_cluster_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeClusterResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeClusterResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeClusterResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeClusterResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeClusterResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
