"""Walk over the batches in a segment's file, with few and bounded reads."""

from collections.abc import Callable, Iterator
from struct import Struct

from kafkacompat.protocol.records.batch import (
    BATCH_OVERHEAD,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    MAGIC_V2,
    BatchHeader,
    CorruptBatchError,
    RecordBatchError,
    check_crc,
    read_header,
)
from kafkacompat.storage.fs import File

#: A lookup reads this much at a time: what lies between two entries of the index, with room.
LOOKUP_BYTES = 8 * 1024
#: A scan that wants whole batches reads this much at a time, or one batch when that is larger.
SCAN_BYTES = 1024 * 1024

#: base offset, length and last offset delta: all that a lookup needs
_PLACE = Struct(">qi11xi")


def find_batch(file: File, position: int, end: int, offset: int) -> tuple[int, int, int] | None:
    """Position, base offset and size in bytes of the first batch from ``position`` on that ends at or after ``offset``.

    None when there is none before ``end``. Raises CorruptBatchError for a length that cannot be, also of the batch that
    is found and would end behind ``end``; and OSError.
    """
    while position < end:
        chunk = file.pread(position, min(LOOKUP_BYTES, end - position))
        at = 0
        while at + _PLACE.size <= len(chunk):
            base_offset, length, last_offset_delta = _PLACE.unpack_from(chunk, at)
            size_bytes = length + LOG_OVERHEAD
            if size_bytes < BATCH_OVERHEAD:
                raise CorruptBatchError(f"batch length {length} at position {position + at}")
            if base_offset + last_offset_delta >= offset:
                if position + at + size_bytes > end:
                    raise CorruptBatchError(f"batch length {length} at position {position + at} of {end} bytes")
                return position + at, base_offset, size_bytes
            at += size_bytes
        if not at:
            return None  # the rest is too short for a header
        position += at
    return None


def headers(file: File, position: int, end: int) -> Iterator[tuple[int, BatchHeader]]:
    """Position and header of each whole batch from ``position`` to ``end``.

    Raises CorruptBatchError or UnsupportedMagicError, and OSError.
    """
    while position < end:
        chunk = file.pread(position, min(LOOKUP_BYTES, end - position))
        at = 0
        while at + BATCH_OVERHEAD <= len(chunk):
            try:
                header = read_header(chunk, at)
            except RecordBatchError as error:
                raise type(error)(f"at position {position + at}: {error}") from None
            if position + at + header.size_bytes > end:
                return
            yield position + at, header
            at += header.size_bytes
        if not at:
            return
        position += at


Take = Callable[[bytes, int], int]
"""See `batches`."""


def leave_all(_data: bytes, at: int) -> int:
    """Takes nothing: see `batches`."""
    return at


def batches(
    file: File,
    position: int,
    end: int,
    read_bytes: int = SCAN_BYTES,
    take: Take = leave_all,
) -> Iterator[tuple[int, BatchHeader, memoryview]]:
    """Position, header and bytes of each batch from ``position`` to ``end``; checksums are not checked. It reads
    ``read_bytes`` at a time, or one batch when that is larger.

    ``take(data, at)`` may take whole batches from ``at`` on out of what was read, before the others come: it returns
    where the first one begins that it leaves.

    Ends without an error before a batch that is incomplete at ``end``. Raises CorruptBatchError or
    UnsupportedMagicError for bytes that are no batch, and OSError.
    """
    wanted = read_bytes
    while position + BATCH_OVERHEAD <= end:
        asked = min(wanted, end - position)
        data = file.pread(position, asked)
        chunk = memoryview(data)
        at = 0
        wanted = read_bytes
        while (at := take(data, at)) + BATCH_OVERHEAD <= len(chunk):
            try:
                header = read_header(chunk, at)
            except RecordBatchError as error:
                raise type(error)(f"at position {position + at}: {error}") from None
            if position + at + header.size_bytes > end:
                return
            if at + header.size_bytes > len(chunk):
                wanted = max(read_bytes, header.size_bytes)
                break
            yield position + at, header, chunk[at : at + header.size_bytes]
            at += header.size_bytes
        if not at and len(chunk) < asked:
            return  # the file is shorter than it should be
        position += at


def holds_later_batch(rest: bytes, offset: int) -> bool:
    """Whether a good batch lies anywhere in ``rest`` behind the bad batch that it begins with, which should have had
    ``offset``: the length of the bad batch may be wrong.
    """
    magic = bytes((MAGIC_V2,))
    at = rest.find(magic, MAGIC_OFFSET + 1)
    while at >= 0:
        pos = at - MAGIC_OFFSET
        if len(rest) - pos < BATCH_OVERHEAD:
            return False
        try:
            header = read_header(rest, pos)
        except RecordBatchError:
            header = None
        if header is not None and header.base_offset > offset and check_crc(rest, pos, header.size_bytes):
            return True
        at = rest.find(magic, at + 1)
    return False
