"""Checks of batches from clients, from this broker, and from leaders: pure functions on headers and bytes."""

from kafkacompat.protocol.constants import LONG_MAX, NO_PRODUCER_ID, NO_TIMESTAMP
from kafkacompat.protocol.error_codes import (
    CORRUPT_MESSAGE,
    INVALID_RECORD,
    INVALID_TIMESTAMP,
    MESSAGE_TOO_LARGE,
    RECORD_LIST_TOO_LARGE,
)
from kafkacompat.protocol.records.batch import (
    ATTRIBUTES_OFFSET,
    COMPRESSION_MASK,
    CONTROL_BIT,
    HEADER,
    LENGTH_OFFSET,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    MAGIC_V2,
    MIN_RECORD_SIZE,
    RECORDS_OFFSET,
    TIMESTAMP_TYPE_BIT,
    BatchHeader,
    RecordBatchError,
    check_crc,
    check_produced,
    read_header,
    split,
    stamp_crc,
)
from kafkacompat.protocol.records.crc32c import crc32c
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.errors import LogError, RecordsRefusedError
from kafkacompat.storage.producer_replay import read_marker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: The fields of a header as they lie in the batch; the length is without the first 12 bytes.
HeaderFields = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int]
_UNUSUAL_ATTRIBUTES = TIMESTAMP_TYPE_BIT | CONTROL_BIT
_LAST_CODEC = 4
_LEAST_LENGTH = 14  # that of a message of format v0 without a key and a value


def check_client_batch(
    records: memoryview, max_message_bytes: int, *, stamps_append_time: bool = False
) -> HeaderFields:
    """The header of the one batch that a client sent for a partition. Raises LogError.

    `stamps_append_time`: the topic's timestamps are the broker's, and no client may claim to have set them. An
    incomplete batch behind it is ignored; the caller drops it. A valid request takes one pass; only a refused one is
    examined again to find the reason.
    """
    size_bytes = len(records)
    if size_bytes >= RECORDS_OFFSET:
        fields: HeaderFields = HEADER.unpack_from(records)
        base_offset, length, _, magic, crc, attributes, last_delta, _, _, producer_id, _, sequence, count = fields
        if (
            magic == MAGIC_V2
            and length + LOG_OVERHEAD == size_bytes <= max_message_bytes
            and base_offset == 0
            and last_delta + 1 == count > 0
            and not attributes & _UNUSUAL_ATTRIBUTES
            and attributes & COMPRESSION_MASK <= _LAST_CODEC
            and (attributes & COMPRESSION_MASK or count * MIN_RECORD_SIZE <= size_bytes - RECORDS_OFFSET)
            and (producer_id == NO_PRODUCER_ID or sequence >= 0)
            and crc32c(records[ATTRIBUTES_OFFSET:]) == crc
        ):
            return fields
    header = the_batch(records)
    if header.size_bytes < size_bytes:
        return check_client_batch(
            records[: header.size_bytes], max_message_bytes, stamps_append_time=stamps_append_time
        )
    _explain_refusal(records, header, max_message_bytes)
    attributes = records[ATTRIBUTES_OFFSET + 1]
    if not attributes & TIMESTAMP_TYPE_BIT:
        raise LogError(CORRUPT_MESSAGE, "the batch is malformed")
    if stamps_append_time:
        refused = range(min(header.record_count, size_bytes))  # every record, but no more than the bytes can hold
        raise RecordsRefusedError(INVALID_TIMESTAMP, "a producer may not claim that it is a broker's time", refused)
    records[ATTRIBUTES_OFFSET + 1] = attributes & ~TIMESTAMP_TYPE_BIT  # the topic decides the timestamp type
    stamp_crc(records, 0, size_bytes)
    return check_client_batch(records, max_message_bytes)


def _explain_refusal(records: memoryview, header: BatchHeader, max_message_bytes: int) -> None:
    """Raise the LogError with which Kafka refuses a client's one batch, in its order of checks."""
    try:
        if header.base_offset != 0:
            raise RecordsRefusedError(
                INVALID_RECORD, f"the base offset of a produced batch is {header.base_offset}, not 0"
            )
        _check_size(header, max_message_bytes)
        if not check_crc(records, 0, header.size_bytes):
            raise LogError(CORRUPT_MESSAGE, "the batch has a wrong checksum")
    except RecordBatchError as error:
        raise LogError(error.error_code, str(error)) from None
    try:
        check_produced(header)
    except RecordBatchError as error:
        raise RecordsRefusedError(error.error_code, str(error)) from None


def the_batch(records: memoryview) -> BatchHeader:
    """The header of the one batch that a client may send for a partition. Raises LogError for none or several.

    An incomplete batch behind it is ignored, as in Kafka (``ByteBufferLogInputStream``, ``validateRecords``).
    """
    header = first_batch(records)
    if _next_size(records, header.size_bytes):
        raise LogError(INVALID_RECORD, "several batches for one partition, exactly one is allowed")
    return header


def first_batch(records: memoryview) -> BatchHeader:
    """The header of the first batch that a client sent for a partition. Raises LogError if there is no whole one."""
    if not _next_size(records, 0):
        raise LogError(INVALID_RECORD, "no whole batch for the partition, exactly one is allowed")
    if records[MAGIC_OFFSET] != MAGIC_V2:
        raise LogError(INVALID_RECORD, f"message format v{records[MAGIC_OFFSET]} is not supported, only v{MAGIC_V2}")
    try:
        return read_header(records)
    except RecordBatchError as error:
        raise LogError(error.error_code, str(error)) from None


def _next_size(records: memoryview, position: int) -> int:
    """The size of the whole batch at ``position``, 0 if none follows. Raises LogError for a malformed one."""
    if len(records) - position < LOG_OVERHEAD:
        return 0
    length = int.from_bytes(records[position + LENGTH_OFFSET : position + LOG_OVERHEAD], "big", signed=True)
    if length < _LEAST_LENGTH:
        raise LogError(CORRUPT_MESSAGE, f"batch length {length} is less than that of any message")
    if len(records) - position <= MAGIC_OFFSET:
        return 0
    magic = records[position + MAGIC_OFFSET]
    if magic > MAGIC_V2:
        raise LogError(CORRUPT_MESSAGE, f"unknown magic {magic}")
    size_bytes = length + LOG_OVERHEAD
    return size_bytes if position + size_bytes <= len(records) else 0


def plain_own_batch(records: memoryview, max_message_bytes: int) -> HeaderFields | None:
    """The header of the one batch of records, without a producer, that a coordinator or the leader of the metadata log
    has just built and nobody has had since: its checksum is not compared. None for any other append, which
    `check_own_batches` looks at.
    """
    if len(records) < RECORDS_OFFSET:
        return None
    fields: HeaderFields = HEADER.unpack_from(records)
    _, length, _, magic, _, attributes, last_delta, _, _, producer_id, _, _, count = fields
    is_plain = (
        magic == MAGIC_V2
        and length + LOG_OVERHEAD == len(records) <= max_message_bytes
        and last_delta + 1 == count > 0
        and producer_id == NO_PRODUCER_ID
        and not attributes & CONTROL_BIT
    )
    return fields if is_plain else None


def check_own_batches(records: memoryview, max_message_bytes: int) -> list[tuple[int, BatchHeader]]:
    """Position and header of the batches which this broker's own coordinators write. Raises LogError."""
    batches = _split(records)
    for position, header in batches:
        _check_size(header, max_message_bytes)
        if header.last_offset_delta + 1 != header.record_count or header.record_count <= 0:
            raise LogError(INVALID_RECORD, f"{header.record_count} records up to {header.last_offset_delta}")
        if not check_crc(records, position, header.size_bytes):
            raise LogError(CORRUPT_MESSAGE, "the batch has a wrong checksum")
    return batches


def check_fetched_batches(
    records: memoryview, log_end_offset: int, last_epoch: int, leader_epoch: int
) -> list[tuple[int, BatchHeader]]:
    """Position and header of the whole batches in a fetch response; an incomplete one at the end is ignored.

    Offsets must ascend from ``log_end_offset`` on, and epochs from ``last_epoch`` up to ``leader_epoch``, the one that
    the fetch was sent with (KAFKA-18723). Raises LogError with CORRUPT_MESSAGE.
    """
    batches = []
    position = 0
    expected = log_end_offset
    while position + RECORDS_OFFSET <= len(records):
        try:
            header = read_header(records, position)
        except RecordBatchError as error:
            raise LogError(CORRUPT_MESSAGE, f"fetched batch at {position}: {error}") from None
        if position + header.size_bytes > len(records):
            break
        _check_fetched(records, position, header, expected, last_epoch, leader_epoch)
        batches.append((position, header))
        position += header.size_bytes
        expected = header.next_offset
        last_epoch = header.leader_epoch
    return batches


def _check_fetched(
    records: memoryview, position: int, header: BatchHeader, expected: int, last_epoch: int, leader_epoch: int
) -> None:
    if not check_crc(records, position, header.size_bytes):
        raise LogError(CORRUPT_MESSAGE, f"fetched batch at offset {header.base_offset} has a wrong checksum")
    if header.base_offset < expected or header.last_offset_delta < 0:
        raise LogError(CORRUPT_MESSAGE, f"fetched batch begins at offset {header.base_offset}, before {expected}")
    if header.next_offset > LONG_MAX:
        raise LogError(CORRUPT_MESSAGE, f"no offset is left behind the fetched batch at {header.base_offset}")
    if not last_epoch <= header.leader_epoch <= leader_epoch:
        raise LogError(
            CORRUPT_MESSAGE,
            f"fetched batch at offset {header.base_offset} has epoch {header.leader_epoch}, "
            f"not in {last_epoch}..{leader_epoch}",
        )
    if header.is_control and header.producer_id != NO_PRODUCER_ID:
        try:
            read_marker(header, records[position : position + header.size_bytes])
        except RecordBatchError as error:  # which would come when it is written
            raise LogError(CORRUPT_MESSAGE, f"fetched marker at offset {header.base_offset}: {error}") from None


def _split(records: memoryview) -> list[tuple[int, BatchHeader]]:
    try:
        return split(records)
    except RecordBatchError as error:
        raise LogError(error.error_code, str(error)) from None


def _check_size(header: BatchHeader, max_message_bytes: int) -> None:
    if header.size_bytes > max_message_bytes:
        raise LogError(
            MESSAGE_TOO_LARGE, f"batch of {header.size_bytes} bytes, max.message.bytes is {max_message_bytes}"
        )


def check_fits_segment(size_bytes: int, segment_bytes: int) -> None:
    """Raise LogError when the records of one append are larger than a segment may be."""
    if size_bytes > segment_bytes:
        raise LogError(RECORD_LIST_TOO_LARGE, f"{size_bytes} bytes of records, segment.bytes is {segment_bytes}")


def check_create_time(
    records: memoryview, first_ms: int, max_ms: int, now_ms: int, before_max_ms: int, after_max_ms: int
) -> None:
    """Raise LogError when a producer's timestamps are too old or too far ahead (``message.timestamp.*.max.ms``).

    Checks the first and the largest timestamp, which are in the header. Records are decoded only to name the bad ones.
    """
    if max_ms != NO_TIMESTAMP and max_ms - now_ms > after_max_ms:
        reason = f"timestamp {max_ms} is more than {after_max_ms} ms after the broker's clock"
    elif first_ms != NO_TIMESTAMP and now_ms - first_ms > before_max_ms:
        reason = f"timestamp {first_ms} is more than {before_max_ms} ms before the broker's clock"
    else:
        return
    try:
        timestamps = [record.timestamp for record in read_records(records, 0, read_header(records))]
    except RecordBatchError as error:
        raise LogError(error.error_code, str(error)) from None
    raise RecordsRefusedError(INVALID_TIMESTAMP, reason, untimely(timestamps, now_ms, before_max_ms, after_max_ms))


def untimely(timestamps: "Iterable[int]", now_ms: int, before_max_ms: int, after_max_ms: int) -> list[int]:
    """Which of a producer's timestamps are too old or too far ahead."""
    span = range(now_ms - before_max_ms, now_ms + after_max_ms + 1)
    return [n for n, at in enumerate(timestamps) if at != NO_TIMESTAMP and at not in span]
