"""DeleteShareGroupState, API key 86: request and response in every version."""

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

API_KEY = 86
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ix = Struct(">ix").pack


class PartitionData(Message):
    __slots__ = ("partition",)

    def __init__(
        self,
        partition: int = 0,
    ) -> None:
        self.partition = partition


class DeleteStateData(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[PartitionData] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class DeleteShareGroupStateRequest(Message):
    __slots__ = ("group_id", "topics")

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[DeleteStateData] = (),
    ) -> None:
        self.group_id = group_id
        self.topics = topics


def _decode_partition_data_v0(buf: Buffer, pos: int) -> tuple[PartitionData, int]:
    partition, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionData(partition), pos


def _decode_delete_state_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteStateData, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteStateData.partitions")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("DeleteStateData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteStateData(topic_id, partitions), pos


def _decode_delete_share_group_state_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteShareGroupStateRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteShareGroupStateRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteShareGroupStateRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("DeleteShareGroupStateRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_delete_state_data_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteShareGroupStateRequest(group_id, topics), pos


def _encode_partition_data_v0(m: PartitionData, w: bytearray) -> None:
    w += _write_ix(m.partition)


def _encode_delete_state_data_v0(m: DeleteStateData, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_partition_data_v0(partitions_item, w)
    w.append(0)


def _encode_delete_share_group_state_request_v0(m: DeleteShareGroupStateRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_delete_state_data_v0(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_delete_share_group_state_request_v0}
_REQUEST_ENCODERS = {0: _encode_delete_share_group_state_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> DeleteShareGroupStateRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteShareGroupStateRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DeleteShareGroupStateRequest", version, pos, len(buf))
    return message


def encode_request(message: DeleteShareGroupStateRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DeleteShareGroupStateRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class PartitionResult(Message):
    __slots__ = ("partition", "error_code", "error_message")

    def __init__(
        self,
        partition: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message


class DeleteStateResult(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[PartitionResult] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class DeleteShareGroupStateResponse(Message):
    __slots__ = ("results",)

    def __init__(
        self,
        results: Sequence[DeleteStateResult] = (),
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
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionResult(partition, error_code, error_message), pos


def _decode_delete_state_result_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteStateResult, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteStateResult.partitions")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("DeleteStateResult.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_result_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteStateResult(topic_id, partitions), pos


def _decode_delete_share_group_state_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DeleteShareGroupStateResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DeleteShareGroupStateResponse.results")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("DeleteShareGroupStateResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_delete_state_result_v0(buf, pos, budget)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DeleteShareGroupStateResponse(results), pos


def _encode_partition_result_v0(m: PartitionResult, w: bytearray) -> None:
    w += _write_ih(m.partition, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_delete_state_result_v0(m: DeleteStateResult, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_partition_result_v0(partitions_item, w)
    w.append(0)


def _encode_delete_share_group_state_response_v0(m: DeleteShareGroupStateResponse, w: bytearray) -> None:
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_delete_state_result_v0(results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_delete_share_group_state_response_v0}
_RESPONSE_ENCODERS = {0: _encode_delete_share_group_state_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> DeleteShareGroupStateResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DeleteShareGroupStateResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DeleteShareGroupStateResponse", version, pos, len(buf))
    return message


def encode_response(message: DeleteShareGroupStateResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DeleteShareGroupStateResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
