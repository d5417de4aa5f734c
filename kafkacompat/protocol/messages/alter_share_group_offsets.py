"""AlterShareGroupOffsets, API key 91: request and response in every version."""

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

API_KEY = 91
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_write_iqx = Struct(">iqx").pack


class AlterShareGroupOffsetsRequestPartition(Message):
    __slots__ = ("partition_index", "start_offset")

    def __init__(
        self,
        partition_index: int = 0,
        start_offset: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.start_offset = start_offset


class AlterShareGroupOffsetsRequestTopic(Message):
    __slots__ = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: Sequence[AlterShareGroupOffsetsRequestPartition] = (),
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class AlterShareGroupOffsetsRequest(Message):
    __slots__ = ("group_id", "topics")

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[AlterShareGroupOffsetsRequestTopic] = (),
    ) -> None:
        self.group_id = group_id
        self.topics = topics


def _decode_alter_share_group_offsets_request_partition_v0(buf: Buffer, pos: int) -> tuple[AlterShareGroupOffsetsRequestPartition, int]:
    partition_index, start_offset, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterShareGroupOffsetsRequestPartition(partition_index, start_offset), pos


def _decode_alter_share_group_offsets_request_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterShareGroupOffsetsRequestTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AlterShareGroupOffsetsRequestTopic.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterShareGroupOffsetsRequestTopic.partitions")
    n -= 1
    if n > budget[0] or n * 13 > len(buf) - pos:
        raise count_error("AlterShareGroupOffsetsRequestTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_alter_share_group_offsets_request_partition_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterShareGroupOffsetsRequestTopic(topic_name, partitions), pos


def _decode_alter_share_group_offsets_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterShareGroupOffsetsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AlterShareGroupOffsetsRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterShareGroupOffsetsRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AlterShareGroupOffsetsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_alter_share_group_offsets_request_topic_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterShareGroupOffsetsRequest(group_id, topics), pos


def _encode_alter_share_group_offsets_request_partition_v0(m: AlterShareGroupOffsetsRequestPartition, w: bytearray) -> None:
    w += _write_iqx(m.partition_index, m.start_offset)


def _encode_alter_share_group_offsets_request_topic_v0(m: AlterShareGroupOffsetsRequestTopic, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_alter_share_group_offsets_request_partition_v0(partitions_item, w)
    w.append(0)


def _encode_alter_share_group_offsets_request_v0(m: AlterShareGroupOffsetsRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_alter_share_group_offsets_request_topic_v0(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_alter_share_group_offsets_request_v0}
_REQUEST_ENCODERS = {0: _encode_alter_share_group_offsets_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> AlterShareGroupOffsetsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterShareGroupOffsetsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("AlterShareGroupOffsetsRequest", version, pos, len(buf))
    return message


def encode_request(message: AlterShareGroupOffsetsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("AlterShareGroupOffsetsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AlterShareGroupOffsetsResponsePartition(Message):
    __slots__ = ("partition_index", "error_code", "error_message")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message


class AlterShareGroupOffsetsResponseTopic(Message):
    __slots__ = ("topic_name", "topic_id", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[AlterShareGroupOffsetsResponsePartition] = (),
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = partitions


class AlterShareGroupOffsetsResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "responses")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        responses: Sequence[AlterShareGroupOffsetsResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses = responses


def _decode_alter_share_group_offsets_response_partition_v0(buf: Buffer, pos: int) -> tuple[AlterShareGroupOffsetsResponsePartition, int]:
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
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterShareGroupOffsetsResponsePartition(partition_index, error_code, error_message), pos


def _decode_alter_share_group_offsets_response_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterShareGroupOffsetsResponseTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AlterShareGroupOffsetsResponseTopic.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterShareGroupOffsetsResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("AlterShareGroupOffsetsResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_alter_share_group_offsets_response_partition_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterShareGroupOffsetsResponseTopic(topic_name, topic_id, partitions), pos


def _decode_alter_share_group_offsets_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterShareGroupOffsetsResponse, int]:
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
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterShareGroupOffsetsResponse.responses")
    n -= 1
    if n > budget[0] or n * 19 > len(buf) - pos:
        raise count_error("AlterShareGroupOffsetsResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_alter_share_group_offsets_response_topic_v0(buf, pos, budget)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterShareGroupOffsetsResponse(throttle_time_ms, error_code, error_message, responses), pos


def _encode_alter_share_group_offsets_response_partition_v0(m: AlterShareGroupOffsetsResponsePartition, w: bytearray) -> None:
    w += _write_ih(m.partition_index, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_alter_share_group_offsets_response_topic_v0(m: AlterShareGroupOffsetsResponseTopic, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_alter_share_group_offsets_response_partition_v0(partitions_item, w)
    w.append(0)


def _encode_alter_share_group_offsets_response_v0(m: AlterShareGroupOffsetsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_alter_share_group_offsets_response_topic_v0(responses_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_alter_share_group_offsets_response_v0}
_RESPONSE_ENCODERS = {0: _encode_alter_share_group_offsets_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> AlterShareGroupOffsetsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterShareGroupOffsetsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("AlterShareGroupOffsetsResponse", version, pos, len(buf))
    return message


def encode_response(message: AlterShareGroupOffsetsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("AlterShareGroupOffsetsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
