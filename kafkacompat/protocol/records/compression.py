"""The record codecs with Apache Kafka's framing: gzip 1, snappy 2 (xerial stream), lz4 3 (frame), zstd 4.

Decompression is limited, because a few hundred kilobytes can decompress to gigabytes. The output buffer grows up to the
limit; a codec that needs more fails at its end. ``cramjam`` implements the codecs and is imported on first use, as most
brokers never decompress a batch.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from struct import Struct

from kafkacompat.protocol.records.batch import Buffer, CorruptBatchError, RecordTooLargeError, UnsupportedCodecError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NONE = 0
GZIP = 1
SNAPPY = 2
LZ4 = 3
ZSTD = 4
NAMES = ("none", "gzip", "snappy", "lz4", "zstd")

MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024  #: of one batch, whatever its size

_GZIP_LEVEL = 6  # what zlib chooses for Java
LZ4_LEVEL = 9  #: the default; see ``_compress_lz4``
_ZSTD_LEVEL = 3

_FIRST_OUTPUT_BYTES = 16 * 1024
_OUTPUT_GROWTH = 4

_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL_MAGIC + b"\x00\x00\x00\x01\x00\x00\x00\x01"  # version 1, compatible with 1
_XERIAL_BLOCK_BYTES = 32 * 1024
_BLOCK_LENGTH = Struct(">i")

# Version 1, independent blocks, no checksums, blocks of at most 64 KiB, and the checksum of these two bytes. Java's
# reader (Lz4BlockInputStream) refuses the linked blocks that most libraries write by default.
_LZ4_HEADER = b"\x04\x22\x4d\x18\x60\x40\x82"
_LZ4_BLOCK_BYTES = 64 * 1024
_LZ4_STORED_BIT = 0x80000000
_LZ4_BLOCK_SIZE = Struct("<I")
_LZ4_END_MARK = b"\x00\x00\x00\x00"
_LZ4_FIRST_BLOCK = len(_LZ4_HEADER) + _LZ4_BLOCK_SIZE.size
_LZ4_AROUND_BLOCK = _LZ4_FIRST_BLOCK + len(_LZ4_END_MARK)
_LZ4_LOWEST_HIGH_LEVEL = 2  # 1 is the fast compressor there


def compress(codec: int, data: Buffer, level: int | None = None) -> bytes:
    """``data`` compressed as Apache Kafka's producer frames it. Raises UnsupportedCodecError.

    ``level`` is that of Kafka's configs, of gzip (1–9), lz4 (1–17) and zstd (−131072–22); None is Kafka's default.
    """
    if codec == NONE:
        return bytes(data)
    import cramjam

    if codec == GZIP:
        return bytes(cramjam.gzip.compress(data, _GZIP_LEVEL if level is None else level))
    if codec == SNAPPY:
        return _compress_snappy(cramjam, memoryview(data))
    if codec == LZ4:
        return _compress_lz4(cramjam, memoryview(data), LZ4_LEVEL if level is None else level)
    if codec == ZSTD:
        return bytes(cramjam.zstd.compress(data, _ZSTD_LEVEL if level is None else level))
    raise UnsupportedCodecError(f"compression codec {codec}")


def _compress_snappy(cramjam: "Any", data: memoryview) -> bytes:
    parts = [_XERIAL_HEADER]
    for start in range(0, len(data), _XERIAL_BLOCK_BYTES):
        block = bytes(cramjam.snappy.compress_raw(data[start : start + _XERIAL_BLOCK_BYTES]))
        parts += (_BLOCK_LENGTH.pack(len(block)), block)
    return b"".join(parts)


def _compress_lz4(cramjam: "Any", data: memoryview, level: int) -> bytes:
    """The default level is the fast compressor, every other one the high compressor (``Lz4BlockOutputStream``).

    cramjam has the levels of frames alone. A frame of at most 64 KiB has one block, which needs no other to be read:
    it is taken out.
    """
    parts: list[bytes | memoryview] = [_LZ4_HEADER]
    for start in range(0, len(data), _LZ4_BLOCK_BYTES):
        raw = data[start : start + _LZ4_BLOCK_BYTES]
        if level == LZ4_LEVEL:
            block = bytes(cramjam.lz4.compress_block(raw, store_size=False))
        else:
            frame = bytes(cramjam.lz4.compress(raw, level=max(level, _LZ4_LOWEST_HIGH_LEVEL)))
            size_bytes = _LZ4_BLOCK_SIZE.unpack_from(frame, len(_LZ4_HEADER))[0] & ~_LZ4_STORED_BIT
            block = frame[_LZ4_FIRST_BLOCK : _LZ4_FIRST_BLOCK + size_bytes]
        if len(block) < len(raw):
            parts += (_LZ4_BLOCK_SIZE.pack(len(block)), block)
        else:
            parts += (_LZ4_BLOCK_SIZE.pack(len(raw) | _LZ4_STORED_BIT), raw)
    parts.append(_LZ4_END_MARK)
    return b"".join(parts)


def decompress(codec: int, data: Buffer, limit_bytes: int = MAX_DECOMPRESSED_BYTES) -> bytes | bytearray:
    """Decompress ``data`` to at most ``limit_bytes``, with one copy in memory.

    Raises CorruptBatchError, RecordTooLargeError above the limit, UnsupportedCodecError.
    """
    if codec == NONE:
        return _check_stored(data, limit_bytes)
    import cramjam

    if codec == SNAPPY:
        return _decompress_snappy(cramjam, memoryview(data), limit_bytes)
    if codec == GZIP:
        return _grow(cramjam.gzip.decompress_into, data, limit_bytes)
    if codec == LZ4:
        return _decompress_lz4(cramjam, memoryview(data), limit_bytes)
    if codec == ZSTD:
        return _grow(cramjam.zstd.decompress_into, data, limit_bytes)
    raise UnsupportedCodecError(f"compression codec {codec}")


def _check_stored(data: Buffer, limit: int) -> bytes:
    if len(data) > limit:
        raise _too_large(limit)
    return bytes(data)


def _grow(decompress_into: Callable[[Buffer, bytearray], int], data: Buffer, limit: int) -> bytearray:
    """Decompress into a buffer of a likely size, and retry with larger ones until it fits or the limit is reached.

    The failed passes cost at most a third of the successful one. No buffer is larger than the limit.
    """
    size = min(limit, max(_FIRST_OUTPUT_BYTES, _OUTPUT_GROWTH * len(data)))
    while True:
        output = bytearray(size)
        try:
            written = decompress_into(data, output)
        except Exception as error:  # noqa: BLE001 - cramjam raises DecompressionError and, in places, ValueError
            if not _is_output_full(error):
                raise CorruptBatchError(f"compressed records are corrupt: {error}") from None
            if size >= limit:
                raise _too_large(limit) from None
            del output
            size = min(limit, size * _OUTPUT_GROWTH)
        else:
            del output[written:]
            return output


def _decompress_lz4(cramjam: "Any", data: memoryview, limit: int) -> bytearray:
    """A frame of one block, as Kafka's producers write most of them, needs no decoder of frames: that takes as long
    again as a block of 10 KB.
    """
    if len(data) > _LZ4_AROUND_BLOCK and data[: len(_LZ4_HEADER)] == _LZ4_HEADER:
        block = data[_LZ4_FIRST_BLOCK : -len(_LZ4_END_MARK)]
        size = _LZ4_BLOCK_SIZE.unpack_from(data, len(_LZ4_HEADER))[0]
        if size == len(block) <= _LZ4_BLOCK_BYTES and data[-len(_LZ4_END_MARK) :] == _LZ4_END_MARK:
            output = bytearray(min(limit, _LZ4_BLOCK_BYTES, max(_FIRST_OUTPUT_BYTES, _OUTPUT_GROWTH * len(data))))
            with suppress(Exception):  # it may be too long or damaged, which the decoder of frames tells apart
                del output[cramjam.lz4.decompress_block_into(block, output) :]
                return output
    return _grow(cramjam.lz4.decompress_into, data, limit)


def _is_output_full(error: Exception) -> bool:
    # Rust's std::io::Error of kind WriteZero; cramjam gives it no type of its own.
    return "write whole buffer" in str(error)


def _too_large(limit: int) -> RecordTooLargeError:
    return RecordTooLargeError(f"records decompress to more than {limit} bytes")


def _decompress_snappy(cramjam: "Any", data: memoryview, limit: int) -> bytearray:
    """Decompress a xerial stream (Java, librdkafka, kafka-python) or one raw block (Go clients)."""
    blocks = list(_xerial_blocks(data)) if data[: len(_XERIAL_MAGIC)] == _XERIAL_MAGIC else [data]
    try:
        sizes = [cramjam.snappy.decompress_raw_len(block) for block in blocks]
        if sum(sizes) <= limit:
            output = bytearray(sum(sizes))
            room = memoryview(output)
            at = 0
            for block, size in zip(blocks, sizes, strict=True):
                at += cramjam.snappy.decompress_raw_into(block, room[at : at + size])
            room.release()
            del output[at:]
            return output
    except Exception as error:  # noqa: BLE001 - cramjam's DecompressionError
        raise CorruptBatchError(f"compressed records are corrupt: {error}") from None
    raise _too_large(limit)


def _xerial_blocks(data: memoryview) -> Iterator[memoryview]:
    pos = len(_XERIAL_HEADER)
    while pos < len(data):
        if pos + _BLOCK_LENGTH.size > len(data):
            raise CorruptBatchError("snappy stream ends inside a block length")
        block_bytes = _BLOCK_LENGTH.unpack_from(data, pos)[0]
        pos += _BLOCK_LENGTH.size
        if not 0 <= block_bytes <= len(data) - pos:
            raise CorruptBatchError(f"snappy block of {block_bytes} bytes, but {len(data) - pos} are left")
        yield data[pos : pos + block_bytes]
        pos += block_bytes
