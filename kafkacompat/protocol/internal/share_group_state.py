"""Records of __share_group_state."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

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
    malformed,
    null_error,
    put_string,
    put_tags,
    read_tag,
    skip_tags,
    tag_count_error,
    tag_error,
    wrong_end,
)
from kafkacompat.protocol.varint import put_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.internal.framing import RecordTable
    from kafkacompat.protocol.primitives import Buffer, Parts, Tags


_read_ui = Struct(">16si").unpack_from
_write_ui = Struct(">16si").pack
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_write_iiiqqq = Struct(">iiiqqq").pack
_read_iiiqqqB = Struct(">iiiqqqB").unpack_from
_write_iiq = Struct(">iiq").pack
_read_iiqB = Struct(">iiqB").unpack_from
_read_qqbhB = Struct(">qqbhB").unpack_from
_write_qqbhx = Struct(">qqbhx").pack


class ShareSnapshotKey(Message):
    __slots__ = ("group_id", "topic_id", "partition")

    def __init__(
        self,
        group_id: str = "",
        topic_id: bytes = ZERO_UUID,
        partition: int = 0,
    ) -> None:
        self.group_id = group_id
        self.topic_id = topic_id
        self.partition = partition


def _decode_share_snapshot_key_v0(buf: Buffer, pos: int) -> tuple[ShareSnapshotKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ShareSnapshotKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    topic_id, partition = _read_ui(buf, pos)
    pos += 20
    return ShareSnapshotKey(group_id, topic_id, partition), pos


def _encode_share_snapshot_key_v0(m: ShareSnapshotKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    w += _write_ui(m.topic_id, m.partition)


_SHARE_SNAPSHOT_KEY_DECODERS = {0: _decode_share_snapshot_key_v0}
_SHARE_SNAPSHOT_KEY_ENCODERS = {0: _encode_share_snapshot_key_v0}


def decode_share_snapshot_key(buf: Buffer, pos: int, version: int) -> ShareSnapshotKey:
    try:
        message, pos = _SHARE_SNAPSHOT_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ShareSnapshotKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareSnapshotKey", version, pos, len(buf))
    return message


def encode_share_snapshot_key(message: ShareSnapshotKey, version: int, out: Parts) -> None:
    if version not in _SHARE_SNAPSHOT_KEY_ENCODERS:
        raise UnsupportedVersionError("ShareSnapshotKey", version)
    w = bytearray()
    _SHARE_SNAPSHOT_KEY_ENCODERS[version](message, w)
    out.append(w)


class ShareSnapshotValueStateBatch(Message):
    __slots__ = ("first_offset", "last_offset", "delivery_state", "delivery_count")

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_state: int = 0,
        delivery_count: int = 0,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count


class ShareSnapshotValue(Message):
    __slots__ = ("snapshot_epoch", "state_epoch", "leader_epoch", "start_offset", "delivery_complete_count", "create_timestamp", "write_timestamp", "state_batches")

    def __init__(
        self,
        snapshot_epoch: int = 0,
        state_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        delivery_complete_count: int = -1,
        create_timestamp: int = 0,
        write_timestamp: int = 0,
        state_batches: Sequence[ShareSnapshotValueStateBatch] = (),
    ) -> None:
        self.snapshot_epoch = snapshot_epoch
        self.state_epoch = state_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.create_timestamp = create_timestamp
        self.write_timestamp = write_timestamp
        self.state_batches = state_batches


def _decode_share_snapshot_value_state_batch_v0(buf: Buffer, pos: int) -> tuple[ShareSnapshotValueStateBatch, int]:
    first_offset, last_offset, delivery_state, delivery_count, n = _read_qqbhB(buf, pos)
    pos += 20
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareSnapshotValueStateBatch(first_offset, last_offset, delivery_state, delivery_count), pos


def _decode_share_snapshot_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareSnapshotValue, int]:
    snapshot_epoch, state_epoch, leader_epoch, start_offset, create_timestamp, write_timestamp, n = _read_iiiqqqB(buf, pos)
    pos += 37
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareSnapshotValue.state_batches")
    n -= 1
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("ShareSnapshotValue.state_batches", n)
    budget[0] -= n
    state_batches = []
    for _ in range(n):
        state_batches_item, pos = _decode_share_snapshot_value_state_batch_v0(buf, pos)
        state_batches.append(state_batches_item)
    n = buf[pos]
    pos += 1
    delivery_complete_count: int = -1
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("ShareSnapshotValue")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (delivery_complete_count,) = _read_i(buf, pos)
                pos += 4
            else:
                pos = stop
            if pos != stop:
                raise tag_error("ShareSnapshotValue", tag)
    return ShareSnapshotValue(snapshot_epoch, state_epoch, leader_epoch, start_offset, delivery_complete_count, create_timestamp, write_timestamp, state_batches), pos


def _encode_share_snapshot_value_state_batch_v0(m: ShareSnapshotValueStateBatch, w: bytearray) -> None:
    w += _write_qqbhx(m.first_offset, m.last_offset, m.delivery_state, m.delivery_count)


def _encode_share_snapshot_value_v0(m: ShareSnapshotValue, w: bytearray) -> None:
    w += _write_iiiqqq(m.snapshot_epoch, m.state_epoch, m.leader_epoch, m.start_offset, m.create_timestamp, m.write_timestamp)
    n = len(m.state_batches)
    put_uvarint(w, n + 1)
    for state_batches_item in m.state_batches:
        _encode_share_snapshot_value_state_batch_v0(state_batches_item, w)
    tags: Tags = []
    if m.delivery_complete_count != -1:
        tags.append(b'\x00\x04' + _write_i(m.delivery_complete_count))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_SHARE_SNAPSHOT_VALUE_DECODERS = {0: _decode_share_snapshot_value_v0}
_SHARE_SNAPSHOT_VALUE_ENCODERS = {0: _encode_share_snapshot_value_v0}


def decode_share_snapshot_value(buf: Buffer, pos: int, version: int) -> ShareSnapshotValue:
    try:
        message, pos = _SHARE_SNAPSHOT_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareSnapshotValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareSnapshotValue", version, pos, len(buf))
    return message


def encode_share_snapshot_value(message: ShareSnapshotValue, version: int, out: Parts) -> None:
    if version not in _SHARE_SNAPSHOT_VALUE_ENCODERS:
        raise UnsupportedVersionError("ShareSnapshotValue", version)
    w = bytearray()
    _SHARE_SNAPSHOT_VALUE_ENCODERS[version](message, w)
    out.append(w)


class ShareUpdateKey(Message):
    __slots__ = ("group_id", "topic_id", "partition")

    def __init__(
        self,
        group_id: str = "",
        topic_id: bytes = ZERO_UUID,
        partition: int = 0,
    ) -> None:
        self.group_id = group_id
        self.topic_id = topic_id
        self.partition = partition


def _decode_share_update_key_v0(buf: Buffer, pos: int) -> tuple[ShareUpdateKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("ShareUpdateKey.group_id")
    end = pos + n
    group_id = buf[pos:end].decode()
    pos = end
    topic_id, partition = _read_ui(buf, pos)
    pos += 20
    return ShareUpdateKey(group_id, topic_id, partition), pos


def _encode_share_update_key_v0(m: ShareUpdateKey, w: bytearray) -> None:
    put_string(w, m.group_id)
    w += _write_ui(m.topic_id, m.partition)


_SHARE_UPDATE_KEY_DECODERS = {0: _decode_share_update_key_v0}
_SHARE_UPDATE_KEY_ENCODERS = {0: _encode_share_update_key_v0}


def decode_share_update_key(buf: Buffer, pos: int, version: int) -> ShareUpdateKey:
    try:
        message, pos = _SHARE_UPDATE_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("ShareUpdateKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareUpdateKey", version, pos, len(buf))
    return message


def encode_share_update_key(message: ShareUpdateKey, version: int, out: Parts) -> None:
    if version not in _SHARE_UPDATE_KEY_ENCODERS:
        raise UnsupportedVersionError("ShareUpdateKey", version)
    w = bytearray()
    _SHARE_UPDATE_KEY_ENCODERS[version](message, w)
    out.append(w)


class ShareUpdateValueStateBatch(Message):
    __slots__ = ("first_offset", "last_offset", "delivery_state", "delivery_count")

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_state: int = 0,
        delivery_count: int = 0,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count


class ShareUpdateValue(Message):
    __slots__ = ("snapshot_epoch", "leader_epoch", "start_offset", "delivery_complete_count", "state_batches")

    def __init__(
        self,
        snapshot_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        delivery_complete_count: int = -1,
        state_batches: Sequence[ShareUpdateValueStateBatch] = (),
    ) -> None:
        self.snapshot_epoch = snapshot_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.state_batches = state_batches


def _decode_share_update_value_state_batch_v0(buf: Buffer, pos: int) -> tuple[ShareUpdateValueStateBatch, int]:
    first_offset, last_offset, delivery_state, delivery_count, n = _read_qqbhB(buf, pos)
    pos += 20
    if n:
        pos = skip_tags(buf, pos, n)
    return ShareUpdateValueStateBatch(first_offset, last_offset, delivery_state, delivery_count), pos


def _decode_share_update_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[ShareUpdateValue, int]:
    snapshot_epoch, leader_epoch, start_offset, n = _read_iiqB(buf, pos)
    pos += 17
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("ShareUpdateValue.state_batches")
    n -= 1
    if n > budget[0] or n * 20 > len(buf) - pos:
        raise count_error("ShareUpdateValue.state_batches", n)
    budget[0] -= n
    state_batches = []
    for _ in range(n):
        state_batches_item, pos = _decode_share_update_value_state_batch_v0(buf, pos)
        state_batches.append(state_batches_item)
    n = buf[pos]
    pos += 1
    delivery_complete_count: int = -1
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("ShareUpdateValue")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (delivery_complete_count,) = _read_i(buf, pos)
                pos += 4
            else:
                pos = stop
            if pos != stop:
                raise tag_error("ShareUpdateValue", tag)
    return ShareUpdateValue(snapshot_epoch, leader_epoch, start_offset, delivery_complete_count, state_batches), pos


def _encode_share_update_value_state_batch_v0(m: ShareUpdateValueStateBatch, w: bytearray) -> None:
    w += _write_qqbhx(m.first_offset, m.last_offset, m.delivery_state, m.delivery_count)


def _encode_share_update_value_v0(m: ShareUpdateValue, w: bytearray) -> None:
    w += _write_iiq(m.snapshot_epoch, m.leader_epoch, m.start_offset)
    n = len(m.state_batches)
    put_uvarint(w, n + 1)
    for state_batches_item in m.state_batches:
        _encode_share_update_value_state_batch_v0(state_batches_item, w)
    tags: Tags = []
    if m.delivery_complete_count != -1:
        tags.append(b'\x00\x04' + _write_i(m.delivery_complete_count))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_SHARE_UPDATE_VALUE_DECODERS = {0: _decode_share_update_value_v0}
_SHARE_UPDATE_VALUE_ENCODERS = {0: _encode_share_update_value_v0}


def decode_share_update_value(buf: Buffer, pos: int, version: int) -> ShareUpdateValue:
    try:
        message, pos = _SHARE_UPDATE_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("ShareUpdateValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("ShareUpdateValue", version, pos, len(buf))
    return message


def encode_share_update_value(message: ShareUpdateValue, version: int, out: Parts) -> None:
    if version not in _SHARE_UPDATE_VALUE_ENCODERS:
        raise UnsupportedVersionError("ShareUpdateValue", version)
    w = bytearray()
    _SHARE_UPDATE_VALUE_ENCODERS[version](message, w)
    out.append(w)


# Record type -> class, decode, encode, highest version.
KEYS: RecordTable = {
    0: (ShareSnapshotKey, decode_share_snapshot_key, encode_share_snapshot_key, 0),
    1: (ShareUpdateKey, decode_share_update_key, encode_share_update_key, 0),
}
VALUES: RecordTable = {
    0: (ShareSnapshotValue, decode_share_snapshot_value, encode_share_snapshot_value, 0),
    1: (ShareUpdateValue, decode_share_update_value, encode_share_update_value, 0),
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
