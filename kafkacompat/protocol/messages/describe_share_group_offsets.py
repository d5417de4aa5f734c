"""DescribeShareGroupOffsets, API key 90: request and response in every version."""

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

API_KEY = 90
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_iqih = Struct(">iqih").pack
_read_iqihB = Struct(">iqihB").unpack_from
_write_iqiqh = Struct(">iqiqh").pack
_read_iqiqhB = Struct(">iqiqhB").unpack_from


class DescribeShareGroupOffsetsRequestTopic(Message):
    __slots__ = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class DescribeShareGroupOffsetsRequestGroup(Message):
    __slots__ = ("group_id", "topics")

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[DescribeShareGroupOffsetsRequestTopic] | None = (),
    ) -> None:
        self.group_id = group_id
        self.topics = topics


class DescribeShareGroupOffsetsRequest(Message):
    __slots__ = ("groups",)

    def __init__(
        self,
        groups: Sequence[DescribeShareGroupOffsetsRequestGroup] = (),
    ) -> None:
        self.groups = groups


def _decode_describe_share_group_offsets_request_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeShareGroupOffsetsRequestTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsRequestTopic.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsRequestTopic.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DescribeShareGroupOffsetsRequestTopic.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeShareGroupOffsetsRequestTopic(topic_name, partitions), pos


def _decode_describe_share_group_offsets_request_group_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeShareGroupOffsetsRequestGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsRequestGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topics: list[DescribeShareGroupOffsetsRequestTopic] | None
    if not n:
        topics = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("DescribeShareGroupOffsetsRequestGroup.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_describe_share_group_offsets_request_topic_v0(buf, pos, budget)
            topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeShareGroupOffsetsRequestGroup(group_id, topics), pos


def _decode_describe_share_group_offsets_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeShareGroupOffsetsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsRequest.groups")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribeShareGroupOffsetsRequest.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_describe_share_group_offsets_request_group_v0(buf, pos, budget)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeShareGroupOffsetsRequest(groups), pos


def _encode_describe_share_group_offsets_request_topic_v0(m: DescribeShareGroupOffsetsRequestTopic, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_describe_share_group_offsets_request_group_v0(m: DescribeShareGroupOffsetsRequestGroup, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    if m.topics is None:
        w.append(0)
    else:
        n = len(m.topics)
        put_uvarint(w, n + 1)
        for topics_item in m.topics:
            _encode_describe_share_group_offsets_request_topic_v0(topics_item, w)
    w.append(0)


def _encode_describe_share_group_offsets_request_v0(m: DescribeShareGroupOffsetsRequest, w: bytearray) -> None:
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        _encode_describe_share_group_offsets_request_group_v0(groups_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_describe_share_group_offsets_request_v0, 1: _decode_describe_share_group_offsets_request_v0}
_REQUEST_ENCODERS = {0: _encode_describe_share_group_offsets_request_v0, 1: _encode_describe_share_group_offsets_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeShareGroupOffsetsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeShareGroupOffsetsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeShareGroupOffsetsRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeShareGroupOffsetsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeShareGroupOffsetsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DescribeShareGroupOffsetsResponsePartition(Message):
    __slots__ = ("partition_index", "start_offset", "leader_epoch", "lag", "error_code", "error_message")

    def __init__(
        self,
        partition_index: int = 0,
        start_offset: int = 0,
        leader_epoch: int = 0,
        lag: int = -1,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.start_offset = start_offset
        self.leader_epoch = leader_epoch
        self.lag = lag
        self.error_code = error_code
        self.error_message = error_message


class DescribeShareGroupOffsetsResponseTopic(Message):
    __slots__ = ("topic_name", "topic_id", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[DescribeShareGroupOffsetsResponsePartition] = (),
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = partitions


class DescribeShareGroupOffsetsResponseGroup(Message):
    __slots__ = ("group_id", "topics", "error_code", "error_message")

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[DescribeShareGroupOffsetsResponseTopic] = (),
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.error_code = error_code
        self.error_message = error_message


class DescribeShareGroupOffsetsResponse(Message):
    __slots__ = ("throttle_time_ms", "groups")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: Sequence[DescribeShareGroupOffsetsResponseGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups


def _decode_describe_share_group_offsets_response_partition_v0(buf: Buffer, pos: int) -> tuple[DescribeShareGroupOffsetsResponsePartition, int]:
    partition_index, start_offset, leader_epoch, error_code, n = _read_iqihB(buf, pos)
    pos += 19
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
    return DescribeShareGroupOffsetsResponsePartition(partition_index, start_offset, leader_epoch, -1, error_code, error_message), pos


def _decode_describe_share_group_offsets_response_partition_v1(buf: Buffer, pos: int) -> tuple[DescribeShareGroupOffsetsResponsePartition, int]:
    partition_index, start_offset, leader_epoch, lag, error_code, n = _read_iqiqhB(buf, pos)
    pos += 27
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
    return DescribeShareGroupOffsetsResponsePartition(partition_index, start_offset, leader_epoch, lag, error_code, error_message), pos


def _decode_describe_share_group_offsets_response_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeShareGroupOffsetsResponseTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsResponseTopic.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("DescribeShareGroupOffsetsResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_share_group_offsets_response_partition_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeShareGroupOffsetsResponseTopic(topic_name, topic_id, partitions), pos


def _decode_describe_share_group_offsets_response_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeShareGroupOffsetsResponseTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsResponseTopic.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 28 > len(buf) - pos:
        raise count_error("DescribeShareGroupOffsetsResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_share_group_offsets_response_partition_v1(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeShareGroupOffsetsResponseTopic(topic_name, topic_id, partitions), pos


def _decode_describe_share_group_offsets_response_group_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeShareGroupOffsetsResponseGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsResponseGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsResponseGroup.topics")
    n -= 1
    if n > budget[0] or n * 19 > len(buf) - pos:
        raise count_error("DescribeShareGroupOffsetsResponseGroup.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_describe_share_group_offsets_response_topic_v0(buf, pos, budget)
        topics.append(topics_item)
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
    return DescribeShareGroupOffsetsResponseGroup(group_id, topics, error_code, error_message), pos


def _decode_describe_share_group_offsets_response_group_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeShareGroupOffsetsResponseGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsResponseGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsResponseGroup.topics")
    n -= 1
    if n > budget[0] or n * 19 > len(buf) - pos:
        raise count_error("DescribeShareGroupOffsetsResponseGroup.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_describe_share_group_offsets_response_topic_v1(buf, pos, budget)
        topics.append(topics_item)
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
    return DescribeShareGroupOffsetsResponseGroup(group_id, topics, error_code, error_message), pos


def _decode_describe_share_group_offsets_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeShareGroupOffsetsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsResponse.groups")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("DescribeShareGroupOffsetsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_describe_share_group_offsets_response_group_v0(buf, pos, budget)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeShareGroupOffsetsResponse(throttle_time_ms, groups), pos


def _decode_describe_share_group_offsets_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeShareGroupOffsetsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeShareGroupOffsetsResponse.groups")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("DescribeShareGroupOffsetsResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_describe_share_group_offsets_response_group_v1(buf, pos, budget)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeShareGroupOffsetsResponse(throttle_time_ms, groups), pos


def _encode_describe_share_group_offsets_response_partition_v0(m: DescribeShareGroupOffsetsResponsePartition, w: bytearray) -> None:
    w += _write_iqih(m.partition_index, m.start_offset, m.leader_epoch, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_describe_share_group_offsets_response_partition_v1(m: DescribeShareGroupOffsetsResponsePartition, w: bytearray) -> None:
    w += _write_iqiqh(m.partition_index, m.start_offset, m.leader_epoch, m.lag, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_describe_share_group_offsets_response_topic_v0(m: DescribeShareGroupOffsetsResponseTopic, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_describe_share_group_offsets_response_partition_v0(partitions_item, w)
    w.append(0)


def _encode_describe_share_group_offsets_response_topic_v1(m: DescribeShareGroupOffsetsResponseTopic, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_describe_share_group_offsets_response_partition_v1(partitions_item, w)
    w.append(0)


def _encode_describe_share_group_offsets_response_group_v0(m: DescribeShareGroupOffsetsResponseGroup, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_describe_share_group_offsets_response_topic_v0(topics_item, w)
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_describe_share_group_offsets_response_group_v1(m: DescribeShareGroupOffsetsResponseGroup, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_describe_share_group_offsets_response_topic_v1(topics_item, w)
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_describe_share_group_offsets_response_v0(m: DescribeShareGroupOffsetsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        _encode_describe_share_group_offsets_response_group_v0(groups_item, w)
    w.append(0)


def _encode_describe_share_group_offsets_response_v1(m: DescribeShareGroupOffsetsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        _encode_describe_share_group_offsets_response_group_v1(groups_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_describe_share_group_offsets_response_v0, 1: _decode_describe_share_group_offsets_response_v1}
_RESPONSE_ENCODERS = {0: _encode_describe_share_group_offsets_response_v0, 1: _encode_describe_share_group_offsets_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeShareGroupOffsetsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeShareGroupOffsetsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeShareGroupOffsetsResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeShareGroupOffsetsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeShareGroupOffsetsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
