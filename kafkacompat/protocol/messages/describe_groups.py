"""DescribeGroups, API key 15: request and response in every version."""

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
    put_bytes,
    put_compact_bytes,
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

API_KEY = 15
MIN_VERSION = 0
MAX_VERSION = 6
FLEXIBLE_VERSION = 5


_write_t = Struct(">?").pack
_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack
_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_write_ix = Struct(">ix").pack


class DescribeGroupsRequest(Message):
    __slots__ = ("groups", "include_authorized_operations")

    def __init__(
        self,
        groups: Sequence[str] = (),
        include_authorized_operations: bool = False,
    ) -> None:
        self.groups = groups
        self.include_authorized_operations = include_authorized_operations


def _decode_describe_groups_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeGroupsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribeGroupsRequest.groups")
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("DescribeGroupsRequest.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        (n,) = _read_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_error("DescribeGroupsRequest.groups")
        end = pos + n
        groups.append(buf[pos:end].decode())
        pos = end
    return DescribeGroupsRequest(groups, False), pos


def _decode_describe_groups_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeGroupsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribeGroupsRequest.groups")
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("DescribeGroupsRequest.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        (n,) = _read_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_error("DescribeGroupsRequest.groups")
        end = pos + n
        groups.append(buf[pos:end].decode())
        pos = end
    include_authorized_operations = buf[pos] != 0
    pos += 1
    return DescribeGroupsRequest(groups, include_authorized_operations), pos


def _decode_describe_groups_request_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeGroupsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeGroupsRequest.groups")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("DescribeGroupsRequest.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("DescribeGroupsRequest.groups")
        end = pos + n - 1
        groups.append(buf[pos:end].decode())
        pos = end
    include_authorized_operations, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeGroupsRequest(groups, include_authorized_operations), pos


def _encode_describe_groups_request_v0(m: DescribeGroupsRequest, w: bytearray) -> None:
    if m.include_authorized_operations:
        raise UnsupportedFieldError("DescribeGroupsRequest.include_authorized_operations", "3+")
    n = len(m.groups)
    w += _write_i(n)
    for groups_item in m.groups:
        put_string(w, groups_item)


def _encode_describe_groups_request_v3(m: DescribeGroupsRequest, w: bytearray) -> None:
    n = len(m.groups)
    w += _write_i(n)
    for groups_item in m.groups:
        put_string(w, groups_item)
    w += _write_t(m.include_authorized_operations)


def _encode_describe_groups_request_v5(m: DescribeGroupsRequest, w: bytearray) -> None:
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        put_compact_string(w, groups_item)
    w += _write_tx(m.include_authorized_operations)


_REQUEST_DECODERS = {0: _decode_describe_groups_request_v0, 1: _decode_describe_groups_request_v0, 2: _decode_describe_groups_request_v0, 3: _decode_describe_groups_request_v3, 4: _decode_describe_groups_request_v3, 5: _decode_describe_groups_request_v5, 6: _decode_describe_groups_request_v5}
_REQUEST_ENCODERS = {0: _encode_describe_groups_request_v0, 1: _encode_describe_groups_request_v0, 2: _encode_describe_groups_request_v0, 3: _encode_describe_groups_request_v3, 4: _encode_describe_groups_request_v3, 5: _encode_describe_groups_request_v5, 6: _encode_describe_groups_request_v5}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeGroupsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeGroupsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeGroupsRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeGroupsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeGroupsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DescribedGroupMember(Message):
    __slots__ = ("member_id", "group_instance_id", "client_id", "client_host", "member_metadata", "member_assignment")

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        member_metadata: bytes = b"",
        member_assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.member_metadata = member_metadata
        self.member_assignment = member_assignment


class DescribedGroup(Message):
    __slots__ = ("error_code", "error_message", "group_id", "group_state", "protocol_type", "protocol_data", "members", "authorized_operations")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        protocol_type: str = "",
        protocol_data: str = "",
        members: Sequence[DescribedGroupMember] = (),
        authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.protocol_type = protocol_type
        self.protocol_data = protocol_data
        self.members = members
        self.authorized_operations = authorized_operations


class DescribeGroupsResponse(Message):
    __slots__ = ("throttle_time_ms", "groups")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: Sequence[DescribedGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups


def _decode_described_group_member_v0(buf: Buffer, pos: int) -> tuple[DescribedGroupMember, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroupMember.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroupMember.client_id")
    end = pos + n
    client_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroupMember.client_host")
    end = pos + n
    client_host = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedGroupMember.member_metadata")
    end = pos + n
    member_metadata = bytes(buf[pos:end])
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedGroupMember.member_assignment")
    end = pos + n
    member_assignment = bytes(buf[pos:end])
    pos = end
    return DescribedGroupMember(member_id, None, client_id, client_host, member_metadata, member_assignment), pos


def _decode_described_group_member_v4(buf: Buffer, pos: int) -> tuple[DescribedGroupMember, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroupMember.member_id")
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
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroupMember.client_id")
    end = pos + n
    client_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroupMember.client_host")
    end = pos + n
    client_host = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedGroupMember.member_metadata")
    end = pos + n
    member_metadata = bytes(buf[pos:end])
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedGroupMember.member_assignment")
    end = pos + n
    member_assignment = bytes(buf[pos:end])
    pos = end
    return DescribedGroupMember(member_id, group_instance_id, client_id, client_host, member_metadata, member_assignment), pos


def _decode_described_group_member_v5(buf: Buffer, pos: int) -> tuple[DescribedGroupMember, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroupMember.member_id")
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
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroupMember.client_id")
    end = pos + n - 1
    client_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroupMember.client_host")
    end = pos + n - 1
    client_host = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroupMember.member_metadata")
    end = pos + n - 1
    member_metadata = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroupMember.member_assignment")
    end = pos + n - 1
    member_assignment = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribedGroupMember(member_id, group_instance_id, client_id, client_host, member_metadata, member_assignment), pos


def _decode_described_group_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedGroup, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedGroup.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroup.group_state")
    end = pos + n
    group_state = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroup.protocol_type")
    end = pos + n
    protocol_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroup.protocol_data")
    end = pos + n
    protocol_data = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedGroup.members")
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("DescribedGroup.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_described_group_member_v0(buf, pos)
        members.append(members_item)
    return DescribedGroup(error_code, None, group_id, group_state, protocol_type, protocol_data, members, -2147483648), pos


def _decode_described_group_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedGroup, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedGroup.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroup.group_state")
    end = pos + n
    group_state = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroup.protocol_type")
    end = pos + n
    protocol_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroup.protocol_data")
    end = pos + n
    protocol_data = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedGroup.members")
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("DescribedGroup.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_described_group_member_v0(buf, pos)
        members.append(members_item)
    (authorized_operations,) = _read_i(buf, pos)
    pos += 4
    return DescribedGroup(error_code, None, group_id, group_state, protocol_type, protocol_data, members, authorized_operations), pos


def _decode_described_group_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedGroup, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedGroup.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroup.group_state")
    end = pos + n
    group_state = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroup.protocol_type")
    end = pos + n
    protocol_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribedGroup.protocol_data")
    end = pos + n
    protocol_data = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribedGroup.members")
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("DescribedGroup.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_described_group_member_v4(buf, pos)
        members.append(members_item)
    (authorized_operations,) = _read_i(buf, pos)
    pos += 4
    return DescribedGroup(error_code, None, group_id, group_state, protocol_type, protocol_data, members, authorized_operations), pos


def _decode_described_group_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedGroup, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.group_state")
    end = pos + n - 1
    group_state = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.protocol_type")
    end = pos + n - 1
    protocol_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.protocol_data")
    end = pos + n - 1
    protocol_data = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.members")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("DescribedGroup.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_described_group_member_v5(buf, pos)
        members.append(members_item)
    authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribedGroup(error_code, None, group_id, group_state, protocol_type, protocol_data, members, authorized_operations), pos


def _decode_described_group_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedGroup, int]:
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
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.group_state")
    end = pos + n - 1
    group_state = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.protocol_type")
    end = pos + n - 1
    protocol_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.protocol_data")
    end = pos + n - 1
    protocol_data = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.members")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("DescribedGroup.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_described_group_member_v5(buf, pos)
        members.append(members_item)
    authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribedGroup(error_code, error_message, group_id, group_state, protocol_type, protocol_data, members, authorized_operations), pos


def _decode_describe_groups_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeGroupsResponse, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribeGroupsResponse.groups")
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("DescribeGroupsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v0(buf, pos, budget)
        groups.append(groups_item)
    return DescribeGroupsResponse(0, groups), pos


def _decode_describe_groups_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeGroupsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("DescribeGroupsResponse.groups")
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("DescribeGroupsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v0(buf, pos, budget)
        groups.append(groups_item)
    return DescribeGroupsResponse(throttle_time_ms, groups), pos


def _decode_describe_groups_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeGroupsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("DescribeGroupsResponse.groups")
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("DescribeGroupsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v3(buf, pos, budget)
        groups.append(groups_item)
    return DescribeGroupsResponse(throttle_time_ms, groups), pos


def _decode_describe_groups_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeGroupsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("DescribeGroupsResponse.groups")
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("DescribeGroupsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v4(buf, pos, budget)
        groups.append(groups_item)
    return DescribeGroupsResponse(throttle_time_ms, groups), pos


def _decode_describe_groups_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeGroupsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeGroupsResponse.groups")
    n -= 1
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("DescribeGroupsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v5(buf, pos, budget)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeGroupsResponse(throttle_time_ms, groups), pos


def _decode_describe_groups_response_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeGroupsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeGroupsResponse.groups")
    n -= 1
    if n > budget[0] or n * 13 > len(buf) - pos:
        raise count_error("DescribeGroupsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v6(buf, pos, budget)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeGroupsResponse(throttle_time_ms, groups), pos


def _encode_described_group_member_v0(m: DescribedGroupMember, w: bytearray) -> None:
    put_string(w, m.member_id)
    put_string(w, m.client_id)
    put_string(w, m.client_host)
    put_bytes(w, m.member_metadata)
    put_bytes(w, m.member_assignment)


def _encode_described_group_member_v4(m: DescribedGroupMember, w: bytearray) -> None:
    put_string(w, m.member_id)
    put_nullable_string(w, m.group_instance_id)
    put_string(w, m.client_id)
    put_string(w, m.client_host)
    put_bytes(w, m.member_metadata)
    put_bytes(w, m.member_assignment)


def _encode_described_group_member_v5(m: DescribedGroupMember, w: bytearray) -> None:
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    put_compact_string(w, m.client_id)
    put_compact_string(w, m.client_host)
    put_compact_bytes(w, m.member_metadata)
    put_compact_bytes(w, m.member_assignment)
    w.append(0)


def _encode_described_group_v0(m: DescribedGroup, w: bytearray) -> None:
    if m.error_message is not None:
        raise UnsupportedFieldError("DescribedGroup.error_message", "6+")
    if m.authorized_operations != -2147483648:
        raise UnsupportedFieldError("DescribedGroup.authorized_operations", "3+")
    w += _write_h(m.error_code)
    put_string(w, m.group_id)
    put_string(w, m.group_state)
    put_string(w, m.protocol_type)
    put_string(w, m.protocol_data)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_described_group_member_v0(members_item, w)


def _encode_described_group_v3(m: DescribedGroup, w: bytearray) -> None:
    if m.error_message is not None:
        raise UnsupportedFieldError("DescribedGroup.error_message", "6+")
    w += _write_h(m.error_code)
    put_string(w, m.group_id)
    put_string(w, m.group_state)
    put_string(w, m.protocol_type)
    put_string(w, m.protocol_data)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_described_group_member_v0(members_item, w)
    w += _write_i(m.authorized_operations)


def _encode_described_group_v4(m: DescribedGroup, w: bytearray) -> None:
    if m.error_message is not None:
        raise UnsupportedFieldError("DescribedGroup.error_message", "6+")
    w += _write_h(m.error_code)
    put_string(w, m.group_id)
    put_string(w, m.group_state)
    put_string(w, m.protocol_type)
    put_string(w, m.protocol_data)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_described_group_member_v4(members_item, w)
    w += _write_i(m.authorized_operations)


def _encode_described_group_v5(m: DescribedGroup, w: bytearray) -> None:
    if m.error_message is not None:
        raise UnsupportedFieldError("DescribedGroup.error_message", "6+")
    w += _write_h(m.error_code)
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.group_state)
    put_compact_string(w, m.protocol_type)
    put_compact_string(w, m.protocol_data)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_described_group_member_v5(members_item, w)
    w += _write_ix(m.authorized_operations)


def _encode_described_group_v6(m: DescribedGroup, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.group_state)
    put_compact_string(w, m.protocol_type)
    put_compact_string(w, m.protocol_data)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_described_group_member_v5(members_item, w)
    w += _write_ix(m.authorized_operations)


def _encode_describe_groups_response_v0(m: DescribeGroupsResponse, w: bytearray) -> None:
    n = len(m.groups)
    w += _write_i(n)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_described_group_v0(groups_item, w)


def _encode_describe_groups_response_v1(m: DescribeGroupsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    w += _write_i(n)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_described_group_v0(groups_item, w)


def _encode_describe_groups_response_v3(m: DescribeGroupsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    w += _write_i(n)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_described_group_v3(groups_item, w)


def _encode_describe_groups_response_v4(m: DescribeGroupsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    w += _write_i(n)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_described_group_v4(groups_item, w)


def _encode_describe_groups_response_v5(m: DescribeGroupsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_described_group_v5(groups_item, w)
    w.append(0)


def _encode_describe_groups_response_v6(m: DescribeGroupsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_described_group_v6(groups_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_describe_groups_response_v0, 1: _decode_describe_groups_response_v1, 2: _decode_describe_groups_response_v1, 3: _decode_describe_groups_response_v3, 4: _decode_describe_groups_response_v4, 5: _decode_describe_groups_response_v5, 6: _decode_describe_groups_response_v6}
_RESPONSE_ENCODERS = {0: _encode_describe_groups_response_v0, 1: _encode_describe_groups_response_v1, 2: _encode_describe_groups_response_v1, 3: _encode_describe_groups_response_v3, 4: _encode_describe_groups_response_v4, 5: _encode_describe_groups_response_v5, 6: _encode_describe_groups_response_v6}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeGroupsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeGroupsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeGroupsResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeGroupsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeGroupsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)


_DESCRIBED_GROUP_ENCODERS = {0: _encode_described_group_v0, 1: _encode_described_group_v0, 2: _encode_described_group_v0, 3: _encode_described_group_v3, 4: _encode_described_group_v4, 5: _encode_described_group_v5, 6: _encode_described_group_v6}


def encode_described_group(item: DescribedGroup, version: int) -> bytes:
    if version not in _DESCRIBED_GROUP_ENCODERS:
        raise UnsupportedVersionError("DescribedGroup", version)
    w = bytearray()
    _DESCRIBED_GROUP_ENCODERS[version](item, w)
    return bytes(w)
