"""AlterReplicaLogDirs, API key 34: request and response in every version."""

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

API_KEY = 34
MIN_VERSION = 1
MAX_VERSION = 2
FLEXIBLE_VERSION = 2


_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ihx = Struct(">ihx").pack
_read_ii = Struct(">ii").unpack_from


class AlterReplicaLogDirTopic(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class AlterReplicaLogDir(Message):
    __slots__ = ("path", "topics")

    def __init__(
        self,
        path: str = "",
        topics: Sequence[AlterReplicaLogDirTopic] = (),
    ) -> None:
        self.path = path
        self.topics = topics


class AlterReplicaLogDirsRequest(Message):
    __slots__ = ("dirs",)

    def __init__(
        self,
        dirs: Sequence[AlterReplicaLogDir] = (),
    ) -> None:
        self.dirs = dirs


def _decode_alter_replica_log_dir_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterReplicaLogDirTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("AlterReplicaLogDirTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("AlterReplicaLogDirTopic.partitions")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("AlterReplicaLogDirTopic.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return AlterReplicaLogDirTopic(name, partitions), pos


def _decode_alter_replica_log_dir_topic_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterReplicaLogDirTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AlterReplicaLogDirTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterReplicaLogDirTopic.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("AlterReplicaLogDirTopic.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterReplicaLogDirTopic(name, partitions), pos


def _decode_alter_replica_log_dir_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterReplicaLogDir, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("AlterReplicaLogDir.path")
    end = pos + n
    path = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("AlterReplicaLogDir.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("AlterReplicaLogDir.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_alter_replica_log_dir_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    return AlterReplicaLogDir(path, topics), pos


def _decode_alter_replica_log_dir_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterReplicaLogDir, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AlterReplicaLogDir.path")
    end = pos + n - 1
    path = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterReplicaLogDir.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AlterReplicaLogDir.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_alter_replica_log_dir_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterReplicaLogDir(path, topics), pos


def _decode_alter_replica_log_dirs_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterReplicaLogDirsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("AlterReplicaLogDirsRequest.dirs")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("AlterReplicaLogDirsRequest.dirs", n)
    budget[0] -= n
    dirs = []
    for _ in range(n):
        dirs_item, pos = _decode_alter_replica_log_dir_v1(buf, pos, budget)
        dirs.append(dirs_item)
    return AlterReplicaLogDirsRequest(dirs), pos


def _decode_alter_replica_log_dirs_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterReplicaLogDirsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterReplicaLogDirsRequest.dirs")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AlterReplicaLogDirsRequest.dirs", n)
    budget[0] -= n
    dirs = []
    for _ in range(n):
        dirs_item, pos = _decode_alter_replica_log_dir_v2(buf, pos, budget)
        dirs.append(dirs_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterReplicaLogDirsRequest(dirs), pos


def _encode_alter_replica_log_dir_topic_v1(m: AlterReplicaLogDirTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += pack(f">i{n}i", n, *m.partitions)


def _encode_alter_replica_log_dir_topic_v2(m: AlterReplicaLogDirTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_alter_replica_log_dir_v1(m: AlterReplicaLogDir, w: bytearray) -> None:
    put_string(w, m.path)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_alter_replica_log_dir_topic_v1(topics_item, w)


def _encode_alter_replica_log_dir_v2(m: AlterReplicaLogDir, w: bytearray) -> None:
    put_compact_string(w, m.path)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_alter_replica_log_dir_topic_v2(topics_item, w)
    w.append(0)


def _encode_alter_replica_log_dirs_request_v1(m: AlterReplicaLogDirsRequest, w: bytearray) -> None:
    n = len(m.dirs)
    w += _write_i(n)
    for dirs_item in m.dirs:
        _encode_alter_replica_log_dir_v1(dirs_item, w)


def _encode_alter_replica_log_dirs_request_v2(m: AlterReplicaLogDirsRequest, w: bytearray) -> None:
    n = len(m.dirs)
    put_uvarint(w, n + 1)
    for dirs_item in m.dirs:
        _encode_alter_replica_log_dir_v2(dirs_item, w)
    w.append(0)


_REQUEST_DECODERS = {1: _decode_alter_replica_log_dirs_request_v1, 2: _decode_alter_replica_log_dirs_request_v2}
_REQUEST_ENCODERS = {1: _encode_alter_replica_log_dirs_request_v1, 2: _encode_alter_replica_log_dirs_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> AlterReplicaLogDirsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterReplicaLogDirsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("AlterReplicaLogDirsRequest", version, pos, len(buf))
    return message


def encode_request(message: AlterReplicaLogDirsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("AlterReplicaLogDirsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class AlterReplicaLogDirPartitionResult(Message):
    __slots__ = ("partition_index", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class AlterReplicaLogDirTopicResult(Message):
    __slots__ = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: Sequence[AlterReplicaLogDirPartitionResult] = (),
    ) -> None:
        self.topic_name = topic_name
        self.partitions = partitions


class AlterReplicaLogDirsResponse(Message):
    __slots__ = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: Sequence[AlterReplicaLogDirTopicResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results


def _decode_alter_replica_log_dir_partition_result_v1(buf: Buffer, pos: int) -> tuple[AlterReplicaLogDirPartitionResult, int]:
    partition_index, error_code = _read_ih(buf, pos)
    pos += 6
    return AlterReplicaLogDirPartitionResult(partition_index, error_code), pos


def _decode_alter_replica_log_dir_partition_result_v2(buf: Buffer, pos: int) -> tuple[AlterReplicaLogDirPartitionResult, int]:
    partition_index, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterReplicaLogDirPartitionResult(partition_index, error_code), pos


def _decode_alter_replica_log_dir_topic_result_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterReplicaLogDirTopicResult, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("AlterReplicaLogDirTopicResult.topic_name")
    end = pos + n
    topic_name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("AlterReplicaLogDirTopicResult.partitions")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("AlterReplicaLogDirTopicResult.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_alter_replica_log_dir_partition_result_v1(buf, pos)
        partitions.append(partitions_item)
    return AlterReplicaLogDirTopicResult(topic_name, partitions), pos


def _decode_alter_replica_log_dir_topic_result_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterReplicaLogDirTopicResult, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("AlterReplicaLogDirTopicResult.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterReplicaLogDirTopicResult.partitions")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("AlterReplicaLogDirTopicResult.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_alter_replica_log_dir_partition_result_v2(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterReplicaLogDirTopicResult(topic_name, partitions), pos


def _decode_alter_replica_log_dirs_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterReplicaLogDirsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("AlterReplicaLogDirsResponse.results")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("AlterReplicaLogDirsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_alter_replica_log_dir_topic_result_v1(buf, pos, budget)
        results.append(results_item)
    return AlterReplicaLogDirsResponse(throttle_time_ms, results), pos


def _decode_alter_replica_log_dirs_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[AlterReplicaLogDirsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("AlterReplicaLogDirsResponse.results")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("AlterReplicaLogDirsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_alter_replica_log_dir_topic_result_v2(buf, pos, budget)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return AlterReplicaLogDirsResponse(throttle_time_ms, results), pos


def _encode_alter_replica_log_dir_partition_result_v1(m: AlterReplicaLogDirPartitionResult, w: bytearray) -> None:
    w += _write_ih(m.partition_index, m.error_code)


def _encode_alter_replica_log_dir_partition_result_v2(m: AlterReplicaLogDirPartitionResult, w: bytearray) -> None:
    w += _write_ihx(m.partition_index, m.error_code)


def _encode_alter_replica_log_dir_topic_result_v1(m: AlterReplicaLogDirTopicResult, w: bytearray) -> None:
    put_string(w, m.topic_name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_alter_replica_log_dir_partition_result_v1(partitions_item, w)


def _encode_alter_replica_log_dir_topic_result_v2(m: AlterReplicaLogDirTopicResult, w: bytearray) -> None:
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_alter_replica_log_dir_partition_result_v2(partitions_item, w)
    w.append(0)


def _encode_alter_replica_log_dirs_response_v1(m: AlterReplicaLogDirsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    w += _write_i(n)
    for results_item in m.results:
        _encode_alter_replica_log_dir_topic_result_v1(results_item, w)


def _encode_alter_replica_log_dirs_response_v2(m: AlterReplicaLogDirsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_alter_replica_log_dir_topic_result_v2(results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_alter_replica_log_dirs_response_v1, 2: _decode_alter_replica_log_dirs_response_v2}
_RESPONSE_ENCODERS = {1: _encode_alter_replica_log_dirs_response_v1, 2: _encode_alter_replica_log_dirs_response_v2}


def decode_response(buf: Buffer, pos: int, version: int) -> AlterReplicaLogDirsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("AlterReplicaLogDirsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("AlterReplicaLogDirsResponse", version, pos, len(buf))
    return message


def encode_response(message: AlterReplicaLogDirsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("AlterReplicaLogDirsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
