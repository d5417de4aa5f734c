"""DescribeQuorum, API key 55: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedFieldError,
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

API_KEY = 55
MIN_VERSION = 0
MAX_VERSION = 2
FLEXIBLE_VERSION = 0


_read_HB = Struct(">HB").unpack_from
_write_Hx = Struct(">Hx").pack
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_i = Struct(">i").pack
_read_iuqqqB = Struct(">i16sqqqB").unpack_from
_write_iuqqqx = Struct(">i16sqqqx").pack
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ihiiq = Struct(">ihiiq").pack
_read_ihiiqB = Struct(">ihiiqB").unpack_from
_write_iiq = Struct(">iiq").pack
_read_iiqB = Struct(">iiqB").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_read_iqqqB = Struct(">iqqqB").unpack_from
_write_iqqqx = Struct(">iqqqx").pack
_write_iqx = Struct(">iqx").pack
_write_ix = Struct(">ix").pack


class DescribeQuorumRequestPartitionData(Message):
    __slots__ = ("partition_index",)

    def __init__(
        self,
        partition_index: int = 0,
    ) -> None:
        self.partition_index = partition_index


class DescribeQuorumRequestTopicData(Message):
    __slots__ = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: Sequence[DescribeQuorumRequestPartitionData] = (),
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class DescribeQuorumRequest(Message):
    __slots__ = ("topics",)

    def __init__(
        self,
        topics: Sequence[DescribeQuorumRequestTopicData] = (),
    ) -> None:
        self.topics = topics


def _decode_describe_quorum_request_partition_data_v0(buf: Buffer, pos: int) -> tuple[DescribeQuorumRequestPartitionData, int]:
    partition_index, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumRequestPartitionData(partition_index), pos


def _decode_describe_quorum_request_topic_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeQuorumRequestTopicData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.partitions")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_quorum_request_partition_data_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumRequestTopicData(topic_name, partitions), pos


def _decode_describe_quorum_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeQuorumRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeQuorumRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribeQuorumRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_describe_quorum_request_topic_data_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumRequest(topics), pos


def _encode_describe_quorum_request_partition_data_v0(m: DescribeQuorumRequestPartitionData, w: bytearray) -> None:
    w += _write_ix(m.partition_index)


def _encode_describe_quorum_request_topic_data_v0(m: DescribeQuorumRequestTopicData, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_describe_quorum_request_partition_data_v0(partitions_item, w)
    w.append(0)


def _encode_describe_quorum_request_v0(m: DescribeQuorumRequest, w: bytearray) -> None:
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_describe_quorum_request_topic_data_v0(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_describe_quorum_request_v0, 1: _decode_describe_quorum_request_v0, 2: _decode_describe_quorum_request_v0}
_REQUEST_ENCODERS = {0: _encode_describe_quorum_request_v0, 1: _encode_describe_quorum_request_v0, 2: _encode_describe_quorum_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeQuorumRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeQuorumRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeQuorumRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeQuorumRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeQuorumRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class ReplicaState(Message):
    __slots__ = ("replica_id", "replica_directory_id", "log_end_offset", "last_fetch_timestamp", "last_caught_up_timestamp")

    def __init__(
        self,
        replica_id: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
        log_end_offset: int = 0,
        last_fetch_timestamp: int = -1,
        last_caught_up_timestamp: int = -1,
    ) -> None:
        self.replica_id = replica_id
        self.replica_directory_id = replica_directory_id
        self.log_end_offset = log_end_offset
        self.last_fetch_timestamp = last_fetch_timestamp
        self.last_caught_up_timestamp = last_caught_up_timestamp


class DescribeQuorumResponsePartitionData(Message):
    __slots__ = ("partition_index", "error_code", "error_message", "leader_id", "leader_epoch", "high_watermark", "current_voters", "observers")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        leader_id: int = 0,
        leader_epoch: int = 0,
        high_watermark: int = 0,
        current_voters: Sequence[ReplicaState] = (),
        observers: Sequence[ReplicaState] = (),
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.high_watermark = high_watermark
        self.current_voters = current_voters
        self.observers = observers


class DescribeQuorumResponseTopicData(Message):
    __slots__ = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: Sequence[DescribeQuorumResponsePartitionData] = (),
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class Listener(Message):
    __slots__ = ("name", "host", "port")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port


class Node(Message):
    __slots__ = ("node_id", "listeners")

    def __init__(
        self,
        node_id: int = 0,
        listeners: Sequence[Listener] = (),
    ) -> None:
        self.node_id = node_id
        self.listeners = listeners


class DescribeQuorumResponse(Message):
    __slots__ = ("error_code", "error_message", "topics", "nodes")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        topics: Sequence[DescribeQuorumResponseTopicData] = (),
        nodes: Sequence[Node] = (),
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.topics = topics
        self.nodes = nodes


def _decode_replica_state_v0(buf: Buffer, pos: int) -> tuple[ReplicaState, int]:
    replica_id, log_end_offset, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return ReplicaState(replica_id, ZERO_UUID, log_end_offset, -1, -1), pos


def _decode_replica_state_v1(buf: Buffer, pos: int) -> tuple[ReplicaState, int]:
    replica_id, log_end_offset, last_fetch_timestamp, last_caught_up_timestamp, n = _read_iqqqB(buf, pos)
    pos += 29
    if n:
        pos = skip_tags(buf, pos, n)
    return ReplicaState(replica_id, ZERO_UUID, log_end_offset, last_fetch_timestamp, last_caught_up_timestamp), pos


def _decode_replica_state_v2(buf: Buffer, pos: int) -> tuple[ReplicaState, int]:
    replica_id, replica_directory_id, log_end_offset, last_fetch_timestamp, last_caught_up_timestamp, n = _read_iuqqqB(buf, pos)
    pos += 45
    if n:
        pos = skip_tags(buf, pos, n)
    return ReplicaState(replica_id, replica_directory_id, log_end_offset, last_fetch_timestamp, last_caught_up_timestamp), pos


def _decode_describe_quorum_response_partition_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeQuorumResponsePartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch, high_watermark, n = _read_ihiiqB(buf, pos)
    pos += 23
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.current_voters")
    n -= 1
    if n > budget[0] or n * 13 > len(buf) - pos:
        raise count_error("PartitionData.current_voters", n)
    budget[0] -= n
    current_voters = []
    for _ in range(n):
        current_voters_item, pos = _decode_replica_state_v0(buf, pos)
        current_voters.append(current_voters_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.observers")
    n -= 1
    if n > budget[0] or n * 13 > len(buf) - pos:
        raise count_error("PartitionData.observers", n)
    budget[0] -= n
    observers = []
    for _ in range(n):
        observers_item, pos = _decode_replica_state_v0(buf, pos)
        observers.append(observers_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumResponsePartitionData(partition_index, error_code, "", leader_id, leader_epoch, high_watermark, current_voters, observers), pos


def _decode_describe_quorum_response_partition_data_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeQuorumResponsePartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch, high_watermark, n = _read_ihiiqB(buf, pos)
    pos += 23
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.current_voters")
    n -= 1
    if n > budget[0] or n * 29 > len(buf) - pos:
        raise count_error("PartitionData.current_voters", n)
    budget[0] -= n
    current_voters = []
    for _ in range(n):
        current_voters_item, pos = _decode_replica_state_v1(buf, pos)
        current_voters.append(current_voters_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.observers")
    n -= 1
    if n > budget[0] or n * 29 > len(buf) - pos:
        raise count_error("PartitionData.observers", n)
    budget[0] -= n
    observers = []
    for _ in range(n):
        observers_item, pos = _decode_replica_state_v1(buf, pos)
        observers.append(observers_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumResponsePartitionData(partition_index, error_code, "", leader_id, leader_epoch, high_watermark, current_voters, observers), pos


def _decode_describe_quorum_response_partition_data_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeQuorumResponsePartitionData, int]:
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
    leader_id, leader_epoch, high_watermark, n = _read_iiqB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.current_voters")
    n -= 1
    if n > budget[0] or n * 45 > len(buf) - pos:
        raise count_error("PartitionData.current_voters", n)
    budget[0] -= n
    current_voters = []
    for _ in range(n):
        current_voters_item, pos = _decode_replica_state_v2(buf, pos)
        current_voters.append(current_voters_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.observers")
    n -= 1
    if n > budget[0] or n * 45 > len(buf) - pos:
        raise count_error("PartitionData.observers", n)
    budget[0] -= n
    observers = []
    for _ in range(n):
        observers_item, pos = _decode_replica_state_v2(buf, pos)
        observers.append(observers_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumResponsePartitionData(partition_index, error_code, error_message, leader_id, leader_epoch, high_watermark, current_voters, observers), pos


def _decode_describe_quorum_response_topic_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeQuorumResponseTopicData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.partitions")
    n -= 1
    if n > budget[0] or n * 25 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_quorum_response_partition_data_v0(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumResponseTopicData(topic_name, partitions), pos


def _decode_describe_quorum_response_topic_data_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeQuorumResponseTopicData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.partitions")
    n -= 1
    if n > budget[0] or n * 25 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_quorum_response_partition_data_v1(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumResponseTopicData(topic_name, partitions), pos


def _decode_describe_quorum_response_topic_data_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeQuorumResponseTopicData, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.partitions")
    n -= 1
    if n > budget[0] or n * 26 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_quorum_response_partition_data_v2(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumResponseTopicData(topic_name, partitions), pos


def _decode_listener_v2(buf: Buffer, pos: int) -> tuple[Listener, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Listener.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Listener.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_HB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return Listener(name, host, port), pos


def _decode_node_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[Node, int]:
    node_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Node.listeners")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("Node.listeners", n)
    budget[0] -= n
    listeners = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v2(buf, pos)
        listeners.append(listeners_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return Node(node_id, listeners), pos


def _decode_describe_quorum_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeQuorumResponse, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeQuorumResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribeQuorumResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_describe_quorum_response_topic_data_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumResponse(error_code, "", topics, ()), pos


def _decode_describe_quorum_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeQuorumResponse, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeQuorumResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribeQuorumResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_describe_quorum_response_topic_data_v1(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumResponse(error_code, "", topics, ()), pos


def _decode_describe_quorum_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeQuorumResponse, int]:
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
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeQuorumResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribeQuorumResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_describe_quorum_response_topic_data_v2(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeQuorumResponse.nodes")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("DescribeQuorumResponse.nodes", n)
    budget[0] -= n
    nodes = []
    for _ in range(n):
        nodes_item, pos = _decode_node_v2(buf, pos, budget)
        nodes.append(nodes_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeQuorumResponse(error_code, error_message, topics, nodes), pos


def _encode_replica_state_v0(m: ReplicaState, w: bytearray) -> None:
    if m.replica_directory_id != ZERO_UUID:
        raise UnsupportedFieldError("ReplicaState.replica_directory_id", "2+")
    w += _write_iqx(m.replica_id, m.log_end_offset)


def _encode_replica_state_v1(m: ReplicaState, w: bytearray) -> None:
    if m.replica_directory_id != ZERO_UUID:
        raise UnsupportedFieldError("ReplicaState.replica_directory_id", "2+")
    w += _write_iqqqx(m.replica_id, m.log_end_offset, m.last_fetch_timestamp, m.last_caught_up_timestamp)


def _encode_replica_state_v2(m: ReplicaState, w: bytearray) -> None:
    w += _write_iuqqqx(m.replica_id, m.replica_directory_id, m.log_end_offset, m.last_fetch_timestamp, m.last_caught_up_timestamp)


def _encode_describe_quorum_response_partition_data_v0(m: DescribeQuorumResponsePartitionData, w: bytearray) -> None:
    w += _write_ihiiq(m.partition_index, m.error_code, m.leader_id, m.leader_epoch, m.high_watermark)
    n = len(m.current_voters)
    put_uvarint(w, n + 1)
    for current_voters_item in m.current_voters:
        _encode_replica_state_v0(current_voters_item, w)
    n = len(m.observers)
    put_uvarint(w, n + 1)
    for observers_item in m.observers:
        _encode_replica_state_v0(observers_item, w)
    w.append(0)


def _encode_describe_quorum_response_partition_data_v1(m: DescribeQuorumResponsePartitionData, w: bytearray) -> None:
    w += _write_ihiiq(m.partition_index, m.error_code, m.leader_id, m.leader_epoch, m.high_watermark)
    n = len(m.current_voters)
    put_uvarint(w, n + 1)
    for current_voters_item in m.current_voters:
        _encode_replica_state_v1(current_voters_item, w)
    n = len(m.observers)
    put_uvarint(w, n + 1)
    for observers_item in m.observers:
        _encode_replica_state_v1(observers_item, w)
    w.append(0)


def _encode_describe_quorum_response_partition_data_v2(m: DescribeQuorumResponsePartitionData, w: bytearray) -> None:
    w += _write_ih(m.partition_index, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w += _write_iiq(m.leader_id, m.leader_epoch, m.high_watermark)
    n = len(m.current_voters)
    put_uvarint(w, n + 1)
    for current_voters_item in m.current_voters:
        _encode_replica_state_v2(current_voters_item, w)
    n = len(m.observers)
    put_uvarint(w, n + 1)
    for observers_item in m.observers:
        _encode_replica_state_v2(observers_item, w)
    w.append(0)


def _encode_describe_quorum_response_topic_data_v0(m: DescribeQuorumResponseTopicData, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_describe_quorum_response_partition_data_v0(partitions_item, w)
    w.append(0)


def _encode_describe_quorum_response_topic_data_v1(m: DescribeQuorumResponseTopicData, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_describe_quorum_response_partition_data_v1(partitions_item, w)
    w.append(0)


def _encode_describe_quorum_response_topic_data_v2(m: DescribeQuorumResponseTopicData, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_describe_quorum_response_partition_data_v2(partitions_item, w)
    w.append(0)


def _encode_listener_v2(m: Listener, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_node_v2(m: Node, w: bytearray) -> None:
    w += _write_i(m.node_id)
    n = len(m.listeners)
    put_uvarint(w, n + 1)
    for listeners_item in m.listeners:
        _encode_listener_v2(listeners_item, w)
    w.append(0)


def _encode_describe_quorum_response_v0(m: DescribeQuorumResponse, w: bytearray) -> None:
    if m.nodes:
        raise UnsupportedFieldError("DescribeQuorumResponse.nodes", "2+")
    w += _write_h(m.error_code)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_describe_quorum_response_topic_data_v0(topics_item, w)
    w.append(0)


def _encode_describe_quorum_response_v1(m: DescribeQuorumResponse, w: bytearray) -> None:
    if m.nodes:
        raise UnsupportedFieldError("DescribeQuorumResponse.nodes", "2+")
    w += _write_h(m.error_code)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_describe_quorum_response_topic_data_v1(topics_item, w)
    w.append(0)


def _encode_describe_quorum_response_v2(m: DescribeQuorumResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.error_message)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_describe_quorum_response_topic_data_v2(topics_item, w)
    n = len(m.nodes)
    put_uvarint(w, n + 1)
    for nodes_item in m.nodes:
        _encode_node_v2(nodes_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_describe_quorum_response_v0, 1: _decode_describe_quorum_response_v1, 2: _decode_describe_quorum_response_v2}
_RESPONSE_ENCODERS = {0: _encode_describe_quorum_response_v0, 1: _encode_describe_quorum_response_v1, 2: _encode_describe_quorum_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeQuorumResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeQuorumResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeQuorumResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeQuorumResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeQuorumResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
