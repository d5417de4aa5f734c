"""DescribeLogDirs, API key 35: request and response in every version."""

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

API_KEY = 35
MIN_VERSION = 1
MAX_VERSION = 5
FLEXIBLE_VERSION = 2


_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ii = Struct(">ii").unpack_from
_read_iqqt = Struct(">iqq?").unpack_from
_write_iqqt = Struct(">iqq?").pack
_read_iqqtB = Struct(">iqq?B").unpack_from
_write_iqqtx = Struct(">iqq?x").pack
_read_qqtB = Struct(">qq?B").unpack_from
_write_qqtx = Struct(">qq?x").pack
_read_qqB = Struct(">qqB").unpack_from
_write_qqx = Struct(">qqx").pack


class DescribableLogDirTopic(Message):
    __slots__ = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class DescribeLogDirsRequest(Message):
    __slots__ = ("topics",)

    def __init__(
        self,
        topics: Sequence[DescribableLogDirTopic] | None = (),
    ) -> None:
        self.topics = topics


def _decode_describable_log_dir_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribableLogDirTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribableLogDirTopic.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribableLogDirTopic.partitions")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DescribableLogDirTopic.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return DescribableLogDirTopic(topic, partitions), pos


def _decode_describable_log_dir_topic_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribableLogDirTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribableLogDirTopic.topic")
    end = pos + n - 1
    topic = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribableLogDirTopic.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("DescribableLogDirTopic.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribableLogDirTopic(topic, partitions), pos


def _decode_describe_log_dirs_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsRequest, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    topics: list[DescribableLogDirTopic] | None
    if n < 0:
        topics = None
    else:
        if n > budget[0] or n * 6 > len(buf) - pos:
            raise count_error("DescribeLogDirsRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_describable_log_dir_topic_v1(buf, pos, budget)
            topics.append(topics_item)
    return DescribeLogDirsRequest(topics), pos


def _decode_describe_log_dirs_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topics: list[DescribableLogDirTopic] | None
    if not n:
        topics = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("DescribeLogDirsRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_describable_log_dir_topic_v2(buf, pos, budget)
            topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeLogDirsRequest(topics), pos


def _encode_describable_log_dir_topic_v1(m: DescribableLogDirTopic, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partitions)
    w += pack(f">i{n}i", n, *m.partitions)


def _encode_describable_log_dir_topic_v2(m: DescribableLogDirTopic, w: bytearray) -> None:
    put_compact_string(w, m.topic)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_describe_log_dirs_request_v1(m: DescribeLogDirsRequest, w: bytearray) -> None:
    if m.topics is None:
        w += NULL_INT32
    else:
        n = len(m.topics)
        w += _write_i(n)
        for topics_item in m.topics:
            _encode_describable_log_dir_topic_v1(topics_item, w)


def _encode_describe_log_dirs_request_v2(m: DescribeLogDirsRequest, w: bytearray) -> None:
    if m.topics is None:
        w.append(0)
    else:
        n = len(m.topics)
        put_uvarint(w, n + 1)
        for topics_item in m.topics:
            _encode_describable_log_dir_topic_v2(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {1: _decode_describe_log_dirs_request_v1, 2: _decode_describe_log_dirs_request_v2, 3: _decode_describe_log_dirs_request_v2, 4: _decode_describe_log_dirs_request_v2, 5: _decode_describe_log_dirs_request_v2}
_REQUEST_ENCODERS = {1: _encode_describe_log_dirs_request_v1, 2: _encode_describe_log_dirs_request_v2, 3: _encode_describe_log_dirs_request_v2, 4: _encode_describe_log_dirs_request_v2, 5: _encode_describe_log_dirs_request_v2}


def decode_request(buf: Buffer, pos: int, version: int) -> DescribeLogDirsRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeLogDirsRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("DescribeLogDirsRequest", version, pos, len(buf))
    return message


def encode_request(message: DescribeLogDirsRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("DescribeLogDirsRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class DescribeLogDirsPartition(Message):
    __slots__ = ("partition_index", "partition_size", "offset_lag", "is_future_key")

    def __init__(
        self,
        partition_index: int = 0,
        partition_size: int = 0,
        offset_lag: int = 0,
        is_future_key: bool = False,
    ) -> None:
        self.partition_index = partition_index
        self.partition_size = partition_size
        self.offset_lag = offset_lag
        self.is_future_key = is_future_key


class DescribeLogDirsTopic(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[DescribeLogDirsPartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class DescribeLogDirsResult(Message):
    __slots__ = ("error_code", "log_dir", "topics", "total_bytes", "usable_bytes", "is_cordoned")

    def __init__(
        self,
        error_code: int = 0,
        log_dir: str = "",
        topics: Sequence[DescribeLogDirsTopic] = (),
        total_bytes: int = -1,
        usable_bytes: int = -1,
        is_cordoned: bool = False,
    ) -> None:
        self.error_code = error_code
        self.log_dir = log_dir
        self.topics = topics
        self.total_bytes = total_bytes
        self.usable_bytes = usable_bytes
        self.is_cordoned = is_cordoned


class DescribeLogDirsResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results: Sequence[DescribeLogDirsResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results = results


def _decode_describe_log_dirs_partition_v1(buf: Buffer, pos: int) -> tuple[DescribeLogDirsPartition, int]:
    partition_index, partition_size, offset_lag, is_future_key = _read_iqqt(buf, pos)
    pos += 21
    return DescribeLogDirsPartition(partition_index, partition_size, offset_lag, is_future_key), pos


def _decode_describe_log_dirs_partition_v2(buf: Buffer, pos: int) -> tuple[DescribeLogDirsPartition, int]:
    partition_index, partition_size, offset_lag, is_future_key, n = _read_iqqtB(buf, pos)
    pos += 22
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeLogDirsPartition(partition_index, partition_size, offset_lag, is_future_key), pos


def _decode_describe_log_dirs_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("DescribeLogDirsTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribeLogDirsTopic.partitions")
    if n > budget[0] or n * 21 > len(buf) - pos:
        raise count_error("DescribeLogDirsTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_log_dirs_partition_v1(buf, pos)
        partitions.append(partitions_item)
    return DescribeLogDirsTopic(name, partitions), pos


def _decode_describe_log_dirs_topic_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsTopic.partitions")
    n -= 1
    if n > budget[0] or n * 22 > len(buf) - pos:
        raise count_error("DescribeLogDirsTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_describe_log_dirs_partition_v2(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeLogDirsTopic(name, partitions), pos


def _decode_describe_log_dirs_result_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsResult, int]:
    error_code, n = _read_hh(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribeLogDirsResult.log_dir")
    end = pos + n
    log_dir = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("DescribeLogDirsResult.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("DescribeLogDirsResult.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_describe_log_dirs_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    return DescribeLogDirsResult(error_code, log_dir, topics, -1, -1, False), pos


def _decode_describe_log_dirs_result_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsResult, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsResult.log_dir")
    end = pos + n - 1
    log_dir = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsResult.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribeLogDirsResult.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_describe_log_dirs_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeLogDirsResult(error_code, log_dir, topics, -1, -1, False), pos


def _decode_describe_log_dirs_result_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsResult, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsResult.log_dir")
    end = pos + n - 1
    log_dir = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsResult.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribeLogDirsResult.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_describe_log_dirs_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    total_bytes, usable_bytes, n = _read_qqB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeLogDirsResult(error_code, log_dir, topics, total_bytes, usable_bytes, False), pos


def _decode_describe_log_dirs_result_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsResult, int]:
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsResult.log_dir")
    end = pos + n - 1
    log_dir = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsResult.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("DescribeLogDirsResult.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_describe_log_dirs_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    total_bytes, usable_bytes, is_cordoned, n = _read_qqtB(buf, pos)
    pos += 18
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeLogDirsResult(error_code, log_dir, topics, total_bytes, usable_bytes, is_cordoned), pos


def _decode_describe_log_dirs_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("DescribeLogDirsResponse.results")
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("DescribeLogDirsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_describe_log_dirs_result_v1(buf, pos, budget)
        results.append(results_item)
    return DescribeLogDirsResponse(throttle_time_ms, 0, results), pos


def _decode_describe_log_dirs_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsResponse.results")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("DescribeLogDirsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_describe_log_dirs_result_v2(buf, pos, budget)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeLogDirsResponse(throttle_time_ms, 0, results), pos


def _decode_describe_log_dirs_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsResponse.results")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("DescribeLogDirsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_describe_log_dirs_result_v2(buf, pos, budget)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeLogDirsResponse(throttle_time_ms, error_code, results), pos


def _decode_describe_log_dirs_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsResponse.results")
    n -= 1
    if n > budget[0] or n * 21 > len(buf) - pos:
        raise count_error("DescribeLogDirsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_describe_log_dirs_result_v4(buf, pos, budget)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeLogDirsResponse(throttle_time_ms, error_code, results), pos


def _decode_describe_log_dirs_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[DescribeLogDirsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("DescribeLogDirsResponse.results")
    n -= 1
    if n > budget[0] or n * 22 > len(buf) - pos:
        raise count_error("DescribeLogDirsResponse.results", n)
    budget[0] -= n
    results = []
    for _ in range(n):
        results_item, pos = _decode_describe_log_dirs_result_v5(buf, pos, budget)
        results.append(results_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return DescribeLogDirsResponse(throttle_time_ms, error_code, results), pos


def _encode_describe_log_dirs_partition_v1(m: DescribeLogDirsPartition, w: bytearray) -> None:
    w += _write_iqqt(m.partition_index, m.partition_size, m.offset_lag, m.is_future_key)


def _encode_describe_log_dirs_partition_v2(m: DescribeLogDirsPartition, w: bytearray) -> None:
    w += _write_iqqtx(m.partition_index, m.partition_size, m.offset_lag, m.is_future_key)


def _encode_describe_log_dirs_topic_v1(m: DescribeLogDirsTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_describe_log_dirs_partition_v1(partitions_item, w)


def _encode_describe_log_dirs_topic_v2(m: DescribeLogDirsTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_describe_log_dirs_partition_v2(partitions_item, w)
    w.append(0)


def _encode_describe_log_dirs_result_v1(m: DescribeLogDirsResult, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_string(w, m.log_dir)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_describe_log_dirs_topic_v1(topics_item, w)


def _encode_describe_log_dirs_result_v2(m: DescribeLogDirsResult, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_string(w, m.log_dir)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_describe_log_dirs_topic_v2(topics_item, w)
    w.append(0)


def _encode_describe_log_dirs_result_v4(m: DescribeLogDirsResult, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_string(w, m.log_dir)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_describe_log_dirs_topic_v2(topics_item, w)
    w += _write_qqx(m.total_bytes, m.usable_bytes)


def _encode_describe_log_dirs_result_v5(m: DescribeLogDirsResult, w: bytearray) -> None:
    w += _write_h(m.error_code)
    put_compact_string(w, m.log_dir)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_describe_log_dirs_topic_v2(topics_item, w)
    w += _write_qqtx(m.total_bytes, m.usable_bytes, m.is_cordoned)


def _encode_describe_log_dirs_response_v1(m: DescribeLogDirsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    w += _write_i(n)
    for results_item in m.results:
        _encode_describe_log_dirs_result_v1(results_item, w)


def _encode_describe_log_dirs_response_v2(m: DescribeLogDirsResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_describe_log_dirs_result_v2(results_item, w)
    w.append(0)


def _encode_describe_log_dirs_response_v3(m: DescribeLogDirsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_describe_log_dirs_result_v2(results_item, w)
    w.append(0)


def _encode_describe_log_dirs_response_v4(m: DescribeLogDirsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_describe_log_dirs_result_v4(results_item, w)
    w.append(0)


def _encode_describe_log_dirs_response_v5(m: DescribeLogDirsResponse, w: bytearray) -> None:
    w += _write_ih(m.throttle_time_ms, m.error_code)
    n = len(m.results)
    put_uvarint(w, n + 1)
    for results_item in m.results:
        _encode_describe_log_dirs_result_v5(results_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_describe_log_dirs_response_v1, 2: _decode_describe_log_dirs_response_v2, 3: _decode_describe_log_dirs_response_v3, 4: _decode_describe_log_dirs_response_v4, 5: _decode_describe_log_dirs_response_v5}
_RESPONSE_ENCODERS = {1: _encode_describe_log_dirs_response_v1, 2: _encode_describe_log_dirs_response_v2, 3: _encode_describe_log_dirs_response_v3, 4: _encode_describe_log_dirs_response_v4, 5: _encode_describe_log_dirs_response_v5}


def decode_response(buf: Buffer, pos: int, version: int) -> DescribeLogDirsResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("DescribeLogDirsResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("DescribeLogDirsResponse", version, pos, len(buf))
    return message


def encode_response(message: DescribeLogDirsResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("DescribeLogDirsResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
