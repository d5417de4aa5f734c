"""Arrow columns out of decoded records and batch headers. Bytes are copied once, by Arrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from kafkacompat.protocol.columns.record_decoder import Records, Spans
from kafkacompat.protocol.columns.varints import Bytes, Flags, Ints
from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.protocol.records.compression import NAMES
from kafkacompat.spark.log.batch_headers import (
    Headers,
    codecs,
    column,
    is_control,
    is_log_append_time,
    is_transactional,
    last_offsets,
    sizes,
)

US_PER_MS = 1000

HEADERS_TYPE = pa.list_(pa.field("element", pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())])))


class Source(NamedTuple):
    """What all rows of a file have in common."""

    topic: str
    partition: int
    path: str


class RecordRows(NamedTuple):
    """Records and what they were decoded from. `offset` and `timestamp_ms` are absolute."""

    source: Source
    data: Bytes
    batches: Headers
    records: Records
    offset: Ints
    timestamp_ms: Ints


class BatchRows(NamedTuple):
    """Batches, where each is in `data` and in the file, and its computed checksum (None: not computed)."""

    source: Source
    data: Bytes
    batches: Headers
    at: Ints
    position: Ints
    computed_crc: Ints | None


def record_batch(rows: RecordRows, names: list[str]) -> pa.RecordBatch:
    """The columns `names` of records."""
    return pa.RecordBatch.from_arrays([_OF_RECORDS[name](rows) for name in names], names=names)


def batch_batch(rows: BatchRows, names: list[str]) -> pa.RecordBatch:
    """The columns `names` of batches."""
    return pa.RecordBatch.from_arrays([_OF_BATCHES[name](rows) for name in names], names=names)


def _bytes(data: Bytes, spans: Spans) -> pa.Array:
    """Each span as a value. Arrow sees the data as values one after the other, every second of which is a span."""
    if not spans.start.size:
        return pa.array([], pa.binary())
    bounds = np.empty(2 * spans.start.size, np.int32)
    bounds[0::2] = spans.start
    bounds[1::2] = spans.start + np.maximum(spans.size, 0)
    pieces = pa.BinaryArray.from_buffers(pa.binary(), bounds.size - 1, [None, pa.py_buffer(bounds), pa.py_buffer(data)])
    is_null = spans.size < 0
    index = np.arange(0, bounds.size, 2, dtype=np.int32)
    return pieces.take(pa.array(index, mask=is_null if is_null.any() else None))


def _text(data: Bytes, spans: Spans) -> pa.Array:
    """UTF-8; what is not becomes U+FFFD, as in Java."""
    found = _bytes(data, spans)
    try:
        return found.cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array([value.decode("utf-8", "replace") for value in found.to_pylist()], pa.string())


def _headers(rows: RecordRows) -> pa.Array:
    headers = rows.records.headers
    pairs = pa.StructArray.from_arrays(
        [_text(rows.data, headers.key), _bytes(rows.data, headers.value)], fields=list(HEADERS_TYPE.value_type)
    )
    ends = np.zeros(headers.count.size + 1, np.int32)
    np.cumsum(headers.count, out=ends[1:])
    has_none = headers.count == 0
    return pa.ListArray.from_arrays(
        pa.array(ends), pairs, type=HEADERS_TYPE, mask=pa.array(has_none) if has_none.any() else None
    )


def _timestamp(rows: RecordRows) -> pa.Array:
    times = rows.timestamp_ms
    if times.size and (int(times.max()) > LONG_MAX // US_PER_MS or int(times.min()) < -(LONG_MAX // US_PER_MS)):
        raise OverflowError(f"{rows.source.path}: a record's timestamp is outside what Spark can hold")
    return pa.array(times * US_PER_MS, pa.timestamp("us", "UTC"))


def _ints(values: Ints, kind: Any = None) -> pa.Array:
    return pa.array(values.astype(np.int32) if kind is np.int32 else values)


def _of_its_batch(name: str, kind: Any = None) -> Callable[[RecordRows], pa.Array]:
    return lambda rows: _ints(column(rows.batches, name)[rows.records.batch], kind)


def _repeated(value: object, kind: Any, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind), count)


_OF_RECORDS: dict[str, Callable[[RecordRows], pa.Array]] = {
    "key": lambda rows: _bytes(rows.data, rows.records.key),
    "value": lambda rows: _bytes(rows.data, rows.records.value),
    "topic": lambda rows: _repeated(rows.source.topic, pa.string(), rows.offset.size),
    "partition": lambda rows: _repeated(rows.source.partition, pa.int32(), rows.offset.size),
    "offset": lambda rows: _ints(rows.offset),
    "timestamp": _timestamp,
    "timestampType": lambda rows: _flags(is_log_append_time(rows.batches)[rows.records.batch], np.int32),
    "headers": _headers,
    "batchBaseOffset": _of_its_batch("base_offset"),
    "leaderEpoch": _of_its_batch("leader_epoch", np.int32),
    "producerId": _of_its_batch("producer_id"),
}


def _flags(values: Flags, kind: Any) -> pa.Array:
    return pa.array(values.astype(kind))


def _field(name: str, kind: Any = None) -> Callable[[BatchRows], pa.Array]:
    return lambda rows: _ints(column(rows.batches, name), kind)


def _codec(rows: BatchRows) -> pa.Array:
    names = [*NAMES, *(f"unknown ({number})" for number in range(len(NAMES), 8))]
    return pa.array(np.array(names, object)[codecs(rows.batches)], pa.string())


def _raw(rows: BatchRows) -> pa.Array:
    return _bytes(rows.data, Spans(rows.at, sizes(rows.batches)))


def _computed(rows: BatchRows) -> pa.Array:
    if rows.computed_crc is None:
        return pa.nulls(rows.at.size, pa.int64())
    return _ints(rows.computed_crc)


_OF_BATCHES: dict[str, Callable[[BatchRows], pa.Array]] = {
    "topic": lambda rows: _repeated(rows.source.topic, pa.string(), rows.at.size),
    "partition": lambda rows: _repeated(rows.source.partition, pa.int32(), rows.at.size),
    "baseOffset": _field("base_offset"),
    "lastOffset": lambda rows: _ints(last_offsets(rows.batches)),
    "recordCount": _field("record_count", np.int32),
    "leaderEpoch": _field("leader_epoch", np.int32),
    "sizeBytes": lambda rows: _ints(sizes(rows.batches), np.int32),
    "codec": _codec,
    "timestampType": lambda rows: _flags(is_log_append_time(rows.batches), np.int32),
    "isTransactional": lambda rows: pa.array(is_transactional(rows.batches)),
    "isControl": lambda rows: pa.array(is_control(rows.batches)),
    "baseTimestamp": _field("base_timestamp"),
    "maxTimestamp": _field("max_timestamp"),
    "producerId": _field("producer_id"),
    "producerEpoch": _field("producer_epoch", np.int32),
    "baseSequence": _field("base_sequence", np.int32),
    "crc": _field("crc"),
    "computedCrc": _computed,
    "file": lambda rows: _repeated(rows.source.path, pa.string(), rows.at.size),
    "position": lambda rows: _ints(rows.position),
    "batch": _raw,
}
