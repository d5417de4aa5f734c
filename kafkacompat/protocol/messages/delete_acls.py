"""DeleteAcls, API key 31: request and response in every version."""

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

API_KEY = 31
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


class DeleteAclsFilter(Message):
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


class DeleteAclsRequest(Message):
    __slots__ = ("filters",)

    def __init__(
        self,
        filters: Sequence[DeleteAclsFilter] = (),
    ) -> None:
        self.filters = filters


def _decode_delete_acls_filter_v1(buf: Buffer, pos: int) -> tuple[DeleteAclsFilter, int]:
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
    return DeleteAclsFilter(resource_type_filter, resource_name_filter, pattern_type_filter, principal_filter, host_filter, operation, permission_type), pos


def _decode_delete_acls_filter_v2(buf: Buffer, pos: int) -> tuple[DeleteAclsFilter, int]:
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
    return DeleteAclsFilter(resource_type_filter, resource_name_filter, pattern_type_filter, principal_filter, host_filter, operation, permission_type), pos


def _decode_delete_acls_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteAclsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DeleteAclsRequest.filters")
    if n > budget[0] or n * 10 > len(buf) - pos:
        raise count_error("DeleteAclsRequest.filters", n)
    budget[0] -= n
    filters = []
    for _ in range(n):
        filters_item, pos = _decode_delete_acls_filter_v1(buf, pos)
        filters.append(filters_item)
    return DeleteAclsRequest(filters), pos


def _decode_delete_acls_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteAclsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteAclsRequest.filters")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("DeleteAclsRequest.filters", n)
    budget[0] -= n
    filters = []
    for _ in range(n):
        filters_item, pos = _decode_delete_acls_filter_v2(buf, pos)
        filters.append(filters_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteAclsRequest(filters), pos


def _encode_delete_acls_filter_v1(m: DeleteAclsFilter, w: bytearray) -> None:
    w += _write_b(m.resource_type_filter)
    put_nullable_string(w, m.resource_name_filter)
    w += _write_b(m.pattern_type_filter)
    put_nullable_string(w, m.principal_filter)
    put_nullable_string(w, m.host_filter)
    w += _write_bb(m.operation, m.permission_type)


def _encode_delete_acls_filter_v2(m: DeleteAclsFilter, w: bytearray) -> None:
    w += _write_b(m.resource_type_filter)
    put_compact_nullable_string(w, m.resource_name_filter)
    w += _write_b(m.pattern_type_filter)
    put_compact_nullable_string(w, m.principal_filter)
    put_compact_nullable_string(w, m.host_filter)
    w += _write_bbx(m.operation, m.permission_type)


def _encode_delete_acls_request_v1(m: DeleteAclsRequest, w: bytearray) -> None:
    n = len(m.filters)
    w += _write_i(n)
    for filters_item in m.filters:
        _encode_delete_acls_filter_v1(filters_item, w)


def _encode_delete_acls_request_v2(m: DeleteAclsRequest, w: bytearray) -> None:
    n = len(m.filters)
    put_uvarint(w, n + 1)
    for filters_item in m.filters:
        _encode_delete_acls_filter_v2(filters_item, w)
    w.append(0)


_REQUEST_DECODERS = {1: _decode_delete_acls_request_v1, 2: _decode_delete_acls_request_v2, 3: _decode_delete_acls_request_v2}
_REQUEST_ENCODERS = {1: _encode_delete_acls_request_v1, 2: _encode_delete_acls_request_v2, 3: _encode_delete_acls_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> DeleteAclsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteAclsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DeleteAclsRequest", version, pos, len(buf))
    return message


def encode_request(message: DeleteAclsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DeleteAclsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DeleteAclsMatchingAcl(Message):
    __slots__ = ("error_code", "error_message", "resource_type", "resource_name", "pattern_type", "principal", "host", "operation", "permission_type")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 3,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class DeleteAclsFilterResult(Message):
    __slots__ = ("error_code", "error_message", "matching_acls")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        matching_acls: Sequence[DeleteAclsMatchingAcl] = (),
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.matching_acls = matching_acls


class DeleteAclsResponse(Message):
    __slots__ = ("throttle_time_ms", "filter_results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        filter_results: Sequence[DeleteAclsFilterResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.filter_results = filter_results


def _decode_delete_acls_matching_acl_v1(buf: Buffer, pos: int) -> tuple[DeleteAclsMatchingAcl, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    resource_type, n = _read_bh(buf, pos)
    pos += 3
    if n < 0:
        raise null_error("DeleteAclsMatchingAcl.resource_name")
    end = pos + n
    resource_name = buf[pos:end].decode()
    pos = end
    pattern_type, n = _read_bh(buf, pos)
    pos += 3
    if n < 0:
        raise null_error("DeleteAclsMatchingAcl.principal")
    end = pos + n
    principal = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DeleteAclsMatchingAcl.host")
    end = pos + n
    host = buf[pos:end].decode()
    pos = end
    operation, permission_type = _read_bb(buf, pos)
    pos += 2
    return DeleteAclsMatchingAcl(error_code, error_message, resource_type, resource_name, pattern_type, principal, host, operation, permission_type), pos


def _decode_delete_acls_matching_acl_v2(buf: Buffer, pos: int) -> tuple[DeleteAclsMatchingAcl, int]:
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
    resource_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteAclsMatchingAcl.resource_name")
    end = pos + n - 1
    resource_name = buf[pos:end].decode()
    pos = end
    pattern_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteAclsMatchingAcl.principal")
    end = pos + n - 1
    principal = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteAclsMatchingAcl.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    operation, permission_type, n = _read_bbB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteAclsMatchingAcl(error_code, error_message, resource_type, resource_name, pattern_type, principal, host, operation, permission_type), pos


def _decode_delete_acls_filter_result_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteAclsFilterResult, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
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
        raise null_error("DeleteAclsFilterResult.matching_acls")
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("DeleteAclsFilterResult.matching_acls", n)
    budget[0] -= n
    matching_acls = []
    for _ in range(n):
        matching_acls_item, pos = _decode_delete_acls_matching_acl_v1(buf, pos)
        matching_acls.append(matching_acls_item)
    return DeleteAclsFilterResult(error_code, error_message, matching_acls), pos


def _decode_delete_acls_filter_result_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteAclsFilterResult, int]:
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
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteAclsFilterResult.matching_acls")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("DeleteAclsFilterResult.matching_acls", n)
    budget[0] -= n
    matching_acls = []
    for _ in range(n):
        matching_acls_item, pos = _decode_delete_acls_matching_acl_v2(buf, pos)
        matching_acls.append(matching_acls_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteAclsFilterResult(error_code, error_message, matching_acls), pos


def _decode_delete_acls_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteAclsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("DeleteAclsResponse.filter_results")
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("DeleteAclsResponse.filter_results", n)
    budget[0] -= n
    filter_results = []
    for _ in range(n):
        filter_results_item, pos = _decode_delete_acls_filter_result_v1(buf, pos, budget)
        filter_results.append(filter_results_item)
    return DeleteAclsResponse(throttle_time_ms, filter_results), pos


def _decode_delete_acls_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteAclsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteAclsResponse.filter_results")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("DeleteAclsResponse.filter_results", n)
    budget[0] -= n
    filter_results = []
    for _ in range(n):
        filter_results_item, pos = _decode_delete_acls_filter_result_v2(buf, pos, budget)
        filter_results.append(filter_results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteAclsResponse(throttle_time_ms, filter_results), pos


def _encode_delete_acls_matching_acl_v1(m: DeleteAclsMatchingAcl, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_nullable_string(w, m.error_message)
    w += _write_b(m.resource_type)
    put_string(w, m.resource_name)
    w += _write_b(m.pattern_type)
    put_string(w, m.principal)
    put_string(w, m.host)
    w += _write_bb(m.operation, m.permission_type)


def _encode_delete_acls_matching_acl_v2(m: DeleteAclsMatchingAcl, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_b(m.resource_type)
    put_compact_string(w, m.resource_name)
    w += _write_b(m.pattern_type)
    put_compact_string(w, m.principal)
    put_compact_string(w, m.host)
    w += _write_bbx(m.operation, m.permission_type)


def _encode_delete_acls_filter_result_v1(m: DeleteAclsFilterResult, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_nullable_string(w, m.error_message)
    n = len(m.matching_acls)
    w += _write_i(n)
    for matching_acls_item in m.matching_acls:
        _encode_delete_acls_matching_acl_v1(matching_acls_item, w)


def _encode_delete_acls_filter_result_v2(m: DeleteAclsFilterResult, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.matching_acls)
    put_uvarint(w, n + 1)
    for matching_acls_item in m.matching_acls:
        _encode_delete_acls_matching_acl_v2(matching_acls_item, w)
    w.append(0)


def _encode_delete_acls_response_v1(m: DeleteAclsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.filter_results)
    w += _write_i(n)
    for filter_results_item in m.filter_results:
        _encode_delete_acls_filter_result_v1(filter_results_item, w)


def _encode_delete_acls_response_v2(m: DeleteAclsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.filter_results)
    put_uvarint(w, n + 1)
    for filter_results_item in m.filter_results:
        _encode_delete_acls_filter_result_v2(filter_results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_delete_acls_response_v1, 2: _decode_delete_acls_response_v2, 3: _decode_delete_acls_response_v2}
_RESPONSE_ENCODERS = {1: _encode_delete_acls_response_v1, 2: _encode_delete_acls_response_v2, 3: _encode_delete_acls_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> DeleteAclsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteAclsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DeleteAclsResponse", version, pos, len(buf))
    return message


def encode_response(message: DeleteAclsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DeleteAclsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
