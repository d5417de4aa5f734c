"""ListPartitionReassignments, API key 46: request and response in every version."""

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

API_KEY = 46
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from


class ListPartitionReassignmentsTopics(Message):
    __slots__ = ("name", "partition_indexes")

    def __init__(
        self,
        name: str = "",
        partition_indexes: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.partition_indexes = partition_indexes


class ListPartitionReassignmentsRequest(Message):
    __slots__ = ("timeout_ms", "topics")

    def __init__(
        self,
        timeout_ms: int = 60000,
        topics: Sequence[ListPartitionReassignmentsTopics] | None = None,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.topics = topics


def _decode_list_partition_reassignments_topics_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListPartitionReassignmentsTopics, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ListPartitionReassignmentsTopics.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ListPartitionReassignmentsTopics.partition_indexes")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("ListPartitionReassignmentsTopics.partition_indexes", n)
    budget[0] -= n
    partition_indexes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListPartitionReassignmentsTopics(name, partition_indexes), pos


def _decode_list_partition_reassignments_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListPartitionReassignmentsRequest, int]:
    timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topics: list[ListPartitionReassignmentsTopics] | None
    if not n:
        topics = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("ListPartitionReassignmentsRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_list_partition_reassignments_topics_v0(buf, pos, budget)
            topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListPartitionReassignmentsRequest(timeout_ms, topics), pos


def _encode_list_partition_reassignments_topics_v0(m: ListPartitionReassignmentsTopics, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partition_indexes)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partition_indexes)
    w.append(0)


def _encode_list_partition_reassignments_request_v0(m: ListPartitionReassignmentsRequest, w: bytearray) -> None:
    w += _write_i(m.timeout_ms)
    if m.topics is None:
        w.append(0)
    else:
        n = len(m.topics)
        put_uvarint(w, n + 1)
        for topics_item in m.topics:
            _encode_list_partition_reassignments_topics_v0(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_list_partition_reassignments_request_v0}
_REQUEST_ENCODERS = {0: _encode_list_partition_reassignments_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> ListPartitionReassignmentsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ListPartitionReassignmentsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ListPartitionReassignmentsRequest", version, pos, len(buf))
    return message


def encode_request(message: ListPartitionReassignmentsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ListPartitionReassignmentsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class OngoingPartitionReassignment(Message):
    __slots__ = ("partition_index", "replicas", "adding_replicas", "removing_replicas")

    def __init__(
        self,
        partition_index: int = 0,
        replicas: Sequence[int] = (),
        adding_replicas: Sequence[int] = (),
        removing_replicas: Sequence[int] = (),
    ) -> None:
        self.partition_index = partition_index
        self.replicas = replicas
        self.adding_replicas = adding_replicas
        self.removing_replicas = removing_replicas


class OngoingTopicReassignment(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[OngoingPartitionReassignment] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class ListPartitionReassignmentsResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        topics: Sequence[OngoingTopicReassignment] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.topics = topics


def _decode_ongoing_partition_reassignment_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[OngoingPartitionReassignment, int]:
    partition_index, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OngoingPartitionReassignment.replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("OngoingPartitionReassignment.replicas", n)
    budget[0] -= n
    replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OngoingPartitionReassignment.adding_replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("OngoingPartitionReassignment.adding_replicas", n)
    budget[0] -= n
    adding_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OngoingPartitionReassignment.removing_replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("OngoingPartitionReassignment.removing_replicas", n)
    budget[0] -= n
    removing_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OngoingPartitionReassignment(partition_index, replicas, adding_replicas, removing_replicas), pos


def _decode_ongoing_topic_reassignment_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[OngoingTopicReassignment, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OngoingTopicReassignment.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OngoingTopicReassignment.partitions")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("OngoingTopicReassignment.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_ongoing_partition_reassignment_v0(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OngoingTopicReassignment(name, partitions), pos


def _decode_list_partition_reassignments_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ListPartitionReassignmentsResponse, int]:
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
        raise null_error("ListPartitionReassignmentsResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ListPartitionReassignmentsResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_ongoing_topic_reassignment_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ListPartitionReassignmentsResponse(throttle_time_ms, error_code, error_message, topics), pos


def _encode_ongoing_partition_reassignment_v0(m: OngoingPartitionReassignment, w: bytearray) -> None:
    w += _write_i(m.partition_index)
    n = len(m.replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.replicas)
    n = len(m.adding_replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.adding_replicas)
    n = len(m.removing_replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.removing_replicas)
    w.append(0)


def _encode_ongoing_topic_reassignment_v0(m: OngoingTopicReassignment, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_ongoing_partition_reassignment_v0(partitions_item, w)
    w.append(0)


def _encode_list_partition_reassignments_response_v0(m: ListPartitionReassignmentsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_ongoing_topic_reassignment_v0(topics_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_list_partition_reassignments_response_v0}
_RESPONSE_ENCODERS = {0: _encode_list_partition_reassignments_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> ListPartitionReassignmentsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ListPartitionReassignmentsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ListPartitionReassignmentsResponse", version, pos, len(buf))
    return message


def encode_response(message: ListPartitionReassignmentsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ListPartitionReassignmentsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
