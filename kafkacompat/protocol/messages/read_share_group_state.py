"""ReadShareGroupState, API key 84: request and response in every version."""

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

API_KEY = 84
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_write_iix = Struct(">iix").pack
_write_iq = Struct(">iq").pack
_read_iqB = Struct(">iqB").unpack_from
_read_qqbhB = Struct(">qqbhB").unpack_from
_write_qqbhx = Struct(">qqbhx").pack


class PartitionData(Message):
    __slots__ = ("partition", "leader_epoch")

    def __init__(
        self,
        partition: int = 0,
        leader_epoch: int = 0,
    ) -> None:
        self.partition = partition
        self.leader_epoch = leader_epoch


class ReadStateData(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[PartitionData] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ReadShareGroupStateRequest(Message):
    __slots__ = ("group_id", "topics")

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[ReadStateData] = (),
    ) -> None:
        self.group_id = group_id
        self.topics = topics


def _decode_partition_data_v0(buf: Buffer, pos: int) -> tuple[PartitionData, int]:
    partition, leader_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionData(partition, leader_epoch), pos


def _decode_read_state_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReadStateData, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReadStateData.partitions")
    n -= 1
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("ReadStateData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReadStateData(topic_id, partitions), pos


def _decode_read_share_group_state_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReadShareGroupStateRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ReadShareGroupStateRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReadShareGroupStateRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ReadShareGroupStateRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_read_state_data_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReadShareGroupStateRequest(group_id, topics), pos


def _encode_partition_data_v0(m: PartitionData, w: bytearray) -> None:
    w += _write_iix(m.partition, m.leader_epoch)


def _encode_read_state_data_v0(m: ReadStateData, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_partition_data_v0(partitions_item, w)
    w.append(0)


def _encode_read_share_group_state_request_v0(m: ReadShareGroupStateRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_read_state_data_v0(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_read_share_group_state_request_v0}
_REQUEST_ENCODERS = {0: _encode_read_share_group_state_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> ReadShareGroupStateRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ReadShareGroupStateRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ReadShareGroupStateRequest", version, pos, len(buf))
    return message


def encode_request(message: ReadShareGroupStateRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ReadShareGroupStateRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class StateBatch(Message):
    __slots__ = ("first_offset", "last_offset", "delivery_state", "delivery_count")

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_state: int = 0,
        delivery_count: int = 0,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count


class PartitionResult(Message):
    __slots__ = ("partition", "error_code", "error_message", "state_epoch", "start_offset", "state_batches")

    def __init__(
        self,
        partition: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        state_epoch: int = 0,
        start_offset: int = 0,
        state_batches: Sequence[StateBatch] = (),
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.state_epoch = state_epoch
        self.start_offset = start_offset
        self.state_batches = state_batches


class ReadStateResult(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[PartitionResult] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ReadShareGroupStateResponse(Message):
    __slots__ = ("results",)

    def __init__(
        self,
        results: Sequence[ReadStateResult] = (),
    ) -> None:
        self.results = results


def _decode_state_batch_v0(buf: Buffer, pos: int) -> tuple[StateBatch, int]:
    first_offset, last_offset, delivery_state, delivery_count, n = _read_qqbhB(buf, pos)
    pos += 20
    if n:
        pos = skip_tags(buf, pos, n)
    return StateBatch(first_offset, last_offset, delivery_state, delivery_count), pos


def _decode_partition_result_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionResult, int]:
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
    state_epoch, start_offset, n = _read_iqB(buf, pos)
    pos += 13
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionResult.state_batches")
    n -= 1
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("PartitionResult.state_batches", n)
    budget[0] -= n
    state_batches = []
    for _ in range(n):
        state_batches_item, pos = _decode_state_batch_v0(buf, pos)
        state_batches.append(state_batches_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionResult(partition, error_code, error_message, state_epoch, start_offset, state_batches), pos


def _decode_read_state_result_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReadStateResult, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReadStateResult.partitions")
    n -= 1
    if n > budget[0] or n * 21 > len(buf) - pos:
        raise count_error("ReadStateResult.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_result_v0(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReadStateResult(topic_id, partitions), pos


def _decode_read_share_group_state_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReadShareGroupStateResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReadShareGroupStateResponse.results")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ReadShareGroupStateResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_read_state_result_v0(buf, pos, budget)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReadShareGroupStateResponse(results), pos


def _encode_state_batch_v0(m: StateBatch, w: bytearray) -> None:
    w += _write_qqbhx(m.first_offset, m.last_offset, m.delivery_state, m.delivery_count)


def _encode_partition_result_v0(m: PartitionResult, w: bytearray) -> None:
    w += _write_ih(m.partition, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_iq(m.state_epoch, m.start_offset)
    n = len(m.state_batches)
    put_uvarint(w, n + 1)
    for state_batches_item in m.state_batches:
        _encode_state_batch_v0(state_batches_item, w)
    w.append(0)


def _encode_read_state_result_v0(m: ReadStateResult, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_partition_result_v0(partitions_item, w)
    w.append(0)


def _encode_read_share_group_state_response_v0(m: ReadShareGroupStateResponse, w: bytearray) -> None:
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_read_state_result_v0(results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_read_share_group_state_response_v0}
_RESPONSE_ENCODERS = {0: _encode_read_share_group_state_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> ReadShareGroupStateResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ReadShareGroupStateResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ReadShareGroupStateResponse", version, pos, len(buf))
    return message


def encode_response(message: ReadShareGroupStateResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ReadShareGroupStateResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
