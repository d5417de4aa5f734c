"""ListGroups, API key 16: request and response in every version."""

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

API_KEY = 16
MIN_VERSION = 0
MAX_VERSION = 5
FLEXIBLE_VERSION = 3


_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hi = Struct(">hi").unpack_from
_write_i = Struct(">i").pack
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ihi = Struct(">ihi").unpack_from


class ListGroupsRequest(Message):
    __slots__ = ("states_filter", "types_filter")

    def __init__(
        self,
        states_filter: Sequence[str] = (),
        types_filter: Sequence[str] = (),
    ) -> None:
        self.states_filter = states_filter
        self.types_filter = types_filter


def _decode_list_groups_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListGroupsRequest, int]:
    return ListGroupsRequest((), ()), pos


def _decode_list_groups_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListGroupsRequest, int]:
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListGroupsRequest((), ()), pos


def _decode_list_groups_request_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListGroupsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListGroupsRequest.states_filter")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ListGroupsRequest.states_filter", n)
    budget[0] -= n
    states_filter = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("ListGroupsRequest.states_filter")
        end = pos + n - 1
        states_filter.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListGroupsRequest(states_filter, ()), pos


def _decode_list_groups_request_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListGroupsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListGroupsRequest.states_filter")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ListGroupsRequest.states_filter", n)
    budget[0] -= n
    states_filter = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("ListGroupsRequest.states_filter")
        end = pos + n - 1
        states_filter.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListGroupsRequest.types_filter")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ListGroupsRequest.types_filter", n)
    budget[0] -= n
    types_filter = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("ListGroupsRequest.types_filter")
        end = pos + n - 1
        types_filter.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListGroupsRequest(states_filter, types_filter), pos


def _encode_list_groups_request_v0(m: ListGroupsRequest, w: bytearray) -> None:
    if m.states_filter:
        raise UnsupportedFieldError("ListGroupsRequest.states_filter", "4+")
    if m.types_filter:
        raise UnsupportedFieldError("ListGroupsRequest.types_filter", "5+")


def _encode_list_groups_request_v3(m: ListGroupsRequest, w: bytearray) -> None:
    if m.states_filter:
        raise UnsupportedFieldError("ListGroupsRequest.states_filter", "4+")
    if m.types_filter:
        raise UnsupportedFieldError("ListGroupsRequest.types_filter", "5+")
    w.append(0)


def _encode_list_groups_request_v4(m: ListGroupsRequest, w: bytearray) -> None:
    if m.types_filter:
        raise UnsupportedFieldError("ListGroupsRequest.types_filter", "5+")
    n = len(m.states_filter)
    put_uvarint(w, n + 1)
    for states_filter_item in m.states_filter:
        put_compact_string(w, states_filter_item)
    w.append(0)


def _encode_list_groups_request_v5(m: ListGroupsRequest, w: bytearray) -> None:
    n = len(m.states_filter)
    put_uvarint(w, n + 1)
    for states_filter_item in m.states_filter:
        put_compact_string(w, states_filter_item)
    n = len(m.types_filter)
    put_uvarint(w, n + 1)
    for types_filter_item in m.types_filter:
        put_compact_string(w, types_filter_item)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_list_groups_request_v0, 1: _decode_list_groups_request_v0, 2: _decode_list_groups_request_v0, 3: _decode_list_groups_request_v3, 4: _decode_list_groups_request_v4, 5: _decode_list_groups_request_v5}
_REQUEST_ENCODERS = {0: _encode_list_groups_request_v0, 1: _encode_list_groups_request_v0, 2: _encode_list_groups_request_v0, 3: _encode_list_groups_request_v3, 4: _encode_list_groups_request_v4, 5: _encode_list_groups_request_v5}


def decode_request(buf: Buffer, pos: int, version: int) -> ListGroupsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ListGroupsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ListGroupsRequest", version, pos, len(buf))
    return message


def encode_request(message: ListGroupsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ListGroupsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class ListedGroup(Message):
    __slots__ = ("group_id", "protocol_type", "group_state", "group_type")

    def __init__(
        self,
        group_id: str = "",
        protocol_type: str = "",
        group_state: str = "",
        group_type: str = "",
    ) -> None:
        self.group_id = group_id
        self.protocol_type = protocol_type
        self.group_state = group_state
        self.group_type = group_type


class ListGroupsResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "groups")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        groups: Sequence[ListedGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.groups = groups


def _decode_listed_group_v0(buf: Buffer, pos: int) -> tuple[ListedGroup, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ListedGroup.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ListedGroup.protocol_type")
    end = pos + n
    protocol_type = buf[pos:end].decode()
    pos = end
    return ListedGroup(group_id, protocol_type, "", ""), pos


def _decode_listed_group_v3(buf: Buffer, pos: int) -> tuple[ListedGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListedGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListedGroup.protocol_type")
    end = pos + n - 1
    protocol_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListedGroup(group_id, protocol_type, "", ""), pos


def _decode_listed_group_v4(buf: Buffer, pos: int) -> tuple[ListedGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListedGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListedGroup.protocol_type")
    end = pos + n - 1
    protocol_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListedGroup.group_state")
    end = pos + n - 1
    group_state = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListedGroup(group_id, protocol_type, group_state, ""), pos


def _decode_listed_group_v5(buf: Buffer, pos: int) -> tuple[ListedGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListedGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListedGroup.protocol_type")
    end = pos + n - 1
    protocol_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListedGroup.group_state")
    end = pos + n - 1
    group_state = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListedGroup.group_type")
    end = pos + n - 1
    group_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListedGroup(group_id, protocol_type, group_state, group_type), pos


def _decode_list_groups_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListGroupsResponse, int]:
    error_code, n = _read_hi(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("ListGroupsResponse.groups")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("ListGroupsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_listed_group_v0(buf, pos)
        groups.append(groups_item)
    return ListGroupsResponse(0, error_code, groups), pos


def _decode_list_groups_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihi(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("ListGroupsResponse.groups")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("ListGroupsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_listed_group_v0(buf, pos)
        groups.append(groups_item)
    return ListGroupsResponse(throttle_time_ms, error_code, groups), pos


def _decode_list_groups_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListGroupsResponse.groups")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ListGroupsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_listed_group_v3(buf, pos)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListGroupsResponse(throttle_time_ms, error_code, groups), pos


def _decode_list_groups_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListGroupsResponse.groups")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("ListGroupsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_listed_group_v4(buf, pos)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListGroupsResponse(throttle_time_ms, error_code, groups), pos


def _decode_list_groups_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListGroupsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListGroupsResponse.groups")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("ListGroupsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_listed_group_v5(buf, pos)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListGroupsResponse(throttle_time_ms, error_code, groups), pos


def _encode_listed_group_v0(m: ListedGroup, w: bytearray) -> None:
    put_string(w, m.group_id)
    put_string(w, m.protocol_type)


def _encode_listed_group_v3(m: ListedGroup, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.protocol_type)
    w.append(0)


def _encode_listed_group_v4(m: ListedGroup, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.protocol_type)
    put_compact_string(w, m.group_state)
    w.append(0)


def _encode_listed_group_v5(m: ListedGroup, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.protocol_type)
    put_compact_string(w, m.group_state)
    put_compact_string(w, m.group_type)
    w.append(0)


def _encode_list_groups_response_v0(m: ListGroupsResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    n = len(m.groups)
    w += _write_i(n)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_listed_group_v0(groups_item, w)


def _encode_list_groups_response_v1(m: ListGroupsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.groups)
    w += _write_i(n)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_listed_group_v0(groups_item, w)


def _encode_list_groups_response_v3(m: ListGroupsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_listed_group_v3(groups_item, w)
    w.append(0)


def _encode_list_groups_response_v4(m: ListGroupsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_listed_group_v4(groups_item, w)
    w.append(0)


def _encode_list_groups_response_v5(m: ListGroupsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_listed_group_v5(groups_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_list_groups_response_v0, 1: _decode_list_groups_response_v1, 2: _decode_list_groups_response_v1, 3: _decode_list_groups_response_v3, 4: _decode_list_groups_response_v4, 5: _decode_list_groups_response_v5}
_RESPONSE_ENCODERS = {0: _encode_list_groups_response_v0, 1: _encode_list_groups_response_v1, 2: _encode_list_groups_response_v1, 3: _encode_list_groups_response_v3, 4: _encode_list_groups_response_v4, 5: _encode_list_groups_response_v5}


def decode_response(buf: Buffer, pos: int, version: int) -> ListGroupsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ListGroupsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ListGroupsResponse", version, pos, len(buf))
    return message


def encode_response(message: ListGroupsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ListGroupsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)


_LISTED_GROUP_ENCODERS = {0: _encode_listed_group_v0, 1: _encode_listed_group_v0, 2: _encode_listed_group_v0, 3: _encode_listed_group_v3, 4: _encode_listed_group_v4, 5: _encode_listed_group_v5}


def encode_listed_group(item: ListedGroup, version: int) -> bytes:
    if version not in _LISTED_GROUP_ENCODERS:
        raise UnsupportedVersionError("ListedGroup", version)
    w = bytearray()
    _LISTED_GROUP_ENCODERS[version](item, w)
    return bytes(w)
