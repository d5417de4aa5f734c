"""StreamsGroupTopologyDescriptionUpdate, API key 93: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedVersionError,
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

API_KEY = 93
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from


class TopologyDescriptionNode(Message):
    __slots__ = ("name", "node_type", "source_topics", "sink_topic", "stores", "successors")

    def __init__(
        self,
        name: str = "",
        node_type: int = 0,
        source_topics: Sequence[str] = (),
        sink_topic: str | None = None,
        stores: Sequence[str] = (),
        successors: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.node_type = node_type
        self.source_topics = source_topics
        self.sink_topic = sink_topic
        self.stores = stores
        self.successors = successors


_DEFAULT_TopologyDescriptionNode = frozen(TopologyDescriptionNode())


class TopologyDescriptionSubtopology(Message):
    __slots__ = ("subtopology_id", "nodes")

    def __init__(
        self,
        subtopology_id: str = "",
        nodes: Sequence[TopologyDescriptionNode] = (),
    ) -> None:
        self.subtopology_id = subtopology_id
        self.nodes = nodes


class TopologyDescriptionGlobalStore(Message):
    __slots__ = ("source", "processor")

    def __init__(
        self,
        source: TopologyDescriptionNode = _DEFAULT_TopologyDescriptionNode,
        processor: TopologyDescriptionNode = _DEFAULT_TopologyDescriptionNode,
    ) -> None:
        self.source = source
        self.processor = processor


class TopologyDescription(Message):
    __slots__ = ("subtopologies", "global_stores")

    def __init__(
        self,
        subtopologies: Sequence[TopologyDescriptionSubtopology] = (),
        global_stores: Sequence[TopologyDescriptionGlobalStore] = (),
    ) -> None:
        self.subtopologies = subtopologies
        self.global_stores = global_stores


_DEFAULT_TopologyDescription = frozen(TopologyDescription())


class StreamsGroupTopologyDescriptionUpdateRequest(Message):
    __slots__ = ("group_id", "member_id", "topology_epoch", "topology_description")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        topology_epoch: int = 0,
        topology_description: TopologyDescription = _DEFAULT_TopologyDescription,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.topology_epoch = topology_epoch
        self.topology_description = topology_description


def _decode_topology_description_node_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopologyDescriptionNode, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionNode.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    node_type, n = _read_bB(buf, pos)
    pos += 2
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionNode.source_topics")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("TopologyDescriptionNode.source_topics", n)
    budget[0] -= n
    source_topics = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("TopologyDescriptionNode.source_topics")
        end = pos + n - 1
        source_topics.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    sink_topic: str | None
    if not n:
        sink_topic = None
    else:
        end = pos + n - 1
        sink_topic = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionNode.stores")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("TopologyDescriptionNode.stores", n)
    budget[0] -= n
    stores = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("TopologyDescriptionNode.stores")
        end = pos + n - 1
        stores.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionNode.successors")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("TopologyDescriptionNode.successors", n)
    budget[0] -= n
    successors = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("TopologyDescriptionNode.successors")
        end = pos + n - 1
        successors.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopologyDescriptionNode(name, node_type, source_topics, sink_topic, stores, successors), pos


def _decode_topology_description_subtopology_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopologyDescriptionSubtopology, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionSubtopology.subtopology_id")
    end = pos + n - 1
    subtopology_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescriptionSubtopology.nodes")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("TopologyDescriptionSubtopology.nodes", n)
    budget[0] -= n
    nodes = []
    for _ in range(n):
        nodes_item, pos = _decode_topology_description_node_v0(buf, pos, budget)
        nodes.append(nodes_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopologyDescriptionSubtopology(subtopology_id, nodes), pos


def _decode_topology_description_global_store_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopologyDescriptionGlobalStore, int]:
    source, pos = _decode_topology_description_node_v0(buf, pos, budget)
    processor, pos = _decode_topology_description_node_v0(buf, pos, budget)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopologyDescriptionGlobalStore(source, processor), pos


def _decode_topology_description_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopologyDescription, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescription.subtopologies")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("TopologyDescription.subtopologies", n)
    budget[0] -= n
    subtopologies = []
    for _ in range(n):
        subtopologies_item, pos = _decode_topology_description_subtopology_v0(buf, pos, budget)
        subtopologies.append(subtopologies_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopologyDescription.global_stores")
    n -= 1
    if n > budget[0] or n * 15 > len(buf) - pos:
        raise count_error("TopologyDescription.global_stores", n)
    budget[0] -= n
    global_stores = []
    for _ in range(n):
        global_stores_item, pos = _decode_topology_description_global_store_v0(buf, pos, budget)
        global_stores.append(global_stores_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopologyDescription(subtopologies, global_stores), pos


def _decode_streams_group_topology_description_update_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupTopologyDescriptionUpdateRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupTopologyDescriptionUpdateRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupTopologyDescriptionUpdateRequest.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    (topology_epoch,) = _read_i(buf, pos)
    pos += 4
    topology_description, pos = _decode_topology_description_v0(buf, pos, budget)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupTopologyDescriptionUpdateRequest(group_id, member_id, topology_epoch, topology_description), pos


def _encode_topology_description_node_v0(m: TopologyDescriptionNode, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_b(m.node_type)
    n = len(m.source_topics)
    put_uvarint(w, n + 1)
    for source_topics_item in m.source_topics:
        put_compact_string(w, source_topics_item)
    put_compact_nullable_string(w, m.sink_topic)
    n = len(m.stores)
    put_uvarint(w, n + 1)
    for stores_item in m.stores:
        put_compact_string(w, stores_item)
    n = len(m.successors)
    put_uvarint(w, n + 1)
    for successors_item in m.successors:
        put_compact_string(w, successors_item)
    w.append(0)


def _encode_topology_description_subtopology_v0(m: TopologyDescriptionSubtopology, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    n = len(m.nodes)
    put_uvarint(w, n + 1)
    for nodes_item in m.nodes:
        _encode_topology_description_node_v0(nodes_item, w)
    w.append(0)


def _encode_topology_description_global_store_v0(m: TopologyDescriptionGlobalStore, w: bytearray) -> None:
    _encode_topology_description_node_v0(m.source, w)
    _encode_topology_description_node_v0(m.processor, w)
    w.append(0)


def _encode_topology_description_v0(m: TopologyDescription, w: bytearray) -> None:
    n = len(m.subtopologies)
    put_uvarint(w, n + 1)
    for subtopologies_item in m.subtopologies:
        _encode_topology_description_subtopology_v0(subtopologies_item, w)
    n = len(m.global_stores)
    put_uvarint(w, n + 1)
    for global_stores_item in m.global_stores:
        _encode_topology_description_global_store_v0(global_stores_item, w)
    w.append(0)


def _encode_streams_group_topology_description_update_request_v0(m: StreamsGroupTopologyDescriptionUpdateRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    put_compact_string(w, m.member_id)
    w += _write_i(m.topology_epoch)
    _encode_topology_description_v0(m.topology_description, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_streams_group_topology_description_update_request_v0}
_REQUEST_ENCODERS = {0: _encode_streams_group_topology_description_update_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> StreamsGroupTopologyDescriptionUpdateRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupTopologyDescriptionUpdateRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("StreamsGroupTopologyDescriptionUpdateRequest", version, pos, len(buf))
    return message


def encode_request(message: StreamsGroupTopologyDescriptionUpdateRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupTopologyDescriptionUpdateRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class StreamsGroupTopologyDescriptionUpdateResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "error_message")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message


def _decode_streams_group_topology_description_update_response_v0(buf: Buffer, pos: int) -> tuple[StreamsGroupTopologyDescriptionUpdateResponse, int]:
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
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupTopologyDescriptionUpdateResponse(throttle_time_ms, error_code, error_message), pos


def _encode_streams_group_topology_description_update_response_v0(m: StreamsGroupTopologyDescriptionUpdateResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    put_compact_nullable_string(w, m.error_message)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_streams_group_topology_description_update_response_v0}
_RESPONSE_ENCODERS = {0: _encode_streams_group_topology_description_update_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> StreamsGroupTopologyDescriptionUpdateResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupTopologyDescriptionUpdateResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupTopologyDescriptionUpdateResponse", version, pos, len(buf))
    return message


def encode_response(message: StreamsGroupTopologyDescriptionUpdateResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupTopologyDescriptionUpdateResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
