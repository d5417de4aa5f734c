"""ElectLeaders, API key 43: request and response in every version."""

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
    UnsupportedFieldError,
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

API_KEY = 43
MIN_VERSION = 0
MAX_VERSION = 2
FLEXIBLE_VERSION = 2


_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_read_bi = Struct(">bi").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ihh = Struct(">ihh").unpack_from
_read_ihi = Struct(">ihi").unpack_from
_read_ii = Struct(">ii").unpack_from
_write_ix = Struct(">ix").pack


class TopicPartitions(Message):
    __slots__ = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class ElectLeadersRequest(Message):
    __slots__ = ("election_type", "topic_partitions", "timeout_ms")

    def __init__(
        self,
        election_type: int = 0,
        topic_partitions: Sequence[TopicPartitions] | None = (),
        timeout_ms: int = 60000,
    ) -> None:
        self.election_type = election_type
        self.topic_partitions = topic_partitions
        self.timeout_ms = timeout_ms


def _decode_topic_partitions_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicPartitions, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TopicPartitions.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TopicPartitions.partitions")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicPartitions.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return TopicPartitions(topic, partitions), pos


def _decode_topic_partitions_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicPartitions, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartitions.topic")
    end = pos + n - 1
    topic = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartitions.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicPartitions.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicPartitions(topic, partitions), pos


def _decode_elect_leaders_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ElectLeadersRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    topic_partitions: list[TopicPartitions] | None
    if n < 0:
        topic_partitions = None
    else:
        if n > budget[0] or n * 6 > len(buf) - pos:
            raise count_error("ElectLeadersRequest.topic_partitions", n)
        budget[0] -= n
        topic_partitions = []
        for _ in range(n):
            topic_partitions_item, pos = _decode_topic_partitions_v0(buf, pos, budget)
            topic_partitions.append(topic_partitions_item)
    (timeout_ms,) = _read_i(buf, pos)
    pos += 4
    return ElectLeadersRequest(0, topic_partitions, timeout_ms), pos


def _decode_elect_leaders_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ElectLeadersRequest, int]:
    election_type, n = _read_bi(buf, pos)
    pos += 5
    topic_partitions: list[TopicPartitions] | None
    if n < 0:
        topic_partitions = None
    else:
        if n > budget[0] or n * 6 > len(buf) - pos:
            raise count_error("ElectLeadersRequest.topic_partitions", n)
        budget[0] -= n
        topic_partitions = []
        for _ in range(n):
            topic_partitions_item, pos = _decode_topic_partitions_v0(buf, pos, budget)
            topic_partitions.append(topic_partitions_item)
    (timeout_ms,) = _read_i(buf, pos)
    pos += 4
    return ElectLeadersRequest(election_type, topic_partitions, timeout_ms), pos


def _decode_elect_leaders_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[ElectLeadersRequest, int]:
    election_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topic_partitions: list[TopicPartitions] | None
    if not n:
        topic_partitions = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("ElectLeadersRequest.topic_partitions", n)
        budget[0] -= n
        topic_partitions = []
        for _ in range(n):
            topic_partitions_item, pos = _decode_topic_partitions_v2(buf, pos, budget)
            topic_partitions.append(topic_partitions_item)
    timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return ElectLeadersRequest(election_type, topic_partitions, timeout_ms), pos


def _encode_topic_partitions_v0(m: TopicPartitions, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partitions)
    w += pack(f">i{n}i", n, *m.partitions)


def _encode_topic_partitions_v2(m: TopicPartitions, w: bytearray) -> None:
    put_compact_string(w, m.topic)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_elect_leaders_request_v0(m: ElectLeadersRequest, w: bytearray) -> None:
    if m.election_type != 0:
        raise UnsupportedFieldError("ElectLeadersRequest.election_type", "1+")
    if m.topic_partitions is None:
        w += NULL_INT32
    else:
        n = len(m.topic_partitions)
        w += _write_i(n)
        for topic_partitions_item in m.topic_partitions:
            _encode_topic_partitions_v0(topic_partitions_item, w)
    w += _write_i(m.timeout_ms)


def _encode_elect_leaders_request_v1(m: ElectLeadersRequest, w: bytearray) -> None:
    w += _write_b(m.election_type)
    if m.topic_partitions is None:
        w += NULL_INT32
    else:
        n = len(m.topic_partitions)
        w += _write_i(n)
        for topic_partitions_item in m.topic_partitions:
            _encode_topic_partitions_v0(topic_partitions_item, w)
    w += _write_i(m.timeout_ms)


def _encode_elect_leaders_request_v2(m: ElectLeadersRequest, w: bytearray) -> None:
    w += _write_b(m.election_type)
    if m.topic_partitions is None:
        w.append(0)
    else:
        n = len(m.topic_partitions)
        put_uvarint(w, n + 1)
        for topic_partitions_item in m.topic_partitions:
            _encode_topic_partitions_v2(topic_partitions_item, w)
    w += _write_ix(m.timeout_ms)


_REQUEST_DECODERS = {0: _decode_elect_leaders_request_v0, 1: _decode_elect_leaders_request_v1, 2: _decode_elect_leaders_request_v2}
_REQUEST_ENCODERS = {0: _encode_elect_leaders_request_v0, 1: _encode_elect_leaders_request_v1, 2: _encode_elect_leaders_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> ElectLeadersRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ElectLeadersRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ElectLeadersRequest", version, pos, len(buf))
    return message


def encode_request(message: ElectLeadersRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ElectLeadersRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class PartitionResult(Message):
    __slots__ = ("partition_id", "error_code", "error_message")

    def __init__(
        self,
        partition_id: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.partition_id = partition_id
        self.error_code = error_code
        self.error_message = error_message


class ReplicaElectionResult(Message):
    __slots__ = ("topic", "partition_result")

    def __init__(
        self,
        topic: str = "",
        partition_result: Sequence[PartitionResult] = (),
    ) -> None:
        self.topic = topic
        self.partition_result = partition_result


class ElectLeadersResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "replica_election_results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        replica_election_results: Sequence[ReplicaElectionResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.replica_election_results = replica_election_results


def _decode_partition_result_v0(buf: Buffer, pos: int) -> tuple[PartitionResult, int]:
    partition_id, error_code, n = _read_ihh(buf, pos)
    pos += 8
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    return PartitionResult(partition_id, error_code, error_message), pos


def _decode_partition_result_v2(buf: Buffer, pos: int) -> tuple[PartitionResult, int]:
    partition_id, error_code, n = _read_ihB(buf, pos)
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
    return PartitionResult(partition_id, error_code, error_message), pos


def _decode_replica_election_result_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReplicaElectionResult, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ReplicaElectionResult.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ReplicaElectionResult.partition_result")
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("ReplicaElectionResult.partition_result", n)
    budget[0] -= n
    partition_result = []
    for _ in range(n):
        partition_result_item, pos = _decode_partition_result_v0(buf, pos)
        partition_result.append(partition_result_item)
    return ReplicaElectionResult(topic, partition_result), pos


def _decode_replica_election_result_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[ReplicaElectionResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ReplicaElectionResult.topic")
    end = pos + n - 1
    topic = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ReplicaElectionResult.partition_result")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("ReplicaElectionResult.partition_result", n)
    budget[0] -= n
    partition_result = []
    for _ in range(n):
        partition_result_item, pos = _decode_partition_result_v2(buf, pos)
        partition_result.append(partition_result_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ReplicaElectionResult(topic, partition_result), pos


def _decode_elect_leaders_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ElectLeadersResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("ElectLeadersResponse.replica_election_results")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ElectLeadersResponse.replica_election_results", n)
    budget[0] -= n
    replica_election_results = []
    for _ in range(n):
        replica_election_results_item, pos = _decode_replica_election_result_v0(buf, pos, budget)
        replica_election_results.append(replica_election_results_item)
    return ElectLeadersResponse(throttle_time_ms, 0, replica_election_results), pos


def _decode_elect_leaders_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ElectLeadersResponse, int]:
    throttle_time_ms, error_code, n = _read_ihi(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("ElectLeadersResponse.replica_election_results")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ElectLeadersResponse.replica_election_results", n)
    budget[0] -= n
    replica_election_results = []
    for _ in range(n):
        replica_election_results_item, pos = _decode_replica_election_result_v0(buf, pos, budget)
        replica_election_results.append(replica_election_results_item)
    return ElectLeadersResponse(throttle_time_ms, error_code, replica_election_results), pos


def _decode_elect_leaders_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[ElectLeadersResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ElectLeadersResponse.replica_election_results")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ElectLeadersResponse.replica_election_results", n)
    budget[0] -= n
    replica_election_results = []
    for _ in range(n):
        replica_election_results_item, pos = _decode_replica_election_result_v2(buf, pos, budget)
        replica_election_results.append(replica_election_results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ElectLeadersResponse(throttle_time_ms, error_code, replica_election_results), pos


def _encode_partition_result_v0(m: PartitionResult, w: bytearray) -> None:
    w += _write_ih(m.partition_id, m.error_code)
    put_nullable_string(w, m.error_message)


def _encode_partition_result_v2(m: PartitionResult, w: bytearray) -> None:
    w += _write_ih(m.partition_id, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_replica_election_result_v0(m: ReplicaElectionResult, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partition_result)
    w += _write_i(n)
    for partition_result_item in m.partition_result:
        _encode_partition_result_v0(partition_result_item, w)


def _encode_replica_election_result_v2(m: ReplicaElectionResult, w: bytearray) -> None:
    put_compact_string(w, m.topic)
    n = len(m.partition_result)
    put_uvarint(w, n + 1)
    for partition_result_item in m.partition_result:
        _encode_partition_result_v2(partition_result_item, w)
    w.append(0)


def _encode_elect_leaders_response_v0(m: ElectLeadersResponse, w: bytearray) -> None:
    if m.error_code != 0:
        raise UnsupportedFieldError("ElectLeadersResponse.error_code", "1+")
    w += _write_i(m.throttle_time_ms)
    n = len(m.replica_election_results)
    w += _write_i(n)
    for replica_election_results_item in m.replica_election_results:
        _encode_replica_election_result_v0(replica_election_results_item, w)


def _encode_elect_leaders_response_v1(m: ElectLeadersResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.replica_election_results)
    w += _write_i(n)
    for replica_election_results_item in m.replica_election_results:
        _encode_replica_election_result_v0(replica_election_results_item, w)


def _encode_elect_leaders_response_v2(m: ElectLeadersResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.replica_election_results)
    put_uvarint(w, n + 1)
    for replica_election_results_item in m.replica_election_results:
        _encode_replica_election_result_v2(replica_election_results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_elect_leaders_response_v0, 1: _decode_elect_leaders_response_v1, 2: _decode_elect_leaders_response_v2}
_RESPONSE_ENCODERS = {0: _encode_elect_leaders_response_v0, 1: _encode_elect_leaders_response_v1, 2: _encode_elect_leaders_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> ElectLeadersResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ElectLeadersResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ElectLeadersResponse", version, pos, len(buf))
    return message


def encode_response(message: ElectLeadersResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ElectLeadersResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
