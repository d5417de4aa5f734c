"""Records of __consumer_offsets."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct, pack, unpack_from

from kafkacompat.protocol.internal.framing import (
    decode_typed_key,
    decode_typed_value,
    encode_typed_key,
    encode_typed_value,
)
from kafkacompat.protocol.primitives import (
    DECODE_ERRORS,
    MAX_ELEMENTS,
    MAX_TAGGED_FIELDS,
    Message,
    UnsupportedVersionError,
    ZERO_UUID,
    count_error,
    frozen,
    malformed,
    null_error,
    put_bytes,
    put_compact_bytes,
    put_compact_nullable_string,
    put_compact_string,
    put_nullable_string,
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

    from kafkacompat.protocol.internal.framing import RecordTable
    from kafkacompat.protocol.primitives import Buffer, Parts, Tags


_read_u = Struct(">16s").unpack_from
_write_u = Struct(">16s").pack
_read_uB = Struct(">16sB").unpack_from
_read_HB = Struct(">HB").unpack_from
_write_Hx = Struct(">Hx").pack
_read_b = Struct(">b").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_write_ih = Struct(">ih").pack
_read_ihB = Struct(">ihB").unpack_from
_read_ii = Struct(">ii").unpack_from
_write_ii = Struct(">ii").pack
_read_iiB = Struct(">iiB").unpack_from
_write_iib = Struct(">iib").pack
_read_iibB = Struct(">iibB").unpack_from
_read_iii = Struct(">iii").unpack_from
_write_iq = Struct(">iq").pack
_read_iqB = Struct(">iqB").unpack_from
_write_iqx = Struct(">iqx").pack
_read_q = Struct(">q").unpack_from
_write_q = Struct(">q").pack
_read_qB = Struct(">qB").unpack_from
_read_qh = Struct(">qh").unpack_from
_read_qi = Struct(">qi").unpack_from
_write_qi = Struct(">qi").pack
_read_qiB = Struct(">qiB").unpack_from
_read_qih = Struct(">qih").unpack_from
_read_qq = Struct(">qq").unpack_from
_write_qq = Struct(">qq").pack
_read_qqB = Struct(">qqB").unpack_from
_write_qqx = Struct(">qqx").pack


class LegacyOffsetCommitKey(Message):
    __slots__ = ("group", "topic", "partition")

    def __init__(
        self,
        group: str = "",
        topic: str = "",
        partition: int = 0,
    ) -> None:
        self.group = group
        self.topic = topic
        self.partition = partition


def _decode_legacy_offset_commit_key_v0(buf: Buffer, pos: int) -> tuple[LegacyOffsetCommitKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("LegacyOffsetCommitKey.group")
    end = pos + n
    group = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("LegacyOffsetCommitKey.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (partition,) = _read_i(buf, pos)
    pos += 4
    return LegacyOffsetCommitKey(group, topic, partition), pos


def _encode_legacy_offset_commit_key_v0(m: LegacyOffsetCommitKey, w: bytearray) -> None:
    put_string(w, m.group)
    put_string(w, m.topic)
    w += _write_i(m.partition)


_LEGACY_OFFSET_COMMIT_KEY_DECODERS = {0: _decode_legacy_offset_commit_key_v0}
_LEGACY_OFFSET_COMMIT_KEY_ENCODERS = {0: _encode_legacy_offset_commit_key_v0}


def decode_legacy_offset_commit_key(buf: Buffer, pos: int, version: int) -> LegacyOffsetCommitKey:
    try:
        message, pos = _LEGACY_OFFSET_COMMIT_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("LegacyOffsetCommitKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("LegacyOffsetCommitKey", version, pos, len(buf))
    return message


def encode_legacy_offset_commit_key(message: LegacyOffsetCommitKey, version: int, out: Parts) -> None:
    if version not in _LEGACY_OFFSET_COMMIT_KEY_ENCODERS:
        raise UnsupportedVersionError("LegacyOffsetCommitKey", version)
    w = bytearray()
    _LEGACY_OFFSET_COMMIT_KEY_ENCODERS[version](message, w)
    out.append(w)


class LegacyOffsetCommitValue(Message):
    __slots__ = ("offset", "metadata", "commit_timestamp")

    def __init__(
        self,
        offset: int = 0,
        metadata: str = "",
        commit_timestamp: int = 0,
    ) -> None:
        self.offset = offset
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp


def _decode_legacy_offset_commit_value_v0(buf: Buffer, pos: int) -> tuple[LegacyOffsetCommitValue, int]:
    offset, n = _read_qh(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("LegacyOffsetCommitValue.metadata")
    end = pos + n
    metadata = buf[pos:end].decode()
    pos = end
    (commit_timestamp,) = _read_q(buf, pos)
    pos += 8
    return LegacyOffsetCommitValue(offset, metadata, commit_timestamp), pos


def _encode_legacy_offset_commit_value_v0(m: LegacyOffsetCommitValue, w: bytearray) -> None:
    w += _write_q(m.offset)
    put_string(w, m.metadata)
    w += _write_q(m.commit_timestamp)


_LEGACY_OFFSET_COMMIT_VALUE_DECODERS = {0: _decode_legacy_offset_commit_value_v0}
_LEGACY_OFFSET_COMMIT_VALUE_ENCODERS = {0: _encode_legacy_offset_commit_value_v0}


def decode_legacy_offset_commit_value(buf: Buffer, pos: int, version: int) -> LegacyOffsetCommitValue:
    try:
        message, pos = _LEGACY_OFFSET_COMMIT_VALUE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("LegacyOffsetCommitValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("LegacyOffsetCommitValue", version, pos, len(buf))
    return message


def encode_legacy_offset_commit_value(message: LegacyOffsetCommitValue, version: int, out: Parts) -> None:
    if version not in _LEGACY_OFFSET_COMMIT_VALUE_ENCODERS:
        raise UnsupportedVersionError("LegacyOffsetCommitValue", version)
    w = bytearray()
    _LEGACY_OFFSET_COMMIT_VALUE_ENCODERS[version](message, w)
    out.append(w)


class OffsetCommitKey(Message):
    __slots__ = ("group", "topic", "partition")

    def __init__(
        self,
        group: str = "",
        topic: str = "",
        partition: int = 0,
    ) -> None:
        self.group = group
        self.topic = topic
        self.partition = partition


def _decode_offset_commit_key_v0(buf: Buffer, pos: int) -> tuple[OffsetCommitKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetCommitKey.group")
    end = pos + n
    group = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("OffsetCommitKey.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (partition,) = _read_i(buf, pos)
    pos += 4
    return OffsetCommitKey(group, topic, partition), pos


def _encode_offset_commit_key_v0(m: OffsetCommitKey, w: bytearray) -> None:
    put_string(w, m.group)
    put_string(w, m.topic)
    w += _write_i(m.partition)


_OFFSET_COMMIT_KEY_DECODERS = {0: _decode_offset_commit_key_v0}
_OFFSET_COMMIT_KEY_ENCODERS = {0: _encode_offset_commit_key_v0}


def decode_offset_commit_key(buf: Buffer, pos: int, version: int) -> OffsetCommitKey:
    try:
        message, pos = _OFFSET_COMMIT_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("OffsetCommitKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("OffsetCommitKey", version, pos, len(buf))
    return message


def encode_offset_commit_key(message: OffsetCommitKey, version: int, out: Parts) -> None:
    if version not in _OFFSET_COMMIT_KEY_ENCODERS:
        raise UnsupportedVersionError("OffsetCommitKey", version)
    w = bytearray()
    _OFFSET_COMMIT_KEY_ENCODERS[version](message, w)
    out.append(w)


class OffsetCommitValue(Message):
    __slots__ = ("offset", "leader_epoch", "metadata", "commit_timestamp", "expire_timestamp", "topic_id")

    def __init__(
        self,
        offset: int = 0,
        leader_epoch: int = -1,
        metadata: str = "",
        commit_timestamp: int = 0,
        expire_timestamp: int = -1,
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp
        self.expire_timestamp = expire_timestamp
        self.topic_id = topic_id


def _decode_offset_commit_value_v0(buf: Buffer, pos: int) -> tuple[OffsetCommitValue, int]:
    offset, n = _read_qh(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("OffsetCommitValue.metadata")
    end = pos + n
    metadata = buf[pos:end].decode()
    pos = end
    (commit_timestamp,) = _read_q(buf, pos)
    pos += 8
    return OffsetCommitValue(offset, -1, metadata, commit_timestamp, -1, ZERO_UUID), pos


def _decode_offset_commit_value_v1(buf: Buffer, pos: int) -> tuple[OffsetCommitValue, int]:
    offset, n = _read_qh(buf, pos)
    pos += 10
    if n < 0:
        raise null_error("OffsetCommitValue.metadata")
    end = pos + n
    metadata = buf[pos:end].decode()
    pos = end
    commit_timestamp, expire_timestamp = _read_qq(buf, pos)
    pos += 16
    return OffsetCommitValue(offset, -1, metadata, commit_timestamp, expire_timestamp, ZERO_UUID), pos


def _decode_offset_commit_value_v3(buf: Buffer, pos: int) -> tuple[OffsetCommitValue, int]:
    offset, leader_epoch, n = _read_qih(buf, pos)
    pos += 14
    if n < 0:
        raise null_error("OffsetCommitValue.metadata")
    end = pos + n
    metadata = buf[pos:end].decode()
    pos = end
    (commit_timestamp,) = _read_q(buf, pos)
    pos += 8
    return OffsetCommitValue(offset, leader_epoch, metadata, commit_timestamp, -1, ZERO_UUID), pos


def _decode_offset_commit_value_v4(buf: Buffer, pos: int) -> tuple[OffsetCommitValue, int]:
    offset, leader_epoch, n = _read_qiB(buf, pos)
    pos += 13
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("OffsetCommitValue.metadata")
    end = pos + n - 1
    metadata = buf[pos:end].decode()
    pos = end
    commit_timestamp, n = _read_qB(buf, pos)
    pos += 9
    topic_id: bytes = ZERO_UUID
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("OffsetCommitValue")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (topic_id,) = _read_u(buf, pos)
                pos += 16
            else:
                pos = stop
            if pos != stop:
                raise tag_error("OffsetCommitValue", tag)
    return OffsetCommitValue(offset, leader_epoch, metadata, commit_timestamp, -1, topic_id), pos


def _encode_offset_commit_value_v0(m: OffsetCommitValue, w: bytearray) -> None:
    w += _write_q(m.offset)
    put_string(w, m.metadata)
    w += _write_q(m.commit_timestamp)


def _encode_offset_commit_value_v1(m: OffsetCommitValue, w: bytearray) -> None:
    w += _write_q(m.offset)
    put_string(w, m.metadata)
    w += _write_qq(m.commit_timestamp, m.expire_timestamp)


def _encode_offset_commit_value_v3(m: OffsetCommitValue, w: bytearray) -> None:
    w += _write_qi(m.offset, m.leader_epoch)
    put_string(w, m.metadata)
    w += _write_q(m.commit_timestamp)


def _encode_offset_commit_value_v4(m: OffsetCommitValue, w: bytearray) -> None:
    w += _write_qi(m.offset, m.leader_epoch)
    put_compact_string(w, m.metadata)
    w += _write_q(m.commit_timestamp)
    tags: Tags = []
    if m.topic_id != ZERO_UUID:
        tags.append(b'\x00\x10' + _write_u(m.topic_id))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_OFFSET_COMMIT_VALUE_DECODERS = {0: _decode_offset_commit_value_v0, 1: _decode_offset_commit_value_v1, 2: _decode_offset_commit_value_v0, 3: _decode_offset_commit_value_v3, 4: _decode_offset_commit_value_v4}
_OFFSET_COMMIT_VALUE_ENCODERS = {0: _encode_offset_commit_value_v0, 1: _encode_offset_commit_value_v1, 2: _encode_offset_commit_value_v0, 3: _encode_offset_commit_value_v3, 4: _encode_offset_commit_value_v4}


def decode_offset_commit_value(buf: Buffer, pos: int, version: int) -> OffsetCommitValue:
    try:
        message, pos = _OFFSET_COMMIT_VALUE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("OffsetCommitValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("OffsetCommitValue", version, pos, len(buf))
    return message


def encode_offset_commit_value(message: OffsetCommitValue, version: int, out: Parts) -> None:
    if version not in _OFFSET_COMMIT_VALUE_ENCODERS:
        raise UnsupportedVersionError("OffsetCommitValue", version)
    w = bytearray()
    _OFFSET_COMMIT_VALUE_ENCODERS[version](message, w)
    out.append(w)


class GroupMetadataKey(Message):
    __slots__ = ("group",)

    def __init__(
        self,
        group: str = "",
    ) -> None:
        self.group = group


def _decode_group_metadata_key_v0(buf: Buffer, pos: int) -> tuple[GroupMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("GroupMetadataKey.group")
    end = pos + n
    group = buf[pos:end].decode()
    pos = end
    return GroupMetadataKey(group), pos


def _encode_group_metadata_key_v0(m: GroupMetadataKey, w: bytearray) -> None:
    put_string(w, m.group)


_GROUP_METADATA_KEY_DECODERS = {0: _decode_group_metadata_key_v0}
_GROUP_METADATA_KEY_ENCODERS = {0: _encode_group_metadata_key_v0}


def decode_group_metadata_key(buf: Buffer, pos: int, version: int) -> GroupMetadataKey:
    try:
        message, pos = _GROUP_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("GroupMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("GroupMetadataKey", version, pos, len(buf))
    return message


def encode_group_metadata_key(message: GroupMetadataKey, version: int, out: Parts) -> None:
    if version not in _GROUP_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("GroupMetadataKey", version)
    w = bytearray()
    _GROUP_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class MemberMetadata(Message):
    __slots__ = ("member_id", "group_instance_id", "client_id", "client_host", "rebalance_timeout", "session_timeout", "subscription", "assignment")

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        rebalance_timeout: int = -1,
        session_timeout: int = 0,
        subscription: bytes = b"",
        assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout = rebalance_timeout
        self.session_timeout = session_timeout
        self.subscription = subscription
        self.assignment = assignment


class GroupMetadataValue(Message):
    __slots__ = ("protocol_type", "generation", "protocol", "leader", "current_state_timestamp", "members")

    def __init__(
        self,
        protocol_type: str = "",
        generation: int = 0,
        protocol: str | None = "",
        leader: str | None = "",
        current_state_timestamp: int = -1,
        members: Sequence[MemberMetadata] = (),
    ) -> None:
        self.protocol_type = protocol_type
        self.generation = generation
        self.protocol = protocol
        self.leader = leader
        self.current_state_timestamp = current_state_timestamp
        self.members = members


def _decode_member_metadata_v0(buf: Buffer, pos: int) -> tuple[MemberMetadata, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MemberMetadata.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MemberMetadata.client_id")
    end = pos + n
    client_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MemberMetadata.client_host")
    end = pos + n
    client_host = buf[pos:end].decode()
    pos = end
    session_timeout, n = _read_ii(buf, pos)
    pos += 8
    if n < 0:
        raise null_error("MemberMetadata.subscription")
    end = pos + n
    subscription = bytes(buf[pos:end])
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MemberMetadata.assignment")
    end = pos + n
    assignment = bytes(buf[pos:end])
    pos = end
    return MemberMetadata(member_id, None, client_id, client_host, -1, session_timeout, subscription, assignment), pos


def _decode_member_metadata_v1(buf: Buffer, pos: int) -> tuple[MemberMetadata, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MemberMetadata.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MemberMetadata.client_id")
    end = pos + n
    client_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MemberMetadata.client_host")
    end = pos + n
    client_host = buf[pos:end].decode()
    pos = end
    rebalance_timeout, session_timeout, n = _read_iii(buf, pos)
    pos += 12
    if n < 0:
        raise null_error("MemberMetadata.subscription")
    end = pos + n
    subscription = bytes(buf[pos:end])
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MemberMetadata.assignment")
    end = pos + n
    assignment = bytes(buf[pos:end])
    pos = end
    return MemberMetadata(member_id, None, client_id, client_host, rebalance_timeout, session_timeout, subscription, assignment), pos


def _decode_member_metadata_v3(buf: Buffer, pos: int) -> tuple[MemberMetadata, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MemberMetadata.member_id")
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
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MemberMetadata.client_id")
    end = pos + n
    client_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("MemberMetadata.client_host")
    end = pos + n
    client_host = buf[pos:end].decode()
    pos = end
    rebalance_timeout, session_timeout, n = _read_iii(buf, pos)
    pos += 12
    if n < 0:
        raise null_error("MemberMetadata.subscription")
    end = pos + n
    subscription = bytes(buf[pos:end])
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("MemberMetadata.assignment")
    end = pos + n
    assignment = bytes(buf[pos:end])
    pos = end
    return MemberMetadata(member_id, group_instance_id, client_id, client_host, rebalance_timeout, session_timeout, subscription, assignment), pos


def _decode_member_metadata_v4(buf: Buffer, pos: int) -> tuple[MemberMetadata, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("MemberMetadata.member_id")
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
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("MemberMetadata.client_id")
    end = pos + n - 1
    client_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("MemberMetadata.client_host")
    end = pos + n - 1
    client_host = buf[pos:end].decode()
    pos = end
    rebalance_timeout, session_timeout, n = _read_iiB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MemberMetadata.subscription")
    end = pos + n - 1
    subscription = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("MemberMetadata.assignment")
    end = pos + n - 1
    assignment = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return MemberMetadata(member_id, group_instance_id, client_id, client_host, rebalance_timeout, session_timeout, subscription, assignment), pos


def _decode_group_metadata_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[GroupMetadataValue, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("GroupMetadataValue.protocol_type")
    end = pos + n
    protocol_type = buf[pos:end].decode()
    pos = end
    generation, n = _read_ih(buf, pos)
    pos += 6
    protocol: str | None
    if n < 0:
        protocol = None
    else:
        end = pos + n
        protocol = buf[pos:end].decode()
        pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    leader: str | None
    if n < 0:
        leader = None
    else:
        end = pos + n
        leader = buf[pos:end].decode()
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("GroupMetadataValue.members")
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("GroupMetadataValue.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_metadata_v0(buf, pos)
        members.append(members_item)
    return GroupMetadataValue(protocol_type, generation, protocol, leader, -1, members), pos


def _decode_group_metadata_value_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[GroupMetadataValue, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("GroupMetadataValue.protocol_type")
    end = pos + n
    protocol_type = buf[pos:end].decode()
    pos = end
    generation, n = _read_ih(buf, pos)
    pos += 6
    protocol: str | None
    if n < 0:
        protocol = None
    else:
        end = pos + n
        protocol = buf[pos:end].decode()
        pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    leader: str | None
    if n < 0:
        leader = None
    else:
        end = pos + n
        leader = buf[pos:end].decode()
        pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("GroupMetadataValue.members")
    if n > budget[0] or n * 22 > len(buf) - pos:
        raise count_error("GroupMetadataValue.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_metadata_v1(buf, pos)
        members.append(members_item)
    return GroupMetadataValue(protocol_type, generation, protocol, leader, -1, members), pos


def _decode_group_metadata_value_v2(buf: Buffer, pos: int, budget: list[int]) -> tuple[GroupMetadataValue, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("GroupMetadataValue.protocol_type")
    end = pos + n
    protocol_type = buf[pos:end].decode()
    pos = end
    generation, n = _read_ih(buf, pos)
    pos += 6
    protocol: str | None
    if n < 0:
        protocol = None
    else:
        end = pos + n
        protocol = buf[pos:end].decode()
        pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    leader: str | None
    if n < 0:
        leader = None
    else:
        end = pos + n
        leader = buf[pos:end].decode()
        pos = end
    current_state_timestamp, n = _read_qi(buf, pos)
    pos += 12
    if n < 0:
        raise null_error("GroupMetadataValue.members")
    if n > budget[0] or n * 22 > len(buf) - pos:
        raise count_error("GroupMetadataValue.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_metadata_v1(buf, pos)
        members.append(members_item)
    return GroupMetadataValue(protocol_type, generation, protocol, leader, current_state_timestamp, members), pos


def _decode_group_metadata_value_v3(buf: Buffer, pos: int, budget: list[int]) -> tuple[GroupMetadataValue, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("GroupMetadataValue.protocol_type")
    end = pos + n
    protocol_type = buf[pos:end].decode()
    pos = end
    generation, n = _read_ih(buf, pos)
    pos += 6
    protocol: str | None
    if n < 0:
        protocol = None
    else:
        end = pos + n
        protocol = buf[pos:end].decode()
        pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    leader: str | None
    if n < 0:
        leader = None
    else:
        end = pos + n
        leader = buf[pos:end].decode()
        pos = end
    current_state_timestamp, n = _read_qi(buf, pos)
    pos += 12
    if n < 0:
        raise null_error("GroupMetadataValue.members")
    if n > budget[0] or n * 24 > len(buf) - pos:
        raise count_error("GroupMetadataValue.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_metadata_v3(buf, pos)
        members.append(members_item)
    return GroupMetadataValue(protocol_type, generation, protocol, leader, current_state_timestamp, members), pos


def _decode_group_metadata_value_v4(buf: Buffer, pos: int, budget: list[int]) -> tuple[GroupMetadataValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("GroupMetadataValue.protocol_type")
    end = pos + n - 1
    protocol_type = buf[pos:end].decode()
    pos = end
    generation, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    protocol: str | None
    if not n:
        protocol = None
    else:
        end = pos + n - 1
        protocol = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    leader: str | None
    if not n:
        leader = None
    else:
        end = pos + n - 1
        leader = buf[pos:end].decode()
        pos = end
    current_state_timestamp, n = _read_qB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("GroupMetadataValue.members")
    n -= 1
    if n > budget[0] or n * 15 > len(buf) - pos:
        raise count_error("GroupMetadataValue.members", n)
    budget[0] -= n
    members = []
    for _ in range(n):
        members_item, pos = _decode_member_metadata_v4(buf, pos)
        members.append(members_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return GroupMetadataValue(protocol_type, generation, protocol, leader, current_state_timestamp, members), pos


def _encode_member_metadata_v0(m: MemberMetadata, w: bytearray) -> None:
    put_string(w, m.member_id)
    put_string(w, m.client_id)
    put_string(w, m.client_host)
    w += _write_i(m.session_timeout)
    put_bytes(w, m.subscription)
    put_bytes(w, m.assignment)


def _encode_member_metadata_v1(m: MemberMetadata, w: bytearray) -> None:
    put_string(w, m.member_id)
    put_string(w, m.client_id)
    put_string(w, m.client_host)
    w += _write_ii(m.rebalance_timeout, m.session_timeout)
    put_bytes(w, m.subscription)
    put_bytes(w, m.assignment)


def _encode_member_metadata_v3(m: MemberMetadata, w: bytearray) -> None:
    put_string(w, m.member_id)
    put_nullable_string(w, m.group_instance_id)
    put_string(w, m.client_id)
    put_string(w, m.client_host)
    w += _write_ii(m.rebalance_timeout, m.session_timeout)
    put_bytes(w, m.subscription)
    put_bytes(w, m.assignment)


def _encode_member_metadata_v4(m: MemberMetadata, w: bytearray) -> None:
    put_compact_string(w, m.member_id)
    put_compact_nullable_string(w, m.group_instance_id)
    put_compact_string(w, m.client_id)
    put_compact_string(w, m.client_host)
    w += _write_ii(m.rebalance_timeout, m.session_timeout)
    put_compact_bytes(w, m.subscription)
    put_compact_bytes(w, m.assignment)
    w.append(0)


def _encode_group_metadata_value_v0(m: GroupMetadataValue, w: bytearray) -> None:
    put_string(w, m.protocol_type)
    w += _write_i(m.generation)
    put_nullable_string(w, m.protocol)
    put_nullable_string(w, m.leader)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_member_metadata_v0(members_item, w)


def _encode_group_metadata_value_v1(m: GroupMetadataValue, w: bytearray) -> None:
    put_string(w, m.protocol_type)
    w += _write_i(m.generation)
    put_nullable_string(w, m.protocol)
    put_nullable_string(w, m.leader)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_member_metadata_v1(members_item, w)


def _encode_group_metadata_value_v2(m: GroupMetadataValue, w: bytearray) -> None:
    put_string(w, m.protocol_type)
    w += _write_i(m.generation)
    put_nullable_string(w, m.protocol)
    put_nullable_string(w, m.leader)
    w += _write_q(m.current_state_timestamp)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_member_metadata_v1(members_item, w)


def _encode_group_metadata_value_v3(m: GroupMetadataValue, w: bytearray) -> None:
    put_string(w, m.protocol_type)
    w += _write_i(m.generation)
    put_nullable_string(w, m.protocol)
    put_nullable_string(w, m.leader)
    w += _write_q(m.current_state_timestamp)
    n = len(m.members)
    w += _write_i(n)
    for members_item in m.members:
        _encode_member_metadata_v3(members_item, w)


def _encode_group_metadata_value_v4(m: GroupMetadataValue, w: bytearray) -> None:
    put_compact_string(w, m.protocol_type)
    w += _write_i(m.generation)
    put_compact_nullable_string(w, m.protocol)
    put_compact_nullable_string(w, m.leader)
    w += _write_q(m.current_state_timestamp)
    n = len(m.members)
    put_uvarint(w, n + 1)
    for members_item in m.members:
        _encode_member_metadata_v4(members_item, w)
    w.append(0)


_GROUP_METADATA_VALUE_DECODERS = {0: _decode_group_metadata_value_v0, 1: _decode_group_metadata_value_v1, 2: _decode_group_metadata_value_v2, 3: _decode_group_metadata_value_v3, 4: _decode_group_metadata_value_v4}
_GROUP_METADATA_VALUE_ENCODERS = {0: _encode_group_metadata_value_v0, 1: _encode_group_metadata_value_v1, 2: _encode_group_metadata_value_v2, 3: _encode_group_metadata_value_v3, 4: _encode_group_metadata_value_v4}


def decode_group_metadata_value(buf: Buffer, pos: int, version: int) -> GroupMetadataValue:
    try:
        message, pos = _GROUP_METADATA_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("GroupMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("GroupMetadataValue", version, pos, len(buf))
    return message


def encode_group_metadata_value(message: GroupMetadataValue, version: int, out: Parts) -> None:
    if version not in _GROUP_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("GroupMetadataValue", version)
    w = bytearray()
    _GROUP_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupMetadataKey(Message):
    __slots__ = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


def _decode_consumer_group_metadata_key_v0(buf: Buffer, pos: int) -> tuple[ConsumerGroupMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ConsumerGroupMetadataKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    return ConsumerGroupMetadataKey(group_id), pos


def _encode_consumer_group_metadata_key_v0(m: ConsumerGroupMetadataKey, w: bytearray) -> None:
    put_string(w, m.group_id)


_CONSUMER_GROUP_METADATA_KEY_DECODERS = {0: _decode_consumer_group_metadata_key_v0}
_CONSUMER_GROUP_METADATA_KEY_ENCODERS = {0: _encode_consumer_group_metadata_key_v0}


def decode_consumer_group_metadata_key(buf: Buffer, pos: int, version: int) -> ConsumerGroupMetadataKey:
    try:
        message, pos = _CONSUMER_GROUP_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupMetadataKey", version, pos, len(buf))
    return message


def encode_consumer_group_metadata_key(message: ConsumerGroupMetadataKey, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupMetadataKey", version)
    w = bytearray()
    _CONSUMER_GROUP_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupMetadataValue(Message):
    __slots__ = ("epoch", "metadata_hash")

    def __init__(
        self,
        epoch: int = 0,
        metadata_hash: int = 0,
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash


def _decode_consumer_group_metadata_value_v0(buf: Buffer, pos: int) -> tuple[ConsumerGroupMetadataValue, int]:
    epoch, n = _read_iB(buf, pos)
    pos += 5
    metadata_hash: int = 0
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("ConsumerGroupMetadataValue")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (metadata_hash,) = _read_q(buf, pos)
                pos += 8
            else:
                pos = stop
            if pos != stop:
                raise tag_error("ConsumerGroupMetadataValue", tag)
    return ConsumerGroupMetadataValue(epoch, metadata_hash), pos


def _encode_consumer_group_metadata_value_v0(m: ConsumerGroupMetadataValue, w: bytearray) -> None:
    w += _write_i(m.epoch)
    tags: Tags = []
    if m.metadata_hash != 0:
        tags.append(b'\x00\x08' + _write_q(m.metadata_hash))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_CONSUMER_GROUP_METADATA_VALUE_DECODERS = {0: _decode_consumer_group_metadata_value_v0}
_CONSUMER_GROUP_METADATA_VALUE_ENCODERS = {0: _encode_consumer_group_metadata_value_v0}


def decode_consumer_group_metadata_value(buf: Buffer, pos: int, version: int) -> ConsumerGroupMetadataValue:
    try:
        message, pos = _CONSUMER_GROUP_METADATA_VALUE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupMetadataValue", version, pos, len(buf))
    return message


def encode_consumer_group_metadata_value(message: ConsumerGroupMetadataValue, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupMetadataValue", version)
    w = bytearray()
    _CONSUMER_GROUP_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupPartitionMetadataKey(Message):
    __slots__ = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


def _decode_consumer_group_partition_metadata_key_v0(buf: Buffer, pos: int) -> tuple[ConsumerGroupPartitionMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ConsumerGroupPartitionMetadataKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    return ConsumerGroupPartitionMetadataKey(group_id), pos


def _encode_consumer_group_partition_metadata_key_v0(m: ConsumerGroupPartitionMetadataKey, w: bytearray) -> None:
    put_string(w, m.group_id)


_CONSUMER_GROUP_PARTITION_METADATA_KEY_DECODERS = {0: _decode_consumer_group_partition_metadata_key_v0}
_CONSUMER_GROUP_PARTITION_METADATA_KEY_ENCODERS = {0: _encode_consumer_group_partition_metadata_key_v0}


def decode_consumer_group_partition_metadata_key(buf: Buffer, pos: int, version: int) -> ConsumerGroupPartitionMetadataKey:
    try:
        message, pos = _CONSUMER_GROUP_PARTITION_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupPartitionMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupPartitionMetadataKey", version, pos, len(buf))
    return message


def encode_consumer_group_partition_metadata_key(message: ConsumerGroupPartitionMetadataKey, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_PARTITION_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupPartitionMetadataKey", version)
    w = bytearray()
    _CONSUMER_GROUP_PARTITION_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class PartitionMetadata(Message):
    __slots__ = ("partition", "racks")

    def __init__(
        self,
        partition: int = 0,
        racks: Sequence[str] = (),
    ) -> None:
        self.partition = partition
        self.racks = racks


class TopicMetadata(Message):
    __slots__ = ("topic_id", "topic_name", "num_partitions", "partition_metadata")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = "",
        num_partitions: int = 0,
        partition_metadata: Sequence[PartitionMetadata] = (),
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.num_partitions = num_partitions
        self.partition_metadata = partition_metadata


class ConsumerGroupPartitionMetadataValue(Message):
    __slots__ = ("topics",)

    def __init__(
        self,
        topics: Sequence[TopicMetadata] = (),
    ) -> None:
        self.topics = topics


def _decode_partition_metadata_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionMetadata, int]:
    partition, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionMetadata.racks")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("PartitionMetadata.racks", n)
    budget[0] -= n
    racks = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("PartitionMetadata.racks")
        end = pos + n - 1
        racks.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionMetadata(partition, racks), pos


def _decode_topic_metadata_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicMetadata, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicMetadata.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    num_partitions, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicMetadata.partition_metadata")
    n -= 1
    if n > budget[0] or n * 6 > len(buf) - pos:
        raise count_error("TopicMetadata.partition_metadata", n)
    budget[0] -= n
    partition_metadata = []
    for _ in range(n):
        partition_metadata_item, pos = _decode_partition_metadata_v0(buf, pos, budget)
        partition_metadata.append(partition_metadata_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicMetadata(topic_id, topic_name, num_partitions, partition_metadata), pos


def _decode_consumer_group_partition_metadata_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerGroupPartitionMetadataValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ConsumerGroupPartitionMetadataValue.topics")
    n -= 1
    if n > budget[0] or n * 23 > len(buf) - pos:
        raise count_error("ConsumerGroupPartitionMetadataValue.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        topics_item, pos = _decode_topic_metadata_v0(buf, pos, budget)
        topics.append(topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ConsumerGroupPartitionMetadataValue(topics), pos


def _encode_partition_metadata_v0(m: PartitionMetadata, w: bytearray) -> None:
    w += _write_i(m.partition)
    n = len(m.racks)
    put_uvarint(w, n + 1)
    for racks_item in m.racks:
        put_compact_string(w, racks_item)
    w.append(0)


def _encode_topic_metadata_v0(m: TopicMetadata, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    put_compact_string(w, m.topic_name)
    w += _write_i(m.num_partitions)
    n = len(m.partition_metadata)
    put_uvarint(w, n + 1)
    for partition_metadata_item in m.partition_metadata:
        _encode_partition_metadata_v0(partition_metadata_item, w)
    w.append(0)


def _encode_consumer_group_partition_metadata_value_v0(m: ConsumerGroupPartitionMetadataValue, w: bytearray) -> None:
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        _encode_topic_metadata_v0(topics_item, w)
    w.append(0)


_CONSUMER_GROUP_PARTITION_METADATA_VALUE_DECODERS = {0: _decode_consumer_group_partition_metadata_value_v0}
_CONSUMER_GROUP_PARTITION_METADATA_VALUE_ENCODERS = {0: _encode_consumer_group_partition_metadata_value_v0}


def decode_consumer_group_partition_metadata_value(buf: Buffer, pos: int, version: int) -> ConsumerGroupPartitionMetadataValue:
    try:
        message, pos = _CONSUMER_GROUP_PARTITION_METADATA_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupPartitionMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupPartitionMetadataValue", version, pos, len(buf))
    return message


def encode_consumer_group_partition_metadata_value(message: ConsumerGroupPartitionMetadataValue, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_PARTITION_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupPartitionMetadataValue", version)
    w = bytearray()
    _CONSUMER_GROUP_PARTITION_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupMemberMetadataKey(Message):
    __slots__ = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


def _decode_consumer_group_member_metadata_key_v0(buf: Buffer, pos: int) -> tuple[ConsumerGroupMemberMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ConsumerGroupMemberMetadataKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ConsumerGroupMemberMetadataKey.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    return ConsumerGroupMemberMetadataKey(group_id, member_id), pos


def _encode_consumer_group_member_metadata_key_v0(m: ConsumerGroupMemberMetadataKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    put_string(w, m.member_id)


_CONSUMER_GROUP_MEMBER_METADATA_KEY_DECODERS = {0: _decode_consumer_group_member_metadata_key_v0}
_CONSUMER_GROUP_MEMBER_METADATA_KEY_ENCODERS = {0: _encode_consumer_group_member_metadata_key_v0}


def decode_consumer_group_member_metadata_key(buf: Buffer, pos: int, version: int) -> ConsumerGroupMemberMetadataKey:
    try:
        message, pos = _CONSUMER_GROUP_MEMBER_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupMemberMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupMemberMetadataKey", version, pos, len(buf))
    return message


def encode_consumer_group_member_metadata_key(message: ConsumerGroupMemberMetadataKey, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_MEMBER_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupMemberMetadataKey", version)
    w = bytearray()
    _CONSUMER_GROUP_MEMBER_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class ClassicProtocol(Message):
    __slots__ = ("name", "metadata")

    def __init__(
        self,
        name: str = "",
        metadata: bytes = b"",
    ) -> None:
        self.name = name
        self.metadata = metadata


class ClassicMemberMetadata(Message):
    __slots__ = ("session_timeout_ms", "supported_protocols")

    def __init__(
        self,
        session_timeout_ms: int = 0,
        supported_protocols: Sequence[ClassicProtocol] = (),
    ) -> None:
        self.session_timeout_ms = session_timeout_ms
        self.supported_protocols = supported_protocols


_DEFAULT_ClassicMemberMetadata = frozen(ClassicMemberMetadata())


class ConsumerGroupMemberMetadataValue(Message):
    __slots__ = ("instance_id", "rack_id", "client_id", "client_host", "subscribed_topic_names", "subscribed_topic_regex", "rebalance_timeout_ms", "server_assignor", "classic_member_metadata")

    def __init__(
        self,
        instance_id: str | None = "",
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: Sequence[str] = (),
        subscribed_topic_regex: str | None = "",
        rebalance_timeout_ms: int = -1,
        server_assignor: str | None = "",
        classic_member_metadata: ClassicMemberMetadata | None = _DEFAULT_ClassicMemberMetadata,
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.server_assignor = server_assignor
        self.classic_member_metadata = classic_member_metadata


def _decode_classic_protocol_v0(buf: Buffer, pos: int) -> tuple[ClassicProtocol, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ClassicProtocol.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ClassicProtocol.metadata")
    end = pos + n - 1
    metadata = bytes(buf[pos:end])
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ClassicProtocol(name, metadata), pos


def _decode_classic_member_metadata_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ClassicMemberMetadata, int]:
    session_timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ClassicMemberMetadata.supported_protocols")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("ClassicMemberMetadata.supported_protocols", n)
    budget[0] -= n
    supported_protocols = []
    for _ in range(n):
        supported_protocols_item, pos = _decode_classic_protocol_v0(buf, pos)
        supported_protocols.append(supported_protocols_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ClassicMemberMetadata(session_timeout_ms, supported_protocols), pos


def _decode_consumer_group_member_metadata_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerGroupMemberMetadataValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    instance_id: str | None
    if not n:
        instance_id = None
    else:
        end = pos + n - 1
        instance_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack_id: str | None
    if not n:
        rack_id = None
    else:
        end = pos + n - 1
        rack_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ConsumerGroupMemberMetadataValue.client_id")
    end = pos + n - 1
    client_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ConsumerGroupMemberMetadataValue.client_host")
    end = pos + n - 1
    client_host = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ConsumerGroupMemberMetadataValue.subscribed_topic_names")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ConsumerGroupMemberMetadataValue.subscribed_topic_names", n)
    budget[0] -= n
    subscribed_topic_names = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("ConsumerGroupMemberMetadataValue.subscribed_topic_names")
        end = pos + n - 1
        subscribed_topic_names.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    subscribed_topic_regex: str | None
    if not n:
        subscribed_topic_regex = None
    else:
        end = pos + n - 1
        subscribed_topic_regex = buf[pos:end].decode()
        pos = end
    rebalance_timeout_ms, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    server_assignor: str | None
    if not n:
        server_assignor = None
    else:
        end = pos + n - 1
        server_assignor = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    classic_member_metadata: ClassicMemberMetadata | None = _DEFAULT_ClassicMemberMetadata
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("ConsumerGroupMemberMetadataValue")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if not n:
                    classic_member_metadata = None
                else:
                    classic_member_metadata, pos = _decode_classic_member_metadata_v0(buf, pos, budget)
            else:
                pos = stop
            if pos != stop:
                raise tag_error("ConsumerGroupMemberMetadataValue", tag)
    return ConsumerGroupMemberMetadataValue(instance_id, rack_id, client_id, client_host, subscribed_topic_names, subscribed_topic_regex, rebalance_timeout_ms, server_assignor, classic_member_metadata), pos


def _encode_classic_protocol_v0(m: ClassicProtocol, w: bytearray) -> None:
    put_compact_string(w, m.name)
    put_compact_bytes(w, m.metadata)
    w.append(0)


def _encode_classic_member_metadata_v0(m: ClassicMemberMetadata, w: bytearray) -> None:
    w += _write_i(m.session_timeout_ms)
    n = len(m.supported_protocols)
    put_uvarint(w, n + 1)
    for supported_protocols_item in m.supported_protocols:
        _encode_classic_protocol_v0(supported_protocols_item, w)
    w.append(0)


def _encode_consumer_group_member_metadata_value_v0(m: ConsumerGroupMemberMetadataValue, w: bytearray) -> None:
    put_compact_nullable_string(w, m.instance_id)
    put_compact_nullable_string(w, m.rack_id)
    put_compact_string(w, m.client_id)
    put_compact_string(w, m.client_host)
    n = len(m.subscribed_topic_names)
    put_uvarint(w, n + 1)
    for subscribed_topic_names_item in m.subscribed_topic_names:
        put_compact_string(w, subscribed_topic_names_item)
    put_compact_nullable_string(w, m.subscribed_topic_regex)
    w += _write_i(m.rebalance_timeout_ms)
    put_compact_nullable_string(w, m.server_assignor)
    tags: Tags = []
    if m.classic_member_metadata is not _DEFAULT_ClassicMemberMetadata and m.classic_member_metadata != _DEFAULT_ClassicMemberMetadata:
        t = bytearray()
        if m.classic_member_metadata is None:
            t.append(0)
        else:
            t.append(1)
            _encode_classic_member_metadata_v0(m.classic_member_metadata, t)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_CONSUMER_GROUP_MEMBER_METADATA_VALUE_DECODERS = {0: _decode_consumer_group_member_metadata_value_v0}
_CONSUMER_GROUP_MEMBER_METADATA_VALUE_ENCODERS = {0: _encode_consumer_group_member_metadata_value_v0}


def decode_consumer_group_member_metadata_value(buf: Buffer, pos: int, version: int) -> ConsumerGroupMemberMetadataValue:
    try:
        message, pos = _CONSUMER_GROUP_MEMBER_METADATA_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupMemberMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupMemberMetadataValue", version, pos, len(buf))
    return message


def encode_consumer_group_member_metadata_value(message: ConsumerGroupMemberMetadataValue, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_MEMBER_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupMemberMetadataValue", version)
    w = bytearray()
    _CONSUMER_GROUP_MEMBER_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupTargetAssignmentMetadataKey(Message):
    __slots__ = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


def _decode_consumer_group_target_assignment_metadata_key_v0(buf: Buffer, pos: int) -> tuple[ConsumerGroupTargetAssignmentMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ConsumerGroupTargetAssignmentMetadataKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    return ConsumerGroupTargetAssignmentMetadataKey(group_id), pos


def _encode_consumer_group_target_assignment_metadata_key_v0(m: ConsumerGroupTargetAssignmentMetadataKey, w: bytearray) -> None:
    put_string(w, m.group_id)


_CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_DECODERS = {0: _decode_consumer_group_target_assignment_metadata_key_v0}
_CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_ENCODERS = {0: _encode_consumer_group_target_assignment_metadata_key_v0}


def decode_consumer_group_target_assignment_metadata_key(buf: Buffer, pos: int, version: int) -> ConsumerGroupTargetAssignmentMetadataKey:
    try:
        message, pos = _CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupTargetAssignmentMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupTargetAssignmentMetadataKey", version, pos, len(buf))
    return message


def encode_consumer_group_target_assignment_metadata_key(message: ConsumerGroupTargetAssignmentMetadataKey, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupTargetAssignmentMetadataKey", version)
    w = bytearray()
    _CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupTargetAssignmentMetadataValue(Message):
    __slots__ = ("assignment_epoch", "assignment_timestamp")

    def __init__(
        self,
        assignment_epoch: int = 0,
        assignment_timestamp: int = 0,
    ) -> None:
        self.assignment_epoch = assignment_epoch
        self.assignment_timestamp = assignment_timestamp


def _decode_consumer_group_target_assignment_metadata_value_v0(buf: Buffer, pos: int) -> tuple[ConsumerGroupTargetAssignmentMetadataValue, int]:
    assignment_epoch, n = _read_iB(buf, pos)
    pos += 5
    assignment_timestamp: int = 0
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("ConsumerGroupTargetAssignmentMetadataValue")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (assignment_timestamp,) = _read_q(buf, pos)
                pos += 8
            else:
                pos = stop
            if pos != stop:
                raise tag_error("ConsumerGroupTargetAssignmentMetadataValue", tag)
    return ConsumerGroupTargetAssignmentMetadataValue(assignment_epoch, assignment_timestamp), pos


def _encode_consumer_group_target_assignment_metadata_value_v0(m: ConsumerGroupTargetAssignmentMetadataValue, w: bytearray) -> None:
    w += _write_i(m.assignment_epoch)
    tags: Tags = []
    if m.assignment_timestamp != 0:
        tags.append(b'\x00\x08' + _write_q(m.assignment_timestamp))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_DECODERS = {0: _decode_consumer_group_target_assignment_metadata_value_v0}
_CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_ENCODERS = {0: _encode_consumer_group_target_assignment_metadata_value_v0}


def decode_consumer_group_target_assignment_metadata_value(buf: Buffer, pos: int, version: int) -> ConsumerGroupTargetAssignmentMetadataValue:
    try:
        message, pos = _CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupTargetAssignmentMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupTargetAssignmentMetadataValue", version, pos, len(buf))
    return message


def encode_consumer_group_target_assignment_metadata_value(message: ConsumerGroupTargetAssignmentMetadataValue, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupTargetAssignmentMetadataValue", version)
    w = bytearray()
    _CONSUMER_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupTargetAssignmentMemberKey(Message):
    __slots__ = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


def _decode_consumer_group_target_assignment_member_key_v0(buf: Buffer, pos: int) -> tuple[ConsumerGroupTargetAssignmentMemberKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ConsumerGroupTargetAssignmentMemberKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ConsumerGroupTargetAssignmentMemberKey.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    return ConsumerGroupTargetAssignmentMemberKey(group_id, member_id), pos


def _encode_consumer_group_target_assignment_member_key_v0(m: ConsumerGroupTargetAssignmentMemberKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    put_string(w, m.member_id)


_CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_DECODERS = {0: _decode_consumer_group_target_assignment_member_key_v0}
_CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_ENCODERS = {0: _encode_consumer_group_target_assignment_member_key_v0}


def decode_consumer_group_target_assignment_member_key(buf: Buffer, pos: int, version: int) -> ConsumerGroupTargetAssignmentMemberKey:
    try:
        message, pos = _CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupTargetAssignmentMemberKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupTargetAssignmentMemberKey", version, pos, len(buf))
    return message


def encode_consumer_group_target_assignment_member_key(message: ConsumerGroupTargetAssignmentMemberKey, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupTargetAssignmentMemberKey", version)
    w = bytearray()
    _CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupTargetAssignmentMemberValueTopicPartition(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ConsumerGroupTargetAssignmentMemberValue(Message):
    __slots__ = ("topic_partitions",)

    def __init__(
        self,
        topic_partitions: Sequence[ConsumerGroupTargetAssignmentMemberValueTopicPartition] = (),
    ) -> None:
        self.topic_partitions = topic_partitions


def _decode_consumer_group_target_assignment_member_value_topic_partition_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerGroupTargetAssignmentMemberValueTopicPartition, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartition.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicPartition.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ConsumerGroupTargetAssignmentMemberValueTopicPartition(topic_id, partitions), pos


def _decode_consumer_group_target_assignment_member_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerGroupTargetAssignmentMemberValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ConsumerGroupTargetAssignmentMemberValue.topic_partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ConsumerGroupTargetAssignmentMemberValue.topic_partitions", n)
    budget[0] -= n
    topic_partitions = []
    for _ in range(n):
        topic_partitions_item, pos = _decode_consumer_group_target_assignment_member_value_topic_partition_v0(buf, pos, budget)
        topic_partitions.append(topic_partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ConsumerGroupTargetAssignmentMemberValue(topic_partitions), pos


def _encode_consumer_group_target_assignment_member_value_topic_partition_v0(m: ConsumerGroupTargetAssignmentMemberValueTopicPartition, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_consumer_group_target_assignment_member_value_v0(m: ConsumerGroupTargetAssignmentMemberValue, w: bytearray) -> None:
    n = len(m.topic_partitions)
    put_uvarint(w, n + 1)
    for topic_partitions_item in m.topic_partitions:
        _encode_consumer_group_target_assignment_member_value_topic_partition_v0(topic_partitions_item, w)
    w.append(0)


_CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_DECODERS = {0: _decode_consumer_group_target_assignment_member_value_v0}
_CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_ENCODERS = {0: _encode_consumer_group_target_assignment_member_value_v0}


def decode_consumer_group_target_assignment_member_value(buf: Buffer, pos: int, version: int) -> ConsumerGroupTargetAssignmentMemberValue:
    try:
        message, pos = _CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupTargetAssignmentMemberValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupTargetAssignmentMemberValue", version, pos, len(buf))
    return message


def encode_consumer_group_target_assignment_member_value(message: ConsumerGroupTargetAssignmentMemberValue, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupTargetAssignmentMemberValue", version)
    w = bytearray()
    _CONSUMER_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupCurrentMemberAssignmentKey(Message):
    __slots__ = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


def _decode_consumer_group_current_member_assignment_key_v0(buf: Buffer, pos: int) -> tuple[ConsumerGroupCurrentMemberAssignmentKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ConsumerGroupCurrentMemberAssignmentKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ConsumerGroupCurrentMemberAssignmentKey.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    return ConsumerGroupCurrentMemberAssignmentKey(group_id, member_id), pos


def _encode_consumer_group_current_member_assignment_key_v0(m: ConsumerGroupCurrentMemberAssignmentKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    put_string(w, m.member_id)


_CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_DECODERS = {0: _decode_consumer_group_current_member_assignment_key_v0}
_CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_ENCODERS = {0: _encode_consumer_group_current_member_assignment_key_v0}


def decode_consumer_group_current_member_assignment_key(buf: Buffer, pos: int, version: int) -> ConsumerGroupCurrentMemberAssignmentKey:
    try:
        message, pos = _CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupCurrentMemberAssignmentKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupCurrentMemberAssignmentKey", version, pos, len(buf))
    return message


def encode_consumer_group_current_member_assignment_key(message: ConsumerGroupCurrentMemberAssignmentKey, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupCurrentMemberAssignmentKey", version)
    w = bytearray()
    _CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupCurrentMemberAssignmentValueTopicPartitions(Message):
    __slots__ = ("topic_id", "partitions", "assignment_epochs")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[int] = (),
        assignment_epochs: Sequence[int] | None = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.assignment_epochs = assignment_epochs


class ConsumerGroupCurrentMemberAssignmentValue(Message):
    __slots__ = ("member_epoch", "previous_member_epoch", "state", "assigned_partitions", "partitions_pending_revocation")

    def __init__(
        self,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        assigned_partitions: Sequence[ConsumerGroupCurrentMemberAssignmentValueTopicPartitions] = (),
        partitions_pending_revocation: Sequence[ConsumerGroupCurrentMemberAssignmentValueTopicPartitions] = (),
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.assigned_partitions = assigned_partitions
        self.partitions_pending_revocation = partitions_pending_revocation


def _decode_consumer_group_current_member_assignment_value_topic_partitions_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerGroupCurrentMemberAssignmentValueTopicPartitions, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartitions.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicPartitions.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    assignment_epochs: list[int] | tuple[()] | None = ()
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("TopicPartitions")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    assignment_epochs = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("TopicPartitions.assignment_epochs", n)
                    budget[0] -= n
                    assignment_epochs = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            else:
                pos = stop
            if pos != stop:
                raise tag_error("TopicPartitions", tag)
    return ConsumerGroupCurrentMemberAssignmentValueTopicPartitions(topic_id, partitions, assignment_epochs), pos


def _decode_consumer_group_current_member_assignment_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerGroupCurrentMemberAssignmentValue, int]:
    member_epoch, previous_member_epoch, state, n = _read_iibB(buf, pos)
    pos += 10
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ConsumerGroupCurrentMemberAssignmentValue.assigned_partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ConsumerGroupCurrentMemberAssignmentValue.assigned_partitions", n)
    budget[0] -= n
    assigned_partitions = []
    for _ in range(n):
        assigned_partitions_item, pos = _decode_consumer_group_current_member_assignment_value_topic_partitions_v0(buf, pos, budget)
        assigned_partitions.append(assigned_partitions_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ConsumerGroupCurrentMemberAssignmentValue.partitions_pending_revocation")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ConsumerGroupCurrentMemberAssignmentValue.partitions_pending_revocation", n)
    budget[0] -= n
    partitions_pending_revocation = []
    for _ in range(n):
        partitions_pending_revocation_item, pos = _decode_consumer_group_current_member_assignment_value_topic_partitions_v0(buf, pos, budget)
        partitions_pending_revocation.append(partitions_pending_revocation_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ConsumerGroupCurrentMemberAssignmentValue(member_epoch, previous_member_epoch, state, assigned_partitions, partitions_pending_revocation), pos


def _encode_consumer_group_current_member_assignment_value_topic_partitions_v0(m: ConsumerGroupCurrentMemberAssignmentValueTopicPartitions, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    tags: Tags = []
    if m.assignment_epochs is None or m.assignment_epochs:
        t = bytearray()
        if m.assignment_epochs is None:
            t.append(0)
        else:
            n = len(m.assignment_epochs)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.assignment_epochs)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_consumer_group_current_member_assignment_value_v0(m: ConsumerGroupCurrentMemberAssignmentValue, w: bytearray) -> None:
    w += _write_iib(m.member_epoch, m.previous_member_epoch, m.state)
    n = len(m.assigned_partitions)
    put_uvarint(w, n + 1)
    for assigned_partitions_item in m.assigned_partitions:
        _encode_consumer_group_current_member_assignment_value_topic_partitions_v0(assigned_partitions_item, w)
    n = len(m.partitions_pending_revocation)
    put_uvarint(w, n + 1)
    for partitions_pending_revocation_item in m.partitions_pending_revocation:
        _encode_consumer_group_current_member_assignment_value_topic_partitions_v0(partitions_pending_revocation_item, w)
    w.append(0)


_CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_DECODERS = {0: _decode_consumer_group_current_member_assignment_value_v0}
_CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_ENCODERS = {0: _encode_consumer_group_current_member_assignment_value_v0}


def decode_consumer_group_current_member_assignment_value(buf: Buffer, pos: int, version: int) -> ConsumerGroupCurrentMemberAssignmentValue:
    try:
        message, pos = _CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupCurrentMemberAssignmentValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupCurrentMemberAssignmentValue", version, pos, len(buf))
    return message


def encode_consumer_group_current_member_assignment_value(message: ConsumerGroupCurrentMemberAssignmentValue, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupCurrentMemberAssignmentValue", version)
    w = bytearray()
    _CONSUMER_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ShareGroupMemberMetadataKey(Message):
    __slots__ = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


def _decode_share_group_member_metadata_key_v0(buf: Buffer, pos: int) -> tuple[ShareGroupMemberMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ShareGroupMemberMetadataKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ShareGroupMemberMetadataKey.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    return ShareGroupMemberMetadataKey(group_id, member_id), pos


def _encode_share_group_member_metadata_key_v0(m: ShareGroupMemberMetadataKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    put_string(w, m.member_id)


_SHARE_GROUP_MEMBER_METADATA_KEY_DECODERS = {0: _decode_share_group_member_metadata_key_v0}
_SHARE_GROUP_MEMBER_METADATA_KEY_ENCODERS = {0: _encode_share_group_member_metadata_key_v0}


def decode_share_group_member_metadata_key(buf: Buffer, pos: int, version: int) -> ShareGroupMemberMetadataKey:
    try:
        message, pos = _SHARE_GROUP_MEMBER_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupMemberMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupMemberMetadataKey", version, pos, len(buf))
    return message


def encode_share_group_member_metadata_key(message: ShareGroupMemberMetadataKey, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_MEMBER_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("ShareGroupMemberMetadataKey", version)
    w = bytearray()
    _SHARE_GROUP_MEMBER_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class ShareGroupMemberMetadataValue(Message):
    __slots__ = ("rack_id", "client_id", "client_host", "subscribed_topic_names")

    def __init__(
        self,
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: Sequence[str] = (),
    ) -> None:
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = subscribed_topic_names


def _decode_share_group_member_metadata_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareGroupMemberMetadataValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack_id: str | None
    if not n:
        rack_id = None
    else:
        end = pos + n - 1
        rack_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ShareGroupMemberMetadataValue.client_id")
    end = pos + n - 1
    client_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("ShareGroupMemberMetadataValue.client_host")
    end = pos + n - 1
    client_host = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareGroupMemberMetadataValue.subscribed_topic_names")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ShareGroupMemberMetadataValue.subscribed_topic_names", n)
    budget[0] -= n
    subscribed_topic_names = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("ShareGroupMemberMetadataValue.subscribed_topic_names")
        end = pos + n - 1
        subscribed_topic_names.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareGroupMemberMetadataValue(rack_id, client_id, client_host, subscribed_topic_names), pos


def _encode_share_group_member_metadata_value_v0(m: ShareGroupMemberMetadataValue, w: bytearray) -> None:
    put_compact_nullable_string(w, m.rack_id)
    put_compact_string(w, m.client_id)
    put_compact_string(w, m.client_host)
    n = len(m.subscribed_topic_names)
    put_uvarint(w, n + 1)
    for subscribed_topic_names_item in m.subscribed_topic_names:
        put_compact_string(w, subscribed_topic_names_item)
    w.append(0)


_SHARE_GROUP_MEMBER_METADATA_VALUE_DECODERS = {0: _decode_share_group_member_metadata_value_v0}
_SHARE_GROUP_MEMBER_METADATA_VALUE_ENCODERS = {0: _encode_share_group_member_metadata_value_v0}


def decode_share_group_member_metadata_value(buf: Buffer, pos: int, version: int) -> ShareGroupMemberMetadataValue:
    try:
        message, pos = _SHARE_GROUP_MEMBER_METADATA_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupMemberMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupMemberMetadataValue", version, pos, len(buf))
    return message


def encode_share_group_member_metadata_value(message: ShareGroupMemberMetadataValue, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_MEMBER_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("ShareGroupMemberMetadataValue", version)
    w = bytearray()
    _SHARE_GROUP_MEMBER_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ShareGroupMetadataKey(Message):
    __slots__ = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


def _decode_share_group_metadata_key_v0(buf: Buffer, pos: int) -> tuple[ShareGroupMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ShareGroupMetadataKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    return ShareGroupMetadataKey(group_id), pos


def _encode_share_group_metadata_key_v0(m: ShareGroupMetadataKey, w: bytearray) -> None:
    put_string(w, m.group_id)


_SHARE_GROUP_METADATA_KEY_DECODERS = {0: _decode_share_group_metadata_key_v0}
_SHARE_GROUP_METADATA_KEY_ENCODERS = {0: _encode_share_group_metadata_key_v0}


def decode_share_group_metadata_key(buf: Buffer, pos: int, version: int) -> ShareGroupMetadataKey:
    try:
        message, pos = _SHARE_GROUP_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupMetadataKey", version, pos, len(buf))
    return message


def encode_share_group_metadata_key(message: ShareGroupMetadataKey, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("ShareGroupMetadataKey", version)
    w = bytearray()
    _SHARE_GROUP_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class ShareGroupMetadataValue(Message):
    __slots__ = ("epoch", "metadata_hash")

    def __init__(
        self,
        epoch: int = 0,
        metadata_hash: int = 0,
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash


def _decode_share_group_metadata_value_v0(buf: Buffer, pos: int) -> tuple[ShareGroupMetadataValue, int]:
    epoch, metadata_hash, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareGroupMetadataValue(epoch, metadata_hash), pos


def _encode_share_group_metadata_value_v0(m: ShareGroupMetadataValue, w: bytearray) -> None:
    w += _write_iqx(m.epoch, m.metadata_hash)


_SHARE_GROUP_METADATA_VALUE_DECODERS = {0: _decode_share_group_metadata_value_v0}
_SHARE_GROUP_METADATA_VALUE_ENCODERS = {0: _encode_share_group_metadata_value_v0}


def decode_share_group_metadata_value(buf: Buffer, pos: int, version: int) -> ShareGroupMetadataValue:
    try:
        message, pos = _SHARE_GROUP_METADATA_VALUE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupMetadataValue", version, pos, len(buf))
    return message


def encode_share_group_metadata_value(message: ShareGroupMetadataValue, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("ShareGroupMetadataValue", version)
    w = bytearray()
    _SHARE_GROUP_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ShareGroupTargetAssignmentMetadataKey(Message):
    __slots__ = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


def _decode_share_group_target_assignment_metadata_key_v0(buf: Buffer, pos: int) -> tuple[ShareGroupTargetAssignmentMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ShareGroupTargetAssignmentMetadataKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    return ShareGroupTargetAssignmentMetadataKey(group_id), pos


def _encode_share_group_target_assignment_metadata_key_v0(m: ShareGroupTargetAssignmentMetadataKey, w: bytearray) -> None:
    put_string(w, m.group_id)


_SHARE_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_DECODERS = {0: _decode_share_group_target_assignment_metadata_key_v0}
_SHARE_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_ENCODERS = {0: _encode_share_group_target_assignment_metadata_key_v0}


def decode_share_group_target_assignment_metadata_key(buf: Buffer, pos: int, version: int) -> ShareGroupTargetAssignmentMetadataKey:
    try:
        message, pos = _SHARE_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupTargetAssignmentMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupTargetAssignmentMetadataKey", version, pos, len(buf))
    return message


def encode_share_group_target_assignment_metadata_key(message: ShareGroupTargetAssignmentMetadataKey, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("ShareGroupTargetAssignmentMetadataKey", version)
    w = bytearray()
    _SHARE_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class ShareGroupTargetAssignmentMetadataValue(Message):
    __slots__ = ("assignment_epoch", "assignment_timestamp")

    def __init__(
        self,
        assignment_epoch: int = 0,
        assignment_timestamp: int = 0,
    ) -> None:
        self.assignment_epoch = assignment_epoch
        self.assignment_timestamp = assignment_timestamp


def _decode_share_group_target_assignment_metadata_value_v0(buf: Buffer, pos: int) -> tuple[ShareGroupTargetAssignmentMetadataValue, int]:
    assignment_epoch, n = _read_iB(buf, pos)
    pos += 5
    assignment_timestamp: int = 0
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("ShareGroupTargetAssignmentMetadataValue")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (assignment_timestamp,) = _read_q(buf, pos)
                pos += 8
            else:
                pos = stop
            if pos != stop:
                raise tag_error("ShareGroupTargetAssignmentMetadataValue", tag)
    return ShareGroupTargetAssignmentMetadataValue(assignment_epoch, assignment_timestamp), pos


def _encode_share_group_target_assignment_metadata_value_v0(m: ShareGroupTargetAssignmentMetadataValue, w: bytearray) -> None:
    w += _write_i(m.assignment_epoch)
    tags: Tags = []
    if m.assignment_timestamp != 0:
        tags.append(b'\x00\x08' + _write_q(m.assignment_timestamp))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_SHARE_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_DECODERS = {0: _decode_share_group_target_assignment_metadata_value_v0}
_SHARE_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_ENCODERS = {0: _encode_share_group_target_assignment_metadata_value_v0}


def decode_share_group_target_assignment_metadata_value(buf: Buffer, pos: int, version: int) -> ShareGroupTargetAssignmentMetadataValue:
    try:
        message, pos = _SHARE_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupTargetAssignmentMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupTargetAssignmentMetadataValue", version, pos, len(buf))
    return message


def encode_share_group_target_assignment_metadata_value(message: ShareGroupTargetAssignmentMetadataValue, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("ShareGroupTargetAssignmentMetadataValue", version)
    w = bytearray()
    _SHARE_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ShareGroupTargetAssignmentMemberKey(Message):
    __slots__ = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


def _decode_share_group_target_assignment_member_key_v0(buf: Buffer, pos: int) -> tuple[ShareGroupTargetAssignmentMemberKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ShareGroupTargetAssignmentMemberKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ShareGroupTargetAssignmentMemberKey.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    return ShareGroupTargetAssignmentMemberKey(group_id, member_id), pos


def _encode_share_group_target_assignment_member_key_v0(m: ShareGroupTargetAssignmentMemberKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    put_string(w, m.member_id)


_SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_DECODERS = {0: _decode_share_group_target_assignment_member_key_v0}
_SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_ENCODERS = {0: _encode_share_group_target_assignment_member_key_v0}


def decode_share_group_target_assignment_member_key(buf: Buffer, pos: int, version: int) -> ShareGroupTargetAssignmentMemberKey:
    try:
        message, pos = _SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupTargetAssignmentMemberKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupTargetAssignmentMemberKey", version, pos, len(buf))
    return message


def encode_share_group_target_assignment_member_key(message: ShareGroupTargetAssignmentMemberKey, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_ENCODERS:
        raise UnsupportedVersionError("ShareGroupTargetAssignmentMemberKey", version)
    w = bytearray()
    _SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_ENCODERS[version](message, w)
    out.append(w)


class ShareGroupTargetAssignmentMemberValueTopicPartition(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ShareGroupTargetAssignmentMemberValue(Message):
    __slots__ = ("topic_partitions",)

    def __init__(
        self,
        topic_partitions: Sequence[ShareGroupTargetAssignmentMemberValueTopicPartition] = (),
    ) -> None:
        self.topic_partitions = topic_partitions


def _decode_share_group_target_assignment_member_value_topic_partition_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareGroupTargetAssignmentMemberValueTopicPartition, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartition.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicPartition.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareGroupTargetAssignmentMemberValueTopicPartition(topic_id, partitions), pos


def _decode_share_group_target_assignment_member_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareGroupTargetAssignmentMemberValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareGroupTargetAssignmentMemberValue.topic_partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareGroupTargetAssignmentMemberValue.topic_partitions", n)
    budget[0] -= n
    topic_partitions = []
    for _ in range(n):
        topic_partitions_item, pos = _decode_share_group_target_assignment_member_value_topic_partition_v0(buf, pos, budget)
        topic_partitions.append(topic_partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareGroupTargetAssignmentMemberValue(topic_partitions), pos


def _encode_share_group_target_assignment_member_value_topic_partition_v0(m: ShareGroupTargetAssignmentMemberValueTopicPartition, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_share_group_target_assignment_member_value_v0(m: ShareGroupTargetAssignmentMemberValue, w: bytearray) -> None:
    n = len(m.topic_partitions)
    put_uvarint(w, n + 1)
    for topic_partitions_item in m.topic_partitions:
        _encode_share_group_target_assignment_member_value_topic_partition_v0(topic_partitions_item, w)
    w.append(0)


_SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_DECODERS = {0: _decode_share_group_target_assignment_member_value_v0}
_SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_ENCODERS = {0: _encode_share_group_target_assignment_member_value_v0}


def decode_share_group_target_assignment_member_value(buf: Buffer, pos: int, version: int) -> ShareGroupTargetAssignmentMemberValue:
    try:
        message, pos = _SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupTargetAssignmentMemberValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupTargetAssignmentMemberValue", version, pos, len(buf))
    return message


def encode_share_group_target_assignment_member_value(message: ShareGroupTargetAssignmentMemberValue, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_ENCODERS:
        raise UnsupportedVersionError("ShareGroupTargetAssignmentMemberValue", version)
    w = bytearray()
    _SHARE_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ShareGroupCurrentMemberAssignmentKey(Message):
    __slots__ = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


def _decode_share_group_current_member_assignment_key_v0(buf: Buffer, pos: int) -> tuple[ShareGroupCurrentMemberAssignmentKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ShareGroupCurrentMemberAssignmentKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ShareGroupCurrentMemberAssignmentKey.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    return ShareGroupCurrentMemberAssignmentKey(group_id, member_id), pos


def _encode_share_group_current_member_assignment_key_v0(m: ShareGroupCurrentMemberAssignmentKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    put_string(w, m.member_id)


_SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_DECODERS = {0: _decode_share_group_current_member_assignment_key_v0}
_SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_ENCODERS = {0: _encode_share_group_current_member_assignment_key_v0}


def decode_share_group_current_member_assignment_key(buf: Buffer, pos: int, version: int) -> ShareGroupCurrentMemberAssignmentKey:
    try:
        message, pos = _SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupCurrentMemberAssignmentKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupCurrentMemberAssignmentKey", version, pos, len(buf))
    return message


def encode_share_group_current_member_assignment_key(message: ShareGroupCurrentMemberAssignmentKey, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_ENCODERS:
        raise UnsupportedVersionError("ShareGroupCurrentMemberAssignmentKey", version)
    w = bytearray()
    _SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_ENCODERS[version](message, w)
    out.append(w)


class ShareGroupCurrentMemberAssignmentValueTopicPartitions(Message):
    __slots__ = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ShareGroupCurrentMemberAssignmentValue(Message):
    __slots__ = ("member_epoch", "previous_member_epoch", "state", "assigned_partitions")

    def __init__(
        self,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        assigned_partitions: Sequence[ShareGroupCurrentMemberAssignmentValueTopicPartitions] = (),
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.assigned_partitions = assigned_partitions


def _decode_share_group_current_member_assignment_value_topic_partitions_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareGroupCurrentMemberAssignmentValueTopicPartitions, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartitions.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicPartitions.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareGroupCurrentMemberAssignmentValueTopicPartitions(topic_id, partitions), pos


def _decode_share_group_current_member_assignment_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareGroupCurrentMemberAssignmentValue, int]:
    member_epoch, previous_member_epoch, state, n = _read_iibB(buf, pos)
    pos += 10
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareGroupCurrentMemberAssignmentValue.assigned_partitions")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareGroupCurrentMemberAssignmentValue.assigned_partitions", n)
    budget[0] -= n
    assigned_partitions = []
    for _ in range(n):
        assigned_partitions_item, pos = _decode_share_group_current_member_assignment_value_topic_partitions_v0(buf, pos, budget)
        assigned_partitions.append(assigned_partitions_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareGroupCurrentMemberAssignmentValue(member_epoch, previous_member_epoch, state, assigned_partitions), pos


def _encode_share_group_current_member_assignment_value_topic_partitions_v0(m: ShareGroupCurrentMemberAssignmentValueTopicPartitions, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_share_group_current_member_assignment_value_v0(m: ShareGroupCurrentMemberAssignmentValue, w: bytearray) -> None:
    w += _write_iib(m.member_epoch, m.previous_member_epoch, m.state)
    n = len(m.assigned_partitions)
    put_uvarint(w, n + 1)
    for assigned_partitions_item in m.assigned_partitions:
        _encode_share_group_current_member_assignment_value_topic_partitions_v0(assigned_partitions_item, w)
    w.append(0)


_SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_DECODERS = {0: _decode_share_group_current_member_assignment_value_v0}
_SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_ENCODERS = {0: _encode_share_group_current_member_assignment_value_v0}


def decode_share_group_current_member_assignment_value(buf: Buffer, pos: int, version: int) -> ShareGroupCurrentMemberAssignmentValue:
    try:
        message, pos = _SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupCurrentMemberAssignmentValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupCurrentMemberAssignmentValue", version, pos, len(buf))
    return message


def encode_share_group_current_member_assignment_value(message: ShareGroupCurrentMemberAssignmentValue, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_ENCODERS:
        raise UnsupportedVersionError("ShareGroupCurrentMemberAssignmentValue", version)
    w = bytearray()
    _SHARE_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ShareGroupStatePartitionMetadataKey(Message):
    __slots__ = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


def _decode_share_group_state_partition_metadata_key_v0(buf: Buffer, pos: int) -> tuple[ShareGroupStatePartitionMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ShareGroupStatePartitionMetadataKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    return ShareGroupStatePartitionMetadataKey(group_id), pos


def _encode_share_group_state_partition_metadata_key_v0(m: ShareGroupStatePartitionMetadataKey, w: bytearray) -> None:
    put_string(w, m.group_id)


_SHARE_GROUP_STATE_PARTITION_METADATA_KEY_DECODERS = {0: _decode_share_group_state_partition_metadata_key_v0}
_SHARE_GROUP_STATE_PARTITION_METADATA_KEY_ENCODERS = {0: _encode_share_group_state_partition_metadata_key_v0}


def decode_share_group_state_partition_metadata_key(buf: Buffer, pos: int, version: int) -> ShareGroupStatePartitionMetadataKey:
    try:
        message, pos = _SHARE_GROUP_STATE_PARTITION_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupStatePartitionMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupStatePartitionMetadataKey", version, pos, len(buf))
    return message


def encode_share_group_state_partition_metadata_key(message: ShareGroupStatePartitionMetadataKey, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_STATE_PARTITION_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("ShareGroupStatePartitionMetadataKey", version)
    w = bytearray()
    _SHARE_GROUP_STATE_PARTITION_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class TopicPartitionsInfo(Message):
    __slots__ = ("topic_id", "topic_name", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = partitions


class ShareGroupStatePartitionMetadataValueTopicInfo(Message):
    __slots__ = ("topic_id", "topic_name")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = "",
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name


class ShareGroupStatePartitionMetadataValue(Message):
    __slots__ = ("initializing_topics", "initialized_topics", "deleting_topics")

    def __init__(
        self,
        initializing_topics: Sequence[TopicPartitionsInfo] = (),
        initialized_topics: Sequence[TopicPartitionsInfo] = (),
        deleting_topics: Sequence[ShareGroupStatePartitionMetadataValueTopicInfo] = (),
    ) -> None:
        self.initializing_topics = initializing_topics
        self.initialized_topics = initialized_topics
        self.deleting_topics = deleting_topics


def _decode_topic_partitions_info_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TopicPartitionsInfo, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartitionsInfo.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicPartitionsInfo.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TopicPartitionsInfo.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicPartitionsInfo(topic_id, topic_name, partitions), pos


def _decode_share_group_state_partition_metadata_value_topic_info_v0(buf: Buffer, pos: int) -> tuple[ShareGroupStatePartitionMetadataValueTopicInfo, int]:
    topic_id, n = _read_uB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicInfo.topic_name")
    end = pos + n - 1
    topic_name = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareGroupStatePartitionMetadataValueTopicInfo(topic_id, topic_name), pos


def _decode_share_group_state_partition_metadata_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareGroupStatePartitionMetadataValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareGroupStatePartitionMetadataValue.initializing_topics")
    n -= 1
    if n > budget[0] or n * 19 > len(buf) - pos:
        raise count_error("ShareGroupStatePartitionMetadataValue.initializing_topics", n)
    budget[0] -= n
    initializing_topics = []
    for _ in range(n):
        initializing_topics_item, pos = _decode_topic_partitions_info_v0(buf, pos, budget)
        initializing_topics.append(initializing_topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareGroupStatePartitionMetadataValue.initialized_topics")
    n -= 1
    if n > budget[0] or n * 19 > len(buf) - pos:
        raise count_error("ShareGroupStatePartitionMetadataValue.initialized_topics", n)
    budget[0] -= n
    initialized_topics = []
    for _ in range(n):
        initialized_topics_item, pos = _decode_topic_partitions_info_v0(buf, pos, budget)
        initialized_topics.append(initialized_topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareGroupStatePartitionMetadataValue.deleting_topics")
    n -= 1
    if n > budget[0] or n * 18 > len(buf) - pos:
        raise count_error("ShareGroupStatePartitionMetadataValue.deleting_topics", n)
    budget[0] -= n
    deleting_topics = []
    for _ in range(n):
        deleting_topics_item, pos = _decode_share_group_state_partition_metadata_value_topic_info_v0(buf, pos)
        deleting_topics.append(deleting_topics_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareGroupStatePartitionMetadataValue(initializing_topics, initialized_topics, deleting_topics), pos


def _encode_topic_partitions_info_v0(m: TopicPartitionsInfo, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    put_compact_string(w, m.topic_name)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_share_group_state_partition_metadata_value_topic_info_v0(m: ShareGroupStatePartitionMetadataValueTopicInfo, w: bytearray) -> None:
    w += _write_u(m.topic_id)
    put_compact_string(w, m.topic_name)
    w.append(0)


def _encode_share_group_state_partition_metadata_value_v0(m: ShareGroupStatePartitionMetadataValue, w: bytearray) -> None:
    n = len(m.initializing_topics)
    put_uvarint(w, n + 1)
    for initializing_topics_item in m.initializing_topics:
        _encode_topic_partitions_info_v0(initializing_topics_item, w)
    n = len(m.initialized_topics)
    put_uvarint(w, n + 1)
    for initialized_topics_item in m.initialized_topics:
        _encode_topic_partitions_info_v0(initialized_topics_item, w)
    n = len(m.deleting_topics)
    put_uvarint(w, n + 1)
    for deleting_topics_item in m.deleting_topics:
        _encode_share_group_state_partition_metadata_value_topic_info_v0(deleting_topics_item, w)
    w.append(0)


_SHARE_GROUP_STATE_PARTITION_METADATA_VALUE_DECODERS = {0: _decode_share_group_state_partition_metadata_value_v0}
_SHARE_GROUP_STATE_PARTITION_METADATA_VALUE_ENCODERS = {0: _encode_share_group_state_partition_metadata_value_v0}


def decode_share_group_state_partition_metadata_value(buf: Buffer, pos: int, version: int) -> ShareGroupStatePartitionMetadataValue:
    try:
        message, pos = _SHARE_GROUP_STATE_PARTITION_METADATA_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareGroupStatePartitionMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareGroupStatePartitionMetadataValue", version, pos, len(buf))
    return message


def encode_share_group_state_partition_metadata_value(message: ShareGroupStatePartitionMetadataValue, version: int, out: Parts) -> None:
    if version not in _SHARE_GROUP_STATE_PARTITION_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("ShareGroupStatePartitionMetadataValue", version)
    w = bytearray()
    _SHARE_GROUP_STATE_PARTITION_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupRegularExpressionKey(Message):
    __slots__ = ("group_id", "regular_expression")

    def __init__(
        self,
        group_id: str = "",
        regular_expression: str = "",
    ) -> None:
        self.group_id = group_id
        self.regular_expression = regular_expression


def _decode_consumer_group_regular_expression_key_v0(buf: Buffer, pos: int) -> tuple[ConsumerGroupRegularExpressionKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ConsumerGroupRegularExpressionKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ConsumerGroupRegularExpressionKey.regular_expression")
    end = pos + n
    regular_expression = buf[pos:end].decode()
    pos = end
    return ConsumerGroupRegularExpressionKey(group_id, regular_expression), pos


def _encode_consumer_group_regular_expression_key_v0(m: ConsumerGroupRegularExpressionKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    put_string(w, m.regular_expression)


_CONSUMER_GROUP_REGULAR_EXPRESSION_KEY_DECODERS = {0: _decode_consumer_group_regular_expression_key_v0}
_CONSUMER_GROUP_REGULAR_EXPRESSION_KEY_ENCODERS = {0: _encode_consumer_group_regular_expression_key_v0}


def decode_consumer_group_regular_expression_key(buf: Buffer, pos: int, version: int) -> ConsumerGroupRegularExpressionKey:
    try:
        message, pos = _CONSUMER_GROUP_REGULAR_EXPRESSION_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupRegularExpressionKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupRegularExpressionKey", version, pos, len(buf))
    return message


def encode_consumer_group_regular_expression_key(message: ConsumerGroupRegularExpressionKey, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_REGULAR_EXPRESSION_KEY_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupRegularExpressionKey", version)
    w = bytearray()
    _CONSUMER_GROUP_REGULAR_EXPRESSION_KEY_ENCODERS[version](message, w)
    out.append(w)


class ConsumerGroupRegularExpressionValue(Message):
    __slots__ = ("topics", "version", "timestamp")

    def __init__(
        self,
        topics: Sequence[str] = (),
        version: int = 0,
        timestamp: int = 0,
    ) -> None:
        self.topics = topics
        self.version = version
        self.timestamp = timestamp


def _decode_consumer_group_regular_expression_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ConsumerGroupRegularExpressionValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ConsumerGroupRegularExpressionValue.topics")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("ConsumerGroupRegularExpressionValue.topics", n)
    budget[0] -= n
    topics = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("ConsumerGroupRegularExpressionValue.topics")
        end = pos + n - 1
        topics.append(buf[pos:end].decode())
        pos = end
    version, timestamp, n = _read_qqB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return ConsumerGroupRegularExpressionValue(topics, version, timestamp), pos


def _encode_consumer_group_regular_expression_value_v0(m: ConsumerGroupRegularExpressionValue, w: bytearray) -> None:
    n = len(m.topics)
    put_uvarint(w, n + 1)
    for topics_item in m.topics:
        put_compact_string(w, topics_item)
    w += _write_qqx(m.version, m.timestamp)


_CONSUMER_GROUP_REGULAR_EXPRESSION_VALUE_DECODERS = {0: _decode_consumer_group_regular_expression_value_v0}
_CONSUMER_GROUP_REGULAR_EXPRESSION_VALUE_ENCODERS = {0: _encode_consumer_group_regular_expression_value_v0}


def decode_consumer_group_regular_expression_value(buf: Buffer, pos: int, version: int) -> ConsumerGroupRegularExpressionValue:
    try:
        message, pos = _CONSUMER_GROUP_REGULAR_EXPRESSION_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ConsumerGroupRegularExpressionValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ConsumerGroupRegularExpressionValue", version, pos, len(buf))
    return message


def encode_consumer_group_regular_expression_value(message: ConsumerGroupRegularExpressionValue, version: int, out: Parts) -> None:
    if version not in _CONSUMER_GROUP_REGULAR_EXPRESSION_VALUE_ENCODERS:
        raise UnsupportedVersionError("ConsumerGroupRegularExpressionValue", version)
    w = bytearray()
    _CONSUMER_GROUP_REGULAR_EXPRESSION_VALUE_ENCODERS[version](message, w)
    out.append(w)


class StreamsGroupMetadataKey(Message):
    __slots__ = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


def _decode_streams_group_metadata_key_v0(buf: Buffer, pos: int) -> tuple[StreamsGroupMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("StreamsGroupMetadataKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    return StreamsGroupMetadataKey(group_id), pos


def _encode_streams_group_metadata_key_v0(m: StreamsGroupMetadataKey, w: bytearray) -> None:
    put_string(w, m.group_id)


_STREAMS_GROUP_METADATA_KEY_DECODERS = {0: _decode_streams_group_metadata_key_v0}
_STREAMS_GROUP_METADATA_KEY_ENCODERS = {0: _encode_streams_group_metadata_key_v0}


def decode_streams_group_metadata_key(buf: Buffer, pos: int, version: int) -> StreamsGroupMetadataKey:
    try:
        message, pos = _STREAMS_GROUP_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupMetadataKey", version, pos, len(buf))
    return message


def encode_streams_group_metadata_key(message: StreamsGroupMetadataKey, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupMetadataKey", version)
    w = bytearray()
    _STREAMS_GROUP_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class LastAssignmentConfig(Message):
    __slots__ = ("key", "value")

    def __init__(
        self,
        key: str = "",
        value: str = "",
    ) -> None:
        self.key = key
        self.value = value


class StreamsGroupMetadataValue(Message):
    __slots__ = ("epoch", "metadata_hash", "validated_topology_epoch", "last_assignment_configs", "stored_description_topology_epoch", "failed_description_topology_epoch")

    def __init__(
        self,
        epoch: int = 0,
        metadata_hash: int = 0,
        validated_topology_epoch: int = -1,
        last_assignment_configs: Sequence[LastAssignmentConfig] | None = (),
        stored_description_topology_epoch: int = -1,
        failed_description_topology_epoch: int = -1,
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.validated_topology_epoch = validated_topology_epoch
        self.last_assignment_configs = last_assignment_configs
        self.stored_description_topology_epoch = stored_description_topology_epoch
        self.failed_description_topology_epoch = failed_description_topology_epoch


def _decode_last_assignment_config_v0(buf: Buffer, pos: int) -> tuple[LastAssignmentConfig, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("LastAssignmentConfig.key")
    end = pos + n - 1
    key = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("LastAssignmentConfig.value")
    end = pos + n - 1
    value = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return LastAssignmentConfig(key, value), pos


def _decode_streams_group_metadata_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupMetadataValue, int]:
    epoch, metadata_hash, n = _read_iqB(buf, pos)
    pos += 13
    validated_topology_epoch: int = -1
    last_assignment_configs: list[LastAssignmentConfig] | tuple[()] | None = ()
    stored_description_topology_epoch: int = -1
    failed_description_topology_epoch: int = -1
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("StreamsGroupMetadataValue")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (validated_topology_epoch,) = _read_i(buf, pos)
                pos += 4
            elif tag == 1:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    last_assignment_configs = None
                else:
                    n -= 1
                    if n > budget[0] or n * 3 > len(buf) - pos:
                        raise count_error("StreamsGroupMetadataValue.last_assignment_configs", n)
                    budget[0] -= n
                    last_assignment_configs = []
                    for _ in range(n):
                        last_assignment_configs_item, pos = _decode_last_assignment_config_v0(buf, pos)
                        last_assignment_configs.append(last_assignment_configs_item)
            elif tag == 2:
                (stored_description_topology_epoch,) = _read_i(buf, pos)
                pos += 4
            elif tag == 3:
                (failed_description_topology_epoch,) = _read_i(buf, pos)
                pos += 4
            else:
                pos = stop
            if pos != stop:
                raise tag_error("StreamsGroupMetadataValue", tag)
    return StreamsGroupMetadataValue(epoch, metadata_hash, validated_topology_epoch, last_assignment_configs, stored_description_topology_epoch, failed_description_topology_epoch), pos


def _encode_last_assignment_config_v0(m: LastAssignmentConfig, w: bytearray) -> None:
    put_compact_string(w, m.key)
    put_compact_string(w, m.value)
    w.append(0)


def _encode_streams_group_metadata_value_v0(m: StreamsGroupMetadataValue, w: bytearray) -> None:
    w += _write_iq(m.epoch, m.metadata_hash)
    tags: Tags = []
    if m.validated_topology_epoch != -1:
        tags.append(b'\x00\x04' + _write_i(m.validated_topology_epoch))
    if m.last_assignment_configs is None or m.last_assignment_configs:
        t = bytearray()
        if m.last_assignment_configs is None:
            t.append(0)
        else:
            n = len(m.last_assignment_configs)
            put_uvarint(t, n + 1)
            for last_assignment_configs_item in m.last_assignment_configs:
                _encode_last_assignment_config_v0(last_assignment_configs_item, t)
        tags.append(tagged(1, t))
    if m.stored_description_topology_epoch != -1:
        tags.append(b'\x02\x04' + _write_i(m.stored_description_topology_epoch))
    if m.failed_description_topology_epoch != -1:
        tags.append(b'\x03\x04' + _write_i(m.failed_description_topology_epoch))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_STREAMS_GROUP_METADATA_VALUE_DECODERS = {0: _decode_streams_group_metadata_value_v0}
_STREAMS_GROUP_METADATA_VALUE_ENCODERS = {0: _encode_streams_group_metadata_value_v0}


def decode_streams_group_metadata_value(buf: Buffer, pos: int, version: int) -> StreamsGroupMetadataValue:
    try:
        message, pos = _STREAMS_GROUP_METADATA_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupMetadataValue", version, pos, len(buf))
    return message


def encode_streams_group_metadata_value(message: StreamsGroupMetadataValue, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupMetadataValue", version)
    w = bytearray()
    _STREAMS_GROUP_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class StreamsGroupMemberMetadataKey(Message):
    __slots__ = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


def _decode_streams_group_member_metadata_key_v0(buf: Buffer, pos: int) -> tuple[StreamsGroupMemberMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("StreamsGroupMemberMetadataKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("StreamsGroupMemberMetadataKey.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    return StreamsGroupMemberMetadataKey(group_id, member_id), pos


def _encode_streams_group_member_metadata_key_v0(m: StreamsGroupMemberMetadataKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    put_string(w, m.member_id)


_STREAMS_GROUP_MEMBER_METADATA_KEY_DECODERS = {0: _decode_streams_group_member_metadata_key_v0}
_STREAMS_GROUP_MEMBER_METADATA_KEY_ENCODERS = {0: _encode_streams_group_member_metadata_key_v0}


def decode_streams_group_member_metadata_key(buf: Buffer, pos: int, version: int) -> StreamsGroupMemberMetadataKey:
    try:
        message, pos = _STREAMS_GROUP_MEMBER_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupMemberMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupMemberMetadataKey", version, pos, len(buf))
    return message


def encode_streams_group_member_metadata_key(message: StreamsGroupMemberMetadataKey, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_MEMBER_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupMemberMetadataKey", version)
    w = bytearray()
    _STREAMS_GROUP_MEMBER_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class Endpoint(Message):
    __slots__ = ("host", "port")

    def __init__(
        self,
        host: str = "",
        port: int = 0,
    ) -> None:
        self.host = host
        self.port = port


class KeyValue(Message):
    __slots__ = ("key", "value")

    def __init__(
        self,
        key: str = "",
        value: str = "",
    ) -> None:
        self.key = key
        self.value = value


class StreamsGroupMemberMetadataValue(Message):
    __slots__ = ("instance_id", "rack_id", "client_id", "client_host", "rebalance_timeout_ms", "topology_epoch", "process_id", "user_endpoint", "client_tags")

    def __init__(
        self,
        instance_id: str | None = "",
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        rebalance_timeout_ms: int = -1,
        topology_epoch: int = 0,
        process_id: str = "",
        user_endpoint: Endpoint | None = None,
        client_tags: Sequence[KeyValue] = (),
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology_epoch = topology_epoch
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = client_tags


def _decode_endpoint_v0(buf: Buffer, pos: int) -> tuple[Endpoint, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Endpoint.host")
    end = pos + n - 1
    host = buf[pos:end].decode()
    pos = end
    port, n = _read_HB(buf, pos)
    pos += 3
    if n:
        pos = skip_tags(buf, pos, n)
    return Endpoint(host, port), pos


def _decode_key_value_v0(buf: Buffer, pos: int) -> tuple[KeyValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("KeyValue.key")
    end = pos + n - 1
    key = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("KeyValue.value")
    end = pos + n - 1
    value = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return KeyValue(key, value), pos


def _decode_streams_group_member_metadata_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupMemberMetadataValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    instance_id: str | None
    if not n:
        instance_id = None
    else:
        end = pos + n - 1
        instance_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    rack_id: str | None
    if not n:
        rack_id = None
    else:
        end = pos + n - 1
        rack_id = buf[pos:end].decode()
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupMemberMetadataValue.client_id")
    end = pos + n - 1
    client_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupMemberMetadataValue.client_host")
    end = pos + n - 1
    client_host = buf[pos:end].decode()
    pos = end
    rebalance_timeout_ms, topology_epoch, n = _read_iiB(buf, pos)
    pos += 9
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupMemberMetadataValue.process_id")
    end = pos + n - 1
    process_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_b(buf, pos)
    pos += 1
    user_endpoint: Endpoint | None
    if n < 0:
        user_endpoint = None
    else:
        user_endpoint, pos = _decode_endpoint_v0(buf, pos)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupMemberMetadataValue.client_tags")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("StreamsGroupMemberMetadataValue.client_tags", n)
    budget[0] -= n
    client_tags = []
    for _ in range(n):
        client_tags_item, pos = _decode_key_value_v0(buf, pos)
        client_tags.append(client_tags_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupMemberMetadataValue(instance_id, rack_id, client_id, client_host, rebalance_timeout_ms, topology_epoch, process_id, user_endpoint, client_tags), pos


def _encode_endpoint_v0(m: Endpoint, w: bytearray) -> None:
    put_compact_string(w, m.host)
    w += _write_Hx(m.port)


def _encode_key_value_v0(m: KeyValue, w: bytearray) -> None:
    put_compact_string(w, m.key)
    put_compact_string(w, m.value)
    w.append(0)


def _encode_streams_group_member_metadata_value_v0(m: StreamsGroupMemberMetadataValue, w: bytearray) -> None:
    put_compact_nullable_string(w, m.instance_id)
    put_compact_nullable_string(w, m.rack_id)
    put_compact_string(w, m.client_id)
    put_compact_string(w, m.client_host)
    w += _write_ii(m.rebalance_timeout_ms, m.topology_epoch)
    put_compact_string(w, m.process_id)
    if m.user_endpoint is None:
        w.append(255)
    else:
        w.append(1)
        _encode_endpoint_v0(m.user_endpoint, w)
    n = len(m.client_tags)
    put_uvarint(w, n + 1)
    for client_tags_item in m.client_tags:
        _encode_key_value_v0(client_tags_item, w)
    w.append(0)


_STREAMS_GROUP_MEMBER_METADATA_VALUE_DECODERS = {0: _decode_streams_group_member_metadata_value_v0}
_STREAMS_GROUP_MEMBER_METADATA_VALUE_ENCODERS = {0: _encode_streams_group_member_metadata_value_v0}


def decode_streams_group_member_metadata_value(buf: Buffer, pos: int, version: int) -> StreamsGroupMemberMetadataValue:
    try:
        message, pos = _STREAMS_GROUP_MEMBER_METADATA_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupMemberMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupMemberMetadataValue", version, pos, len(buf))
    return message


def encode_streams_group_member_metadata_value(message: StreamsGroupMemberMetadataValue, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_MEMBER_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupMemberMetadataValue", version)
    w = bytearray()
    _STREAMS_GROUP_MEMBER_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class StreamsGroupTargetAssignmentMetadataKey(Message):
    __slots__ = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


def _decode_streams_group_target_assignment_metadata_key_v0(buf: Buffer, pos: int) -> tuple[StreamsGroupTargetAssignmentMetadataKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("StreamsGroupTargetAssignmentMetadataKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    return StreamsGroupTargetAssignmentMetadataKey(group_id), pos


def _encode_streams_group_target_assignment_metadata_key_v0(m: StreamsGroupTargetAssignmentMetadataKey, w: bytearray) -> None:
    put_string(w, m.group_id)


_STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_DECODERS = {0: _decode_streams_group_target_assignment_metadata_key_v0}
_STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_ENCODERS = {0: _encode_streams_group_target_assignment_metadata_key_v0}


def decode_streams_group_target_assignment_metadata_key(buf: Buffer, pos: int, version: int) -> StreamsGroupTargetAssignmentMetadataKey:
    try:
        message, pos = _STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupTargetAssignmentMetadataKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupTargetAssignmentMetadataKey", version, pos, len(buf))
    return message


def encode_streams_group_target_assignment_metadata_key(message: StreamsGroupTargetAssignmentMetadataKey, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupTargetAssignmentMetadataKey", version)
    w = bytearray()
    _STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA_KEY_ENCODERS[version](message, w)
    out.append(w)


class StreamsGroupTargetAssignmentMetadataValue(Message):
    __slots__ = ("assignment_epoch", "assignment_timestamp")

    def __init__(
        self,
        assignment_epoch: int = 0,
        assignment_timestamp: int = 0,
    ) -> None:
        self.assignment_epoch = assignment_epoch
        self.assignment_timestamp = assignment_timestamp


def _decode_streams_group_target_assignment_metadata_value_v0(buf: Buffer, pos: int) -> tuple[StreamsGroupTargetAssignmentMetadataValue, int]:
    assignment_epoch, n = _read_iB(buf, pos)
    pos += 5
    assignment_timestamp: int = 0
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("StreamsGroupTargetAssignmentMetadataValue")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (assignment_timestamp,) = _read_q(buf, pos)
                pos += 8
            else:
                pos = stop
            if pos != stop:
                raise tag_error("StreamsGroupTargetAssignmentMetadataValue", tag)
    return StreamsGroupTargetAssignmentMetadataValue(assignment_epoch, assignment_timestamp), pos


def _encode_streams_group_target_assignment_metadata_value_v0(m: StreamsGroupTargetAssignmentMetadataValue, w: bytearray) -> None:
    w += _write_i(m.assignment_epoch)
    tags: Tags = []
    if m.assignment_timestamp != 0:
        tags.append(b'\x00\x08' + _write_q(m.assignment_timestamp))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_DECODERS = {0: _decode_streams_group_target_assignment_metadata_value_v0}
_STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_ENCODERS = {0: _encode_streams_group_target_assignment_metadata_value_v0}


def decode_streams_group_target_assignment_metadata_value(buf: Buffer, pos: int, version: int) -> StreamsGroupTargetAssignmentMetadataValue:
    try:
        message, pos = _STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupTargetAssignmentMetadataValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupTargetAssignmentMetadataValue", version, pos, len(buf))
    return message


def encode_streams_group_target_assignment_metadata_value(message: StreamsGroupTargetAssignmentMetadataValue, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupTargetAssignmentMetadataValue", version)
    w = bytearray()
    _STREAMS_GROUP_TARGET_ASSIGNMENT_METADATA_VALUE_ENCODERS[version](message, w)
    out.append(w)


class StreamsGroupTargetAssignmentMemberKey(Message):
    __slots__ = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


def _decode_streams_group_target_assignment_member_key_v0(buf: Buffer, pos: int) -> tuple[StreamsGroupTargetAssignmentMemberKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("StreamsGroupTargetAssignmentMemberKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("StreamsGroupTargetAssignmentMemberKey.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    return StreamsGroupTargetAssignmentMemberKey(group_id, member_id), pos


def _encode_streams_group_target_assignment_member_key_v0(m: StreamsGroupTargetAssignmentMemberKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    put_string(w, m.member_id)


_STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_DECODERS = {0: _decode_streams_group_target_assignment_member_key_v0}
_STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_ENCODERS = {0: _encode_streams_group_target_assignment_member_key_v0}


def decode_streams_group_target_assignment_member_key(buf: Buffer, pos: int, version: int) -> StreamsGroupTargetAssignmentMemberKey:
    try:
        message, pos = _STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupTargetAssignmentMemberKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupTargetAssignmentMemberKey", version, pos, len(buf))
    return message


def encode_streams_group_target_assignment_member_key(message: StreamsGroupTargetAssignmentMemberKey, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupTargetAssignmentMemberKey", version)
    w = bytearray()
    _STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER_KEY_ENCODERS[version](message, w)
    out.append(w)


class StreamsGroupTargetAssignmentMemberValueTaskIds(Message):
    __slots__ = ("subtopology_id", "partitions")

    def __init__(
        self,
        subtopology_id: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = partitions


class StreamsGroupTargetAssignmentMemberValue(Message):
    __slots__ = ("active_tasks", "standby_tasks", "warmup_tasks")

    def __init__(
        self,
        active_tasks: Sequence[StreamsGroupTargetAssignmentMemberValueTaskIds] = (),
        standby_tasks: Sequence[StreamsGroupTargetAssignmentMemberValueTaskIds] = (),
        warmup_tasks: Sequence[StreamsGroupTargetAssignmentMemberValueTaskIds] = (),
    ) -> None:
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks


def _decode_streams_group_target_assignment_member_value_task_ids_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupTargetAssignmentMemberValueTaskIds, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TaskIds.subtopology_id")
    end = pos + n - 1
    subtopology_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TaskIds.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TaskIds.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupTargetAssignmentMemberValueTaskIds(subtopology_id, partitions), pos


def _decode_streams_group_target_assignment_member_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupTargetAssignmentMemberValue, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupTargetAssignmentMemberValue.active_tasks")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("StreamsGroupTargetAssignmentMemberValue.active_tasks", n)
    budget[0] -= n
    active_tasks = []
    for _ in range(n):
        active_tasks_item, pos = _decode_streams_group_target_assignment_member_value_task_ids_v0(buf, pos, budget)
        active_tasks.append(active_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupTargetAssignmentMemberValue.standby_tasks")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("StreamsGroupTargetAssignmentMemberValue.standby_tasks", n)
    budget[0] -= n
    standby_tasks = []
    for _ in range(n):
        standby_tasks_item, pos = _decode_streams_group_target_assignment_member_value_task_ids_v0(buf, pos, budget)
        standby_tasks.append(standby_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupTargetAssignmentMemberValue.warmup_tasks")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("StreamsGroupTargetAssignmentMemberValue.warmup_tasks", n)
    budget[0] -= n
    warmup_tasks = []
    for _ in range(n):
        warmup_tasks_item, pos = _decode_streams_group_target_assignment_member_value_task_ids_v0(buf, pos, budget)
        warmup_tasks.append(warmup_tasks_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupTargetAssignmentMemberValue(active_tasks, standby_tasks, warmup_tasks), pos


def _encode_streams_group_target_assignment_member_value_task_ids_v0(m: StreamsGroupTargetAssignmentMemberValueTaskIds, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    w.append(0)


def _encode_streams_group_target_assignment_member_value_v0(m: StreamsGroupTargetAssignmentMemberValue, w: bytearray) -> None:
    n = len(m.active_tasks)
    put_uvarint(w, n + 1)
    for active_tasks_item in m.active_tasks:
        _encode_streams_group_target_assignment_member_value_task_ids_v0(active_tasks_item, w)
    n = len(m.standby_tasks)
    put_uvarint(w, n + 1)
    for standby_tasks_item in m.standby_tasks:
        _encode_streams_group_target_assignment_member_value_task_ids_v0(standby_tasks_item, w)
    n = len(m.warmup_tasks)
    put_uvarint(w, n + 1)
    for warmup_tasks_item in m.warmup_tasks:
        _encode_streams_group_target_assignment_member_value_task_ids_v0(warmup_tasks_item, w)
    w.append(0)


_STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_DECODERS = {0: _decode_streams_group_target_assignment_member_value_v0}
_STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_ENCODERS = {0: _encode_streams_group_target_assignment_member_value_v0}


def decode_streams_group_target_assignment_member_value(buf: Buffer, pos: int, version: int) -> StreamsGroupTargetAssignmentMemberValue:
    try:
        message, pos = _STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupTargetAssignmentMemberValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupTargetAssignmentMemberValue", version, pos, len(buf))
    return message


def encode_streams_group_target_assignment_member_value(message: StreamsGroupTargetAssignmentMemberValue, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupTargetAssignmentMemberValue", version)
    w = bytearray()
    _STREAMS_GROUP_TARGET_ASSIGNMENT_MEMBER_VALUE_ENCODERS[version](message, w)
    out.append(w)


class StreamsGroupCurrentMemberAssignmentKey(Message):
    __slots__ = ("group_id", "member_id")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id


def _decode_streams_group_current_member_assignment_key_v0(buf: Buffer, pos: int) -> tuple[StreamsGroupCurrentMemberAssignmentKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("StreamsGroupCurrentMemberAssignmentKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("StreamsGroupCurrentMemberAssignmentKey.member_id")
    end = pos + n
    member_id = buf[pos:end].decode()
    pos = end
    return StreamsGroupCurrentMemberAssignmentKey(group_id, member_id), pos


def _encode_streams_group_current_member_assignment_key_v0(m: StreamsGroupCurrentMemberAssignmentKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    put_string(w, m.member_id)


_STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_DECODERS = {0: _decode_streams_group_current_member_assignment_key_v0}
_STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_ENCODERS = {0: _encode_streams_group_current_member_assignment_key_v0}


def decode_streams_group_current_member_assignment_key(buf: Buffer, pos: int, version: int) -> StreamsGroupCurrentMemberAssignmentKey:
    try:
        message, pos = _STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupCurrentMemberAssignmentKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupCurrentMemberAssignmentKey", version, pos, len(buf))
    return message


def encode_streams_group_current_member_assignment_key(message: StreamsGroupCurrentMemberAssignmentKey, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupCurrentMemberAssignmentKey", version)
    w = bytearray()
    _STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT_KEY_ENCODERS[version](message, w)
    out.append(w)


class StreamsGroupCurrentMemberAssignmentValueTaskIds(Message):
    __slots__ = ("subtopology_id", "partitions", "assignment_epochs")

    def __init__(
        self,
        subtopology_id: str = "",
        partitions: Sequence[int] = (),
        assignment_epochs: Sequence[int] | None = (),
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = partitions
        self.assignment_epochs = assignment_epochs


class StreamsGroupCurrentMemberAssignmentValue(Message):
    __slots__ = ("member_epoch", "previous_member_epoch", "state", "active_tasks", "standby_tasks", "warmup_tasks", "active_tasks_pending_revocation", "standby_tasks_pending_revocation", "warmup_tasks_pending_revocation")

    def __init__(
        self,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        active_tasks: Sequence[StreamsGroupCurrentMemberAssignmentValueTaskIds] = (),
        standby_tasks: Sequence[StreamsGroupCurrentMemberAssignmentValueTaskIds] = (),
        warmup_tasks: Sequence[StreamsGroupCurrentMemberAssignmentValueTaskIds] = (),
        active_tasks_pending_revocation: Sequence[StreamsGroupCurrentMemberAssignmentValueTaskIds] = (),
        standby_tasks_pending_revocation: Sequence[StreamsGroupCurrentMemberAssignmentValueTaskIds] = (),
        warmup_tasks_pending_revocation: Sequence[StreamsGroupCurrentMemberAssignmentValueTaskIds] = (),
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.active_tasks_pending_revocation = active_tasks_pending_revocation
        self.standby_tasks_pending_revocation = standby_tasks_pending_revocation
        self.warmup_tasks_pending_revocation = warmup_tasks_pending_revocation


def _decode_streams_group_current_member_assignment_value_task_ids_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupCurrentMemberAssignmentValueTaskIds, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TaskIds.subtopology_id")
    end = pos + n - 1
    subtopology_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TaskIds.partitions")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("TaskIds.partitions", n)
    budget[0] -= n
    partitions = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    assignment_epochs: list[int] | tuple[()] | None = ()
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("TaskIds")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = uvarint_tail(buf, pos, n)
                if not n:
                    assignment_epochs = None
                else:
                    n -= 1
                    if n > budget[0] or n * 4 > len(buf) - pos:
                        raise count_error("TaskIds.assignment_epochs", n)
                    budget[0] -= n
                    assignment_epochs = list(unpack_from(f">{n}i", buf, pos))
                    pos += n * 4
            else:
                pos = stop
            if pos != stop:
                raise tag_error("TaskIds", tag)
    return StreamsGroupCurrentMemberAssignmentValueTaskIds(subtopology_id, partitions, assignment_epochs), pos


def _decode_streams_group_current_member_assignment_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupCurrentMemberAssignmentValue, int]:
    member_epoch, previous_member_epoch, state, n = _read_iibB(buf, pos)
    pos += 10
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupCurrentMemberAssignmentValue.active_tasks")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("StreamsGroupCurrentMemberAssignmentValue.active_tasks", n)
    budget[0] -= n
    active_tasks = []
    for _ in range(n):
        active_tasks_item, pos = _decode_streams_group_current_member_assignment_value_task_ids_v0(buf, pos, budget)
        active_tasks.append(active_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupCurrentMemberAssignmentValue.standby_tasks")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("StreamsGroupCurrentMemberAssignmentValue.standby_tasks", n)
    budget[0] -= n
    standby_tasks = []
    for _ in range(n):
        standby_tasks_item, pos = _decode_streams_group_current_member_assignment_value_task_ids_v0(buf, pos, budget)
        standby_tasks.append(standby_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupCurrentMemberAssignmentValue.warmup_tasks")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("StreamsGroupCurrentMemberAssignmentValue.warmup_tasks", n)
    budget[0] -= n
    warmup_tasks = []
    for _ in range(n):
        warmup_tasks_item, pos = _decode_streams_group_current_member_assignment_value_task_ids_v0(buf, pos, budget)
        warmup_tasks.append(warmup_tasks_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupCurrentMemberAssignmentValue.active_tasks_pending_revocation")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("StreamsGroupCurrentMemberAssignmentValue.active_tasks_pending_revocation", n)
    budget[0] -= n
    active_tasks_pending_revocation = []
    for _ in range(n):
        active_tasks_pending_revocation_item, pos = _decode_streams_group_current_member_assignment_value_task_ids_v0(buf, pos, budget)
        active_tasks_pending_revocation.append(active_tasks_pending_revocation_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupCurrentMemberAssignmentValue.standby_tasks_pending_revocation")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("StreamsGroupCurrentMemberAssignmentValue.standby_tasks_pending_revocation", n)
    budget[0] -= n
    standby_tasks_pending_revocation = []
    for _ in range(n):
        standby_tasks_pending_revocation_item, pos = _decode_streams_group_current_member_assignment_value_task_ids_v0(buf, pos, budget)
        standby_tasks_pending_revocation.append(standby_tasks_pending_revocation_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupCurrentMemberAssignmentValue.warmup_tasks_pending_revocation")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("StreamsGroupCurrentMemberAssignmentValue.warmup_tasks_pending_revocation", n)
    budget[0] -= n
    warmup_tasks_pending_revocation = []
    for _ in range(n):
        warmup_tasks_pending_revocation_item, pos = _decode_streams_group_current_member_assignment_value_task_ids_v0(buf, pos, budget)
        warmup_tasks_pending_revocation.append(warmup_tasks_pending_revocation_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupCurrentMemberAssignmentValue(member_epoch, previous_member_epoch, state, active_tasks, standby_tasks, warmup_tasks, active_tasks_pending_revocation, standby_tasks_pending_revocation, warmup_tasks_pending_revocation), pos


def _encode_streams_group_current_member_assignment_value_task_ids_v0(m: StreamsGroupCurrentMemberAssignmentValueTaskIds, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    n = len(m.partitions)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partitions)
    tags: Tags = []
    if m.assignment_epochs is None or m.assignment_epochs:
        t = bytearray()
        if m.assignment_epochs is None:
            t.append(0)
        else:
            n = len(m.assignment_epochs)
            put_uvarint(t, n + 1)
            t += pack(f">{n}i", *m.assignment_epochs)
        tags.append(tagged(0, t))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


def _encode_streams_group_current_member_assignment_value_v0(m: StreamsGroupCurrentMemberAssignmentValue, w: bytearray) -> None:
    w += _write_iib(m.member_epoch, m.previous_member_epoch, m.state)
    n = len(m.active_tasks)
    put_uvarint(w, n + 1)
    for active_tasks_item in m.active_tasks:
        _encode_streams_group_current_member_assignment_value_task_ids_v0(active_tasks_item, w)
    n = len(m.standby_tasks)
    put_uvarint(w, n + 1)
    for standby_tasks_item in m.standby_tasks:
        _encode_streams_group_current_member_assignment_value_task_ids_v0(standby_tasks_item, w)
    n = len(m.warmup_tasks)
    put_uvarint(w, n + 1)
    for warmup_tasks_item in m.warmup_tasks:
        _encode_streams_group_current_member_assignment_value_task_ids_v0(warmup_tasks_item, w)
    n = len(m.active_tasks_pending_revocation)
    put_uvarint(w, n + 1)
    for active_tasks_pending_revocation_item in m.active_tasks_pending_revocation:
        _encode_streams_group_current_member_assignment_value_task_ids_v0(active_tasks_pending_revocation_item, w)
    n = len(m.standby_tasks_pending_revocation)
    put_uvarint(w, n + 1)
    for standby_tasks_pending_revocation_item in m.standby_tasks_pending_revocation:
        _encode_streams_group_current_member_assignment_value_task_ids_v0(standby_tasks_pending_revocation_item, w)
    n = len(m.warmup_tasks_pending_revocation)
    put_uvarint(w, n + 1)
    for warmup_tasks_pending_revocation_item in m.warmup_tasks_pending_revocation:
        _encode_streams_group_current_member_assignment_value_task_ids_v0(warmup_tasks_pending_revocation_item, w)
    w.append(0)


_STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_DECODERS = {0: _decode_streams_group_current_member_assignment_value_v0}
_STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_ENCODERS = {0: _encode_streams_group_current_member_assignment_value_v0}


def decode_streams_group_current_member_assignment_value(buf: Buffer, pos: int, version: int) -> StreamsGroupCurrentMemberAssignmentValue:
    try:
        message, pos = _STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupCurrentMemberAssignmentValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupCurrentMemberAssignmentValue", version, pos, len(buf))
    return message


def encode_streams_group_current_member_assignment_value(message: StreamsGroupCurrentMemberAssignmentValue, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupCurrentMemberAssignmentValue", version)
    w = bytearray()
    _STREAMS_GROUP_CURRENT_MEMBER_ASSIGNMENT_VALUE_ENCODERS[version](message, w)
    out.append(w)


class StreamsGroupTopologyKey(Message):
    __slots__ = ("group_id",)

    def __init__(
        self,
        group_id: str = "",
    ) -> None:
        self.group_id = group_id


def _decode_streams_group_topology_key_v0(buf: Buffer, pos: int) -> tuple[StreamsGroupTopologyKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("StreamsGroupTopologyKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    return StreamsGroupTopologyKey(group_id), pos


def _encode_streams_group_topology_key_v0(m: StreamsGroupTopologyKey, w: bytearray) -> None:
    put_string(w, m.group_id)


_STREAMS_GROUP_TOPOLOGY_KEY_DECODERS = {0: _decode_streams_group_topology_key_v0}
_STREAMS_GROUP_TOPOLOGY_KEY_ENCODERS = {0: _encode_streams_group_topology_key_v0}


def decode_streams_group_topology_key(buf: Buffer, pos: int, version: int) -> StreamsGroupTopologyKey:
    try:
        message, pos = _STREAMS_GROUP_TOPOLOGY_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupTopologyKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupTopologyKey", version, pos, len(buf))
    return message


def encode_streams_group_topology_key(message: StreamsGroupTopologyKey, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_TOPOLOGY_KEY_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupTopologyKey", version)
    w = bytearray()
    _STREAMS_GROUP_TOPOLOGY_KEY_ENCODERS[version](message, w)
    out.append(w)


class TopicConfig(Message):
    __slots__ = ("key", "value")

    def __init__(
        self,
        key: str = "",
        value: str = "",
    ) -> None:
        self.key = key
        self.value = value


class StreamsGroupTopologyValueTopicInfo(Message):
    __slots__ = ("name", "partitions", "replication_factor", "topic_configs")

    def __init__(
        self,
        name: str = "",
        partitions: int = 0,
        replication_factor: int = 0,
        topic_configs: Sequence[TopicConfig] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.replication_factor = replication_factor
        self.topic_configs = topic_configs


class CopartitionGroup(Message):
    __slots__ = ("source_topics", "source_topic_regex", "repartition_source_topics")

    def __init__(
        self,
        source_topics: Sequence[int] = (),
        source_topic_regex: Sequence[int] = (),
        repartition_source_topics: Sequence[int] = (),
    ) -> None:
        self.source_topics = source_topics
        self.source_topic_regex = source_topic_regex
        self.repartition_source_topics = repartition_source_topics


class Subtopology(Message):
    __slots__ = ("subtopology_id", "source_topics", "source_topic_regex", "state_changelog_topics", "repartition_sink_topics", "repartition_source_topics", "copartition_groups")

    def __init__(
        self,
        subtopology_id: str = "",
        source_topics: Sequence[str] = (),
        source_topic_regex: Sequence[str] = (),
        state_changelog_topics: Sequence[StreamsGroupTopologyValueTopicInfo] = (),
        repartition_sink_topics: Sequence[str] = (),
        repartition_source_topics: Sequence[StreamsGroupTopologyValueTopicInfo] = (),
        copartition_groups: Sequence[CopartitionGroup] = (),
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = source_topics
        self.source_topic_regex = source_topic_regex
        self.state_changelog_topics = state_changelog_topics
        self.repartition_sink_topics = repartition_sink_topics
        self.repartition_source_topics = repartition_source_topics
        self.copartition_groups = copartition_groups


class StreamsGroupTopologyValue(Message):
    __slots__ = ("epoch", "subtopologies")

    def __init__(
        self,
        epoch: int = 0,
        subtopologies: Sequence[Subtopology] = (),
    ) -> None:
        self.epoch = epoch
        self.subtopologies = subtopologies


def _decode_topic_config_v0(buf: Buffer, pos: int) -> tuple[TopicConfig, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicConfig.key")
    end = pos + n - 1
    key = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicConfig.value")
    end = pos + n - 1
    value = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return TopicConfig(key, value), pos


def _decode_streams_group_topology_value_topic_info_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupTopologyValueTopicInfo, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicInfo.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    partitions, replication_factor, n = _read_ihB(buf, pos)
    pos += 7
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("TopicInfo.topic_configs")
    n -= 1
    if n > budget[0] or n * 3 > len(buf) - pos:
        raise count_error("TopicInfo.topic_configs", n)
    budget[0] -= n
    topic_configs = []
    for _ in range(n):
        topic_configs_item, pos = _decode_topic_config_v0(buf, pos)
        topic_configs.append(topic_configs_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupTopologyValueTopicInfo(name, partitions, replication_factor, topic_configs), pos


def _decode_copartition_group_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[CopartitionGroup, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CopartitionGroup.source_topics")
    n -= 1
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("CopartitionGroup.source_topics", n)
    budget[0] -= n
    source_topics = list(unpack_from(f">{n}h", buf, pos))
    pos += n * 2
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CopartitionGroup.source_topic_regex")
    n -= 1
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("CopartitionGroup.source_topic_regex", n)
    budget[0] -= n
    source_topic_regex = list(unpack_from(f">{n}h", buf, pos))
    pos += n * 2
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("CopartitionGroup.repartition_source_topics")
    n -= 1
    if n > budget[0] or n * 2 > len(buf) - pos:
        raise count_error("CopartitionGroup.repartition_source_topics", n)
    budget[0] -= n
    repartition_source_topics = list(unpack_from(f">{n}h", buf, pos))
    pos += n * 2
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return CopartitionGroup(source_topics, source_topic_regex, repartition_source_topics), pos


def _decode_subtopology_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[Subtopology, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.subtopology_id")
    end = pos + n - 1
    subtopology_id = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.source_topics")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("Subtopology.source_topics", n)
    budget[0] -= n
    source_topics = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("Subtopology.source_topics")
        end = pos + n - 1
        source_topics.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.source_topic_regex")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("Subtopology.source_topic_regex", n)
    budget[0] -= n
    source_topic_regex = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("Subtopology.source_topic_regex")
        end = pos + n - 1
        source_topic_regex.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.state_changelog_topics")
    n -= 1
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("Subtopology.state_changelog_topics", n)
    budget[0] -= n
    state_changelog_topics = []
    for _ in range(n):
        state_changelog_topics_item, pos = _decode_streams_group_topology_value_topic_info_v0(buf, pos, budget)
        state_changelog_topics.append(state_changelog_topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.repartition_sink_topics")
    n -= 1
    if n > budget[0] or n > len(buf) - pos:
        raise count_error("Subtopology.repartition_sink_topics", n)
    budget[0] -= n
    repartition_sink_topics = []
    for _ in range(n):
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = string_length_tail(buf, pos, n)
        if not n:
            raise null_error("Subtopology.repartition_sink_topics")
        end = pos + n - 1
        repartition_sink_topics.append(buf[pos:end].decode())
        pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.repartition_source_topics")
    n -= 1
    if n > budget[0] or n * 9 > len(buf) - pos:
        raise count_error("Subtopology.repartition_source_topics", n)
    budget[0] -= n
    repartition_source_topics = []
    for _ in range(n):
        repartition_source_topics_item, pos = _decode_streams_group_topology_value_topic_info_v0(buf, pos, budget)
        repartition_source_topics.append(repartition_source_topics_item)
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("Subtopology.copartition_groups")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("Subtopology.copartition_groups", n)
    budget[0] -= n
    copartition_groups = []
    for _ in range(n):
        copartition_groups_item, pos = _decode_copartition_group_v0(buf, pos, budget)
        copartition_groups.append(copartition_groups_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return Subtopology(subtopology_id, source_topics, source_topic_regex, state_changelog_topics, repartition_sink_topics, repartition_source_topics, copartition_groups), pos


def _decode_streams_group_topology_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[StreamsGroupTopologyValue, int]:
    epoch, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("StreamsGroupTopologyValue.subtopologies")
    n -= 1
    if n > budget[0] or n * 8 > len(buf) - pos:
        raise count_error("StreamsGroupTopologyValue.subtopologies", n)
    budget[0] -= n
    subtopologies = []
    for _ in range(n):
        subtopologies_item, pos = _decode_subtopology_v0(buf, pos, budget)
        subtopologies.append(subtopologies_item)
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return StreamsGroupTopologyValue(epoch, subtopologies), pos


def _encode_topic_config_v0(m: TopicConfig, w: bytearray) -> None:
    put_compact_string(w, m.key)
    put_compact_string(w, m.value)
    w.append(0)


def _encode_streams_group_topology_value_topic_info_v0(m: StreamsGroupTopologyValueTopicInfo, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_ih(m.partitions, m.replication_factor)
    n = len(m.topic_configs)
    put_uvarint(w, n + 1)
    for topic_configs_item in m.topic_configs:
        _encode_topic_config_v0(topic_configs_item, w)
    w.append(0)


def _encode_copartition_group_v0(m: CopartitionGroup, w: bytearray) -> None:
    n = len(m.source_topics)
    put_uvarint(w, n + 1)
    w += pack(f">{n}h", *m.source_topics)
    n = len(m.source_topic_regex)
    put_uvarint(w, n + 1)
    w += pack(f">{n}h", *m.source_topic_regex)
    n = len(m.repartition_source_topics)
    put_uvarint(w, n + 1)
    w += pack(f">{n}h", *m.repartition_source_topics)
    w.append(0)


def _encode_subtopology_v0(m: Subtopology, w: bytearray) -> None:
    put_compact_string(w, m.subtopology_id)
    n = len(m.source_topics)
    put_uvarint(w, n + 1)
    for source_topics_item in m.source_topics:
        put_compact_string(w, source_topics_item)
    n = len(m.source_topic_regex)
    put_uvarint(w, n + 1)
    for source_topic_regex_item in m.source_topic_regex:
        put_compact_string(w, source_topic_regex_item)
    n = len(m.state_changelog_topics)
    put_uvarint(w, n + 1)
    for state_changelog_topics_item in m.state_changelog_topics:
        _encode_streams_group_topology_value_topic_info_v0(state_changelog_topics_item, w)
    n = len(m.repartition_sink_topics)
    put_uvarint(w, n + 1)
    for repartition_sink_topics_item in m.repartition_sink_topics:
        put_compact_string(w, repartition_sink_topics_item)
    n = len(m.repartition_source_topics)
    put_uvarint(w, n + 1)
    for repartition_source_topics_item in m.repartition_source_topics:
        _encode_streams_group_topology_value_topic_info_v0(repartition_source_topics_item, w)
    n = len(m.copartition_groups)
    put_uvarint(w, n + 1)
    for copartition_groups_item in m.copartition_groups:
        _encode_copartition_group_v0(copartition_groups_item, w)
    w.append(0)


def _encode_streams_group_topology_value_v0(m: StreamsGroupTopologyValue, w: bytearray) -> None:
    w += _write_i(m.epoch)
    n = len(m.subtopologies)
    put_uvarint(w, n + 1)
    for subtopologies_item in m.subtopologies:
        _encode_subtopology_v0(subtopologies_item, w)
    w.append(0)


_STREAMS_GROUP_TOPOLOGY_VALUE_DECODERS = {0: _decode_streams_group_topology_value_v0}
_STREAMS_GROUP_TOPOLOGY_VALUE_ENCODERS = {0: _encode_streams_group_topology_value_v0}


def decode_streams_group_topology_value(buf: Buffer, pos: int, version: int) -> StreamsGroupTopologyValue:
    try:
        message, pos = _STREAMS_GROUP_TOPOLOGY_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("StreamsGroupTopologyValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("StreamsGroupTopologyValue", version, pos, len(buf))
    return message


def encode_streams_group_topology_value(message: StreamsGroupTopologyValue, version: int, out: Parts) -> None:
    if version not in _STREAMS_GROUP_TOPOLOGY_VALUE_ENCODERS:
        raise UnsupportedVersionError("StreamsGroupTopologyValue", version)
    w = bytearray()
    _STREAMS_GROUP_TOPOLOGY_VALUE_ENCODERS[version](message, w)
    out.append(w)


# Record type -> class, decode, encode, highest version.
KEYS: RecordTable = {
    0: (LegacyOffsetCommitKey, decode_legacy_offset_commit_key, encode_legacy_offset_commit_key, 0),
    1: (OffsetCommitKey, decode_offset_commit_key, encode_offset_commit_key, 0),
    2: (GroupMetadataKey, decode_group_metadata_key, encode_group_metadata_key, 0),
    3: (ConsumerGroupMetadataKey, decode_consumer_group_metadata_key, encode_consumer_group_metadata_key, 0),
    4: (ConsumerGroupPartitionMetadataKey, decode_consumer_group_partition_metadata_key, encode_consumer_group_partition_metadata_key, 0),
    5: (ConsumerGroupMemberMetadataKey, decode_consumer_group_member_metadata_key, encode_consumer_group_member_metadata_key, 0),
    6: (ConsumerGroupTargetAssignmentMetadataKey, decode_consumer_group_target_assignment_metadata_key, encode_consumer_group_target_assignment_metadata_key, 0),
    7: (ConsumerGroupTargetAssignmentMemberKey, decode_consumer_group_target_assignment_member_key, encode_consumer_group_target_assignment_member_key, 0),
    8: (ConsumerGroupCurrentMemberAssignmentKey, decode_consumer_group_current_member_assignment_key, encode_consumer_group_current_member_assignment_key, 0),
    10: (ShareGroupMemberMetadataKey, decode_share_group_member_metadata_key, encode_share_group_member_metadata_key, 0),
    11: (ShareGroupMetadataKey, decode_share_group_metadata_key, encode_share_group_metadata_key, 0),
    12: (ShareGroupTargetAssignmentMetadataKey, decode_share_group_target_assignment_metadata_key, encode_share_group_target_assignment_metadata_key, 0),
    13: (ShareGroupTargetAssignmentMemberKey, decode_share_group_target_assignment_member_key, encode_share_group_target_assignment_member_key, 0),
    14: (ShareGroupCurrentMemberAssignmentKey, decode_share_group_current_member_assignment_key, encode_share_group_current_member_assignment_key, 0),
    15: (ShareGroupStatePartitionMetadataKey, decode_share_group_state_partition_metadata_key, encode_share_group_state_partition_metadata_key, 0),
    16: (ConsumerGroupRegularExpressionKey, decode_consumer_group_regular_expression_key, encode_consumer_group_regular_expression_key, 0),
    17: (StreamsGroupMetadataKey, decode_streams_group_metadata_key, encode_streams_group_metadata_key, 0),
    19: (StreamsGroupMemberMetadataKey, decode_streams_group_member_metadata_key, encode_streams_group_member_metadata_key, 0),
    20: (StreamsGroupTargetAssignmentMetadataKey, decode_streams_group_target_assignment_metadata_key, encode_streams_group_target_assignment_metadata_key, 0),
    21: (StreamsGroupTargetAssignmentMemberKey, decode_streams_group_target_assignment_member_key, encode_streams_group_target_assignment_member_key, 0),
    22: (StreamsGroupCurrentMemberAssignmentKey, decode_streams_group_current_member_assignment_key, encode_streams_group_current_member_assignment_key, 0),
    23: (StreamsGroupTopologyKey, decode_streams_group_topology_key, encode_streams_group_topology_key, 0),
}
VALUES: RecordTable = {
    0: (LegacyOffsetCommitValue, decode_legacy_offset_commit_value, encode_legacy_offset_commit_value, 0),
    1: (OffsetCommitValue, decode_offset_commit_value, encode_offset_commit_value, 4),
    2: (GroupMetadataValue, decode_group_metadata_value, encode_group_metadata_value, 4),
    3: (ConsumerGroupMetadataValue, decode_consumer_group_metadata_value, encode_consumer_group_metadata_value, 0),
    4: (ConsumerGroupPartitionMetadataValue, decode_consumer_group_partition_metadata_value, encode_consumer_group_partition_metadata_value, 0),
    5: (ConsumerGroupMemberMetadataValue, decode_consumer_group_member_metadata_value, encode_consumer_group_member_metadata_value, 0),
    6: (ConsumerGroupTargetAssignmentMetadataValue, decode_consumer_group_target_assignment_metadata_value, encode_consumer_group_target_assignment_metadata_value, 0),
    7: (ConsumerGroupTargetAssignmentMemberValue, decode_consumer_group_target_assignment_member_value, encode_consumer_group_target_assignment_member_value, 0),
    8: (ConsumerGroupCurrentMemberAssignmentValue, decode_consumer_group_current_member_assignment_value, encode_consumer_group_current_member_assignment_value, 0),
    10: (ShareGroupMemberMetadataValue, decode_share_group_member_metadata_value, encode_share_group_member_metadata_value, 0),
    11: (ShareGroupMetadataValue, decode_share_group_metadata_value, encode_share_group_metadata_value, 0),
    12: (ShareGroupTargetAssignmentMetadataValue, decode_share_group_target_assignment_metadata_value, encode_share_group_target_assignment_metadata_value, 0),
    13: (ShareGroupTargetAssignmentMemberValue, decode_share_group_target_assignment_member_value, encode_share_group_target_assignment_member_value, 0),
    14: (ShareGroupCurrentMemberAssignmentValue, decode_share_group_current_member_assignment_value, encode_share_group_current_member_assignment_value, 0),
    15: (ShareGroupStatePartitionMetadataValue, decode_share_group_state_partition_metadata_value, encode_share_group_state_partition_metadata_value, 0),
    16: (ConsumerGroupRegularExpressionValue, decode_consumer_group_regular_expression_value, encode_consumer_group_regular_expression_value, 0),
    17: (StreamsGroupMetadataValue, decode_streams_group_metadata_value, encode_streams_group_metadata_value, 0),
    19: (StreamsGroupMemberMetadataValue, decode_streams_group_member_metadata_value, encode_streams_group_member_metadata_value, 0),
    20: (StreamsGroupTargetAssignmentMetadataValue, decode_streams_group_target_assignment_metadata_value, encode_streams_group_target_assignment_metadata_value, 0),
    21: (StreamsGroupTargetAssignmentMemberValue, decode_streams_group_target_assignment_member_value, encode_streams_group_target_assignment_member_value, 0),
    22: (StreamsGroupCurrentMemberAssignmentValue, decode_streams_group_current_member_assignment_value, encode_streams_group_current_member_assignment_value, 0),
    23: (StreamsGroupTopologyValue, decode_streams_group_topology_value, encode_streams_group_topology_value, 0),
}

_KEY_TYPES = {row[0]: key for key, row in KEYS.items()}
_VALUE_TYPES = {row[0]: key for key, row in VALUES.items()}


def decode_key(key: Buffer) -> tuple[int, Message]:
    """Read a record's key: its type as int16, then the key."""
    return decode_typed_key(KEYS, key)


def encode_key(message: Message) -> bytes:
    """Write a record's key."""
    return encode_typed_key(KEYS, _KEY_TYPES[type(message)], message)


def decode_value(record_type: int, value: Buffer) -> Message:
    """Read the value of a record whose key is of `record_type`: its version as int16, then the value."""
    return decode_typed_value(VALUES, record_type, value)


def encode_value(message: Message, version: int | None = None) -> bytes:
    """Write a record's value, by default in its highest version."""
    return encode_typed_value(VALUES, _VALUE_TYPES[type(message)], message, version)
