"""DescribeTopicPartitions, API key 75: request and response in every version."""

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

API_KEY = 75
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_write_ut = Struct(">16s?").pack
_read_utB = Struct(">16s?B").unpack_from
_read_b = Struct(">b").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_hiii = Struct(">hiii").pack
_read_hiiiB = Struct(">hiiiB").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ib = Struct(">ib").unpack_from
_write_ix = Struct(">ix").pack


class TopicRequest(Message):
    __slots__ = ("name",)

    def __init__(
        self,
        name: str = "",
    ) -> None:
        self.name = name


class DescribeTopicPartitionsRequestCursor(Message):
    __slots__ = ("topic_name", "partition_index")

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index


class DescribeTopicPartitionsRequest(Message):
    __slots__ = ("topics", "response_partition_limit", "cursor")

    def __init__(
        self,
        topics: Sequence[TopicRequest] = (),
        response_partition_limit: int = 2000,
        cursor: DescribeTopicPartitionsRequestCursor | None = None,
    ) -> None:
        self.topics = topics
        self.response_partition_limit = response_partition_limit
        self.cursor = cursor


def _decode_topic_request_v0(buf: Buffer, pos: int) -> tuple[TopicRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicRequest.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicRequest(name), pos


def _decode_describe_topic_partitions_request_cursor_v0(buf: Buffer, pos: int) -> tuple[DescribeTopicPartitionsRequestCursor, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Cursor.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    partition_index, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeTopicPartitionsRequestCursor(topic_name, partition_index), pos


def _decode_describe_topic_partitions_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeTopicPartitionsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeTopicPartitionsRequest.topics")
    n -= 1
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("DescribeTopicPartitionsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_topic_request_v0(buf, pos)
        topics.append(topics_item)
    response_partition_limit, n = _read_ib(buf, pos)
    pos += 5
    cursor: DescribeTopicPartitionsRequestCursor | None
    if n < 0:
        cursor = None
    else:
        cursor, pos = _decode_describe_topic_partitions_request_cursor_v0(buf, pos)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeTopicPartitionsRequest(topics, response_partition_limit, cursor), pos


def _encode_topic_request_v0(m: TopicRequest, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w.append(0)


def _encode_describe_topic_partitions_request_cursor_v0(m: DescribeTopicPartitionsRequestCursor, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    w += _write_ix(m.partition_index)


def _encode_describe_topic_partitions_request_v0(m: DescribeTopicPartitionsRequest, w: bytearray) -> None:
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_topic_request_v0(topics_item, w)
    w += _write_i(m.response_partition_limit)
    if m.cursor is None:
        w.append(255)
    else:
        w.append(1)
        _encode_describe_topic_partitions_request_cursor_v0(m.cursor, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_describe_topic_partitions_request_v0}
_REQUEST_ENCODERS = {0: _encode_describe_topic_partitions_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeTopicPartitionsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeTopicPartitionsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeTopicPartitionsRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeTopicPartitionsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeTopicPartitionsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DescribeTopicPartitionsResponsePartition(Message):
    __slots__ = ("error_code", "partition_index", "leader_id", "leader_epoch", "replica_nodes", "isr_nodes", "eligible_leader_replicas", "last_known_elr", "offline_replicas")

    def __init__(
        self,
        error_code: int = 0,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: Sequence[int] = (),
        isr_nodes: Sequence[int] = (),
        eligible_leader_replicas: Sequence[int] | None = None,
        last_known_elr: Sequence[int] | None = None,
        offline_replicas: Sequence[int] = (),
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = replica_nodes
        self.isr_nodes = isr_nodes
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.offline_replicas = offline_replicas


class DescribeTopicPartitionsResponseTopic(Message):
    __slots__ = ("error_code", "name", "topic_id", "is_internal", "partitions", "topic_authorized_operations")

    def __init__(
        self,
        error_code: int = 0,
        name: str | None = "",
        topic_id: bytes = ZERO_UUID,
        is_internal: bool = False,
        partitions: Sequence[DescribeTopicPartitionsResponsePartition] = (),
        topic_authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = partitions
        self.topic_authorized_operations = topic_authorized_operations


class DescribeTopicPartitionsResponseCursor(Message):
    __slots__ = ("topic_name", "partition_index")

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index


class DescribeTopicPartitionsResponse(Message):
    __slots__ = ("throttle_time_ms", "topics", "next_cursor")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[DescribeTopicPartitionsResponseTopic] = (),
        next_cursor: DescribeTopicPartitionsResponseCursor | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.next_cursor = next_cursor


def _decode_describe_topic_partitions_response_partition_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeTopicPartitionsResponsePartition, int]:
    error_code, partition_index, leader_id, leader_epoch, n = _read_hiiiB(buf, pos)
    pos += 15
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeTopicPartitionsResponsePartition.replica_nodes")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DescribeTopicPartitionsResponsePartition.replica_nodes", n)
    budget[0] -= n
    replica_nodes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeTopicPartitionsResponsePartition.isr_nodes")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DescribeTopicPartitionsResponsePartition.isr_nodes", n)
    budget[0] -= n
    isr_nodes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    eligible_leader_replicas: list[int] | None
    if not n:
        eligible_leader_replicas = None
    else:
        n -= 1
        if n > budget[0] or n * 4 > len(buf) - pos:
            raise count_error("DescribeTopicPartitionsResponsePartition.eligible_leader_replicas", n)
        budget[0] -= n
        eligible_leader_replicas = list(unpack_from(f">{n}i", buf, pos))
        pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    last_known_elr: list[int] | None
    if not n:
        last_known_elr = None
    else:
        n -= 1
        if n > budget[0] or n * 4 > len(buf) - pos:
            raise count_error("DescribeTopicPartitionsResponsePartition.last_known_elr", n)
        budget[0] -= n
        last_known_elr = list(unpack_from(f">{n}i", buf, pos))
        pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeTopicPartitionsResponsePartition.offline_replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DescribeTopicPartitionsResponsePartition.offline_replicas", n)
    budget[0] -= n
    offline_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeTopicPartitionsResponsePartition(error_code, partition_index, leader_id, leader_epoch, replica_nodes, isr_nodes, eligible_leader_replicas, last_known_elr, offline_replicas), pos


def _decode_describe_topic_partitions_response_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeTopicPartitionsResponseTopic, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    name: str | None
    if not n:
        name = None
    else:
        end = pos + n - 1
        name = buf[pos:end].decode()
        pos = end
    topic_id, is_internal, n = _read_utB(buf, pos)
    pos += 18
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeTopicPartitionsResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("DescribeTopicPartitionsResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_topic_partitions_response_partition_v0(buf, pos, budget)
        partitions.append(partitions_item)
    topic_authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeTopicPartitionsResponseTopic(error_code, name, topic_id, is_internal, partitions, topic_authorized_operations), pos


def _decode_describe_topic_partitions_response_cursor_v0(buf: Buffer, pos: int) -> tuple[DescribeTopicPartitionsResponseCursor, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Cursor.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    partition_index, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeTopicPartitionsResponseCursor(topic_name, partition_index), pos


def _decode_describe_topic_partitions_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeTopicPartitionsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeTopicPartitionsResponse.topics")
    n -= 1
    if n > budget[0] or n * 26 > len(buf) - pos:
        raise count_error("DescribeTopicPartitionsResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_describe_topic_partitions_response_topic_v0(buf, pos, budget)
        topics.append(topics_item)
    (n,) = _read_b(buf, pos)
    pos += 1
    next_cursor: DescribeTopicPartitionsResponseCursor | None
    if n < 0:
        next_cursor = None
    else:
        next_cursor, pos = _decode_describe_topic_partitions_response_cursor_v0(buf, pos)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeTopicPartitionsResponse(throttle_time_ms, topics, next_cursor), pos


def _encode_describe_topic_partitions_response_partition_v0(m: DescribeTopicPartitionsResponsePartition, w: bytearray) -> None:
    w += _write_hiii(m.error_code, m.partition_index, m.leader_id, m.leader_epoch)
    n = len(m.replica_nodes)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.replica_nodes)
    n = len(m.isr_nodes)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.isr_nodes)
    if m.eligible_leader_replicas is None:
        w.append(0)
    else:
        n = len(m.eligible_leader_replicas)
        put_uvarint(w, n + 1)
        w += pack(f">{n}i", *m.eligible_leader_replicas)
    if m.last_known_elr is None:
        w.append(0)
    else:
        n = len(m.last_known_elr)
        put_uvarint(w, n + 1)
        w += pack(f">{n}i", *m.last_known_elr)
    n = len(m.offline_replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.offline_replicas)
    w.append(0)


def _encode_describe_topic_partitions_response_topic_v0(m: DescribeTopicPartitionsResponseTopic, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.name)
    w += _write_ut(m.topic_id, m.is_internal)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_describe_topic_partitions_response_partition_v0(partitions_item, w)
    w += _write_ix(m.topic_authorized_operations)


def _encode_describe_topic_partitions_response_cursor_v0(m: DescribeTopicPartitionsResponseCursor, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    w += _write_ix(m.partition_index)


def _encode_describe_topic_partitions_response_v0(m: DescribeTopicPartitionsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_describe_topic_partitions_response_topic_v0(topics_item, w)
    if m.next_cursor is None:
        w.append(255)
    else:
        w.append(1)
        _encode_describe_topic_partitions_response_cursor_v0(m.next_cursor, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_describe_topic_partitions_response_v0}
_RESPONSE_ENCODERS = {0: _encode_describe_topic_partitions_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeTopicPartitionsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeTopicPartitionsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeTopicPartitionsResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeTopicPartitionsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeTopicPartitionsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
