"""Batches that have to be decompressed: for another compression type, and to check keys on compacted topics."""

import struct

from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.protocol.error_codes import INVALID_RECORD, INVALID_TIMESTAMP, MESSAGE_TOO_LARGE
from kafkacompat.protocol.records.batch import (
    ATTRIBUTES_OFFSET,
    COMPRESSION_MASK,
    LENGTH_OFFSET,
    LOG_OVERHEAD,
    MAX_TIMESTAMP_OFFSET,
    RECORDS_OFFSET,
    RecordBatchError,
    RecordTooLargeError,
    read_header,
    stamp_crc,
)
from kafkacompat.protocol.records.builder import build_batch
from kafkacompat.protocol.records.compression import GZIP, LZ4, LZ4_LEVEL, NONE, SNAPPY, ZSTD, compress
from kafkacompat.protocol.records.reader import record_bytes, records_of
from kafkacompat.storage.errors import LogError, RecordsRefusedError
from kafkacompat.storage.validate import untimely

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config.topic import TopicConfig
    from kafkacompat.protocol.records.batch import BatchHeader

CODECS = {"uncompressed": NONE, "gzip": GZIP, "snappy": SNAPPY, "lz4": LZ4, "zstd": ZSTD}
MAX_RECORDS = 200_000
"""In a batch that has to be opened. Each takes some microseconds, and with acks=0 nobody else is served meanwhile;
without compression a batch of the default size cannot hold so many."""
LARGE_BYTES = 256 * 1024
LARGE_RECORDS = 1_000
"""A batch of more than either, as it came or decompressed, is opened beside the loop: a megabyte takes gzip 25 ms,
10,000 records 18 ms.
"""
LARGE_GZIP_BYTES = 64 * 1024
"""A batch of more is opened beside the loop where gzip compresses it anew, at any level: 64 KB of two letters take 8 ms
at the default one.
"""
SLOW_LEVELS = {GZIP: 7, LZ4: 3, ZSTD: 10}
"""From these levels on 256 KB may hold the loop for over 20 ms, most where the records have few different bytes: 250 KB
of two letters take gzip 37–91 ms (22–28 at its default), zstd up to 125 ms, lz4 3–33 ms at levels 3–8, 49–570 ms from
level 10 on. The default of lz4, level 9, is its fast compressor: half a millisecond.
"""
SLOW_LEVEL_BYTES = 16 * 1024
"""A batch of more is opened beside the loop at such a level. One of two letters takes lz4 13.5 ms from level
12 on, zstd 7 ms at level 22; most take 2 ms."""


class Recompression:
    """Recompresses a large batch, already checked, before it is appended. ``run`` may run on any thread; the batch must
    not change meanwhile.
    """

    __slots__ = ("_config", "_now_ms", "_outcome", "_records")

    def __init__(self, records: memoryview, config: "TopicConfig", now_ms: int) -> None:
        self._records = records
        self._config = config
        self._now_ms = now_ms
        self._outcome: memoryview | LogError | None = None

    def run(self) -> None:
        try:
            self._outcome = recompress(self._records, self._config, self._now_ms)
        except LogError as error:
            self._outcome = error

    def result(self, config: "TopicConfig") -> memoryview:
        """The result of ``recompress``, or its error. If the topic's config has changed since, it is computed anew."""
        if config is not self._config:
            return recompress(self._records, config, self._now_ms)
        assert self._outcome is not None
        if isinstance(self._outcome, LogError):
            raise self._outcome
        return self._outcome


def is_large(records: memoryview, config: "TopicConfig") -> bool:
    """Whether the checked batch in ``records`` has to be decompressed on a background thread."""
    header = read_header(records)
    if not _is_opened(header, config):
        return False
    codec = CODECS.get(config.compression_type, header.compression)
    large_bytes = LARGE_GZIP_BYTES if codec == GZIP != header.compression else LARGE_BYTES
    if len(records) > large_bytes or header.record_count > LARGE_RECORDS:
        return True
    is_slow = codec in SLOW_LEVELS and (_level(codec, config) or 0) >= SLOW_LEVELS[codec]
    if is_slow and header.compression != codec and (header.compression != NONE or len(records) > SLOW_LEVEL_BYTES):
        return True  # what is compressed may be of any size inside
    return header.compression != NONE and _is_large_inside(records, header, large_bytes)


def _is_large_inside(records: memoryview, header: "BatchHeader", large_bytes: int) -> bool:
    """Whether the batch decompresses to more than `large_bytes`. It is decompressed so far: no size that a frame
    declares can be relied upon. That costs at most a millisecond, and little of what opening and recompressing it
    costs.
    """
    try:
        record_bytes(records, 0, header, large_bytes)
    except RecordTooLargeError:
        return True
    except RecordBatchError:
        return False  # the append refuses it
    return False


def _is_opened(header: "BatchHeader", config: "TopicConfig") -> bool:
    """Whether a topic's config wants what is in such a batch."""
    return config.is_compacted or CODECS.get(config.compression_type, header.compression) != header.compression


def _level(codec: int, config: "TopicConfig") -> int | None:
    """The level at which batches of the topic are compressed; None for the default, and for codecs without one."""
    if codec == GZIP:
        return config.compression_gzip_level if config.compression_gzip_level > 0 else None
    if codec == LZ4:
        return config.compression_lz4_level if config.compression_lz4_level != LZ4_LEVEL else None
    return config.compression_zstd_level if codec == ZSTD else None


def recompress(records: memoryview, config: "TopicConfig", now_ms: int) -> memoryview:
    """The checked batch in ``records`` as the topic's config wants it stored. Raises LogError.

    INVALID_RECORD for a record without a key on a compacted topic; CORRUPT_MESSAGE and others for bad content.
    """
    header = read_header(records)
    if not _is_opened(header, config):
        return records
    codec = CODECS.get(config.compression_type, header.compression)
    is_compacted = config.is_compacted
    if header.record_count > MAX_RECORDS:
        raise LogError(MESSAGE_TOO_LARGE, f"{header.record_count} records in one batch")
    try:
        content = record_bytes(records, 0, header)
        view = memoryview(content)
        times, keyless = _look_through(view, header)
        if is_compacted and keyless:
            _refuse_keyless(times, keyless, config, now_ms)
        if codec == header.compression:
            return records
        if codec == NONE and len(content) > config.max_message_bytes:
            raise LogError(MESSAGE_TOO_LARGE, f"{len(content)} bytes of records, uncompressed")
        return memoryview(_with_codec(records, view, header, codec, _level(codec, config), times))
    except RecordBatchError as error:
        raise LogError(error.error_code, str(error)) from None


def _look_through(view: memoryview, header: "BatchHeader") -> tuple[list[int], set[int]]:
    """Timestamps of all records, and indexes of those without a key. Raises RecordBatchError for bad content."""
    times: list[int] = []
    keyless = set()
    for place, record in enumerate(records_of(view, header)):
        times.append(record.timestamp)
        if record.key is None:
            keyless.add(place)
    return times, keyless


def _with_codec(
    records: memoryview, view: memoryview, header: "BatchHeader", codec: int, level: int | None, times: list[int]
) -> bytearray:
    """The batch with another codec. The decompressed records are in memory only once if they can stay as they are.

    They are rebuilt if the header's base timestamp is not that of the first record; Kafka always rebuilds them.
    """
    if times[0] != header.base_timestamp or max(times) > LONG_MAX:
        return build_batch(
            list(records_of(view, header)),
            compression=codec,
            compression_level=level,
            producer_id=header.producer_id,
            producer_epoch=header.producer_epoch,
            base_sequence=header.base_sequence,
            is_transactional=header.is_transactional,
        )
    batch = bytearray(records[:RECORDS_OFFSET])
    batch += compress(codec, view, level) if codec else view
    struct.pack_into(">i", batch, LENGTH_OFFSET, len(batch) - LOG_OVERHEAD)
    attributes = codec | (records[ATTRIBUTES_OFFSET + 1] & ~COMPRESSION_MASK)
    batch[ATTRIBUTES_OFFSET + 1] = attributes
    struct.pack_into(">q", batch, MAX_TIMESTAMP_OFFSET, max(times))
    stamp_crc(batch, 0, len(batch))
    return batch


def _refuse_keyless(times: list[int], keyless: set[int], config: "TopicConfig", now_ms: int) -> None:
    """Raise RecordsRefusedError for records without keys.

    A record whose time alone is wrong gives the batch its error code (``LogValidator.processRecordErrors``).
    """
    wrong: set[int] = set()
    if config.message_timestamp_type != "LogAppendTime":
        wrong.update(
            untimely(times, now_ms, config.message_timestamp_before_max_ms, config.message_timestamp_after_max_ms)
        )
    code = INVALID_TIMESTAMP if wrong - keyless else INVALID_RECORD
    raise RecordsRefusedError(code, "a compacted topic takes no record without a key", sorted(keyless | wrong))
