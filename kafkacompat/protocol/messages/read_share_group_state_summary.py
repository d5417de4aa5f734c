"""ReadShareGroupStateSummary, API key 87: request and response in every version."""

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

API_KEY = 87
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_read_iiqB = Struct(">iiqB").unpack_from
_read_iiqiB = Struct(">iiqiB").unpack_from
_write_iiqix = Struct(">iiqix").pack
_write_iiqx = Struct(">iiqx").pack
_write_iix = Struct(">iix").pack


class PartitionData(Message):
    __slots__ = ("partition", "leader_epoch")

    def __init__(
        self,
        partition: int = 0,
        leader_epoch: int = 0,
    ) -> None:
        self.partition = partition
        self.leader_epoch = leader_epoch


class ReadStateSummaryData(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[PartitionData] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ReadShareGroupStateSummaryRequest(Message):
    __slots__ = ("group_id", "topics")

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[ReadStateSummaryData] = (),
    ) -> None:
        self.group_id = group_id
        self.topics = topics


def _decode_partition_data_v0(buf: Buffer, pos: int) -> tuple[PartitionData, int]:
    partition, leader_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionData(partition, leader_epoch), pos


def _decode_read_state_summary_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReadStateSummaryData, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReadStateSummaryData.partitions")
    n -= 1
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("ReadStateSummaryData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReadStateSummaryData(topic_id, partitions), pos


def _decode_read_share_group_state_summary_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReadShareGroupStateSummaryRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ReadShareGroupStateSummaryRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReadShareGroupStateSummaryRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ReadShareGroupStateSummaryRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_read_state_summary_data_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReadShareGroupStateSummaryRequest(group_id, topics), pos


def _encode_partition_data_v0(m: PartitionData, w: bytearray) -> None:
    w += _write_iix(m.partition, m.leader_epoch)


def _encode_read_state_summary_data_v0(m: ReadStateSummaryData, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_partition_data_v0(partitions_item, w)
    w.append(0)


def _encode_read_share_group_state_summary_request_v0(m: ReadShareGroupStateSummaryRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_read_state_summary_data_v0(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_read_share_group_state_summary_request_v0, 1: _decode_read_share_group_state_summary_request_v0}
_REQUEST_ENCODERS = {0: _encode_read_share_group_state_summary_request_v0, 1: _encode_read_share_group_state_summary_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> ReadShareGroupStateSummaryRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ReadShareGroupStateSummaryRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ReadShareGroupStateSummaryRequest", version, pos, len(buf))
    return message


def encode_request(message: ReadShareGroupStateSummaryRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ReadShareGroupStateSummaryRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class PartitionResult(Message):
    __slots__ = ("partition", "error_code", "error_message", "state_epoch", "leader_epoch", "start_offset", "delivery_complete_count")

    def __init__(
        self,
        partition: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        state_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        delivery_complete_count: int = -1,
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.state_epoch = state_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count


class ReadStateSummaryResult(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[PartitionResult] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ReadShareGroupStateSummaryResponse(Message):
    __slots__ = ("results",)

    def __init__(
        self,
        results: Sequence[ReadStateSummaryResult] = (),
    ) -> None:
        self.results = results


def _decode_partition_result_v0(buf: Buffer, pos: int) -> tuple[PartitionResult, int]:
    partition, error_code, n = _read_ihB(buf, pos)
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
    state_epoch, leader_epoch, start_offset, n = _read_iiqB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionResult(partition, error_code, error_message, state_epoch, leader_epoch, start_offset, -1), pos


def _decode_partition_result_v1(buf: Buffer, pos: int) -> tuple[PartitionResult, int]:
    partition, error_code, n = _read_ihB(buf, pos)
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
    state_epoch, leader_epoch, start_offset, delivery_complete_count, n = _read_iiqiB(buf, pos)
    pos += 21
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionResult(partition, error_code, error_message, state_epoch, leader_epoch, start_offset, delivery_complete_count), pos


def _decode_read_state_summary_result_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReadStateSummaryResult, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReadStateSummaryResult.partitions")
    n -= 1
    if n > budget[0] or n * 24 > len(buf) - pos:
        raise count_error("ReadStateSummaryResult.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_result_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReadStateSummaryResult(topic_id, partitions), pos


def _decode_read_state_summary_result_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReadStateSummaryResult, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReadStateSummaryResult.partitions")
    n -= 1
    if n > budget[0] or n * 28 > len(buf) - pos:
        raise count_error("ReadStateSummaryResult.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_result_v1(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReadStateSummaryResult(topic_id, partitions), pos


def _decode_read_share_group_state_summary_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReadShareGroupStateSummaryResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReadShareGroupStateSummaryResponse.results")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ReadShareGroupStateSummaryResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_read_state_summary_result_v0(buf, pos, budget)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReadShareGroupStateSummaryResponse(results), pos


def _decode_read_share_group_state_summary_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReadShareGroupStateSummaryResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReadShareGroupStateSummaryResponse.results")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ReadShareGroupStateSummaryResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_read_state_summary_result_v1(buf, pos, budget)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReadShareGroupStateSummaryResponse(results), pos


def _encode_partition_result_v0(m: PartitionResult, w: bytearray) -> None:
    w += _write_ih(m.partition, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_iiqx(m.state_epoch, m.leader_epoch, m.start_offset)


def _encode_partition_result_v1(m: PartitionResult, w: bytearray) -> None:
    w += _write_ih(m.partition, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_iiqix(m.state_epoch, m.leader_epoch, m.start_offset, m.delivery_complete_count)


def _encode_read_state_summary_result_v0(m: ReadStateSummaryResult, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_partition_result_v0(partitions_item, w)
    w.append(0)


def _encode_read_state_summary_result_v1(m: ReadStateSummaryResult, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_partition_result_v1(partitions_item, w)
    w.append(0)


def _encode_read_share_group_state_summary_response_v0(m: ReadShareGroupStateSummaryResponse, w: bytearray) -> None:
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_read_state_summary_result_v0(results_item, w)
    w.append(0)


def _encode_read_share_group_state_summary_response_v1(m: ReadShareGroupStateSummaryResponse, w: bytearray) -> None:
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_read_state_summary_result_v1(results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_read_share_group_state_summary_response_v0, 1: _decode_read_share_group_state_summary_response_v1}
_RESPONSE_ENCODERS = {0: _encode_read_share_group_state_summary_response_v0, 1: _encode_read_share_group_state_summary_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> ReadShareGroupStateSummaryResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ReadShareGroupStateSummaryResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ReadShareGroupStateSummaryResponse", version, pos, len(buf))
    return message


def encode_response(message: ReadShareGroupStateSummaryResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ReadShareGroupStateSummaryResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
