"""ShareAcknowledge, API key 79: request and response in every version."""

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

API_KEY = 79
MIN_VERSION = 1
MAX_VERSION = 2
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_write_i = Struct(">i").pack
_write_it = Struct(">i?").pack
_read_itB = Struct(">i?B").unpack_from
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_write_iix = Struct(">iix").pack
_write_qq = Struct(">qq").pack
_read_qqB = Struct(">qqB").unpack_from


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


class AcknowledgePartition(Message):
    __slots__ = ("partition_index", "acknowledgement_batches")

    def __init__(
        self,
        partition_index: int = 0,
        acknowledgement_batches: Sequence[AcknowledgementBatch] = (),
    ) -> None:
        self.partition_index = partition_index
        self.acknowledgement_batches = acknowledgement_batches


class AcknowledgeTopic(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[AcknowledgePartition] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ShareAcknowledgeRequest(Message):
    __slots__ = ("group_id", "member_id", "share_session_epoch", "is_renew_ack", "topics")

    def __init__(
        self,
        group_id: str | None = None,
        member_id: str | None = "",
        share_session_epoch: int = 0,
        is_renew_ack: bool = False,
        topics: Sequence[AcknowledgeTopic] = (),
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.is_renew_ack = is_renew_ack
        self.topics = topics


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


def _decode_acknowledge_partition_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AcknowledgePartition, int]:
    partition_index, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AcknowledgePartition.acknowledgement_batches")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("AcknowledgePartition.acknowledgement_batches", n)
    budget[0] -= n
    acknowledgement_batches = []
    for _ in range(n):
        acknowledgement_batches_item, pos = _decode_acknowledgement_batch_v1(buf, pos, budget)
        acknowledgement_batches.append(acknowledgement_batches_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AcknowledgePartition(partition_index, acknowledgement_batches), pos


def _decode_acknowledge_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AcknowledgeTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AcknowledgeTopic.partitions")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("AcknowledgeTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_acknowledge_partition_v1(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AcknowledgeTopic(topic_id, partitions), pos


def _decode_share_acknowledge_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareAcknowledgeRequest, int]:
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
    share_session_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareAcknowledgeRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareAcknowledgeRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_acknowledge_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareAcknowledgeRequest(group_id, member_id, share_session_epoch, False, topics), pos


def _decode_share_acknowledge_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareAcknowledgeRequest, int]:
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
    share_session_epoch, is_renew_ack, n = _read_itB(buf, pos)
    pos += 6
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareAcknowledgeRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareAcknowledgeRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_acknowledge_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareAcknowledgeRequest(group_id, member_id, share_session_epoch, is_renew_ack, topics), pos


def _encode_acknowledgement_batch_v1(m: AcknowledgementBatch, w: bytearray) -> None:
    w += _write_qq(m.first_offset, m.last_offset)
    n = len(m.acknowledge_types)
    put_uvarint(w, n + 1)
    w += pack(f">{n}b", *m.acknowledge_types)
    w.append(0)


def _encode_acknowledge_partition_v1(m: AcknowledgePartition, w: bytearray) -> None:
    w += _write_i(m.partition_index)
    n = len(m.acknowledgement_batches)
    put_uvarint(w, n + 1)
    for acknowledgement_batches_item in m.acknowledgement_batches:
        _encode_acknowledgement_batch_v1(acknowledgement_batches_item, w)
    w.append(0)


def _encode_acknowledge_topic_v1(m: AcknowledgeTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_acknowledge_partition_v1(partitions_item, w)
    w.append(0)


def _encode_share_acknowledge_request_v1(m: ShareAcknowledgeRequest, w: bytearray) -> None:
    if m.is_renew_ack:
        raise UnsupportedFieldError("ShareAcknowledgeRequest.is_renew_ack", "2+")
    put_compact_nullable_string(w, m.group_id)
    put_compact_nullable_string(w, m.member_id)
    w += _write_i(m.share_session_epoch)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_acknowledge_topic_v1(topics_item, w)
    w.append(0)


def _encode_share_acknowledge_request_v2(m: ShareAcknowledgeRequest, w: bytearray) -> None:
    put_compact_nullable_string(w, m.group_id)
    put_compact_nullable_string(w, m.member_id)
    w += _write_it(m.share_session_epoch, m.is_renew_ack)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_acknowledge_topic_v1(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {1: _decode_share_acknowledge_request_v1, 2: _decode_share_acknowledge_request_v2}
_REQUEST_ENCODERS = {1: _encode_share_acknowledge_request_v1, 2: _encode_share_acknowledge_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> ShareAcknowledgeRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareAcknowledgeRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("ShareAcknowledgeRequest", version, pos, len(buf))
    return message


def encode_request(message: ShareAcknowledgeRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("ShareAcknowledgeRequest", version)
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


class PartitionData(Message):
    __slots__ = ("partition_index", "error_code", "error_message", "current_leader")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = _DEFAULT_LeaderIdAndEpoch,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.current_leader = current_leader


class ShareAcknowledgeTopicResponse(Message):
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


class ShareAcknowledgeResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "acquisition_lock_timeout_ms", "responses", "node_endpoints")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: Sequence[ShareAcknowledgeTopicResponse] = (),
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


def _decode_partition_data_v1(buf: Buffer, pos: int) -> tuple[PartitionData, int]:
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
    current_leader, pos = _decode_leader_id_and_epoch_v1(buf, pos)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionData(partition_index, error_code, error_message, current_leader), pos


def _decode_share_acknowledge_topic_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareAcknowledgeTopicResponse, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareAcknowledgeTopicResponse.partitions")
    n -= 1
    if n > budget[0] or n * 17 > len(buf) - pos:
        raise count_error("ShareAcknowledgeTopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v1(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareAcknowledgeTopicResponse(topic_id, partitions), pos


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


def _decode_share_acknowledge_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareAcknowledgeResponse, int]:
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
        raise null_error("ShareAcknowledgeResponse.responses")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareAcknowledgeResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_share_acknowledge_topic_response_v1(buf, pos, budget)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareAcknowledgeResponse.node_endpoints")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("ShareAcknowledgeResponse.node_endpoints", n)
    budget[0] -= n
    node_endpoints = []
    for _ in range(n):
        node_endpoints_item, pos = _decode_node_endpoint_v1(buf, pos)
        node_endpoints.append(node_endpoints_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareAcknowledgeResponse(throttle_time_ms, error_code, error_message, 0, responses, node_endpoints), pos


def _decode_share_acknowledge_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareAcknowledgeResponse, int]:
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
        raise null_error("ShareAcknowledgeResponse.responses")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareAcknowledgeResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_share_acknowledge_topic_response_v1(buf, pos, budget)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareAcknowledgeResponse.node_endpoints")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("ShareAcknowledgeResponse.node_endpoints", n)
    budget[0] -= n
    node_endpoints = []
    for _ in range(n):
        node_endpoints_item, pos = _decode_node_endpoint_v1(buf, pos)
        node_endpoints.append(node_endpoints_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareAcknowledgeResponse(throttle_time_ms, error_code, error_message, acquisition_lock_timeout_ms, responses, node_endpoints), pos


def _encode_leader_id_and_epoch_v1(m: LeaderIdAndEpoch, w: bytearray) -> None:
    w += _write_iix(m.leader_id, m.leader_epoch)


def _encode_partition_data_v1(m: PartitionData, w: bytearray) -> None:
    w += _write_ih(m.partition_index, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    _encode_leader_id_and_epoch_v1(m.current_leader, w)
    w.append(0)


def _encode_share_acknowledge_topic_response_v1(m: ShareAcknowledgeTopicResponse, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_partition_data_v1(partitions_item, w)
    w.append(0)


def _encode_node_endpoint_v1(m: NodeEndpoint, w: bytearray) -> None:
    w += _write_i(m.node_id)
    put_compact_string(w, m.host)
    w += _write_i(m.port)
    put_compact_nullable_string(w, m.rack)
    w.append(0)


def _encode_share_acknowledge_response_v1(m: ShareAcknowledgeResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_share_acknowledge_topic_response_v1(responses_item, w)
    n = len(m.node_endpoints)
    put_uvarint(w, n + 1)
    for node_endpoints_item in m.node_endpoints:
        _encode_node_endpoint_v1(node_endpoints_item, w)
    w.append(0)


def _encode_share_acknowledge_response_v2(m: ShareAcknowledgeResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_i(m.acquisition_lock_timeout_ms)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_share_acknowledge_topic_response_v1(responses_item, w)
    n = len(m.node_endpoints)
    put_uvarint(w, n + 1)
    for node_endpoints_item in m.node_endpoints:
        _encode_node_endpoint_v1(node_endpoints_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_share_acknowledge_response_v1, 2: _decode_share_acknowledge_response_v2}
_RESPONSE_ENCODERS = {1: _encode_share_acknowledge_response_v1, 2: _encode_share_acknowledge_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> ShareAcknowledgeResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareAcknowledgeResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareAcknowledgeResponse", version, pos, len(buf))
    return message


def encode_response(message: ShareAcknowledgeResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("ShareAcknowledgeResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
