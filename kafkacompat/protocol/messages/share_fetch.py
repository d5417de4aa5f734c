"""ShareFetch, API key 78: request and response in every version."""

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
    ZERO_UUID,
    count_error,
    frozen,
    malformed,
    null_error,
    put_compact_nullable_string,
    put_compact_records,
    put_compact_string,
    skip_tags,
    string_length_tail,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts, Records

API_KEY = 78
MIN_VERSION = 1
MAX_VERSION = 2
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_write_iiiiii = Struct(">iiiiii").pack
_read_iiiiiiB = Struct(">iiiiiiB").unpack_from
_write_iiiiiibt = Struct(">iiiiiib?").pack
_read_iiiiiibtB = Struct(">iiiiiib?B").unpack_from
_write_iix = Struct(">iix").pack
_write_qq = Struct(">qq").pack
_read_qqB = Struct(">qqB").unpack_from
_read_qqhB = Struct(">qqhB").unpack_from
_write_qqhx = Struct(">qqhx").pack


class AcknowledgementBatch(Message):
    __slots__ = ("first_offset", "last_offset", "acknowledge_types")

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        acknowledge_types: Sequence[int] = (),
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.acknowledge_types = acknowledge_types


class FetchPartition(Message):
    __slots__ = ("partition_index", "partition_max_bytes", "acknowledgement_batches")

    def __init__(
        self,
        partition_index: int = 0,
        partition_max_bytes: int = 0,
        acknowledgement_batches: Sequence[AcknowledgementBatch] = (),
    ) -> None:
        self.partition_index = partition_index
        self.partition_max_bytes = partition_max_bytes
        self.acknowledgement_batches = acknowledgement_batches


class FetchTopic(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[FetchPartition] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ForgottenTopic(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ShareFetchRequest(Message):
    __slots__ = ("group_id", "member_id", "share_session_epoch", "max_wait_ms", "min_bytes", "max_bytes", "max_records", "batch_size", "share_acquire_mode", "is_renew_ack", "topics", "forgotten_topics_data")

    def __init__(
        self,
        group_id: str | None = None,
        member_id: str | None = "",
        share_session_epoch: int = 0,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        max_records: int = 0,
        batch_size: int = 0,
        share_acquire_mode: int = 0,
        is_renew_ack: bool = False,
        topics: Sequence[FetchTopic] = (),
        forgotten_topics_data: Sequence[ForgottenTopic] = (),
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.max_records = max_records
        self.batch_size = batch_size
        self.share_acquire_mode = share_acquire_mode
        self.is_renew_ack = is_renew_ack
        self.topics = topics
        self.forgotten_topics_data = forgotten_topics_data


def _decode_acknowledgement_batch_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AcknowledgementBatch, int]:
    first_offset, last_offset, n = _read_qqB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AcknowledgementBatch.acknowledge_types")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("AcknowledgementBatch.acknowledge_types", n)
    budget[0] -= n
    acknowledge_types = list(unpack_from(f">{n}b", buf, pos))
    pos += n
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AcknowledgementBatch(first_offset, last_offset, acknowledge_types), pos


def _decode_fetch_partition_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchPartition, int]:
    partition_index, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchPartition.acknowledgement_batches")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("FetchPartition.acknowledgement_batches", n)
    budget[0] -= n
    acknowledgement_batches = []
    for _ in range(n):
        acknowledgement_batches_item, pos = _decode_acknowledgement_batch_v1(buf, pos, budget)
        acknowledgement_batches.append(acknowledgement_batches_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchPartition(partition_index, 0, acknowledgement_batches), pos


def _decode_fetch_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchTopic.partitions")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v1(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchTopic(topic_id, partitions), pos


def _decode_forgotten_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ForgottenTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ForgottenTopic.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("ForgottenTopic.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ForgottenTopic(topic_id, partitions), pos


def _decode_share_fetch_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareFetchRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    group_id: str | None
    if not n:
        group_id = None
    else:
        end = pos + n - 1
        group_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    member_id: str | None
    if not n:
        member_id = None
    else:
        end = pos + n - 1
        member_id = buf[pos:end].decode()
        pos = end
    share_session_epoch, max_wait_ms, min_bytes, max_bytes, max_records, batch_size, n = _read_iiiiiiB(buf, pos)
    pos += 25
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareFetchRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareFetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareFetchRequest.forgotten_topics_data")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareFetchRequest.forgotten_topics_data", n)
    budget[0] -= n
    forgotten_topics_data = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v1(buf, pos, budget)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareFetchRequest(group_id, member_id, share_session_epoch, max_wait_ms, min_bytes, max_bytes, max_records, batch_size, 0, False, topics, forgotten_topics_data), pos


def _decode_share_fetch_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareFetchRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    group_id: str | None
    if not n:
        group_id = None
    else:
        end = pos + n - 1
        group_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    member_id: str | None
    if not n:
        member_id = None
    else:
        end = pos + n - 1
        member_id = buf[pos:end].decode()
        pos = end
    share_session_epoch, max_wait_ms, min_bytes, max_bytes, max_records, batch_size, share_acquire_mode, is_renew_ack, n = _read_iiiiiibtB(buf, pos)
    pos += 27
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareFetchRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareFetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareFetchRequest.forgotten_topics_data")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareFetchRequest.forgotten_topics_data", n)
    budget[0] -= n
    forgotten_topics_data = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v1(buf, pos, budget)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareFetchRequest(group_id, member_id, share_session_epoch, max_wait_ms, min_bytes, max_bytes, max_records, batch_size, share_acquire_mode, is_renew_ack, topics, forgotten_topics_data), pos


def _encode_acknowledgement_batch_v1(m: AcknowledgementBatch, w: bytearray) -> None:
    w += _write_qq(m.first_offset, m.last_offset)
    n = len(m.acknowledge_types)
    put_uvarint(w, n + 1)
    w += pack(f">{n}b", *m.acknowledge_types)
    w.append(0)


def _encode_fetch_partition_v1(m: FetchPartition, w: bytearray) -> None:
    if m.partition_max_bytes != 0:
        raise UnsupportedFieldError("FetchPartition.partition_max_bytes", "0")
    w += _write_i(m.partition_index)
    n = len(m.acknowledgement_batches)
    put_uvarint(w, n + 1)
    for acknowledgement_batches_item in m.acknowledgement_batches:
        _encode_acknowledgement_batch_v1(acknowledgement_batches_item, w)
    w.append(0)


def _encode_fetch_topic_v1(m: FetchTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_fetch_partition_v1(partitions_item, w)
    w.append(0)


def _encode_forgotten_topic_v1(m: ForgottenTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_share_fetch_request_v1(m: ShareFetchRequest, w: bytearray) -> None:
    if m.is_renew_ack:
        raise UnsupportedFieldError("ShareFetchRequest.is_renew_ack", "2+")
    put_compact_nullable_string(w, m.group_id)
    put_compact_nullable_string(w, m.member_id)
    w += _write_iiiiii(m.share_session_epoch, m.max_wait_ms, m.min_bytes, m.max_bytes, m.max_records, m.batch_size)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_fetch_topic_v1(topics_item, w)
    n = len(m.forgotten_topics_data)
    put_uvarint(w, n + 1)
    for forgotten_topics_data_item in m.forgotten_topics_data:
        _encode_forgotten_topic_v1(forgotten_topics_data_item, w)
    w.append(0)


def _encode_share_fetch_request_v2(m: ShareFetchRequest, w: bytearray) -> None:
    put_compact_nullable_string(w, m.group_id)
    put_compact_nullable_string(w, m.member_id)
    w += _write_iiiiiibt(m.share_session_epoch, m.max_wait_ms, m.min_bytes, m.max_bytes, m.max_records, m.batch_size, m.share_acquire_mode, m.is_renew_ack)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_fetch_topic_v1(topics_item, w)
    n = len(m.forgotten_topics_data)
    put_uvarint(w, n + 1)
    for forgotten_topics_data_item in m.forgotten_topics_data:
        _encode_forgotten_topic_v1(forgotten_topics_data_item, w)
    w.append(0)


_REQUEST_DECODERS = {1: _decode_share_fetch_request_v1, 2: _decode_share_fetch_request_v2}
_REQUEST_ENCODERS = {1: _encode_share_fetch_request_v1, 2: _encode_share_fetch_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> ShareFetchRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareFetchRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ShareFetchRequest", version, pos, len(buf))
    return message


def encode_request(message: ShareFetchRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ShareFetchRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class LeaderIdAndEpoch(Message):
    __slots__ = ("leader_id", "leader_epoch")

    def __init__(
        self,
        leader_id: int = 0,
        leader_epoch: int = 0,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


_DEFAULT_LeaderIdAndEpoch = frozen(LeaderIdAndEpoch())


class AcquiredRecords(Message):
    __slots__ = ("first_offset", "last_offset", "delivery_count")

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_count: int = 0,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_count = delivery_count


class PartitionData(Message):
    __slots__ = ("partition_index", "error_code", "error_message", "acknowledge_error_code", "acknowledge_error_message", "current_leader", "records", "acquired_records")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acknowledge_error_code: int = 0,
        acknowledge_error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = _DEFAULT_LeaderIdAndEpoch,
        records: Records | None = None,
        acquired_records: Sequence[AcquiredRecords] = (),
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.acknowledge_error_code = acknowledge_error_code
        self.acknowledge_error_message = acknowledge_error_message
        self.current_leader = current_leader
        self.records = records
        self.acquired_records = acquired_records


class ShareFetchableTopicResponse(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[PartitionData] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


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


class ShareFetchResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "acquisition_lock_timeout_ms", "responses", "node_endpoints")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: Sequence[ShareFetchableTopicResponse] = (),
        node_endpoints: Sequence[NodeEndpoint] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses = responses
        self.node_endpoints = node_endpoints


def _decode_leader_id_and_epoch_v1(buf: Buffer, pos: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaderIdAndEpoch(leader_id, leader_epoch), pos


def _decode_acquired_records_v1(buf: Buffer, pos: int) -> tuple[AcquiredRecords, int]:
    first_offset, last_offset, delivery_count, n = _read_qqhB(buf, pos)
    pos += 19
    if n:
        pos = skip_tags(buf, pos, n)
    return AcquiredRecords(first_offset, last_offset, delivery_count), pos


def _decode_partition_data_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionData, int]:
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
    acknowledge_error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    acknowledge_error_message: str | None
    if not n:
        acknowledge_error_message = None
    else:
        end = pos + n - 1
        acknowledge_error_message = buf[pos:end].decode()
        pos = end
    current_leader, pos = _decode_leader_id_and_epoch_v1(buf, pos)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.records")
    end = pos + n - 1
    records = memoryview(buf)[pos:end]
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.acquired_records")
    n -= 1
    if n > budget[0] or n * 19 > len(buf) - pos:
        raise count_error("PartitionData.acquired_records", n)
    budget[0] -= n
    acquired_records = []
    for _ in range(n):
        acquired_records_item, pos = _decode_acquired_records_v1(buf, pos)
        acquired_records.append(acquired_records_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionData(partition_index, error_code, error_message, acknowledge_error_code, acknowledge_error_message, current_leader, records, acquired_records), pos


def _decode_share_fetchable_topic_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareFetchableTopicResponse, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareFetchableTopicResponse.partitions")
    n -= 1
    if n > budget[0] or n * 22 > len(buf) - pos:
        raise count_error("ShareFetchableTopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v1(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareFetchableTopicResponse(topic_id, partitions), pos


def _decode_node_endpoint_v1(buf: Buffer, pos: int) -> tuple[NodeEndpoint, int]:
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


def _decode_share_fetch_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareFetchResponse, int]:
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
    acquisition_lock_timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareFetchResponse.responses")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareFetchResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_share_fetchable_topic_response_v1(buf, pos, budget)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareFetchResponse.node_endpoints")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("ShareFetchResponse.node_endpoints", n)
    budget[0] -= n
    node_endpoints = []
    for _ in range(n):
        node_endpoints_item, pos = _decode_node_endpoint_v1(buf, pos)
        node_endpoints.append(node_endpoints_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareFetchResponse(throttle_time_ms, error_code, error_message, acquisition_lock_timeout_ms, responses, node_endpoints), pos


def _encode_leader_id_and_epoch_v1(m: LeaderIdAndEpoch, w: bytearray) -> None:
    w += _write_iix(m.leader_id, m.leader_epoch)


def _encode_acquired_records_v1(m: AcquiredRecords, w: bytearray) -> None:
    w += _write_qqhx(m.first_offset, m.last_offset, m.delivery_count)


def _encode_partition_data_v1(m: PartitionData, out: Parts) -> None:
    w = out[-1]
    w += _write_ih(m.partition_index, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_h(m.acknowledge_error_code)
    put_compact_nullable_string(w, m.acknowledge_error_message)
    _encode_leader_id_and_epoch_v1(m.current_leader, w)
    w = put_compact_records(out, m.records)
    n = len(m.acquired_records)
    put_uvarint(w, n + 1)
    for acquired_records_item in m.acquired_records:
        _encode_acquired_records_v1(acquired_records_item, w)
    w.append(0)


def _encode_share_fetchable_topic_response_v1(m: ShareFetchableTopicResponse, out: Parts) -> None:
    w = out[-1]
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_partition_data_v1(partitions_item, out)
    w = out[-1]
    w.append(0)


def _encode_node_endpoint_v1(m: NodeEndpoint, w: bytearray) -> None:
    w += _write_i(m.node_id)
    put_compact_string(w, m.host)
    w += _write_i(m.port)
    put_compact_nullable_string(w, m.rack)
    w.append(0)


def _encode_share_fetch_response_v1(m: ShareFetchResponse, out: Parts) -> None:
    w = out[-1]
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_i(m.acquisition_lock_timeout_ms)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_share_fetchable_topic_response_v1(responses_item, out)
    w = out[-1]
    n = len(m.node_endpoints)
    put_uvarint(w, n + 1)
    for node_endpoints_item in m.node_endpoints:
        _encode_node_endpoint_v1(node_endpoints_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_share_fetch_response_v1, 2: _decode_share_fetch_response_v1}
_RESPONSE_ENCODERS = {1: _encode_share_fetch_response_v1, 2: _encode_share_fetch_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> ShareFetchResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareFetchResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareFetchResponse", version, pos, len(buf))
    return message


def encode_response(message: ShareFetchResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ShareFetchResponse", version)
    parts: Parts = [bytearray()]
    _RESPONSE_ENCODERS[version](message, parts)
    out += parts
