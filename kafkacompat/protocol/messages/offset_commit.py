"""OffsetCommit, API key 8: request and response in every version."""

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

API_KEY = 8
MIN_VERSION = 2
MAX_VERSION = 10
FLEXIBLE_VERSION = 8


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_write_ihx = Struct(">ihx").pack
_read_ii = Struct(">ii").unpack_from
_write_iq = Struct(">iq").pack
_read_iqh = Struct(">iqh").unpack_from
_write_iqi = Struct(">iqi").pack
_read_iqiB = Struct(">iqiB").unpack_from
_read_iqih = Struct(">iqih").unpack_from
_write_q = Struct(">q").pack
_read_qi = Struct(">qi").unpack_from


class OffsetCommitRequestPartition(Message):
    __slots__ = ("partition_index", "committed_offset", "committed_leader_epoch", "committed_metadata")

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        committed_metadata: str | None = "",
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.committed_metadata = committed_metadata


class OffsetCommitRequestTopic(Message):
    __slots__ = ("name", "topic_id", "partitions")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[OffsetCommitRequestPartition] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions


class OffsetCommitRequest(Message):
    __slots__ = ("group_id", "generation_id_or_member_epoch", "member_id", "group_instance_id", "retention_time_ms", "topics")

    def __init__(
        self,
        group_id: str = "",
        generation_id_or_member_epoch: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        retention_time_ms: int = -1,
        topics: Sequence[OffsetCommitRequestTopic] = (),
    ) -> None:
        self.group_id = group_id
        self.generation_id_or_member_epoch = generation_id_or_member_epoch
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.retention_time_ms = retention_time_ms
        self.topics = topics


def _decode_offset_commit_request_partition_v2(buf: Buffer, pos: int) -> tuple[OffsetCommitRequestPartition, int]:
    partition_index, committed_offset, n = _read_iqh(buf, pos)
    pos += 14
    committed_metadata: str | None
    if n < 0:
        committed_metadata = None
    else:
        end = pos + n
        committed_metadata = buf[pos:end].decode()
        pos = end
    return OffsetCommitRequestPartition(partition_index, committed_offset, -1, committed_metadata), pos


def _decode_offset_commit_request_partition_v6(buf: Buffer, pos: int) -> tuple[OffsetCommitRequestPartition, int]:
    partition_index, committed_offset, committed_leader_epoch, n = _read_iqih(buf, pos)
    pos += 18
    committed_metadata: str | None
    if n < 0:
        committed_metadata = None
    else:
        end = pos + n
        committed_metadata = buf[pos:end].decode()
        pos = end
    return OffsetCommitRequestPartition(partition_index, committed_offset, committed_leader_epoch, committed_metadata), pos


def _decode_offset_commit_request_partition_v8(buf: Buffer, pos: int) -> tuple[OffsetCommitRequestPartition, int]:
    partition_index, committed_offset, committed_leader_epoch, n = _read_iqiB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    committed_metadata: str | None
    if not n:
        committed_metadata = None
    else:
        end = pos + n - 1
        committed_metadata = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetCommitRequestPartition(partition_index, committed_offset, committed_leader_epoch, committed_metadata), pos


def _decode_offset_commit_request_topic_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitRequestTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetCommitRequestTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetCommitRequestTopic.partitions")
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("OffsetCommitRequestTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_request_partition_v2(buf, pos)
        partitions.append(partitions_item)
    return OffsetCommitRequestTopic(name, ZERO_UUID, partitions), pos


def _decode_offset_commit_request_topic_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitRequestTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetCommitRequestTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetCommitRequestTopic.partitions")
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("OffsetCommitRequestTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_request_partition_v6(buf, pos)
        partitions.append(partitions_item)
    return OffsetCommitRequestTopic(name, ZERO_UUID, partitions), pos


def _decode_offset_commit_request_topic_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitRequestTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitRequestTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitRequestTopic.partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("OffsetCommitRequestTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_request_partition_v8(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetCommitRequestTopic(name, ZERO_UUID, partitions), pos


def _decode_offset_commit_request_topic_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitRequestTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitRequestTopic.partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("OffsetCommitRequestTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_request_partition_v8(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetCommitRequestTopic("", topic_id, partitions), pos


def _decode_offset_commit_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetCommitRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    generation_id_or_member_epoch, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("OffsetCommitRequest.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    retention_time_ms, n = _read_qi(buf, pos)
    pos += 12
    if n < 0:
        raise null_error("OffsetCommitRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetCommitRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_request_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    return OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, None, retention_time_ms, topics), pos


def _decode_offset_commit_request_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetCommitRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    generation_id_or_member_epoch, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("OffsetCommitRequest.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetCommitRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetCommitRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_request_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    return OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, None, -1, topics), pos


def _decode_offset_commit_request_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetCommitRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    generation_id_or_member_epoch, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("OffsetCommitRequest.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetCommitRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetCommitRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_request_topic_v6(buf, pos, budget)
        topics.append(topics_item)
    return OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, None, -1, topics), pos


def _decode_offset_commit_request_v7(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetCommitRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    generation_id_or_member_epoch, n = _read_ih(buf, pos)
    pos += 6
    if n < 0:
        raise null_error("OffsetCommitRequest.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    group_instance_id: str | None
    if n < 0:
        group_instance_id = None
    else:
        end = pos + n
        group_instance_id = buf[pos:end].decode()
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetCommitRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetCommitRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_request_topic_v6(buf, pos, budget)
        topics.append(topics_item)
    return OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, group_instance_id, -1, topics), pos


def _decode_offset_commit_request_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    generation_id_or_member_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitRequest.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    group_instance_id: str | None
    if not n:
        group_instance_id = None
    else:
        end = pos + n - 1
        group_instance_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("OffsetCommitRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_request_topic_v8(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, group_instance_id, -1, topics), pos


def _decode_offset_commit_request_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    generation_id_or_member_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitRequest.member_id")
    end = pos + n - 1
    member_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    group_instance_id: str | None
    if not n:
        group_instance_id = None
    else:
        end = pos + n - 1
        group_instance_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("OffsetCommitRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_request_topic_v10(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, group_instance_id, -1, topics), pos


def _encode_offset_commit_request_partition_v2(m: OffsetCommitRequestPartition, w: bytearray) -> None:
    w += _write_iq(m.partition_index, m.committed_offset)
    put_nullable_string(w, m.committed_metadata)


def _encode_offset_commit_request_partition_v6(m: OffsetCommitRequestPartition, w: bytearray) -> None:
    w += _write_iqi(m.partition_index, m.committed_offset, m.committed_leader_epoch)
    put_nullable_string(w, m.committed_metadata)


def _encode_offset_commit_request_partition_v8(m: OffsetCommitRequestPartition, w: bytearray) -> None:
    w += _write_iqi(m.partition_index, m.committed_offset, m.committed_leader_epoch)
    put_compact_nullable_string(w, m.committed_metadata)
    w.append(0)


def _encode_offset_commit_request_topic_v2(m: OffsetCommitRequestTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_offset_commit_request_partition_v2(partitions_item, w)


def _encode_offset_commit_request_topic_v6(m: OffsetCommitRequestTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_offset_commit_request_partition_v6(partitions_item, w)


def _encode_offset_commit_request_topic_v8(m: OffsetCommitRequestTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_offset_commit_request_partition_v8(partitions_item, w)
    w.append(0)


def _encode_offset_commit_request_topic_v10(m: OffsetCommitRequestTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_offset_commit_request_partition_v8(partitions_item, w)
    w.append(0)


def _encode_offset_commit_request_v2(m: OffsetCommitRequest, w: bytearray) -> None:
    if m.group_instance_id is not None:
        raise UnsupportedFieldError("OffsetCommitRequest.group_instance_id", "7+")
    put_string(w, m.group_id)
    w += _write_i(m.generation_id_or_member_epoch)
    put_string(w, m.member_id)
    w += _write_q(m.retention_time_ms)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_commit_request_topic_v2(topics_item, w)


def _encode_offset_commit_request_v5(m: OffsetCommitRequest, w: bytearray) -> None:
    if m.group_instance_id is not None:
        raise UnsupportedFieldError("OffsetCommitRequest.group_instance_id", "7+")
    put_string(w, m.group_id)
    w += _write_i(m.generation_id_or_member_epoch)
    put_string(w, m.member_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_commit_request_topic_v2(topics_item, w)


def _encode_offset_commit_request_v6(m: OffsetCommitRequest, w: bytearray) -> None:
    if m.group_instance_id is not None:
        raise UnsupportedFieldError("OffsetCommitRequest.group_instance_id", "7+")
    put_string(w, m.group_id)
    w += _write_i(m.generation_id_or_member_epoch)
    put_string(w, m.member_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_commit_request_topic_v6(topics_item, w)


def _encode_offset_commit_request_v7(m: OffsetCommitRequest, w: bytearray) -> None:
    put_string(w, m.group_id)
    w += _write_i(m.generation_id_or_member_epoch)
    put_string(w, m.member_id)
    put_nullable_string(w, m.group_instance_id)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_commit_request_topic_v6(topics_item, w)


def _encode_offset_commit_request_v8(m: OffsetCommitRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    w += _write_i(m.generation_id_or_member_epoch)
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_offset_commit_request_topic_v8(topics_item, w)
    w.append(0)


def _encode_offset_commit_request_v10(m: OffsetCommitRequest, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    w += _write_i(m.generation_id_or_member_epoch)
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_offset_commit_request_topic_v10(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {2: _decode_offset_commit_request_v2, 3: _decode_offset_commit_request_v2, 4: _decode_offset_commit_request_v2, 5: _decode_offset_commit_request_v5, 6: _decode_offset_commit_request_v6, 7: _decode_offset_commit_request_v7, 8: _decode_offset_commit_request_v8, 9: _decode_offset_commit_request_v8, 10: _decode_offset_commit_request_v10}
_REQUEST_ENCODERS = {2: _encode_offset_commit_request_v2, 3: _encode_offset_commit_request_v2, 4: _encode_offset_commit_request_v2, 5: _encode_offset_commit_request_v5, 6: _encode_offset_commit_request_v6, 7: _encode_offset_commit_request_v7, 8: _encode_offset_commit_request_v8, 9: _encode_offset_commit_request_v8, 10: _encode_offset_commit_request_v10}


def decode_request(buf: Buffer, pos: int, version: int) -> OffsetCommitRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("OffsetCommitRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("OffsetCommitRequest", version, pos, len(buf))
    return message


def encode_request(message: OffsetCommitRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("OffsetCommitRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class OffsetCommitResponsePartition(Message):
    __slots__ = ("partition_index", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class OffsetCommitResponseTopic(Message):
    __slots__ = ("name", "topic_id", "partitions")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[OffsetCommitResponsePartition] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions


class OffsetCommitResponse(Message):
    __slots__ = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[OffsetCommitResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _decode_offset_commit_response_partition_v2(buf: Buffer, pos: int) -> tuple[OffsetCommitResponsePartition, int]:
    partition_index, error_code = _read_ih(buf, pos)
    pos += 6
    return OffsetCommitResponsePartition(partition_index, error_code), pos


def _decode_offset_commit_response_partition_v8(buf: Buffer, pos: int) -> tuple[OffsetCommitResponsePartition, int]:
    partition_index, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetCommitResponsePartition(partition_index, error_code), pos


def _decode_offset_commit_response_topic_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitResponseTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetCommitResponseTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetCommitResponseTopic.partitions")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetCommitResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_response_partition_v2(buf, pos)
        partitions.append(partitions_item)
    return OffsetCommitResponseTopic(name, ZERO_UUID, partitions), pos


def _decode_offset_commit_response_topic_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitResponseTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitResponseTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("OffsetCommitResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_response_partition_v8(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetCommitResponseTopic(name, ZERO_UUID, partitions), pos


def _decode_offset_commit_response_topic_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitResponseTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("OffsetCommitResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_commit_response_partition_v8(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetCommitResponseTopic("", topic_id, partitions), pos


def _decode_offset_commit_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitResponse, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetCommitResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetCommitResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_response_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    return OffsetCommitResponse(0, topics), pos


def _decode_offset_commit_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("OffsetCommitResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetCommitResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_response_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    return OffsetCommitResponse(throttle_time_ms, topics), pos


def _decode_offset_commit_response_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("OffsetCommitResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_response_topic_v8(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetCommitResponse(throttle_time_ms, topics), pos


def _decode_offset_commit_response_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetCommitResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitResponse.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("OffsetCommitResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_commit_response_topic_v10(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetCommitResponse(throttle_time_ms, topics), pos


def _encode_offset_commit_response_partition_v2(m: OffsetCommitResponsePartition, w: bytearray) -> None:
    w += _write_ih(m.partition_index, m.error_code)


def _encode_offset_commit_response_partition_v8(m: OffsetCommitResponsePartition, w: bytearray) -> None:
    w += _write_ihx(m.partition_index, m.error_code)


def _encode_offset_commit_response_topic_v2(m: OffsetCommitResponseTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_offset_commit_response_partition_v2(partitions_item, w)


def _encode_offset_commit_response_topic_v8(m: OffsetCommitResponseTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_offset_commit_response_partition_v8(partitions_item, w)
    w.append(0)


def _encode_offset_commit_response_topic_v10(m: OffsetCommitResponseTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_offset_commit_response_partition_v8(partitions_item, w)
    w.append(0)


def _encode_offset_commit_response_v2(m: OffsetCommitResponse, w: bytearray) -> None:
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_commit_response_topic_v2(topics_item, w)


def _encode_offset_commit_response_v3(m: OffsetCommitResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_commit_response_topic_v2(topics_item, w)


def _encode_offset_commit_response_v8(m: OffsetCommitResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_offset_commit_response_topic_v8(topics_item, w)
    w.append(0)


def _encode_offset_commit_response_v10(m: OffsetCommitResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_offset_commit_response_topic_v10(topics_item, w)
    w.append(0)


_RESPONSE_DECODERS = {2: _decode_offset_commit_response_v2, 3: _decode_offset_commit_response_v3, 4: _decode_offset_commit_response_v3, 5: _decode_offset_commit_response_v3, 6: _decode_offset_commit_response_v3, 7: _decode_offset_commit_response_v3, 8: _decode_offset_commit_response_v8, 9: _decode_offset_commit_response_v8, 10: _decode_offset_commit_response_v10}
_RESPONSE_ENCODERS = {2: _encode_offset_commit_response_v2, 3: _encode_offset_commit_response_v3, 4: _encode_offset_commit_response_v3, 5: _encode_offset_commit_response_v3, 6: _encode_offset_commit_response_v3, 7: _encode_offset_commit_response_v3, 8: _encode_offset_commit_response_v8, 9: _encode_offset_commit_response_v8, 10: _encode_offset_commit_response_v10}


def decode_response(buf: Buffer, pos: int, version: int) -> OffsetCommitResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("OffsetCommitResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("OffsetCommitResponse", version, pos, len(buf))
    return message


def encode_response(message: OffsetCommitResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("OffsetCommitResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
