"""Fills the offset map from batches, and thins batches out, record by record in plain Python.

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
    check_crc,
    stamp_crc,
)
from kafkacompat.protocol.records.compression import compress
from kafkacompat.protocol.records.control import decode_key
from kafkacompat.protocol.records.reader import record_bytes
from kafkacompat.protocol.varint import put_varint, read_varint, read_varlong
from kafkacompat.storage.compaction import clean_rules as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.compaction.clean_rules import LastRecords, RoundTransactions
    from kafkacompat.storage.compaction.offset_map import OffsetMap
    from kafkacompat.storage.txn_index import AbortedTransaction

    Data = bytes | bytearray
    Span = tuple[int, int, int, int, int, bytes | None, bool]
    """A record: its start, where what follows the timestamp begins, its end, timestamp and offset delta, key, and
    whether it has a value."""


def spans(data: "Data", header: "BatchHeader") -> "list[Span]":
    """Where the records of a batch are, which is decompressed already. Raises CorruptBatchError."""
    found: list[Span] = []
    at, size, last_delta = 0, len(data), header.last_offset_delta
    try:
        for _ in range(header.record_count):
            start = at
            length, at = read_varint(data, start)
            end = at + length
            timestamp_delta, rest = read_varlong(data, at + 1)
            offset_delta, at = read_varint(data, rest)
            key_bytes, at = read_varint(data, at)
            key = None
            if key_bytes >= 0:
                key = bytes(data[at : at + key_bytes])
                at += key_bytes
            value_bytes, at = read_varint(data, at)
            if length < 0 or not at <= end <= size or not 0 <= offset_delta <= last_delta or value_bytes > end - at:
                raise CorruptBatchError(f"record at {start} of the batch at offset {header.base_offset}")
            found.append((start, rest, end, timestamp_delta, offset_delta, key, value_bytes >= 0))
            at = end
    except (IndexError, ValueError):
        raise CorruptBatchError(f"a record runs past the end of the batch at offset {header.base_offset}") from None
    if at != size:
        raise CorruptBatchError(f"{size - at} bytes after the last record of the batch at offset {header.base_offset}")
    return found


def add_to_map(
    offsets: "OffsetMap", header: "BatchHeader", batch: memoryview, transactions: "RoundTransactions", first_dirty: int
) -> bool:
    """Note the records of a batch from ``first_dirty`` on. False if the map is full. Raises RecordBatchError, also
    for a wrong checksum: a key that was damaged could supersede good records of another one.
    """
    _check(header, batch)
    if header.is_control:
        transactions.end(header, _control_kind(header, batch))
    elif not transactions.is_aborted(header):
        base_offset = header.base_offset
        for _, _, _, _, delta, key, _ in spans(record_bytes(batch, 0, header), header):
            offset = base_offset + delta
            if key is not None and offset >= first_dirty and not offsets.put(key, offset):
                return False
    if header.last_offset >= first_dirty:
        offsets.reached(header.last_offset)
    return True


def _check(header: "BatchHeader", batch: memoryview) -> None:
    if not check_crc(batch, 0, header.size_bytes):
        raise CorruptBatchError(f"the checksum of the batch at offset {header.base_offset} is wrong")


def _control_kind(header: "BatchHeader", batch: memoryview) -> int | None:
    if not header.record_count:
        return None
    return decode_key(spans(record_bytes(batch, 0, header), header)[0][5])


class Filter:
    """Thins out the batches of a log, one after the other.

    ``upper_bound``: where the uncleanable part begins. ``retained``: aborted transactions that stay in the index; the
    caller takes them out. ``without_key``: records without a key, which were dropped.
    """

    __slots__ = (
        "_delete_retention_ms", "_last_records", "_now_ms", "_offsets", "_transactions", "_upper_bound", "retained",
        "without_key",
    )  # fmt: skip

    def __init__(
        self,
        offsets: "OffsetMap",
        transactions: "RoundTransactions",
        last_records: "LastRecords",
        *,
        upper_bound: int,
        now_ms: int,
        delete_retention_ms: int,
    ) -> None:
        self._offsets = offsets
        self._transactions = transactions
        self._last_records = last_records
        self._upper_bound = upper_bound
        self._now_ms = now_ms
        self._delete_retention_ms = delete_retention_ms
        self.retained: list[AbortedTransaction] = []
        self.without_key = 0

    def thin(self, header: "BatchHeader", batch: memoryview) -> "tuple[bytes | bytearray | memoryview, int] | None":
        """What stays of a batch, and its max timestamp; None if nothing does. Raises RecordBatchError, also for a wrong
        checksum: what was damaged would go as superseded or aborted, or get a new checksum that hides it.
        """
        _check(header, batch)
        if header.is_control:
            is_discardable, aborted = self._transactions.end(header, _control_kind(header, batch))
            if aborted is not None:
                self.retained.append(aborted)
        else:
            is_discardable = self._transactions.is_aborted(header)
        drops = rules.drops_records(header, self._now_ms, is_discardable=is_discardable)
        verdict = rules.retention(header, self._last_records, self._upper_bound, drops=drops)
        if verdict == rules.DELETE:
            return None
        data = b"" if drops else record_bytes(batch, 0, header)
        found = [] if drops else spans(data, header)
        kept = found if header.is_control else self._newest(header, found)
        if not kept:
            return (_emptied(header), header.max_timestamp) if verdict == rules.RETAIN_EMPTY else None
        horizon_ms = rules.new_horizon(
            header, self._now_ms, self._delete_retention_ms,
            has_tombstone=not all(span[6] for span in kept), ends_nothing=header.is_control and is_discardable,
        )  # fmt: skip
        if len(kept) == header.record_count and horizon_ms is None:
            return batch, header.max_timestamp
        max_ms = header.max_timestamp
        if not header.is_log_append_time:
            max_ms = header.base_timestamp + max(span[3] for span in kept)
        return _rewritten(header, data, kept, horizon_ms, max_ms), max_ms

    def _newest(self, header: "BatchHeader", found: "list[Span]") -> "list[Span]":
        offsets, base_offset = self._offsets, header.base_offset
        keeps_tombstones = rules.keeps_tombstones(header, self._now_ms)
        kept = []
        for span in found:
            _, _, _, _, delta, key, has_value = span
            offset = base_offset + delta
            if offset > offsets.latest:
                kept.append(span)
            elif key is None:
                self.without_key += 1
            elif (has_value or keeps_tombstones) and offsets.is_newest(key, offset):
                kept.append(span)
        return kept


def _emptied(header: "BatchHeader") -> bytearray:
    """The batch without records: its header, no codec, no horizon (``DefaultRecordBatch.writeEmptyHeader``)."""
    attributes = header.attributes & ~(COMPRESSION_MASK | DELETE_HORIZON_BIT)
    return _batch(header, b"", attributes, NO_TIMESTAMP, header.max_timestamp, 0)


def _rewritten(
    header: "BatchHeader", data: "Data", kept: "list[Span]", horizon_ms: int | None, max_ms: int
) -> bytearray:
    """The batch with the records that are kept. With ``horizon_ms`` that is its base timestamp."""
    if horizon_ms is None:
        body = b"".join([data[span[0] : span[2]] for span in kept])
        attributes, base_ms = header.attributes, header.base_timestamp
    else:
        body = _with_base_timestamp(data, kept, header.base_timestamp - horizon_ms)
        attributes, base_ms = header.attributes | DELETE_HORIZON_BIT, horizon_ms
    content = compress(header.compression, body) if header.compression else body
    return _batch(header, content, attributes, base_ms, max_ms, len(kept))


def _with_base_timestamp(data: "Data", kept: "list[Span]", change_ms: int) -> bytes:
    """The records with ``change_ms`` added to their timestamp deltas."""
    out = bytearray()
    for _, rest, end, timestamp_delta, *_ in kept:
        record = bytearray(1)  # the attributes, of which there are none
        put_varint(record, timestamp_delta + change_ms)
        record += data[rest:end]
        put_varint(out, len(record))
        out += record
    return bytes(out)


def _batch(
    header: "BatchHeader", content: bytes, attributes: int, base_ms: int, max_ms: int, record_count: int
) -> bytearray:
    """A batch of the same offsets and producer."""
    batch = bytearray(HEADER.pack(
        header.base_offset, BATCH_OVERHEAD - LOG_OVERHEAD + len(content), header.leader_epoch, header.magic, 0,
        attributes, header.last_offset_delta, base_ms, max_ms, header.producer_id, header.producer_epoch,
        header.base_sequence, record_count,
    ))  # fmt: skip
    batch += content
    stamp_crc(batch, 0, len(batch))
    return batch
