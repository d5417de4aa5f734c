"""Reads the records of a batch, validating every length. For features that need records; never to serve a fetch."""

from collections.abc import Iterator

from kafkacompat.protocol.records.batch import (
    BATCH_OVERHEAD,
    BatchHeader,
    Buffer,
    CorruptBatchError,
    read_header,
)
from kafkacompat.protocol.records.builder import Header, Record
from kafkacompat.protocol.records.compression import MAX_DECOMPRESSED_BYTES, decompress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Length, attributes, timestamp, offset, key, value and header count of the smallest record take a byte each.
MIN_RECORD_BYTES = 7
_MAX_VARINT_SHIFT = 63  # ten bytes, as many as a varlong may take


def read_records(buf: Buffer, pos: int = 0, header: BatchHeader | None = None) -> Iterator[Record]:
    """The records of the batch at ``pos``, with absolute offsets and timestamps in ms, oldest first.

    Pass ``header`` if it is parsed already. The checksum is not checked (``batch.check_crc``). With LogAppendTime every
    record has the batch's timestamp. Raises CorruptBatchError, RecordTooLargeError if the decompressed records exceed
    the limit, UnsupportedCodecError, UnsupportedMagicError, after the records before the bad one have been yielded.
    """
    if header is None:
        header = read_header(buf, pos)
    yield from records_of(bytes(record_bytes(buf, pos, header)), header)


def records_of(data: Buffer, header: BatchHeader) -> Iterator[Record]:
    """As ``read_records``, for a batch that is decompressed already (``record_bytes``). Keys and values of a memoryview
    are views of it, not copies.
    """
    fixed_timestamp = header.max_timestamp if header.is_log_append_time else None
    at = 0
    for _ in range(_count(data, header)):
        try:
            record, at = _read_record(data, at)
        except IndexError:
            raise CorruptBatchError("record runs past the end of its batch") from None
        if not 0 <= record.offset <= header.last_offset_delta:
            raise CorruptBatchError(f"offset delta {record.offset} in a batch up to {header.last_offset_delta}")
        record.offset += header.base_offset
        record.timestamp = header.base_timestamp + record.timestamp if fixed_timestamp is None else fixed_timestamp
        yield record
    _check_end(data, at, header)


def times_of(data: Buffer, header: BatchHeader) -> Iterator[tuple[int, int]]:
    """Offset and timestamp (ms) of each record in a decompressed batch, without decoding keys and values. Raises
    CorruptBatchError.
    """
    base_offset, base_timestamp, last_offset_delta = header.base_offset, header.base_timestamp, header.last_offset_delta
    fixed_timestamp = header.max_timestamp if header.is_log_append_time else None
    at = 0
    for _ in range(_count(data, header)):
        try:
            length, start = _read_varint(data, at)
            timestamp_delta, at = _read_varint(data, start + 1)
            offset_delta, at = _read_varint(data, at)
        except IndexError:
            raise CorruptBatchError("record runs past the end of its batch") from None
        if not 0 <= offset_delta <= last_offset_delta:
            raise CorruptBatchError(f"offset delta {offset_delta} in a batch up to {last_offset_delta}")
        if start + length < at:
            raise CorruptBatchError(f"record of {length} bytes holds {at - start}")
        at = start + length
        timestamp = base_timestamp + timestamp_delta if fixed_timestamp is None else fixed_timestamp
        yield base_offset + offset_delta, timestamp
    _check_end(data, at, header)


def _count(data: Buffer, header: BatchHeader) -> int:
    """The record count. Raises CorruptBatchError if the batch is too small for that many."""
    count = header.record_count
    if count < 0 or count * MIN_RECORD_BYTES > len(data):
        raise CorruptBatchError(f"{count} records cannot be in {len(data)} bytes")
    return count


def _check_end(data: Buffer, at: int, header: BatchHeader) -> None:
    if at != len(data):
        raise CorruptBatchError(f"{len(data) - at} bytes after the last of {header.record_count} records")


def record_bytes(
    buf: Buffer, pos: int, header: BatchHeader, limit_bytes: int = MAX_DECOMPRESSED_BYTES
) -> bytes | bytearray:
    """The bytes after the header of the batch at ``pos``, decompressed to at most ``limit_bytes``. The limit does not
    apply to an uncompressed batch. Raises as ``read_records``.
    """
    end = pos + header.size_bytes
    if end > len(buf):
        raise CorruptBatchError(f"batch of {header.size_bytes} bytes, but only {len(buf) - pos} are there")
    content = memoryview(buf)[pos + BATCH_OVERHEAD : end]
    if header.compression:
        return decompress(header.compression, content, limit_bytes)
    return bytes(content)


def _read_record(data: Buffer, pos: int) -> tuple[Record, int]:
    """The record at ``pos``, with deltas for offset and timestamp, and the position after it.

    An IndexError means that it runs past the end.
    """
    length, pos = _read_varint(data, pos)
    end = pos + length
    if length < MIN_RECORD_BYTES - 1 or end > len(data):
        raise CorruptBatchError(f"record of {length} bytes, but {len(data) - pos} are left")
    timestamp_delta, pos = _read_varint(data, pos + 1)
    offset_delta, pos = _read_varint(data, pos)
    key, pos = _read_bytes(data, pos, end)
    value, pos = _read_bytes(data, pos, end)
    headers: tuple[Header, ...] = ()
    if data[pos]:
        header_count, pos = _read_varint(data, pos)
        headers, pos = _read_headers(data, pos, end, header_count)
    else:
        pos += 1
    if pos != end:
        raise CorruptBatchError(f"record of {length} bytes holds {pos - end + length}")
    return Record(offset_delta, timestamp_delta, key, value, headers), pos


def _read_headers(data: Buffer, pos: int, end: int, count: int) -> tuple[tuple[Header, ...], int]:
    if not 0 <= count <= (end - pos) // 2:  # a header takes two bytes at least
        raise CorruptBatchError(f"{count} headers cannot be in {end - pos} bytes")
    headers = []
    for _ in range(count):
        name, pos = _read_bytes(data, pos, end)
        if name is None:
            raise CorruptBatchError("header without a key")
        value, pos = _read_bytes(data, pos, end)
        headers.append((str(name, "utf-8", "surrogateescape"), value))
    return tuple(headers), pos


def _read_bytes(data: Buffer, pos: int, end: int) -> "tuple[Any, int]":
    byte = data[pos]
    if byte < 0x80 and not byte & 1:  # a length below 64, the common case
        length = byte >> 1
        pos += 1
    else:
        length, pos = _read_varint(data, pos)
        if length < 0:
            if length == -1:
                return None, pos
            raise CorruptBatchError(f"field of {length} bytes")
    after = pos + length
    if after > end:
        raise CorruptBatchError(f"field of {length} bytes, but {end - pos} are left in the record")
    return data[pos:after], after


def _read_varint(data: Buffer, pos: int) -> tuple[int, int]:
    """A zigzag integer and the position after it. One byte, the common case, has a fast path."""
    byte = data[pos]
    pos += 1
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), pos
    raw = byte & 0x7F
    shift = 7
    while True:
        byte = data[pos]
        pos += 1
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (raw >> 1) ^ -(raw & 1), pos
        shift += 7
        if shift > _MAX_VARINT_SHIFT:
            raise CorruptBatchError("integer of more than ten bytes")
