"""Records of __remote_log_metadata."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.
# ruff: noqa: ARG001, FBT003
# fmt: off

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.internal.framing import (
    decode_framed,
    encode_framed,
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
    put_compact_nullable_bytes,
    put_compact_string,
    put_tags,
    read_tag,
    skip_tags,
    string_length_tail,
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


_read_uB = Struct(">16sB").unpack_from
_read_uiB = Struct(">16siB").unpack_from
_write_uix = Struct(">16six").pack
_write_uqqiqq = Struct(">16sqqiqq").pack
_read_uqqiqqB = Struct(">16sqqiqqB").unpack_from
_write_ux = Struct(">16sx").pack
_write_t = Struct(">?").pack
_write_b = Struct(">b").pack
_read_bB = Struct(">bB").unpack_from
_write_bx = Struct(">bx").pack
_write_i = Struct(">i").pack
_read_iB = Struct(">iB").unpack_from
_write_iq = Struct(">iq").pack
_read_iqB = Struct(">iqB").unpack_from
_read_iqbB = Struct(">iqbB").unpack_from
_write_iqbx = Struct(">iqbx").pack
_write_iqx = Struct(">iqx").pack
_write_qqiqq = Struct(">qqiqq").pack
_read_qqiqqB = Struct(">qqiqqB").unpack_from


class RemoteLogSegmentMetadataRecordTopicIdPartitionEntry(Message):
    __slots__ = ("name", "id", "partition")

    def __init__(
        self,
        name: str = "",
        id: bytes = ZERO_UUID,
        partition: int = 0,
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition


_DEFAULT_RemoteLogSegmentMetadataRecordTopicIdPartitionEntry = frozen(RemoteLogSegmentMetadataRecordTopicIdPartitionEntry())


class RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry(Message):
    __slots__ = ("topic_id_partition", "id")

    def __init__(
        self,
        topic_id_partition: RemoteLogSegmentMetadataRecordTopicIdPartitionEntry = _DEFAULT_RemoteLogSegmentMetadataRecordTopicIdPartitionEntry,
        id: bytes = ZERO_UUID,
    ) -> None:
        self.topic_id_partition = topic_id_partition
        self.id = id


_DEFAULT_RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry = frozen(RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry())


class RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry(Message):
    __slots__ = ("leader_epoch", "offset")

    def __init__(
        self,
        leader_epoch: int = 0,
        offset: int = 0,
    ) -> None:
        self.leader_epoch = leader_epoch
        self.offset = offset


class RemoteLogSegmentMetadataRecord(Message):
    __slots__ = ("remote_log_segment_id", "start_offset", "end_offset", "broker_id", "max_timestamp_ms", "event_timestamp_ms", "segment_leader_epochs", "segment_size_in_bytes", "custom_metadata", "remote_log_segment_state", "txn_index_empty")

    def __init__(
        self,
        remote_log_segment_id: RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry = _DEFAULT_RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry,
        start_offset: int = 0,
        end_offset: int = 0,
        broker_id: int = 0,
        max_timestamp_ms: int = 0,
        event_timestamp_ms: int = 0,
        segment_leader_epochs: Sequence[RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry] = (),
        segment_size_in_bytes: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        txn_index_empty: bool = False,
    ) -> None:
        self.remote_log_segment_id = remote_log_segment_id
        self.start_offset = start_offset
        self.end_offset = end_offset
        self.broker_id = broker_id
        self.max_timestamp_ms = max_timestamp_ms
        self.event_timestamp_ms = event_timestamp_ms
        self.segment_leader_epochs = segment_leader_epochs
        self.segment_size_in_bytes = segment_size_in_bytes
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.txn_index_empty = txn_index_empty


def _decode_remote_log_segment_metadata_record_topic_id_partition_entry_v0(buf: Buffer, pos: int) -> tuple[RemoteLogSegmentMetadataRecordTopicIdPartitionEntry, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicIdPartitionEntry.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    id, partition, n = _read_uiB(buf, pos)
    pos += 21
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoteLogSegmentMetadataRecordTopicIdPartitionEntry(name, id, partition), pos


def _decode_remote_log_segment_metadata_record_remote_log_segment_id_entry_v0(buf: Buffer, pos: int) -> tuple[RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry, int]:
    topic_id_partition, pos = _decode_remote_log_segment_metadata_record_topic_id_partition_entry_v0(buf, pos)
    id, n = _read_uB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry(topic_id_partition, id), pos


def _decode_remote_log_segment_metadata_record_segment_leader_epoch_entry_v0(buf: Buffer, pos: int) -> tuple[RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry, int]:
    leader_epoch, offset, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry(leader_epoch, offset), pos


def _decode_remote_log_segment_metadata_record_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[RemoteLogSegmentMetadataRecord, int]:
    remote_log_segment_id, pos = _decode_remote_log_segment_metadata_record_remote_log_segment_id_entry_v0(buf, pos)
    start_offset, end_offset, broker_id, max_timestamp_ms, event_timestamp_ms, n = _read_qqiqqB(buf, pos)
    pos += 37
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RemoteLogSegmentMetadataRecord.segment_leader_epochs")
    n -= 1
    if n > budget[0] or n * 13 > len(buf) - pos:
        raise count_error("RemoteLogSegmentMetadataRecord.segment_leader_epochs", n)
    budget[0] -= n
    segment_leader_epochs = []
    for _ in range(n):
        segment_leader_epochs_item, pos = _decode_remote_log_segment_metadata_record_segment_leader_epoch_entry_v0(buf, pos)
        segment_leader_epochs.append(segment_leader_epochs_item)
    segment_size_in_bytes, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    custom_metadata: bytes | None
    if not n:
        custom_metadata = None
    else:
        end = pos + n - 1
        custom_metadata = bytes(buf[pos:end])
        pos = end
    remote_log_segment_state, n = _read_bB(buf, pos)
    pos += 2
    txn_index_empty: bool = False
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("RemoteLogSegmentMetadataRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                txn_index_empty = buf[pos] != 0
                pos += 1
            else:
                pos = stop
            if pos != stop:
                raise tag_error("RemoteLogSegmentMetadataRecord", tag)
    return RemoteLogSegmentMetadataRecord(remote_log_segment_id, start_offset, end_offset, broker_id, max_timestamp_ms, event_timestamp_ms, segment_leader_epochs, segment_size_in_bytes, custom_metadata, remote_log_segment_state, txn_index_empty), pos


def _encode_remote_log_segment_metadata_record_topic_id_partition_entry_v0(m: RemoteLogSegmentMetadataRecordTopicIdPartitionEntry, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_uix(m.id, m.partition)


def _encode_remote_log_segment_metadata_record_remote_log_segment_id_entry_v0(m: RemoteLogSegmentMetadataRecordRemoteLogSegmentIdEntry, w: bytearray) -> None:
    _encode_remote_log_segment_metadata_record_topic_id_partition_entry_v0(m.topic_id_partition, w)
    w += _write_ux(m.id)


def _encode_remote_log_segment_metadata_record_segment_leader_epoch_entry_v0(m: RemoteLogSegmentMetadataRecordSegmentLeaderEpochEntry, w: bytearray) -> None:
    w += _write_iqx(m.leader_epoch, m.offset)


def _encode_remote_log_segment_metadata_record_v0(m: RemoteLogSegmentMetadataRecord, w: bytearray) -> None:
    _encode_remote_log_segment_metadata_record_remote_log_segment_id_entry_v0(m.remote_log_segment_id, w)
    w += _write_qqiqq(m.start_offset, m.end_offset, m.broker_id, m.max_timestamp_ms, m.event_timestamp_ms)
    n = len(m.segment_leader_epochs)
    put_uvarint(w, n + 1)
    for segment_leader_epochs_item in m.segment_leader_epochs:
        _encode_remote_log_segment_metadata_record_segment_leader_epoch_entry_v0(segment_leader_epochs_item, w)
    w += _write_i(m.segment_size_in_bytes)
    put_compact_nullable_bytes(w, m.custom_metadata)
    w += _write_b(m.remote_log_segment_state)
    tags: Tags = []
    if m.txn_index_empty:
        tags.append(b'\x00\x01' + _write_t(m.txn_index_empty))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_REMOTE_LOG_SEGMENT_METADATA_RECORD_DECODERS = {0: _decode_remote_log_segment_metadata_record_v0}
_REMOTE_LOG_SEGMENT_METADATA_RECORD_ENCODERS = {0: _encode_remote_log_segment_metadata_record_v0}


def decode_remote_log_segment_metadata_record(buf: Buffer, pos: int, version: int) -> RemoteLogSegmentMetadataRecord:
    try:
        message, pos = _REMOTE_LOG_SEGMENT_METADATA_RECORD_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("RemoteLogSegmentMetadataRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("RemoteLogSegmentMetadataRecord", version, pos, len(buf))
    return message


def encode_remote_log_segment_metadata_record(message: RemoteLogSegmentMetadataRecord, version: int, out: Parts) -> None:
    if version not in _REMOTE_LOG_SEGMENT_METADATA_RECORD_ENCODERS:
        raise UnsupportedVersionError("RemoteLogSegmentMetadataRecord", version)
    w = bytearray()
    _REMOTE_LOG_SEGMENT_METADATA_RECORD_ENCODERS[version](message, w)
    out.append(w)


class RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry(Message):
    __slots__ = ("name", "id", "partition")

    def __init__(
        self,
        name: str = "",
        id: bytes = ZERO_UUID,
        partition: int = 0,
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition


_DEFAULT_RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry = frozen(RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry())


class RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry(Message):
    __slots__ = ("topic_id_partition", "id")

    def __init__(
        self,
        topic_id_partition: RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry = _DEFAULT_RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry,
        id: bytes = ZERO_UUID,
    ) -> None:
        self.topic_id_partition = topic_id_partition
        self.id = id


_DEFAULT_RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry = frozen(RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry())


class RemoteLogSegmentMetadataUpdateRecord(Message):
    __slots__ = ("remote_log_segment_id", "broker_id", "event_timestamp_ms", "custom_metadata", "remote_log_segment_state")

    def __init__(
        self,
        remote_log_segment_id: RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry = _DEFAULT_RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
    ) -> None:
        self.remote_log_segment_id = remote_log_segment_id
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state


def _decode_remote_log_segment_metadata_update_record_topic_id_partition_entry_v0(buf: Buffer, pos: int) -> tuple[RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicIdPartitionEntry.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    id, partition, n = _read_uiB(buf, pos)
    pos += 21
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry(name, id, partition), pos


def _decode_remote_log_segment_metadata_update_record_remote_log_segment_id_entry_v0(buf: Buffer, pos: int) -> tuple[RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry, int]:
    topic_id_partition, pos = _decode_remote_log_segment_metadata_update_record_topic_id_partition_entry_v0(buf, pos)
    id, n = _read_uB(buf, pos)
    pos += 17
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry(topic_id_partition, id), pos


def _decode_remote_log_segment_metadata_update_record_v0(buf: Buffer, pos: int) -> tuple[RemoteLogSegmentMetadataUpdateRecord, int]:
    remote_log_segment_id, pos = _decode_remote_log_segment_metadata_update_record_remote_log_segment_id_entry_v0(buf, pos)
    broker_id, event_timestamp_ms, n = _read_iqB(buf, pos)
    pos += 13
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    custom_metadata: bytes | None
    if not n:
        custom_metadata = None
    else:
        end = pos + n - 1
        custom_metadata = bytes(buf[pos:end])
        pos = end
    remote_log_segment_state, n = _read_bB(buf, pos)
    pos += 2
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoteLogSegmentMetadataUpdateRecord(remote_log_segment_id, broker_id, event_timestamp_ms, custom_metadata, remote_log_segment_state), pos


def _encode_remote_log_segment_metadata_update_record_topic_id_partition_entry_v0(m: RemoteLogSegmentMetadataUpdateRecordTopicIdPartitionEntry, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_uix(m.id, m.partition)


def _encode_remote_log_segment_metadata_update_record_remote_log_segment_id_entry_v0(m: RemoteLogSegmentMetadataUpdateRecordRemoteLogSegmentIdEntry, w: bytearray) -> None:
    _encode_remote_log_segment_metadata_update_record_topic_id_partition_entry_v0(m.topic_id_partition, w)
    w += _write_ux(m.id)


def _encode_remote_log_segment_metadata_update_record_v0(m: RemoteLogSegmentMetadataUpdateRecord, w: bytearray) -> None:
    _encode_remote_log_segment_metadata_update_record_remote_log_segment_id_entry_v0(m.remote_log_segment_id, w)
    w += _write_iq(m.broker_id, m.event_timestamp_ms)
    put_compact_nullable_bytes(w, m.custom_metadata)
    w += _write_bx(m.remote_log_segment_state)


_REMOTE_LOG_SEGMENT_METADATA_UPDATE_RECORD_DECODERS = {0: _decode_remote_log_segment_metadata_update_record_v0}
_REMOTE_LOG_SEGMENT_METADATA_UPDATE_RECORD_ENCODERS = {0: _encode_remote_log_segment_metadata_update_record_v0}


def decode_remote_log_segment_metadata_update_record(buf: Buffer, pos: int, version: int) -> RemoteLogSegmentMetadataUpdateRecord:
    try:
        message, pos = _REMOTE_LOG_SEGMENT_METADATA_UPDATE_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("RemoteLogSegmentMetadataUpdateRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("RemoteLogSegmentMetadataUpdateRecord", version, pos, len(buf))
    return message


def encode_remote_log_segment_metadata_update_record(message: RemoteLogSegmentMetadataUpdateRecord, version: int, out: Parts) -> None:
    if version not in _REMOTE_LOG_SEGMENT_METADATA_UPDATE_RECORD_ENCODERS:
        raise UnsupportedVersionError("RemoteLogSegmentMetadataUpdateRecord", version)
    w = bytearray()
    _REMOTE_LOG_SEGMENT_METADATA_UPDATE_RECORD_ENCODERS[version](message, w)
    out.append(w)


class RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry(Message):
    __slots__ = ("name", "id", "partition")

    def __init__(
        self,
        name: str = "",
        id: bytes = ZERO_UUID,
        partition: int = 0,
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition


_DEFAULT_RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry = frozen(RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry())


class RemotePartitionDeleteMetadataRecord(Message):
    __slots__ = ("topic_id_partition", "broker_id", "event_timestamp_ms", "remote_partition_delete_state")

    def __init__(
        self,
        topic_id_partition: RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry = _DEFAULT_RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        remote_partition_delete_state: int = 0,
    ) -> None:
        self.topic_id_partition = topic_id_partition
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.remote_partition_delete_state = remote_partition_delete_state


def _decode_remote_partition_delete_metadata_record_topic_id_partition_entry_v0(buf: Buffer, pos: int) -> tuple[RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("TopicIdPartitionEntry.name")
    end = pos + n - 1
    name = buf[pos:end].decode()
    pos = end
    id, partition, n = _read_uiB(buf, pos)
    pos += 21
    if n:
        pos = skip_tags(buf, pos, n)
    return RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry(name, id, partition), pos


def _decode_remote_partition_delete_metadata_record_v0(buf: Buffer, pos: int) -> tuple[RemotePartitionDeleteMetadataRecord, int]:
    topic_id_partition, pos = _decode_remote_partition_delete_metadata_record_topic_id_partition_entry_v0(buf, pos)
    broker_id, event_timestamp_ms, remote_partition_delete_state, n = _read_iqbB(buf, pos)
    pos += 14
    if n:
        pos = skip_tags(buf, pos, n)
    return RemotePartitionDeleteMetadataRecord(topic_id_partition, broker_id, event_timestamp_ms, remote_partition_delete_state), pos


def _encode_remote_partition_delete_metadata_record_topic_id_partition_entry_v0(m: RemotePartitionDeleteMetadataRecordTopicIdPartitionEntry, w: bytearray) -> None:
    put_compact_string(w, m.name)
    w += _write_uix(m.id, m.partition)


def _encode_remote_partition_delete_metadata_record_v0(m: RemotePartitionDeleteMetadataRecord, w: bytearray) -> None:
    _encode_remote_partition_delete_metadata_record_topic_id_partition_entry_v0(m.topic_id_partition, w)
    w += _write_iqbx(m.broker_id, m.event_timestamp_ms, m.remote_partition_delete_state)


_REMOTE_PARTITION_DELETE_METADATA_RECORD_DECODERS = {0: _decode_remote_partition_delete_metadata_record_v0}
_REMOTE_PARTITION_DELETE_METADATA_RECORD_ENCODERS = {0: _encode_remote_partition_delete_metadata_record_v0}


def decode_remote_partition_delete_metadata_record(buf: Buffer, pos: int, version: int) -> RemotePartitionDeleteMetadataRecord:
    try:
        message, pos = _REMOTE_PARTITION_DELETE_METADATA_RECORD_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("RemotePartitionDeleteMetadataRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("RemotePartitionDeleteMetadataRecord", version, pos, len(buf))
    return message


def encode_remote_partition_delete_metadata_record(message: RemotePartitionDeleteMetadataRecord, version: int, out: Parts) -> None:
    if version not in _REMOTE_PARTITION_DELETE_METADATA_RECORD_ENCODERS:
        raise UnsupportedVersionError("RemotePartitionDeleteMetadataRecord", version)
    w = bytearray()
    _REMOTE_PARTITION_DELETE_METADATA_RECORD_ENCODERS[version](message, w)
    out.append(w)


class RemoteLogSegmentMetadataSnapshotRecordSegmentLeaderEpochEntry(Message):
    __slots__ = ("leader_epoch", "offset")

    def __init__(
        self,
        leader_epoch: int = 0,
        offset: int = 0,
    ) -> None:
        self.leader_epoch = leader_epoch
        self.offset = offset


class RemoteLogSegmentMetadataSnapshotRecord(Message):
    __slots__ = ("segment_id", "start_offset", "end_offset", "broker_id", "max_timestamp_ms", "event_timestamp_ms", "segment_leader_epochs", "segment_size_in_bytes", "custom_metadata", "remote_log_segment_state", "txn_index_empty")

    def __init__(
        self,
        segment_id: bytes = ZERO_UUID,
        start_offset: int = 0,
        end_offset: int = 0,
        broker_id: int = 0,
        max_timestamp_ms: int = 0,
        event_timestamp_ms: int = 0,
        segment_leader_epochs: Sequence[RemoteLogSegmentMetadataSnapshotRecordSegmentLeaderEpochEntry] = (),
        segment_size_in_bytes: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        txn_index_empty: bool = False,
    ) -> None:
        self.segment_id = segment_id
        self.start_offset = start_offset
        self.end_offset = end_offset
        self.broker_id = broker_id
        self.max_timestamp_ms = max_timestamp_ms
        self.event_timestamp_ms = event_timestamp_ms
        self.segment_leader_epochs = segment_leader_epochs
        self.segment_size_in_bytes = segment_size_in_bytes
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.txn_index_empty = txn_index_empty


def _decode_remote_log_segment_metadata_snapshot_record_segment_leader_epoch_entry_v0(buf: Buffer, pos: int) -> tuple[RemoteLogSegmentMetadataSnapshotRecordSegmentLeaderEpochEntry, int]:
    leader_epoch, offset, n = _read_iqB(buf, pos)
    pos += 13
    if n:
        pos = skip_tags(buf, pos, n)
    return RemoteLogSegmentMetadataSnapshotRecordSegmentLeaderEpochEntry(leader_epoch, offset), pos


def _decode_remote_log_segment_metadata_snapshot_record_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[RemoteLogSegmentMetadataSnapshotRecord, int]:
    segment_id, start_offset, end_offset, broker_id, max_timestamp_ms, event_timestamp_ms, n = _read_uqqiqqB(buf, pos)
    pos += 53
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("RemoteLogSegmentMetadataSnapshotRecord.segment_leader_epochs")
    n -= 1
    if n > budget[0] or n * 13 > len(buf) - pos:
        raise count_error("RemoteLogSegmentMetadataSnapshotRecord.segment_leader_epochs", n)
    budget[0] -= n
    segment_leader_epochs = []
    for _ in range(n):
        segment_leader_epochs_item, pos = _decode_remote_log_segment_metadata_snapshot_record_segment_leader_epoch_entry_v0(buf, pos)
        segment_leader_epochs.append(segment_leader_epochs_item)
    segment_size_in_bytes, n = _read_iB(buf, pos)
    pos += 5
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    custom_metadata: bytes | None
    if not n:
        custom_metadata = None
    else:
        end = pos + n - 1
        custom_metadata = bytes(buf[pos:end])
        pos = end
    remote_log_segment_state, n = _read_bB(buf, pos)
    pos += 2
    txn_index_empty: bool = False
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("RemoteLogSegmentMetadataSnapshotRecord")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                txn_index_empty = buf[pos] != 0
                pos += 1
            else:
                pos = stop
            if pos != stop:
                raise tag_error("RemoteLogSegmentMetadataSnapshotRecord", tag)
    return RemoteLogSegmentMetadataSnapshotRecord(segment_id, start_offset, end_offset, broker_id, max_timestamp_ms, event_timestamp_ms, segment_leader_epochs, segment_size_in_bytes, custom_metadata, remote_log_segment_state, txn_index_empty), pos


def _encode_remote_log_segment_metadata_snapshot_record_segment_leader_epoch_entry_v0(m: RemoteLogSegmentMetadataSnapshotRecordSegmentLeaderEpochEntry, w: bytearray) -> None:
    w += _write_iqx(m.leader_epoch, m.offset)


def _encode_remote_log_segment_metadata_snapshot_record_v0(m: RemoteLogSegmentMetadataSnapshotRecord, w: bytearray) -> None:
    w += _write_uqqiqq(m.segment_id, m.start_offset, m.end_offset, m.broker_id, m.max_timestamp_ms, m.event_timestamp_ms)
    n = len(m.segment_leader_epochs)
    put_uvarint(w, n + 1)
    for segment_leader_epochs_item in m.segment_leader_epochs:
        _encode_remote_log_segment_metadata_snapshot_record_segment_leader_epoch_entry_v0(segment_leader_epochs_item, w)
    w += _write_i(m.segment_size_in_bytes)
    put_compact_nullable_bytes(w, m.custom_metadata)
    w += _write_b(m.remote_log_segment_state)
    tags: Tags = []
    if m.txn_index_empty:
        tags.append(b'\x00\x01' + _write_t(m.txn_index_empty))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_REMOTE_LOG_SEGMENT_METADATA_SNAPSHOT_RECORD_DECODERS = {0: _decode_remote_log_segment_metadata_snapshot_record_v0}
_REMOTE_LOG_SEGMENT_METADATA_SNAPSHOT_RECORD_ENCODERS = {0: _encode_remote_log_segment_metadata_snapshot_record_v0}


def decode_remote_log_segment_metadata_snapshot_record(buf: Buffer, pos: int, version: int) -> RemoteLogSegmentMetadataSnapshotRecord:
    try:
        message, pos = _REMOTE_LOG_SEGMENT_METADATA_SNAPSHOT_RECORD_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("RemoteLogSegmentMetadataSnapshotRecord", version, error) from error
    if pos != len(buf):
        raise wrong_end("RemoteLogSegmentMetadataSnapshotRecord", version, pos, len(buf))
    return message


def encode_remote_log_segment_metadata_snapshot_record(message: RemoteLogSegmentMetadataSnapshotRecord, version: int, out: Parts) -> None:
    if version not in _REMOTE_LOG_SEGMENT_METADATA_SNAPSHOT_RECORD_ENCODERS:
        raise UnsupportedVersionError("RemoteLogSegmentMetadataSnapshotRecord", version)
    w = bytearray()
    _REMOTE_LOG_SEGMENT_METADATA_SNAPSHOT_RECORD_ENCODERS[version](message, w)
    out.append(w)


# API key -> class, decode, encode, highest version.
RECORDS: RecordTable = {
    0: (RemoteLogSegmentMetadataRecord, decode_remote_log_segment_metadata_record, encode_remote_log_segment_metadata_record, 0),
    1: (RemoteLogSegmentMetadataUpdateRecord, decode_remote_log_segment_metadata_update_record, encode_remote_log_segment_metadata_update_record, 0),
    2: (RemotePartitionDeleteMetadataRecord, decode_remote_partition_delete_metadata_record, encode_remote_partition_delete_metadata_record, 0),
    3: (RemoteLogSegmentMetadataSnapshotRecord, decode_remote_log_segment_metadata_snapshot_record, encode_remote_log_segment_metadata_snapshot_record, 0),
}

_KEYS = {row[0]: key for key, row in RECORDS.items()}


def decode_metadata_record(value: Buffer) -> Message:
    """Read a record's value: Kafka's frame (version 1, API key, record version) and the record."""
    return decode_framed(RECORDS, value)


def encode_metadata_record(message: Message, version: int | None = None) -> bytes:
    """Write a record's value, by default in its highest version."""
    return encode_framed(RECORDS, _KEYS[type(message)], message, version)
