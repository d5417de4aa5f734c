"""LeaveGroup, API key 13: request and response in every version."""

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

API_KEY = 13
MIN_VERSION = 0
MAX_VERSION = 5
FLEXIBLE_VERSION = 4


_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_hx = Struct(">hx").pack
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ihi = Struct(">ihi").unpack_from


class MemberIdentity(Message):
    __slots__ = ("member_id", "group_instance_id", "reason")

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        reason: str | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.reason = reason


class LeaveGroupRequest(Message):
    __slots__ = ("group_id", "member_id", "members")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        members: Sequence[MemberIdentity] = (),
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.members = members


def _decode_member_identity_v3(buf: Buffer, pos: int) -> tuple[MemberIdentity, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MemberIdentity.member_id")
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
    return MemberIdentity(member_id, group_instance_id, None), pos


def _decode_member_identity_v4(buf: Buffer, pos: int) -> tuple[MemberIdentity, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("MemberIdentity.member_id")
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
    return MemberIdentity(member_id, group_instance_id, None), pos


def _decode_member_identity_v5(buf: Buffer, pos: int) -> tuple[MemberIdentity, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("MemberIdentity.member_id")
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
    reason: str | None
    if not n:
        reason = None
    else:
        end = pos + n - 1
        reason = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return MemberIdentity(member_id, group_instance_id, reason), pos


def _decode_leave_group_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[LeaveGroupRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("LeaveGroupRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("LeaveGroupRequest.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    return LeaveGroupRequest(group_id, member_id, ()), pos


def _decode_leave_group_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[LeaveGroupRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("LeaveGroupRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("LeaveGroupRequest.members")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("LeaveGroupRequest.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_identity_v3(buf, pos)
        members.append(members_item)
    return LeaveGroupRequest(group_id, "", members), pos


def _decode_leave_group_request_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[LeaveGroupRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("LeaveGroupRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("LeaveGroupRequest.members")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("LeaveGroupRequest.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_identity_v4(buf, pos)
        members.append(members_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaveGroupRequest(group_id, "", members), pos


def _decode_leave_group_request_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[LeaveGroupRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("LeaveGroupRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("LeaveGroupRequest.members")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("LeaveGroupRequest.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_identity_v5(buf, pos)
        members.append(members_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaveGroupRequest(group_id, "", members), pos


def _encode_member_identity_v3(m: MemberIdentity, w: bytearray) -> None:
    put_string(w, m.member_id)
    put_nullable_string(w, m.group_instance_id)


def _encode_member_identity_v4(m: MemberIdentity, w: bytearray) -> None:
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    w.append(0)


def _encode_member_identity_v5(m: MemberIdentity, w: bytearray) -> None:
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    put_compact_nullable_string(w, m.reason)
    w.append(0)


def _encode_leave_group_request_v0(m: LeaveGroupRequest, w: bytearray) -> None:
    if m.members:
        raise UnsupportedFieldError("LeaveGroupRequest.members", "3+")
    put_string(w, m.group_id)
    put_string(w, m.member_id)


def _encode_leave_group_request_v3(m: LeaveGroupRequest, w: bytearray) -> None:
    if m.member_id != "":
        raise UnsupportedFieldError("LeaveGroupRequest.member_id", "0-2")
    put_string(w, m.group_id)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_member_identity_v3(members_item, w)


def _encode_leave_group_request_v4(m: LeaveGroupRequest, w: bytearray) -> None:
    if m.member_id != "":
        raise UnsupportedFieldError("LeaveGroupRequest.member_id", "0-2")
    put_compact_string(w, m.group_id)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_member_identity_v4(members_item, w)
    w.append(0)


def _encode_leave_group_request_v5(m: LeaveGroupRequest, w: bytearray) -> None:
    if m.member_id != "":
        raise UnsupportedFieldError("LeaveGroupRequest.member_id", "0-2")
    put_compact_string(w, m.group_id)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_member_identity_v5(members_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_leave_group_request_v0, 1: _decode_leave_group_request_v0, 2: _decode_leave_group_request_v0, 3: _decode_leave_group_request_v3, 4: _decode_leave_group_request_v4, 5: _decode_leave_group_request_v5}
_REQUEST_ENCODERS = {0: _encode_leave_group_request_v0, 1: _encode_leave_group_request_v0, 2: _encode_leave_group_request_v0, 3: _encode_leave_group_request_v3, 4: _encode_leave_group_request_v4, 5: _encode_leave_group_request_v5}


def decode_request(buf: Buffer, pos: int, version: int) -> LeaveGroupRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("LeaveGroupRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("LeaveGroupRequest", version, pos, len(buf))
    return message


def encode_request(message: LeaveGroupRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("LeaveGroupRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class MemberResponse(Message):
    __slots__ = ("member_id", "group_instance_id", "error_code")

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = "",
        error_code: int = 0,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.error_code = error_code


class LeaveGroupResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "members")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        members: Sequence[MemberResponse] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.members = members


def _decode_member_response_v3(buf: Buffer, pos: int) -> tuple[MemberResponse, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MemberResponse.member_id")
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
    (error_code,) = _read_h(buf, pos)
    pos += 2
    return MemberResponse(member_id, group_instance_id, error_code), pos


def _decode_member_response_v4(buf: Buffer, pos: int) -> tuple[MemberResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("MemberResponse.member_id")
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
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return MemberResponse(member_id, group_instance_id, error_code), pos


def _decode_leave_group_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[LeaveGroupResponse, int]:
    (error_code,) = _read_h(buf, pos)
    pos += 2
    return LeaveGroupResponse(0, error_code, ()), pos


def _decode_leave_group_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[LeaveGroupResponse, int]:
    throttle_time_ms, error_code = _read_ih(buf, pos)
    pos += 6
    return LeaveGroupResponse(throttle_time_ms, error_code, ()), pos


def _decode_leave_group_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[LeaveGroupResponse, int]:
    throttle_time_ms, error_code, n = _read_ihi(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("LeaveGroupResponse.members")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("LeaveGroupResponse.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_response_v3(buf, pos)
        members.append(members_item)
    return LeaveGroupResponse(throttle_time_ms, error_code, members), pos


def _decode_leave_group_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[LeaveGroupResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("LeaveGroupResponse.members")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("LeaveGroupResponse.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_response_v4(buf, pos)
        members.append(members_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaveGroupResponse(throttle_time_ms, error_code, members), pos


def _encode_member_response_v3(m: MemberResponse, w: bytearray) -> None:
    put_string(w, m.member_id)
    put_nullable_string(w, m.group_instance_id)
    w += _write_h(m.error_code)


def _encode_member_response_v4(m: MemberResponse, w: bytearray) -> None:
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    w += _write_hx(m.error_code)


def _encode_leave_group_response_v0(m: LeaveGroupResponse, w: bytearray) -> None:
    if m.members:
        raise UnsupportedFieldError("LeaveGroupResponse.members", "3+")
    w += _write_h(m.error_code)


def _encode_leave_group_response_v1(m: LeaveGroupResponse, w: bytearray) -> None:
    if m.members:
        raise UnsupportedFieldError("LeaveGroupResponse.members", "3+")
    w += _write_ih(m.throttle_time_ms, m.error_code)


def _encode_leave_group_response_v3(m: LeaveGroupResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_member_response_v3(members_item, w)


def _encode_leave_group_response_v4(m: LeaveGroupResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_member_response_v4(members_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_leave_group_response_v0, 1: _decode_leave_group_response_v1, 2: _decode_leave_group_response_v1, 3: _decode_leave_group_response_v3, 4: _decode_leave_group_response_v4, 5: _decode_leave_group_response_v4}
_RESPONSE_ENCODERS = {0: _encode_leave_group_response_v0, 1: _encode_leave_group_response_v1, 2: _encode_leave_group_response_v1, 3: _encode_leave_group_response_v3, 4: _encode_leave_group_response_v4, 5: _encode_leave_group_response_v4}


def decode_response(buf: Buffer, pos: int, version: int) -> LeaveGroupResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("LeaveGroupResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("LeaveGroupResponse", version, pos, len(buf))
    return message


def encode_response(message: LeaveGroupResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("LeaveGroupResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
