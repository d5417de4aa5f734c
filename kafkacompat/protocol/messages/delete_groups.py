"""DeleteGroups, API key 42: request and response in every version."""

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

API_KEY = 42
MIN_VERSION = 0
MAX_VERSION = 3
FLEXIBLE_VERSION = 2


_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_hx = Struct(">hx").pack
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from


class DeleteGroupsRequest(Message):
    __slots__ = ("groups_names",)

    def __init__(
        self,
        groups_names: Sequence[str] = (),
    ) -> None:
        self.groups_names = groups_names


def _decode_delete_groups_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteGroupsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DeleteGroupsRequest.groups_names")
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("DeleteGroupsRequest.groups_names", n)
    budget[0] -= n
    groups_names = []
    for _ in range(n):
        (n,) = _read_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_error("DeleteGroupsRequest.groups_names")
        end = pos + n
        groups_names.append(buf[pos:end].decode())
        pos = end
    return DeleteGroupsRequest(groups_names), pos


def _decode_delete_groups_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteGroupsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteGroupsRequest.groups_names")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("DeleteGroupsRequest.groups_names", n)
    budget[0] -= n
    groups_names = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("DeleteGroupsRequest.groups_names")
        end = pos + n - 1
        groups_names.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteGroupsRequest(groups_names), pos


def _encode_delete_groups_request_v0(m: DeleteGroupsRequest, w: bytearray) -> None:
    n = len(m.groups_names)
    w += _write_i(n)
    for groups_names_item in m.groups_names:
        put_string(w, groups_names_item)


def _encode_delete_groups_request_v2(m: DeleteGroupsRequest, w: bytearray) -> None:
    n = len(m.groups_names)
    put_uvarint(w, n + 1)
    for groups_names_item in m.groups_names:
        put_compact_string(w, groups_names_item)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_delete_groups_request_v0, 1: _decode_delete_groups_request_v0, 2: _decode_delete_groups_request_v2, 3: _decode_delete_groups_request_v2}
_REQUEST_ENCODERS = {0: _encode_delete_groups_request_v0, 1: _encode_delete_groups_request_v0, 2: _encode_delete_groups_request_v2, 3: _encode_delete_groups_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> DeleteGroupsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteGroupsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DeleteGroupsRequest", version, pos, len(buf))
    return message


def encode_request(message: DeleteGroupsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DeleteGroupsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DeletableGroupResult(Message):
    __slots__ = ("group_id", "error_code", "error_message")

    def __init__(
        self,
        group_id: str = "",
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.error_code = error_code
        self.error_message = error_message


class DeleteGroupsResponse(Message):
    __slots__ = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: Sequence[DeletableGroupResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _decode_deletable_group_result_v0(buf: Buffer, pos: int) -> tuple[DeletableGroupResult, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DeletableGroupResult.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (error_code,) = _read_h(buf, pos)
    pos += 2
    return DeletableGroupResult(group_id, error_code, None), pos


def _decode_deletable_group_result_v2(buf: Buffer, pos: int) -> tuple[DeletableGroupResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeletableGroupResult.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return DeletableGroupResult(group_id, error_code, None), pos


def _decode_deletable_group_result_v3(buf: Buffer, pos: int) -> tuple[DeletableGroupResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeletableGroupResult.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
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
    return DeletableGroupResult(group_id, error_code, error_message), pos


def _decode_delete_groups_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteGroupsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("DeleteGroupsResponse.results")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DeleteGroupsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_deletable_group_result_v0(buf, pos)
        results.append(results_item)
    return DeleteGroupsResponse(throttle_time_ms, results), pos


def _decode_delete_groups_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteGroupsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteGroupsResponse.results")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DeleteGroupsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_deletable_group_result_v2(buf, pos)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteGroupsResponse(throttle_time_ms, results), pos


def _decode_delete_groups_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteGroupsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteGroupsResponse.results")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("DeleteGroupsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_deletable_group_result_v3(buf, pos)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteGroupsResponse(throttle_time_ms, results), pos


def _encode_deletable_group_result_v0(m: DeletableGroupResult, w: bytearray) -> None:
    put_string(w, m.group_id)
    w += _write_h(m.error_code)


def _encode_deletable_group_result_v2(m: DeletableGroupResult, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    w += _write_hx(m.error_code)


def _encode_deletable_group_result_v3(m: DeletableGroupResult, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_delete_groups_response_v0(m: DeleteGroupsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    w += _write_i(n)
    for results_item in m.results:
        _encode_deletable_group_result_v0(results_item, w)


def _encode_delete_groups_response_v2(m: DeleteGroupsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_deletable_group_result_v2(results_item, w)
    w.append(0)


def _encode_delete_groups_response_v3(m: DeleteGroupsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_deletable_group_result_v3(results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_delete_groups_response_v0, 1: _decode_delete_groups_response_v0, 2: _decode_delete_groups_response_v2, 3: _decode_delete_groups_response_v3}
_RESPONSE_ENCODERS = {0: _encode_delete_groups_response_v0, 1: _encode_delete_groups_response_v0, 2: _encode_delete_groups_response_v2, 3: _encode_delete_groups_response_v3}


def decode_response(buf: Buffer, pos: int, version: int) -> DeleteGroupsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteGroupsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DeleteGroupsResponse", version, pos, len(buf))
    return message


def encode_response(message: DeleteGroupsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DeleteGroupsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
