"""ShareGroupHeartbeat, API key 76: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedVersionError,
    ZERO_UUID,
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

API_KEY = 76
MIN_VERSION = 1
MAX_VERSION = 1
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ii = Struct(">ii").pack
_read_iib = Struct(">iib").unpack_from


class ShareGroupHeartbeatRequest(Message):
    __slots__ = ("group_id", "member_id", "member_epoch", "rack_id", "subscribed_topic_names")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        rack_id: str | None = None,
        subscribed_topic_names: Sequence[str] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.rack_id = rack_id
        self.subscribed_topic_names = subscribed_topic_names


def _decode_share_group_heartbeat_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareGroupHeartbeatRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ShareGroupHeartbeatRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ShareGroupHeartbeatRequest.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    member_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack_id: str | None
    if not n:
        rack_id = None
    else:
        end = pos + n - 1
        rack_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    subscribed_topic_names: list[str] | None
    if not n:
        subscribed_topic_names = None
    else:
        n -= 1
        if n > budget[0] or n > len(buf) - pos:
            raise count_error("ShareGroupHeartbeatRequest.subscribed_topic_names", n)
        budget[0] -= n
        subscribed_topic_names = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = string_length_tail(buf, pos, n)
            if not n:
                raise null_error("ShareGroupHeartbeatRequest.subscribed_topic_names")
            end = pos + n - 1
            subscribed_topic_names.append(buf[pos:end].decode())
            pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareGroupHeartbeatRequest(group_id, member_id, member_epoch, rack_id, subscribed_topic_names), pos


def _encode_share_group_heartbeat_request_v1(m: ShareGroupHeartbeatRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.member_id)
    w += _write_i(m.member_epoch)
    put_compact_nullable_string(w, m.rack_id)
    if m.subscribed_topic_names is None:
        w.append(0)
    else:
        n = len(m.subscribed_topic_names)
        put_uvarint(w, n + 1)
        for subscribed_topic_names_item in m.subscribed_topic_names:
            put_compact_string(w, subscribed_topic_names_item)
    w.append(0)


_REQUEST_DECODERS = {1: _decode_share_group_heartbeat_request_v1}
_REQUEST_ENCODERS = {1: _encode_share_group_heartbeat_request_v1}


def decode_request(buf: Buffer, pos: int, version: int) -> ShareGroupHeartbeatRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupHeartbeatRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ShareGroupHeartbeatRequest", version, pos, len(buf))
    return message


def encode_request(message: ShareGroupHeartbeatRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ShareGroupHeartbeatRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class TopicPartitions(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class Assignment(Message):
    __slots__ = ("topic_partitions",)

    def __init__(
        self,
        topic_partitions: Sequence[TopicPartitions] = (),
    ) -> None:
        self.topic_partitions = topic_partitions


class ShareGroupHeartbeatResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "member_id", "member_epoch", "heartbeat_interval_ms", "assignment")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str | None = None,
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        assignment: Assignment | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.assignment = assignment


def _decode_topic_partitions_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicPartitions, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartitions.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicPartitions.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicPartitions(topic_id, partitions), pos


def _decode_assignment_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[Assignment, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Assignment.topic_partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("Assignment.topic_partitions", n)
    budget[0] -= n
    topic_partitions = []
    for _ in range(n):
        topic_partitions_item, pos = _decode_topic_partitions_v1(buf, pos, budget)
        topic_partitions.append(topic_partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return Assignment(topic_partitions), pos


def _decode_share_group_heartbeat_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareGroupHeartbeatResponse, int]:
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
    member_id: str | None
    if not n:
        member_id = None
    else:
        end = pos + n - 1
        member_id = buf[pos:end].decode()
        pos = end
    member_epoch, heartbeat_interval_ms, n = _read_iib(buf, pos)
    pos += 9
    assignment: Assignment | None
    if n < 0:
        assignment = None
    else:
        assignment, pos = _decode_assignment_v1(buf, pos, budget)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareGroupHeartbeatResponse(throttle_time_ms, error_code, error_message, member_id, member_epoch, heartbeat_interval_ms, assignment), pos


def _encode_topic_partitions_v1(m: TopicPartitions, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_assignment_v1(m: Assignment, w: bytearray) -> None:
    n = len(m.topic_partitions)
    put_uvarint(w, n + 1)
    for topic_partitions_item in m.topic_partitions:
        _encode_topic_partitions_v1(topic_partitions_item, w)
    w.append(0)


def _encode_share_group_heartbeat_response_v1(m: ShareGroupHeartbeatResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    put_compact_nullable_string(w, m.member_id)
    w += _write_ii(m.member_epoch, m.heartbeat_interval_ms)
    if m.assignment is None:
        w.append(255)
    else:
        w.append(1)
        _encode_assignment_v1(m.assignment, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_share_group_heartbeat_response_v1}
_RESPONSE_ENCODERS = {1: _encode_share_group_heartbeat_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> ShareGroupHeartbeatResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupHeartbeatResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupHeartbeatResponse", version, pos, len(buf))
    return message


def encode_response(message: ShareGroupHeartbeatResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ShareGroupHeartbeatResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
