"""AssignReplicasToDirs, API key 73: request and response in every version."""

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
    ZERO_UUID,
    count_error,
    malformed,
    null_error,
    skip_tags,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Buffer, Parts

API_KEY = 73
MIN_VERSION = 0
MAX_VERSION = 0
FLEXIBLE_VERSION = 0


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ihx = Struct(">ihx").pack
_write_iq = Struct(">iq").pack
_read_iqB = Struct(">iqB").unpack_from
_write_ix = Struct(">ix").pack


class AssignReplicasToDirsRequestPartitionData(Message):
    __slots__ = ("partition_index",)

    def __init__(
        self,
        partition_index: int = 0,
    ) -> None:
        self.partition_index = partition_index


class AssignReplicasToDirsRequestTopicData(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[AssignReplicasToDirsRequestPartitionData] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class AssignReplicasToDirsRequestDirectoryData(Message):
    __slots__ = ("id", "topics")

    def __init__(
        self,
        id: bytes = ZERO_UUID,
        topics: Sequence[AssignReplicasToDirsRequestTopicData] = (),
    ) -> None:
        self.id = id
        self.topics = topics


class AssignReplicasToDirsRequest(Message):
    __slots__ = ("broker_id", "broker_epoch", "directories")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        directories: Sequence[AssignReplicasToDirsRequestDirectoryData] = (),
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.directories = directories


def _decode_assign_replicas_to_dirs_request_partition_data_v0(buf: Buffer, pos: int) -> tuple[AssignReplicasToDirsRequestPartitionData, int]:
    partition_index, n = _read_iB(buf, pos)
    pos += 5
    if n:
        pos = skip_tags(buf, pos, n)
    return AssignReplicasToDirsRequestPartitionData(partition_index), pos


def _decode_assign_replicas_to_dirs_request_topic_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AssignReplicasToDirsRequestTopicData, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
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
        partitions_item, pos = _decode_assign_replicas_to_dirs_request_partition_data_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AssignReplicasToDirsRequestTopicData(topic_id, partitions), pos


def _decode_assign_replicas_to_dirs_request_directory_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AssignReplicasToDirsRequestDirectoryData, int]:
    id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DirectoryData.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("DirectoryData.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_assign_replicas_to_dirs_request_topic_data_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AssignReplicasToDirsRequestDirectoryData(id, topics), pos


def _decode_assign_replicas_to_dirs_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AssignReplicasToDirsRequest, int]:
    broker_id, broker_epoch, n = _read_iqB(buf, pos)
    pos += 13
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AssignReplicasToDirsRequest.directories")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("AssignReplicasToDirsRequest.directories", n)
    budget[0] -= n
    directories = []
    for _ in range(n):
        directories_item, pos = _decode_assign_replicas_to_dirs_request_directory_data_v0(buf, pos, budget)
        directories.append(directories_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AssignReplicasToDirsRequest(broker_id, broker_epoch, directories), pos


def _encode_assign_replicas_to_dirs_request_partition_data_v0(m: AssignReplicasToDirsRequestPartitionData, w: bytearray) -> None:
    w += _write_ix(m.partition_index)


def _encode_assign_replicas_to_dirs_request_topic_data_v0(m: AssignReplicasToDirsRequestTopicData, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_assign_replicas_to_dirs_request_partition_data_v0(partitions_item, w)
    w.append(0)


def _encode_assign_replicas_to_dirs_request_directory_data_v0(m: AssignReplicasToDirsRequestDirectoryData, w: bytearray) -> None:
    w += _write_u(m.id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_assign_replicas_to_dirs_request_topic_data_v0(topics_item, w)
    w.append(0)


def _encode_assign_replicas_to_dirs_request_v0(m: AssignReplicasToDirsRequest, w: bytearray) -> None:
    w += _write_iq(m.broker_id, m.broker_epoch)
    n = len(m.directories)
    put_uvarint(w, n + 1)
    for directories_item in m.directories:
        _encode_assign_replicas_to_dirs_request_directory_data_v0(directories_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_assign_replicas_to_dirs_request_v0}
_REQUEST_ENCODERS = {0: _encode_assign_replicas_to_dirs_request_v0}


def decode_request(buf: Buffer, pos: int, version: int) -> AssignReplicasToDirsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AssignReplicasToDirsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("AssignReplicasToDirsRequest", version, pos, len(buf))
    return message


def encode_request(message: AssignReplicasToDirsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("AssignReplicasToDirsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AssignReplicasToDirsResponsePartitionData(Message):
    __slots__ = ("partition_index", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class AssignReplicasToDirsResponseTopicData(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[AssignReplicasToDirsResponsePartitionData] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class AssignReplicasToDirsResponseDirectoryData(Message):
    __slots__ = ("id", "topics")

    def __init__(
        self,
        id: bytes = ZERO_UUID,
        topics: Sequence[AssignReplicasToDirsResponseTopicData] = (),
    ) -> None:
        self.id = id
        self.topics = topics


class AssignReplicasToDirsResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "directories")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        directories: Sequence[AssignReplicasToDirsResponseDirectoryData] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.directories = directories


def _decode_assign_replicas_to_dirs_response_partition_data_v0(buf: Buffer, pos: int) -> tuple[AssignReplicasToDirsResponsePartitionData, int]:
    partition_index, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n:
        pos = skip_tags(buf, pos, n)
    return AssignReplicasToDirsResponsePartitionData(partition_index, error_code), pos


def _decode_assign_replicas_to_dirs_response_topic_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AssignReplicasToDirsResponseTopicData, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicData.partitions")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("TopicData.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_assign_replicas_to_dirs_response_partition_data_v0(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AssignReplicasToDirsResponseTopicData(topic_id, partitions), pos


def _decode_assign_replicas_to_dirs_response_directory_data_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AssignReplicasToDirsResponseDirectoryData, int]:
    id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DirectoryData.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("DirectoryData.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_assign_replicas_to_dirs_response_topic_data_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AssignReplicasToDirsResponseDirectoryData(id, topics), pos


def _decode_assign_replicas_to_dirs_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[AssignReplicasToDirsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AssignReplicasToDirsResponse.directories")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("AssignReplicasToDirsResponse.directories", n)
    budget[0] -= n
    directories = []
    for _ in range(n):
        directories_item, pos = _decode_assign_replicas_to_dirs_response_directory_data_v0(buf, pos, budget)
        directories.append(directories_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AssignReplicasToDirsResponse(throttle_time_ms, error_code, directories), pos


def _encode_assign_replicas_to_dirs_response_partition_data_v0(m: AssignReplicasToDirsResponsePartitionData, w: bytearray) -> None:
    w += _write_ihx(m.partition_index, m.error_code)


def _encode_assign_replicas_to_dirs_response_topic_data_v0(m: AssignReplicasToDirsResponseTopicData, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_assign_replicas_to_dirs_response_partition_data_v0(partitions_item, w)
    w.append(0)


def _encode_assign_replicas_to_dirs_response_directory_data_v0(m: AssignReplicasToDirsResponseDirectoryData, w: bytearray) -> None:
    w += _write_u(m.id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_assign_replicas_to_dirs_response_topic_data_v0(topics_item, w)
    w.append(0)


def _encode_assign_replicas_to_dirs_response_v0(m: AssignReplicasToDirsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.directories)
    put_uvarint(w, n + 1)
    for directories_item in m.directories:
        _encode_assign_replicas_to_dirs_response_directory_data_v0(directories_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_assign_replicas_to_dirs_response_v0}
_RESPONSE_ENCODERS = {0: _encode_assign_replicas_to_dirs_response_v0}


def decode_response(buf: Buffer, pos: int, version: int) -> AssignReplicasToDirsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AssignReplicasToDirsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("AssignReplicasToDirsResponse", version, pos, len(buf))
    return message


def encode_response(message: AssignReplicasToDirsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("AssignReplicasToDirsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
