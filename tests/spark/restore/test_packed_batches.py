"""Batches as a log has them: offsets with gaps, kinds of timestamps, an end behind the last record."""

from __future__ import annotations

import pytest

from kafkacompat.protocol.records.batch import check_crc, read_header
from kafkacompat.protocol.records.reader import record_bytes, records_of
from kafkacompat.spark.restore.packed_batches import BATCH_BYTES, MAX_DELTA, LogRecord, packed


def record(offset: int, *, timestamp_ms: int = 5, timestamp_type: int = 0, value: bytes | None = b"v") -> LogRecord:
    return LogRecord(offset, timestamp_ms, timestamp_type, b"k%d" % offset, value, (("h", None), ("h", b"1")))


def unpacked(batches: list[bytearray]) -> list[LogRecord]:
    found = []
    for batch in batches:
        header = read_header(batch)
        assert check_crc(batch, 0, len(batch))
        for each in records_of(record_bytes(bytes(batch), 0, header), header):
            kind = int(header.is_log_append_time)
            found.append(LogRecord(each.offset, each.timestamp, kind, each.key, each.value, tuple(each.headers)))
    return found


@pytest.mark.parametrize("compression", range(5))
def test_records_come_out_as_they_went_in(compression: int) -> None:
    records = [record(offset, value=None if offset % 3 else b"x" * 900) for offset in range(100, 5000, 7)]
    batches = list(packed(records, leader_epoch=4, compression=compression))
    assert unpacked(batches) == records
    assert len(batches) > 1
    assert {read_header(batch).leader_epoch for batch in batches} == {4}


def test_a_batch_has_a_limit_of_bytes_and_of_offsets() -> None:
    def sizes(records: list[LogRecord]) -> list[int]:
        return [read_header(batch).record_count for batch in packed(records, leader_epoch=0)]

    large = b"x" * (BATCH_BYTES // 3)
    assert sizes([record(n, value=large) for n in range(4)]) == [2, 2]
    assert sizes([record(0), record(MAX_DELTA), record(MAX_DELTA + 1)]) == [2, 1]


def test_records_of_log_append_time_have_the_time_of_their_batch() -> None:
    stamped = [record(n, timestamp_ms=9 + n // 2, timestamp_type=1) for n in range(4)]
    created = [record(n, timestamp_ms=n % 2) for n in range(4, 8)]
    batches = list(packed([*stamped, *created], leader_epoch=0))
    assert [read_header(batch).record_count for batch in batches] == [2, 2, 4]
    assert unpacked(batches) == [*stamped, *created]


def test_the_last_batch_reaches_to_the_end_of_the_log() -> None:
    records = [record(n, value=b"x" * (BATCH_BYTES // 2)) for n in (3, 4, 9)]
    ends = [read_header(batch).next_offset for batch in packed(records, leader_epoch=0, end_offset=20)]
    assert ends[-1] == 20
    assert unpacked(list(packed(records, leader_epoch=0, end_offset=20))) == records
    assert list(packed([], leader_epoch=0, end_offset=20)) == []


def test_what_cannot_be_a_log_is_refused() -> None:
    with pytest.raises(ValueError, match="offset 4 comes behind offset 4"):
        list(packed([record(4), record(4)], leader_epoch=0))
    for end in (4, 6 + MAX_DELTA):
        with pytest.raises(ValueError, match=f"from offset 4 on, cannot reach to {end - 1}"):
            list(packed([record(4)], leader_epoch=0, end_offset=end))
