"""CreateAcls, API key 30: request and response in every version."""

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

API_KEY = 30
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
_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from


class AclCreation(Message):
    __slots__ = ("resource_type", "resource_name", "resource_pattern_type", "principal", "host", "operation", "permission_type")

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        resource_pattern_type: int = 3,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.resource_pattern_type = resource_pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class CreateAclsRequest(Message):
    __slots__ = ("creations",)

    def __init__(
        self,
        creations: Sequence[AclCreation] = (),
    ) -> None:
        self.creations = creations


def _decode_acl_creation_v1(buf: Buffer, pos: int) -> tuple[AclCreation, int]:
    resource_type, n = _read_bh(buf, pos)
    pos += 3
    if n < 0:
        raise null_error("AclCreation.resource_name")
    end = pos + n
    resource_name = buf[pos:end].decode()
    pos = end
    resource_pattern_type, n = _read_bh(buf, pos)
    pos += 3
    if n < 0:
        raise null_error("AclCreation.principal")
    end = pos + n
    principal = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("AclCreation.host")
    end = pos + n
    host = buf[pos:end].decode()
    pos = end
    operation, permission_type = _read_bb(buf, pos)
    pos += 2
    return AclCreation(resource_type, resource_name, resource_pattern_type, principal, host, operation, permission_type), pos


def _decode_acl_creation_v2(buf: Buffer, pos: int) -> tuple[AclCreation, int]:
    resource_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AclCreation.resource_name")
    end = pos + n - 1
    resource_name = buf[pos:end].decode()
    pos = end
    resource_pattern_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AclCreation.principal")
    end = pos + n - 1
    principal = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AclCreation.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    operation, permission_type, n = _read_bbB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return AclCreation(resource_type, resource_name, resource_pattern_type, principal, host, operation, permission_type), pos


def _decode_create_acls_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateAclsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("CreateAclsRequest.creations")
    if n > budget[0] or n * 10 > len(buf) - pos:
        raise count_error("CreateAclsRequest.creations", n)
    budget[0] -= n
    creations = []
    for _ in range(n):
        creations_item, pos = _decode_acl_creation_v1(buf, pos)
        creations.append(creations_item)
    return CreateAclsRequest(creations), pos


def _decode_create_acls_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateAclsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreateAclsRequest.creations")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("CreateAclsRequest.creations", n)
    budget[0] -= n
    creations = []
    for _ in range(n):
        creations_item, pos = _decode_acl_creation_v2(buf, pos)
        creations.append(creations_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CreateAclsRequest(creations), pos


def _encode_acl_creation_v1(m: AclCreation, w: bytearray) -> None:
    w += _write_b(m.resource_type)
    put_string(w, m.resource_name)
    w += _write_b(m.resource_pattern_type)
    put_string(w, m.principal)
    put_string(w, m.host)
    w += _write_bb(m.operation, m.permission_type)


def _encode_acl_creation_v2(m: AclCreation, w: bytearray) -> None:
    w += _write_b(m.resource_type)
    put_compact_string(w, m.resource_name)
    w += _write_b(m.resource_pattern_type)
    put_compact_string(w, m.principal)
    put_compact_string(w, m.host)
    w += _write_bbx(m.operation, m.permission_type)


def _encode_create_acls_request_v1(m: CreateAclsRequest, w: bytearray) -> None:
    n = len(m.creations)
    w += _write_i(n)
    for creations_item in m.creations:
        _encode_acl_creation_v1(creations_item, w)


def _encode_create_acls_request_v2(m: CreateAclsRequest, w: bytearray) -> None:
    n = len(m.creations)
    put_uvarint(w, n + 1)
    for creations_item in m.creations:
        _encode_acl_creation_v2(creations_item, w)
    w.append(0)


_REQUEST_DECODERS = {1: _decode_create_acls_request_v1, 2: _decode_create_acls_request_v2, 3: _decode_create_acls_request_v2}
_REQUEST_ENCODERS = {1: _encode_create_acls_request_v1, 2: _encode_create_acls_request_v2, 3: _encode_create_acls_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> CreateAclsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("CreateAclsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("CreateAclsRequest", version, pos, len(buf))
    return message


def encode_request(message: CreateAclsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("CreateAclsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AclCreationResult(Message):
    __slots__ = ("error_code", "error_message")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message


class CreateAclsResponse(Message):
    __slots__ = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: Sequence[AclCreationResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _decode_acl_creation_result_v1(buf: Buffer, pos: int) -> tuple[AclCreationResult, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    return AclCreationResult(error_code, error_message), pos


def _decode_acl_creation_result_v2(buf: Buffer, pos: int) -> tuple[AclCreationResult, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
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
    return AclCreationResult(error_code, error_message), pos


def _decode_create_acls_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateAclsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("CreateAclsResponse.results")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("CreateAclsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_acl_creation_result_v1(buf, pos)
        results.append(results_item)
    return CreateAclsResponse(throttle_time_ms, results), pos


def _decode_create_acls_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreateAclsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreateAclsResponse.results")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("CreateAclsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_acl_creation_result_v2(buf, pos)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CreateAclsResponse(throttle_time_ms, results), pos


def _encode_acl_creation_result_v1(m: AclCreationResult, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_nullable_string(w, m.error_message)


def _encode_acl_creation_result_v2(m: AclCreationResult, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_create_acls_response_v1(m: CreateAclsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    w += _write_i(n)
    for results_item in m.results:
        _encode_acl_creation_result_v1(results_item, w)


def _encode_create_acls_response_v2(m: CreateAclsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_acl_creation_result_v2(results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_create_acls_response_v1, 2: _decode_create_acls_response_v2, 3: _decode_create_acls_response_v2}
_RESPONSE_ENCODERS = {1: _encode_create_acls_response_v1, 2: _encode_create_acls_response_v2, 3: _encode_create_acls_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> CreateAclsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("CreateAclsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("CreateAclsResponse", version, pos, len(buf))
    return message


def encode_response(message: CreateAclsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("CreateAclsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
