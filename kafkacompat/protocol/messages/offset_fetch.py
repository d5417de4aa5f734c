"""OffsetFetch, API key 9: request and response in every version."""

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

API_KEY = 9
MIN_VERSION = 1
MAX_VERSION = 10
FLEXIBLE_VERSION = 6


_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_read_tB = Struct(">?B").unpack_from
_write_tx = Struct(">?x").pack
_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_hB = Struct(">hB").unpack_from
_write_hx = Struct(">hx").pack
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ii = Struct(">ii").unpack_from
_write_iq = Struct(">iq").pack
_read_iqh = Struct(">iqh").unpack_from
_write_iqi = Struct(">iqi").pack
_read_iqiB = Struct(">iqiB").unpack_from
_read_iqih = Struct(">iqih").unpack_from


class OffsetFetchRequestTopic(Message):
    __slots__ = ("name", "partition_indexes")

    def __init__(
        self,
        name: str = "",
        partition_indexes: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.partition_indexes = partition_indexes


class OffsetFetchRequestTopics(Message):
    __slots__ = ("name", "topic_id", "partition_indexes")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partition_indexes: Sequence[int] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_indexes = partition_indexes


class OffsetFetchRequestGroup(Message):
    __slots__ = ("group_id", "member_id", "member_epoch", "topics")

    def __init__(
        self,
        group_id: str = "",
        member_id: str | None = None,
        member_epoch: int = -1,
        topics: Sequence[OffsetFetchRequestTopics] | None = (),
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.topics = topics


class OffsetFetchRequest(Message):
    __slots__ = ("group_id", "topics", "groups", "require_stable")

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[OffsetFetchRequestTopic] | None = (),
        groups: Sequence[OffsetFetchRequestGroup] = (),
        require_stable: bool = False,
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.groups = groups
        self.require_stable = require_stable


def _decode_offset_fetch_request_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequestTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetFetchRequestTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetFetchRequestTopic.partition_indexes")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("OffsetFetchRequestTopic.partition_indexes", n)
    budget[0] -= n
    partition_indexes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return OffsetFetchRequestTopic(name, partition_indexes), pos


def _decode_offset_fetch_request_topic_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequestTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequestTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequestTopic.partition_indexes")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("OffsetFetchRequestTopic.partition_indexes", n)
    budget[0] -= n
    partition_indexes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchRequestTopic(name, partition_indexes), pos


def _decode_offset_fetch_request_topics_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequestTopics, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequestTopics.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequestTopics.partition_indexes")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("OffsetFetchRequestTopics.partition_indexes", n)
    budget[0] -= n
    partition_indexes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchRequestTopics(name, ZERO_UUID, partition_indexes), pos


def _decode_offset_fetch_request_topics_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequestTopics, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequestTopics.partition_indexes")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("OffsetFetchRequestTopics.partition_indexes", n)
    budget[0] -= n
    partition_indexes = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchRequestTopics("", topic_id, partition_indexes), pos


def _decode_offset_fetch_request_group_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequestGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequestGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topics: list[OffsetFetchRequestTopics] | None
    if not n:
        topics = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("OffsetFetchRequestGroup.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topics_v8(buf, pos, budget)
            topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchRequestGroup(group_id, None, -1, topics), pos


def _decode_offset_fetch_request_group_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequestGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequestGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    member_id: str | None
    if not n:
        member_id = None
    else:
        end = pos + n - 1
        member_id = buf[pos:end].decode()
        pos = end
    member_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topics: list[OffsetFetchRequestTopics] | None
    if not n:
        topics = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("OffsetFetchRequestGroup.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topics_v8(buf, pos, budget)
            topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchRequestGroup(group_id, member_id, member_epoch, topics), pos


def _decode_offset_fetch_request_group_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequestGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequestGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    member_id: str | None
    if not n:
        member_id = None
    else:
        end = pos + n - 1
        member_id = buf[pos:end].decode()
        pos = end
    member_epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topics: list[OffsetFetchRequestTopics] | None
    if not n:
        topics = None
    else:
        n -= 1
        if n > budget[0] or n * 18 > len(buf) - pos:
            raise count_error("OffsetFetchRequestGroup.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topics_v10(buf, pos, budget)
            topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchRequestGroup(group_id, member_id, member_epoch, topics), pos


def _decode_offset_fetch_request_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetFetchRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetFetchRequest.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetFetchRequest.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_request_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    return OffsetFetchRequest(group_id, topics, (), False), pos


def _decode_offset_fetch_request_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequest, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetFetchRequest.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    topics: list[OffsetFetchRequestTopic] | None
    if n < 0:
        topics = None
    else:
        if n > budget[0] or n * 6 > len(buf) - pos:
            raise count_error("OffsetFetchRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topic_v1(buf, pos, budget)
            topics.append(topics_item)
    return OffsetFetchRequest(group_id, topics, (), False), pos


def _decode_offset_fetch_request_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topics: list[OffsetFetchRequestTopic] | None
    if not n:
        topics = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("OffsetFetchRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topic_v6(buf, pos, budget)
            topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchRequest(group_id, topics, (), False), pos


def _decode_offset_fetch_request_v7(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequest.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    topics: list[OffsetFetchRequestTopic] | None
    if not n:
        topics = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("OffsetFetchRequest.topics", n)
        budget[0] -= n
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topic_v6(buf, pos, budget)
            topics.append(topics_item)
    require_stable, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchRequest(group_id, topics, (), require_stable), pos


def _decode_offset_fetch_request_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequest.groups")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("OffsetFetchRequest.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_offset_fetch_request_group_v8(buf, pos, budget)
        groups.append(groups_item)
    require_stable, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchRequest("", (), groups, require_stable), pos


def _decode_offset_fetch_request_v9(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequest.groups")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("OffsetFetchRequest.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_offset_fetch_request_group_v9(buf, pos, budget)
        groups.append(groups_item)
    require_stable, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchRequest("", (), groups, require_stable), pos


def _decode_offset_fetch_request_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchRequest, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchRequest.groups")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("OffsetFetchRequest.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_offset_fetch_request_group_v10(buf, pos, budget)
        groups.append(groups_item)
    require_stable, n = _read_tB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchRequest("", (), groups, require_stable), pos


def _encode_offset_fetch_request_topic_v1(m: OffsetFetchRequestTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partition_indexes)
    w += pack(f">i{n}i", n, *m.partition_indexes)


def _encode_offset_fetch_request_topic_v6(m: OffsetFetchRequestTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partition_indexes)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partition_indexes)
    w.append(0)


def _encode_offset_fetch_request_topics_v8(m: OffsetFetchRequestTopics, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partition_indexes)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partition_indexes)
    w.append(0)


def _encode_offset_fetch_request_topics_v10(m: OffsetFetchRequestTopics, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partition_indexes)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partition_indexes)
    w.append(0)


def _encode_offset_fetch_request_group_v8(m: OffsetFetchRequestGroup, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    if m.topics is None:
        w.append(0)
    else:
        n = len(m.topics)
        put_uvarint(w, n + 1)
        for topics_item in m.topics:
            _encode_offset_fetch_request_topics_v8(topics_item, w)
    w.append(0)


def _encode_offset_fetch_request_group_v9(m: OffsetFetchRequestGroup, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    put_compact_nullable_string(w, m.member_id)
    w += _write_i(m.member_epoch)
    if m.topics is None:
        w.append(0)
    else:
        n = len(m.topics)
        put_uvarint(w, n + 1)
        for topics_item in m.topics:
            _encode_offset_fetch_request_topics_v8(topics_item, w)
    w.append(0)


def _encode_offset_fetch_request_group_v10(m: OffsetFetchRequestGroup, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    put_compact_nullable_string(w, m.member_id)
    w += _write_i(m.member_epoch)
    if m.topics is None:
        w.append(0)
    else:
        n = len(m.topics)
        put_uvarint(w, n + 1)
        for topics_item in m.topics:
            _encode_offset_fetch_request_topics_v10(topics_item, w)
    w.append(0)


def _encode_offset_fetch_request_v1(m: OffsetFetchRequest, w: bytearray) -> None:
    if m.groups:
        raise UnsupportedFieldError("OffsetFetchRequest.groups", "8+")
    if m.require_stable:
        raise UnsupportedFieldError("OffsetFetchRequest.require_stable", "7+")
    put_string(w, m.group_id)
    if m.topics is None:
        raise null_field_error("OffsetFetchRequest.topics")
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_fetch_request_topic_v1(topics_item, w)


def _encode_offset_fetch_request_v2(m: OffsetFetchRequest, w: bytearray) -> None:
    if m.groups:
        raise UnsupportedFieldError("OffsetFetchRequest.groups", "8+")
    if m.require_stable:
        raise UnsupportedFieldError("OffsetFetchRequest.require_stable", "7+")
    put_string(w, m.group_id)
    if m.topics is None:
        w += NULL_INT32
    else:
        n = len(m.topics)
        w += _write_i(n)
        for topics_item in m.topics:
            _encode_offset_fetch_request_topic_v1(topics_item, w)


def _encode_offset_fetch_request_v6(m: OffsetFetchRequest, w: bytearray) -> None:
    if m.groups:
        raise UnsupportedFieldError("OffsetFetchRequest.groups", "8+")
    if m.require_stable:
        raise UnsupportedFieldError("OffsetFetchRequest.require_stable", "7+")
    put_compact_string(w, m.group_id)
    if m.topics is None:
        w.append(0)
    else:
        n = len(m.topics)
        put_uvarint(w, n + 1)
        for topics_item in m.topics:
            _encode_offset_fetch_request_topic_v6(topics_item, w)
    w.append(0)


def _encode_offset_fetch_request_v7(m: OffsetFetchRequest, w: bytearray) -> None:
    if m.groups:
        raise UnsupportedFieldError("OffsetFetchRequest.groups", "8+")
    put_compact_string(w, m.group_id)
    if m.topics is None:
        w.append(0)
    else:
        n = len(m.topics)
        put_uvarint(w, n + 1)
        for topics_item in m.topics:
            _encode_offset_fetch_request_topic_v6(topics_item, w)
    w += _write_tx(m.require_stable)


def _encode_offset_fetch_request_v8(m: OffsetFetchRequest, w: bytearray) -> None:
    if m.group_id != "":
        raise UnsupportedFieldError("OffsetFetchRequest.group_id", "0-7")
    if m.topics is None or m.topics:
        raise UnsupportedFieldError("OffsetFetchRequest.topics", "0-7")
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        _encode_offset_fetch_request_group_v8(groups_item, w)
    w += _write_tx(m.require_stable)


def _encode_offset_fetch_request_v9(m: OffsetFetchRequest, w: bytearray) -> None:
    if m.group_id != "":
        raise UnsupportedFieldError("OffsetFetchRequest.group_id", "0-7")
    if m.topics is None or m.topics:
        raise UnsupportedFieldError("OffsetFetchRequest.topics", "0-7")
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        _encode_offset_fetch_request_group_v9(groups_item, w)
    w += _write_tx(m.require_stable)


def _encode_offset_fetch_request_v10(m: OffsetFetchRequest, w: bytearray) -> None:
    if m.group_id != "":
        raise UnsupportedFieldError("OffsetFetchRequest.group_id", "0-7")
    if m.topics is None or m.topics:
        raise UnsupportedFieldError("OffsetFetchRequest.topics", "0-7")
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        _encode_offset_fetch_request_group_v10(groups_item, w)
    w += _write_tx(m.require_stable)


_REQUEST_DECODERS = {1: _decode_offset_fetch_request_v1, 2: _decode_offset_fetch_request_v2, 3: _decode_offset_fetch_request_v2, 4: _decode_offset_fetch_request_v2, 5: _decode_offset_fetch_request_v2, 6: _decode_offset_fetch_request_v6, 7: _decode_offset_fetch_request_v7, 8: _decode_offset_fetch_request_v8, 9: _decode_offset_fetch_request_v9, 10: _decode_offset_fetch_request_v10}
_REQUEST_ENCODERS = {1: _encode_offset_fetch_request_v1, 2: _encode_offset_fetch_request_v2, 3: _encode_offset_fetch_request_v2, 4: _encode_offset_fetch_request_v2, 5: _encode_offset_fetch_request_v2, 6: _encode_offset_fetch_request_v6, 7: _encode_offset_fetch_request_v7, 8: _encode_offset_fetch_request_v8, 9: _encode_offset_fetch_request_v9, 10: _encode_offset_fetch_request_v10}


def decode_request(buf: Buffer, pos: int, version: int) -> OffsetFetchRequest:
    try:
        message, pos = _REQUEST_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("OffsetFetchRequest", version, error) from error
    if pos > len(buf):
        raise wrong_end("OffsetFetchRequest", version, pos, len(buf))
    return message


def encode_request(message: OffsetFetchRequest, version: int, out: Parts) -> None:
    if version not in _REQUEST_ENCODERS:
        raise UnsupportedVersionError("OffsetFetchRequest", version)
    w = bytearray()
    _REQUEST_ENCODERS[version](message, w)
    out.append(w)


class OffsetFetchResponsePartition(Message):
    __slots__ = ("partition_index", "committed_offset", "committed_leader_epoch", "metadata", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = "",
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code


class OffsetFetchResponseTopic(Message):
    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[OffsetFetchResponsePartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class OffsetFetchResponsePartitions(Message):
    __slots__ = ("partition_index", "committed_offset", "committed_leader_epoch", "metadata", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = "",
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code


class OffsetFetchResponseTopics(Message):
    __slots__ = ("name", "topic_id", "partitions")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[OffsetFetchResponsePartitions] = (),
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions


class OffsetFetchResponseGroup(Message):
    __slots__ = ("group_id", "topics", "error_code")

    def __init__(
        self,
        group_id: str = "",
        topics: Sequence[OffsetFetchResponseTopics] = (),
        error_code: int = 0,
    ) -> None:
        self.group_id = group_id
        self.topics = topics
        self.error_code = error_code


class OffsetFetchResponse(Message):
    __slots__ = ("throttle_time_ms", "topics", "error_code", "groups")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: Sequence[OffsetFetchResponseTopic] = (),
        error_code: int = 0,
        groups: Sequence[OffsetFetchResponseGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics
        self.error_code = error_code
        self.groups = groups


def _decode_offset_fetch_response_partition_v1(buf: Buffer, pos: int) -> tuple[OffsetFetchResponsePartition, int]:
    partition_index, committed_offset, n = _read_iqh(buf, pos)
    pos += 14
    metadata: str | None
    if n < 0:
        metadata = None
    else:
        end = pos + n
        metadata = buf[pos:end].decode()
        pos = end
    (error_code,) = _read_h(buf, pos)
    pos += 2
    return OffsetFetchResponsePartition(partition_index, committed_offset, -1, metadata, error_code), pos


def _decode_offset_fetch_response_partition_v5(buf: Buffer, pos: int) -> tuple[OffsetFetchResponsePartition, int]:
    partition_index, committed_offset, committed_leader_epoch, n = _read_iqih(buf, pos)
    pos += 18
    metadata: str | None
    if n < 0:
        metadata = None
    else:
        end = pos + n
        metadata = buf[pos:end].decode()
        pos = end
    (error_code,) = _read_h(buf, pos)
    pos += 2
    return OffsetFetchResponsePartition(partition_index, committed_offset, committed_leader_epoch, metadata, error_code), pos


def _decode_offset_fetch_response_partition_v6(buf: Buffer, pos: int) -> tuple[OffsetFetchResponsePartition, int]:
    partition_index, committed_offset, committed_leader_epoch, n = _read_iqiB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    metadata: str | None
    if not n:
        metadata = None
    else:
        end = pos + n - 1
        metadata = buf[pos:end].decode()
        pos = end
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchResponsePartition(partition_index, committed_offset, committed_leader_epoch, metadata, error_code), pos


def _decode_offset_fetch_response_topic_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponseTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetFetchResponseTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetFetchResponseTopic.partitions")
    if n > budget[0] or n * 16 > len(buf) - pos:
        raise count_error("OffsetFetchResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_fetch_response_partition_v1(buf, pos)
        partitions.append(partitions_item)
    return OffsetFetchResponseTopic(name, partitions), pos


def _decode_offset_fetch_response_topic_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponseTopic, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetFetchResponseTopic.name")
    end = pos + n
    name = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetFetchResponseTopic.partitions")
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("OffsetFetchResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_fetch_response_partition_v5(buf, pos)
        partitions.append(partitions_item)
    return OffsetFetchResponseTopic(name, partitions), pos


def _decode_offset_fetch_response_topic_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponseTopic, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponseTopic.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponseTopic.partitions")
    n -= 1
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("OffsetFetchResponseTopic.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_fetch_response_partition_v6(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchResponseTopic(name, partitions), pos


def _decode_offset_fetch_response_partitions_v8(buf: Buffer, pos: int) -> tuple[OffsetFetchResponsePartitions, int]:
    partition_index, committed_offset, committed_leader_epoch, n = _read_iqiB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    metadata: str | None
    if not n:
        metadata = None
    else:
        end = pos + n - 1
        metadata = buf[pos:end].decode()
        pos = end
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchResponsePartitions(partition_index, committed_offset, committed_leader_epoch, metadata, error_code), pos


def _decode_offset_fetch_response_topics_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponseTopics, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponseTopics.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponseTopics.partitions")
    n -= 1
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("OffsetFetchResponseTopics.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_fetch_response_partitions_v8(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchResponseTopics(name, ZERO_UUID, partitions), pos


def _decode_offset_fetch_response_topics_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponseTopics, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponseTopics.partitions")
    n -= 1
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("OffsetFetchResponseTopics.partitions", n)
    budget[0] -= n
    partitions = []
    for _ in range(n):
        partitions_item, pos = _decode_offset_fetch_response_partitions_v8(buf, pos)
        partitions.append(partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchResponseTopics("", topic_id, partitions), pos


def _decode_offset_fetch_response_group_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponseGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponseGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponseGroup.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("OffsetFetchResponseGroup.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_response_topics_v8(buf, pos, budget)
        topics.append(topics_item)
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchResponseGroup(group_id, topics, error_code), pos


def _decode_offset_fetch_response_group_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponseGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponseGroup.group_id")
    end = pos + n - 1
    group_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponseGroup.topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("OffsetFetchResponseGroup.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_response_topics_v10(buf, pos, budget)
        topics.append(topics_item)
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchResponseGroup(group_id, topics, error_code), pos


def _decode_offset_fetch_response_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponse, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetFetchResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetFetchResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_response_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    return OffsetFetchResponse(0, topics, 0, ()), pos


def _decode_offset_fetch_response_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponse, int]:
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("OffsetFetchResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetFetchResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_response_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    (error_code,) = _read_h(buf, pos)
    pos += 2
    return OffsetFetchResponse(0, topics, error_code, ()), pos


def _decode_offset_fetch_response_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("OffsetFetchResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetFetchResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_response_topic_v1(buf, pos, budget)
        topics.append(topics_item)
    (error_code,) = _read_h(buf, pos)
    pos += 2
    return OffsetFetchResponse(throttle_time_ms, topics, error_code, ()), pos


def _decode_offset_fetch_response_v5(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponse, int]:
    throttle_time_ms, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("OffsetFetchResponse.topics")
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("OffsetFetchResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_response_topic_v5(buf, pos, budget)
        topics.append(topics_item)
    (error_code,) = _read_h(buf, pos)
    pos += 2
    return OffsetFetchResponse(throttle_time_ms, topics, error_code, ()), pos


def _decode_offset_fetch_response_v6(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponse.topics")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("OffsetFetchResponse.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_offset_fetch_response_topic_v6(buf, pos, budget)
        topics.append(topics_item)
    error_code, n = _read_hB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchResponse(throttle_time_ms, topics, error_code, ()), pos


def _decode_offset_fetch_response_v8(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponse.groups")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("OffsetFetchResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_offset_fetch_response_group_v8(buf, pos, budget)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchResponse(throttle_time_ms, (), 0, groups), pos


def _decode_offset_fetch_response_v10(buf: Buffer, pos: int, budget: list[int]) -> tuple[OffsetFetchResponse, int]:
    throttle_time_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetFetchResponse.groups")
    n -= 1
    if n > budget[0] or n * 5 > len(buf) - pos:
        raise count_error("OffsetFetchResponse.groups", n)
    budget[0] -= n
    groups = []
    for _ in range(n):
        groups_item, pos = _decode_offset_fetch_response_group_v10(buf, pos, budget)
        groups.append(groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return OffsetFetchResponse(throttle_time_ms, (), 0, groups), pos


def _encode_offset_fetch_response_partition_v1(m: OffsetFetchResponsePartition, w: bytearray) -> None:
    w += _write_iq(m.partition_index, m.committed_offset)
    put_nullable_string(w, m.metadata)
    w += _write_h(m.error_code)


def _encode_offset_fetch_response_partition_v5(m: OffsetFetchResponsePartition, w: bytearray) -> None:
    w += _write_iqi(m.partition_index, m.committed_offset, m.committed_leader_epoch)
    put_nullable_string(w, m.metadata)
    w += _write_h(m.error_code)


def _encode_offset_fetch_response_partition_v6(m: OffsetFetchResponsePartition, w: bytearray) -> None:
    w += _write_iqi(m.partition_index, m.committed_offset, m.committed_leader_epoch)
    put_compact_nullable_string(w, m.metadata)
    w += _write_hx(m.error_code)


def _encode_offset_fetch_response_topic_v1(m: OffsetFetchResponseTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_offset_fetch_response_partition_v1(partitions_item, w)


def _encode_offset_fetch_response_topic_v5(m: OffsetFetchResponseTopic, w: bytearray) -> None:
    put_string(w, m.name)
    n = len(m.partitions)
    w += _write_i(n)
    for partitions_item in m.partitions:
        _encode_offset_fetch_response_partition_v5(partitions_item, w)


def _encode_offset_fetch_response_topic_v6(m: OffsetFetchResponseTopic, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_offset_fetch_response_partition_v6(partitions_item, w)
    w.append(0)


def _encode_offset_fetch_response_partitions_v8(m: OffsetFetchResponsePartitions, w: bytearray) -> None:
    w += _write_iqi(m.partition_index, m.committed_offset, m.committed_leader_epoch)
    put_compact_nullable_string(w, m.metadata)
    w += _write_hx(m.error_code)


def _encode_offset_fetch_response_topics_v8(m: OffsetFetchResponseTopics, w: bytearray) -> None:
    put_compact_string(w, m.name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_offset_fetch_response_partitions_v8(partitions_item, w)
    w.append(0)


def _encode_offset_fetch_response_topics_v10(m: OffsetFetchResponseTopics, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    for partitions_item in m.partitions:
        _encode_offset_fetch_response_partitions_v8(partitions_item, w)
    w.append(0)


def _encode_offset_fetch_response_group_v8(m: OffsetFetchResponseGroup, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_offset_fetch_response_topics_v8(topics_item, w)
    w += _write_hx(m.error_code)


def _encode_offset_fetch_response_group_v10(m: OffsetFetchResponseGroup, w: bytearray) -> None:
    put_compact_string(w, m.group_id)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_offset_fetch_response_topics_v10(topics_item, w)
    w += _write_hx(m.error_code)


def _encode_offset_fetch_response_v1(m: OffsetFetchResponse, w: bytearray) -> None:
    if m.groups:
        raise UnsupportedFieldError("OffsetFetchResponse.groups", "8+")
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_fetch_response_topic_v1(topics_item, w)


def _encode_offset_fetch_response_v2(m: OffsetFetchResponse, w: bytearray) -> None:
    if m.groups:
        raise UnsupportedFieldError("OffsetFetchResponse.groups", "8+")
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_fetch_response_topic_v1(topics_item, w)
    w += _write_h(m.error_code)


def _encode_offset_fetch_response_v3(m: OffsetFetchResponse, w: bytearray) -> None:
    if m.groups:
        raise UnsupportedFieldError("OffsetFetchResponse.groups", "8+")
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_fetch_response_topic_v1(topics_item, w)
    w += _write_h(m.error_code)


def _encode_offset_fetch_response_v5(m: OffsetFetchResponse, w: bytearray) -> None:
    if m.groups:
        raise UnsupportedFieldError("OffsetFetchResponse.groups", "8+")
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    w += _write_i(n)
    for topics_item in m.topics:
        _encode_offset_fetch_response_topic_v5(topics_item, w)
    w += _write_h(m.error_code)


def _encode_offset_fetch_response_v6(m: OffsetFetchResponse, w: bytearray) -> None:
    if m.groups:
        raise UnsupportedFieldError("OffsetFetchResponse.groups", "8+")
    w += _write_i(m.throttle_time_ms)
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_offset_fetch_response_topic_v6(topics_item, w)
    w += _write_hx(m.error_code)


def _encode_offset_fetch_response_v8(m: OffsetFetchResponse, w: bytearray) -> None:
    if m.topics:
        raise UnsupportedFieldError("OffsetFetchResponse.topics", "0-7")
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_offset_fetch_response_group_v8(groups_item, w)
    w.append(0)


def _encode_offset_fetch_response_v10(m: OffsetFetchResponse, w: bytearray) -> None:
    if m.topics:
        raise UnsupportedFieldError("OffsetFetchResponse.topics", "0-7")
    w += _write_i(m.throttle_time_ms)
    n = len(m.groups)
    put_uvarint(w, n + 1)
    for groups_item in m.groups:
        if isinstance(groups_item, bytes):
            w += groups_item
        else:
            _encode_offset_fetch_response_group_v10(groups_item, w)
    w.append(0)


_RESPONSE_DECODERS = {1: _decode_offset_fetch_response_v1, 2: _decode_offset_fetch_response_v2, 3: _decode_offset_fetch_response_v3, 4: _decode_offset_fetch_response_v3, 5: _decode_offset_fetch_response_v5, 6: _decode_offset_fetch_response_v6, 7: _decode_offset_fetch_response_v6, 8: _decode_offset_fetch_response_v8, 9: _decode_offset_fetch_response_v8, 10: _decode_offset_fetch_response_v10}
_RESPONSE_ENCODERS = {1: _encode_offset_fetch_response_v1, 2: _encode_offset_fetch_response_v2, 3: _encode_offset_fetch_response_v3, 4: _encode_offset_fetch_response_v3, 5: _encode_offset_fetch_response_v5, 6: _encode_offset_fetch_response_v6, 7: _encode_offset_fetch_response_v6, 8: _encode_offset_fetch_response_v8, 9: _encode_offset_fetch_response_v8, 10: _encode_offset_fetch_response_v10}


def decode_response(buf: Buffer, pos: int, version: int) -> OffsetFetchResponse:
    try:
        message, pos = _RESPONSE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("OffsetFetchResponse", version, error) from error
    if pos != len(buf):
        raise wrong_end("OffsetFetchResponse", version, pos, len(buf))
    return message


def encode_response(message: OffsetFetchResponse, version: int, out: Parts) -> None:
    if version not in _RESPONSE_ENCODERS:
        raise UnsupportedVersionError("OffsetFetchResponse", version)
    w = bytearray()
    _RESPONSE_ENCODERS[version](message, w)
    out.append(w)


_OFFSET_FETCH_RESPONSE_GROUP_ENCODERS = {8: _encode_offset_fetch_response_group_v8, 9: _encode_offset_fetch_response_group_v8, 10: _encode_offset_fetch_response_group_v10}


def encode_offset_fetch_response_group(item: OffsetFetchResponseGroup, version: int) -> bytes:
    if version not in _OFFSET_FETCH_RESPONSE_GROUP_ENCODERS:
        raise UnsupportedVersionError("OffsetFetchResponseGroup", version)
    w = bytearray()
    _OFFSET_FETCH_RESPONSE_GROUP_ENCODERS[version](item, w)
    return bytes(w)
