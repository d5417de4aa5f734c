"""Metadata, API key 3: request and response in every version."""

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
    ZERO_UUID,
    count_error,
    malformed,
    null_error,
    null_field_error,
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

API_KEY = 3
MIN_VERSION = 0
MAX_VERSION = 13
FLEXIBLE_VERSION = 9


_write_u = Struct(">16s").pack
_write_ut = Struct(">16s?").pack
_read_utB = Struct(">16s?B").unpack_from
_read_uB = Struct(">16sB").unpack_from
_write_t = Struct(">?").pack
_read_ttt = Struct(">???").unpack_from
_write_ttt = Struct(">???").pack
_read_tttB = Struct(">???B").unpack_from
_write_tttx = Struct(">???x").pack
_read_ttB = Struct(">??B").unpack_from
_write_ttx = Struct(">??x").pack
_read_tB = Struct(">?B").unpack_from
_read_ti = Struct(">?i").unpack_from
_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_write_hii = Struct(">hii").pack
_read_hiii = Struct(">hiii").unpack_from
_write_hiii = Struct(">hiii").pack
_read_hiiiB = Struct(">hiiiB").unpack_from
_read_hiiii = Struct(">hiiii").unpack_from
_write_hx = Struct(">hx").pack
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_ii = Struct(">ii").unpack_from
_write_ix = Struct(">ix").pack


class MetadataRequestTopic(Message):
    __slots__ = ("topic_id", "name")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        name: str | None = "",
    ) -> None:
        self.topic_id = topic_id
        self.name = name


class MetadataRequest(Message):
    __slots__ = ("topics", "allow_auto_topic_creation", "include_cluster_authorized_operations", "include_topic_authorized_operations")

    def __init__(
        self,
        topics: Sequence[MetadataRequestTopic] | None = (),
        allow_auto_topic_creation: bool = True,
        include_cluster_authorized_operations: bool = False,
        include_topic_authorized_operations: bool = False,
    ) -> None:
        self.topics = topics
        self.allow_auto_topic_creation = allow_auto_topic_creation
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.include_topic_authorized_operations = include_topic_authorized_operations


def _decode_metadata_request_topic_v0(buf: Buffer, pos: int) -> tuple[MetadataRequestTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MetadataRequestTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    return MetadataRequestTopic(ZERO_UUID, name), pos


def _decode_metadata_request_topic_v9(buf: Buffer, pos: int) -> tuple[MetadataRequestTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataRequestTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataRequestTopic(ZERO_UUID, name), pos


def _decode_metadata_request_topic_v10(buf: Buffer, pos: int) -> tuple[MetadataRequestTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    name: str | None
    if not n:
        name = None
    else:
        end = pos + n - 1
        name = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataRequestTopic(topic_id, name), pos


def _decode_metadata_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataRequest.topics")
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("MetadataRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_request_topic_v0(buf, pos)
        topics.append(topics_item)
    return MetadataRequest(topics, True, False, False), pos


def _decode_metadata_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    topics: list[MetadataRequestTopic] | None
    if n < 0:
        topics = None
    else:
        if n > budget[0] or n * 2 > len(buf) - pos:
            raise count_error("MetadataRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_metadata_request_topic_v0(buf, pos)
            topics.append(topics_item)
    return MetadataRequest(topics, True, False, False), pos


def _decode_metadata_request_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    topics: list[MetadataRequestTopic] | None
    if n < 0:
        topics = None
    else:
        if n > budget[0] or n * 2 > len(buf) - pos:
            raise count_error("MetadataRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_metadata_request_topic_v0(buf, pos)
            topics.append(topics_item)
    allow_auto_topic_creation = buf[pos] != 0
    pos += 1
    return MetadataRequest(topics, allow_auto_topic_creation, False, False), pos


def _decode_metadata_request_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    topics: list[MetadataRequestTopic] | None
    if n < 0:
        topics = None
    else:
        if n > budget[0] or n * 2 > len(buf) - pos:
            raise count_error("MetadataRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_metadata_request_topic_v0(buf, pos)
            topics.append(topics_item)
    allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations = _read_ttt(buf, pos)
    pos += 3
    return MetadataRequest(topics, allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations), pos


def _decode_metadata_request_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topics: list[MetadataRequestTopic] | None
    if not n:
        topics = None
    else:
        n -= 1
        if n > budget[0] or n * 2 > len(buf) - pos:
            raise count_error("MetadataRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_metadata_request_topic_v9(buf, pos)
            topics.append(topics_item)
    allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations, n = _read_tttB(buf, pos)
    pos += 4
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataRequest(topics, allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations), pos


def _decode_metadata_request_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topics: list[MetadataRequestTopic] | None
    if not n:
        topics = None
    else:
        n -= 1
        if n > budget[0] or n * 18 > len(buf) - pos:
            raise count_error("MetadataRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_metadata_request_topic_v10(buf, pos)
            topics.append(topics_item)
    allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations, n = _read_tttB(buf, pos)
    pos += 4
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataRequest(topics, allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations), pos


def _decode_metadata_request_v11(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topics: list[MetadataRequestTopic] | None
    if not n:
        topics = None
    else:
        n -= 1
        if n > budget[0] or n * 18 > len(buf) - pos:
            raise count_error("MetadataRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_metadata_request_topic_v10(buf, pos)
            topics.append(topics_item)
    allow_auto_topic_creation, include_topic_authorized_operations, n = _read_ttB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataRequest(topics, allow_auto_topic_creation, False, include_topic_authorized_operations), pos


def _encode_metadata_request_topic_v0(m: MetadataRequestTopic, w: bytearray) -> None:
    if m.name is None:
        raise null_field_error("MetadataRequestTopic.name")
    put_string(w, m.name)


def _encode_metadata_request_topic_v9(m: MetadataRequestTopic, w: bytearray) -> None:
    if m.name is None:
        raise null_field_error("MetadataRequestTopic.name")
    put_compact_string(w, m.name)
    w.append(0)


def _encode_metadata_request_topic_v10(m: MetadataRequestTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    put_compact_nullable_string(w, m.name)
    w.append(0)


def _encode_metadata_request_v0(m: MetadataRequest, w: bytearray) -> None:
    if not m.allow_auto_topic_creation:
        raise UnsupportedFieldError("MetadataRequest.allow_auto_topic_creation", "4+")
    if m.include_cluster_authorized_operations:
        raise UnsupportedFieldError("MetadataRequest.include_cluster_authorized_operations", "8-10")
    if m.include_topic_authorized_operations:
        raise UnsupportedFieldError("MetadataRequest.include_topic_authorized_operations", "8+")
    if m.topics is None:
        raise null_field_error("MetadataRequest.topics")
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_metadata_request_topic_v0(topics_item, w)


def _encode_metadata_request_v1(m: MetadataRequest, w: bytearray) -> None:
    if not m.allow_auto_topic_creation:
        raise UnsupportedFieldError("MetadataRequest.allow_auto_topic_creation", "4+")
    if m.include_cluster_authorized_operations:
        raise UnsupportedFieldError("MetadataRequest.include_cluster_authorized_operations", "8-10")
    if m.include_topic_authorized_operations:
        raise UnsupportedFieldError("MetadataRequest.include_topic_authorized_operations", "8+")
    if m.topics is None:
        w += NULL_INT32
    else:
        n = len(m.topics)
        w += _write_i(n)
        for topics_item in m.topics:
            _encode_metadata_request_topic_v0(topics_item, w)


def _encode_metadata_request_v4(m: MetadataRequest, w: bytearray) -> None:
    if m.include_cluster_authorized_operations:
        raise UnsupportedFieldError("MetadataRequest.include_cluster_authorized_operations", "8-10")
    if m.include_topic_authorized_operations:
        raise UnsupportedFieldError("MetadataRequest.include_topic_authorized_operations", "8+")
    if m.topics is None:
        w += NULL_INT32
    else:
        n = len(m.topics)
        w += _write_i(n)
        for topics_item in m.topics:
            _encode_metadata_request_topic_v0(topics_item, w)
    w += _write_t(m.allow_auto_topic_creation)


def _encode_metadata_request_v8(m: MetadataRequest, w: bytearray) -> None:
    if m.topics is None:
        w += NULL_INT32
    else:
        n = len(m.topics)
        w += _write_i(n)
        for topics_item in m.topics:
            _encode_metadata_request_topic_v0(topics_item, w)
    w += _write_ttt(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations)


def _encode_metadata_request_v9(m: MetadataRequest, w: bytearray) -> None:
    if m.topics is None:
        w.append(0)
    else:
        n = len(m.topics)
        put_uvarint(w, n + 1)
        for topics_item in m.topics:
            _encode_metadata_request_topic_v9(topics_item, w)
    w += _write_tttx(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations)


def _encode_metadata_request_v10(m: MetadataRequest, w: bytearray) -> None:
    if m.topics is None:
        w.append(0)
    else:
        n = len(m.topics)
        put_uvarint(w, n + 1)
        for topics_item in m.topics:
            _encode_metadata_request_topic_v10(topics_item, w)
    w += _write_tttx(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations)


def _encode_metadata_request_v11(m: MetadataRequest, w: bytearray) -> None:
    if m.include_cluster_authorized_operations:
        raise UnsupportedFieldError("MetadataRequest.include_cluster_authorized_operations", "8-10")
    if m.topics is None:
        w.append(0)
    else:
        n = len(m.topics)
        put_uvarint(w, n + 1)
        for topics_item in m.topics:
            _encode_metadata_request_topic_v10(topics_item, w)
    w += _write_ttx(m.allow_auto_topic_creation, m.include_topic_authorized_operations)


_REQUEST_DECODERS = {0: _decode_metadata_request_v0, 1: _decode_metadata_request_v1, 2: _decode_metadata_request_v1, 3: _decode_metadata_request_v1, 4: _decode_metadata_request_v4, 5: _decode_metadata_request_v4, 6: _decode_metadata_request_v4, 7: _decode_metadata_request_v4, 8: _decode_metadata_request_v8, 9: _decode_metadata_request_v9, 10: _decode_metadata_request_v10, 11: _decode_metadata_request_v11, 12: _decode_metadata_request_v11, 13: _decode_metadata_request_v11}
_REQUEST_ENCODERS = {0: _encode_metadata_request_v0, 1: _encode_metadata_request_v1, 2: _encode_metadata_request_v1, 3: _encode_metadata_request_v1, 4: _encode_metadata_request_v4, 5: _encode_metadata_request_v4, 6: _encode_metadata_request_v4, 7: _encode_metadata_request_v4, 8: _encode_metadata_request_v8, 9: _encode_metadata_request_v9, 10: _encode_metadata_request_v10, 11: _encode_metadata_request_v11, 12: _encode_metadata_request_v11, 13: _encode_metadata_request_v11}


def decode_request(buf: Buffer, pos: int, version: int) -> MetadataRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("MetadataRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("MetadataRequest", version, pos, len(buf))
    return message


def encode_request(message: MetadataRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("MetadataRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class MetadataResponseBroker(Message):
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


class MetadataResponsePartition(Message):
    __slots__ = ("error_code", "partition_index", "leader_id", "leader_epoch", "replica_nodes", "isr_nodes", "offline_replicas")

    def __init__(
        self,
        error_code: int = 0,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: Sequence[int] = (),
        isr_nodes: Sequence[int] = (),
        offline_replicas: Sequence[int] = (),
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = replica_nodes
        self.isr_nodes = isr_nodes
        self.offline_replicas = offline_replicas


class MetadataResponseTopic(Message):
    __slots__ = ("error_code", "name", "topic_id", "is_internal", "partitions", "topic_authorized_operations")

    def __init__(
        self,
        error_code: int = 0,
        name: str | None = "",
        topic_id: bytes = ZERO_UUID,
        is_internal: bool = False,
        partitions: Sequence[MetadataResponsePartition] = (),
        topic_authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = partitions
        self.topic_authorized_operations = topic_authorized_operations


class MetadataResponse(Message):
    __slots__ = ("throttle_time_ms", "brokers", "cluster_id", "controller_id", "topics", "cluster_authorized_operations", "error_code")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        brokers: Sequence[MetadataResponseBroker] = (),
        cluster_id: str | None = None,
        controller_id: int = -1,
        topics: Sequence[MetadataResponseTopic] = (),
        cluster_authorized_operations: int = -2147483648,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.brokers = brokers
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.topics = topics
        self.cluster_authorized_operations = cluster_authorized_operations
        self.error_code = error_code


def _decode_metadata_response_broker_v0(buf: Buffer, pos: int) -> tuple[MetadataResponseBroker, int]:
    node_id, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("MetadataResponseBroker.host")
    end = pos + n
    host = buf[pos:end].decode()
    pos = end
    (port,) = _read_i(buf, pos)
    pos += 4
    return MetadataResponseBroker(node_id, host, port, None), pos


def _decode_metadata_response_broker_v1(buf: Buffer, pos: int) -> tuple[MetadataResponseBroker, int]:
    node_id, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("MetadataResponseBroker.host")
    end = pos + n
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_ih(buf, pos)
    pos += 6
    rack: str | None
    if n < 0:
        rack = None
    else:
        end = pos + n
        rack = buf[pos:end].decode()
        pos = end
    return MetadataResponseBroker(node_id, host, port, rack), pos


def _decode_metadata_response_broker_v9(buf: Buffer, pos: int) -> tuple[MetadataResponseBroker, int]:
    node_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponseBroker.host")
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
    return MetadataResponseBroker(node_id, host, port, rack), pos


def _decode_metadata_response_partition_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id, n = _read_hiii(buf, pos)
    pos += 14
    if n < 0:
        raise null_error("MetadataResponsePartition.replica_nodes")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("MetadataResponsePartition.replica_nodes", n)
    budget[0] -= n
    replica_nodes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponsePartition.isr_nodes")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("MetadataResponsePartition.isr_nodes", n)
    budget[0] -= n
    isr_nodes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return MetadataResponsePartition(error_code, partition_index, leader_id, -1, replica_nodes, isr_nodes, ()), pos


def _decode_metadata_response_partition_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id, n = _read_hiii(buf, pos)
    pos += 14
    if n < 0:
        raise null_error("MetadataResponsePartition.replica_nodes")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("MetadataResponsePartition.replica_nodes", n)
    budget[0] -= n
    replica_nodes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponsePartition.isr_nodes")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("MetadataResponsePartition.isr_nodes", n)
    budget[0] -= n
    isr_nodes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponsePartition.offline_replicas")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("MetadataResponsePartition.offline_replicas", n)
    budget[0] -= n
    offline_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return MetadataResponsePartition(error_code, partition_index, leader_id, -1, replica_nodes, isr_nodes, offline_replicas), pos


def _decode_metadata_response_partition_v7(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id, leader_epoch, n = _read_hiiii(buf, pos)
    pos += 18
    if n < 0:
        raise null_error("MetadataResponsePartition.replica_nodes")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("MetadataResponsePartition.replica_nodes", n)
    budget[0] -= n
    replica_nodes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponsePartition.isr_nodes")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("MetadataResponsePartition.isr_nodes", n)
    budget[0] -= n
    isr_nodes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponsePartition.offline_replicas")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("MetadataResponsePartition.offline_replicas", n)
    budget[0] -= n
    offline_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return MetadataResponsePartition(error_code, partition_index, leader_id, leader_epoch, replica_nodes, isr_nodes, offline_replicas), pos


def _decode_metadata_response_partition_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id, leader_epoch, n = _read_hiiiB(buf, pos)
    pos += 15
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponsePartition.replica_nodes")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("MetadataResponsePartition.replica_nodes", n)
    budget[0] -= n
    replica_nodes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponsePartition.isr_nodes")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("MetadataResponsePartition.isr_nodes", n)
    budget[0] -= n
    isr_nodes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponsePartition.offline_replicas")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("MetadataResponsePartition.offline_replicas", n)
    budget[0] -= n
    offline_replicas = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataResponsePartition(error_code, partition_index, leader_id, leader_epoch, replica_nodes, isr_nodes, offline_replicas), pos


def _decode_metadata_response_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponseTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponseTopic.partitions")
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("MetadataResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v0(buf, pos, budget)
        partitions.append(partitions_item)
    return MetadataResponseTopic(error_code, name, ZERO_UUID, False, partitions, -2147483648), pos


def _decode_metadata_response_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponseTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    is_internal, n = _read_ti(buf, pos)
    pos += 5
    if n < 0:
        raise null_error("MetadataResponseTopic.partitions")
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("MetadataResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v0(buf, pos, budget)
        partitions.append(partitions_item)
    return MetadataResponseTopic(error_code, name, ZERO_UUID, is_internal, partitions, -2147483648), pos


def _decode_metadata_response_topic_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponseTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    is_internal, n = _read_ti(buf, pos)
    pos += 5
    if n < 0:
        raise null_error("MetadataResponseTopic.partitions")
    if n > budget[0] or n * 22 > len(buf) - pos:
        raise count_error("MetadataResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v5(buf, pos, budget)
        partitions.append(partitions_item)
    return MetadataResponseTopic(error_code, name, ZERO_UUID, is_internal, partitions, -2147483648), pos


def _decode_metadata_response_topic_v7(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponseTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    is_internal, n = _read_ti(buf, pos)
    pos += 5
    if n < 0:
        raise null_error("MetadataResponseTopic.partitions")
    if n > budget[0] or n * 26 > len(buf) - pos:
        raise count_error("MetadataResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v7(buf, pos, budget)
        partitions.append(partitions_item)
    return MetadataResponseTopic(error_code, name, ZERO_UUID, is_internal, partitions, -2147483648), pos


def _decode_metadata_response_topic_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponseTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    is_internal, n = _read_ti(buf, pos)
    pos += 5
    if n < 0:
        raise null_error("MetadataResponseTopic.partitions")
    if n > budget[0] or n * 26 > len(buf) - pos:
        raise count_error("MetadataResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v7(buf, pos, budget)
        partitions.append(partitions_item)
    (topic_authorized_operations,) = _read_i(buf, pos)
    pos += 4
    return MetadataResponseTopic(error_code, name, ZERO_UUID, is_internal, partitions, topic_authorized_operations), pos


def _decode_metadata_response_topic_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponseTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    is_internal, n = _read_tB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("MetadataResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v9(buf, pos, budget)
        partitions.append(partitions_item)
    topic_authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataResponseTopic(error_code, name, ZERO_UUID, is_internal, partitions, topic_authorized_operations), pos


def _decode_metadata_response_topic_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponseTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    topic_id, is_internal, n = _read_utB(buf, pos)
    pos += 18
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("MetadataResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v9(buf, pos, budget)
        partitions.append(partitions_item)
    topic_authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataResponseTopic(error_code, name, topic_id, is_internal, partitions, topic_authorized_operations), pos


def _decode_metadata_response_topic_v12(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    name: str | None
    if not n:
        name = None
    else:
        end = pos + n - 1
        name = buf[pos:end].decode()
        pos = end
    topic_id, is_internal, n = _read_utB(buf, pos)
    pos += 18
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("MetadataResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v9(buf, pos, budget)
        partitions.append(partitions_item)
    topic_authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataResponseTopic(error_code, name, topic_id, is_internal, partitions, topic_authorized_operations), pos


def _decode_metadata_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponse.brokers")
    if n > budget[0] or n * 10 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v0(buf, pos)
        brokers.append(brokers_item)
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponse.topics")
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v0(buf, pos, budget)
        topics.append(topics_item)
    return MetadataResponse(0, brokers, None, -1, topics, -2147483648, 0), pos


def _decode_metadata_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponse.brokers")
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v1(buf, pos)
        brokers.append(brokers_item)
    controller_id, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("MetadataResponse.topics")
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    return MetadataResponse(0, brokers, None, controller_id, topics, -2147483648, 0), pos


def _decode_metadata_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MetadataResponse.brokers")
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v1(buf, pos)
        brokers.append(brokers_item)
    (n,) = _read_h(buf, pos)
    pos += 2
    cluster_id: str | None
    if n < 0:
        cluster_id = None
    else:
        end = pos + n
        cluster_id = buf[pos:end].decode()
        pos = end
    controller_id, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("MetadataResponse.topics")
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    return MetadataResponse(0, brokers, cluster_id, controller_id, topics, -2147483648, 0), pos


def _decode_metadata_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("MetadataResponse.brokers")
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v1(buf, pos)
        brokers.append(brokers_item)
    (n,) = _read_h(buf, pos)
    pos += 2
    cluster_id: str | None
    if n < 0:
        cluster_id = None
    else:
        end = pos + n
        cluster_id = buf[pos:end].decode()
        pos = end
    controller_id, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("MetadataResponse.topics")
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, -2147483648, 0), pos


def _decode_metadata_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("MetadataResponse.brokers")
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v1(buf, pos)
        brokers.append(brokers_item)
    (n,) = _read_h(buf, pos)
    pos += 2
    cluster_id: str | None
    if n < 0:
        cluster_id = None
    else:
        end = pos + n
        cluster_id = buf[pos:end].decode()
        pos = end
    controller_id, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("MetadataResponse.topics")
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v5(buf, pos, budget)
        topics.append(topics_item)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, -2147483648, 0), pos


def _decode_metadata_response_v7(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("MetadataResponse.brokers")
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v1(buf, pos)
        brokers.append(brokers_item)
    (n,) = _read_h(buf, pos)
    pos += 2
    cluster_id: str | None
    if n < 0:
        cluster_id = None
    else:
        end = pos + n
        cluster_id = buf[pos:end].decode()
        pos = end
    controller_id, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("MetadataResponse.topics")
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v7(buf, pos, budget)
        topics.append(topics_item)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, -2147483648, 0), pos


def _decode_metadata_response_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("MetadataResponse.brokers")
    if n > budget[0] or n * 12 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v1(buf, pos)
        brokers.append(brokers_item)
    (n,) = _read_h(buf, pos)
    pos += 2
    cluster_id: str | None
    if n < 0:
        cluster_id = None
    else:
        end = pos + n
        cluster_id = buf[pos:end].decode()
        pos = end
    controller_id, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("MetadataResponse.topics")
    if n > budget[0] or n * 13 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v8(buf, pos, budget)
        topics.append(topics_item)
    (cluster_authorized_operations,) = _read_i(buf, pos)
    pos += 4
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, cluster_authorized_operations, 0), pos


def _decode_metadata_response_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponse.brokers")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v9(buf, pos)
        brokers.append(brokers_item)
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
    controller_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponse.topics")
    n -= 1
    if n > budget[0] or n * 10 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v9(buf, pos, budget)
        topics.append(topics_item)
    cluster_authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, cluster_authorized_operations, 0), pos


def _decode_metadata_response_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponse.brokers")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v9(buf, pos)
        brokers.append(brokers_item)
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
    controller_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponse.topics")
    n -= 1
    if n > budget[0] or n * 26 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v10(buf, pos, budget)
        topics.append(topics_item)
    cluster_authorized_operations, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, cluster_authorized_operations, 0), pos


def _decode_metadata_response_v11(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponse.brokers")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v9(buf, pos)
        brokers.append(brokers_item)
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
    controller_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponse.topics")
    n -= 1
    if n > budget[0] or n * 26 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v10(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, -2147483648, 0), pos


def _decode_metadata_response_v12(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponse.brokers")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v9(buf, pos)
        brokers.append(brokers_item)
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
    controller_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponse.topics")
    n -= 1
    if n > budget[0] or n * 26 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v12(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, -2147483648, 0), pos


def _decode_metadata_response_v13(buf: Buffer, pos: int, budget: list[int]) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponse.brokers")
    n -= 1
    if n > budget[0] or n * 11 > len(buf) - pos:
        raise count_error("MetadataResponse.brokers", n)
    budget[0] -= n
    brokers = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v9(buf, pos)
        brokers.append(brokers_item)
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
    controller_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MetadataResponse.topics")
    n -= 1
    if n > budget[0] or n * 26 > len(buf) - pos:
        raise count_error("MetadataResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v12(buf, pos, budget)
        topics.append(topics_item)
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, -2147483648, error_code), pos


def _encode_metadata_response_broker_v0(m: MetadataResponseBroker, w: bytearray) -> None:
    w += _write_i(m.node_id)
    put_string(w, m.host)
    w += _write_i(m.port)


def _encode_metadata_response_broker_v1(m: MetadataResponseBroker, w: bytearray) -> None:
    w += _write_i(m.node_id)
    put_string(w, m.host)
    w += _write_i(m.port)
    put_nullable_string(w, m.rack)


def _encode_metadata_response_broker_v9(m: MetadataResponseBroker, w: bytearray) -> None:
    w += _write_i(m.node_id)
    put_compact_string(w, m.host)
    w += _write_i(m.port)
    put_compact_nullable_string(w, m.rack)
    w.append(0)


def _encode_metadata_response_partition_v0(m: MetadataResponsePartition, w: bytearray) -> None:
    w += _write_hii(m.error_code, m.partition_index, m.leader_id)
    n = len(m.replica_nodes)
    w += pack(f">i{n}i", n, *m.replica_nodes)
    n = len(m.isr_nodes)
    w += pack(f">i{n}i", n, *m.isr_nodes)


def _encode_metadata_response_partition_v5(m: MetadataResponsePartition, w: bytearray) -> None:
    w += _write_hii(m.error_code, m.partition_index, m.leader_id)
    n = len(m.replica_nodes)
    w += pack(f">i{n}i", n, *m.replica_nodes)
    n = len(m.isr_nodes)
    w += pack(f">i{n}i", n, *m.isr_nodes)
    n = len(m.offline_replicas)
    w += pack(f">i{n}i", n, *m.offline_replicas)


def _encode_metadata_response_partition_v7(m: MetadataResponsePartition, w: bytearray) -> None:
    w += _write_hiii(m.error_code, m.partition_index, m.leader_id, m.leader_epoch)
    n = len(m.replica_nodes)
    w += pack(f">i{n}i", n, *m.replica_nodes)
    n = len(m.isr_nodes)
    w += pack(f">i{n}i", n, *m.isr_nodes)
    n = len(m.offline_replicas)
    w += pack(f">i{n}i", n, *m.offline_replicas)


def _encode_metadata_response_partition_v9(m: MetadataResponsePartition, w: bytearray) -> None:
    w += _write_hiii(m.error_code, m.partition_index, m.leader_id, m.leader_epoch)
    n = len(m.replica_nodes)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.replica_nodes)
    n = len(m.isr_nodes)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.isr_nodes)
    n = len(m.offline_replicas)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.offline_replicas)
    w.append(0)


def _encode_metadata_response_topic_v0(m: MetadataResponseTopic, w: bytearray) -> None:
    if m.topic_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponseTopic.topic_authorized_operations", "8+")
    w += _write_h(m.error_code)
    if m.name is None:
        raise null_field_error("MetadataResponseTopic.name")
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        if isinstance(partitions_item, bytes):
            w += partitions_item
        else:
            _encode_metadata_response_partition_v0(partitions_item, w)


def _encode_metadata_response_topic_v1(m: MetadataResponseTopic, w: bytearray) -> None:
    if m.topic_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponseTopic.topic_authorized_operations", "8+")
    w += _write_h(m.error_code)
    if m.name is None:
        raise null_field_error("MetadataResponseTopic.name")
    put_string(w, m.name)
    w += _write_t(m.is_internal)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        if isinstance(partitions_item, bytes):
            w += partitions_item
        else:
            _encode_metadata_response_partition_v0(partitions_item, w)


def _encode_metadata_response_topic_v5(m: MetadataResponseTopic, w: bytearray) -> None:
    if m.topic_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponseTopic.topic_authorized_operations", "8+")
    w += _write_h(m.error_code)
    if m.name is None:
        raise null_field_error("MetadataResponseTopic.name")
    put_string(w, m.name)
    w += _write_t(m.is_internal)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        if isinstance(partitions_item, bytes):
            w += partitions_item
        else:
            _encode_metadata_response_partition_v5(partitions_item, w)


def _encode_metadata_response_topic_v7(m: MetadataResponseTopic, w: bytearray) -> None:
    if m.topic_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponseTopic.topic_authorized_operations", "8+")
    w += _write_h(m.error_code)
    if m.name is None:
        raise null_field_error("MetadataResponseTopic.name")
    put_string(w, m.name)
    w += _write_t(m.is_internal)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        if isinstance(partitions_item, bytes):
            w += partitions_item
        else:
            _encode_metadata_response_partition_v7(partitions_item, w)


def _encode_metadata_response_topic_v8(m: MetadataResponseTopic, w: bytearray) -> None:
    w += _write_h(m.error_code)
    if m.name is None:
        raise null_field_error("MetadataResponseTopic.name")
    put_string(w, m.name)
    w += _write_t(m.is_internal)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        if isinstance(partitions_item, bytes):
            w += partitions_item
        else:
            _encode_metadata_response_partition_v7(partitions_item, w)
    w += _write_i(m.topic_authorized_operations)


def _encode_metadata_response_topic_v9(m: MetadataResponseTopic, w: bytearray) -> None:
    w += _write_h(m.error_code)
    if m.name is None:
        raise null_field_error("MetadataResponseTopic.name")
    put_compact_string(w, m.name)
    w += _write_t(m.is_internal)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        if isinstance(partitions_item, bytes):
            w += partitions_item
        else:
            _encode_metadata_response_partition_v9(partitions_item, w)
    w += _write_ix(m.topic_authorized_operations)


def _encode_metadata_response_topic_v10(m: MetadataResponseTopic, w: bytearray) -> None:
    w += _write_h(m.error_code)
    if m.name is None:
        raise null_field_error("MetadataResponseTopic.name")
    put_compact_string(w, m.name)
    w += _write_ut(m.topic_id, m.is_internal)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        if isinstance(partitions_item, bytes):
            w += partitions_item
        else:
            _encode_metadata_response_partition_v9(partitions_item, w)
    w += _write_ix(m.topic_authorized_operations)


def _encode_metadata_response_topic_v12(m: MetadataResponseTopic, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_nullable_string(w, m.name)
    w += _write_ut(m.topic_id, m.is_internal)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        if isinstance(partitions_item, bytes):
            w += partitions_item
        else:
            _encode_metadata_response_partition_v9(partitions_item, w)
    w += _write_ix(m.topic_authorized_operations)


def _encode_metadata_response_v0(m: MetadataResponse, w: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponse.cluster_authorized_operations", "8-10")
    n = len(m.brokers)
    w += _write_i(n)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v0(brokers_item, w)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v0(topics_item, w)


def _encode_metadata_response_v1(m: MetadataResponse, w: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponse.cluster_authorized_operations", "8-10")
    n = len(m.brokers)
    w += _write_i(n)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v1(brokers_item, w)
    w += _write_i(m.controller_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v1(topics_item, w)


def _encode_metadata_response_v2(m: MetadataResponse, w: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponse.cluster_authorized_operations", "8-10")
    n = len(m.brokers)
    w += _write_i(n)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v1(brokers_item, w)
    put_nullable_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v1(topics_item, w)


def _encode_metadata_response_v3(m: MetadataResponse, w: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponse.cluster_authorized_operations", "8-10")
    w += _write_i(m.throttle_time_ms)
    n = len(m.brokers)
    w += _write_i(n)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v1(brokers_item, w)
    put_nullable_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v1(topics_item, w)


def _encode_metadata_response_v5(m: MetadataResponse, w: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponse.cluster_authorized_operations", "8-10")
    w += _write_i(m.throttle_time_ms)
    n = len(m.brokers)
    w += _write_i(n)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v1(brokers_item, w)
    put_nullable_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v5(topics_item, w)


def _encode_metadata_response_v7(m: MetadataResponse, w: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponse.cluster_authorized_operations", "8-10")
    w += _write_i(m.throttle_time_ms)
    n = len(m.brokers)
    w += _write_i(n)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v1(brokers_item, w)
    put_nullable_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v7(topics_item, w)


def _encode_metadata_response_v8(m: MetadataResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.brokers)
    w += _write_i(n)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v1(brokers_item, w)
    put_nullable_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v8(topics_item, w)
    w += _write_i(m.cluster_authorized_operations)


def _encode_metadata_response_v9(m: MetadataResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.brokers)
    put_uvarint(w, n + 1)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v9(brokers_item, w)
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v9(topics_item, w)
    w += _write_ix(m.cluster_authorized_operations)


def _encode_metadata_response_v10(m: MetadataResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.brokers)
    put_uvarint(w, n + 1)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v9(brokers_item, w)
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v10(topics_item, w)
    w += _write_ix(m.cluster_authorized_operations)


def _encode_metadata_response_v11(m: MetadataResponse, w: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponse.cluster_authorized_operations", "8-10")
    w += _write_i(m.throttle_time_ms)
    n = len(m.brokers)
    put_uvarint(w, n + 1)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v9(brokers_item, w)
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v10(topics_item, w)
    w.append(0)


def _encode_metadata_response_v12(m: MetadataResponse, w: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponse.cluster_authorized_operations", "8-10")
    w += _write_i(m.throttle_time_ms)
    n = len(m.brokers)
    put_uvarint(w, n + 1)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v9(brokers_item, w)
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v12(topics_item, w)
    w.append(0)


def _encode_metadata_response_v13(m: MetadataResponse, w: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise UnsupportedFieldError("MetadataResponse.cluster_authorized_operations", "8-10")
    w += _write_i(m.throttle_time_ms)
    n = len(m.brokers)
    put_uvarint(w, n + 1)
    for brokers_item in m.brokers:
        _encode_metadata_response_broker_v9(brokers_item, w)
    put_compact_nullable_string(w, m.cluster_id)
    w += _write_i(m.controller_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        if isinstance(topics_item, bytes):
            w += topics_item
        else:
            _encode_metadata_response_topic_v12(topics_item, w)
    w += _write_hx(m.error_code)


_RESPONSE_DECODERS = {0: _decode_metadata_response_v0, 1: _decode_metadata_response_v1, 2: _decode_metadata_response_v2, 3: _decode_metadata_response_v3, 4: _decode_metadata_response_v3, 5: _decode_metadata_response_v5, 6: _decode_metadata_response_v5, 7: _decode_metadata_response_v7, 8: _decode_metadata_response_v8, 9: _decode_metadata_response_v9, 10: _decode_metadata_response_v10, 11: _decode_metadata_response_v11, 12: _decode_metadata_response_v12, 13: _decode_metadata_response_v13}
_RESPONSE_ENCODERS = {0: _encode_metadata_response_v0, 1: _encode_metadata_response_v1, 2: _encode_metadata_response_v2, 3: _encode_metadata_response_v3, 4: _encode_metadata_response_v3, 5: _encode_metadata_response_v5, 6: _encode_metadata_response_v5, 7: _encode_metadata_response_v7, 8: _encode_metadata_response_v8, 9: _encode_metadata_response_v9, 10: _encode_metadata_response_v10, 11: _encode_metadata_response_v11, 12: _encode_metadata_response_v12, 13: _encode_metadata_response_v13}


def decode_response(buf: Buffer, pos: int, version: int) -> MetadataResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("MetadataResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("MetadataResponse", version, pos, len(buf))
    return message


def encode_response(message: MetadataResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("MetadataResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)


_METADATA_RESPONSE_PARTITION_ENCODERS = {0: _encode_metadata_response_partition_v0, 1: _encode_metadata_response_partition_v0, 2: _encode_metadata_response_partition_v0, 3: _encode_metadata_response_partition_v0, 4: _encode_metadata_response_partition_v0, 5: _encode_metadata_response_partition_v5, 6: _encode_metadata_response_partition_v5, 7: _encode_metadata_response_partition_v7, 8: _encode_metadata_response_partition_v7, 9: _encode_metadata_response_partition_v9, 10: _encode_metadata_response_partition_v9, 11: _encode_metadata_response_partition_v9, 12: _encode_metadata_response_partition_v9, 13: _encode_metadata_response_partition_v9}


def encode_metadata_response_partition(item: MetadataResponsePartition, version: int) -> bytes:
    if version not in _METADATA_RESPONSE_PARTITION_ENCODERS:
        raise UnsupportedVersionError("MetadataResponsePartition", version)
    w = bytearray()
    _METADATA_RESPONSE_PARTITION_ENCODERS[version](item, w)
    return bytes(w)


_METADATA_RESPONSE_TOPIC_ENCODERS = {0: _encode_metadata_response_topic_v0, 1: _encode_metadata_response_topic_v1, 2: _encode_metadata_response_topic_v1, 3: _encode_metadata_response_topic_v1, 4: _encode_metadata_response_topic_v1, 5: _encode_metadata_response_topic_v5, 6: _encode_metadata_response_topic_v5, 7: _encode_metadata_response_topic_v7, 8: _encode_metadata_response_topic_v8, 9: _encode_metadata_response_topic_v9, 10: _encode_metadata_response_topic_v10, 11: _encode_metadata_response_topic_v10, 12: _encode_metadata_response_topic_v12, 13: _encode_metadata_response_topic_v12}


def encode_metadata_response_topic(item: MetadataResponseTopic, version: int) -> bytes:
    if version not in _METADATA_RESPONSE_TOPIC_ENCODERS:
        raise UnsupportedVersionError("MetadataResponseTopic", version)
    w = bytearray()
    _METADATA_RESPONSE_TOPIC_ENCODERS[version](item, w)
    return bytes(w)
