"""Record framing: the frame of metadata records, and the typed keys and versioned values of coordinators' records."""

from __future__ import annotations

from struct import Struct

from kafkacompat.protocol.primitives import DECODE_ERRORS, MalformedMessageError, Message
from kafkacompat.protocol.varint import put_uvarint, read_uvarint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.protocol.primitives import Buffer, Parts

    # Key -> class, decode, encode, highest version.
    RecordTable = dict[
        int, tuple[type[Message], Callable[[Buffer, int, int], Any], Callable[[Any, int, Parts], None], int]
    ]

FRAME_VERSION = 1  # MetadataRecordSerde
_int16 = Struct(">h")


class UnknownRecordTypeError(MalformedMessageError):
    """A record has an unknown type."""


def decode_framed(table: RecordTable, value: Buffer) -> Message:
    """Read frame version, key and version, then the record."""
    try:
        frame_version, pos = read_uvarint(value, 0)
        key, pos = read_uvarint(value, pos)
        version, pos = read_uvarint(value, pos)
    except DECODE_ERRORS as error:
        raise MalformedMessageError(f"record frame: {error}") from error
    if frame_version != FRAME_VERSION:
        raise MalformedMessageError(f"record frame version {frame_version}")
    message: Message = _row(table, key)[1](value, pos, version)
    return message


def encode_framed(table: RecordTable, key: int, message: Message, version: int | None) -> bytes:
    """Write frame version, key and version, then the record."""
    _cls, _decode, encode, highest = table[key]
    if version is None:
        version = highest
    head = bytearray((FRAME_VERSION,))
    put_uvarint(head, key)
    put_uvarint(head, version)
    parts: Parts = [head]
    encode(message, version, parts)
    return b"".join(parts)


def decode_typed_key(table: RecordTable, key: Buffer) -> tuple[int, Message]:
    """Read the record's type and its key."""
    record_type = _read_int16(key, "key")
    return record_type, _row(table, record_type)[1](key, 2, 0)


def encode_typed_key(table: RecordTable, record_type: int, message: Message) -> bytes:
    """Write the record's type and its key."""
    parts: Parts = [_int16.pack(record_type)]
    table[record_type][2](message, 0, parts)
    return b"".join(parts)


def decode_typed_value(table: RecordTable, record_type: int, value: Buffer) -> Message:
    """Read the value's version and the value."""
    message: Message = _row(table, record_type)[1](value, 2, _read_int16(value, "value"))
    return message


def encode_typed_value(table: RecordTable, record_type: int, message: Message, version: int | None) -> bytes:
    """Write the value's version and the value."""
    _cls, _decode, encode, highest = table[record_type]
    if version is None:
        version = highest
    parts: Parts = [_int16.pack(version)]
    encode(message, version, parts)
    return b"".join(parts)


def _row(
    table: RecordTable, key: int
) -> tuple[type[Message], Callable[[Buffer, int, int], Any], Callable[[Any, int, Parts], None], int]:
    row = table.get(key)
    if row is None:
        raise UnknownRecordTypeError(f"no record type {key}")
    return row


def _read_int16(buf: Buffer, what: str) -> int:
    if len(buf) < 2:
        raise MalformedMessageError(f"record {what} of {len(buf)} bytes")
    value: int = _int16.unpack_from(buf)[0]
    return value
