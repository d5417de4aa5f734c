"""TxnOffsetCommit, API key 28: request and response in every version."""

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

API_KEY = 28
MIN_VERSION = 0
MAX_VERSION = 6
FLEXIBLE_VERSION = 3


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
_write_qh = Struct(">qh").pack
_read_qhi = Struct(">qhi").unpack_from
_write_qhi = Struct(">qhi").pack
_read_qhiB = Struct(">qhiB").unpack_from


class TxnOffsetCommitRequestPartition(Message):
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


class TxnOffsetCommitRequestTopic(Message):
    __slots__ = ("name", "topic_id", "partitions")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[TxnOffsetCommitRequestPartition] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions


class TxnOffsetCommitRequest(Message):
    __slots__ = ("transactional_id", "group_id", "producer_id", "producer_epoch", "generation_id_or_member_epoch", "member_id", "group_instance_id", "topics")

    def __init__(
        self,
        transactional_id: str = "",
        group_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        generation_id_or_member_epoch: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        topics: Sequence[TxnOffsetCommitRequestTopic] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.group_id = group_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.generation_id_or_member_epoch = generation_id_or_member_epoch
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.topics = topics


def _decode_txn_offset_commit_request_partition_v0(buf: Buffer, pos: int) -> tuple[TxnOffsetCommitRequestPartition, int]:
    partition_index, committed_offset, n = _read_iqh(buf, pos)
    pos += 14
    committed_metadata: str | None
    if n < 0:
        committed_metadata = None
    else:
        end = pos + n
        committed_metadata = buf[pos:end].decode()
        pos = end
    return TxnOffsetCommitRequestPartition(partition_index, committed_offset, -1, committed_metadata), pos


def _decode_txn_offset_commit_request_partition_v2(buf: Buffer, pos: int) -> tuple[TxnOffsetCommitRequestPartition, int]:
    partition_index, committed_offset, committed_leader_epoch, n = _read_iqih(buf, pos)
    pos += 18
    committed_metadata: str | None
    if n < 0:
        committed_metadata = None
    else:
        end = pos + n
        committed_metadata = buf[pos:end].decode()
        pos = end
    return TxnOffsetCommitRequestPartition(partition_index, committed_offset, committed_leader_epoch, committed_metadata), pos


def _decode_txn_offset_commit_request_partition_v3(buf: Buffer, pos: int) -> tuple[TxnOffsetCommitRequestPartition, int]:
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
    return TxnOffsetCommitRequestPartition(partition_index, committed_offset, committed_leader_epoch, committed_metadata), pos


def _decode_txn_offset_commit_request_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitRequestTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TxnOffsetCommitRequestTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TxnOffsetCommitRequestTopic.partitions")
    if n > budget[0] or n * 14 > len(buf) - pos:
        raise count_error("TxnOffsetCommitRequestTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_txn_offset_commit_request_partition_v0(buf, pos)
        partitions.append(partitions_item)
    return TxnOffsetCommitRequestTopic(name, ZERO_UUID, partitions), pos


def _decode_txn_offset_commit_request_topic_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitRequestTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TxnOffsetCommitRequestTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TxnOffsetCommitRequestTopic.partitions")
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("TxnOffsetCommitRequestTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_txn_offset_commit_request_partition_v2(buf, pos)
        partitions.append(partitions_item)
    return TxnOffsetCommitRequestTopic(name, ZERO_UUID, partitions), pos


def _decode_txn_offset_commit_request_topic_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitRequestTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitRequestTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitRequestTopic.partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("TxnOffsetCommitRequestTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_txn_offset_commit_request_partition_v3(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TxnOffsetCommitRequestTopic(name, ZERO_UUID, partitions), pos


def _decode_txn_offset_commit_request_topic_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitRequestTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitRequestTopic.partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("TxnOffsetCommitRequestTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_txn_offset_commit_request_partition_v3(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TxnOffsetCommitRequestTopic("", topic_id, partitions), pos


def _decode_txn_offset_commit_request_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TxnOffsetCommitRequest.transactional_id")
    end = pos + n
    transactional_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TxnOffsetCommitRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    producer_id, producer_epoch, n = _read_qhi(buf, pos)
    pos += 14
    if n < 0:
        raise null_error("TxnOffsetCommitRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("TxnOffsetCommitRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_txn_offset_commit_request_topic_v0(buf, pos, budget)
        topics.append(topics_item)
    return TxnOffsetCommitRequest(transactional_id, group_id, producer_id, producer_epoch, -1, "", None, topics), pos


def _decode_txn_offset_commit_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TxnOffsetCommitRequest.transactional_id")
    end = pos + n
    transactional_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TxnOffsetCommitRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    producer_id, producer_epoch, n = _read_qhi(buf, pos)
    pos += 14
    if n < 0:
        raise null_error("TxnOffsetCommitRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("TxnOffsetCommitRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_txn_offset_commit_request_topic_v2(buf, pos, budget)
        topics.append(topics_item)
    return TxnOffsetCommitRequest(transactional_id, group_id, producer_id, producer_epoch, -1, "", None, topics), pos


def _decode_txn_offset_commit_request_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitRequest.transactional_id")
    end = pos + n - 1
    transactional_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    producer_id, producer_epoch, generation_id_or_member_epoch, n = _read_qhiB(buf, pos)
    pos += 15
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitRequest.member_id")
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
        raise null_error("TxnOffsetCommitRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("TxnOffsetCommitRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_txn_offset_commit_request_topic_v3(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TxnOffsetCommitRequest(transactional_id, group_id, producer_id, producer_epoch, generation_id_or_member_epoch, member_id, group_instance_id, topics), pos


def _decode_txn_offset_commit_request_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitRequest.transactional_id")
    end = pos + n - 1
    transactional_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    producer_id, producer_epoch, generation_id_or_member_epoch, n = _read_qhiB(buf, pos)
    pos += 15
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitRequest.member_id")
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
        raise null_error("TxnOffsetCommitRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("TxnOffsetCommitRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_txn_offset_commit_request_topic_v6(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TxnOffsetCommitRequest(transactional_id, group_id, producer_id, producer_epoch, generation_id_or_member_epoch, member_id, group_instance_id, topics), pos


def _encode_txn_offset_commit_request_partition_v0(m: TxnOffsetCommitRequestPartition, w: bytearray) -> None:
    w += _write_iq(m.partition_index, m.committed_offset)
    put_nullable_string(w, m.committed_metadata)


def _encode_txn_offset_commit_request_partition_v2(m: TxnOffsetCommitRequestPartition, w: bytearray) -> None:
    w += _write_iqi(m.partition_index, m.committed_offset, m.committed_leader_epoch)
    put_nullable_string(w, m.committed_metadata)


def _encode_txn_offset_commit_request_partition_v3(m: TxnOffsetCommitRequestPartition, w: bytearray) -> None:
    w += _write_iqi(m.partition_index, m.committed_offset, m.committed_leader_epoch)
    put_compact_nullable_string(w, m.committed_metadata)
    w.append(0)


def _encode_txn_offset_commit_request_topic_v0(m: TxnOffsetCommitRequestTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_txn_offset_commit_request_partition_v0(partitions_item, w)


def _encode_txn_offset_commit_request_topic_v2(m: TxnOffsetCommitRequestTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_txn_offset_commit_request_partition_v2(partitions_item, w)


def _encode_txn_offset_commit_request_topic_v3(m: TxnOffsetCommitRequestTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_txn_offset_commit_request_partition_v3(partitions_item, w)
    w.append(0)


def _encode_txn_offset_commit_request_topic_v6(m: TxnOffsetCommitRequestTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_txn_offset_commit_request_partition_v3(partitions_item, w)
    w.append(0)


def _encode_txn_offset_commit_request_v0(m: TxnOffsetCommitRequest, w: bytearray) -> None:
    if m.generation_id_or_member_epoch != -1:
        raise UnsupportedFieldError("TxnOffsetCommitRequest.generation_id_or_member_epoch", "3+")
    if m.member_id != "":
        raise UnsupportedFieldError("TxnOffsetCommitRequest.member_id", "3+")
    if m.group_instance_id is not None:
        raise UnsupportedFieldError("TxnOffsetCommitRequest.group_instance_id", "3+")
    put_string(w, m.transactional_id)
    put_string(w, m.group_id)
    w += _write_qh(m.producer_id, m.producer_epoch)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_txn_offset_commit_request_topic_v0(topics_item, w)


def _encode_txn_offset_commit_request_v2(m: TxnOffsetCommitRequest, w: bytearray) -> None:
    if m.generation_id_or_member_epoch != -1:
        raise UnsupportedFieldError("TxnOffsetCommitRequest.generation_id_or_member_epoch", "3+")
    if m.member_id != "":
        raise UnsupportedFieldError("TxnOffsetCommitRequest.member_id", "3+")
    if m.group_instance_id is not None:
        raise UnsupportedFieldError("TxnOffsetCommitRequest.group_instance_id", "3+")
    put_string(w, m.transactional_id)
    put_string(w, m.group_id)
    w += _write_qh(m.producer_id, m.producer_epoch)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_txn_offset_commit_request_topic_v2(topics_item, w)


def _encode_txn_offset_commit_request_v3(m: TxnOffsetCommitRequest, w: bytearray) -> None:
    put_compact_string(w, m.transactional_id)
    put_compact_string(w, m.group_id)
    w += _write_qhi(m.producer_id, m.producer_epoch, m.generation_id_or_member_epoch)
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_txn_offset_commit_request_topic_v3(topics_item, w)
    w.append(0)


def _encode_txn_offset_commit_request_v6(m: TxnOffsetCommitRequest, w: bytearray) -> None:
    put_compact_string(w, m.transactional_id)
    put_compact_string(w, m.group_id)
    w += _write_qhi(m.producer_id, m.producer_epoch, m.generation_id_or_member_epoch)
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_txn_offset_commit_request_topic_v6(topics_item, w)
    w.append(0)


_REQUEST_DECODERS = {0: _decode_txn_offset_commit_request_v0, 1: _decode_txn_offset_commit_request_v0, 2: _decode_txn_offset_commit_request_v2, 3: _decode_txn_offset_commit_request_v3, 4: _decode_txn_offset_commit_request_v3, 5: _decode_txn_offset_commit_request_v3, 6: _decode_txn_offset_commit_request_v6}
_REQUEST_ENCODERS = {0: _encode_txn_offset_commit_request_v0, 1: _encode_txn_offset_commit_request_v0, 2: _encode_txn_offset_commit_request_v2, 3: _encode_txn_offset_commit_request_v3, 4: _encode_txn_offset_commit_request_v3, 5: _encode_txn_offset_commit_request_v3, 6: _encode_txn_offset_commit_request_v6}


def decode_request(buf: Buffer, pos: int, version: int) -> TxnOffsetCommitRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("TxnOffsetCommitRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("TxnOffsetCommitRequest", version, pos, len(buf))
    return message


def encode_request(message: TxnOffsetCommitRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("TxnOffsetCommitRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class TxnOffsetCommitResponsePartition(Message):
    __slots__ = ("partition_index", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class TxnOffsetCommitResponseTopic(Message):
    __slots__ = ("name", "topic_id", "partitions")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[TxnOffsetCommitResponsePartition] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions


class TxnOffsetCommitResponse(Message):
    __slots__ = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[TxnOffsetCommitResponseTopic] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _decode_txn_offset_commit_response_partition_v0(buf: Buffer, pos: int) -> tuple[TxnOffsetCommitResponsePartition, int]:
    partition_index, error_code = _read_ih(buf, pos)
    pos += 6
    return TxnOffsetCommitResponsePartition(partition_index, error_code), pos


def _decode_txn_offset_commit_response_partition_v3(buf: Buffer, pos: int) -> tuple[TxnOffsetCommitResponsePartition, int]:
    partition_index, error_code, n = _read_ihB(buf, pos)
    pos += 7
    if n:
        pos = skip_tags(buf, pos, n)
    return TxnOffsetCommitResponsePartition(partition_index, error_code), pos


def _decode_txn_offset_commit_response_topic_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitResponseTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TxnOffsetCommitResponseTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("TxnOffsetCommitResponseTopic.partitions")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("TxnOffsetCommitResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_txn_offset_commit_response_partition_v0(buf, pos)
        partitions.append(partitions_item)
    return TxnOffsetCommitResponseTopic(name, ZERO_UUID, partitions), pos


def _decode_txn_offset_commit_response_topic_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitResponseTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitResponseTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("TxnOffsetCommitResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_txn_offset_commit_response_partition_v3(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TxnOffsetCommitResponseTopic(name, ZERO_UUID, partitions), pos


def _decode_txn_offset_commit_response_topic_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitResponseTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 7 > len(buf) - pos:
        raise count_error("TxnOffsetCommitResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_txn_offset_commit_response_partition_v3(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TxnOffsetCommitResponseTopic("", topic_id, partitions), pos


def _decode_txn_offset_commit_response_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("TxnOffsetCommitResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("TxnOffsetCommitResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_txn_offset_commit_response_topic_v0(buf, pos, budget)
        topics.append(topics_item)
    return TxnOffsetCommitResponse(throttle_time_ms, topics), pos


def _decode_txn_offset_commit_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("TxnOffsetCommitResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_txn_offset_commit_response_topic_v3(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TxnOffsetCommitResponse(throttle_time_ms, topics), pos


def _decode_txn_offset_commit_response_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[TxnOffsetCommitResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TxnOffsetCommitResponse.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("TxnOffsetCommitResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_txn_offset_commit_response_topic_v6(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TxnOffsetCommitResponse(throttle_time_ms, topics), pos


def _encode_txn_offset_commit_response_partition_v0(m: TxnOffsetCommitResponsePartition, w: bytearray) -> None:
    w += _write_ih(m.partition_index, m.error_code)


def _encode_txn_offset_commit_response_partition_v3(m: TxnOffsetCommitResponsePartition, w: bytearray) -> None:
    w += _write_ihx(m.partition_index, m.error_code)


def _encode_txn_offset_commit_response_topic_v0(m: TxnOffsetCommitResponseTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_txn_offset_commit_response_partition_v0(partitions_item, w)


def _encode_txn_offset_commit_response_topic_v3(m: TxnOffsetCommitResponseTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_txn_offset_commit_response_partition_v3(partitions_item, w)
    w.append(0)


def _encode_txn_offset_commit_response_topic_v6(m: TxnOffsetCommitResponseTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_txn_offset_commit_response_partition_v3(partitions_item, w)
    w.append(0)


def _encode_txn_offset_commit_response_v0(m: TxnOffsetCommitResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_txn_offset_commit_response_topic_v0(topics_item, w)


def _encode_txn_offset_commit_response_v3(m: TxnOffsetCommitResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_txn_offset_commit_response_topic_v3(topics_item, w)
    w.append(0)


def _encode_txn_offset_commit_response_v6(m: TxnOffsetCommitResponse, w: bytearray) -> None:
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_txn_offset_commit_response_topic_v6(topics_item, w)
    w.append(0)


_RESPONSE_DECODERS = {0: _decode_txn_offset_commit_response_v0, 1: _decode_txn_offset_commit_response_v0, 2: _decode_txn_offset_commit_response_v0, 3: _decode_txn_offset_commit_response_v3, 4: _decode_txn_offset_commit_response_v3, 5: _decode_txn_offset_commit_response_v3, 6: _decode_txn_offset_commit_response_v6}
_RESPONSE_ENCODERS = {0: _encode_txn_offset_commit_response_v0, 1: _encode_txn_offset_commit_response_v0, 2: _encode_txn_offset_commit_response_v0, 3: _encode_txn_offset_commit_response_v3, 4: _encode_txn_offset_commit_response_v3, 5: _encode_txn_offset_commit_response_v3, 6: _encode_txn_offset_commit_response_v6}


def decode_response(buf: Buffer, pos: int, version: int) -> TxnOffsetCommitResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("TxnOffsetCommitResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("TxnOffsetCommitResponse", version, pos, len(buf))
    return message


def encode_response(message: TxnOffsetCommitResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("TxnOffsetCommitResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)
