"""AlterPartitionReassignments, API key 45: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedFieldError,
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

API_KEY = 45
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 0


_write_i = Struct(">i").pack
_write_it = Struct(">i?").pack
_read_itB = Struct(">i?B").unpack_from
_write_ith = Struct(">i?h").pack
_read_ithB = Struct(">i?hB").unpack_from
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from


class ReassignablePartition(Message):
    __slots__ = ("partition_index", "replicas")

    def __init__(
        self,
        partition_index: int = 0,
        replicas: Sequence[int] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.replicas = replicas


class ReassignableTopic(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[ReassignablePartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class AlterPartitionReassignmentsRequest(Message):
    __slots__ = ("timeout_ms", "allow_replication_factor_change", "topics")

    def __init__(
        self,
        timeout_ms: int = 60000,
        allow_replication_factor_change: bool = True,
        topics: Sequence[ReassignableTopic] = (),
    ) -> None:
        self.timeout_ms = timeout_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.topics = topics


def _decode_reassignable_partition_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReassignablePartition, int]:
    partition_index, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    replicas: list[int] | None
    if not n:
        replicas = None
    else:
        n -= 1
        if n > budget[0] or n * 4 > len(buf) - pos:
            raise count_error("ReassignablePartition.replicas", n)
        budget[0] -= n
        replicas = list(unpack_from(f">{n}i", buf, pos))
        pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReassignablePartition(partition_index, replicas), pos


def _decode_reassignable_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReassignableTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ReassignableTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReassignableTopic.partitions")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ReassignableTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_reassignable_partition_v0(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReassignableTopic(name, partitions), pos


def _decode_alter_partition_reassignments_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionReassignmentsRequest, int]:
    timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterPartitionReassignmentsRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AlterPartitionReassignmentsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_reassignable_topic_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionReassignmentsRequest(timeout_ms, True, topics), pos


def _decode_alter_partition_reassignments_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionReassignmentsRequest, int]:
    timeout_ms, allow_replication_factor_change, n = _read_itB(buf, pos)
    pos += 6
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterPartitionReassignmentsRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AlterPartitionReassignmentsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_reassignable_topic_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionReassignmentsRequest(timeout_ms, allow_replication_factor_change, topics), pos


def _encode_reassignable_partition_v0(m: ReassignablePartition, w: bytearray) -> None:
    w += _write_i(m.partition_index)
    if m.replicas is None:
        w.append(0)
    else:
        n = len(m.replicas)
        put_uvarint(w, n + 1)
        w += pack(f">{n}i", *m.replicas)
    w.append(0)


def _encode_reassignable_topic_v0(m: ReassignableTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_reassignable_partition_v0(partitions_item, w)
    w.append(0)


def _encode_alter_partition_reassignments_request_v0(m: AlterPartitionReassignmentsRequest, w: bytearray) -> None:
    if not m.allow_replication_factor_change:
        raise UnsupportedFieldError("AlterPartitionReassignmentsRequest.allow_replication_factor_change", "1+")
    w += _write_i(m.timeout_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_reassignable_topic_v0(topics_item, w)
    w.append(0)


def _encode_alter_partition_reassignments_request_v1(m: AlterPartitionReassignmentsRequest, w: bytearray) -> None:
    w += _write_it(m.timeout_ms, m.allow_replication_factor_change)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_reassignable_topic_v0(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_alter_partition_reassignments_request_v0, 1: _decode_alter_partition_reassignments_request_v1}
_REQUEST_ENCODERS = {0: _encode_alter_partition_reassignments_request_v0, 1: _encode_alter_partition_reassignments_request_v1}


def decode_request(buf: Buffer, pos: int, version: int) -> AlterPartitionReassignmentsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterPartitionReassignmentsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("AlterPartitionReassignmentsRequest", version, pos, len(buf))
    return message


def encode_request(message: AlterPartitionReassignmentsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("AlterPartitionReassignmentsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class ReassignablePartitionResponse(Message):
    __slots__ = ("partition_index", "error_code", "error_message")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message


class ReassignableTopicResponse(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[ReassignablePartitionResponse] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class AlterPartitionReassignmentsResponse(Message):
    __slots__ = ("throttle_time_ms", "allow_replication_factor_change", "error_code", "error_message", "responses")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        allow_replication_factor_change: bool = True,
        error_code: int = 0,
        error_message: str | None = "",
        responses: Sequence[ReassignableTopicResponse] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.error_code = error_code
        self.error_message = error_message
        self.responses = responses


def _decode_reassignable_partition_response_v0(buf: Buffer, pos: int) -> tuple[ReassignablePartitionResponse, int]:
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
    return ReassignablePartitionResponse(partition_index, error_code, error_message), pos


def _decode_reassignable_topic_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReassignableTopicResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ReassignableTopicResponse.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReassignableTopicResponse.partitions")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("ReassignableTopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_reassignable_partition_response_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReassignableTopicResponse(name, partitions), pos


def _decode_alter_partition_reassignments_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionReassignmentsResponse, int]:
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
        raise null_error("AlterPartitionReassignmentsResponse.responses")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AlterPartitionReassignmentsResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_reassignable_topic_response_v0(buf, pos, budget)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionReassignmentsResponse(throttle_time_ms, True, error_code, error_message, responses), pos


def _decode_alter_partition_reassignments_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterPartitionReassignmentsResponse, int]:
    throttle_time_ms, allow_replication_factor_change, error_code, n = _read_ithB(buf, pos)
    pos += 8
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
        raise null_error("AlterPartitionReassignmentsResponse.responses")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AlterPartitionReassignmentsResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_reassignable_topic_response_v0(buf, pos, budget)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterPartitionReassignmentsResponse(throttle_time_ms, allow_replication_factor_change, error_code, error_message, responses), pos


def _encode_reassignable_partition_response_v0(m: ReassignablePartitionResponse, w: bytearray) -> None:
    w += _write_ih(m.partition_index, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_reassignable_topic_response_v0(m: ReassignableTopicResponse, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_reassignable_partition_response_v0(partitions_item, w)
    w.append(0)


def _encode_alter_partition_reassignments_response_v0(m: AlterPartitionReassignmentsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_reassignable_topic_response_v0(responses_item, w)
    w.append(0)


def _encode_alter_partition_reassignments_response_v1(m: AlterPartitionReassignmentsResponse, w: bytearray) -> None:
    w += _write_ith(m.throttle_time_ms, m.allow_replication_factor_change, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_reassignable_topic_response_v0(responses_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_alter_partition_reassignments_response_v0, 1: _decode_alter_partition_reassignments_response_v1}
_RESPONSE_ENCODERS = {0: _encode_alter_partition_reassignments_response_v0, 1: _encode_alter_partition_reassignments_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> AlterPartitionReassignmentsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterPartitionReassignmentsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("AlterPartitionReassignmentsResponse", version, pos, len(buf))
    return message


def encode_response(message: AlterPartitionReassignmentsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("AlterPartitionReassignmentsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
