"""Batches that have lost records.

Records are copied, not encoded again: their deltas stay true, as base offset and base timestamp of their batch stay.
Only a batch that gets a delete horizon, which takes the place of its base timestamp, has its timestamps rewritten.
"""

from kafkacompat.protocol.constants import NO_TIMESTAMP
from kafkacompat.protocol.records.batch import (
    BATCH_OVERHEAD,
    COMPRESSION_MASK,
    DELETE_HORIZON_BIT,
    HEADER,
    LOG_OVERHEAD,
    CorruptBatchError,
    RecordTooLargeError,
    stamp_crc,
)
from kafkacompat.protocol.records.compression import compress, decompress
from kafkacompat.protocol.varint import put_varint, read_varint, read_varlong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.records.batch import BatchHeader

    Data = bytes | bytearray


def room_for_header() -> bytearray:
    """A batch to which records can be added."""
    return bytearray(BATCH_OVERHEAD)


def records_in(header: "BatchHeader", batch: memoryview) -> "tuple[Data, int]":
    """Bytes and the place in them from which on they are the records of the batch, up to their end.

    Raises RecordBatchError: CorruptBatchError, UnsupportedCodecError, and RecordTooLargeError for a batch that would
    take more memory than there is for one (``compression.MAX_DECOMPRESSED_BYTES``).
    """
    if header.compression:
        try:
            return decompress(header.compression, batch[BATCH_OVERHEAD:]), 0
        except RecordTooLargeError as error:
            raise RecordTooLargeError(f"the batch at offset {header.base_offset}: {error}") from None
        except CorruptBatchError as error:
            raise CorruptBatchError(f"the batch at offset {header.base_offset}: {error}") from None
    whole = batch.obj
    if isinstance(whole, bytes | bytearray) and len(whole) == len(batch):  # it was read alone: no copy
        return whole, BATCH_OVERHEAD
    return bytes(batch[BATCH_OVERHEAD:]), 0


def emptied(header: "BatchHeader") -> bytearray:
    """The batch without records: its header, no codec, no horizon (``DefaultRecordBatch.writeEmptyHeader``)."""
    attributes = header.attributes & ~(COMPRESSION_MASK | DELETE_HORIZON_BIT)
    return _finish(header, room_for_header(), attributes, NO_TIMESTAMP, header.max_timestamp, 0)


def without_some(header: "BatchHeader", body: bytearray, record_count: int, max_ms: int) -> bytearray:
    """The batch with the records in ``body``, behind the room for its header. ``body`` is used up."""
    return _finish(header, _compressed(header, body), header.attributes, header.base_timestamp, max_ms, record_count)


def with_new_times(
    header: "BatchHeader", data: "Data", start: int, flags: bytes, horizon_ms: int, record_count: int, max_ms: int
) -> bytearray:
    """The batch with the records whose flag is 1, and ``horizon_ms`` as its base timestamp."""
    body, change_ms, at, view = room_for_header(), header.base_timestamp - horizon_ms, start, memoryview(data)
    for is_kept in flags:
        length, at = read_varint(data, at)
        end = at + length
        if is_kept:
            timestamp_delta, rest = read_varlong(data, at + 1)
            record = bytearray(1)  # the attributes, of which there are none
            put_varint(record, timestamp_delta + change_ms)
            put_varint(body, len(record) + end - rest)
            body += record
            body += view[rest:end]
        at = end
    attributes = header.attributes | DELETE_HORIZON_BIT
    return _finish(header, _compressed(header, body), attributes, horizon_ms, max_ms, record_count)


def _compressed(header: "BatchHeader", body: bytearray) -> bytearray:
    if not header.compression:
        return body
    with memoryview(body) as view:
        content = compress(header.compression, view[BATCH_OVERHEAD:])
    batch = room_for_header()
    batch += content
    return batch


def _finish(
    header: "BatchHeader", batch: bytearray, attributes: int, base_ms: int, max_ms: int, record_count: int
) -> bytearray:
    """Write the header: a batch of the same offsets and producer."""
    HEADER.pack_into(
        batch, 0, header.base_offset, len(batch) - LOG_OVERHEAD, header.leader_epoch, header.magic, 0,
        attributes, header.last_offset_delta, base_ms, max_ms, header.producer_id, header.producer_epoch,
        header.base_sequence, record_count,
    )  # fmt: skip
    stamp_crc(batch, 0, len(batch))
    return batch
