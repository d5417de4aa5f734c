"""Build a record batch (message format v2) from records."""

from collections.abc import Sequence
from functools import lru_cache

from kafkacompat.protocol.constants import (
    LONG_MAX,
    NO_PARTITION_LEADER_EPOCH,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
)
from kafkacompat.protocol.records.batch import (
    ATTRIBUTES_OFFSET,
    BATCH_OVERHEAD,
    CONTROL_BIT,
    CRC,
    CRC_OFFSET,
    HEADER,
    LOG_OVERHEAD,
    MAGIC_V2,
    TIMESTAMP_TYPE_BIT,
    TRANSACTIONAL_BIT,
    InvalidBatchError,
)
from kafkacompat.protocol.records.compression import compress
from kafkacompat.protocol.records.crc32c import crc32c

SIZES_REMEMBERED = 256
"""Encoded lengths of values: those of one batch repeat."""

#: Key and value. Keys that are no valid UTF-8 keep their bytes as surrogates, so that they can be written again.
Header = tuple[str, bytes | None]


class Record:
    """One record. ``offset`` is absolute (in a batch built with base offset 0, its index); timestamps are in ms."""

    __slots__ = ("headers", "key", "offset", "timestamp", "value")

    def __init__(
        self,
        offset: int,
        timestamp: int,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[Header] = (),
    ) -> None:
        self.offset = offset
        self.timestamp = timestamp
        self.key = key
        self.value = value
        self.headers = headers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]  # compared by content, and mutable

    def __repr__(self) -> str:
        return f"Record({self.offset}, {self.timestamp}, {self.key!r}, {self.value!r}, {self.headers!r})"


def build_batch(
    records: Sequence[Record],
    *,
    base_offset: int = 0,
    leader_epoch: int = NO_PARTITION_LEADER_EPOCH,
    compression: int = 0,
    compression_level: int | None = None,
    timestamp_type: int = 0,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    is_transactional: bool = False,
    is_control: bool = False,
) -> bytearray:
    """One batch of at least one record, in ascending order of offsets from ``base_offset`` on, with its CRC.

    ``compression_level`` is as for ``compress``; ``timestamp_type`` 0 is CreateTime, 1 LogAppendTime. Raises
    UnsupportedCodecError, and InvalidBatchError for a timestamp outside int64, as invalid deltas of a foreign batch
    may yield.
    """
    assert records
    assert records[0].offset >= base_offset
    base_timestamp = records[0].timestamp
    max_timestamp = max(record.timestamp for record in records)
    if base_timestamp < -LONG_MAX - 1 or max_timestamp > LONG_MAX:
        raise InvalidBatchError(f"timestamps from {base_timestamp} to {max_timestamp}")
    body = bytearray()
    for each in records:
        offset_delta, timestamp_delta = each.offset - base_offset, each.timestamp - base_timestamp
        _append_record(body, offset_delta, timestamp_delta, each.key, each.value, each.headers)
    content = compress(compression, body, compression_level) if compression else body
    attributes = compression | (TIMESTAMP_TYPE_BIT if timestamp_type else 0)
    attributes |= (TRANSACTIONAL_BIT if is_transactional else 0) | (CONTROL_BIT if is_control else 0)
    header = HEADER.pack(
        base_offset,
        BATCH_OVERHEAD - LOG_OVERHEAD + len(content),
        leader_epoch,
        MAGIC_V2,
        0,
        attributes,
        records[-1].offset - base_offset,
        base_timestamp,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        len(records),
    )
    return _with_crc(header, content)


def build_pair_batch(
    pairs: Sequence[tuple[bytes | None, bytes | None]], timestamp: int, *, base_sequence: int = NO_SEQUENCE
) -> bytearray:
    """One batch of at least one record; each has a key and a value, no headers, and the same timestamp (ms).

    The bytes are those that `build_batch` makes, in half of the time: an answer of a coordinator waits for them.
    """
    assert pairs
    body = bytearray()
    for delta, (key, value) in enumerate(pairs):
        _append_record(body, delta, 0, key, value)
    return _without_producer(
        body, len(pairs), timestamp, base_offset=0, leader_epoch=NO_PARTITION_LEADER_EPOCH, base_sequence=base_sequence
    )


def build_value_batch(
    values: Sequence[bytes], timestamp: int, *, base_offset: int = 0, leader_epoch: int = NO_PARTITION_LEADER_EPOCH
) -> bytearray:
    """One batch of at least one record; each has a value, no key, no headers, and the same timestamp (ms).

    The bytes are those that `build_batch` makes, in 60 % of the time: a change of the metadata may have 10,000 records.
    """
    assert values
    body = bytearray()
    for delta, value in enumerate(values):
        place, length = _varint(delta), _size_varint(len(value))
        size = _size_varint(len(place) + len(length) + len(value) + 4)
        body += b"%b\0\0%b\1%b%b\0" % (size, place, length, value)  # no attributes, no timestamp delta; no key
    return _without_producer(
        body, len(values), timestamp, base_offset=base_offset, leader_epoch=leader_epoch, base_sequence=NO_SEQUENCE
    )


def _without_producer(
    body: bytearray, count: int, timestamp: int, *, base_offset: int, leader_epoch: int, base_sequence: int
) -> bytearray:
    header = HEADER.pack(
        base_offset, BATCH_OVERHEAD - LOG_OVERHEAD + len(body), leader_epoch, MAGIC_V2, 0, 0, count - 1,
        timestamp, timestamp, NO_PRODUCER_ID, NO_PRODUCER_EPOCH, base_sequence, count,
    )  # fmt: skip
    return _with_crc(header, body)


def _with_crc(header: bytes, content: bytes | bytearray) -> bytearray:
    batch = bytearray(header)
    batch += content
    CRC.pack_into(batch, CRC_OFFSET, crc32c(content, crc32c(header[ATTRIBUTES_OFFSET:])))
    return batch


def _varint(value: int) -> bytes:
    """A zigzag varint or varlong: seven bits per byte, lowest first."""
    raw = (value << 1) ^ (value >> 63)
    if raw < 0x80:
        return _ONE_BYTE[raw]
    if raw < 0x4000:
        return bytes((raw & 0x7F | 0x80, raw >> 7))
    out = bytearray()
    while raw > 0x7F:
        out.append(raw & 0x7F | 0x80)
        raw >>= 7
    out.append(raw)
    return bytes(out)


_ONE_BYTE = tuple(bytes((value,)) for value in range(0x80))
_NULL = _varint(-1)
_size_varint = lru_cache(maxsize=SIZES_REMEMBERED)(_varint)


def _append_record(
    out: bytearray,
    offset_delta: int,
    timestamp_delta: int,
    key: bytes | None,
    value: bytes | None,
    headers: Sequence[Header] = (),
) -> None:
    """Append one record: its length, then the fields of Kafka's ``DefaultRecord``; no attributes exist."""
    body = b"\0%b%b%b%b%b" % (
        _varint(timestamp_delta),
        _varint(offset_delta),
        _NULL if key is None else _varint(len(key)) + key,
        _NULL if value is None else _varint(len(value)) + value,
        _headers(headers) if headers else b"\0",
    )
    out += _varint(len(body))
    out += body


def _headers(headers: Sequence[Header]) -> bytes:
    parts = [_varint(len(headers))]
    for name, value in headers:
        encoded = name.encode("utf-8", "surrogateescape")
        parts += (_varint(len(encoded)), encoded)
        parts += (_NULL,) if value is None else (_varint(len(value)), value)
    return b"".join(parts)
