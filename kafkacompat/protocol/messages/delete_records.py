"""DeleteRecords, API key 21: request and response in every version."""

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

    from kafkacompat.protocol.primitives import Buffer, Parts, Records

API_KEY = 21
MIN_VERSION = 0
MAX_VERSION = 2
FLEXIBLE_VERSION = 2


_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_read_iq = Struct(">iq").unpack_from
_write_iq = Struct(">iq").pack
_read_iqB = Struct(">iqB").unpack_from
_read_iqh = Struct(">iqh").unpack_from
_write_iqh = Struct(">iqh").pack
_read_iqhB = Struct(">iqhB").unpack_from
_write_iqhx = Struct(">iqhx").pack
_write_iqx = Struct(">iqx").pack
_write_ix = Struct(">ix").pack


class DeleteRecordsPartition(Message):
    __slots__ = ("partition_index", "offset")

    def __init__(
        self,
        partition_index: int = 0,
        offset: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.offset = offset


class DeleteRecordsTopic(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[DeleteRecordsPartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class DeleteRecordsRequest(Message):
    __slots__ = ("topics", "timeout_ms")

    def __init__(
        self,
        topics: Sequence[DeleteRecordsTopic] = (),
        timeout_ms: int = 0,
    ) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms


def _decode_delete_records_partition_v0(buf: Buffer, pos: int) -> tuple[DeleteRecordsPartition, int]:
    partition_index, offset = _read_iq(buf, pos)
    pos += 12
    return DeleteRecordsPartition(partition_index, offset), pos


def _decode_delete_records_partition_v2(buf: Buffer, pos: int) -> tuple[DeleteRecordsPartition, int]:
    partition_index, offset, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteRecordsPartition(partition_index, offset), pos


def _decode_delete_records_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteRecordsTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DeleteRecordsTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DeleteRecordsTopic.partitions")
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("DeleteRecordsTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_delete_records_partition_v0(buf, pos)
        partitions.append(partitions_item)
    return DeleteRecordsTopic(name, partitions), pos


def _decode_delete_records_topic_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteRecordsTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteRecordsTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteRecordsTopic.partitions")
    n -= 1
    if n > budget[0] or n * 13 > len(buf) - pos:
        raise count_error("DeleteRecordsTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_delete_records_partition_v2(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteRecordsTopic(name, partitions), pos


def _decode_delete_records_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteRecordsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DeleteRecordsRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("DeleteRecordsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_delete_records_topic_v0(buf, pos, budget)
        topics.append(topics_item)
    (timeout_ms,) = _read_i(buf, pos)
    pos += 4
    return DeleteRecordsRequest(topics, timeout_ms), pos


def _decode_delete_records_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteRecordsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteRecordsRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DeleteRecordsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_delete_records_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteRecordsRequest(topics, timeout_ms), pos


def _encode_delete_records_partition_v0(m: DeleteRecordsPartition, w: bytearray) -> None:
    w += _write_iq(m.partition_index, m.offset)


def _encode_delete_records_partition_v2(m: DeleteRecordsPartition, w: bytearray) -> None:
    w += _write_iqx(m.partition_index, m.offset)


def _encode_delete_records_topic_v0(m: DeleteRecordsTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_delete_records_partition_v0(partitions_item, w)


def _encode_delete_records_topic_v2(m: DeleteRecordsTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_delete_records_partition_v2(partitions_item, w)
    w.append(0)


def _encode_delete_records_request_v0(m: DeleteRecordsRequest, w: bytearray) -> None:
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_delete_records_topic_v0(topics_item, w)
    w += _write_i(m.timeout_ms)


def _encode_delete_records_request_v2(m: DeleteRecordsRequest, w: bytearray) -> None:
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_delete_records_topic_v2(topics_item, w)
    w += _write_ix(m.timeout_ms)


_REQUEST_DECODERS = {0: _decode_delete_records_request_v0, 1: _decode_delete_records_request_v0, 2: _decode_delete_records_request_v2}
_REQUEST_ENCODERS = {0: _encode_delete_records_request_v0, 1: _encode_delete_records_request_v0, 2: _encode_delete_records_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> DeleteRecordsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteRecordsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DeleteRecordsRequest", version, pos, len(buf))
    return message


def encode_request(message: DeleteRecordsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DeleteRecordsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DeleteRecordsPartitionResult(Message):
    __slots__ = ("partition_index", "low_watermark", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        low_watermark: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.low_watermark = low_watermark
        self.error_code = error_code


class DeleteRecordsTopicResult(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[DeleteRecordsPartitionResult] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class DeleteRecordsResponse(Message):
    __slots__ = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[DeleteRecordsTopicResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _decode_delete_records_partition_result_v0(buf: Buffer, pos: int) -> tuple[DeleteRecordsPartitionResult, int]:
    partition_index, low_watermark, error_code = _read_iqh(buf, pos)
    pos += 14
    return DeleteRecordsPartitionResult(partition_index, low_watermark, error_code), pos


def _decode_delete_records_partition_result_v2(buf: Buffer, pos: int) -> tuple[DeleteRecordsPartitionResult, int]:
    partition_index, low_watermark, error_code, n = _read_iqhB(buf, pos)
    pos += 15
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteRecordsPartitionResult(partition_index, low_watermark, error_code), pos


def _decode_delete_records_topic_result_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteRecordsTopicResult, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DeleteRecordsTopicResult.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DeleteRecordsTopicResult.partitions")
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("DeleteRecordsTopicResult.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_delete_records_partition_result_v0(buf, pos)
        partitions.append(partitions_item)
    return DeleteRecordsTopicResult(name, partitions), pos


def _decode_delete_records_topic_result_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteRecordsTopicResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteRecordsTopicResult.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteRecordsTopicResult.partitions")
    n -= 1
    if n > budget[0] or n * 15 > len(buf) - pos:
        raise count_error("DeleteRecordsTopicResult.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_delete_records_partition_result_v2(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteRecordsTopicResult(name, partitions), pos


def _decode_delete_records_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteRecordsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("DeleteRecordsResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("DeleteRecordsResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_delete_records_topic_result_v0(buf, pos, budget)
        topics.append(topics_item)
    return DeleteRecordsResponse(throttle_time_ms, topics), pos


def _decode_delete_records_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteRecordsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteRecordsResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DeleteRecordsResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_delete_records_topic_result_v2(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteRecordsResponse(throttle_time_ms, topics), pos


def _encode_delete_records_partition_result_v0(m: DeleteRecordsPartitionResult, w: bytearray) -> None:
    w += _write_iqh(m.partition_index, m.low_watermark, m.error_code)


def _encode_delete_records_partition_result_v2(m: DeleteRecordsPartitionResult, w: bytearray) -> None:
    w += _write_iqhx(m.partition_index, m.low_watermark, m.error_code)


def _encode_delete_records_topic_result_v0(m: DeleteRecordsTopicResult, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_delete_records_partition_result_v0(partitions_item, w)


def _encode_delete_records_topic_result_v2(m: DeleteRecordsTopicResult, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_delete_records_partition_result_v2(partitions_item, w)
    w.append(0)


def _encode_delete_records_response_v0(m: DeleteRecordsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_delete_records_topic_result_v0(topics_item, w)


def _encode_delete_records_response_v2(m: DeleteRecordsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_delete_records_topic_result_v2(topics_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_delete_records_response_v0, 1: _decode_delete_records_response_v0, 2: _decode_delete_records_response_v2}
_RESPONSE_ENCODERS = {0: _encode_delete_records_response_v0, 1: _encode_delete_records_response_v0, 2: _encode_delete_records_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> DeleteRecordsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteRecordsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DeleteRecordsResponse", version, pos, len(buf))
    return message


def encode_response(message: DeleteRecordsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DeleteRecordsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
