"""Vote, API key 52: request and response in every version."""

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
    malformed,
    null_error,
    put_compact_nullable_string,
    put_compact_string,
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

API_KEY = 52
MIN_VERSION = 0
MAX_VERSION = 2
FLEXIBLE_VERSION = 0


_read_HB = Struct(">HB").unpack_from
_write_Hx = Struct(">Hx").pack
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ihiitB = Struct(">ihii?B").unpack_from
_write_ihiitx = Struct(">ihii?x").pack
_read_iiiuuiqtB = Struct(">iii16s16siq?B").unpack_from
_write_iiiuuiqtx = Struct(">iii16s16siq?x").pack
_read_iiiuuiqB = Struct(">iii16s16siqB").unpack_from
_write_iiiuuiqx = Struct(">iii16s16siqx").pack
_read_iiiiqB = Struct(">iiiiqB").unpack_from
_write_iiiiqx = Struct(">iiiiqx").pack


class VoteRequestPartitionData(Message):
    __slots__ = ("partition_index", "replica_epoch", "replica_id", "replica_directory_id", "voter_directory_id", "last_offset_epoch", "last_offset", "pre_vote")

    def __init__(
        self,
        partition_index: int = 0,
        replica_epoch: int = 0,
        replica_id: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
        voter_directory_id: bytes = ZERO_UUID,
        last_offset_epoch: int = 0,
        last_offset: int = 0,
        pre_vote: bool = False,
    ) -> None:
        self.partition_index = partition_index
        self.replica_epoch = replica_epoch
        self.replica_id = replica_id
        self.replica_directory_id = replica_directory_id
        self.voter_directory_id = voter_directory_id
        self.last_offset_epoch = last_offset_epoch
        self.last_offset = last_offset
        self.pre_vote = pre_vote


class VoteRequestTopicData(Message):
    __slots__ = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: Sequence[VoteRequestPartitionData] = (),
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class VoteRequest(Message):
    __slots__ = ("cluster_id", "voter_id", "topics")

    def __init__(
        self,
        cluster_id: str | None = None,
        voter_id: int = -1,
        topics: Sequence[VoteRequestTopicData] = (),
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.topics = topics


def _decode_vote_request_partition_data_v0(buf: Buffer, pos: int) -> tuple[VoteRequestPartitionData, int]:
    partition_index, replica_epoch, replica_id, last_offset_epoch, last_offset, n = _read_iiiiqB(buf, pos)
    pos += 25
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteRequestPartitionData(partition_index, replica_epoch, replica_id, ZERO_UUID, ZERO_UUID, last_offset_epoch, last_offset, False), pos


def _decode_vote_request_partition_data_v1(buf: Buffer, pos: int) -> tuple[VoteRequestPartitionData, int]:
    partition_index, replica_epoch, replica_id, replica_directory_id, voter_directory_id, last_offset_epoch, last_offset, n = _read_iiiuuiqB(buf, pos)
    pos += 57
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteRequestPartitionData(partition_index, replica_epoch, replica_id, replica_directory_id, voter_directory_id, last_offset_epoch, last_offset, False), pos


def _decode_vote_request_partition_data_v2(buf: Buffer, pos: int) -> tuple[VoteRequestPartitionData, int]:
    partition_index, replica_epoch, replica_id, replica_directory_id, voter_directory_id, last_offset_epoch, last_offset, pre_vote, n = _read_iiiuuiqtB(buf, pos)
    pos += 58
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteRequestPartitionData(partition_index, replica_epoch, replica_id, replica_directory_id, voter_directory_id, last_offset_epoch, last_offset, pre_vote), pos


def _decode_vote_request_topic_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[VoteRequestTopicData, int]:
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
        partitions_item, pos = _decode_vote_request_partition_data_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteRequestTopicData(topic_name, partitions), pos


def _decode_vote_request_topic_data_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[VoteRequestTopicData, int]:
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
    if n > budget[0] or n * 57 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_vote_request_partition_data_v1(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteRequestTopicData(topic_name, partitions), pos


def _decode_vote_request_topic_data_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[VoteRequestTopicData, int]:
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
    if n > budget[0] or n * 58 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_vote_request_partition_data_v2(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteRequestTopicData(topic_name, partitions), pos


def _decode_vote_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[VoteRequest, int]:
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
        raise null_error("VoteRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("VoteRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_vote_request_topic_data_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteRequest(cluster_id, -1, topics), pos


def _decode_vote_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[VoteRequest, int]:
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
    voter_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("VoteRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("VoteRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_vote_request_topic_data_v1(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteRequest(cluster_id, voter_id, topics), pos


def _decode_vote_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[VoteRequest, int]:
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
    voter_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("VoteRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("VoteRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_vote_request_topic_data_v2(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteRequest(cluster_id, voter_id, topics), pos


def _encode_vote_request_partition_data_v0(m: VoteRequestPartitionData, w: bytearray) -> None:
    if m.pre_vote:
        raise UnsupportedFieldError("PartitionData.pre_vote", "2+")
    w += _write_iiiiqx(m.partition_index, m.replica_epoch, m.replica_id, m.last_offset_epoch, m.last_offset)


def _encode_vote_request_partition_data_v1(m: VoteRequestPartitionData, w: bytearray) -> None:
    if m.pre_vote:
        raise UnsupportedFieldError("PartitionData.pre_vote", "2+")
    w += _write_iiiuuiqx(m.partition_index, m.replica_epoch, m.replica_id, m.replica_directory_id, m.voter_directory_id, m.last_offset_epoch, m.last_offset)


def _encode_vote_request_partition_data_v2(m: VoteRequestPartitionData, w: bytearray) -> None:
    w += _write_iiiuuiqtx(m.partition_index, m.replica_epoch, m.replica_id, m.replica_directory_id, m.voter_directory_id, m.last_offset_epoch, m.last_offset, m.pre_vote)


def _encode_vote_request_topic_data_v0(m: VoteRequestTopicData, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_vote_request_partition_data_v0(partitions_item, w)
    w.append(0)


def _encode_vote_request_topic_data_v1(m: VoteRequestTopicData, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_vote_request_partition_data_v1(partitions_item, w)
    w.append(0)


def _encode_vote_request_topic_data_v2(m: VoteRequestTopicData, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_vote_request_partition_data_v2(partitions_item, w)
    w.append(0)


def _encode_vote_request_v0(m: VoteRequest, w: bytearray) -> None:
    put_compact_nullable_string(w, m.cluster_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_vote_request_topic_data_v0(topics_item, w)
    w.append(0)


def _encode_vote_request_v1(m: VoteRequest, w: bytearray) -> None:
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_i(m.voter_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_vote_request_topic_data_v1(topics_item, w)
    w.append(0)


def _encode_vote_request_v2(m: VoteRequest, w: bytearray) -> None:
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_i(m.voter_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_vote_request_topic_data_v2(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_vote_request_v0, 1: _decode_vote_request_v1, 2: _decode_vote_request_v2}
_REQUEST_ENCODERS = {0: _encode_vote_request_v0, 1: _encode_vote_request_v1, 2: _encode_vote_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> VoteRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("VoteRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("VoteRequest", version, pos, len(buf))
    return message


def encode_request(message: VoteRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("VoteRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class VoteResponsePartitionData(Message):
    __slots__ = ("partition_index", "error_code", "leader_id", "leader_epoch", "vote_granted")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        vote_granted: bool = False,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.vote_granted = vote_granted


class VoteResponseTopicData(Message):
    __slots__ = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: Sequence[VoteResponsePartitionData] = (),
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


class VoteResponse(Message):
    __slots__ = ("error_code", "topics", "node_endpoints")

    def __init__(
        self,
        error_code: int = 0,
        topics: Sequence[VoteResponseTopicData] = (),
        node_endpoints: Sequence[NodeEndpoint] = (),
    ) -> None:
        self.error_code = error_code
        self.topics = topics
        self.node_endpoints = node_endpoints


def _decode_vote_response_partition_data_v0(buf: Buffer, pos: int) -> tuple[VoteResponsePartitionData, int]:
    partition_index, error_code, leader_id, leader_epoch, vote_granted, n = _read_ihiitB(buf, pos)
    pos += 16
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteResponsePartitionData(partition_index, error_code, leader_id, leader_epoch, vote_granted), pos


def _decode_vote_response_topic_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[VoteResponseTopicData, int]:
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
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_vote_response_partition_data_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteResponseTopicData(topic_name, partitions), pos


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


def _decode_vote_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[VoteResponse, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("VoteResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("VoteResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_vote_response_topic_data_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return VoteResponse(error_code, topics, ()), pos


def _decode_vote_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[VoteResponse, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("VoteResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("VoteResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_vote_response_topic_data_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    node_endpoints: list[NodeEndpoint] | tuple[()] = ()
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("VoteResponse")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("VoteResponse.node_endpoints")
                n -= 1
                if n > budget[0] or n * 8 > len(buf) - pos:
                    raise count_error("VoteResponse.node_endpoints", n)
                budget[0] -= n
                node_endpoints = []
                for _ in range(n):
                    node_endpoints_item, pos = _decode_node_endpoint_v1(buf, pos)
                    node_endpoints.append(node_endpoints_item)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("VoteResponse", tag)
    return VoteResponse(error_code, topics, node_endpoints), pos


def _encode_vote_response_partition_data_v0(m: VoteResponsePartitionData, w: bytearray) -> None:
    w += _write_ihiitx(m.partition_index, m.error_code, m.leader_id, m.leader_epoch, m.vote_granted)


def _encode_vote_response_topic_data_v0(m: VoteResponseTopicData, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_vote_response_partition_data_v0(partitions_item, w)
    w.append(0)


def _encode_node_endpoint_v1(m: NodeEndpoint, w: bytearray) -> None:
    w += _write_i(m.node_id)
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_vote_response_v0(m: VoteResponse, w: bytearray) -> None:
    if m.node_endpoints:
        raise UnsupportedFieldError("VoteResponse.node_endpoints", "1+")
    w += _write_h(m.error_code)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_vote_response_topic_data_v0(topics_item, w)
    w.append(0)


def _encode_vote_response_v1(m: VoteResponse, w: bytearray) -> None:
    w += _write_h(m.error_code)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_vote_response_topic_data_v0(topics_item, w)
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


_RESPONSE_DECODERS = {0: _decode_vote_response_v0, 1: _decode_vote_response_v1, 2: _decode_vote_response_v1}
_RESPONSE_ENCODERS = {0: _encode_vote_response_v0, 1: _encode_vote_response_v1, 2: _encode_vote_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> VoteResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("VoteResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("VoteResponse", version, pos, len(buf))
    return message


def encode_response(message: VoteResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("VoteResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
