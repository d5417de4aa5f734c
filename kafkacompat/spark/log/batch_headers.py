"""The headers of many record batches as columns."""

from __future__ import annotations

from io import FileIO
from struct import Struct
from typing import Any, TypeAlias

import numpy as np

from kafkacompat.protocol.columns.varints import PADDING_BYTES, Bytes, Flags, Ints
from kafkacompat.protocol.records.batch import (
    ATTRIBUTES_OFFSET,
    BATCH_OVERHEAD,
    COMPRESSION_MASK,
    CONTROL_BIT,
    LENGTH_OFFSET,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    MAGIC_V2,
    TIMESTAMP_TYPE_BIT,
    TRANSACTIONAL_BIT,
)
from kafkacompat.protocol.records.crc32c import crc32c

Headers: TypeAlias = Any
"""An array of HEADER_TYPE."""

HEADER_TYPE = np.dtype(
    [
        ("base_offset", ">i8"), ("length", ">i4"), ("leader_epoch", ">i4"), ("magic", "i1"), ("crc", ">u4"),
        ("attributes", ">i2"), ("last_offset_delta", ">i4"), ("base_timestamp", ">i8"), ("max_timestamp", ">i8"),
        ("producer_id", ">i8"), ("producer_epoch", ">i2"), ("base_sequence", ">i4"), ("record_count", ">i4"),
    ]
)  # fmt: skip
assert HEADER_TYPE.itemsize == BATCH_OVERHEAD

_LENGTH = Struct(">i")
_PLACES = np.arange(BATCH_OVERHEAD)


def fill(file: FileIO, buffer: bytearray, filled: int, room: int) -> int:
    """Read until `room` bytes are filled or the file ends. What follows them are zeros."""
    with memoryview(buffer) as view:
        while filled < room:
            count = file.readinto(view[filled:room])
            if not count:
                break
            filled += count
        view[filled : filled + PADDING_BYTES] = bytes(PADDING_BYTES)
    return filled


def walk(buffer: bytearray, filled: int) -> tuple[list[int], int, int, str]:
    """Where each whole batch begins and the bytes that they take; then the size of the next one, as far as it is
    known, or why what follows is no batch.
    """
    places: list[int] = []
    at = 0
    while filled - at >= BATCH_OVERHEAD:
        size = _LENGTH.unpack_from(buffer, at + LENGTH_OFFSET)[0] + LOG_OVERHEAD
        if buffer[at + MAGIC_OFFSET] != MAGIC_V2:
            return places, at, 0, f"a message of format v{buffer[at + MAGIC_OFFSET]}, not v{MAGIC_V2}"
        if size < BATCH_OVERHEAD:
            return places, at, 0, f"batch length {size - LOG_OVERHEAD} is less than its own header"
        if at + size > filled:
            return places, at, size, ""
        places.append(at)
        at += size
    return places, at, BATCH_OVERHEAD if at < filled else 0, ""


def read_headers(data: Bytes, at: Ints) -> Headers:
    """The headers at the positions `at`."""
    if not at.size:
        return np.empty(0, HEADER_TYPE)
    return np.ascontiguousarray(data[at[:, None] + _PLACES]).view(HEADER_TYPE)[:, 0]


def column(headers: Headers, name: str) -> Ints:
    """A field of all headers in the machine's own byte order."""
    found: Ints = headers[name].astype(np.int64)
    return found


def last_offsets(headers: Headers) -> Ints:
    return column(headers, "base_offset") + column(headers, "last_offset_delta")


def sizes(headers: Headers) -> Ints:
    """Bytes of each batch, with its first 12."""
    return column(headers, "length") + LOG_OVERHEAD


def codecs(headers: Headers) -> Ints:
    return column(headers, "attributes") & COMPRESSION_MASK


def is_control(headers: Headers) -> Flags:
    return column(headers, "attributes") & CONTROL_BIT != 0


def is_transactional(headers: Headers) -> Flags:
    return column(headers, "attributes") & TRANSACTIONAL_BIT != 0


def is_log_append_time(headers: Headers) -> Flags:
    return column(headers, "attributes") & TIMESTAMP_TYPE_BIT != 0


def checksums(data: memoryview, at: Ints, size_bytes: Ints) -> Ints:
    """The CRC-32C of each batch as its bytes are, whatever its header says."""
    found = [
        crc32c(data[start + ATTRIBUTES_OFFSET : start + size])
        for start, size in zip(at.tolist(), size_bytes.tolist(), strict=True)
    ]
    return np.array(found, np.int64)
