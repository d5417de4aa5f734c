"""ConsumerGroupDescribe, API key 69: request and response in every version."""

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
    frozen,
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

API_KEY = 69
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack
_read_bB = Struct(">bB").unpack_from
_write_bx = Struct(">bx").pack
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ii = Struct(">ii").pack
_read_iiB = Struct(">iiB").unpack_from
_write_ix = Struct(">ix").pack


class ConsumerGroupDescribeRequest(Message):
    __slots__ = ("group_ids", "include_authorized_operations")

    def __init__(
        self,
        group_ids: Sequence[str] = (),
        include_authorized_operations: bool = False,
    ) -> None:
        self.group_ids = group_ids
        self.include_authorized_operations = include_authorized_operations


def _decode_consumer_group_describe_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerGroupDescribeRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ConsumerGroupDescribeRequest.group_ids")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ConsumerGroupDescribeRequest.group_ids", n)
    budget[0] -= n
    group_ids = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("ConsumerGroupDescribeRequest.group_ids")
        end = pos + n - 1
        group_ids.append(buf[pos:end].decode())
        pos = end
    include_authorized_operations, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return ConsumerGroupDescribeRequest(group_ids, include_authorized_operations), pos


def _encode_consumer_group_describe_request_v0(m: ConsumerGroupDescribeRequest, w: bytearray) -> None:
    n = len(m.group_ids)
    put_uvarint(w, n + 1)
    for group_ids_item in m.group_ids:
        put_compact_string(w, group_ids_item)
    w += _write_tx(m.include_authorized_operations)


_REQUEST_DECODERS = {0: _decode_consumer_group_describe_request_v0, 1: _decode_consumer_group_describe_request_v0}
_REQUEST_ENCODERS = {0: _encode_consumer_group_describe_request_v0, 1: _encode_consumer_group_describe_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> ConsumerGroupDescribeRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupDescribeRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ConsumerGroupDescribeRequest", version, pos, len(buf))
    return message


def encode_request(message: ConsumerGroupDescribeRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupDescribeRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class TopicPartitions(Message):
    __slots__ = ("topic_id", "topic_name", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = partitions


class Assignment(Message):
    __slots__ = ("topic_partitions",)

    def __init__(
        self,
        topic_partitions: Sequence[TopicPartitions] = (),
    ) -> None:
        self.topic_partitions = topic_partitions


_DEFAULT_Assignment = frozen(Assignment())


class Member(Message):
    __slots__ = ("member_id", "instance_id", "rack_id", "member_epoch", "client_id", "client_host", "subscribed_topic_names", "subscribed_topic_regex", "assignment", "target_assignment", "member_type")

    def __init__(
        self,
        member_id: str = "",
        instance_id: str | None = None,
        rack_id: str | None = None,
        member_epoch: int = 0,
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: Sequence[str] = (),
        subscribed_topic_regex: str | None = None,
        assignment: Assignment = _DEFAULT_Assignment,
        target_assignment: Assignment = _DEFAULT_Assignment,
        member_type: int = -1,
    ) -> None:
        self.member_id = member_id
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.member_epoch = member_epoch
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.assignment = assignment
        self.target_assignment = target_assignment
        self.member_type = member_type


class DescribedGroup(Message):
    __slots__ = ("error_code", "error_message", "group_id", "group_state", "group_epoch", "assignment_epoch", "assignor_name", "members", "authorized_operations")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        group_epoch: int = 0,
        assignment_epoch: int = 0,
        assignor_name: str = "",
        members: Sequence[Member] = (),
        authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.assignor_name = assignor_name
        self.members = members
        self.authorized_operations = authorized_operations


class ConsumerGroupDescribeResponse(Message):
    __slots__ = ("throttle_time_ms", "groups")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: Sequence[DescribedGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups


def _decode_topic_partitions_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicPartitions, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartitions.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
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
    return TopicPartitions(topic_id, topic_name, partitions), pos


def _decode_assignment_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[Assignment, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Assignment.topic_partitions")
    n -= 1
    if n > budget[0] or n * 19 > len(buf) - pos:
        raise count_error("Assignment.topic_partitions", n)
    budget[0] -= n
    topic_partitions = []
    for _ in range(n):
        topic_partitions_item, pos = _decode_topic_partitions_v0(buf, pos, budget)
        topic_partitions.append(topic_partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return Assignment(topic_partitions), pos


def _decode_member_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[Member, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Member.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    instance_id: str | None
    if not n:
        instance_id = None
    else:
        end = pos + n - 1
        instance_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack_id: str | None
    if not n:
        rack_id = None
    else:
        end = pos + n - 1
        rack_id = buf[pos:end].decode()
        pos = end
    member_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Member.client_id")
    end = pos + n - 1
    client_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Member.client_host")
    end = pos + n - 1
    client_host = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Member.subscribed_topic_names")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("Member.subscribed_topic_names", n)
    budget[0] -= n
    subscribed_topic_names = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("Member.subscribed_topic_names")
        end = pos + n - 1
        subscribed_topic_names.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    subscribed_topic_regex: str | None
    if not n:
        subscribed_topic_regex = None
    else:
        end = pos + n - 1
        subscribed_topic_regex = buf[pos:end].decode()
        pos = end
    assignment, pos = _decode_assignment_v0(buf, pos, budget)
    target_assignment, pos = _decode_assignment_v0(buf, pos, budget)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return Member(member_id, instance_id, rack_id, member_epoch, client_id, client_host, subscribed_topic_names, subscribed_topic_regex, assignment, target_assignment, -1), pos


def _decode_member_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[Member, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Member.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    instance_id: str | None
    if not n:
        instance_id = None
    else:
        end = pos + n - 1
        instance_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack_id: str | None
    if not n:
        rack_id = None
    else:
        end = pos + n - 1
        rack_id = buf[pos:end].decode()
        pos = end
    member_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Member.client_id")
    end = pos + n - 1
    client_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Member.client_host")
    end = pos + n - 1
    client_host = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Member.subscribed_topic_names")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("Member.subscribed_topic_names", n)
    budget[0] -= n
    subscribed_topic_names = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("Member.subscribed_topic_names")
        end = pos + n - 1
        subscribed_topic_names.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    subscribed_topic_regex: str | None
    if not n:
        subscribed_topic_regex = None
    else:
        end = pos + n - 1
        subscribed_topic_regex = buf[pos:end].decode()
        pos = end
    assignment, pos = _decode_assignment_v0(buf, pos, budget)
    target_assignment, pos = _decode_assignment_v0(buf, pos, budget)
    member_type, n = _read_bB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return Member(member_id, instance_id, rack_id, member_epoch, client_id, client_host, subscribed_topic_names, subscribed_topic_regex, assignment, target_assignment, member_type), pos


def _decode_described_group_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedGroup, int]:
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
    group_epoch, assignment_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.assignor_name")
    end = pos + n - 1
    assignor_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.members")
    n -= 1
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("DescribedGroup.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_v0(buf, pos, budget)
        members.append(members_item)
    authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribedGroup(error_code, error_message, group_id, group_state, group_epoch, assignment_epoch, assignor_name, members, authorized_operations), pos


def _decode_described_group_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribedGroup, int]:
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
    group_epoch, assignment_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.assignor_name")
    end = pos + n - 1
    assignor_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribedGroup.members")
    n -= 1
    if n > budget[0] or n * 17 > len(buf) - pos:
        raise count_error("DescribedGroup.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_v1(buf, pos, budget)
        members.append(members_item)
    authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribedGroup(error_code, error_message, group_id, group_state, group_epoch, assignment_epoch, assignor_name, members, authorized_operations), pos


def _decode_consumer_group_describe_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerGroupDescribeResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ConsumerGroupDescribeResponse.groups")
    n -= 1
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("ConsumerGroupDescribeResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v0(buf, pos, budget)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ConsumerGroupDescribeResponse(throttle_time_ms, groups), pos


def _decode_consumer_group_describe_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerGroupDescribeResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ConsumerGroupDescribeResponse.groups")
    n -= 1
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("ConsumerGroupDescribeResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_described_group_v1(buf, pos, budget)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ConsumerGroupDescribeResponse(throttle_time_ms, groups), pos


def _encode_topic_partitions_v0(m: TopicPartitions, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_assignment_v0(m: Assignment, w: bytearray) -> None:
    n = len(m.topic_partitions)
    put_uvarint(w, n + 1)
    for topic_partitions_item in m.topic_partitions:
        _encode_topic_partitions_v0(topic_partitions_item, w)
    w.append(0)


def _encode_member_v0(m: Member, w: bytearray) -> None:
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.instance_id)
    put_compact_nullable_string(w, m.rack_id)
    w += _write_i(m.member_epoch)
    put_compact_string(w, m.client_id)
    put_compact_string(w, m.client_host)
    n = len(m.subscribed_topic_names)
    put_uvarint(w, n + 1)
    for subscribed_topic_names_item in m.subscribed_topic_names:
        put_compact_string(w, subscribed_topic_names_item)
    put_compact_nullable_string(w, m.subscribed_topic_regex)
    _encode_assignment_v0(m.assignment, w)
    _encode_assignment_v0(m.target_assignment, w)
    w.append(0)


def _encode_member_v1(m: Member, w: bytearray) -> None:
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.instance_id)
    put_compact_nullable_string(w, m.rack_id)
    w += _write_i(m.member_epoch)
    put_compact_string(w, m.client_id)
    put_compact_string(w, m.client_host)
    n = len(m.subscribed_topic_names)
    put_uvarint(w, n + 1)
    for subscribed_topic_names_item in m.subscribed_topic_names:
        put_compact_string(w, subscribed_topic_names_item)
    put_compact_nullable_string(w, m.subscribed_topic_regex)
    _encode_assignment_v0(m.assignment, w)
    _encode_assignment_v0(m.target_assignment, w)
    w += _write_bx(m.member_type)


def _encode_described_group_v0(m: DescribedGroup, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.group_state)
    w += _write_ii(m.group_epoch, m.assignment_epoch)
    put_compact_string(w, m.assignor_name)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_member_v0(members_item, w)
    w += _write_ix(m.authorized_operations)


def _encode_described_group_v1(m: DescribedGroup, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.group_state)
    w += _write_ii(m.group_epoch, m.assignment_epoch)
    put_compact_string(w, m.assignor_name)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_member_v1(members_item, w)
    w += _write_ix(m.authorized_operations)


def _encode_consumer_group_describe_response_v0(m: ConsumerGroupDescribeResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        _encode_described_group_v0(groups_item, w)
    w.append(0)


def _encode_consumer_group_describe_response_v1(m: ConsumerGroupDescribeResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        _encode_described_group_v1(groups_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_consumer_group_describe_response_v0, 1: _decode_consumer_group_describe_response_v1}
_RESPONSE_ENCODERS = {0: _encode_consumer_group_describe_response_v0, 1: _encode_consumer_group_describe_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> ConsumerGroupDescribeResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupDescribeResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupDescribeResponse", version, pos, len(buf))
    return message


def encode_response(message: ConsumerGroupDescribeResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupDescribeResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
