"""Messages as Kafka wrote them before 0.11."""

from struct import pack
from zlib import crc32


def old_message(offset: int, magic: int, key: bytes | None, value: bytes | None) -> bytes:
    """A message of format v0 or v1, with the timestamp 5 ms in v1."""
    body = pack(">bb", magic, 0) + (pack(">q", 5) if magic else b"")
    for content in (key, value):
        body += pack(">i", -1) if content is None else pack(">i", len(content)) + content
    body = pack(">I", crc32(body)) + body
    return pack(">qi", offset, len(body)) + body
