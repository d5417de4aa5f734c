"""OffsetForLeaderEpoch, API key 23: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
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

API_KEY = 23
MIN_VERSION = 2
MAX_VERSION = 4
FLEXIBLE_VERSION = 4


_read_h = Struct(">h").unpack_from
_read_hiiq = Struct(">hiiq").unpack_from
_write_hiiq = Struct(">hiiq").pack
_read_hiiqB = Struct(">hiiqB").unpack_from
_write_hiiqx = Struct(">hiiqx").pack
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_read_iii = Struct(">iii").unpack_from
_write_iii = Struct(">iii").pack
_read_iiiB = Struct(">iiiB").unpack_from
_write_iiix = Struct(">iiix").pack


class OffsetForLeaderPartition(Message):
    __slots__ = ("partition", "current_leader_epoch", "leader_epoch")

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = -1,
        leader_epoch: int = 0,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.leader_epoch = leader_epoch


class OffsetForLeaderTopic(Message):
    __slots__ = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[OffsetForLeaderPartition] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class OffsetForLeaderEpochRequest(Message):
    __slots__ = ("replica_id", "topics")

    def __init__(
        self,
        replica_id: int = -2,
        topics: Sequence[OffsetForLeaderTopic] = (),
    ) -> None:
        self.replica_id = replica_id
        self.topics = topics


def _decode_offset_for_leader_partition_v2(buf: Buffer, pos: int) -> tuple[OffsetForLeaderPartition, int]:
    partition, current_leader_epoch, leader_epoch = _read_iii(buf, pos)
    pos += 12
    return OffsetForLeaderPartition(partition, current_leader_epoch, leader_epoch), pos


def _decode_offset_for_leader_partition_v4(buf: Buffer, pos: int) -> tuple[OffsetForLeaderPartition, int]:
    partition, current_leader_epoch, leader_epoch, n = _read_iiiB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetForLeaderPartition(partition, current_leader_epoch, leader_epoch), pos


def _decode_offset_for_leader_topic_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetForLeaderTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetForLeaderTopic.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetForLeaderTopic.partitions")
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("OffsetForLeaderTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_for_leader_partition_v2(buf, pos)
        partitions.append(partitions_item)
    return OffsetForLeaderTopic(topic, partitions), pos


def _decode_offset_for_leader_topic_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetForLeaderTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetForLeaderTopic.topic")
    end = pos + n - 1
    topic = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetForLeaderTopic.partitions")
    n -= 1
    if n > budget[0] or n * 13 > len(buf) - pos:
        raise count_error("OffsetForLeaderTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_for_leader_partition_v4(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetForLeaderTopic(topic, partitions), pos


def _decode_offset_for_leader_epoch_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetForLeaderEpochRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetForLeaderEpochRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetForLeaderEpochRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_for_leader_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    return OffsetForLeaderEpochRequest(-2, topics), pos


def _decode_offset_for_leader_epoch_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetForLeaderEpochRequest, int]:
    replica_id, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("OffsetForLeaderEpochRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetForLeaderEpochRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_for_leader_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    return OffsetForLeaderEpochRequest(replica_id, topics), pos


def _decode_offset_for_leader_epoch_request_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetForLeaderEpochRequest, int]:
    replica_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetForLeaderEpochRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("OffsetForLeaderEpochRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_for_leader_topic_v4(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetForLeaderEpochRequest(replica_id, topics), pos


def _encode_offset_for_leader_partition_v2(m: OffsetForLeaderPartition, w: bytearray) -> None:
    w += _write_iii(m.partition, m.current_leader_epoch, m.leader_epoch)


def _encode_offset_for_leader_partition_v4(m: OffsetForLeaderPartition, w: bytearray) -> None:
    w += _write_iiix(m.partition, m.current_leader_epoch, m.leader_epoch)


def _encode_offset_for_leader_topic_v2(m: OffsetForLeaderTopic, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_offset_for_leader_partition_v2(partitions_item, w)


def _encode_offset_for_leader_topic_v4(m: OffsetForLeaderTopic, w: bytearray) -> None:
    put_compact_string(w, m.topic)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_offset_for_leader_partition_v4(partitions_item, w)
    w.append(0)


def _encode_offset_for_leader_epoch_request_v2(m: OffsetForLeaderEpochRequest, w: bytearray) -> None:
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_for_leader_topic_v2(topics_item, w)


def _encode_offset_for_leader_epoch_request_v3(m: OffsetForLeaderEpochRequest, w: bytearray) -> None:
    w += _write_i(m.replica_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_for_leader_topic_v2(topics_item, w)


def _encode_offset_for_leader_epoch_request_v4(m: OffsetForLeaderEpochRequest, w: bytearray) -> None:
    w += _write_i(m.replica_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_offset_for_leader_topic_v4(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {2: _decode_offset_for_leader_epoch_request_v2, 3: _decode_offset_for_leader_epoch_request_v3, 4: _decode_offset_for_leader_epoch_request_v4}
_REQUEST_ENCODERS = {2: _encode_offset_for_leader_epoch_request_v2, 3: _encode_offset_for_leader_epoch_request_v3, 4: _encode_offset_for_leader_epoch_request_v4}


def decode_request(buf: Buffer, pos: int, version: int) -> OffsetForLeaderEpochRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("OffsetForLeaderEpochRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("OffsetForLeaderEpochRequest", version, pos, len(buf))
    return message


def encode_request(message: OffsetForLeaderEpochRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("OffsetForLeaderEpochRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class EpochEndOffset(Message):
    __slots__ = ("error_code", "partition", "leader_epoch", "end_offset")

    def __init__(
        self,
        error_code: int = 0,
        partition: int = 0,
        leader_epoch: int = -1,
        end_offset: int = -1,
    ) -> None:
        self.error_code = error_code
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.end_offset = end_offset


class OffsetForLeaderTopicResult(Message):
    __slots__ = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[EpochEndOffset] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class OffsetForLeaderEpochResponse(Message):
    __slots__ = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[OffsetForLeaderTopicResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _decode_epoch_end_offset_v2(buf: Buffer, pos: int) -> tuple[EpochEndOffset, int]:
    error_code, partition, leader_epoch, end_offset = _read_hiiq(buf, pos)
    pos += 18
    return EpochEndOffset(error_code, partition, leader_epoch, end_offset), pos


def _decode_epoch_end_offset_v4(buf: Buffer, pos: int) -> tuple[EpochEndOffset, int]:
    error_code, partition, leader_epoch, end_offset, n = _read_hiiqB(buf, pos)
    pos += 19
    if n:
        pos = skip_tags(buf, pos, n)
    return EpochEndOffset(error_code, partition, leader_epoch, end_offset), pos


def _decode_offset_for_leader_topic_result_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetForLeaderTopicResult, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetForLeaderTopicResult.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetForLeaderTopicResult.partitions")
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("OffsetForLeaderTopicResult.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_epoch_end_offset_v2(buf, pos)
        partitions.append(partitions_item)
    return OffsetForLeaderTopicResult(topic, partitions), pos


def _decode_offset_for_leader_topic_result_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetForLeaderTopicResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetForLeaderTopicResult.topic")
    end = pos + n - 1
    topic = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetForLeaderTopicResult.partitions")
    n -= 1
    if n > budget[0] or n * 19 > len(buf) - pos:
        raise count_error("OffsetForLeaderTopicResult.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_epoch_end_offset_v4(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetForLeaderTopicResult(topic, partitions), pos


def _decode_offset_for_leader_epoch_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetForLeaderEpochResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("OffsetForLeaderEpochResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetForLeaderEpochResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_for_leader_topic_result_v2(buf, pos, budget)
        topics.append(topics_item)
    return OffsetForLeaderEpochResponse(throttle_time_ms, topics), pos


def _decode_offset_for_leader_epoch_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetForLeaderEpochResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetForLeaderEpochResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("OffsetForLeaderEpochResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_for_leader_topic_result_v4(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetForLeaderEpochResponse(throttle_time_ms, topics), pos


def _encode_epoch_end_offset_v2(m: EpochEndOffset, w: bytearray) -> None:
    w += _write_hiiq(m.error_code, m.partition, m.leader_epoch, m.end_offset)


def _encode_epoch_end_offset_v4(m: EpochEndOffset, w: bytearray) -> None:
    w += _write_hiiqx(m.error_code, m.partition, m.leader_epoch, m.end_offset)


def _encode_offset_for_leader_topic_result_v2(m: OffsetForLeaderTopicResult, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_epoch_end_offset_v2(partitions_item, w)


def _encode_offset_for_leader_topic_result_v4(m: OffsetForLeaderTopicResult, w: bytearray) -> None:
    put_compact_string(w, m.topic)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_epoch_end_offset_v4(partitions_item, w)
    w.append(0)


def _encode_offset_for_leader_epoch_response_v2(m: OffsetForLeaderEpochResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_for_leader_topic_result_v2(topics_item, w)


def _encode_offset_for_leader_epoch_response_v4(m: OffsetForLeaderEpochResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_offset_for_leader_topic_result_v4(topics_item, w)
    w.append(0)


_RESPONSE_DECODERS = {2: _decode_offset_for_leader_epoch_response_v2, 3: _decode_offset_for_leader_epoch_response_v2, 4: _decode_offset_for_leader_epoch_response_v4}
_RESPONSE_ENCODERS = {2: _encode_offset_for_leader_epoch_response_v2, 3: _encode_offset_for_leader_epoch_response_v2, 4: _encode_offset_for_leader_epoch_response_v4}


def decode_response(buf: Buffer, pos: int, version: int) -> OffsetForLeaderEpochResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("OffsetForLeaderEpochResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("OffsetForLeaderEpochResponse", version, pos, len(buf))
    return message


def encode_response(message: OffsetForLeaderEpochResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("OffsetForLeaderEpochResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
