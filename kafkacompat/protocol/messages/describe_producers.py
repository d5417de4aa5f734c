"""DescribeProducers, API key 61: request and response in every version."""

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

API_KEY = 61
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_qiiqiqB = Struct(">qiiqiqB").unpack_from
_write_qiiqiqx = Struct(">qiiqiqx").pack


class TopicRequest(Message):
    __slots__ = ("name", "partition_indexes")

    def __init__(
        self,
        name: str = "",
        partition_indexes: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.partition_indexes = partition_indexes


class DescribeProducersRequest(Message):
    __slots__ = ("topics",)

    def __init__(
        self,
        topics: Sequence[TopicRequest] = (),
    ) -> None:
        self.topics = topics


def _decode_topic_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicRequest, int]:
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
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicRequest.partition_indexes")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicRequest.partition_indexes", n)
    budget[0] -= n
    partition_indexes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicRequest(name, partition_indexes), pos


def _decode_describe_producers_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeProducersRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeProducersRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribeProducersRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_topic_request_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeProducersRequest(topics), pos


def _encode_topic_request_v0(m: TopicRequest, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partition_indexes)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partition_indexes)
    w.append(0)


def _encode_describe_producers_request_v0(m: DescribeProducersRequest, w: bytearray) -> None:
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_topic_request_v0(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_describe_producers_request_v0}
_REQUEST_ENCODERS = {0: _encode_describe_producers_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeProducersRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeProducersRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeProducersRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeProducersRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeProducersRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class ProducerState(Message):
    __slots__ = ("producer_id", "producer_epoch", "last_sequence", "last_timestamp", "coordinator_epoch", "current_txn_start_offset")

    def __init__(
        self,
        producer_id: int = 0,
        producer_epoch: int = 0,
        last_sequence: int = -1,
        last_timestamp: int = -1,
        coordinator_epoch: int = 0,
        current_txn_start_offset: int = -1,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.last_sequence = last_sequence
        self.last_timestamp = last_timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_start_offset = current_txn_start_offset


class PartitionResponse(Message):
    __slots__ = ("partition_index", "error_code", "error_message", "active_producers")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        active_producers: Sequence[ProducerState] = (),
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.active_producers = active_producers


class TopicResponse(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[PartitionResponse] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class DescribeProducersResponse(Message):
    __slots__ = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[TopicResponse] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _decode_producer_state_v0(buf: Buffer, pos: int) -> tuple[ProducerState, int]:
    producer_id, producer_epoch, last_sequence, last_timestamp, coordinator_epoch, current_txn_start_offset, n = _read_qiiqiqB(buf, pos)
    pos += 37
    if n:
        pos = skip_tags(buf, pos, n)
    return ProducerState(producer_id, producer_epoch, last_sequence, last_timestamp, coordinator_epoch, current_txn_start_offset), pos


def _decode_partition_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionResponse, int]:
    partition_index, error_code, n = _read_ihB(buf, pos)
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
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionResponse.active_producers")
    n -= 1
    if n > budget[0] or n * 37 > len(buf) - pos:
        raise count_error("PartitionResponse.active_producers", n)
    budget[0] -= n
    active_producers = []
    for _ in range(n):
        active_producers_item, pos = _decode_producer_state_v0(buf, pos)
        active_producers.append(active_producers_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionResponse(partition_index, error_code, error_message, active_producers), pos


def _decode_topic_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicResponse.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicResponse.partitions")
    n -= 1
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("TopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_response_v0(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicResponse(name, partitions), pos


def _decode_describe_producers_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeProducersResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeProducersResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribeProducersResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_topic_response_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeProducersResponse(throttle_time_ms, topics), pos


def _encode_producer_state_v0(m: ProducerState, w: bytearray) -> None:
    w += _write_qiiqiqx(m.producer_id, m.producer_epoch, m.last_sequence, m.last_timestamp, m.coordinator_epoch, m.current_txn_start_offset)


def _encode_partition_response_v0(m: PartitionResponse, w: bytearray) -> None:
    w += _write_ih(m.partition_index, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.active_producers)
    put_uvarint(w, n + 1)
    for active_producers_item in m.active_producers:
        _encode_producer_state_v0(active_producers_item, w)
    w.append(0)


def _encode_topic_response_v0(m: TopicResponse, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        if isinstance(partitions_item, bytes):
            w += partitions_item
        else:
            _encode_partition_response_v0(partitions_item, w)
    w.append(0)


def _encode_describe_producers_response_v0(m: DescribeProducersResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_topic_response_v0(topics_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_describe_producers_response_v0}
_RESPONSE_ENCODERS = {0: _encode_describe_producers_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeProducersResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeProducersResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeProducersResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeProducersResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeProducersResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)


_PARTITION_RESPONSE_ENCODERS = {0: _encode_partition_response_v0}


def encode_partition_response(item: PartitionResponse, version: int) -> bytes:
    if version not in _PARTITION_RESPONSE_ENCODERS:
        raise UnsupportedVersionError("PartitionResponse", version)
    w = bytearray()
    _PARTITION_RESPONSE_ENCODERS[version](item, w)
    return bytes(w)
