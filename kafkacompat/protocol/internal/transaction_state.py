"""Records of __transaction_state."""

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
    NULL_INT32,
    UnsupportedFieldError,
    UnsupportedVersionError,
    count_error,
    malformed,
    null_error,
    put_compact_string,
    put_string,
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


_read_h = Struct(">h").unpack_from
_write_h = Struct(">h").pack
_read_i = Struct(">i").unpack_from
_write_i = Struct(">i").pack
_read_q = Struct(">q").unpack_from
_write_q = Struct(">q").pack
_write_qhib = Struct(">qhib").pack
_read_qhibB = Struct(">qhibB").unpack_from
_read_qhibi = Struct(">qhibi").unpack_from
_read_qq = Struct(">qq").unpack_from
_write_qq = Struct(">qq").pack
_read_qqB = Struct(">qqB").unpack_from


class TransactionLogKey(Message):
    __slots__ = ("transactional_id",)

    def __init__(
        self,
        transactional_id: str = "",
    ) -> None:
        self.transactional_id = transactional_id


def _decode_transaction_log_key_v0(buf: Buffer, pos: int) -> tuple[TransactionLogKey, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("TransactionLogKey.transactional_id")
    end = pos + n
    transactional_id = buf[pos:end].decode()
    pos = end
    return TransactionLogKey(transactional_id), pos


def _encode_transaction_log_key_v0(m: TransactionLogKey, w: bytearray) -> None:
    put_string(w, m.transactional_id)


_TRANSACTION_LOG_KEY_DECODERS = {0: _decode_transaction_log_key_v0}
_TRANSACTION_LOG_KEY_ENCODERS = {0: _encode_transaction_log_key_v0}


def decode_transaction_log_key(buf: Buffer, pos: int, version: int) -> TransactionLogKey:
    try:
        message, pos = _TRANSACTION_LOG_KEY_DECODERS[version](buf, pos)
    except DECODE_ERRORS as error:
        raise malformed("TransactionLogKey", version, error) from error
    if pos != len(buf):
        raise wrong_end("TransactionLogKey", version, pos, len(buf))
    return message


def encode_transaction_log_key(message: TransactionLogKey, version: int, out: Parts) -> None:
    if version not in _TRANSACTION_LOG_KEY_ENCODERS:
        raise UnsupportedVersionError("TransactionLogKey", version)
    w = bytearray()
    _TRANSACTION_LOG_KEY_ENCODERS[version](message, w)
    out.append(w)


class PartitionsSchema(Message):
    __slots__ = ("topic", "partition_ids")

    def __init__(
        self,
        topic: str = "",
        partition_ids: Sequence[int] = (),
    ) -> None:
        self.topic = topic
        self.partition_ids = partition_ids


class TransactionLogValue(Message):
    __slots__ = ("producer_id", "previous_producer_id", "next_producer_id", "producer_epoch", "next_producer_epoch", "transaction_timeout_ms", "transaction_status", "transaction_partitions", "transaction_last_update_timestamp_ms", "transaction_start_timestamp_ms", "client_transaction_version")

    def __init__(
        self,
        producer_id: int = 0,
        previous_producer_id: int = -1,
        next_producer_id: int = -1,
        producer_epoch: int = 0,
        next_producer_epoch: int = -1,
        transaction_timeout_ms: int = 0,
        transaction_status: int = 0,
        transaction_partitions: Sequence[PartitionsSchema] | None = (),
        transaction_last_update_timestamp_ms: int = 0,
        transaction_start_timestamp_ms: int = 0,
        client_transaction_version: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.previous_producer_id = previous_producer_id
        self.next_producer_id = next_producer_id
        self.producer_epoch = producer_epoch
        self.next_producer_epoch = next_producer_epoch
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_status = transaction_status
        self.transaction_partitions = transaction_partitions
        self.transaction_last_update_timestamp_ms = transaction_last_update_timestamp_ms
        self.transaction_start_timestamp_ms = transaction_start_timestamp_ms
        self.client_transaction_version = client_transaction_version


def _decode_partitions_schema_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionsSchema, int]:
    (n,) = _read_h(buf, pos)
    pos += 2
    if n < 0:
        raise null_error("PartitionsSchema.topic")
    end = pos + n
    topic = buf[pos:end].decode()
    pos = end
    (n,) = _read_i(buf, pos)
    pos += 4
    if n < 0:
        raise null_error("PartitionsSchema.partition_ids")
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionsSchema.partition_ids", n)
    budget[0] -= n
    partition_ids = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    return PartitionsSchema(topic, partition_ids), pos


def _decode_partitions_schema_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[PartitionsSchema, int]:
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = string_length_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionsSchema.topic")
    end = pos + n - 1
    topic = buf[pos:end].decode()
    pos = end
    n = buf[pos]
    pos += 1
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    if not n:
        raise null_error("PartitionsSchema.partition_ids")
    n -= 1
    if n > budget[0] or n * 4 > len(buf) - pos:
        raise count_error("PartitionsSchema.partition_ids", n)
    budget[0] -= n
    partition_ids = list(unpack_from(f">{n}i", buf, pos))
    pos += n * 4
    n = buf[pos]
    pos += 1
    if n:
        pos = skip_tags(buf, pos, n)
    return PartitionsSchema(topic, partition_ids), pos


def _decode_transaction_log_value_v0(buf: Buffer, pos: int, budget: list[int]) -> tuple[TransactionLogValue, int]:
    producer_id, producer_epoch, transaction_timeout_ms, transaction_status, n = _read_qhibi(buf, pos)
    pos += 19
    transaction_partitions: list[PartitionsSchema] | None
    if n < 0:
        transaction_partitions = None
    else:
        if n > budget[0] or n * 6 > len(buf) - pos:
            raise count_error("TransactionLogValue.transaction_partitions", n)
        budget[0] -= n
        transaction_partitions = []
        for _ in range(n):
            transaction_partitions_item, pos = _decode_partitions_schema_v0(buf, pos, budget)
            transaction_partitions.append(transaction_partitions_item)
    transaction_last_update_timestamp_ms, transaction_start_timestamp_ms = _read_qq(buf, pos)
    pos += 16
    return TransactionLogValue(producer_id, -1, -1, producer_epoch, -1, transaction_timeout_ms, transaction_status, transaction_partitions, transaction_last_update_timestamp_ms, transaction_start_timestamp_ms, 0), pos


def _decode_transaction_log_value_v1(buf: Buffer, pos: int, budget: list[int]) -> tuple[TransactionLogValue, int]:
    producer_id, producer_epoch, transaction_timeout_ms, transaction_status, n = _read_qhibB(buf, pos)
    pos += 16
    if n > 127:
        n, pos = uvarint_tail(buf, pos, n)
    transaction_partitions: list[PartitionsSchema] | None
    if not n:
        transaction_partitions = None
    else:
        n -= 1
        if n > budget[0] or n * 3 > len(buf) - pos:
            raise count_error("TransactionLogValue.transaction_partitions", n)
        budget[0] -= n
        transaction_partitions = []
        for _ in range(n):
            transaction_partitions_item, pos = _decode_partitions_schema_v1(buf, pos, budget)
            transaction_partitions.append(transaction_partitions_item)
    transaction_last_update_timestamp_ms, transaction_start_timestamp_ms, n = _read_qqB(buf, pos)
    pos += 17
    previous_producer_id: int = -1
    next_producer_id: int = -1
    client_transaction_version: int = 0
    next_producer_epoch: int = -1
    if n:
        if n > MAX_TAGGED_FIELDS:
            raise tag_count_error("TransactionLogValue")
        for _ in range(n):
            tag, stop, pos = read_tag(buf, pos)
            if tag == 0:
                (previous_producer_id,) = _read_q(buf, pos)
                pos += 8
            elif tag == 1:
                (next_producer_id,) = _read_q(buf, pos)
                pos += 8
            elif tag == 2:
                (client_transaction_version,) = _read_h(buf, pos)
                pos += 2
            elif tag == 3:
                (next_producer_epoch,) = _read_h(buf, pos)
                pos += 2
            else:
                pos = stop
            if pos != stop:
                raise tag_error("TransactionLogValue", tag)
    return TransactionLogValue(producer_id, previous_producer_id, next_producer_id, producer_epoch, next_producer_epoch, transaction_timeout_ms, transaction_status, transaction_partitions, transaction_last_update_timestamp_ms, transaction_start_timestamp_ms, client_transaction_version), pos


def _encode_partitions_schema_v0(m: PartitionsSchema, w: bytearray) -> None:
    put_string(w, m.topic)
    n = len(m.partition_ids)
    w += pack(f">i{n}i", n, *m.partition_ids)


def _encode_partitions_schema_v1(m: PartitionsSchema, w: bytearray) -> None:
    put_compact_string(w, m.topic)
    n = len(m.partition_ids)
    put_uvarint(w, n + 1)
    w += pack(f">{n}i", *m.partition_ids)
    w.append(0)


def _encode_transaction_log_value_v0(m: TransactionLogValue, w: bytearray) -> None:
    if m.previous_producer_id != -1:
        raise UnsupportedFieldError("TransactionLogValue.previous_producer_id", "1+")
    if m.next_producer_id != -1:
        raise UnsupportedFieldError("TransactionLogValue.next_producer_id", "1+")
    if m.next_producer_epoch != -1:
        raise UnsupportedFieldError("TransactionLogValue.next_producer_epoch", "1+")
    if m.client_transaction_version != 0:
        raise UnsupportedFieldError("TransactionLogValue.client_transaction_version", "1+")
    w += _write_qhib(m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status)
    if m.transaction_partitions is None:
        w += NULL_INT32
    else:
        n = len(m.transaction_partitions)
        w += _write_i(n)
        for transaction_partitions_item in m.transaction_partitions:
            _encode_partitions_schema_v0(transaction_partitions_item, w)
    w += _write_qq(m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms)


def _encode_transaction_log_value_v1(m: TransactionLogValue, w: bytearray) -> None:
    w += _write_qhib(m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status)
    if m.transaction_partitions is None:
        w.append(0)
    else:
        n = len(m.transaction_partitions)
        put_uvarint(w, n + 1)
        for transaction_partitions_item in m.transaction_partitions:
            _encode_partitions_schema_v1(transaction_partitions_item, w)
    w += _write_qq(m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms)
    tags: Tags = []
    if m.previous_producer_id != -1:
        tags.append(b'\x00\x08' + _write_q(m.previous_producer_id))
    if m.next_producer_id != -1:
        tags.append(b'\x01\x08' + _write_q(m.next_producer_id))
    if m.client_transaction_version != 0:
        tags.append(b'\x02\x02' + _write_h(m.client_transaction_version))
    if m.next_producer_epoch != -1:
        tags.append(b'\x03\x02' + _write_h(m.next_producer_epoch))
    if tags:
        put_tags(w, tags)
    else:
        w.append(0)


_TRANSACTION_LOG_VALUE_DECODERS = {0: _decode_transaction_log_value_v0, 1: _decode_transaction_log_value_v1}
_TRANSACTION_LOG_VALUE_ENCODERS = {0: _encode_transaction_log_value_v0, 1: _encode_transaction_log_value_v1}


def decode_transaction_log_value(buf: Buffer, pos: int, version: int) -> TransactionLogValue:
    try:
        message, pos = _TRANSACTION_LOG_VALUE_DECODERS[version](buf, pos, [MAX_ELEMENTS])
    except DECODE_ERRORS as error:
        raise malformed("TransactionLogValue", version, error) from error
    if pos != len(buf):
        raise wrong_end("TransactionLogValue", version, pos, len(buf))
    return message


def encode_transaction_log_value(message: TransactionLogValue, version: int, out: Parts) -> None:
    if version not in _TRANSACTION_LOG_VALUE_ENCODERS:
        raise UnsupportedVersionError("TransactionLogValue", version)
    w = bytearray()
    _TRANSACTION_LOG_VALUE_ENCODERS[version](message, w)
    out.append(w)


# Record type -> class, decode, encode, highest version.
KEYS: RecordTable = {
    0: (TransactionLogKey, decode_transaction_log_key, encode_transaction_log_key, 0),
}
VALUES: RecordTable = {
    0: (TransactionLogValue, decode_transaction_log_value, encode_transaction_log_value, 1),
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
