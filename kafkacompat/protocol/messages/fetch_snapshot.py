"""FetchSnapshot, API key 59: request and response in every version."""

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
    put_compact_nullable_string,
    put_compact_records,
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

    from kafkacompat.protocol.primitives import Buffer, Parts, Records, Tags

API_KEY = 59
MIN_VERSION = 0
MAX_VERSION = 1
FLEXIBLE_VERSION = 0


_read_u = Struct(">16s").unpack_from
_write_u = Struct(">16s").pack
_read_HB = Struct(">HB").unpack_from
_write_Hx = Struct(">Hx").pack
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ii = Struct(">ii").unpack_from
_write_ii = Struct(">ii").pack
_read_iiB = Struct(">iiB").unpack_from
_write_iix = Struct(">iix").pack
_write_q = Struct(">q").pack
_read_qB = Struct(">qB").unpack_from
_read_qiB = Struct(">qiB").unpack_from
_write_qix = Struct(">qix").pack
_write_qq = Struct(">qq").pack
_read_qqB = Struct(">qqB").unpack_from
_write_qx = Struct(">qx").pack


class FetchSnapshotRequestSnapshotId(Message):
    __slots__ = ("end_offset", "epoch")

    def __init__(
        self,
        end_offset: int = 0,
        epoch: int = 0,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch


_DEFAULT_FetchSnapshotRequestSnapshotId = frozen(FetchSnapshotRequestSnapshotId())


class FetchSnapshotRequestPartitionSnapshot(Message):
    __slots__ = ("partition", "current_leader_epoch", "snapshot_id", "position", "replica_directory_id")

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = 0,
        snapshot_id: FetchSnapshotRequestSnapshotId = _DEFAULT_FetchSnapshotRequestSnapshotId,
        position: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.snapshot_id = snapshot_id
        self.position = position
        self.replica_directory_id = replica_directory_id


class FetchSnapshotRequestTopicSnapshot(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[FetchSnapshotRequestPartitionSnapshot] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class FetchSnapshotRequest(Message):
    __slots__ = ("cluster_id", "replica_id", "max_bytes", "topics")

    def __init__(
        self,
        cluster_id: str | None = None,
        replica_id: int = -1,
        max_bytes: int = 2147483647,
        topics: Sequence[FetchSnapshotRequestTopicSnapshot] = (),
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.max_bytes = max_bytes
        self.topics = topics


def _decode_fetch_snapshot_request_snapshot_id_v0(buf: Buffer, pos: int) -> tuple[FetchSnapshotRequestSnapshotId, int]:
    end_offset, epoch, n = _read_qiB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchSnapshotRequestSnapshotId(end_offset, epoch), pos


def _decode_fetch_snapshot_request_partition_snapshot_v0(buf: Buffer, pos: int) -> tuple[FetchSnapshotRequestPartitionSnapshot, int]:
    partition, current_leader_epoch = _read_ii(buf, pos)
    pos += 8
    snapshot_id, pos = _decode_fetch_snapshot_request_snapshot_id_v0(buf, pos)
    position, n = _read_qB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchSnapshotRequestPartitionSnapshot(partition, current_leader_epoch, snapshot_id, position, ZERO_UUID), pos


def _decode_fetch_snapshot_request_partition_snapshot_v1(buf: Buffer, pos: int) -> tuple[FetchSnapshotRequestPartitionSnapshot, int]:
    partition, current_leader_epoch = _read_ii(buf, pos)
    pos += 8
    snapshot_id, pos = _decode_fetch_snapshot_request_snapshot_id_v0(buf, pos)
    position, n = _read_qB(buf, pos)
    pos += 9
    replica_directory_id: bytes = ZERO_UUID
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("PartitionSnapshot")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (replica_directory_id,) = _read_u(buf, pos)
                pos += 16
            else:
                pos = stop
            if pos != stop:
                raise tag_error("PartitionSnapshot", tag)
    return FetchSnapshotRequestPartitionSnapshot(partition, current_leader_epoch, snapshot_id, position, replica_directory_id), pos


def _decode_fetch_snapshot_request_topic_snapshot_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchSnapshotRequestTopicSnapshot, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicSnapshot.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicSnapshot.partitions")
    n -= 1
    if n > budget[0] or n * 30 > len(buf) - pos:
        raise count_error("TopicSnapshot.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_snapshot_request_partition_snapshot_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchSnapshotRequestTopicSnapshot(name, partitions), pos


def _decode_fetch_snapshot_request_topic_snapshot_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchSnapshotRequestTopicSnapshot, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicSnapshot.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicSnapshot.partitions")
    n -= 1
    if n > budget[0] or n * 30 > len(buf) - pos:
        raise count_error("TopicSnapshot.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_snapshot_request_partition_snapshot_v1(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchSnapshotRequestTopicSnapshot(name, partitions), pos


def _decode_fetch_snapshot_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchSnapshotRequest, int]:
    replica_id, max_bytes, n = _read_iiB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchSnapshotRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("FetchSnapshotRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_snapshot_request_topic_snapshot_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    cluster_id: str | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("FetchSnapshotRequest")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                if not n:
                    cluster_id = None
                else:
                    end = pos + n - 1
                    cluster_id = buf[pos:end].decode()
                    pos = end
            else:
                pos = stop
            if pos != stop:
                raise tag_error("FetchSnapshotRequest", tag)
    return FetchSnapshotRequest(cluster_id, replica_id, max_bytes, topics), pos


def _decode_fetch_snapshot_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchSnapshotRequest, int]:
    replica_id, max_bytes, n = _read_iiB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchSnapshotRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("FetchSnapshotRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_snapshot_request_topic_snapshot_v1(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    cluster_id: str | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("FetchSnapshotRequest")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = string_length_tail(buf, pos, n)
                if not n:
                    cluster_id = None
                else:
                    end = pos + n - 1
                    cluster_id = buf[pos:end].decode()
                    pos = end
            else:
                pos = stop
            if pos != stop:
                raise tag_error("FetchSnapshotRequest", tag)
    return FetchSnapshotRequest(cluster_id, replica_id, max_bytes, topics), pos


def _encode_fetch_snapshot_request_snapshot_id_v0(m: FetchSnapshotRequestSnapshotId, w: bytearray) -> None:
    w += _write_qix(m.end_offset, m.epoch)


def _encode_fetch_snapshot_request_partition_snapshot_v0(m: FetchSnapshotRequestPartitionSnapshot, w: bytearray) -> None:
    w += _write_ii(m.partition, m.current_leader_epoch)
    _encode_fetch_snapshot_request_snapshot_id_v0(m.snapshot_id, w)
    w += _write_qx(m.position)


def _encode_fetch_snapshot_request_partition_snapshot_v1(m: FetchSnapshotRequestPartitionSnapshot, w: bytearray) -> None:
    w += _write_ii(m.partition, m.current_leader_epoch)
    _encode_fetch_snapshot_request_snapshot_id_v0(m.snapshot_id, w)
    w += _write_q(m.position)
    tags: Tags = []
    if m.replica_directory_id != ZERO_UUID:
        tags.append(b'\x00\x10' + _write_u(m.replica_directory_id))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_fetch_snapshot_request_topic_snapshot_v0(m: FetchSnapshotRequestTopicSnapshot, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_fetch_snapshot_request_partition_snapshot_v0(partitions_item, w)
    w.append(0)


def _encode_fetch_snapshot_request_topic_snapshot_v1(m: FetchSnapshotRequestTopicSnapshot, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_fetch_snapshot_request_partition_snapshot_v1(partitions_item, w)
    w.append(0)


def _encode_fetch_snapshot_request_v0(m: FetchSnapshotRequest, w: bytearray) -> None:
    w += _write_ii(m.replica_id, m.max_bytes)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_fetch_snapshot_request_topic_snapshot_v0(topics_item, w)
    tags: Tags = []
    if m.cluster_id is not None:
        t = bytearray()
        put_compact_nullable_string(t, m.cluster_id)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_fetch_snapshot_request_v1(m: FetchSnapshotRequest, w: bytearray) -> None:
    w += _write_ii(m.replica_id, m.max_bytes)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_fetch_snapshot_request_topic_snapshot_v1(topics_item, w)
    tags: Tags = []
    if m.cluster_id is not None:
        t = bytearray()
        put_compact_nullable_string(t, m.cluster_id)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_REQUEST_DECODERS = {0: _decode_fetch_snapshot_request_v0, 1: _decode_fetch_snapshot_request_v1}
_REQUEST_ENCODERS = {0: _encode_fetch_snapshot_request_v0, 1: _encode_fetch_snapshot_request_v1}


def decode_request(buf: Buffer, pos: int, version: int) -> FetchSnapshotRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("FetchSnapshotRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("FetchSnapshotRequest", version, pos, len(buf))
    return message


def encode_request(message: FetchSnapshotRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("FetchSnapshotRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class FetchSnapshotResponseSnapshotId(Message):
    __slots__ = ("end_offset", "epoch")

    def __init__(
        self,
        end_offset: int = 0,
        epoch: int = 0,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch


_DEFAULT_FetchSnapshotResponseSnapshotId = frozen(FetchSnapshotResponseSnapshotId())


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


class FetchSnapshotResponsePartitionSnapshot(Message):
    __slots__ = ("index", "error_code", "snapshot_id", "current_leader", "size", "position", "unaligned_records")

    def __init__(
        self,
        index: int = 0,
        error_code: int = 0,
        snapshot_id: FetchSnapshotResponseSnapshotId = _DEFAULT_FetchSnapshotResponseSnapshotId,
        current_leader: LeaderIdAndEpoch = _DEFAULT_LeaderIdAndEpoch,
        size: int = 0,
        position: int = 0,
        unaligned_records: Records | None = None,
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.snapshot_id = snapshot_id
        self.current_leader = current_leader
        self.size = size
        self.position = position
        self.unaligned_records = unaligned_records


class FetchSnapshotResponseTopicSnapshot(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[FetchSnapshotResponsePartitionSnapshot] = (),
    ) -> None:
        self.name = name
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


class FetchSnapshotResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "topics", "node_endpoints")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: Sequence[FetchSnapshotResponseTopicSnapshot] = (),
        node_endpoints: Sequence[NodeEndpoint] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = topics
        self.node_endpoints = node_endpoints


def _decode_fetch_snapshot_response_snapshot_id_v0(buf: Buffer, pos: int) -> tuple[FetchSnapshotResponseSnapshotId, int]:
    end_offset, epoch, n = _read_qiB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchSnapshotResponseSnapshotId(end_offset, epoch), pos


def _decode_leader_id_and_epoch_v0(buf: Buffer, pos: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaderIdAndEpoch(leader_id, leader_epoch), pos


def _decode_fetch_snapshot_response_partition_snapshot_v0(buf: Buffer, pos: int) -> tuple[FetchSnapshotResponsePartitionSnapshot, int]:
    index, error_code = _read_ih(buf, pos)
    pos += 6
    snapshot_id, pos = _decode_fetch_snapshot_response_snapshot_id_v0(buf, pos)
    size_, position, n = _read_qqB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionSnapshot.unaligned_records")
    end = pos + n - 1
    unaligned_records = memoryview(buf)[pos:end]
    pos = end
    n = buf[pos]
    pos += 1
    current_leader: LeaderIdAndEpoch = _DEFAULT_LeaderIdAndEpoch
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("PartitionSnapshot")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                current_leader, pos = _decode_leader_id_and_epoch_v0(buf, pos)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("PartitionSnapshot", tag)
    return FetchSnapshotResponsePartitionSnapshot(index, error_code, snapshot_id, current_leader, size_, position, unaligned_records), pos


def _decode_fetch_snapshot_response_topic_snapshot_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchSnapshotResponseTopicSnapshot, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicSnapshot.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicSnapshot.partitions")
    n -= 1
    if n > budget[0] or n * 37 > len(buf) - pos:
        raise count_error("TopicSnapshot.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_snapshot_response_partition_snapshot_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchSnapshotResponseTopicSnapshot(name, partitions), pos


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


def _decode_fetch_snapshot_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchSnapshotResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchSnapshotResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("FetchSnapshotResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_snapshot_response_topic_snapshot_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchSnapshotResponse(throttle_time_ms, error_code, topics, ()), pos


def _decode_fetch_snapshot_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchSnapshotResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchSnapshotResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("FetchSnapshotResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_snapshot_response_topic_snapshot_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    node_endpoints: list[NodeEndpoint] | tuple[()] = ()
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("FetchSnapshotResponse")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("FetchSnapshotResponse.node_endpoints")
                n -= 1
                if n > budget[0] or n * 8 > len(buf) - pos:
                    raise count_error("FetchSnapshotResponse.node_endpoints", n)
                budget[0] -= n
                node_endpoints = []
                for _ in range(n):
                    node_endpoints_item, pos = _decode_node_endpoint_v1(buf, pos)
                    node_endpoints.append(node_endpoints_item)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("FetchSnapshotResponse", tag)
    return FetchSnapshotResponse(throttle_time_ms, error_code, topics, node_endpoints), pos


def _encode_fetch_snapshot_response_snapshot_id_v0(m: FetchSnapshotResponseSnapshotId, w: bytearray) -> None:
    w += _write_qix(m.end_offset, m.epoch)


def _encode_leader_id_and_epoch_v0(m: LeaderIdAndEpoch, w: bytearray) -> None:
    w += _write_iix(m.leader_id, m.leader_epoch)


def _encode_fetch_snapshot_response_partition_snapshot_v0(m: FetchSnapshotResponsePartitionSnapshot, out: Parts) -> None:
    w = out[-1]
    w += _write_ih(m.index, m.error_code)
    _encode_fetch_snapshot_response_snapshot_id_v0(m.snapshot_id, w)
    w += _write_qq(m.size, m.position)
    w = put_compact_records(out, m.unaligned_records)
    tags: Tags = []
    if m.current_leader is not _DEFAULT_LeaderIdAndEpoch and m.current_leader != _DEFAULT_LeaderIdAndEpoch:
        t = bytearray()
        _encode_leader_id_and_epoch_v0(m.current_leader, t)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_fetch_snapshot_response_topic_snapshot_v0(m: FetchSnapshotResponseTopicSnapshot, out: Parts) -> None:
    w = out[-1]
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_fetch_snapshot_response_partition_snapshot_v0(partitions_item, out)
    w = out[-1]
    w.append(0)


def _encode_node_endpoint_v1(m: NodeEndpoint, w: bytearray) -> None:
    w += _write_i(m.node_id)
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_fetch_snapshot_response_v0(m: FetchSnapshotResponse, out: Parts) -> None:
    if m.node_endpoints:
        raise UnsupportedFieldError("FetchSnapshotResponse.node_endpoints", "1+")
    w = out[-1]
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_fetch_snapshot_response_topic_snapshot_v0(topics_item, out)
    w = out[-1]
    w.append(0)


def _encode_fetch_snapshot_response_v1(m: FetchSnapshotResponse, out: Parts) -> None:
    w = out[-1]
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_fetch_snapshot_response_topic_snapshot_v0(topics_item, out)
    w = out[-1]
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


_RESPONSE_DECODERS = {0: _decode_fetch_snapshot_response_v0, 1: _decode_fetch_snapshot_response_v1}
_RESPONSE_ENCODERS = {0: _encode_fetch_snapshot_response_v0, 1: _encode_fetch_snapshot_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> FetchSnapshotResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("FetchSnapshotResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("FetchSnapshotResponse", version, pos, len(buf))
    return message


def encode_response(message: FetchSnapshotResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("FetchSnapshotResponse", version)
    parts: Parts = [bytearray()]
    _RESPONSE_ENCODERS[version](message, parts)
    out += parts
