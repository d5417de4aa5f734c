"""WriteTxnMarkers, API key 27: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    Message,
    UnsupportedVersionError,
    count_error,
    malformed,
    null_error,
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

API_KEY = 27
MIN_VERSION = 1
MAX_VERSION = 2
FLEXIBLE_VERSION = 1


_read_iB = Struct(">iB").unpack_from
_read_ibB = Struct(">ibB").unpack_from
_write_ibx = Struct(">ibx").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ihx = Struct(">ihx").pack
_write_ix = Struct(">ix").pack
_write_q = Struct(">q").pack
_read_qB = Struct(">qB").unpack_from
_write_qht = Struct(">qh?").pack
_read_qhtB = Struct(">qh?B").unpack_from


class WritableTxnMarkerTopic(Message):
    __slots__ = ("name", "partition_indexes")

    def __init__(
        self,
        name: str = "",
        partition_indexes: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.partition_indexes = partition_indexes


class WritableTxnMarker(Message):
    __slots__ = ("producer_id", "producer_epoch", "transaction_result", "topics", "coordinator_epoch", "transaction_version")

    def __init__(
        self,
        producer_id: int = 0,
        producer_epoch: int = 0,
        transaction_result: bool = False,
        topics: Sequence[WritableTxnMarkerTopic] = (),
        coordinator_epoch: int = 0,
        transaction_version: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.transaction_result = transaction_result
        self.topics = topics
        self.coordinator_epoch = coordinator_epoch
        self.transaction_version = transaction_version


class WriteTxnMarkersRequest(Message):
    __slots__ = ("markers",)

    def __init__(
        self,
        markers: Sequence[WritableTxnMarker] = (),
    ) -> None:
        self.markers = markers


def _decode_writable_txn_marker_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[WritableTxnMarkerTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("WritableTxnMarkerTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("WritableTxnMarkerTopic.partition_indexes")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("WritableTxnMarkerTopic.partition_indexes", n)
    budget[0] -= n
    partition_indexes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return WritableTxnMarkerTopic(name, partition_indexes), pos


def _decode_writable_txn_marker_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[WritableTxnMarker, int]:
    producer_id, producer_epoch, transaction_result, n = _read_qhtB(buf, pos)
    pos += 12
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("WritableTxnMarker.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("WritableTxnMarker.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_writable_txn_marker_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    coordinator_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return WritableTxnMarker(producer_id, producer_epoch, transaction_result, topics, coordinator_epoch, 0), pos


def _decode_writable_txn_marker_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[WritableTxnMarker, int]:
    producer_id, producer_epoch, transaction_result, n = _read_qhtB(buf, pos)
    pos += 12
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("WritableTxnMarker.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("WritableTxnMarker.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_writable_txn_marker_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    coordinator_epoch, transaction_version, n = _read_ibB(buf, pos)
    pos += 6
    if n:
        pos = skip_tags(buf, pos, n)
    return WritableTxnMarker(producer_id, producer_epoch, transaction_result, topics, coordinator_epoch, transaction_version), pos


def _decode_write_txn_markers_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[WriteTxnMarkersRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("WriteTxnMarkersRequest.markers")
    n -= 1
    if n > budget[0] or n * 17 > len(buf) - pos:
        raise count_error("WriteTxnMarkersRequest.markers", n)
    budget[0] -= n
    markers = []
    for _ in range(n):
        markers_item, pos = _decode_writable_txn_marker_v1(buf, pos, budget)
        markers.append(markers_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return WriteTxnMarkersRequest(markers), pos


def _decode_write_txn_markers_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[WriteTxnMarkersRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("WriteTxnMarkersRequest.markers")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("WriteTxnMarkersRequest.markers", n)
    budget[0] -= n
    markers = []
    for _ in range(n):
        markers_item, pos = _decode_writable_txn_marker_v2(buf, pos, budget)
        markers.append(markers_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return WriteTxnMarkersRequest(markers), pos


def _encode_writable_txn_marker_topic_v1(m: WritableTxnMarkerTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partition_indexes)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partition_indexes)
    w.append(0)


def _encode_writable_txn_marker_v1(m: WritableTxnMarker, w: bytearray) -> None:
    w += _write_qht(m.producer_id, m.producer_epoch, m.transaction_result)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_writable_txn_marker_topic_v1(topics_item, w)
    w += _write_ix(m.coordinator_epoch)


def _encode_writable_txn_marker_v2(m: WritableTxnMarker, w: bytearray) -> None:
    w += _write_qht(m.producer_id, m.producer_epoch, m.transaction_result)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_writable_txn_marker_topic_v1(topics_item, w)
    w += _write_ibx(m.coordinator_epoch, m.transaction_version)


def _encode_write_txn_markers_request_v1(m: WriteTxnMarkersRequest, w: bytearray) -> None:
    n = len(m.markers)
    put_uvarint(w, n + 1)
    for markers_item in m.markers:
        _encode_writable_txn_marker_v1(markers_item, w)
    w.append(0)


def _encode_write_txn_markers_request_v2(m: WriteTxnMarkersRequest, w: bytearray) -> None:
    n = len(m.markers)
    put_uvarint(w, n + 1)
    for markers_item in m.markers:
        _encode_writable_txn_marker_v2(markers_item, w)
    w.append(0)


_REQUEST_DECODERS = {1: _decode_write_txn_markers_request_v1, 2: _decode_write_txn_markers_request_v2}
_REQUEST_ENCODERS = {1: _encode_write_txn_markers_request_v1, 2: _encode_write_txn_markers_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> WriteTxnMarkersRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("WriteTxnMarkersRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("WriteTxnMarkersRequest", version, pos, len(buf))
    return message


def encode_request(message: WriteTxnMarkersRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("WriteTxnMarkersRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class WritableTxnMarkerPartitionResult(Message):
    __slots__ = ("partition_index", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class WritableTxnMarkerTopicResult(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[WritableTxnMarkerPartitionResult] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class WritableTxnMarkerResult(Message):
    __slots__ = ("producer_id", "topics")

    def __init__(
        self,
        producer_id: int = 0,
        topics: Sequence[WritableTxnMarkerTopicResult] = (),
    ) -> None:
        self.producer_id = producer_id
        self.topics = topics


class WriteTxnMarkersResponse(Message):
    __slots__ = ("markers",)

    def __init__(
        self,
        markers: Sequence[WritableTxnMarkerResult] = (),
    ) -> None:
        self.markers = markers


def _decode_writable_txn_marker_partition_result_v1(buf: Buffer, pos: int) -> tuple[WritableTxnMarkerPartitionResult, int]:
    partition_index, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n:
        pos = skip_tags(buf, pos, n)
    return WritableTxnMarkerPartitionResult(partition_index, error_code), pos


def _decode_writable_txn_marker_topic_result_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[WritableTxnMarkerTopicResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("WritableTxnMarkerTopicResult.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("WritableTxnMarkerTopicResult.partitions")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("WritableTxnMarkerTopicResult.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_writable_txn_marker_partition_result_v1(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return WritableTxnMarkerTopicResult(name, partitions), pos


def _decode_writable_txn_marker_result_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[WritableTxnMarkerResult, int]:
    producer_id, n = _read_qB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("WritableTxnMarkerResult.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("WritableTxnMarkerResult.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_writable_txn_marker_topic_result_v1(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return WritableTxnMarkerResult(producer_id, topics), pos


def _decode_write_txn_markers_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[WriteTxnMarkersResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("WriteTxnMarkersResponse.markers")
    n -= 1
    if n > budget[0] or n * 10 > len(buf) - pos:
        raise count_error("WriteTxnMarkersResponse.markers", n)
    budget[0] -= n
    markers = []
    for _ in range(n):
        markers_item, pos = _decode_writable_txn_marker_result_v1(buf, pos, budget)
        markers.append(markers_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return WriteTxnMarkersResponse(markers), pos


def _encode_writable_txn_marker_partition_result_v1(m: WritableTxnMarkerPartitionResult, w: bytearray) -> None:
    w += _write_ihx(m.partition_index, m.error_code)


def _encode_writable_txn_marker_topic_result_v1(m: WritableTxnMarkerTopicResult, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_writable_txn_marker_partition_result_v1(partitions_item, w)
    w.append(0)


def _encode_writable_txn_marker_result_v1(m: WritableTxnMarkerResult, w: bytearray) -> None:
    w += _write_q(m.producer_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_writable_txn_marker_topic_result_v1(topics_item, w)
    w.append(0)


def _encode_write_txn_markers_response_v1(m: WriteTxnMarkersResponse, w: bytearray) -> None:
    n = len(m.markers)
    put_uvarint(w, n + 1)
    for markers_item in m.markers:
        _encode_writable_txn_marker_result_v1(markers_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_write_txn_markers_response_v1, 2: _decode_write_txn_markers_response_v1}
_RESPONSE_ENCODERS = {1: _encode_write_txn_markers_response_v1, 2: _encode_write_txn_markers_response_v1}


def decode_response(buf: Buffer, pos: int, version: int) -> WriteTxnMarkersResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("WriteTxnMarkersResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("WriteTxnMarkersResponse", version, pos, len(buf))
    return message


def encode_response(message: WriteTxnMarkersResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("WriteTxnMarkersResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
