"""Fetch, API key 1: request and response in every version."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    MAX_TAGGED_FIELDS,
    Message,
    NULL_INT32,
    UnsupportedFieldError,
    UnsupportedVersionError,
    ZERO_UUID,
    count_error,
    frozen,
    malformed,
    null_error,
    put_compact_nullable_records,
    put_compact_nullable_string,
    put_compact_string,
    put_nullable_records,
    put_string,
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

API_KEY = 1
MIN_VERSION = 4
MAX_VERSION = 18
FLEXIBLE_VERSION = 12


_read_u = Struct(">16s").unpack_from
_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_ihi = Struct(">ihi").pack
_read_ihiB = Struct(">ihiB").unpack_from
_read_ihii = Struct(">ihii").unpack_from
_write_ihqq = Struct(">ihqq").pack
_read_ihqqi = Struct(">ihqqi").unpack_from
_write_ihqqq = Struct(">ihqqq").pack
_read_ihqqqB = Struct(">ihqqqB").unpack_from
_read_ihqqqi = Struct(">ihqqqi").unpack_from
_read_ii = Struct(">ii").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_write_iiibii = Struct(">iiibii").pack
_read_iiibiiB = Struct(">iiibiiB").unpack_from
_write_iiiib = Struct(">iiiib").pack
_read_iiiibi = Struct(">iiiibi").unpack_from
_write_iiiibii = Struct(">iiiibii").pack
_read_iiiibiiB = Struct(">iiiibiiB").unpack_from
_read_iiiibiii = Struct(">iiiibiii").unpack_from
_write_iiqiqi = Struct(">iiqiqi").pack
_read_iiqiqiB = Struct(">iiqiqiB").unpack_from
_write_iiqiqix = Struct(">iiqiqix").pack
_read_iiqqi = Struct(">iiqqi").unpack_from
_write_iiqqi = Struct(">iiqqi").pack
_write_iix = Struct(">iix").pack
_read_iqB = Struct(">iqB").unpack_from
_read_iqi = Struct(">iqi").unpack_from
_write_iqi = Struct(">iqi").pack
_read_iqqi = Struct(">iqqi").unpack_from
_write_iqqi = Struct(">iqqi").pack
_write_iqx = Struct(">iqx").pack
_read_q = Struct(">q").unpack_from
_write_q = Struct(">q").pack
_read_qiB = Struct(">qiB").unpack_from
_write_qix = Struct(">qix").pack
_read_qq = Struct(">qq").unpack_from
_write_qq = Struct(">qq").pack
_read_qqB = Struct(">qqB").unpack_from
_write_qqx = Struct(">qqx").pack


class ReplicaState(Message):
    __slots__ = ("replica_id", "replica_epoch")

    def __init__(
        self,
        replica_id: int = -1,
        replica_epoch: int = -1,
    ) -> None:
        self.replica_id = replica_id
        self.replica_epoch = replica_epoch


_DEFAULT_ReplicaState = frozen(ReplicaState())


class FetchPartition(Message):
    __slots__ = ("partition", "current_leader_epoch", "fetch_offset", "last_fetched_epoch", "log_start_offset", "partition_max_bytes", "replica_directory_id", "high_watermark")

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = -1,
        fetch_offset: int = 0,
        last_fetched_epoch: int = -1,
        log_start_offset: int = -1,
        partition_max_bytes: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
        high_watermark: int = 9223372036854775807,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.fetch_offset = fetch_offset
        self.last_fetched_epoch = last_fetched_epoch
        self.log_start_offset = log_start_offset
        self.partition_max_bytes = partition_max_bytes
        self.replica_directory_id = replica_directory_id
        self.high_watermark = high_watermark


class FetchTopic(Message):
    __slots__ = ("topic", "topic_id", "partitions")

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[FetchPartition] = (),
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = partitions


class ForgottenTopic(Message):
    __slots__ = ("topic", "topic_id", "partitions")

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = partitions


class FetchRequest(Message):
    __slots__ = ("cluster_id", "replica_id", "replica_state", "max_wait_ms", "min_bytes", "max_bytes", "isolation_level", "session_id", "session_epoch", "topics", "forgotten_topics_data", "rack_id")

    def __init__(
        self,
        cluster_id: str | None = None,
        replica_id: int = -1,
        replica_state: ReplicaState = _DEFAULT_ReplicaState,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        isolation_level: int = 0,
        session_id: int = 0,
        session_epoch: int = -1,
        topics: Sequence[FetchTopic] = (),
        forgotten_topics_data: Sequence[ForgottenTopic] = (),
        rack_id: str = "",
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.replica_state = replica_state
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.isolation_level = isolation_level
        self.session_id = session_id
        self.session_epoch = session_epoch
        self.topics = topics
        self.forgotten_topics_data = forgotten_topics_data
        self.rack_id = rack_id


def _decode_replica_state_v15(buf: Buffer, pos: int) -> tuple[ReplicaState, int]:
    replica_id, replica_epoch, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return ReplicaState(replica_id, replica_epoch), pos


def _decode_fetch_partition_v4(buf: Buffer, pos: int) -> tuple[FetchPartition, int]:
    partition, fetch_offset, partition_max_bytes = _read_iqi(buf, pos)
    pos += 16
    return FetchPartition(partition, -1, fetch_offset, -1, -1, partition_max_bytes, ZERO_UUID, 9223372036854775807), pos


def _decode_fetch_partition_v5(buf: Buffer, pos: int) -> tuple[FetchPartition, int]:
    partition, fetch_offset, log_start_offset, partition_max_bytes = _read_iqqi(buf, pos)
    pos += 24
    return FetchPartition(partition, -1, fetch_offset, -1, log_start_offset, partition_max_bytes, ZERO_UUID, 9223372036854775807), pos


def _decode_fetch_partition_v9(buf: Buffer, pos: int) -> tuple[FetchPartition, int]:
    partition, current_leader_epoch, fetch_offset, log_start_offset, partition_max_bytes = _read_iiqqi(buf, pos)
    pos += 28
    return FetchPartition(partition, current_leader_epoch, fetch_offset, -1, log_start_offset, partition_max_bytes, ZERO_UUID, 9223372036854775807), pos


def _decode_fetch_partition_v12(buf: Buffer, pos: int) -> tuple[FetchPartition, int]:
    partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes, n = _read_iiqiqiB(buf, pos)
    pos += 33
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchPartition(partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes, ZERO_UUID, 9223372036854775807), pos


def _decode_fetch_partition_v17(buf: Buffer, pos: int) -> tuple[FetchPartition, int]:
    partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes, n = _read_iiqiqiB(buf, pos)
    pos += 33
    replica_directory_id: bytes = ZERO_UUID
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("FetchPartition")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (replica_directory_id,) = _read_u(buf, pos)
                pos += 16
            else:
                pos = stop
            if pos != stop:
                raise tag_error("FetchPartition", tag)
    return FetchPartition(partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes, replica_directory_id, 9223372036854775807), pos


def _decode_fetch_partition_v18(buf: Buffer, pos: int) -> tuple[FetchPartition, int]:
    partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes, n = _read_iiqiqiB(buf, pos)
    pos += 33
    replica_directory_id: bytes = ZERO_UUID
    high_watermark: int = 9223372036854775807
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("FetchPartition")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (replica_directory_id,) = _read_u(buf, pos)
                pos += 16
            elif tag == 1:
                (high_watermark,) = _read_q(buf, pos)
                pos += 8
            else:
                pos = stop
            if pos != stop:
                raise tag_error("FetchPartition", tag)
    return FetchPartition(partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset, partition_max_bytes, replica_directory_id, high_watermark), pos


def _decode_fetch_topic_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("FetchTopic.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("FetchTopic.partitions")
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("FetchTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v4(buf, pos)
        partitions.append(partitions_item)
    return FetchTopic(topic, ZERO_UUID, partitions), pos


def _decode_fetch_topic_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("FetchTopic.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("FetchTopic.partitions")
    if n > budget[0] or n * 24 > len(buf) - pos:
        raise count_error("FetchTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v5(buf, pos)
        partitions.append(partitions_item)
    return FetchTopic(topic, ZERO_UUID, partitions), pos


def _decode_fetch_topic_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("FetchTopic.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("FetchTopic.partitions")
    if n > budget[0] or n * 28 > len(buf) - pos:
        raise count_error("FetchTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v9(buf, pos)
        partitions.append(partitions_item)
    return FetchTopic(topic, ZERO_UUID, partitions), pos


def _decode_fetch_topic_v12(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FetchTopic.topic")
    end = pos + n - 1
    topic = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchTopic.partitions")
    n -= 1
    if n > budget[0] or n * 33 > len(buf) - pos:
        raise count_error("FetchTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v12(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchTopic(topic, ZERO_UUID, partitions), pos


def _decode_fetch_topic_v13(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchTopic.partitions")
    n -= 1
    if n > budget[0] or n * 33 > len(buf) - pos:
        raise count_error("FetchTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v12(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchTopic("", topic_id, partitions), pos


def _decode_fetch_topic_v17(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchTopic.partitions")
    n -= 1
    if n > budget[0] or n * 33 > len(buf) - pos:
        raise count_error("FetchTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v17(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchTopic("", topic_id, partitions), pos


def _decode_fetch_topic_v18(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchTopic.partitions")
    n -= 1
    if n > budget[0] or n * 33 > len(buf) - pos:
        raise count_error("FetchTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v18(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchTopic("", topic_id, partitions), pos


def _decode_forgotten_topic_v7(buf: Buffer, pos: int, budget: list[int]) -> tuple[ForgottenTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ForgottenTopic.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("ForgottenTopic.partitions")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("ForgottenTopic.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return ForgottenTopic(topic, ZERO_UUID, partitions), pos


def _decode_forgotten_topic_v12(buf: Buffer, pos: int, budget: list[int]) -> tuple[ForgottenTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ForgottenTopic.topic")
    end = pos + n - 1
    topic = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ForgottenTopic.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("ForgottenTopic.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ForgottenTopic(topic, ZERO_UUID, partitions), pos


def _decode_forgotten_topic_v13(buf: Buffer, pos: int, budget: list[int]) -> tuple[ForgottenTopic, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ForgottenTopic.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("ForgottenTopic.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ForgottenTopic("", topic_id, partitions), pos


def _decode_fetch_request_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, n = _read_iiiibi(buf, pos)
    pos += 21
    if n < 0:
        raise null_error("FetchRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v4(buf, pos, budget)
        topics.append(topics_item)
    return FetchRequest(None, replica_id, _DEFAULT_ReplicaState, max_wait_ms, min_bytes, max_bytes, isolation_level, 0, -1, topics, (), ""), pos


def _decode_fetch_request_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, n = _read_iiiibi(buf, pos)
    pos += 21
    if n < 0:
        raise null_error("FetchRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v5(buf, pos, budget)
        topics.append(topics_item)
    return FetchRequest(None, replica_id, _DEFAULT_ReplicaState, max_wait_ms, min_bytes, max_bytes, isolation_level, 0, -1, topics, (), ""), pos


def _decode_fetch_request_v7(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiiibiii(buf, pos)
    pos += 29
    if n < 0:
        raise null_error("FetchRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v5(buf, pos, budget)
        topics.append(topics_item)
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("FetchRequest.forgotten_topics_data")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchRequest.forgotten_topics_data", n)
    budget[0] -= n
    forgotten_topics_data = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v7(buf, pos, budget)
        forgotten_topics_data.append(forgotten_topics_data_item)
    return FetchRequest(None, replica_id, _DEFAULT_ReplicaState, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, ""), pos


def _decode_fetch_request_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiiibiii(buf, pos)
    pos += 29
    if n < 0:
        raise null_error("FetchRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v9(buf, pos, budget)
        topics.append(topics_item)
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("FetchRequest.forgotten_topics_data")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchRequest.forgotten_topics_data", n)
    budget[0] -= n
    forgotten_topics_data = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v7(buf, pos, budget)
        forgotten_topics_data.append(forgotten_topics_data_item)
    return FetchRequest(None, replica_id, _DEFAULT_ReplicaState, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, ""), pos


def _decode_fetch_request_v11(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiiibiii(buf, pos)
    pos += 29
    if n < 0:
        raise null_error("FetchRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v9(buf, pos, budget)
        topics.append(topics_item)
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("FetchRequest.forgotten_topics_data")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchRequest.forgotten_topics_data", n)
    budget[0] -= n
    forgotten_topics_data = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v7(buf, pos, budget)
        forgotten_topics_data.append(forgotten_topics_data_item)
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("FetchRequest.rack_id")
    end = pos + n
    rack_id = buf[pos:end].decode()
    pos = end
    return FetchRequest(None, replica_id, _DEFAULT_ReplicaState, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id), pos


def _decode_fetch_request_v12(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiiibiiB(buf, pos)
    pos += 26
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("FetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v12(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.forgotten_topics_data")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("FetchRequest.forgotten_topics_data", n)
    budget[0] -= n
    forgotten_topics_data = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v12(buf, pos, budget)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.rack_id")
    end = pos + n - 1
    rack_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    cluster_id: str | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("FetchRequest")
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
                raise tag_error("FetchRequest", tag)
    return FetchRequest(cluster_id, replica_id, _DEFAULT_ReplicaState, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id), pos


def _decode_fetch_request_v13(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchRequest, int]:
    replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiiibiiB(buf, pos)
    pos += 26
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("FetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v13(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.forgotten_topics_data")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("FetchRequest.forgotten_topics_data", n)
    budget[0] -= n
    forgotten_topics_data = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v13(buf, pos, budget)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.rack_id")
    end = pos + n - 1
    rack_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    cluster_id: str | None = None
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("FetchRequest")
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
                raise tag_error("FetchRequest", tag)
    return FetchRequest(cluster_id, replica_id, _DEFAULT_ReplicaState, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id), pos


def _decode_fetch_request_v15(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchRequest, int]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiibiiB(buf, pos)
    pos += 22
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("FetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v13(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.forgotten_topics_data")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("FetchRequest.forgotten_topics_data", n)
    budget[0] -= n
    forgotten_topics_data = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v13(buf, pos, budget)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.rack_id")
    end = pos + n - 1
    rack_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    cluster_id: str | None = None
    replica_state: ReplicaState = _DEFAULT_ReplicaState
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("FetchRequest")
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
            elif tag == 1:
                replica_state, pos = _decode_replica_state_v15(buf, pos)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("FetchRequest", tag)
    return FetchRequest(cluster_id, -1, replica_state, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id), pos


def _decode_fetch_request_v17(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchRequest, int]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiibiiB(buf, pos)
    pos += 22
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("FetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v17(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.forgotten_topics_data")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("FetchRequest.forgotten_topics_data", n)
    budget[0] -= n
    forgotten_topics_data = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v13(buf, pos, budget)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.rack_id")
    end = pos + n - 1
    rack_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    cluster_id: str | None = None
    replica_state: ReplicaState = _DEFAULT_ReplicaState
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("FetchRequest")
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
            elif tag == 1:
                replica_state, pos = _decode_replica_state_v15(buf, pos)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("FetchRequest", tag)
    return FetchRequest(cluster_id, -1, replica_state, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id), pos


def _decode_fetch_request_v18(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchRequest, int]:
    max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, n = _read_iiibiiB(buf, pos)
    pos += 22
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("FetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v18(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.forgotten_topics_data")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("FetchRequest.forgotten_topics_data", n)
    budget[0] -= n
    forgotten_topics_data = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v13(buf, pos, budget)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FetchRequest.rack_id")
    end = pos + n - 1
    rack_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    cluster_id: str | None = None
    replica_state: ReplicaState = _DEFAULT_ReplicaState
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("FetchRequest")
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
            elif tag == 1:
                replica_state, pos = _decode_replica_state_v15(buf, pos)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("FetchRequest", tag)
    return FetchRequest(cluster_id, -1, replica_state, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id), pos


def _encode_replica_state_v15(m: ReplicaState, w: bytearray) -> None:
    w += _write_iqx(m.replica_id, m.replica_epoch)


def _encode_fetch_partition_v4(m: FetchPartition, w: bytearray) -> None:
    if m.last_fetched_epoch != -1:
        raise UnsupportedFieldError("FetchPartition.last_fetched_epoch", "12+")
    w += _write_iqi(m.partition, m.fetch_offset, m.partition_max_bytes)


def _encode_fetch_partition_v5(m: FetchPartition, w: bytearray) -> None:
    if m.last_fetched_epoch != -1:
        raise UnsupportedFieldError("FetchPartition.last_fetched_epoch", "12+")
    w += _write_iqqi(m.partition, m.fetch_offset, m.log_start_offset, m.partition_max_bytes)


def _encode_fetch_partition_v9(m: FetchPartition, w: bytearray) -> None:
    if m.last_fetched_epoch != -1:
        raise UnsupportedFieldError("FetchPartition.last_fetched_epoch", "12+")
    w += _write_iiqqi(m.partition, m.current_leader_epoch, m.fetch_offset, m.log_start_offset, m.partition_max_bytes)


def _encode_fetch_partition_v12(m: FetchPartition, w: bytearray) -> None:
    w += _write_iiqiqix(m.partition, m.current_leader_epoch, m.fetch_offset, m.last_fetched_epoch, m.log_start_offset, m.partition_max_bytes)


def _encode_fetch_partition_v17(m: FetchPartition, w: bytearray) -> None:
    w += _write_iiqiqi(m.partition, m.current_leader_epoch, m.fetch_offset, m.last_fetched_epoch, m.log_start_offset, m.partition_max_bytes)
    tags: Tags = []
    if m.replica_directory_id != ZERO_UUID:
        tags.append(b'\x00\x10' + _write_u(m.replica_directory_id))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_fetch_partition_v18(m: FetchPartition, w: bytearray) -> None:
    w += _write_iiqiqi(m.partition, m.current_leader_epoch, m.fetch_offset, m.last_fetched_epoch, m.log_start_offset, m.partition_max_bytes)
    tags: Tags = []
    if m.replica_directory_id != ZERO_UUID:
        tags.append(b'\x00\x10' + _write_u(m.replica_directory_id))
    if m.high_watermark != 9223372036854775807:
        tags.append(b'\x01\x08' + _write_q(m.high_watermark))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_fetch_topic_v4(m: FetchTopic, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_fetch_partition_v4(partitions_item, w)


def _encode_fetch_topic_v5(m: FetchTopic, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_fetch_partition_v5(partitions_item, w)


def _encode_fetch_topic_v9(m: FetchTopic, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_fetch_partition_v9(partitions_item, w)


def _encode_fetch_topic_v12(m: FetchTopic, w: bytearray) -> None:
    put_compact_string(w, m.topic)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_fetch_partition_v12(partitions_item, w)
    w.append(0)


def _encode_fetch_topic_v13(m: FetchTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_fetch_partition_v12(partitions_item, w)
    w.append(0)


def _encode_fetch_topic_v17(m: FetchTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_fetch_partition_v17(partitions_item, w)
    w.append(0)


def _encode_fetch_topic_v18(m: FetchTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_fetch_partition_v18(partitions_item, w)
    w.append(0)


def _encode_forgotten_topic_v7(m: ForgottenTopic, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partitions)
    w += pack(f">i{n}i", n, *m.partitions)


def _encode_forgotten_topic_v12(m: ForgottenTopic, w: bytearray) -> None:
    put_compact_string(w, m.topic)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_forgotten_topic_v13(m: ForgottenTopic, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_fetch_request_v4(m: FetchRequest, w: bytearray) -> None:
    if m.replica_state is not _DEFAULT_ReplicaState and m.replica_state != _DEFAULT_ReplicaState:
        raise UnsupportedFieldError("FetchRequest.replica_state", "15+")
    if m.forgotten_topics_data:
        raise UnsupportedFieldError("FetchRequest.forgotten_topics_data", "7+")
    w += _write_iiiib(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_fetch_topic_v4(topics_item, w)


def _encode_fetch_request_v5(m: FetchRequest, w: bytearray) -> None:
    if m.replica_state is not _DEFAULT_ReplicaState and m.replica_state != _DEFAULT_ReplicaState:
        raise UnsupportedFieldError("FetchRequest.replica_state", "15+")
    if m.forgotten_topics_data:
        raise UnsupportedFieldError("FetchRequest.forgotten_topics_data", "7+")
    w += _write_iiiib(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_fetch_topic_v5(topics_item, w)


def _encode_fetch_request_v7(m: FetchRequest, w: bytearray) -> None:
    if m.replica_state is not _DEFAULT_ReplicaState and m.replica_state != _DEFAULT_ReplicaState:
        raise UnsupportedFieldError("FetchRequest.replica_state", "15+")
    w += _write_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_fetch_topic_v5(topics_item, w)
    n = len(m.forgotten_topics_data)
    w += _write_i(n)
    for forgotten_topics_data_item in m.forgotten_topics_data:
        _encode_forgotten_topic_v7(forgotten_topics_data_item, w)


def _encode_fetch_request_v9(m: FetchRequest, w: bytearray) -> None:
    if m.replica_state is not _DEFAULT_ReplicaState and m.replica_state != _DEFAULT_ReplicaState:
        raise UnsupportedFieldError("FetchRequest.replica_state", "15+")
    w += _write_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_fetch_topic_v9(topics_item, w)
    n = len(m.forgotten_topics_data)
    w += _write_i(n)
    for forgotten_topics_data_item in m.forgotten_topics_data:
        _encode_forgotten_topic_v7(forgotten_topics_data_item, w)


def _encode_fetch_request_v11(m: FetchRequest, w: bytearray) -> None:
    if m.replica_state is not _DEFAULT_ReplicaState and m.replica_state != _DEFAULT_ReplicaState:
        raise UnsupportedFieldError("FetchRequest.replica_state", "15+")
    w += _write_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_fetch_topic_v9(topics_item, w)
    n = len(m.forgotten_topics_data)
    w += _write_i(n)
    for forgotten_topics_data_item in m.forgotten_topics_data:
        _encode_forgotten_topic_v7(forgotten_topics_data_item, w)
    put_string(w, m.rack_id)


def _encode_fetch_request_v12(m: FetchRequest, w: bytearray) -> None:
    if m.replica_state is not _DEFAULT_ReplicaState and m.replica_state != _DEFAULT_ReplicaState:
        raise UnsupportedFieldError("FetchRequest.replica_state", "15+")
    w += _write_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_fetch_topic_v12(topics_item, w)
    n = len(m.forgotten_topics_data)
    put_uvarint(w, n + 1)
    for forgotten_topics_data_item in m.forgotten_topics_data:
        _encode_forgotten_topic_v12(forgotten_topics_data_item, w)
    put_compact_string(w, m.rack_id)
    tags: Tags = []
    if m.cluster_id is not None:
        t = bytearray()
        put_compact_nullable_string(t, m.cluster_id)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_fetch_request_v13(m: FetchRequest, w: bytearray) -> None:
    if m.replica_state is not _DEFAULT_ReplicaState and m.replica_state != _DEFAULT_ReplicaState:
        raise UnsupportedFieldError("FetchRequest.replica_state", "15+")
    w += _write_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_fetch_topic_v13(topics_item, w)
    n = len(m.forgotten_topics_data)
    put_uvarint(w, n + 1)
    for forgotten_topics_data_item in m.forgotten_topics_data:
        _encode_forgotten_topic_v13(forgotten_topics_data_item, w)
    put_compact_string(w, m.rack_id)
    tags: Tags = []
    if m.cluster_id is not None:
        t = bytearray()
        put_compact_nullable_string(t, m.cluster_id)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_fetch_request_v15(m: FetchRequest, w: bytearray) -> None:
    if m.replica_id != -1:
        raise UnsupportedFieldError("FetchRequest.replica_id", "0-14")
    w += _write_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_fetch_topic_v13(topics_item, w)
    n = len(m.forgotten_topics_data)
    put_uvarint(w, n + 1)
    for forgotten_topics_data_item in m.forgotten_topics_data:
        _encode_forgotten_topic_v13(forgotten_topics_data_item, w)
    put_compact_string(w, m.rack_id)
    tags: Tags = []
    if m.cluster_id is not None:
        t = bytearray()
        put_compact_nullable_string(t, m.cluster_id)
        tags.append(tagged(0, t))
    if m.replica_state is not _DEFAULT_ReplicaState and m.replica_state != _DEFAULT_ReplicaState:
        t = bytearray()
        _encode_replica_state_v15(m.replica_state, t)
        tags.append(tagged(1, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_fetch_request_v17(m: FetchRequest, w: bytearray) -> None:
    if m.replica_id != -1:
        raise UnsupportedFieldError("FetchRequest.replica_id", "0-14")
    w += _write_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_fetch_topic_v17(topics_item, w)
    n = len(m.forgotten_topics_data)
    put_uvarint(w, n + 1)
    for forgotten_topics_data_item in m.forgotten_topics_data:
        _encode_forgotten_topic_v13(forgotten_topics_data_item, w)
    put_compact_string(w, m.rack_id)
    tags: Tags = []
    if m.cluster_id is not None:
        t = bytearray()
        put_compact_nullable_string(t, m.cluster_id)
        tags.append(tagged(0, t))
    if m.replica_state is not _DEFAULT_ReplicaState and m.replica_state != _DEFAULT_ReplicaState:
        t = bytearray()
        _encode_replica_state_v15(m.replica_state, t)
        tags.append(tagged(1, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_fetch_request_v18(m: FetchRequest, w: bytearray) -> None:
    if m.replica_id != -1:
        raise UnsupportedFieldError("FetchRequest.replica_id", "0-14")
    w += _write_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_fetch_topic_v18(topics_item, w)
    n = len(m.forgotten_topics_data)
    put_uvarint(w, n + 1)
    for forgotten_topics_data_item in m.forgotten_topics_data:
        _encode_forgotten_topic_v13(forgotten_topics_data_item, w)
    put_compact_string(w, m.rack_id)
    tags: Tags = []
    if m.cluster_id is not None:
        t = bytearray()
        put_compact_nullable_string(t, m.cluster_id)
        tags.append(tagged(0, t))
    if m.replica_state is not _DEFAULT_ReplicaState and m.replica_state != _DEFAULT_ReplicaState:
        t = bytearray()
        _encode_replica_state_v15(m.replica_state, t)
        tags.append(tagged(1, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_REQUEST_DECODERS = {4: _decode_fetch_request_v4, 5: _decode_fetch_request_v5, 6: _decode_fetch_request_v5, 7: _decode_fetch_request_v7, 8: _decode_fetch_request_v7, 9: _decode_fetch_request_v9, 10: _decode_fetch_request_v9, 11: _decode_fetch_request_v11, 12: _decode_fetch_request_v12, 13: _decode_fetch_request_v13, 14: _decode_fetch_request_v13, 15: _decode_fetch_request_v15, 16: _decode_fetch_request_v15, 17: _decode_fetch_request_v17, 18: _decode_fetch_request_v18}
_REQUEST_ENCODERS = {4: _encode_fetch_request_v4, 5: _encode_fetch_request_v5, 6: _encode_fetch_request_v5, 7: _encode_fetch_request_v7, 8: _encode_fetch_request_v7, 9: _encode_fetch_request_v9, 10: _encode_fetch_request_v9, 11: _encode_fetch_request_v11, 12: _encode_fetch_request_v12, 13: _encode_fetch_request_v13, 14: _encode_fetch_request_v13, 15: _encode_fetch_request_v15, 16: _encode_fetch_request_v15, 17: _encode_fetch_request_v17, 18: _encode_fetch_request_v18}


def decode_request(buf: Buffer, pos: int, version: int) -> FetchRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("FetchRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("FetchRequest", version, pos, len(buf))
    return message


def encode_request(message: FetchRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("FetchRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class EpochEndOffset(Message):
    __slots__ = ("epoch", "end_offset")

    def __init__(
        self,
        epoch: int = -1,
        end_offset: int = -1,
    ) -> None:
        self.epoch = epoch
        self.end_offset = end_offset


_DEFAULT_EpochEndOffset = frozen(EpochEndOffset())


class LeaderIdAndEpoch(Message):
    __slots__ = ("leader_id", "leader_epoch")

    def __init__(
        self,
        leader_id: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


_DEFAULT_LeaderIdAndEpoch = frozen(LeaderIdAndEpoch())


class SnapshotId(Message):
    __slots__ = ("end_offset", "epoch")

    def __init__(
        self,
        end_offset: int = -1,
        epoch: int = -1,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch


_DEFAULT_SnapshotId = frozen(SnapshotId())


class AbortedTransaction(Message):
    __slots__ = ("producer_id", "first_offset")

    def __init__(
        self,
        producer_id: int = 0,
        first_offset: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset


class PartitionData(Message):
    __slots__ = ("partition_index", "error_code", "high_watermark", "last_stable_offset", "log_start_offset", "diverging_epoch", "current_leader", "snapshot_id", "aborted_transactions", "preferred_read_replica", "records")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        high_watermark: int = 0,
        last_stable_offset: int = -1,
        log_start_offset: int = -1,
        diverging_epoch: EpochEndOffset = _DEFAULT_EpochEndOffset,
        current_leader: LeaderIdAndEpoch = _DEFAULT_LeaderIdAndEpoch,
        snapshot_id: SnapshotId = _DEFAULT_SnapshotId,
        aborted_transactions: Sequence[AbortedTransaction] | None = (),
        preferred_read_replica: int = -1,
        records: Records | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.high_watermark = high_watermark
        self.last_stable_offset = last_stable_offset
        self.log_start_offset = log_start_offset
        self.diverging_epoch = diverging_epoch
        self.current_leader = current_leader
        self.snapshot_id = snapshot_id
        self.aborted_transactions = aborted_transactions
        self.preferred_read_replica = preferred_read_replica
        self.records = records


class FetchableTopicResponse(Message):
    __slots__ = ("topic", "topic_id", "partitions")

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[PartitionData] = (),
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = partitions


class NodeEndpoint(Message):
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


class FetchResponse(Message):
    __slots__ = ("throttle_time_ms", "error_code", "session_id", "responses", "node_endpoints")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        session_id: int = 0,
        responses: Sequence[FetchableTopicResponse] = (),
        node_endpoints: Sequence[NodeEndpoint] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.session_id = session_id
        self.responses = responses
        self.node_endpoints = node_endpoints


def _decode_epoch_end_offset_v12(buf: Buffer, pos: int) -> tuple[EpochEndOffset, int]:
    epoch, end_offset, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return EpochEndOffset(epoch, end_offset), pos


def _decode_leader_id_and_epoch_v12(buf: Buffer, pos: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n:
        pos = skip_tags(buf, pos, n)
    return LeaderIdAndEpoch(leader_id, leader_epoch), pos


def _decode_snapshot_id_v12(buf: Buffer, pos: int) -> tuple[SnapshotId, int]:
    end_offset, epoch, n = _read_qiB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return SnapshotId(end_offset, epoch), pos


def _decode_aborted_transaction_v4(buf: Buffer, pos: int) -> tuple[AbortedTransaction, int]:
    producer_id, first_offset = _read_qq(buf, pos)
    pos += 16
    return AbortedTransaction(producer_id, first_offset), pos


def _decode_aborted_transaction_v12(buf: Buffer, pos: int) -> tuple[AbortedTransaction, int]:
    producer_id, first_offset, n = _read_qqB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return AbortedTransaction(producer_id, first_offset), pos


def _decode_partition_data_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionData, int]:
    partition_index, error_code, high_watermark, last_stable_offset, n = _read_ihqqi(buf, pos)
    pos += 26
    aborted_transactions: list[AbortedTransaction] | None
    if n < 0:
        aborted_transactions = None
    else:
        if n > budget[0] or n * 16 > len(buf) - pos:
            raise count_error("PartitionData.aborted_transactions", n)
        budget[0] -= n
        aborted_transactions = []
        for _ in range(n):
            aborted_transactions_item, pos = _decode_aborted_transaction_v4(buf, pos)
            aborted_transactions.append(aborted_transactions_item)
    (n,) = _read_i(buf, pos)
    pos += 4
    records: Records | None
    if n < 0:
        records = None
    else:
        end = pos + n
        records = memoryview(buf)[pos:end]
        pos = end
    return PartitionData(partition_index, error_code, high_watermark, last_stable_offset, -1, _DEFAULT_EpochEndOffset, _DEFAULT_LeaderIdAndEpoch, _DEFAULT_SnapshotId, aborted_transactions, -1, records), pos


def _decode_partition_data_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionData, int]:
    partition_index, error_code, high_watermark, last_stable_offset, log_start_offset, n = _read_ihqqqi(buf, pos)
    pos += 34
    aborted_transactions: list[AbortedTransaction] | None
    if n < 0:
        aborted_transactions = None
    else:
        if n > budget[0] or n * 16 > len(buf) - pos:
            raise count_error("PartitionData.aborted_transactions", n)
        budget[0] -= n
        aborted_transactions = []
        for _ in range(n):
            aborted_transactions_item, pos = _decode_aborted_transaction_v4(buf, pos)
            aborted_transactions.append(aborted_transactions_item)
    (n,) = _read_i(buf, pos)
    pos += 4
    records: Records | None
    if n < 0:
        records = None
    else:
        end = pos + n
        records = memoryview(buf)[pos:end]
        pos = end
    return PartitionData(partition_index, error_code, high_watermark, last_stable_offset, log_start_offset, _DEFAULT_EpochEndOffset, _DEFAULT_LeaderIdAndEpoch, _DEFAULT_SnapshotId, aborted_transactions, -1, records), pos


def _decode_partition_data_v11(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionData, int]:
    partition_index, error_code, high_watermark, last_stable_offset, log_start_offset, n = _read_ihqqqi(buf, pos)
    pos += 34
    aborted_transactions: list[AbortedTransaction] | None
    if n < 0:
        aborted_transactions = None
    else:
        if n > budget[0] or n * 16 > len(buf) - pos:
            raise count_error("PartitionData.aborted_transactions", n)
        budget[0] -= n
        aborted_transactions = []
        for _ in range(n):
            aborted_transactions_item, pos = _decode_aborted_transaction_v4(buf, pos)
            aborted_transactions.append(aborted_transactions_item)
    preferred_read_replica, n = _read_ii(buf, pos)
    pos += 8
    records: Records | None
    if n < 0:
        records = None
    else:
        end = pos + n
        records = memoryview(buf)[pos:end]
        pos = end
    return PartitionData(partition_index, error_code, high_watermark, last_stable_offset, log_start_offset, _DEFAULT_EpochEndOffset, _DEFAULT_LeaderIdAndEpoch, _DEFAULT_SnapshotId, aborted_transactions, preferred_read_replica, records), pos


def _decode_partition_data_v12(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionData, int]:
    partition_index, error_code, high_watermark, last_stable_offset, log_start_offset, n = _read_ihqqqB(buf, pos)
    pos += 31
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    aborted_transactions: list[AbortedTransaction] | None
    if not n:
        aborted_transactions = None
    else:
        n -= 1
        if n > budget[0] or n * 17 > len(buf) - pos:
            raise count_error("PartitionData.aborted_transactions", n)
        budget[0] -= n
        aborted_transactions = []
        for _ in range(n):
            aborted_transactions_item, pos = _decode_aborted_transaction_v12(buf, pos)
            aborted_transactions.append(aborted_transactions_item)
    preferred_read_replica, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    records: Records | None
    if not n:
        records = None
    else:
        end = pos + n - 1
        records = memoryview(buf)[pos:end]
        pos = end
    n = buf[pos]
    pos += 1
    diverging_epoch: EpochEndOffset = _DEFAULT_EpochEndOffset
    current_leader: LeaderIdAndEpoch = _DEFAULT_LeaderIdAndEpoch
    snapshot_id: SnapshotId = _DEFAULT_SnapshotId
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("PartitionData")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                diverging_epoch, pos = _decode_epoch_end_offset_v12(buf, pos)
            elif tag == 1:
                current_leader, pos = _decode_leader_id_and_epoch_v12(buf, pos)
            elif tag == 2:
                snapshot_id, pos = _decode_snapshot_id_v12(buf, pos)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("PartitionData", tag)
    return PartitionData(partition_index, error_code, high_watermark, last_stable_offset, log_start_offset, diverging_epoch, current_leader, snapshot_id, aborted_transactions, preferred_read_replica, records), pos


def _decode_fetchable_topic_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchableTopicResponse, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("FetchableTopicResponse.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("FetchableTopicResponse.partitions")
    if n > budget[0] or n * 30 > len(buf) - pos:
        raise count_error("FetchableTopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v4(buf, pos, budget)
        partitions.append(partitions_item)
    return FetchableTopicResponse(topic, ZERO_UUID, partitions), pos


def _decode_fetchable_topic_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchableTopicResponse, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("FetchableTopicResponse.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("FetchableTopicResponse.partitions")
    if n > budget[0] or n * 38 > len(buf) - pos:
        raise count_error("FetchableTopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v5(buf, pos, budget)
        partitions.append(partitions_item)
    return FetchableTopicResponse(topic, ZERO_UUID, partitions), pos


def _decode_fetchable_topic_response_v11(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchableTopicResponse, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("FetchableTopicResponse.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("FetchableTopicResponse.partitions")
    if n > budget[0] or n * 42 > len(buf) - pos:
        raise count_error("FetchableTopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v11(buf, pos, budget)
        partitions.append(partitions_item)
    return FetchableTopicResponse(topic, ZERO_UUID, partitions), pos


def _decode_fetchable_topic_response_v12(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchableTopicResponse, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("FetchableTopicResponse.topic")
    end = pos + n - 1
    topic = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchableTopicResponse.partitions")
    n -= 1
    if n > budget[0] or n * 37 > len(buf) - pos:
        raise count_error("FetchableTopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v12(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchableTopicResponse(topic, ZERO_UUID, partitions), pos


def _decode_fetchable_topic_response_v13(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchableTopicResponse, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchableTopicResponse.partitions")
    n -= 1
    if n > budget[0] or n * 37 > len(buf) - pos:
        raise count_error("FetchableTopicResponse.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v12(buf, pos, budget)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchableTopicResponse("", topic_id, partitions), pos


def _decode_node_endpoint_v16(buf: Buffer, pos: int) -> tuple[NodeEndpoint, int]:
    node_id, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("NodeEndpoint.host")
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
    return NodeEndpoint(node_id, host, port, rack), pos


def _decode_fetch_response_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("FetchResponse.responses")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_fetchable_topic_response_v4(buf, pos, budget)
        responses.append(responses_item)
    return FetchResponse(throttle_time_ms, 0, 0, responses, ()), pos


def _decode_fetch_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("FetchResponse.responses")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_fetchable_topic_response_v5(buf, pos, budget)
        responses.append(responses_item)
    return FetchResponse(throttle_time_ms, 0, 0, responses, ()), pos


def _decode_fetch_response_v7(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id, n = _read_ihii(buf, pos)
    pos += 14
    if n < 0:
        raise null_error("FetchResponse.responses")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_fetchable_topic_response_v5(buf, pos, budget)
        responses.append(responses_item)
    return FetchResponse(throttle_time_ms, error_code, session_id, responses, ()), pos


def _decode_fetch_response_v11(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id, n = _read_ihii(buf, pos)
    pos += 14
    if n < 0:
        raise null_error("FetchResponse.responses")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("FetchResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_fetchable_topic_response_v11(buf, pos, budget)
        responses.append(responses_item)
    return FetchResponse(throttle_time_ms, error_code, session_id, responses, ()), pos


def _decode_fetch_response_v12(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id, n = _read_ihiB(buf, pos)
    pos += 11
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchResponse.responses")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("FetchResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_fetchable_topic_response_v12(buf, pos, budget)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchResponse(throttle_time_ms, error_code, session_id, responses, ()), pos


def _decode_fetch_response_v13(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id, n = _read_ihiB(buf, pos)
    pos += 11
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchResponse.responses")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("FetchResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_fetchable_topic_response_v13(buf, pos, budget)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return FetchResponse(throttle_time_ms, error_code, session_id, responses, ()), pos


def _decode_fetch_response_v16(buf: Buffer, pos: int, budget: list[int]) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id, n = _read_ihiB(buf, pos)
    pos += 11
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("FetchResponse.responses")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("FetchResponse.responses", n)
    budget[0] -= n
    responses = []
    for _ in range(n):
        responses_item, pos = _decode_fetchable_topic_response_v13(buf, pos, budget)
        responses.append(responses_item)
    n = buf[pos]
    pos += 1
    node_endpoints: list[NodeEndpoint] | tuple[()] = ()
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("FetchResponse")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    raise null_error("FetchResponse.node_endpoints")
                n -= 1
                if n > budget[0] or n * 11 > len(buf) - pos:
                    raise count_error("FetchResponse.node_endpoints", n)
                budget[0] -= n
                node_endpoints = []
                for _ in range(n):
                    node_endpoints_item, pos = _decode_node_endpoint_v16(buf, pos)
                    node_endpoints.append(node_endpoints_item)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("FetchResponse", tag)
    return FetchResponse(throttle_time_ms, error_code, session_id, responses, node_endpoints), pos


def _encode_epoch_end_offset_v12(m: EpochEndOffset, w: bytearray) -> None:
    w += _write_iqx(m.epoch, m.end_offset)


def _encode_leader_id_and_epoch_v12(m: LeaderIdAndEpoch, w: bytearray) -> None:
    w += _write_iix(m.leader_id, m.leader_epoch)


def _encode_snapshot_id_v12(m: SnapshotId, w: bytearray) -> None:
    w += _write_qix(m.end_offset, m.epoch)


def _encode_aborted_transaction_v4(m: AbortedTransaction, w: bytearray) -> None:
    w += _write_qq(m.producer_id, m.first_offset)


def _encode_aborted_transaction_v12(m: AbortedTransaction, w: bytearray) -> None:
    w += _write_qqx(m.producer_id, m.first_offset)


def _encode_partition_data_v4(m: PartitionData, out: Parts) -> None:
    if m.diverging_epoch is not _DEFAULT_EpochEndOffset and m.diverging_epoch != _DEFAULT_EpochEndOffset:
        raise UnsupportedFieldError("PartitionData.diverging_epoch", "12+")
    if m.current_leader is not _DEFAULT_LeaderIdAndEpoch and m.current_leader != _DEFAULT_LeaderIdAndEpoch:
        raise UnsupportedFieldError("PartitionData.current_leader", "12+")
    if m.snapshot_id is not _DEFAULT_SnapshotId and m.snapshot_id != _DEFAULT_SnapshotId:
        raise UnsupportedFieldError("PartitionData.snapshot_id", "12+")
    if m.preferred_read_replica != -1:
        raise UnsupportedFieldError("PartitionData.preferred_read_replica", "11+")
    w = out[-1]
    w += _write_ihqq(m.partition_index, m.error_code, m.high_watermark, m.last_stable_offset)
    if m.aborted_transactions is None:
        w += NULL_INT32
    else:
        n = len(m.aborted_transactions)
        w += _write_i(n)
        for aborted_transactions_item in m.aborted_transactions:
            _encode_aborted_transaction_v4(aborted_transactions_item, w)
    w = put_nullable_records(out, m.records)


def _encode_partition_data_v5(m: PartitionData, out: Parts) -> None:
    if m.diverging_epoch is not _DEFAULT_EpochEndOffset and m.diverging_epoch != _DEFAULT_EpochEndOffset:
        raise UnsupportedFieldError("PartitionData.diverging_epoch", "12+")
    if m.current_leader is not _DEFAULT_LeaderIdAndEpoch and m.current_leader != _DEFAULT_LeaderIdAndEpoch:
        raise UnsupportedFieldError("PartitionData.current_leader", "12+")
    if m.snapshot_id is not _DEFAULT_SnapshotId and m.snapshot_id != _DEFAULT_SnapshotId:
        raise UnsupportedFieldError("PartitionData.snapshot_id", "12+")
    if m.preferred_read_replica != -1:
        raise UnsupportedFieldError("PartitionData.preferred_read_replica", "11+")
    w = out[-1]
    w += _write_ihqqq(m.partition_index, m.error_code, m.high_watermark, m.last_stable_offset, m.log_start_offset)
    if m.aborted_transactions is None:
        w += NULL_INT32
    else:
        n = len(m.aborted_transactions)
        w += _write_i(n)
        for aborted_transactions_item in m.aborted_transactions:
            _encode_aborted_transaction_v4(aborted_transactions_item, w)
    w = put_nullable_records(out, m.records)


def _encode_partition_data_v11(m: PartitionData, out: Parts) -> None:
    if m.diverging_epoch is not _DEFAULT_EpochEndOffset and m.diverging_epoch != _DEFAULT_EpochEndOffset:
        raise UnsupportedFieldError("PartitionData.diverging_epoch", "12+")
    if m.current_leader is not _DEFAULT_LeaderIdAndEpoch and m.current_leader != _DEFAULT_LeaderIdAndEpoch:
        raise UnsupportedFieldError("PartitionData.current_leader", "12+")
    if m.snapshot_id is not _DEFAULT_SnapshotId and m.snapshot_id != _DEFAULT_SnapshotId:
        raise UnsupportedFieldError("PartitionData.snapshot_id", "12+")
    w = out[-1]
    w += _write_ihqqq(m.partition_index, m.error_code, m.high_watermark, m.last_stable_offset, m.log_start_offset)
    if m.aborted_transactions is None:
        w += NULL_INT32
    else:
        n = len(m.aborted_transactions)
        w += _write_i(n)
        for aborted_transactions_item in m.aborted_transactions:
            _encode_aborted_transaction_v4(aborted_transactions_item, w)
    w += _write_i(m.preferred_read_replica)
    w = put_nullable_records(out, m.records)


def _encode_partition_data_v12(m: PartitionData, out: Parts) -> None:
    w = out[-1]
    w += _write_ihqqq(m.partition_index, m.error_code, m.high_watermark, m.last_stable_offset, m.log_start_offset)
    if m.aborted_transactions is None:
        w.append(0)
    else:
        n = len(m.aborted_transactions)
        put_uvarint(w, n + 1)
        for aborted_transactions_item in m.aborted_transactions:
            _encode_aborted_transaction_v12(aborted_transactions_item, w)
    w += _write_i(m.preferred_read_replica)
    w = put_compact_nullable_records(out, m.records)
    tags: Tags = []
    if m.diverging_epoch is not _DEFAULT_EpochEndOffset and m.diverging_epoch != _DEFAULT_EpochEndOffset:
        t = bytearray()
        _encode_epoch_end_offset_v12(m.diverging_epoch, t)
        tags.append(tagged(0, t))
    if m.current_leader is not _DEFAULT_LeaderIdAndEpoch and m.current_leader != _DEFAULT_LeaderIdAndEpoch:
        t = bytearray()
        _encode_leader_id_and_epoch_v12(m.current_leader, t)
        tags.append(tagged(1, t))
    if m.snapshot_id is not _DEFAULT_SnapshotId and m.snapshot_id != _DEFAULT_SnapshotId:
        t = bytearray()
        _encode_snapshot_id_v12(m.snapshot_id, t)
        tags.append(tagged(2, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_fetchable_topic_response_v4(m: FetchableTopicResponse, out: Parts) -> None:
    w = out[-1]
    put_string(w, m.topic)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_partition_data_v4(partitions_item, out)
    w = out[-1]


def _encode_fetchable_topic_response_v5(m: FetchableTopicResponse, out: Parts) -> None:
    w = out[-1]
    put_string(w, m.topic)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_partition_data_v5(partitions_item, out)
    w = out[-1]


def _encode_fetchable_topic_response_v11(m: FetchableTopicResponse, out: Parts) -> None:
    w = out[-1]
    put_string(w, m.topic)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_partition_data_v11(partitions_item, out)
    w = out[-1]


def _encode_fetchable_topic_response_v12(m: FetchableTopicResponse, out: Parts) -> None:
    w = out[-1]
    put_compact_string(w, m.topic)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_partition_data_v12(partitions_item, out)
    w = out[-1]
    w.append(0)


def _encode_fetchable_topic_response_v13(m: FetchableTopicResponse, out: Parts) -> None:
    w = out[-1]
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_partition_data_v12(partitions_item, out)
    w = out[-1]
    w.append(0)


def _encode_node_endpoint_v16(m: NodeEndpoint, w: bytearray) -> None:
    w += _write_i(m.node_id)
    put_compact_string(w, m.host)
    w += _write_i(m.port)
    put_compact_nullable_string(w, m.rack)
    w.append(0)


def _encode_fetch_response_v4(m: FetchResponse, out: Parts) -> None:
    if m.session_id != 0:
        raise UnsupportedFieldError("FetchResponse.session_id", "7+")
    if m.node_endpoints:
        raise UnsupportedFieldError("FetchResponse.node_endpoints", "16+")
    w = out[-1]
    w += _write_i(m.throttle_time_ms)
    n = len(m.responses)
    w += _write_i(n)
    for responses_item in m.responses:
        _encode_fetchable_topic_response_v4(responses_item, out)
    w = out[-1]


def _encode_fetch_response_v5(m: FetchResponse, out: Parts) -> None:
    if m.session_id != 0:
        raise UnsupportedFieldError("FetchResponse.session_id", "7+")
    if m.node_endpoints:
        raise UnsupportedFieldError("FetchResponse.node_endpoints", "16+")
    w = out[-1]
    w += _write_i(m.throttle_time_ms)
    n = len(m.responses)
    w += _write_i(n)
    for responses_item in m.responses:
        _encode_fetchable_topic_response_v5(responses_item, out)
    w = out[-1]


def _encode_fetch_response_v7(m: FetchResponse, out: Parts) -> None:
    if m.node_endpoints:
        raise UnsupportedFieldError("FetchResponse.node_endpoints", "16+")
    w = out[-1]
    w += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
    n = len(m.responses)
    w += _write_i(n)
    for responses_item in m.responses:
        _encode_fetchable_topic_response_v5(responses_item, out)
    w = out[-1]


def _encode_fetch_response_v11(m: FetchResponse, out: Parts) -> None:
    if m.node_endpoints:
        raise UnsupportedFieldError("FetchResponse.node_endpoints", "16+")
    w = out[-1]
    w += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
    n = len(m.responses)
    w += _write_i(n)
    for responses_item in m.responses:
        _encode_fetchable_topic_response_v11(responses_item, out)
    w = out[-1]


def _encode_fetch_response_v12(m: FetchResponse, out: Parts) -> None:
    if m.node_endpoints:
        raise UnsupportedFieldError("FetchResponse.node_endpoints", "16+")
    w = out[-1]
    w += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_fetchable_topic_response_v12(responses_item, out)
    w = out[-1]
    w.append(0)


def _encode_fetch_response_v13(m: FetchResponse, out: Parts) -> None:
    if m.node_endpoints:
        raise UnsupportedFieldError("FetchResponse.node_endpoints", "16+")
    w = out[-1]
    w += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_fetchable_topic_response_v13(responses_item, out)
    w = out[-1]
    w.append(0)


def _encode_fetch_response_v16(m: FetchResponse, out: Parts) -> None:
    w = out[-1]
    w += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
    n = len(m.responses)
    put_uvarint(w, n + 1)
    for responses_item in m.responses:
        _encode_fetchable_topic_response_v13(responses_item, out)
    w = out[-1]
    tags: Tags = []
    if m.node_endpoints:
        t = bytearray()
        n = len(m.node_endpoints)
        put_uvarint(t, n + 1)
        for node_endpoints_item in m.node_endpoints:
            _encode_node_endpoint_v16(node_endpoints_item, t)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_RESPONSE_DECODERS = {4: _decode_fetch_response_v4, 5: _decode_fetch_response_v5, 6: _decode_fetch_response_v5, 7: _decode_fetch_response_v7, 8: _decode_fetch_response_v7, 9: _decode_fetch_response_v7, 10: _decode_fetch_response_v7, 11: _decode_fetch_response_v11, 12: _decode_fetch_response_v12, 13: _decode_fetch_response_v13, 14: _decode_fetch_response_v13, 15: _decode_fetch_response_v13, 16: _decode_fetch_response_v16, 17: _decode_fetch_response_v16, 18: _decode_fetch_response_v16}
_RESPONSE_ENCODERS = {4: _encode_fetch_response_v4, 5: _encode_fetch_response_v5, 6: _encode_fetch_response_v5, 7: _encode_fetch_response_v7, 8: _encode_fetch_response_v7, 9: _encode_fetch_response_v7, 10: _encode_fetch_response_v7, 11: _encode_fetch_response_v11, 12: _encode_fetch_response_v12, 13: _encode_fetch_response_v13, 14: _encode_fetch_response_v13, 15: _encode_fetch_response_v13, 16: _encode_fetch_response_v16, 17: _encode_fetch_response_v16, 18: _encode_fetch_response_v16}


def decode_response(buf: Buffer, pos: int, version: int) -> FetchResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("FetchResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("FetchResponse", version, pos, len(buf))
    return message


def encode_response(message: FetchResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("FetchResponse", version)
    parts: Parts = [bytearray()]
    _RESPONSE_ENCODERS[version](message, parts)
    out += parts
