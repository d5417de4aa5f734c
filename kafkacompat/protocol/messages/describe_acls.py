"""DescribeAcls, API key 29: request and response in every version."""

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

API_KEY = 29
MIN_VERSION = 1
MAX_VERSION = 3
FLEXIBLE_VERSION = 2


_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_read_bb = Struct(">bb").unpack_from
_write_bb = Struct(">bb").pack
_read_bbB = Struct(">bbB").unpack_from
_write_bbx = Struct(">bbx").pack
_read_bh = Struct(">bh").unpack_from
_read_bi = Struct(">bi").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ihh = Struct(">ihh").unpack_from


class DescribeAclsRequest(Message):
    __slots__ = ("resource_type_filter", "resource_name_filter", "pattern_type_filter", "principal_filter", "host_filter", "operation", "permission_type")

    def __init__(
        self,
        resource_type_filter: int = 0,
        resource_name_filter: str | None = "",
        pattern_type_filter: int = 3,
        principal_filter: str | None = "",
        host_filter: str | None = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.resource_type_filter = resource_type_filter
        self.resource_name_filter = resource_name_filter
        self.pattern_type_filter = pattern_type_filter
        self.principal_filter = principal_filter
        self.host_filter = host_filter
        self.operation = operation
        self.permission_type = permission_type


def _decode_describe_acls_request_v1(buf: Buffer, pos: int) -> tuple[DescribeAclsRequest, int]:
    resource_type_filter, n = _read_bh(buf, pos)
    pos += 3
    resource_name_filter: str | None
    if n < 0:
        resource_name_filter = None
    else:
        end = pos + n
        resource_name_filter = buf[pos:end].decode()
        pos = end
    pattern_type_filter, n = _read_bh(buf, pos)
    pos += 3
    principal_filter: str | None
    if n < 0:
        principal_filter = None
    else:
        end = pos + n
        principal_filter = buf[pos:end].decode()
        pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    host_filter: str | None
    if n < 0:
        host_filter = None
    else:
        end = pos + n
        host_filter = buf[pos:end].decode()
        pos = end
    operation, permission_type = _read_bb(buf, pos)
    pos += 2
    return DescribeAclsRequest(resource_type_filter, resource_name_filter, pattern_type_filter, principal_filter, host_filter, operation, permission_type), pos


def _decode_describe_acls_request_v2(buf: Buffer, pos: int) -> tuple[DescribeAclsRequest, int]:
    resource_type_filter, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    resource_name_filter: str | None
    if not n:
        resource_name_filter = None
    else:
        end = pos + n - 1
        resource_name_filter = buf[pos:end].decode()
        pos = end
    pattern_type_filter, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    principal_filter: str | None
    if not n:
        principal_filter = None
    else:
        end = pos + n - 1
        principal_filter = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    host_filter: str | None
    if not n:
        host_filter = None
    else:
        end = pos + n - 1
        host_filter = buf[pos:end].decode()
        pos = end
    operation, permission_type, n = _read_bbB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeAclsRequest(resource_type_filter, resource_name_filter, pattern_type_filter, principal_filter, host_filter, operation, permission_type), pos


def _encode_describe_acls_request_v1(m: DescribeAclsRequest, w: bytearray) -> None:
    w += _write_b(m.resource_type_filter)
    put_nullable_string(w, m.resource_name_filter)
    w += _write_b(m.pattern_type_filter)
    put_nullable_string(w, m.principal_filter)
    put_nullable_string(w, m.host_filter)
    w += _write_bb(m.operation, m.permission_type)


def _encode_describe_acls_request_v2(m: DescribeAclsRequest, w: bytearray) -> None:
    w += _write_b(m.resource_type_filter)
    put_compact_nullable_string(w, m.resource_name_filter)
    w += _write_b(m.pattern_type_filter)
    put_compact_nullable_string(w, m.principal_filter)
    put_compact_nullable_string(w, m.host_filter)
    w += _write_bbx(m.operation, m.permission_type)


_REQUEST_DECODERS = {1: _decode_describe_acls_request_v1, 2: _decode_describe_acls_request_v2, 3: _decode_describe_acls_request_v2}
_REQUEST_ENCODERS = {1: _encode_describe_acls_request_v1, 2: _encode_describe_acls_request_v2, 3: _encode_describe_acls_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeAclsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("DescribeAclsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeAclsRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeAclsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeAclsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AclDescription(Message):
    __slots__ = ("principal", "host", "operation", "permission_type")

    def __init__(
        self,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class DescribeAclsResource(Message):
    __slots__ = ("resource_type", "resource_name", "pattern_type", "acls")

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 3,
        acls: Sequence[AclDescription] = (),
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.acls = acls


class DescribeAclsResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "resources")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        resources: Sequence[DescribeAclsResource] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.resources = resources


def _decode_acl_description_v1(buf: Buffer, pos: int) -> tuple[AclDescription, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("AclDescription.principal")
    end = pos + n
    principal = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("AclDescription.host")
    end = pos + n
    host = buf[pos:end].decode()
    pos = end
    operation, permission_type = _read_bb(buf, pos)
    pos += 2
    return AclDescription(principal, host, operation, permission_type), pos


def _decode_acl_description_v2(buf: Buffer, pos: int) -> tuple[AclDescription, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AclDescription.principal")
    end = pos + n - 1
    principal = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AclDescription.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    operation, permission_type, n = _read_bbB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return AclDescription(principal, host, operation, permission_type), pos


def _decode_describe_acls_resource_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeAclsResource, int]:
    resource_type, n = _read_bh(buf, pos)
    pos += 3
    if n < 0:
        raise null_error("DescribeAclsResource.resource_name")
    end = pos + n
    resource_name = buf[pos:end].decode()
    pos = end
    pattern_type, n = _read_bi(buf, pos)
    pos += 5
    if n < 0:
        raise null_error("DescribeAclsResource.acls")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("DescribeAclsResource.acls", n)
    budget[0] -= n
    acls = []
    for _ in range(n):
        acls_item, pos = _decode_acl_description_v1(buf, pos)
        acls.append(acls_item)
    return DescribeAclsResource(resource_type, resource_name, pattern_type, acls), pos


def _decode_describe_acls_resource_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeAclsResource, int]:
    resource_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeAclsResource.resource_name")
    end = pos + n - 1
    resource_name = buf[pos:end].decode()
    pos = end
    pattern_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeAclsResource.acls")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("DescribeAclsResource.acls", n)
    budget[0] -= n
    acls = []
    for _ in range(n):
        acls_item, pos = _decode_acl_description_v2(buf, pos)
        acls.append(acls_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeAclsResource(resource_type, resource_name, pattern_type, acls), pos


def _decode_describe_acls_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeAclsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihh(buf, pos)
    pos += 8
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
        raise null_error("DescribeAclsResponse.resources")
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("DescribeAclsResponse.resources", n)
    budget[0] -= n
    resources = []
    for _ in range(n):
        resources_item, pos = _decode_describe_acls_resource_v1(buf, pos, budget)
        resources.append(resources_item)
    return DescribeAclsResponse(throttle_time_ms, error_code, error_message, resources), pos


def _decode_describe_acls_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeAclsResponse, int]:
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
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeAclsResponse.resources")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("DescribeAclsResponse.resources", n)
    budget[0] -= n
    resources = []
    for _ in range(n):
        resources_item, pos = _decode_describe_acls_resource_v2(buf, pos, budget)
        resources.append(resources_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeAclsResponse(throttle_time_ms, error_code, error_message, resources), pos


def _encode_acl_description_v1(m: AclDescription, w: bytearray) -> None:
    put_string(w, m.principal)
    put_string(w, m.host)
    w += _write_bb(m.operation, m.permission_type)


def _encode_acl_description_v2(m: AclDescription, w: bytearray) -> None:
    put_compact_string(w, m.principal)
    put_compact_string(w, m.host)
    w += _write_bbx(m.operation, m.permission_type)


def _encode_describe_acls_resource_v1(m: DescribeAclsResource, w: bytearray) -> None:
    w += _write_b(m.resource_type)
    put_string(w, m.resource_name)
    w += _write_b(m.pattern_type)
    n = len(m.acls)
    w += _write_i(n)
    for acls_item in m.acls:
        _encode_acl_description_v1(acls_item, w)


def _encode_describe_acls_resource_v2(m: DescribeAclsResource, w: bytearray) -> None:
    w += _write_b(m.resource_type)
    put_compact_string(w, m.resource_name)
    w += _write_b(m.pattern_type)
    n = len(m.acls)
    put_uvarint(w, n + 1)
    for acls_item in m.acls:
        _encode_acl_description_v2(acls_item, w)
    w.append(0)


def _encode_describe_acls_response_v1(m: DescribeAclsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_nullable_string(w, m.error_message)
    n = len(m.resources)
    w += _write_i(n)
    for resources_item in m.resources:
        _encode_describe_acls_resource_v1(resources_item, w)


def _encode_describe_acls_response_v2(m: DescribeAclsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.resources)
    put_uvarint(w, n + 1)
    for resources_item in m.resources:
        _encode_describe_acls_resource_v2(resources_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_describe_acls_response_v1, 2: _decode_describe_acls_response_v2, 3: _decode_describe_acls_response_v2}
_RESPONSE_ENCODERS = {1: _encode_describe_acls_response_v1, 2: _encode_describe_acls_response_v2, 3: _encode_describe_acls_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeAclsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeAclsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeAclsResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeAclsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeAclsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
