"""Record batches out of records that have their offsets: as a log has them, gaps among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kafkacompat.protocol.records.batch import LAST_OFFSET_DELTA_OFFSET, read_header, stamp_crc
from kafkacompat.protocol.records.builder import Header, Record, build_batch

BATCH_BYTES = 256 * 1024
"""Of records before compression: a quarter of what topics take by default."""
RECORD_OVERHEAD_BYTES = 40
"""Estimated: lengths, deltas and a length for each header."""
MAX_DELTA = (1 << 31) - 1
"""Offsets of a batch are 32-bit numbers from its base offset."""
LOG_APPEND_TIME = 1


class LogRecord(NamedTuple):
    """A record with what a log knows of it. `timestamp_type`: 0 is CreateTime, 1 LogAppendTime."""

    offset: int
    timestamp_ms: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...]


def size_of(record: LogRecord) -> int:
    """About how many bytes it takes in a batch."""
    headers = sum(len(name) + len(value or b"") for name, value in record.headers)
    size = RECORD_OVERHEAD_BYTES * (1 + len(record.headers)) + headers
    return size + len(record.key or b"") + len(record.value or b"")


def packed(
    records: Iterable[LogRecord], *, leader_epoch: int, compression: int = 0, end_offset: int | None = None
) -> Iterator[bytearray]:
    """Batches of records in the order of their offsets.

    end_offset: where the log ends. If that is behind the last record, the last batch says so, as compaction leaves it:
    a consumer must find a batch up to the end of a log. Raises ValueError if records do not ascend, or end behind it.
    """
    last: bytearray | None = None
    for group in _groups(records):
        if last is not None:
            yield last
        last = build_batch(
            [Record(each.offset, each.timestamp_ms, each.key, each.value, each.headers) for each in group],
            base_offset=group[0].offset, leader_epoch=leader_epoch, compression=compression,
            timestamp_type=max(group[0].timestamp_type, 0),
        )  # fmt: skip
    if last is not None:
        yield last if end_offset is None else _extended(last, end_offset)


def _groups(records: Iterable[LogRecord]) -> Iterator[list[LogRecord]]:
    """The records of each batch. Those of LogAppendTime have their time in common."""
    group: list[LogRecord] = []
    size = 0
    for record in records:
        more = size_of(record)
        if group:
            if record.offset <= group[-1].offset:
                raise ValueError(f"offset {record.offset} comes behind offset {group[-1].offset}")
            if (
                size + more > BATCH_BYTES
                or record.offset - group[0].offset > MAX_DELTA
                or record.timestamp_type != group[0].timestamp_type
                or (record.timestamp_type == LOG_APPEND_TIME and record.timestamp_ms != group[0].timestamp_ms)
            ):
                yield group
                group, size = [], 0
        group.append(record)
        size += more
    if group:
        yield group


def _extended(batch: bytearray, end_offset: int) -> bytearray:
    """The batch with a range up to `end_offset`."""
    header = read_header(batch)
    delta = end_offset - 1 - header.base_offset
    if not header.last_offset_delta <= delta <= MAX_DELTA:
        raise ValueError(f"the last batch, from offset {header.base_offset} on, cannot reach to {end_offset - 1}")
    batch[LAST_OFFSET_DELTA_OFFSET : LAST_OFFSET_DELTA_OFFSET + 4] = delta.to_bytes(4, "big")
    stamp_crc(batch, 0, len(batch))
    return batch
