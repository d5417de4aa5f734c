"""EndQuorumEpoch, API key 54: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    MAX_TAGGED_FIELDS,
    Message,
    UnsupportedFieldError,
    UnsupportedVersionError,
    ZERO_UUID,
    count_error,
    malformed,
    null_error,
    put_compact_nullable_string,
    put_compact_string,
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

    from kafkacompat.protocol.primitives import Buffer, Parts, Tags

API_KEY = 54
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 1


_read_HB = Struct(">HB").unpack_from
_write_Hx = Struct(">Hx").pack
_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hi = Struct(">hi").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iuB = Struct(">i16sB").unpack_from
_write_iux = Struct(">i16sx").pack
_read_iB = Struct(">iB").unpack_from
_read_ihii = Struct(">ihii").unpack_from
_write_ihii = Struct(">ihii").pack
_read_ihiiB = Struct(">ihiiB").unpack_from
_write_ihiix = Struct(">ihiix").pack
_write_iii = Struct(">iii").pack
_read_iiiB = Struct(">iiiB").unpack_from
_read_iiii = Struct(">iiii").unpack_from


class ReplicaInfo(Message):
    __slots__ = ("candidate_id", "candidate_directory_id")

    def __init__(
        self,
        candidate_id: int = 0,
        candidate_directory_id: bytes = ZERO_UUID,
    ) -> None:
        self.candidate_id = candidate_id
        self.candidate_directory_id = candidate_directory_id


class EndQuorumEpochRequestPartitionData(Message):
    __slots__ = ("partition_index", "leader_id", "leader_epoch", "preferred_successors", "preferred_candidates")

    def __init__(
        self,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        preferred_successors: Sequence[int] = (),
        preferred_candidates: Sequence[ReplicaInfo] = (),
    ) -> None:
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.preferred_successors = preferred_successors
        self.preferred_candidates = preferred_candidates


class EndQuorumEpochRequestTopicData(Message):
    __slots__ = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: Sequence[EndQuorumEpochRequestPartitionData] = (),
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class LeaderEndpoint(Message):
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


class EndQuorumEpochRequest(Message):
    __slots__ = ("cluster_id", "topics", "leader_endpoints")

    def __init__(
        self,
        cluster_id: str | None = None,
        topics: Sequence[EndQuorumEpochRequestTopicData] = (),
        leader_endpoints: Sequence[LeaderEndpoint] = (),
    ) -> None:
        self.cluster_id = cluster_id
        self.topics = topics
        self.leader_endpoints = leader_endpoints


def _decode_replica_info_v1(buf: Buffer, pos: int) -> tuple[ReplicaInfo, int]:
    candidate_id, candidate_directory_id, n = _read_iuB(buf, pos)
    pos += 21
    if n:
        pos = skip_tags(buf, pos, n)
    return ReplicaInfo(candidate_id, candidate_directory_id), pos


def _decode_end_quorum_epoch_request_partition_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[EndQuorumEpochRequestPartitionData, int]:
    partition_index, leader_id, leader_epoch, n = _read_iiii(buf, pos)
    pos += 16
    if n < 0:
        raise null_error("PartitionData.preferred_successors")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionData.preferred_successors", n)
    budget[0] -= n
    preferred_successors = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return EndQuorumEpochRequestPartitionData(partition_index, leader_id, leader_epoch, preferred_successors, ()), pos


def _decode_end_quorum_epoch_request_partition_data_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[EndQuorumEpochRequestPartitionData, int]:
    partition_index, leader_id, leader_epoch, n = _read_iiiB(buf, pos)
    pos += 13
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionData.preferred_candidates")
    n -= 1
    if n > budget[0] or n * 21 > len(buf) - pos:
        raise count_error("PartitionData.preferred_candidates", n)
    budget[0] -= n
    preferred_candidates = []
    for _ in range(n):
        preferred_candidates_item, pos = _decode_replica_info_v1(buf, pos)
        preferred_candidates.append(preferred_candidates_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return EndQuorumEpochRequestPartitionData(partition_index, leader_id, leader_epoch, (), preferred_candidates), pos


def _decode_end_quorum_epoch_request_topic_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[EndQuorumEpochRequestTopicData, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TopicData.topic_name")
    end = pos + n
    topic_name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TopicData.partitions")
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_end_quorum_epoch_request_partition_data_v0(buf, pos, budget)
        partitions.append(partitions_item)
    return EndQuorumEpochRequestTopicData(topic_name, partitions), pos


def _decode_end_quorum_epoch_request_topic_data_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[EndQuorumEpochRequestTopicData, int]:
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
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_end_quorum_epoch_request_partition_data_v1(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return EndQuorumEpochRequestTopicData(topic_name, partitions), pos


def _decode_leader_endpoint_v1(buf: Buffer, pos: int) -> tuple[LeaderEndpoint, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("LeaderEndpoint.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("LeaderEndpoint.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_HB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaderEndpoint(name, host, port), pos


def _decode_end_quorum_epoch_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[EndQuorumEpochRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    cluster_id: str | None
    if n < 0:
        cluster_id = None
    else:
        end = pos + n
        cluster_id = buf[pos:end].decode()
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("EndQuorumEpochRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("EndQuorumEpochRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_end_quorum_epoch_request_topic_data_v0(buf, pos, budget)
        topics.append(topics_item)
    return EndQuorumEpochRequest(cluster_id, topics, ()), pos


def _decode_end_quorum_epoch_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[EndQuorumEpochRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    cluster_id: str | None
    if not n:
        cluster_id = None
    else:
        end = pos + n - 1
        cluster_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("EndQuorumEpochRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("EndQuorumEpochRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_end_quorum_epoch_request_topic_data_v1(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("EndQuorumEpochRequest.leader_endpoints")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("EndQuorumEpochRequest.leader_endpoints", n)
    budget[0] -= n
    leader_endpoints = []
    for _ in range(n):
        leader_endpoints_item, pos = _decode_leader_endpoint_v1(buf, pos)
        leader_endpoints.append(leader_endpoints_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return EndQuorumEpochRequest(cluster_id, topics, leader_endpoints), pos


def _encode_replica_info_v1(m: ReplicaInfo, w: bytearray) -> None:
    w += _write_iux(m.candidate_id, m.candidate_directory_id)


def _encode_end_quorum_epoch_request_partition_data_v0(m: EndQuorumEpochRequestPartitionData, w: bytearray) -> None:
    w += _write_iii(m.partition_index, m.leader_id, m.leader_epoch)
    n = len(m.preferred_successors)
    w += pack(f">i{n}i", n, *m.preferred_successors)


def _encode_end_quorum_epoch_request_partition_data_v1(m: EndQuorumEpochRequestPartitionData, w: bytearray) -> None:
    w += _write_iii(m.partition_index, m.leader_id, m.leader_epoch)
    n = len(m.preferred_candidates)
    put_uvarint(w, n + 1)
    for preferred_candidates_item in m.preferred_candidates:
        _encode_replica_info_v1(preferred_candidates_item, w)
    w.append(0)


def _encode_end_quorum_epoch_request_topic_data_v0(m: EndQuorumEpochRequestTopicData, w: bytearray) -> None:
    put_string(w, m.topic_name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_end_quorum_epoch_request_partition_data_v0(partitions_item, w)


def _encode_end_quorum_epoch_request_topic_data_v1(m: EndQuorumEpochRequestTopicData, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_end_quorum_epoch_request_partition_data_v1(partitions_item, w)
    w.append(0)


def _encode_leader_endpoint_v1(m: LeaderEndpoint, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_end_quorum_epoch_request_v0(m: EndQuorumEpochRequest, w: bytearray) -> None:
    put_nullable_string(w, m.cluster_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_end_quorum_epoch_request_topic_data_v0(topics_item, w)


def _encode_end_quorum_epoch_request_v1(m: EndQuorumEpochRequest, w: bytearray) -> None:
    put_compact_nullable_string(w, m.cluster_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_end_quorum_epoch_request_topic_data_v1(topics_item, w)
    n = len(m.leader_endpoints)
    put_uvarint(w, n + 1)
    for leader_endpoints_item in m.leader_endpoints:
        _encode_leader_endpoint_v1(leader_endpoints_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_end_quorum_epoch_request_v0, 1: _decode_end_quorum_epoch_request_v1}
_REQUEST_ENCODERS = {0: _encode_end_quorum_epoch_request_v0, 1: _encode_end_quorum_epoch_request_v1}


def decode_request(buf: Buffer, pos: int, version: int) -> EndQuorumEpochRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("EndQuorumEpochRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("EndQuorumEpochRequest", version, pos, len(buf))
    return message


def encode_request(message: EndQuorumEpochRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("EndQuorumEpochRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class EndQuorumEpochResponsePartitionData(Message):
    __slots__ = ("partition_index", "error_code", "leader_id", "leader_epoch")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


class EndQuorumEpochResponseTopicData(Message):
    __slots__ = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: Sequence[EndQuorumEpochResponsePartitionData] = (),
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class NodeEndpoint(Message):
    __slots__ = ("node_id", "host", "port")

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port


class EndQuorumEpochResponse(Message):
    __slots__ = ("error_code", "topics", "node_endpoints")

    def __init__(
        self,
        error_code: int = 0,
        topics: Sequence[EndQuorumEpochResponseTopicData] = (),
        node_endpoints: Sequence[NodeEndpoint] = (),
    ) -> None:
        self.error_code = error_code
        self.topics = topics
        self.node_endpoints = node_endpoints


def _decode_end_quorum_epoch_response_partition_data_v0(buf: Buffer, pos: int) -> tuple[EndQuorumEpochResponsePartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch = _read_ihii(buf, pos)
    pos += 14
    return EndQuorumEpochResponsePartitionData(partition_index, error_code, leader_id, leader_epoch), pos


def _decode_end_quorum_epoch_response_partition_data_v1(buf: Buffer, pos: int) -> tuple[EndQuorumEpochResponsePartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch, n = _read_ihiiB(buf, pos)
    pos += 15
    if n:
        pos = skip_tags(buf, pos, n)
    return EndQuorumEpochResponsePartitionData(partition_index, error_code, leader_id, leader_epoch), pos


def _decode_end_quorum_epoch_response_topic_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[EndQuorumEpochResponseTopicData, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TopicData.topic_name")
    end = pos + n
    topic_name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TopicData.partitions")
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_end_quorum_epoch_response_partition_data_v0(buf, pos)
        partitions.append(partitions_item)
    return EndQuorumEpochResponseTopicData(topic_name, partitions), pos


def _decode_end_quorum_epoch_response_topic_data_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[EndQuorumEpochResponseTopicData, int]:
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
    if n > budget[0] or n * 15 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_end_quorum_epoch_response_partition_data_v1(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return EndQuorumEpochResponseTopicData(topic_name, partitions), pos


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
    port, n = _read_HB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return NodeEndpoint(node_id, host, port), pos


def _decode_end_quorum_epoch_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[EndQuorumEpochResponse, int]:
    error_code, n = _read_hi(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("EndQuorumEpochResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("EndQuorumEpochResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_end_quorum_epoch_response_topic_data_v0(buf, pos, budget)
        topics.append(topics_item)
    return EndQuorumEpochResponse(error_code, topics, ()), pos


def _decode_end_quorum_epoch_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[EndQuorumEpochResponse, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("EndQuorumEpochResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("EndQuorumEpochResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_end_quorum_epoch_response_topic_data_v1(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    node_endpoints: list[NodeEndpoint] | tuple[()] = ()
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("EndQuorumEpochResponse")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("EndQuorumEpochResponse.node_endpoints")
                n -= 1
                if n > budget[0] or n * 8 > len(buf) - pos:
                    raise count_error("EndQuorumEpochResponse.node_endpoints", n)
                budget[0] -= n
                node_endpoints = []
                for _ in range(n):
                    node_endpoints_item, pos = _decode_node_endpoint_v1(buf, pos)
                    node_endpoints.append(node_endpoints_item)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("EndQuorumEpochResponse", tag)
    return EndQuorumEpochResponse(error_code, topics, node_endpoints), pos


def _encode_end_quorum_epoch_response_partition_data_v0(m: EndQuorumEpochResponsePartitionData, w: bytearray) -> None:
    w += _write_ihii(m.partition_index, m.error_code, m.leader_id, m.leader_epoch)


def _encode_end_quorum_epoch_response_partition_data_v1(m: EndQuorumEpochResponsePartitionData, w: bytearray) -> None:
    w += _write_ihiix(m.partition_index, m.error_code, m.leader_id, m.leader_epoch)


def _encode_end_quorum_epoch_response_topic_data_v0(m: EndQuorumEpochResponseTopicData, w: bytearray) -> None:
    put_string(w, m.topic_name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_end_quorum_epoch_response_partition_data_v0(partitions_item, w)


def _encode_end_quorum_epoch_response_topic_data_v1(m: EndQuorumEpochResponseTopicData, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_end_quorum_epoch_response_partition_data_v1(partitions_item, w)
    w.append(0)


def _encode_node_endpoint_v1(m: NodeEndpoint, w: bytearray) -> None:
    w += _write_i(m.node_id)
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_end_quorum_epoch_response_v0(m: EndQuorumEpochResponse, w: bytearray) -> None:
    if m.node_endpoints:
        raise UnsupportedFieldError("EndQuorumEpochResponse.node_endpoints", "1+")
    w += _write_h(m.error_code)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_end_quorum_epoch_response_topic_data_v0(topics_item, w)


def _encode_end_quorum_epoch_response_v1(m: EndQuorumEpochResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_end_quorum_epoch_response_topic_data_v1(topics_item, w)
    tags: Tags = []
    if m.node_endpoints:
        t = bytearray()
        n = len(m.node_endpoints)
        put_uvarint(t, n + 1)
        for node_endpoints_item in m.node_endpoints:
            _encode_node_endpoint_v1(node_endpoints_item, t)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_RESPONSE_DECODERS = {0: _decode_end_quorum_epoch_response_v0, 1: _decode_end_quorum_epoch_response_v1}
_RESPONSE_ENCODERS = {0: _encode_end_quorum_epoch_response_v0, 1: _encode_end_quorum_epoch_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> EndQuorumEpochResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("EndQuorumEpochResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("EndQuorumEpochResponse", version, pos, len(buf))
    return message


def encode_response(message: EndQuorumEpochResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("EndQuorumEpochResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
