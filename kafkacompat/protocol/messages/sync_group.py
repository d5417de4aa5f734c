"""SyncGroup, API key 14: request and response in every version."""

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

API_KEY = 14
MIN_VERSION = 0
MAX_VERSION = 5
FLEXIBLE_VERSION = 4


_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hi = Struct(">hi").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ihi = Struct(">ihi").unpack_from


class SyncGroupRequestAssignment(Message):
    __slots__ = ("member_id", "assignment")

    def __init__(
        self,
        member_id: str = "",
        assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.assignment = assignment


class SyncGroupRequest(Message):
    __slots__ = ("group_id", "generation_id", "member_id", "group_instance_id", "protocol_type", "protocol_name", "assignments")

    def __init__(
        self,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignments: Sequence[SyncGroupRequestAssignment] = (),
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignments = assignments


def _decode_sync_group_request_assignment_v0(buf: Buffer, pos: int) -> tuple[SyncGroupRequestAssignment, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("SyncGroupRequestAssignment.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("SyncGroupRequestAssignment.assignment")
    end = pos + n
    assignment = bytes(buf[pos:end])
    pos = end
    return SyncGroupRequestAssignment(member_id, assignment), pos


def _decode_sync_group_request_assignment_v4(buf: Buffer, pos: int) -> tuple[SyncGroupRequestAssignment, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("SyncGroupRequestAssignment.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("SyncGroupRequestAssignment.assignment")
    end = pos + n - 1
    assignment = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return SyncGroupRequestAssignment(member_id, assignment), pos


def _decode_sync_group_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[SyncGroupRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("SyncGroupRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    generation_id, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("SyncGroupRequest.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("SyncGroupRequest.assignments")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("SyncGroupRequest.assignments", n)
    budget[0] -= n
    assignments = []
    for _ in range(n):
        assignments_item, pos = _decode_sync_group_request_assignment_v0(buf, pos)
        assignments.append(assignments_item)
    return SyncGroupRequest(group_id, generation_id, member_id, None, None, None, assignments), pos


def _decode_sync_group_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[SyncGroupRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("SyncGroupRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    generation_id, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("SyncGroupRequest.member_id")
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
        raise null_error("SyncGroupRequest.assignments")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("SyncGroupRequest.assignments", n)
    budget[0] -= n
    assignments = []
    for _ in range(n):
        assignments_item, pos = _decode_sync_group_request_assignment_v0(buf, pos)
        assignments.append(assignments_item)
    return SyncGroupRequest(group_id, generation_id, member_id, group_instance_id, None, None, assignments), pos


def _decode_sync_group_request_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[SyncGroupRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("SyncGroupRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    generation_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("SyncGroupRequest.member_id")
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
        raise null_error("SyncGroupRequest.assignments")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("SyncGroupRequest.assignments", n)
    budget[0] -= n
    assignments = []
    for _ in range(n):
        assignments_item, pos = _decode_sync_group_request_assignment_v4(buf, pos)
        assignments.append(assignments_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return SyncGroupRequest(group_id, generation_id, member_id, group_instance_id, None, None, assignments), pos


def _decode_sync_group_request_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[SyncGroupRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("SyncGroupRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    generation_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("SyncGroupRequest.member_id")
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
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("SyncGroupRequest.assignments")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("SyncGroupRequest.assignments", n)
    budget[0] -= n
    assignments = []
    for _ in range(n):
        assignments_item, pos = _decode_sync_group_request_assignment_v4(buf, pos)
        assignments.append(assignments_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return SyncGroupRequest(group_id, generation_id, member_id, group_instance_id, protocol_type, protocol_name, assignments), pos


def _encode_sync_group_request_assignment_v0(m: SyncGroupRequestAssignment, w: bytearray) -> None:
    put_string(w, m.member_id)
    put_bytes(w, m.assignment)


def _encode_sync_group_request_assignment_v4(m: SyncGroupRequestAssignment, w: bytearray) -> None:
    put_compact_string(w, m.member_id)
    put_compact_bytes(w, m.assignment)
    w.append(0)


def _encode_sync_group_request_v0(m: SyncGroupRequest, w: bytearray) -> None:
    if m.group_instance_id is not None:
        raise UnsupportedFieldError("SyncGroupRequest.group_instance_id", "3+")
    put_string(w, m.group_id)
    w += _write_i(m.generation_id)
    put_string(w, m.member_id)
    n = len(m.assignments)
    w += _write_i(n)
    for assignments_item in m.assignments:
        _encode_sync_group_request_assignment_v0(assignments_item, w)


def _encode_sync_group_request_v3(m: SyncGroupRequest, w: bytearray) -> None:
    put_string(w, m.group_id)
    w += _write_i(m.generation_id)
    put_string(w, m.member_id)
    put_nullable_string(w, m.group_instance_id)
    n = len(m.assignments)
    w += _write_i(n)
    for assignments_item in m.assignments:
        _encode_sync_group_request_assignment_v0(assignments_item, w)


def _encode_sync_group_request_v4(m: SyncGroupRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    w += _write_i(m.generation_id)
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    n = len(m.assignments)
    put_uvarint(w, n + 1)
    for assignments_item in m.assignments:
        _encode_sync_group_request_assignment_v4(assignments_item, w)
    w.append(0)


def _encode_sync_group_request_v5(m: SyncGroupRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    w += _write_i(m.generation_id)
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    put_compact_nullable_string(w, m.protocol_type)
    put_compact_nullable_string(w, m.protocol_name)
    n = len(m.assignments)
    put_uvarint(w, n + 1)
    for assignments_item in m.assignments:
        _encode_sync_group_request_assignment_v4(assignments_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_sync_group_request_v0, 1: _decode_sync_group_request_v0, 2: _decode_sync_group_request_v0, 3: _decode_sync_group_request_v3, 4: _decode_sync_group_request_v4, 5: _decode_sync_group_request_v5}
_REQUEST_ENCODERS = {0: _encode_sync_group_request_v0, 1: _encode_sync_group_request_v0, 2: _encode_sync_group_request_v0, 3: _encode_sync_group_request_v3, 4: _encode_sync_group_request_v4, 5: _encode_sync_group_request_v5}


def decode_request(buf: Buffer, pos: int, version: int) -> SyncGroupRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("SyncGroupRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("SyncGroupRequest", version, pos, len(buf))
    return message


def encode_request(message: SyncGroupRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("SyncGroupRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class SyncGroupResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "protocol_type", "protocol_name", "assignment")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignment: bytes = b"",
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignment = assignment


def _decode_sync_group_response_v0(buf: Buffer, pos: int) -> tuple[SyncGroupResponse, int]:
    error_code, n = _read_hi(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("SyncGroupResponse.assignment")
    end = pos + n
    assignment = bytes(buf[pos:end])
    pos = end
    return SyncGroupResponse(0, error_code, None, None, assignment), pos


def _decode_sync_group_response_v1(buf: Buffer, pos: int) -> tuple[SyncGroupResponse, int]:
    throttle_time_ms, error_code, n = _read_ihi(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("SyncGroupResponse.assignment")
    end = pos + n
    assignment = bytes(buf[pos:end])
    pos = end
    return SyncGroupResponse(throttle_time_ms, error_code, None, None, assignment), pos


def _decode_sync_group_response_v4(buf: Buffer, pos: int) -> tuple[SyncGroupResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("SyncGroupResponse.assignment")
    end = pos + n - 1
    assignment = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return SyncGroupResponse(throttle_time_ms, error_code, None, None, assignment), pos


def _decode_sync_group_response_v5(buf: Buffer, pos: int) -> tuple[SyncGroupResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
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
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("SyncGroupResponse.assignment")
    end = pos + n - 1
    assignment = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return SyncGroupResponse(throttle_time_ms, error_code, protocol_type, protocol_name, assignment), pos


def _encode_sync_group_response_v0(m: SyncGroupResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_bytes(w, m.assignment)


def _encode_sync_group_response_v1(m: SyncGroupResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_bytes(w, m.assignment)


def _encode_sync_group_response_v4(m: SyncGroupResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_bytes(w, m.assignment)
    w.append(0)


def _encode_sync_group_response_v5(m: SyncGroupResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.protocol_type)
    put_compact_nullable_string(w, m.protocol_name)
    put_compact_bytes(w, m.assignment)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_sync_group_response_v0, 1: _decode_sync_group_response_v1, 2: _decode_sync_group_response_v1, 3: _decode_sync_group_response_v1, 4: _decode_sync_group_response_v4, 5: _decode_sync_group_response_v5}
_RESPONSE_ENCODERS = {0: _encode_sync_group_response_v0, 1: _encode_sync_group_response_v1, 2: _encode_sync_group_response_v1, 3: _encode_sync_group_response_v1, 4: _encode_sync_group_response_v4, 5: _encode_sync_group_response_v5}


def decode_response(buf: Buffer, pos: int, version: int) -> SyncGroupResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("SyncGroupResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("SyncGroupResponse", version, pos, len(buf))
    return message


def encode_response(message: SyncGroupResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("SyncGroupResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
