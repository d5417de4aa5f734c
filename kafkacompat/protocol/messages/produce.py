"""Produce, API key 0: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    MAX_TAGGED_FIELDS,
    Message,
    UnsupportedFieldError,
    UnsupportedVersionError,
    ZERO_UUID,
    count_error,
    frozen,
    malformed,
    null_error,
    put_compact_nullable_records,
    put_compact_nullable_string,
    put_compact_string,
    put_nullable_records,
    put_nullable_string,
    put_string,
    put_tags,
    read_tag,
    skip_tags,
    string_length_tail,
    tag_count_error,
    tag_error,
    tagged,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts, Records, Tags

API_KEY = 0
MIN_VERSION = 3
MAX_VERSION = 13
FLEXIBLE_VERSION = 9


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_read_h = Struct(">h").unpack_from
_write_hi = Struct(">hi").pack
_read_hiB = Struct(">hiB").unpack_from
_read_hii = Struct(">hii").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_ihqq = Struct(">ihqq").unpack_from
_write_ihqq = Struct(">ihqq").pack
_read_ihqqq = Struct(">ihqqq").unpack_from
_write_ihqqq = Struct(">ihqqq").pack
_read_ihqqqB = Struct(">ihqqqB").unpack_from
_read_ihqqqi = Struct(">ihqqqi").unpack_from
_read_ii = Struct(">ii").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_write_iix = Struct(">iix").pack
_write_ix = Struct(">ix").pack


class PartitionProduceData(Message):
    __slots__ = ("index", "records")

    def __init__(
        self,
        index: int = 0,
        records: Records | None = None,
    ) -> None:
        self.index = index
        self.records = records


class TopicProduceData(Message):
    __slots__ = ("name", "topic_id", "partition_data")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partition_data: Sequence[PartitionProduceData] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_data = partition_data


class ProduceRequest(Message):
    __slots__ = ("transactional_id", "acks", "timeout_ms", "topic_data")

    def __init__(
        self,
        transactional_id: str | None = None,
        acks: int = 0,
        timeout_ms: int = 0,
        topic_data: Sequence[TopicProduceData] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.acks = acks
        self.timeout_ms = timeout_ms
        self.topic_data = topic_data


def _decode_partition_produce_data_v3(buf: Buffer, pos: int) -> tuple[PartitionProduceData, int]:
    index, n = _read_ii(buf, pos)
    pos += 8
    records: Records | None
    if n < 0:
        records = None
    else:
        end = pos + n
        records = memoryview(buf)[pos:end]
        pos = end
    return PartitionProduceData(index, records), pos


def _decode_partition_produce_data_v9(buf: Buffer, pos: int) -> tuple[PartitionProduceData, int]:
    index, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    records: Records | None
    if not n:
        records = None
    else:
        end = pos + n - 1
        records = memoryview(buf)[pos:end]
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionProduceData(index, records), pos


def _decode_topic_produce_data_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicProduceData, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TopicProduceData.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TopicProduceData.partition_data")
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("TopicProduceData.partition_data", n)
    budget[0] -= n
    partition_data = []
    for _ in range(n):
        partition_data_item, pos = _decode_partition_produce_data_v3(buf, pos)
        partition_data.append(partition_data_item)
    return TopicProduceData(name, ZERO_UUID, partition_data), pos


def _decode_topic_produce_data_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicProduceData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicProduceData.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicProduceData.partition_data")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("TopicProduceData.partition_data", n)
    budget[0] -= n
    partition_data = []
    for _ in range(n):
        partition_data_item, pos = _decode_partition_produce_data_v9(buf, pos)
        partition_data.append(partition_data_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicProduceData(name, ZERO_UUID, partition_data), pos


def _decode_topic_produce_data_v13(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicProduceData, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicProduceData.partition_data")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("TopicProduceData.partition_data", n)
    budget[0] -= n
    partition_data = []
    for _ in range(n):
        partition_data_item, pos = _decode_partition_produce_data_v9(buf, pos)
        partition_data.append(partition_data_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicProduceData("", topic_id, partition_data), pos


def _decode_produce_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[ProduceRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    transactional_id: str | None
    if n < 0:
        transactional_id = None
    else:
        end = pos + n
        transactional_id = buf[pos:end].decode()
        pos = end
    acks, timeout_ms, n = _read_hii(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("ProduceRequest.topic_data")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ProduceRequest.topic_data", n)
    budget[0] -= n
    topic_data = []
    for _ in range(n):
        topic_data_item, pos = _decode_topic_produce_data_v3(buf, pos, budget)
        topic_data.append(topic_data_item)
    return ProduceRequest(transactional_id, acks, timeout_ms, topic_data), pos


def _decode_produce_request_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[ProduceRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    transactional_id: str | None
    if not n:
        transactional_id = None
    else:
        end = pos + n - 1
        transactional_id = buf[pos:end].decode()
        pos = end
    acks, timeout_ms, n = _read_hiB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ProduceRequest.topic_data")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ProduceRequest.topic_data", n)
    budget[0] -= n
    topic_data = []
    for _ in range(n):
        topic_data_item, pos = _decode_topic_produce_data_v9(buf, pos, budget)
        topic_data.append(topic_data_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ProduceRequest(transactional_id, acks, timeout_ms, topic_data), pos


def _decode_produce_request_v13(buf: Buffer, pos: int, budget: list[int]) -> tuple[ProduceRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    transactional_id: str | None
    if not n:
        transactional_id = None
    else:
        end = pos + n - 1
        transactional_id = buf[pos:end].decode()
        pos = end
    acks, timeout_ms, n = _read_hiB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ProduceRequest.topic_data")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ProduceRequest.topic_data", n)
    budget[0] -= n
    topic_data = []
    for _ in range(n):
        topic_data_item, pos = _decode_topic_produce_data_v13(buf, pos, budget)
        topic_data.append(topic_data_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ProduceRequest(transactional_id, acks, timeout_ms, topic_data), pos


def _encode_partition_produce_data_v3(m: PartitionProduceData, out: Parts) -> None:
    w = out[-1]
    w += _write_i(m.index)
    w = put_nullable_records(out, m.records)


def _encode_partition_produce_data_v9(m: PartitionProduceData, out: Parts) -> None:
    w = out[-1]
    w += _write_i(m.index)
    w = put_compact_nullable_records(out, m.records)
    w.append(0)


def _encode_topic_produce_data_v3(m: TopicProduceData, out: Parts) -> None:
    w = out[-1]
    put_string(w, m.name)
    n = len(m.partition_data)
    w += _write_i(n)
    for partition_data_item in m.partition_data:
        _encode_partition_produce_data_v3(partition_data_item, out)
    w = out[-1]


def _encode_topic_produce_data_v9(m: TopicProduceData, out: Parts) -> None:
    w = out[-1]
    put_compact_string(w, m.name)
    n = len(m.partition_data)
    put_uvarint(w, n + 1)
    for partition_data_item in m.partition_data:
        _encode_partition_produce_data_v9(partition_data_item, out)
    w = out[-1]
    w.append(0)


def _encode_topic_produce_data_v13(m: TopicProduceData, out: Parts) -> None:
    w = out[-1]
    w += _write_u(m.topic_id)
    n = len(m.partition_data)
    put_uvarint(w, n + 1)
    for partition_data_item in m.partition_data:
        _encode_partition_produce_data_v9(partition_data_item, out)
    w = out[-1]
    w.append(0)


def _encode_produce_request_v3(m: ProduceRequest, out: Parts) -> None:
    w = out[-1]
    put_nullable_string(w, m.transactional_id)
    w += _write_hi(m.acks, m.timeout_ms)
    n = len(m.topic_data)
    w += _write_i(n)
    for topic_data_item in m.topic_data:
        _encode_topic_produce_data_v3(topic_data_item, out)
    w = out[-1]


def _encode_produce_request_v9(m: ProduceRequest, out: Parts) -> None:
    w = out[-1]
    put_compact_nullable_string(w, m.transactional_id)
    w += _write_hi(m.acks, m.timeout_ms)
    n = len(m.topic_data)
    put_uvarint(w, n + 1)
    for topic_data_item in m.topic_data:
        _encode_topic_produce_data_v9(topic_data_item, out)
    w = out[-1]
    w.append(0)


def _encode_produce_request_v13(m: ProduceRequest, out: Parts) -> None:
    w = out[-1]
    put_compact_nullable_string(w, m.transactional_id)
    w += _write_hi(m.acks, m.timeout_ms)
    n = len(m.topic_data)
    put_uvarint(w, n + 1)
    for topic_data_item in m.topic_data:
        _encode_topic_produce_data_v13(topic_data_item, out)
    w = out[-1]
    w.append(0)


_REQUEST_DECODERS = {3: _decode_produce_request_v3, 4: _decode_produce_request_v3, 5: _decode_produce_request_v3, 6: _decode_produce_request_v3, 7: _decode_produce_request_v3, 8: _decode_produce_request_v3, 9: _decode_produce_request_v9, 10: _decode_produce_request_v9, 11: _decode_produce_request_v9, 12: _decode_produce_request_v9, 13: _decode_produce_request_v13}
_REQUEST_ENCODERS = {3: _encode_produce_request_v3, 4: _encode_produce_request_v3, 5: _encode_produce_request_v3, 6: _encode_produce_request_v3, 7: _encode_produce_request_v3, 8: _encode_produce_request_v3, 9: _encode_produce_request_v9, 10: _encode_produce_request_v9, 11: _encode_produce_request_v9, 12: _encode_produce_request_v9, 13: _encode_produce_request_v13}


def decode_request(buf: Buffer, pos: int, version: int) -> ProduceRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ProduceRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ProduceRequest", version, pos, len(buf))
    return message


def encode_request(message: ProduceRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ProduceRequest", version)
    parts: Parts = [bytearray()]
    _REQUEST_ENCODERS[version](message, parts)
    out += parts


class BatchIndexAndErrorMessage(Message):
    __slots__ = ("batch_index", "batch_index_error_message")

    def __init__(
        self,
        batch_index: int = 0,
        batch_index_error_message: str | None = None,
    ) -> None:
        self.batch_index = batch_index
        self.batch_index_error_message = batch_index_error_message


class LeaderIdAndEpoch(Message):
    __slots__ = ("leader_id", "leader_epoch")

    def __init__(
        self,
        leader_id: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


_DEFAULT_LeaderIdAndEpoch = frozen(LeaderIdAndEpoch())


class PartitionProduceResponse(Message):
    __slots__ = ("index", "error_code", "base_offset", "log_append_time_ms", "log_start_offset", "record_errors", "error_message", "current_leader")

    def __init__(
        self,
        index: int = 0,
        error_code: int = 0,
        base_offset: int = 0,
        log_append_time_ms: int = -1,
        log_start_offset: int = -1,
        record_errors: Sequence[BatchIndexAndErrorMessage] = (),
        error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = _DEFAULT_LeaderIdAndEpoch,
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.base_offset = base_offset
        self.log_append_time_ms = log_append_time_ms
        self.log_start_offset = log_start_offset
        self.record_errors = record_errors
        self.error_message = error_message
        self.current_leader = current_leader


class TopicProduceResponse(Message):
    __slots__ = ("name", "topic_id", "partition_responses")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partition_responses: Sequence[PartitionProduceResponse] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_responses = partition_responses


class NodeEndpoint(Message):
    __slots__ = ("node_id", "host", "port", "rack")

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack


class ProduceResponse(Message):
    __slots__ = ("responses", "throttle_time_ms", "node_endpoints")

    def __init__(
        self,
        responses: Sequence[TopicProduceResponse] = (),
        throttle_time_ms: int = 0,
        node_endpoints: Sequence[NodeEndpoint] = (),
    ) -> None:
        self.responses = responses
        self.throttle_time_ms = throttle_time_ms
        self.node_endpoints = node_endpoints


def _decode_batch_index_and_error_message_v8(buf: Buffer, pos: int) -> tuple[BatchIndexAndErrorMessage, int]:
    batch_index, n = _read_ih(buf, pos)
    pos += 6
    batch_index_error_message: str | None
    if n < 0:
        batch_index_error_message = None
    else:
        end = pos + n
        batch_index_error_message = buf[pos:end].decode()
        pos = end
    return BatchIndexAndErrorMessage(batch_index, batch_index_error_message), pos


def _decode_batch_index_and_error_message_v9(buf: Buffer, pos: int) -> tuple[BatchIndexAndErrorMessage, int]:
    batch_index, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    batch_index_error_message: str | None
    if not n:
        batch_index_error_message = None
    else:
        end = pos + n - 1
        batch_index_error_message = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return BatchIndexAndErrorMessage(batch_index, batch_index_error_message), pos


def _decode_leader_id_and_epoch_v10(buf: Buffer, pos: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaderIdAndEpoch(leader_id, leader_epoch), pos


def _decode_partition_produce_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms = _read_ihqq(buf, pos)
    pos += 22
    return PartitionProduceResponse(index, error_code, base_offset, log_append_time_ms, -1, (), None, _DEFAULT_LeaderIdAndEpoch), pos


def _decode_partition_produce_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms, log_start_offset = _read_ihqqq(buf, pos)
    pos += 30
    return PartitionProduceResponse(index, error_code, base_offset, log_append_time_ms, log_start_offset, (), None, _DEFAULT_LeaderIdAndEpoch), pos


def _decode_partition_produce_response_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms, log_start_offset, n = _read_ihqqqi(buf, pos)
    pos += 34
    if n < 0:
        raise null_error("PartitionProduceResponse.record_errors")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("PartitionProduceResponse.record_errors", n)
    budget[0] -= n
    record_errors = []
    for _ in range(n):
        record_errors_item, pos = _decode_batch_index_and_error_message_v8(buf, pos)
        record_errors.append(record_errors_item)
    (n,) = _read_h(buf, pos)
    pos += 2
    error_message: str | None
    if n < 0:
        error_message = None
    else:
        end = pos + n
        error_message = buf[pos:end].decode()
        pos = end
    return PartitionProduceResponse(index, error_code, base_offset, log_append_time_ms, log_start_offset, record_errors, error_message, _DEFAULT_LeaderIdAndEpoch), pos


def _decode_partition_produce_response_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms, log_start_offset, n = _read_ihqqqB(buf, pos)
    pos += 31
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionProduceResponse.record_errors")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("PartitionProduceResponse.record_errors", n)
    budget[0] -= n
    record_errors = []
    for _ in range(n):
        record_errors_item, pos = _decode_batch_index_and_error_message_v9(buf, pos)
        record_errors.append(record_errors_item)
    n = buf[pos]
    pos += 1
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
    return PartitionProduceResponse(index, error_code, base_offset, log_append_time_ms, log_start_offset, record_errors, error_message, _DEFAULT_LeaderIdAndEpoch), pos


def _decode_partition_produce_response_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms, log_start_offset, n = _read_ihqqqB(buf, pos)
    pos += 31
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionProduceResponse.record_errors")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("PartitionProduceResponse.record_errors", n)
    budget[0] -= n
    record_errors = []
    for _ in range(n):
        record_errors_item, pos = _decode_batch_index_and_error_message_v9(buf, pos)
        record_errors.append(record_errors_item)
    n = buf[pos]
    pos += 1
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
    current_leader: LeaderIdAndEpoch = _DEFAULT_LeaderIdAndEpoch
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("PartitionProduceResponse")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                current_leader, pos = _decode_leader_id_and_epoch_v10(buf, pos)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("PartitionProduceResponse", tag)
    return PartitionProduceResponse(index, error_code, base_offset, log_append_time_ms, log_start_offset, record_errors, error_message, current_leader), pos


def _decode_topic_produce_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicProduceResponse, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TopicProduceResponse.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TopicProduceResponse.partition_responses")
    if n > budget[0] or n * 22 > len(buf) - pos:
        raise count_error("TopicProduceResponse.partition_responses", n)
    budget[0] -= n
    partition_responses = []
    for _ in range(n):
        partition_responses_item, pos = _decode_partition_produce_response_v3(buf, pos, budget)
        partition_responses.append(partition_responses_item)
    return TopicProduceResponse(name, ZERO_UUID, partition_responses), pos


def _decode_topic_produce_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicProduceResponse, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TopicProduceResponse.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TopicProduceResponse.partition_responses")
    if n > budget[0] or n * 30 > len(buf) - pos:
        raise count_error("TopicProduceResponse.partition_responses", n)
    budget[0] -= n
    partition_responses = []
    for _ in range(n):
        partition_responses_item, pos = _decode_partition_produce_response_v5(buf, pos, budget)
        partition_responses.append(partition_responses_item)
    return TopicProduceResponse(name, ZERO_UUID, partition_responses), pos


def _decode_topic_produce_response_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicProduceResponse, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TopicProduceResponse.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TopicProduceResponse.partition_responses")
    if n > budget[0] or n * 36 > len(buf) - pos:
        raise count_error("TopicProduceResponse.partition_responses", n)
    budget[0] -= n
    partition_responses = []
    for _ in range(n):
        partition_responses_item, pos = _decode_partition_produce_response_v8(buf, pos, budget)
        partition_responses.append(partition_responses_item)
    return TopicProduceResponse(name, ZERO_UUID, partition_responses), pos


def _decode_topic_produce_response_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicProduceResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicProduceResponse.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicProduceResponse.partition_responses")
    n -= 1
    if n > budget[0] or n * 33 > len(buf) - pos:
        raise count_error("TopicProduceResponse.partition_responses", n)
    budget[0] -= n
    partition_responses = []
    for _ in range(n):
        partition_responses_item, pos = _decode_partition_produce_response_v9(buf, pos, budget)
        partition_responses.append(partition_responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicProduceResponse(name, ZERO_UUID, partition_responses), pos


def _decode_topic_produce_response_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicProduceResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicProduceResponse.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicProduceResponse.partition_responses")
    n -= 1
    if n > budget[0] or n * 33 > len(buf) - pos:
        raise count_error("TopicProduceResponse.partition_responses", n)
    budget[0] -= n
    partition_responses = []
    for _ in range(n):
        partition_responses_item, pos = _decode_partition_produce_response_v10(buf, pos, budget)
        partition_responses.append(partition_responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicProduceResponse(name, ZERO_UUID, partition_responses), pos


def _decode_topic_produce_response_v13(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicProduceResponse, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicProduceResponse.partition_responses")
    n -= 1
    if n > budget[0] or n * 33 > len(buf) - pos:
        raise count_error("TopicProduceResponse.partition_responses", n)
    budget[0] -= n
    partition_responses = []
    for _ in range(n):
        partition_responses_item, pos = _decode_partition_produce_response_v10(buf, pos, budget)
        partition_responses.append(partition_responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicProduceResponse("", topic_id, partition_responses), pos


def _decode_node_endpoint_v10(buf: Buffer, pos: int) -> tuple[NodeEndpoint, int]:
    node_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("NodeEndpoint.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack: str | None
    if not n:
        rack = None
    else:
        end = pos + n - 1
        rack = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return NodeEndpoint(node_id, host, port, rack), pos


def _decode_produce_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[ProduceResponse, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ProduceResponse.responses")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ProduceResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_topic_produce_response_v3(buf, pos, budget)
        responses.append(responses_item)
    (throttle_time_ms,) = _read_i(buf, pos)
    pos += 4
    return ProduceResponse(responses, throttle_time_ms, ()), pos


def _decode_produce_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[ProduceResponse, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ProduceResponse.responses")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ProduceResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_topic_produce_response_v5(buf, pos, budget)
        responses.append(responses_item)
    (throttle_time_ms,) = _read_i(buf, pos)
    pos += 4
    return ProduceResponse(responses, throttle_time_ms, ()), pos


def _decode_produce_response_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[ProduceResponse, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ProduceResponse.responses")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("ProduceResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_topic_produce_response_v8(buf, pos, budget)
        responses.append(responses_item)
    (throttle_time_ms,) = _read_i(buf, pos)
    pos += 4
    return ProduceResponse(responses, throttle_time_ms, ()), pos


def _decode_produce_response_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[ProduceResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ProduceResponse.responses")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ProduceResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_topic_produce_response_v9(buf, pos, budget)
        responses.append(responses_item)
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return ProduceResponse(responses, throttle_time_ms, ()), pos


def _decode_produce_response_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[ProduceResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ProduceResponse.responses")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ProduceResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_topic_produce_response_v10(buf, pos, budget)
        responses.append(responses_item)
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    node_endpoints: list[NodeEndpoint] | tuple[()] = ()
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("ProduceResponse")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("ProduceResponse.node_endpoints")
                n -= 1
                if n > budget[0] or n * 11 > len(buf) - pos:
                    raise count_error("ProduceResponse.node_endpoints", n)
                budget[0] -= n
                node_endpoints = []
                for _ in range(n):
                    node_endpoints_item, pos = _decode_node_endpoint_v10(buf, pos)
                    node_endpoints.append(node_endpoints_item)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("ProduceResponse", tag)
    return ProduceResponse(responses, throttle_time_ms, node_endpoints), pos


def _decode_produce_response_v13(buf: Buffer, pos: int, budget: list[int]) -> tuple[ProduceResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ProduceResponse.responses")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ProduceResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_topic_produce_response_v13(buf, pos, budget)
        responses.append(responses_item)
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    node_endpoints: list[NodeEndpoint] | tuple[()] = ()
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("ProduceResponse")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("ProduceResponse.node_endpoints")
                n -= 1
                if n > budget[0] or n * 11 > len(buf) - pos:
                    raise count_error("ProduceResponse.node_endpoints", n)
                budget[0] -= n
                node_endpoints = []
                for _ in range(n):
                    node_endpoints_item, pos = _decode_node_endpoint_v10(buf, pos)
                    node_endpoints.append(node_endpoints_item)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("ProduceResponse", tag)
    return ProduceResponse(responses, throttle_time_ms, node_endpoints), pos


def _encode_batch_index_and_error_message_v8(m: BatchIndexAndErrorMessage, w: bytearray) -> None:
    w += _write_i(m.batch_index)
    put_nullable_string(w, m.batch_index_error_message)


def _encode_batch_index_and_error_message_v9(m: BatchIndexAndErrorMessage, w: bytearray) -> None:
    w += _write_i(m.batch_index)
    put_compact_nullable_string(w, m.batch_index_error_message)
    w.append(0)


def _encode_leader_id_and_epoch_v10(m: LeaderIdAndEpoch, w: bytearray) -> None:
    w += _write_iix(m.leader_id, m.leader_epoch)


def _encode_partition_produce_response_v3(m: PartitionProduceResponse, w: bytearray) -> None:
    if m.current_leader is not _DEFAULT_LeaderIdAndEpoch and m.current_leader != _DEFAULT_LeaderIdAndEpoch:
        raise UnsupportedFieldError("PartitionProduceResponse.current_leader", "10+")
    w += _write_ihqq(m.index, m.error_code, m.base_offset, m.log_append_time_ms)


def _encode_partition_produce_response_v5(m: PartitionProduceResponse, w: bytearray) -> None:
    if m.current_leader is not _DEFAULT_LeaderIdAndEpoch and m.current_leader != _DEFAULT_LeaderIdAndEpoch:
        raise UnsupportedFieldError("PartitionProduceResponse.current_leader", "10+")
    w += _write_ihqqq(m.index, m.error_code, m.base_offset, m.log_append_time_ms, m.log_start_offset)


def _encode_partition_produce_response_v8(m: PartitionProduceResponse, w: bytearray) -> None:
    if m.current_leader is not _DEFAULT_LeaderIdAndEpoch and m.current_leader != _DEFAULT_LeaderIdAndEpoch:
        raise UnsupportedFieldError("PartitionProduceResponse.current_leader", "10+")
    w += _write_ihqqq(m.index, m.error_code, m.base_offset, m.log_append_time_ms, m.log_start_offset)
    n = len(m.record_errors)
    w += _write_i(n)
    for record_errors_item in m.record_errors:
        _encode_batch_index_and_error_message_v8(record_errors_item, w)
    put_nullable_string(w, m.error_message)


def _encode_partition_produce_response_v9(m: PartitionProduceResponse, w: bytearray) -> None:
    if m.current_leader is not _DEFAULT_LeaderIdAndEpoch and m.current_leader != _DEFAULT_LeaderIdAndEpoch:
        raise UnsupportedFieldError("PartitionProduceResponse.current_leader", "10+")
    w += _write_ihqqq(m.index, m.error_code, m.base_offset, m.log_append_time_ms, m.log_start_offset)
    n = len(m.record_errors)
    put_uvarint(w, n + 1)
    for record_errors_item in m.record_errors:
        _encode_batch_index_and_error_message_v9(record_errors_item, w)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


def _encode_partition_produce_response_v10(m: PartitionProduceResponse, w: bytearray) -> None:
    w += _write_ihqqq(m.index, m.error_code, m.base_offset, m.log_append_time_ms, m.log_start_offset)
    n = len(m.record_errors)
    put_uvarint(w, n + 1)
    for record_errors_item in m.record_errors:
        _encode_batch_index_and_error_message_v9(record_errors_item, w)
    put_compact_nullable_string(w, m.error_message)
    tags: Tags = []
    if m.current_leader is not _DEFAULT_LeaderIdAndEpoch and m.current_leader != _DEFAULT_LeaderIdAndEpoch:
        t = bytearray()
        _encode_leader_id_and_epoch_v10(m.current_leader, t)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_topic_produce_response_v3(m: TopicProduceResponse, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partition_responses)
    w += _write_i(n)
    for partition_responses_item in m.partition_responses:
        _encode_partition_produce_response_v3(partition_responses_item, w)


def _encode_topic_produce_response_v5(m: TopicProduceResponse, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partition_responses)
    w += _write_i(n)
    for partition_responses_item in m.partition_responses:
        _encode_partition_produce_response_v5(partition_responses_item, w)


def _encode_topic_produce_response_v8(m: TopicProduceResponse, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partition_responses)
    w += _write_i(n)
    for partition_responses_item in m.partition_responses:
        _encode_partition_produce_response_v8(partition_responses_item, w)


def _encode_topic_produce_response_v9(m: TopicProduceResponse, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partition_responses)
    put_uvarint(w, n + 1)
    for partition_responses_item in m.partition_responses:
        _encode_partition_produce_response_v9(partition_responses_item, w)
    w.append(0)


def _encode_topic_produce_response_v10(m: TopicProduceResponse, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partition_responses)
    put_uvarint(w, n + 1)
    for partition_responses_item in m.partition_responses:
        _encode_partition_produce_response_v10(partition_responses_item, w)
    w.append(0)


def _encode_topic_produce_response_v13(m: TopicProduceResponse, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partition_responses)
    put_uvarint(w, n + 1)
    for partition_responses_item in m.partition_responses:
        _encode_partition_produce_response_v10(partition_responses_item, w)
    w.append(0)


def _encode_node_endpoint_v10(m: NodeEndpoint, w: bytearray) -> None:
    w += _write_i(m.node_id)
    put_compact_string(w, m.host)
    w += _write_i(m.port)
    put_compact_nullable_string(w, m.rack)
    w.append(0)


def _encode_produce_response_v3(m: ProduceResponse, w: bytearray) -> None:
    if m.node_endpoints:
        raise UnsupportedFieldError("ProduceResponse.node_endpoints", "10+")
    n = len(m.responses)
    w += _write_i(n)
    for responses_item in m.responses:
        _encode_topic_produce_response_v3(responses_item, w)
    w += _write_i(m.throttle_time_ms)


def _encode_produce_response_v5(m: ProduceResponse, w: bytearray) -> None:
    if m.node_endpoints:
        raise UnsupportedFieldError("ProduceResponse.node_endpoints", "10+")
    n = len(m.responses)
    w += _write_i(n)
    for responses_item in m.responses:
        _encode_topic_produce_response_v5(responses_item, w)
    w += _write_i(m.throttle_time_ms)


def _encode_produce_response_v8(m: ProduceResponse, w: bytearray) -> None:
    if m.node_endpoints:
        raise UnsupportedFieldError("ProduceResponse.node_endpoints", "10+")
    n = len(m.responses)
    w += _write_i(n)
    for responses_item in m.responses:
        _encode_topic_produce_response_v8(responses_item, w)
    w += _write_i(m.throttle_time_ms)


def _encode_produce_response_v9(m: ProduceResponse, w: bytearray) -> None:
    if m.node_endpoints:
        raise UnsupportedFieldError("ProduceResponse.node_endpoints", "10+")
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_topic_produce_response_v9(responses_item, w)
    w += _write_ix(m.throttle_time_ms)


def _encode_produce_response_v10(m: ProduceResponse, w: bytearray) -> None:
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_topic_produce_response_v10(responses_item, w)
    w += _write_i(m.throttle_time_ms)
    tags: Tags = []
    if m.node_endpoints:
        t = bytearray()
        n = len(m.node_endpoints)
        put_uvarint(t, n + 1)
        for node_endpoints_item in m.node_endpoints:
            _encode_node_endpoint_v10(node_endpoints_item, t)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_produce_response_v13(m: ProduceResponse, w: bytearray) -> None:
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_topic_produce_response_v13(responses_item, w)
    w += _write_i(m.throttle_time_ms)
    tags: Tags = []
    if m.node_endpoints:
        t = bytearray()
        n = len(m.node_endpoints)
        put_uvarint(t, n + 1)
        for node_endpoints_item in m.node_endpoints:
            _encode_node_endpoint_v10(node_endpoints_item, t)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_RESPONSE_DECODERS = {3: _decode_produce_response_v3, 4: _decode_produce_response_v3, 5: _decode_produce_response_v5, 6: _decode_produce_response_v5, 7: _decode_produce_response_v5, 8: _decode_produce_response_v8, 9: _decode_produce_response_v9, 10: _decode_produce_response_v10, 11: _decode_produce_response_v10, 12: _decode_produce_response_v10, 13: _decode_produce_response_v13}
_RESPONSE_ENCODERS = {3: _encode_produce_response_v3, 4: _encode_produce_response_v3, 5: _encode_produce_response_v5, 6: _encode_produce_response_v5, 7: _encode_produce_response_v5, 8: _encode_produce_response_v8, 9: _encode_produce_response_v9, 10: _encode_produce_response_v10, 11: _encode_produce_response_v10, 12: _encode_produce_response_v10, 13: _encode_produce_response_v13}


def decode_response(buf: Buffer, pos: int, version: int) -> ProduceResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ProduceResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ProduceResponse", version, pos, len(buf))
    return message


def encode_response(message: ProduceResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ProduceResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
