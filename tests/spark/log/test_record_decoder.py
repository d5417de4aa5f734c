"""Records decoded in columns are those that the reader of single records finds, whatever the batches are like."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacompat.protocol.columns import record_decoder
from kafkacompat.protocol.columns.record_decoder import decode
from kafkacompat.protocol.columns.varints import PADDING_BYTES
from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, RecordBatchError, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import record_bytes, records_of
from tests.spark.log.segment_files import expected, records_from, rows, whole, write_segment

BLOBS = st.none() | st.binary(max_size=12) | st.integers(60, 70).map(bytes) | st.integers(8180, 8200).map(bytes)
HEADERS = st.lists(st.tuples(st.text(max_size=4), st.none() | st.binary(max_size=70)), max_size=4)
MAX_MS = 9_000_000_000_000
"""Python's datetime ends with the year 9999, and a test reads the timestamps with it."""


@st.composite
def batches_of_a_log(draw: st.DrawFn) -> list[bytearray]:
    """Batches as a producer, a compaction and a second codec leave them."""
    offset, found = draw(st.integers(0, 2**40)), []
    for _ in range(draw(st.integers(0, 6))):
        base = offset
        base_ms = draw(st.integers(0, MAX_MS))
        records = []
        for _ in range(draw(st.integers(1, 5))):
            offset += draw(st.sampled_from([0, 0, 0, 1, 100, 70_000]))  # what compaction took
            ms = base_ms + draw(st.integers(-base_ms, MAX_MS - base_ms) | st.integers(0, min(200, MAX_MS - base_ms)))
            records.append(Record(offset, ms, draw(BLOBS), draw(BLOBS), draw(HEADERS)))
            offset += 1
        codec, kind = draw(st.integers(0, 4)), draw(st.integers(0, 1))
        found.append(build_batch(records, base_offset=base, compression=codec, timestamp_type=kind))
    return found


@given(batches_of_a_log(), st.sampled_from([1, 200, 8 << 20]), st.sampled_from([1, 3, 64]))
def test_any_batches_are_decoded_as_one_by_one(batches: list[bytearray], chunk_bytes: int, in_step: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(record_decoder, "MIN_IN_STEP", in_step)
        patch.setattr(record_decoder, "MIN_HEADERS_IN_STEP", in_step)
        path = write_segment(Path(folder), batches, read_header(batches[0]).base_offset if batches else 0)
        found = rows(whole(path), chunk_bytes=chunk_bytes)
    assert [row[:3] for row in found] == [row[:3] for row in expected(batches)]
    times = [fixed_times(batch, row) for batch in batches for row in expected([batch])]
    assert [row.timestamp_ms for row in found] == times
    assert [row[4:] for row in found] == [row[4:] for row in expected(batches)]


def fixed_times(batch: bytearray, row: object) -> int:
    header = read_header(batch)
    return header.max_timestamp if header.is_log_append_time else row.timestamp_ms  # type: ignore[attr-defined]


@settings(max_examples=500)
@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 20) | st.integers(0, 255)), max_size=3),
    st.integers(0, 12),
    st.binary(max_size=2),
    st.sampled_from([1, 64]),
)
def test_a_batch_is_refused_where_the_reader_of_single_records_refuses_it(
    changes: list[tuple[int, int]], cut: int, more: bytes, in_step: int
) -> None:
    """Changed bytes, and a batch that ends early or late: never an exception, never a record that nobody wrote.

    Most bytes are lengths and deltas, so that most changes make a batch that is wrong.
    """
    headers = [("h", b"v"), ("", None)]
    batch = build_batch([Record(n, n, b"k" * (n % 2), b"v" * (n % 3), headers[: n % 3]) for n in range(8)])
    body = bytearray(batch[BATCH_OVERHEAD : len(batch) - cut] + more)
    for place, value in changes:
        body[place % len(body)] = value
    header = read_header(batch)
    try:
        one_by_one = [
            (each.offset, each.key, each.value, tuple(each.headers)) for each in records_of(bytes(body), header)
        ]
    except RecordBatchError:
        one_by_one = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(record_decoder, "MIN_IN_STEP", in_step)
        patch.setattr(record_decoder, "MIN_HEADERS_IN_STEP", in_step)
        other = record_bytes(batch, 0, header)
        data = np.frombuffer(body + other + bytes(PADDING_BYTES), np.uint8)
        bounds = np.array([0, len(body), len(body) + len(other)])
        records, bad = decode(data, bounds[:-1], bounds[1:], np.array([8, 8]), np.array([7, 7]))
    assert bad.tolist() == ([] if one_by_one is not None else [0])
    assert (records.batch == 1).sum() == 8
    assert records.batch.size == 8 + len(one_by_one or [])


def test_one_record_with_thousands_of_headers_is_walked_through() -> None:
    many = [(f"h{number}", b"v" * (number % 3)) for number in range(3000)]
    batch = build_batch([Record(0, 5, None, None, many), Record(1, 6, b"k", None, many[:1])])
    body = batch[BATCH_OVERHEAD:]
    data = np.frombuffer(body + bytes(PADDING_BYTES), np.uint8)
    records, bad = decode(data, np.array([0]), np.array([len(body)]), np.array([2]), np.array([1]))
    assert not bad.size
    assert records.headers.count.tolist() == [3000, 1]
    assert records.headers.value.size.tolist() == [len(value) for _, value in [*many, many[0]]]


def test_many_batches_are_read_in_step_and_the_longer_ones_to_their_end(tmp_path: Path) -> None:
    batches, offset = [], 0
    for number in range(200):
        count = 500 if number % 50 == 0 else 3 + number % 4
        batches.append(build_batch(records_from(offset, count), base_offset=offset))
        offset += count
    path = write_segment(tmp_path, batches)
    assert rows(whole(path)) == expected(batches)


def test_a_batch_with_bytes_behind_its_last_record_is_refused() -> None:
    batch = build_batch(records_from(0, 3))
    body = batch[BATCH_OVERHEAD:] + b"\0"
    data = np.frombuffer(body + bytes(PADDING_BYTES), np.uint8)
    _, bad = decode(data, np.array([0]), np.array([len(body)]), np.array([3]), np.array([2]))
    assert bad.tolist() == [0]
