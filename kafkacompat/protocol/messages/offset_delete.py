"""OffsetDelete, API key 47: request and response in every version."""

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
    put_string,
    wrong_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 47
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 32767


_read_h = Struct(">h").unpack_from
_write_hi = Struct(">hi").pack
_read_hii = Struct(">hii").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack


class OffsetDeleteRequestPartition(Message):
    __slots__ = ("partition_index",)

    def __init__(
        self,
        partition_index: int = 0,
    ) -> None:
        self.partition_index = partition_index


class OffsetDeleteRequestTopic(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[OffsetDeleteRequestPartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class OffsetDeleteRequest(Message):
    __slots__ = ("group_id", "topics")

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[OffsetDeleteRequestTopic] = (),
    ) -> None:
        self.group_id = group_id
        self.topics = topics


def _decode_offset_delete_request_partition_v0(buf: Buffer, pos: int) -> tuple[OffsetDeleteRequestPartition, int]:
    (partition_index,) = _read_i(buf, pos)
    pos += 4
    return OffsetDeleteRequestPartition(partition_index), pos


def _decode_offset_delete_request_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetDeleteRequestTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetDeleteRequestTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetDeleteRequestTopic.partitions")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("OffsetDeleteRequestTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_delete_request_partition_v0(buf, pos)
        partitions.append(partitions_item)
    return OffsetDeleteRequestTopic(name, partitions), pos


def _decode_offset_delete_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetDeleteRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetDeleteRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetDeleteRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetDeleteRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_delete_request_topic_v0(buf, pos, budget)
        topics.append(topics_item)
    return OffsetDeleteRequest(group_id, topics), pos


def _encode_offset_delete_request_partition_v0(m: OffsetDeleteRequestPartition, w: bytearray) -> None:
    w += _write_i(m.partition_index)


def _encode_offset_delete_request_topic_v0(m: OffsetDeleteRequestTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_offset_delete_request_partition_v0(partitions_item, w)


def _encode_offset_delete_request_v0(m: OffsetDeleteRequest, w: bytearray) -> None:
    put_string(w, m.group_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_delete_request_topic_v0(topics_item, w)


_REQUEST_DECODERS = {0: _decode_offset_delete_request_v0}
_REQUEST_ENCODERS = {0: _encode_offset_delete_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> OffsetDeleteRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("OffsetDeleteRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("OffsetDeleteRequest", version, pos, len(buf))
    return message


def encode_request(message: OffsetDeleteRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("OffsetDeleteRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class OffsetDeleteResponsePartition(Message):
    __slots__ = ("partition_index", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class OffsetDeleteResponseTopic(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[OffsetDeleteResponsePartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class OffsetDeleteResponse(Message):
    __slots__ = ("error_code", "throttle_time_ms", "topics")

    def __init__(
        self,
        error_code: int = 0,
        throttle_time_ms: int = 0,
        topics: Sequence[OffsetDeleteResponseTopic] = (),
    ) -> None:
        self.error_code = error_code
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _decode_offset_delete_response_partition_v0(buf: Buffer, pos: int) -> tuple[OffsetDeleteResponsePartition, int]:
    partition_index, error_code = _read_ih(buf, pos)
    pos += 6
    return OffsetDeleteResponsePartition(partition_index, error_code), pos


def _decode_offset_delete_response_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetDeleteResponseTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetDeleteResponseTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetDeleteResponseTopic.partitions")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetDeleteResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_delete_response_partition_v0(buf, pos)
        partitions.append(partitions_item)
    return OffsetDeleteResponseTopic(name, partitions), pos


def _decode_offset_delete_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetDeleteResponse, int]:
    error_code, throttle_time_ms, n = _read_hii(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("OffsetDeleteResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetDeleteResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_delete_response_topic_v0(buf, pos, budget)
        topics.append(topics_item)
    return OffsetDeleteResponse(error_code, throttle_time_ms, topics), pos


def _encode_offset_delete_response_partition_v0(m: OffsetDeleteResponsePartition, w: bytearray) -> None:
    w += _write_ih(m.partition_index, m.error_code)


def _encode_offset_delete_response_topic_v0(m: OffsetDeleteResponseTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_offset_delete_response_partition_v0(partitions_item, w)


def _encode_offset_delete_response_v0(m: OffsetDeleteResponse, w: bytearray) -> None:
    w += _write_hi(m.error_code, m.throttle_time_ms)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_delete_response_topic_v0(topics_item, w)


_RESPONSE_DECODERS = {0: _decode_offset_delete_response_v0}
_RESPONSE_ENCODERS = {0: _encode_offset_delete_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> OffsetDeleteResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("OffsetDeleteResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("OffsetDeleteResponse", version, pos, len(buf))
    return message


def encode_response(message: OffsetDeleteResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("OffsetDeleteResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
