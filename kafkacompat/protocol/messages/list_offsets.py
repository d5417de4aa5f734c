"""ListOffsets, API key 2: request and response in every version."""

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

API_KEY = 2
MIN_VERSION = 1
MAX_VERSION = 11
FLEXIBLE_VERSION = 6


_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ib = Struct(">ib").pack
_read_ibB = Struct(">ibB").unpack_from
_read_ibi = Struct(">ibi").unpack_from
_read_ihqq = Struct(">ihqq").unpack_from
_write_ihqq = Struct(">ihqq").pack
_read_ihqqi = Struct(">ihqqi").unpack_from
_write_ihqqi = Struct(">ihqqi").pack
_read_ihqqiB = Struct(">ihqqiB").unpack_from
_write_ihqqix = Struct(">ihqqix").pack
_read_ii = Struct(">ii").unpack_from
_read_iiq = Struct(">iiq").unpack_from
_write_iiq = Struct(">iiq").pack
_read_iiqB = Struct(">iiqB").unpack_from
_write_iiqx = Struct(">iiqx").pack
_read_iq = Struct(">iq").unpack_from
_write_iq = Struct(">iq").pack
_write_ix = Struct(">ix").pack


class ListOffsetsPartition(Message):
    __slots__ = ("partition_index", "current_leader_epoch", "timestamp")

    def __init__(
        self,
        partition_index: int = 0,
        current_leader_epoch: int = -1,
        timestamp: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.current_leader_epoch = current_leader_epoch
        self.timestamp = timestamp


class ListOffsetsTopic(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[ListOffsetsPartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class ListOffsetsRequest(Message):
    __slots__ = ("replica_id", "isolation_level", "topics", "timeout_ms")

    def __init__(
        self,
        replica_id: int = 0,
        isolation_level: int = 0,
        topics: Sequence[ListOffsetsTopic] = (),
        timeout_ms: int = 0,
    ) -> None:
        self.replica_id = replica_id
        self.isolation_level = isolation_level
        self.topics = topics
        self.timeout_ms = timeout_ms


def _decode_list_offsets_partition_v1(buf: Buffer, pos: int) -> tuple[ListOffsetsPartition, int]:
    partition_index, timestamp = _read_iq(buf, pos)
    pos += 12
    return ListOffsetsPartition(partition_index, -1, timestamp), pos


def _decode_list_offsets_partition_v4(buf: Buffer, pos: int) -> tuple[ListOffsetsPartition, int]:
    partition_index, current_leader_epoch, timestamp = _read_iiq(buf, pos)
    pos += 16
    return ListOffsetsPartition(partition_index, current_leader_epoch, timestamp), pos


def _decode_list_offsets_partition_v6(buf: Buffer, pos: int) -> tuple[ListOffsetsPartition, int]:
    partition_index, current_leader_epoch, timestamp, n = _read_iiqB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return ListOffsetsPartition(partition_index, current_leader_epoch, timestamp), pos


def _decode_list_offsets_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ListOffsetsTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ListOffsetsTopic.partitions")
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("ListOffsetsTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_v1(buf, pos)
        partitions.append(partitions_item)
    return ListOffsetsTopic(name, partitions), pos


def _decode_list_offsets_topic_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ListOffsetsTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ListOffsetsTopic.partitions")
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("ListOffsetsTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_v4(buf, pos)
        partitions.append(partitions_item)
    return ListOffsetsTopic(name, partitions), pos


def _decode_list_offsets_topic_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListOffsetsTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListOffsetsTopic.partitions")
    n -= 1
    if n > budget[0] or n * 17 > len(buf) - pos:
        raise count_error("ListOffsetsTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_v6(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListOffsetsTopic(name, partitions), pos


def _decode_list_offsets_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsRequest, int]:
    replica_id, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("ListOffsetsRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ListOffsetsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    return ListOffsetsRequest(replica_id, 0, topics, 0), pos


def _decode_list_offsets_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level, n = _read_ibi(buf, pos)
    pos += 9
    if n < 0:
        raise null_error("ListOffsetsRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ListOffsetsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    return ListOffsetsRequest(replica_id, isolation_level, topics, 0), pos


def _decode_list_offsets_request_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level, n = _read_ibi(buf, pos)
    pos += 9
    if n < 0:
        raise null_error("ListOffsetsRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ListOffsetsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_v4(buf, pos, budget)
        topics.append(topics_item)
    return ListOffsetsRequest(replica_id, isolation_level, topics, 0), pos


def _decode_list_offsets_request_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level, n = _read_ibB(buf, pos)
    pos += 6
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListOffsetsRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ListOffsetsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_v6(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListOffsetsRequest(replica_id, isolation_level, topics, 0), pos


def _decode_list_offsets_request_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level, n = _read_ibB(buf, pos)
    pos += 6
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListOffsetsRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ListOffsetsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_v6(buf, pos, budget)
        topics.append(topics_item)
    timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return ListOffsetsRequest(replica_id, isolation_level, topics, timeout_ms), pos


def _encode_list_offsets_partition_v1(m: ListOffsetsPartition, w: bytearray) -> None:
    w += _write_iq(m.partition_index, m.timestamp)


def _encode_list_offsets_partition_v4(m: ListOffsetsPartition, w: bytearray) -> None:
    w += _write_iiq(m.partition_index, m.current_leader_epoch, m.timestamp)


def _encode_list_offsets_partition_v6(m: ListOffsetsPartition, w: bytearray) -> None:
    w += _write_iiqx(m.partition_index, m.current_leader_epoch, m.timestamp)


def _encode_list_offsets_topic_v1(m: ListOffsetsTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_list_offsets_partition_v1(partitions_item, w)


def _encode_list_offsets_topic_v4(m: ListOffsetsTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_list_offsets_partition_v4(partitions_item, w)


def _encode_list_offsets_topic_v6(m: ListOffsetsTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_list_offsets_partition_v6(partitions_item, w)
    w.append(0)


def _encode_list_offsets_request_v1(m: ListOffsetsRequest, w: bytearray) -> None:
    if m.isolation_level != 0:
        raise UnsupportedFieldError("ListOffsetsRequest.isolation_level", "2+")
    w += _write_i(m.replica_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_list_offsets_topic_v1(topics_item, w)


def _encode_list_offsets_request_v2(m: ListOffsetsRequest, w: bytearray) -> None:
    w += _write_ib(m.replica_id, m.isolation_level)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_list_offsets_topic_v1(topics_item, w)


def _encode_list_offsets_request_v4(m: ListOffsetsRequest, w: bytearray) -> None:
    w += _write_ib(m.replica_id, m.isolation_level)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_list_offsets_topic_v4(topics_item, w)


def _encode_list_offsets_request_v6(m: ListOffsetsRequest, w: bytearray) -> None:
    w += _write_ib(m.replica_id, m.isolation_level)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_list_offsets_topic_v6(topics_item, w)
    w.append(0)


def _encode_list_offsets_request_v10(m: ListOffsetsRequest, w: bytearray) -> None:
    w += _write_ib(m.replica_id, m.isolation_level)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_list_offsets_topic_v6(topics_item, w)
    w += _write_ix(m.timeout_ms)


_REQUEST_DECODERS = {1: _decode_list_offsets_request_v1, 2: _decode_list_offsets_request_v2, 3: _decode_list_offsets_request_v2, 4: _decode_list_offsets_request_v4, 5: _decode_list_offsets_request_v4, 6: _decode_list_offsets_request_v6, 7: _decode_list_offsets_request_v6, 8: _decode_list_offsets_request_v6, 9: _decode_list_offsets_request_v6, 10: _decode_list_offsets_request_v10, 11: _decode_list_offsets_request_v10}
_REQUEST_ENCODERS = {1: _encode_list_offsets_request_v1, 2: _encode_list_offsets_request_v2, 3: _encode_list_offsets_request_v2, 4: _encode_list_offsets_request_v4, 5: _encode_list_offsets_request_v4, 6: _encode_list_offsets_request_v6, 7: _encode_list_offsets_request_v6, 8: _encode_list_offsets_request_v6, 9: _encode_list_offsets_request_v6, 10: _encode_list_offsets_request_v10, 11: _encode_list_offsets_request_v10}


def decode_request(buf: Buffer, pos: int, version: int) -> ListOffsetsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ListOffsetsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ListOffsetsRequest", version, pos, len(buf))
    return message


def encode_request(message: ListOffsetsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ListOffsetsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class ListOffsetsPartitionResponse(Message):
    __slots__ = ("partition_index", "error_code", "timestamp", "offset", "leader_epoch")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        timestamp: int = -1,
        offset: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.timestamp = timestamp
        self.offset = offset
        self.leader_epoch = leader_epoch


class ListOffsetsTopicResponse(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[ListOffsetsPartitionResponse] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class ListOffsetsResponse(Message):
    __slots__ = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[ListOffsetsTopicResponse] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _decode_list_offsets_partition_response_v1(buf: Buffer, pos: int) -> tuple[ListOffsetsPartitionResponse, int]:
    partition_index, error_code, timestamp, offset = _read_ihqq(buf, pos)
    pos += 22
    return ListOffsetsPartitionResponse(partition_index, error_code, timestamp, offset, -1), pos


def _decode_list_offsets_partition_response_v4(buf: Buffer, pos: int) -> tuple[ListOffsetsPartitionResponse, int]:
    partition_index, error_code, timestamp, offset, leader_epoch = _read_ihqqi(buf, pos)
    pos += 26
    return ListOffsetsPartitionResponse(partition_index, error_code, timestamp, offset, leader_epoch), pos


def _decode_list_offsets_partition_response_v6(buf: Buffer, pos: int) -> tuple[ListOffsetsPartitionResponse, int]:
    partition_index, error_code, timestamp, offset, leader_epoch, n = _read_ihqqiB(buf, pos)
    pos += 27
    if n:
        pos = skip_tags(buf, pos, n)
    return ListOffsetsPartitionResponse(partition_index, error_code, timestamp, offset, leader_epoch), pos


def _decode_list_offsets_topic_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsTopicResponse, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ListOffsetsTopicResponse.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ListOffsetsTopicResponse.partitions")
    if n > budget[0] or n * 22 > len(buf) - pos:
        raise count_error("ListOffsetsTopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_response_v1(buf, pos)
        partitions.append(partitions_item)
    return ListOffsetsTopicResponse(name, partitions), pos


def _decode_list_offsets_topic_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsTopicResponse, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ListOffsetsTopicResponse.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ListOffsetsTopicResponse.partitions")
    if n > budget[0] or n * 26 > len(buf) - pos:
        raise count_error("ListOffsetsTopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_response_v4(buf, pos)
        partitions.append(partitions_item)
    return ListOffsetsTopicResponse(name, partitions), pos


def _decode_list_offsets_topic_response_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsTopicResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListOffsetsTopicResponse.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListOffsetsTopicResponse.partitions")
    n -= 1
    if n > budget[0] or n * 27 > len(buf) - pos:
        raise count_error("ListOffsetsTopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_response_v6(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListOffsetsTopicResponse(name, partitions), pos


def _decode_list_offsets_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsResponse, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ListOffsetsResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ListOffsetsResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_response_v1(buf, pos, budget)
        topics.append(topics_item)
    return ListOffsetsResponse(0, topics), pos


def _decode_list_offsets_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("ListOffsetsResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ListOffsetsResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_response_v1(buf, pos, budget)
        topics.append(topics_item)
    return ListOffsetsResponse(throttle_time_ms, topics), pos


def _decode_list_offsets_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("ListOffsetsResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ListOffsetsResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_response_v4(buf, pos, budget)
        topics.append(topics_item)
    return ListOffsetsResponse(throttle_time_ms, topics), pos


def _decode_list_offsets_response_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListOffsetsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListOffsetsResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ListOffsetsResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_response_v6(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListOffsetsResponse(throttle_time_ms, topics), pos


def _encode_list_offsets_partition_response_v1(m: ListOffsetsPartitionResponse, w: bytearray) -> None:
    if m.leader_epoch != -1:
        raise UnsupportedFieldError("ListOffsetsPartitionResponse.leader_epoch", "4+")
    w += _write_ihqq(m.partition_index, m.error_code, m.timestamp, m.offset)


def _encode_list_offsets_partition_response_v4(m: ListOffsetsPartitionResponse, w: bytearray) -> None:
    w += _write_ihqqi(m.partition_index, m.error_code, m.timestamp, m.offset, m.leader_epoch)


def _encode_list_offsets_partition_response_v6(m: ListOffsetsPartitionResponse, w: bytearray) -> None:
    w += _write_ihqqix(m.partition_index, m.error_code, m.timestamp, m.offset, m.leader_epoch)


def _encode_list_offsets_topic_response_v1(m: ListOffsetsTopicResponse, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_list_offsets_partition_response_v1(partitions_item, w)


def _encode_list_offsets_topic_response_v4(m: ListOffsetsTopicResponse, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_list_offsets_partition_response_v4(partitions_item, w)


def _encode_list_offsets_topic_response_v6(m: ListOffsetsTopicResponse, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_list_offsets_partition_response_v6(partitions_item, w)
    w.append(0)


def _encode_list_offsets_response_v1(m: ListOffsetsResponse, w: bytearray) -> None:
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_list_offsets_topic_response_v1(topics_item, w)


def _encode_list_offsets_response_v2(m: ListOffsetsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_list_offsets_topic_response_v1(topics_item, w)


def _encode_list_offsets_response_v4(m: ListOffsetsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_list_offsets_topic_response_v4(topics_item, w)


def _encode_list_offsets_response_v6(m: ListOffsetsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_list_offsets_topic_response_v6(topics_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_list_offsets_response_v1, 2: _decode_list_offsets_response_v2, 3: _decode_list_offsets_response_v2, 4: _decode_list_offsets_response_v4, 5: _decode_list_offsets_response_v4, 6: _decode_list_offsets_response_v6, 7: _decode_list_offsets_response_v6, 8: _decode_list_offsets_response_v6, 9: _decode_list_offsets_response_v6, 10: _decode_list_offsets_response_v6, 11: _decode_list_offsets_response_v6}
_RESPONSE_ENCODERS = {1: _encode_list_offsets_response_v1, 2: _encode_list_offsets_response_v2, 3: _encode_list_offsets_response_v2, 4: _encode_list_offsets_response_v4, 5: _encode_list_offsets_response_v4, 6: _encode_list_offsets_response_v6, 7: _encode_list_offsets_response_v6, 8: _encode_list_offsets_response_v6, 9: _encode_list_offsets_response_v6, 10: _encode_list_offsets_response_v6, 11: _encode_list_offsets_response_v6}


def decode_response(buf: Buffer, pos: int, version: int) -> ListOffsetsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ListOffsetsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ListOffsetsResponse", version, pos, len(buf))
    return message


def encode_response(message: ListOffsetsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ListOffsetsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
