"""JoinGroup, API key 11: request and response in every version."""

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
    null_field_error,
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

API_KEY = 11
MIN_VERSION = 0
MAX_VERSION = 9
FLEXIBLE_VERSION = 6


_write_t = Struct(">?").pack
_read_tB = Struct(">?B").unpack_from
_read_h = Struct(">h").unpack_from
_write_hi = Struct(">hi").pack
_read_hih = Struct(">hih").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_ih = Struct(">ih").unpack_from
_write_ihi = Struct(">ihi").pack
_read_ihiB = Struct(">ihiB").unpack_from
_read_ihih = Struct(">ihih").unpack_from
_write_ii = Struct(">ii").pack
_read_iiB = Struct(">iiB").unpack_from
_read_iih = Struct(">iih").unpack_from


class JoinGroupRequestProtocol(Message):
    __slots__ = ("name", "metadata")

    def __init__(
        self,
        name: str = "",
        metadata: bytes = b"",
    ) -> None:
        self.name = name
        self.metadata = metadata


class JoinGroupRequest(Message):
    __slots__ = ("group_id", "session_timeout_ms", "rebalance_timeout_ms", "member_id", "group_instance_id", "protocol_type", "protocols", "reason")

    def __init__(
        self,
        group_id: str = "",
        session_timeout_ms: int = 0,
        rebalance_timeout_ms: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str = "",
        protocols: Sequence[JoinGroupRequestProtocol] = (),
        reason: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocols = protocols
        self.reason = reason


def _decode_join_group_request_protocol_v0(buf: Buffer, pos: int) -> tuple[JoinGroupRequestProtocol, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupRequestProtocol.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("JoinGroupRequestProtocol.metadata")
    end = pos + n
    metadata = bytes(buf[pos:end])
    pos = end
    return JoinGroupRequestProtocol(name, metadata), pos


def _decode_join_group_request_protocol_v6(buf: Buffer, pos: int) -> tuple[JoinGroupRequestProtocol, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupRequestProtocol.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupRequestProtocol.metadata")
    end = pos + n - 1
    metadata = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return JoinGroupRequestProtocol(name, metadata), pos


def _decode_join_group_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[JoinGroupRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    session_timeout_ms, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("JoinGroupRequest.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupRequest.protocol_type")
    end = pos + n
    protocol_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("JoinGroupRequest.protocols")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("JoinGroupRequest.protocols", n)
    budget[0] -= n
    protocols = []
    for _ in range(n):
        protocols_item, pos = _decode_join_group_request_protocol_v0(buf, pos)
        protocols.append(protocols_item)
    return JoinGroupRequest(group_id, session_timeout_ms, -1, member_id, None, protocol_type, protocols, None), pos


def _decode_join_group_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[JoinGroupRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    session_timeout_ms, rebalance_timeout_ms, n = _read_iih(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("JoinGroupRequest.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupRequest.protocol_type")
    end = pos + n
    protocol_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("JoinGroupRequest.protocols")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("JoinGroupRequest.protocols", n)
    budget[0] -= n
    protocols = []
    for _ in range(n):
        protocols_item, pos = _decode_join_group_request_protocol_v0(buf, pos)
        protocols.append(protocols_item)
    return JoinGroupRequest(group_id, session_timeout_ms, rebalance_timeout_ms, member_id, None, protocol_type, protocols, None), pos


def _decode_join_group_request_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[JoinGroupRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    session_timeout_ms, rebalance_timeout_ms, n = _read_iih(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("JoinGroupRequest.member_id")
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
        raise null_error("JoinGroupRequest.protocol_type")
    end = pos + n
    protocol_type = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("JoinGroupRequest.protocols")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("JoinGroupRequest.protocols", n)
    budget[0] -= n
    protocols = []
    for _ in range(n):
        protocols_item, pos = _decode_join_group_request_protocol_v0(buf, pos)
        protocols.append(protocols_item)
    return JoinGroupRequest(group_id, session_timeout_ms, rebalance_timeout_ms, member_id, group_instance_id, protocol_type, protocols, None), pos


def _decode_join_group_request_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[JoinGroupRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    session_timeout_ms, rebalance_timeout_ms, n = _read_iiB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupRequest.member_id")
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
        raise null_error("JoinGroupRequest.protocol_type")
    end = pos + n - 1
    protocol_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupRequest.protocols")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("JoinGroupRequest.protocols", n)
    budget[0] -= n
    protocols = []
    for _ in range(n):
        protocols_item, pos = _decode_join_group_request_protocol_v6(buf, pos)
        protocols.append(protocols_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return JoinGroupRequest(group_id, session_timeout_ms, rebalance_timeout_ms, member_id, group_instance_id, protocol_type, protocols, None), pos


def _decode_join_group_request_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[JoinGroupRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    session_timeout_ms, rebalance_timeout_ms, n = _read_iiB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupRequest.member_id")
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
        raise null_error("JoinGroupRequest.protocol_type")
    end = pos + n - 1
    protocol_type = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupRequest.protocols")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("JoinGroupRequest.protocols", n)
    budget[0] -= n
    protocols = []
    for _ in range(n):
        protocols_item, pos = _decode_join_group_request_protocol_v6(buf, pos)
        protocols.append(protocols_item)
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
    return JoinGroupRequest(group_id, session_timeout_ms, rebalance_timeout_ms, member_id, group_instance_id, protocol_type, protocols, reason), pos


def _encode_join_group_request_protocol_v0(m: JoinGroupRequestProtocol, w: bytearray) -> None:
    put_string(w, m.name)
    put_bytes(w, m.metadata)


def _encode_join_group_request_protocol_v6(m: JoinGroupRequestProtocol, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_bytes(w, m.metadata)
    w.append(0)


def _encode_join_group_request_v0(m: JoinGroupRequest, w: bytearray) -> None:
    if m.group_instance_id is not None:
        raise UnsupportedFieldError("JoinGroupRequest.group_instance_id", "5+")
    put_string(w, m.group_id)
    w += _write_i(m.session_timeout_ms)
    put_string(w, m.member_id)
    put_string(w, m.protocol_type)
    n = len(m.protocols)
    w += _write_i(n)
    for protocols_item in m.protocols:
        _encode_join_group_request_protocol_v0(protocols_item, w)


def _encode_join_group_request_v1(m: JoinGroupRequest, w: bytearray) -> None:
    if m.group_instance_id is not None:
        raise UnsupportedFieldError("JoinGroupRequest.group_instance_id", "5+")
    put_string(w, m.group_id)
    w += _write_ii(m.session_timeout_ms, m.rebalance_timeout_ms)
    put_string(w, m.member_id)
    put_string(w, m.protocol_type)
    n = len(m.protocols)
    w += _write_i(n)
    for protocols_item in m.protocols:
        _encode_join_group_request_protocol_v0(protocols_item, w)


def _encode_join_group_request_v5(m: JoinGroupRequest, w: bytearray) -> None:
    put_string(w, m.group_id)
    w += _write_ii(m.session_timeout_ms, m.rebalance_timeout_ms)
    put_string(w, m.member_id)
    put_nullable_string(w, m.group_instance_id)
    put_string(w, m.protocol_type)
    n = len(m.protocols)
    w += _write_i(n)
    for protocols_item in m.protocols:
        _encode_join_group_request_protocol_v0(protocols_item, w)


def _encode_join_group_request_v6(m: JoinGroupRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    w += _write_ii(m.session_timeout_ms, m.rebalance_timeout_ms)
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    put_compact_string(w, m.protocol_type)
    n = len(m.protocols)
    put_uvarint(w, n + 1)
    for protocols_item in m.protocols:
        _encode_join_group_request_protocol_v6(protocols_item, w)
    w.append(0)


def _encode_join_group_request_v8(m: JoinGroupRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    w += _write_ii(m.session_timeout_ms, m.rebalance_timeout_ms)
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    put_compact_string(w, m.protocol_type)
    n = len(m.protocols)
    put_uvarint(w, n + 1)
    for protocols_item in m.protocols:
        _encode_join_group_request_protocol_v6(protocols_item, w)
    put_compact_nullable_string(w, m.reason)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_join_group_request_v0, 1: _decode_join_group_request_v1, 2: _decode_join_group_request_v1, 3: _decode_join_group_request_v1, 4: _decode_join_group_request_v1, 5: _decode_join_group_request_v5, 6: _decode_join_group_request_v6, 7: _decode_join_group_request_v6, 8: _decode_join_group_request_v8, 9: _decode_join_group_request_v8}
_REQUEST_ENCODERS = {0: _encode_join_group_request_v0, 1: _encode_join_group_request_v1, 2: _encode_join_group_request_v1, 3: _encode_join_group_request_v1, 4: _encode_join_group_request_v1, 5: _encode_join_group_request_v5, 6: _encode_join_group_request_v6, 7: _encode_join_group_request_v6, 8: _encode_join_group_request_v8, 9: _encode_join_group_request_v8}


def decode_request(buf: Buffer, pos: int, version: int) -> JoinGroupRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("JoinGroupRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("JoinGroupRequest", version, pos, len(buf))
    return message


def encode_request(message: JoinGroupRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("JoinGroupRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class JoinGroupResponseMember(Message):
    __slots__ = ("member_id", "group_instance_id", "metadata")

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        metadata: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.metadata = metadata


class JoinGroupResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "generation_id", "protocol_type", "protocol_name", "leader", "skip_assignment", "member_id", "members")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        generation_id: int = -1,
        protocol_type: str | None = None,
        protocol_name: str | None = "",
        leader: str = "",
        skip_assignment: bool = False,
        member_id: str = "",
        members: Sequence[JoinGroupResponseMember] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.generation_id = generation_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.leader = leader
        self.skip_assignment = skip_assignment
        self.member_id = member_id
        self.members = members


def _decode_join_group_response_member_v0(buf: Buffer, pos: int) -> tuple[JoinGroupResponseMember, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupResponseMember.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("JoinGroupResponseMember.metadata")
    end = pos + n
    metadata = bytes(buf[pos:end])
    pos = end
    return JoinGroupResponseMember(member_id, None, metadata), pos


def _decode_join_group_response_member_v5(buf: Buffer, pos: int) -> tuple[JoinGroupResponseMember, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupResponseMember.member_id")
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
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("JoinGroupResponseMember.metadata")
    end = pos + n
    metadata = bytes(buf[pos:end])
    pos = end
    return JoinGroupResponseMember(member_id, group_instance_id, metadata), pos


def _decode_join_group_response_member_v6(buf: Buffer, pos: int) -> tuple[JoinGroupResponseMember, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponseMember.member_id")
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
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponseMember.metadata")
    end = pos + n - 1
    metadata = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return JoinGroupResponseMember(member_id, group_instance_id, metadata), pos


def _decode_join_group_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[JoinGroupResponse, int]:
    error_code, generation_id, n = _read_hih(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("JoinGroupResponse.protocol_name")
    end = pos + n
    protocol_name = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupResponse.leader")
    end = pos + n
    leader = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupResponse.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("JoinGroupResponse.members")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("JoinGroupResponse.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_join_group_response_member_v0(buf, pos)
        members.append(members_item)
    return JoinGroupResponse(0, error_code, generation_id, None, protocol_name, leader, False, member_id, members), pos


def _decode_join_group_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id, n = _read_ihih(buf, pos)
    pos += 12
    if n < 0:
        raise null_error("JoinGroupResponse.protocol_name")
    end = pos + n
    protocol_name = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupResponse.leader")
    end = pos + n
    leader = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupResponse.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("JoinGroupResponse.members")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("JoinGroupResponse.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_join_group_response_member_v0(buf, pos)
        members.append(members_item)
    return JoinGroupResponse(throttle_time_ms, error_code, generation_id, None, protocol_name, leader, False, member_id, members), pos


def _decode_join_group_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id, n = _read_ihih(buf, pos)
    pos += 12
    if n < 0:
        raise null_error("JoinGroupResponse.protocol_name")
    end = pos + n
    protocol_name = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupResponse.leader")
    end = pos + n
    leader = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("JoinGroupResponse.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("JoinGroupResponse.members")
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("JoinGroupResponse.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_join_group_response_member_v5(buf, pos)
        members.append(members_item)
    return JoinGroupResponse(throttle_time_ms, error_code, generation_id, None, protocol_name, leader, False, member_id, members), pos


def _decode_join_group_response_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id, n = _read_ihiB(buf, pos)
    pos += 11
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponse.protocol_name")
    end = pos + n - 1
    protocol_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponse.leader")
    end = pos + n - 1
    leader = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponse.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponse.members")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("JoinGroupResponse.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_join_group_response_member_v6(buf, pos)
        members.append(members_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return JoinGroupResponse(throttle_time_ms, error_code, generation_id, None, protocol_name, leader, False, member_id, members), pos


def _decode_join_group_response_v7(buf: Buffer, pos: int, budget: list[int]) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id, n = _read_ihiB(buf, pos)
    pos += 11
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    protocol_type: str | None
    if not n:
        protocol_type = None
    else:
        end = pos + n - 1
        protocol_type = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    protocol_name: str | None
    if not n:
        protocol_name = None
    else:
        end = pos + n - 1
        protocol_name = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponse.leader")
    end = pos + n - 1
    leader = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponse.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponse.members")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("JoinGroupResponse.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_join_group_response_member_v6(buf, pos)
        members.append(members_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return JoinGroupResponse(throttle_time_ms, error_code, generation_id, protocol_type, protocol_name, leader, False, member_id, members), pos


def _decode_join_group_response_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[JoinGroupResponse, int]:
    throttle_time_ms, error_code, generation_id, n = _read_ihiB(buf, pos)
    pos += 11
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    protocol_type: str | None
    if not n:
        protocol_type = None
    else:
        end = pos + n - 1
        protocol_type = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    protocol_name: str | None
    if not n:
        protocol_name = None
    else:
        end = pos + n - 1
        protocol_name = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponse.leader")
    end = pos + n - 1
    leader = buf[pos:end].decode()
    pos = end
    skip_assignment, n = _read_tB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponse.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("JoinGroupResponse.members")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("JoinGroupResponse.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_join_group_response_member_v6(buf, pos)
        members.append(members_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return JoinGroupResponse(throttle_time_ms, error_code, generation_id, protocol_type, protocol_name, leader, skip_assignment, member_id, members), pos


def _encode_join_group_response_member_v0(m: JoinGroupResponseMember, w: bytearray) -> None:
    put_string(w, m.member_id)
    put_bytes(w, m.metadata)


def _encode_join_group_response_member_v5(m: JoinGroupResponseMember, w: bytearray) -> None:
    put_string(w, m.member_id)
    put_nullable_string(w, m.group_instance_id)
    put_bytes(w, m.metadata)


def _encode_join_group_response_member_v6(m: JoinGroupResponseMember, w: bytearray) -> None:
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    put_compact_bytes(w, m.metadata)
    w.append(0)


def _encode_join_group_response_v0(m: JoinGroupResponse, w: bytearray) -> None:
    if m.skip_assignment:
        raise UnsupportedFieldError("JoinGroupResponse.skip_assignment", "9+")
    w += _write_hi(m.error_code, m.generation_id)
    if m.protocol_name is None:
        raise null_field_error("JoinGroupResponse.protocol_name")
    put_string(w, m.protocol_name)
    put_string(w, m.leader)
    put_string(w, m.member_id)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_join_group_response_member_v0(members_item, w)


def _encode_join_group_response_v2(m: JoinGroupResponse, w: bytearray) -> None:
    if m.skip_assignment:
        raise UnsupportedFieldError("JoinGroupResponse.skip_assignment", "9+")
    w += _write_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
    if m.protocol_name is None:
        raise null_field_error("JoinGroupResponse.protocol_name")
    put_string(w, m.protocol_name)
    put_string(w, m.leader)
    put_string(w, m.member_id)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_join_group_response_member_v0(members_item, w)


def _encode_join_group_response_v5(m: JoinGroupResponse, w: bytearray) -> None:
    if m.skip_assignment:
        raise UnsupportedFieldError("JoinGroupResponse.skip_assignment", "9+")
    w += _write_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
    if m.protocol_name is None:
        raise null_field_error("JoinGroupResponse.protocol_name")
    put_string(w, m.protocol_name)
    put_string(w, m.leader)
    put_string(w, m.member_id)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_join_group_response_member_v5(members_item, w)


def _encode_join_group_response_v6(m: JoinGroupResponse, w: bytearray) -> None:
    if m.skip_assignment:
        raise UnsupportedFieldError("JoinGroupResponse.skip_assignment", "9+")
    w += _write_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
    if m.protocol_name is None:
        raise null_field_error("JoinGroupResponse.protocol_name")
    put_compact_string(w, m.protocol_name)
    put_compact_string(w, m.leader)
    put_compact_string(w, m.member_id)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_join_group_response_member_v6(members_item, w)
    w.append(0)


def _encode_join_group_response_v7(m: JoinGroupResponse, w: bytearray) -> None:
    if m.skip_assignment:
        raise UnsupportedFieldError("JoinGroupResponse.skip_assignment", "9+")
    w += _write_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
    put_compact_nullable_string(w, m.protocol_type)
    put_compact_nullable_string(w, m.protocol_name)
    put_compact_string(w, m.leader)
    put_compact_string(w, m.member_id)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_join_group_response_member_v6(members_item, w)
    w.append(0)


def _encode_join_group_response_v9(m: JoinGroupResponse, w: bytearray) -> None:
    w += _write_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
    put_compact_nullable_string(w, m.protocol_type)
    put_compact_nullable_string(w, m.protocol_name)
    put_compact_string(w, m.leader)
    w += _write_t(m.skip_assignment)
    put_compact_string(w, m.member_id)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_join_group_response_member_v6(members_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_join_group_response_v0, 1: _decode_join_group_response_v0, 2: _decode_join_group_response_v2, 3: _decode_join_group_response_v2, 4: _decode_join_group_response_v2, 5: _decode_join_group_response_v5, 6: _decode_join_group_response_v6, 7: _decode_join_group_response_v7, 8: _decode_join_group_response_v7, 9: _decode_join_group_response_v9}
_RESPONSE_ENCODERS = {0: _encode_join_group_response_v0, 1: _encode_join_group_response_v0, 2: _encode_join_group_response_v2, 3: _encode_join_group_response_v2, 4: _encode_join_group_response_v2, 5: _encode_join_group_response_v5, 6: _encode_join_group_response_v6, 7: _encode_join_group_response_v7, 8: _encode_join_group_response_v7, 9: _encode_join_group_response_v9}


def decode_response(buf: Buffer, pos: int, version: int) -> JoinGroupResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("JoinGroupResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("JoinGroupResponse", version, pos, len(buf))
    return message


def encode_response(message: JoinGroupResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("JoinGroupResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
