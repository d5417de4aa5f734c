"""Messages of the formats v0 and v1, which Kafka wrote before 0.11: recognized, and not read."""

from struct import Struct
from zlib import crc32

from kafkacompat.protocol.records.batch import LOG_OVERHEAD, MAGIC_V2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HEAD_BYTES = 17
_HEAD = Struct(">qiIB")  # offset, length, CRC-32 of what follows it, magic
_CHECKED_FROM = 16
_LEAST_LENGTH = 14  # of a message of format v0 without a key and a value
_READ_BYTES = 1024 * 1024


def is_old_message(pread: "Callable[[int, int], bytes]", position: int, end: int) -> bool:
    """Whether a whole message of an old format, with a good checksum, is at ``position`` of a file that ends at
    ``end``. pread: reads so many bytes from a position.
    """
    if end - position < HEAD_BYTES:
        return False
    _, length, checksum, magic = _HEAD.unpack(pread(position, HEAD_BYTES))
    if magic >= MAGIC_V2 or not _LEAST_LENGTH <= length <= end - position - LOG_OVERHEAD:
        return False
    found = 0
    at, after = position + _CHECKED_FROM, position + LOG_OVERHEAD + length
    while at < after:
        data = pread(at, min(_READ_BYTES, after - at))
        if not data:
            return False
        found = crc32(data, found)
        at += len(data)
    return bool(found == checksum)
