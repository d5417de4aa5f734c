"""The header of a record batch (message format v2, KIP-98): parse, check, stamp. Records are not decoded here.

A batch is a 61-byte header followed by its records, as in Kafka's ``DefaultRecordBatch``. The CRC does not cover the
bytes before ``ATTRIBUTES_OFFSET``, so a broker can stamp offset and leader epoch without computing it again.
"""

from struct import Struct

from kafkacompat.protocol.constants import NO_PRODUCER_ID, NO_SEQUENCE
from kafkacompat.protocol.records.crc32c import crc32c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sized

Buffer = bytes | bytearray | memoryview

BASE_OFFSET_OFFSET = 0
LENGTH_OFFSET = 8
LEADER_EPOCH_OFFSET = 12
MAGIC_OFFSET = 16
CRC_OFFSET = 17
ATTRIBUTES_OFFSET = 21
LAST_OFFSET_DELTA_OFFSET = 23
BASE_TIMESTAMP_OFFSET = 27
MAX_TIMESTAMP_OFFSET = 35
PRODUCER_ID_OFFSET = 43
PRODUCER_EPOCH_OFFSET = 51
BASE_SEQUENCE_OFFSET = 53
RECORD_COUNT_OFFSET = 57
RECORDS_OFFSET = 61

LOG_OVERHEAD = 12  #: base offset and length; the length field does not include them
BATCH_OVERHEAD = RECORDS_OFFSET

MIN_RECORD_SIZE = 7  #: length, attributes, two deltas, two lengths and the number of headers: one byte each

MAGIC_V2 = 2
COMPRESSION_MASK = 0x07
TIMESTAMP_TYPE_BIT = 0x08
TRANSACTIONAL_BIT = 0x10
CONTROL_BIT = 0x20
DELETE_HORIZON_BIT = 0x40

MAX_SEQUENCE = 2**31 - 1

HEADER = Struct(">qiibIhiqqqhii")
CRC = Struct(">I")
_BASE_OFFSET = Struct(">q")
_LEADER_EPOCH = Struct(">i")
_ATTRIBUTES = Struct(">h")
_TIMESTAMP = Struct(">q")
_PRODUCER = Struct(">qhi")

_CORRUPT_MESSAGE = 2
_MESSAGE_TOO_LARGE = 10
_UNSUPPORTED_COMPRESSION_TYPE = 76
_INVALID_RECORD = 87


class RecordBatchError(Exception):
    """Bytes that are not a valid record batch. ``error_code`` is Kafka's answer to a producer that sends them."""

    error_code = _CORRUPT_MESSAGE


class CorruptBatchError(RecordBatchError):
    """The lengths, the checksum or the contents of a batch are inconsistent."""


class UnsupportedMagicError(RecordBatchError):
    """A message of format v0 or v1, which Kafka 4 no longer accepts (``ProduceRequest.validateRecords``)."""

    error_code = _INVALID_RECORD


class UnsupportedCodecError(RecordBatchError):
    """The attributes contain an unknown compression codec."""

    error_code = _UNSUPPORTED_COMPRESSION_TYPE


class RecordTooLargeError(RecordBatchError):
    """The decompressed records exceed the limit (see ``compression.max_decompressed_bytes``)."""

    error_code = _MESSAGE_TOO_LARGE


class InvalidBatchError(RecordBatchError):
    """A well-formed batch that a client must not send (Kafka's ``LogValidator.validateBatch``)."""

    error_code = _INVALID_RECORD


class BatchHeader:
    """The header fields of one batch. ``size_bytes`` is the size of the whole batch, including its first 12 bytes."""

    __slots__ = (
        "attributes",
        "base_offset",
        "base_sequence",
        "base_timestamp",
        "crc",
        "last_offset_delta",
        "leader_epoch",
        "magic",
        "max_timestamp",
        "producer_epoch",
        "producer_id",
        "record_count",
        "size_bytes",
    )

    def __init__(
        self,
        base_offset: int,
        size_bytes: int,
        leader_epoch: int,
        magic: int,
        crc: int,
        attributes: int,
        last_offset_delta: int,
        base_timestamp: int,
        max_timestamp: int,
        producer_id: int,
        producer_epoch: int,
        base_sequence: int,
        record_count: int,
    ) -> None:
        self.base_offset = base_offset
        self.size_bytes = size_bytes
        self.leader_epoch = leader_epoch
        self.magic = magic
        self.crc = crc
        self.attributes = attributes
        self.last_offset_delta = last_offset_delta
        self.base_timestamp = base_timestamp
        self.max_timestamp = max_timestamp
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.base_sequence = base_sequence
        self.record_count = record_count

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        return self.base_offset + self.last_offset_delta + 1

    @property
    def last_sequence(self) -> int:
        """The sequence of the last record, −1 without a producer id. It wraps from 2^31 − 1 to 0
        (``DefaultRecordBatch.lastSequence``).
        """
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return increment_sequence(self.base_sequence, self.last_offset_delta)

    @property
    def compression(self) -> int:
        """The codec: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd; 5–7 are undefined."""
        return self.attributes & COMPRESSION_MASK

    @property
    def is_log_append_time(self) -> bool:
        return self.attributes & TIMESTAMP_TYPE_BIT != 0

    @property
    def is_transactional(self) -> bool:
        return self.attributes & TRANSACTIONAL_BIT != 0

    @property
    def is_control(self) -> bool:
        return self.attributes & CONTROL_BIT != 0

    @property
    def has_delete_horizon(self) -> bool:
        return self.attributes & DELETE_HORIZON_BIT != 0

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)}" for name in HEADER_FIELDS)
        return f"BatchHeader({fields})"


HEADER_FIELDS = BatchHeader.__init__.__code__.co_varnames[1:14]


def increment_sequence(sequence: int, by: int) -> int:
    """``sequence + by`` modulo 2^31 (``DefaultRecordBatch.incrementSequence``)."""
    return (sequence + by) & MAX_SEQUENCE


def read_header(buf: Buffer, pos: int = 0) -> BatchHeader:
    """Parse the header at ``pos``; ``buf`` need not contain the records after it.

    Raises CorruptBatchError if there are fewer than 61 bytes or the length field is invalid, UnsupportedMagicError for
    formats v0 and v1.
    """
    available_bytes = len(buf) - pos
    if available_bytes > MAGIC_OFFSET and buf[pos + MAGIC_OFFSET] != MAGIC_V2:
        raise _magic_error(buf[pos + MAGIC_OFFSET])
    if available_bytes < BATCH_OVERHEAD:
        raise CorruptBatchError(f"{available_bytes} bytes are too few for a batch header of {BATCH_OVERHEAD}")
    header = BatchHeader(*HEADER.unpack_from(buf, pos))
    header.size_bytes += LOG_OVERHEAD
    if header.size_bytes < BATCH_OVERHEAD:
        raise CorruptBatchError(f"batch length {header.size_bytes - LOG_OVERHEAD} is less than its own header")
    return header


def _magic_error(magic: int) -> RecordBatchError:
    if magic < MAGIC_V2:
        return UnsupportedMagicError(f"message format v{magic} is not supported, only v{MAGIC_V2}")
    return CorruptBatchError(f"unknown magic {magic}")


def check_crc(buf: Buffer, pos: int, size_bytes: int) -> bool:
    """Whether ``buf`` contains the whole batch of ``size_bytes`` at ``pos`` and its checksum is correct."""
    if size_bytes < BATCH_OVERHEAD or pos + size_bytes > len(buf):
        return False
    stored: int = CRC.unpack_from(buf, pos + CRC_OFFSET)[0]
    return crc32c(memoryview(buf)[pos + ATTRIBUTES_OFFSET : pos + size_bytes]) == stored


def split(records: Buffer) -> list[tuple[int, BatchHeader]]:
    """The position and header of every batch in ``records``, which must be whole batches without gaps.

    Checksums are not checked. Raises CorruptBatchError or UnsupportedMagicError.
    """
    batches = []
    pos = 0
    end = len(records)
    while pos < end:
        header = read_header(records, pos)
        if header.size_bytes > end - pos:
            raise CorruptBatchError(f"batch of {header.size_bytes} bytes at {pos}, but only {end - pos} bytes are left")
        batches.append((pos, header))
        pos += header.size_bytes
    return batches


def is_transactional(records: "Sized | None") -> bool:
    """Whether the first batch of a request's records is transactional."""
    if type(records) is not memoryview or len(records) <= LAST_OFFSET_DELTA_OFFSET:
        return False
    return bool(records[MAGIC_OFFSET] == MAGIC_V2 and records[ATTRIBUTES_OFFSET + 1] & TRANSACTIONAL_BIT)


def check_produced(header: BatchHeader) -> None:
    """Refuse well-formed batches that a producer must not send (``LogValidator.validateBatch``).

    Raises InvalidBatchError or UnsupportedCodecError.
    """
    if header.last_offset_delta < 0:
        raise InvalidBatchError(f"last offset delta {header.last_offset_delta}")
    if header.record_count <= 0:
        raise InvalidBatchError(f"record count {header.record_count}")
    if header.record_count != header.last_offset_delta + 1:
        raise InvalidBatchError(f"{header.record_count} records, but last offset delta {header.last_offset_delta}")
    if not header.compression and header.record_count * MIN_RECORD_SIZE > header.size_bytes - BATCH_OVERHEAD:
        raise InvalidBatchError(f"{header.record_count} records do not fit into {header.size_bytes} bytes")
    if header.is_control:
        raise InvalidBatchError("clients must not write control records")
    if header.producer_id != NO_PRODUCER_ID and header.base_sequence < 0:
        raise InvalidBatchError(f"base sequence {header.base_sequence} with producer id {header.producer_id}")
    if header.compression > 4:
        raise UnsupportedCodecError(f"compression codec {header.compression}")


def stamp(buf: bytearray | memoryview, pos: int, base_offset: int, leader_epoch: int) -> None:
    """Write the offset and leader epoch assigned by the log into the batch at ``pos``; the CRC does not cover them."""
    _BASE_OFFSET.pack_into(buf, pos, base_offset)
    _LEADER_EPOCH.pack_into(buf, pos + LEADER_EPOCH_OFFSET, leader_epoch)


def stamp_log_append_time(buf: bytearray | memoryview, pos: int, timestamp_ms: int) -> None:
    """Set the timestamp type LogAppendTime and ``timestamp_ms`` of the batch at ``pos``, and compute its CRC again.

    ``buf`` must contain the whole batch, which read_header and split check.
    """
    size_bytes = _LEADER_EPOCH.unpack_from(buf, pos + LENGTH_OFFSET)[0] + LOG_OVERHEAD
    assert pos + size_bytes <= len(buf)
    attributes = _ATTRIBUTES.unpack_from(buf, pos + ATTRIBUTES_OFFSET)[0] | TIMESTAMP_TYPE_BIT
    _ATTRIBUTES.pack_into(buf, pos + ATTRIBUTES_OFFSET, attributes)
    _TIMESTAMP.pack_into(buf, pos + MAX_TIMESTAMP_OFFSET, timestamp_ms)
    stamp_crc(buf, pos, size_bytes)


def stamp_producer(
    buf: bytearray | memoryview, pos: int, producer_id: int, epoch: int, base_sequence: int, *, is_transactional: bool
) -> None:
    """Make the batch at ``pos`` that of a producer, maybe in its transaction, and compute its CRC again.

    ``buf`` must contain the whole batch, as above.
    """
    size_bytes = _LEADER_EPOCH.unpack_from(buf, pos + LENGTH_OFFSET)[0] + LOG_OVERHEAD
    assert pos + size_bytes <= len(buf)
    if is_transactional:
        attributes = _ATTRIBUTES.unpack_from(buf, pos + ATTRIBUTES_OFFSET)[0] | TRANSACTIONAL_BIT
        _ATTRIBUTES.pack_into(buf, pos + ATTRIBUTES_OFFSET, attributes)
    _PRODUCER.pack_into(buf, pos + PRODUCER_ID_OFFSET, producer_id, epoch, base_sequence)
    stamp_crc(buf, pos, size_bytes)


def stamp_crc(buf: bytearray | memoryview, pos: int, size_bytes: int) -> None:
    """Compute and write the checksum of the batch of ``size_bytes`` at ``pos``."""
    with memoryview(buf) as view, view[pos + ATTRIBUTES_OFFSET : pos + size_bytes] as covered:
        checksum = crc32c(covered)
    CRC.pack_into(buf, pos + CRC_OFFSET, checksum)
