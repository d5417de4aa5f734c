"""Record batches as producers make them, and with one thing wrong."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Any

from compat_tests.api import topics
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.crc32c import crc32c

LENGTH_AT, MAGIC_AT, CRC_AT, ATTRIBUTES_AT, LAST_OFFSET_DELTA_AT = 8, 16, 17, 21, 23
BASE_TIMESTAMP_AT, MAX_TIMESTAMP_AT, COUNT_AT, BODY_AT = 27, 35, 57, 61
OFFSET_AND_LENGTH_SIZE = 12


def batch(count: int = 2, **more: Any) -> bytes:
    """Records without keys, one millisecond apart."""
    records = [Record(n, topics.BASE_TIMESTAMP_MS + n, None, b"value") for n in range(count)]
    return bytes(build_batch(records, **more))


def spoiled(data: bytes, at: int, layout: str, value: int) -> bytes:
    """The batch with a field overwritten (and its checksum no longer right if it covers it)."""
    changed = bytearray(data)
    struct.pack_into(layout, changed, at, value)
    return bytes(changed)


def sealed(data: bytes) -> bytes:
    """The batch with a checksum that says it is right."""
    return spoiled(data, CRC_AT, ">I", crc32c(data[ATTRIBUTES_AT:]))


def resealed(data: bytes, at: int, layout: str, value: int) -> bytes:
    """The batch with a field overwritten and a checksum that says it is right."""
    return sealed(spoiled(data, at, layout, value))


def with_body(data: bytes, body: bytes) -> bytes:
    """The batch's header before other records, with length and checksum that fit."""
    made = data[:BODY_AT] + body
    return resealed(made, LENGTH_AT, ">i", len(made) - OFFSET_AND_LENGTH_SIZE)


def swapped_deltas(data: bytes) -> bytes:
    """The body of a batch of small records in which the first record's offset delta is 1."""
    body = bytearray(data[BODY_AT:])
    body[3] = 2  # length, attributes and timestamp delta come before; zigzag of 1
    return bytes(body)


def message_set(magic: int, records: Sequence[Record]) -> bytes:
    """Messages of the formats before record batches: v0, or v1 with timestamps."""
    made = b""
    for record in records:
        value = record.value or b""
        stamp = struct.pack(">q", record.timestamp) if magic else b""
        rest = struct.pack(">bb", magic, 0) + stamp + struct.pack(">ii", -1, len(value)) + value
        message = struct.pack(">I", zlib.crc32(rest)) + rest
        made += struct.pack(">qi", record.offset, len(message)) + message
    return made
