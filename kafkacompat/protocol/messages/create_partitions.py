"""CreatePartitions, API key 37: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    NULL_INT32,
    UnsupportedVersionError,
    count_error,
    malformed,
    null_error,
    put_compact_nullable_string,
    put_compact_string,
    put_nullable_string,
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

API_KEY = 37
MIN_VERSION = 0
MAX_VERSION = 3
FLEXIBLE_VERSION = 2


_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_it = Struct(">i?").unpack_from
_write_it = Struct(">i?").pack
_read_itB = Struct(">i?B").unpack_from
_write_itx = Struct(">i?x").pack
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from


class CreatePartitionsAssignment(Message):
    __slots__ = ("broker_ids",)

    def __init__(
        self,
        broker_ids: Sequence[int] = (),
    ) -> None:
        self.broker_ids = broker_ids


class CreatePartitionsTopic(Message):
    __slots__ = ("name", "count", "assignments")

    def __init__(
        self,
        name: str = "",
        count: int = 0,
        assignments: Sequence[CreatePartitionsAssignment] | None = (),
    ) -> None:
        self.name = name
        self.count = count
        self.assignments = assignments


class CreatePartitionsRequest(Message):
    __slots__ = ("topics", "timeout_ms", "validate_only")

    def __init__(
        self,
        topics: Sequence[CreatePartitionsTopic] = (),
        timeout_ms: int = 0,
        validate_only: bool = False,
    ) -> None:
        self.topics = topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only


def _decode_create_partitions_assignment_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatePartitionsAssignment, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("CreatePartitionsAssignment.broker_ids")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("CreatePartitionsAssignment.broker_ids", n)
    budget[0] -= n
    broker_ids = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return CreatePartitionsAssignment(broker_ids), pos


def _decode_create_partitions_assignment_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatePartitionsAssignment, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreatePartitionsAssignment.broker_ids")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("CreatePartitionsAssignment.broker_ids", n)
    budget[0] -= n
    broker_ids = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CreatePartitionsAssignment(broker_ids), pos


def _decode_create_partitions_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatePartitionsTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("CreatePartitionsTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    count, n = _read_ii(buf, pos)
    pos += 8
    assignments: list[CreatePartitionsAssignment] | None
    if n < 0:
        assignments = None
    else:
        if n > budget[0] or n * 4 > len(buf) - pos:
            raise count_error("CreatePartitionsTopic.assignments", n)
        budget[0] -= n
        assignments = []
        for _ in range(n):
            assignments_item, pos = _decode_create_partitions_assignment_v0(buf, pos, budget)
            assignments.append(assignments_item)
    return CreatePartitionsTopic(name, count, assignments), pos


def _decode_create_partitions_topic_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatePartitionsTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreatePartitionsTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    count, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    assignments: list[CreatePartitionsAssignment] | None
    if not n:
        assignments = None
    else:
        n -= 1
        if n > budget[0] or n * 2 > len(buf) - pos:
            raise count_error("CreatePartitionsTopic.assignments", n)
        budget[0] -= n
        assignments = []
        for _ in range(n):
            assignments_item, pos = _decode_create_partitions_assignment_v2(buf, pos, budget)
            assignments.append(assignments_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CreatePartitionsTopic(name, count, assignments), pos


def _decode_create_partitions_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatePartitionsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("CreatePartitionsRequest.topics")
    if n > budget[0] or n * 10 > len(buf) - pos:
        raise count_error("CreatePartitionsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_create_partitions_topic_v0(buf, pos, budget)
        topics.append(topics_item)
    timeout_ms, validate_only = _read_it(buf, pos)
    pos += 5
    return CreatePartitionsRequest(topics, timeout_ms, validate_only), pos


def _decode_create_partitions_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatePartitionsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreatePartitionsRequest.topics")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("CreatePartitionsRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_create_partitions_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    timeout_ms, validate_only, n = _read_itB(buf, pos)
    pos += 6
    if n:
        pos = skip_tags(buf, pos, n)
    return CreatePartitionsRequest(topics, timeout_ms, validate_only), pos


def _encode_create_partitions_assignment_v0(m: CreatePartitionsAssignment, w: bytearray) -> None:
    n = len(m.broker_ids)
    w += pack(f">i{n}i", n, *m.broker_ids)


def _encode_create_partitions_assignment_v2(m: CreatePartitionsAssignment, w: bytearray) -> None:
    n = len(m.broker_ids)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.broker_ids)
    w.append(0)


def _encode_create_partitions_topic_v0(m: CreatePartitionsTopic, w: bytearray) -> None:
    put_string(w, m.name)
    w += _write_i(m.count)
    if m.assignments is None:
        w += NULL_INT32
    else:
        n = len(m.assignments)
        w += _write_i(n)
        for assignments_item in m.assignments:
            _encode_create_partitions_assignment_v0(assignments_item, w)


def _encode_create_partitions_topic_v2(m: CreatePartitionsTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_i(m.count)
    if m.assignments is None:
        w.append(0)
    else:
        n = len(m.assignments)
        put_uvarint(w, n + 1)
        for assignments_item in m.assignments:
            _encode_create_partitions_assignment_v2(assignments_item, w)
    w.append(0)


def _encode_create_partitions_request_v0(m: CreatePartitionsRequest, w: bytearray) -> None:
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_create_partitions_topic_v0(topics_item, w)
    w += _write_it(m.timeout_ms, m.validate_only)


def _encode_create_partitions_request_v2(m: CreatePartitionsRequest, w: bytearray) -> None:
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_create_partitions_topic_v2(topics_item, w)
    w += _write_itx(m.timeout_ms, m.validate_only)


_REQUEST_DECODERS = {0: _decode_create_partitions_request_v0, 1: _decode_create_partitions_request_v0, 2: _decode_create_partitions_request_v2, 3: _decode_create_partitions_request_v2}
_REQUEST_ENCODERS = {0: _encode_create_partitions_request_v0, 1: _encode_create_partitions_request_v0, 2: _encode_create_partitions_request_v2, 3: _encode_create_partitions_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> CreatePartitionsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("CreatePartitionsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("CreatePartitionsRequest", version, pos, len(buf))
    return message


def encode_request(message: CreatePartitionsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("CreatePartitionsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class CreatePartitionsTopicResult(Message):
    __slots__ = ("name", "error_code", "error_message")

    def __init__(
        self,
        name: str = "",
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.name = name
        self.error_code = error_code
        self.error_message = error_message


class CreatePartitionsResponse(Message):
    __slots__ = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: Sequence[CreatePartitionsTopicResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _decode_create_partitions_topic_result_v0(buf: Buffer, pos: int) -> tuple[CreatePartitionsTopicResult, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("CreatePartitionsTopicResult.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    error_code, n = _read_hh(buf, pos)
    pos += 4
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    return CreatePartitionsTopicResult(name, error_code, error_message), pos


def _decode_create_partitions_topic_result_v2(buf: Buffer, pos: int) -> tuple[CreatePartitionsTopicResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("CreatePartitionsTopicResult.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    error_code, n = _read_hB(buf, pos)
    pos += 3
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
    return CreatePartitionsTopicResult(name, error_code, error_message), pos


def _decode_create_partitions_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatePartitionsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("CreatePartitionsResponse.results")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("CreatePartitionsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_create_partitions_topic_result_v0(buf, pos)
        results.append(results_item)
    return CreatePartitionsResponse(throttle_time_ms, results), pos


def _decode_create_partitions_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[CreatePartitionsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CreatePartitionsResponse.results")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("CreatePartitionsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_create_partitions_topic_result_v2(buf, pos)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CreatePartitionsResponse(throttle_time_ms, results), pos


def _encode_create_partitions_topic_result_v0(m: CreatePartitionsTopicResult, w: bytearray) -> None:
    put_string(w, m.name)
    w += _write_h(m.error_code)
    put_nullable_string(w, m.error_message)


def _encode_create_partitions_topic_result_v2(m: CreatePartitionsTopicResult, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_create_partitions_response_v0(m: CreatePartitionsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    w += _write_i(n)
    for results_item in m.results:
        _encode_create_partitions_topic_result_v0(results_item, w)


def _encode_create_partitions_response_v2(m: CreatePartitionsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_create_partitions_topic_result_v2(results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_create_partitions_response_v0, 1: _decode_create_partitions_response_v0, 2: _decode_create_partitions_response_v2, 3: _decode_create_partitions_response_v2}
_RESPONSE_ENCODERS = {0: _encode_create_partitions_response_v0, 1: _encode_create_partitions_response_v0, 2: _encode_create_partitions_response_v2, 3: _encode_create_partitions_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> CreatePartitionsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("CreatePartitionsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("CreatePartitionsResponse", version, pos, len(buf))
    return message


def encode_response(message: CreatePartitionsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("CreatePartitionsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
