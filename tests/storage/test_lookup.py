"""Offsets by timestamp, and the largest timestamp."""

import pytest

from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.storage.fs import Fs
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import START_MS, append, at, batch, open_log, topic_config


def _found(log: Log, timestamp_ms: int, end: int | None = None) -> tuple[int, int, int] | None:
    found = log.offset_for_timestamp(timestamp_ms, end_offset=log.log_end_offset if end is None else end)
    return None if found is None else (found.offset, found.timestamp_ms, found.leader_epoch)


def _largest(log: Log, end: int | None = None) -> tuple[int, int] | None:
    found = log.max_timestamp_offset(end_offset=log.log_end_offset if end is None else end)
    return None if found is None else (found.offset, found.timestamp_ms)


@pytest.mark.parametrize("restart", [None, "clean", "unclean"])
@pytest.mark.parametrize("compression", [0, 4])
def test_the_first_record_at_or_after_a_time_is_found(fs: Fs, path: str, compression: int, restart: str | None) -> None:
    config = topic_config(segment_bytes=3000, index_interval_bytes=200)
    log = open_log(fs, config, path=path)
    for i in range(60):
        append(log, batch(3, timestamp_ms=START_MS + 10 * i, compression=compression), epoch=i // 10)
    if restart is not None:
        log.close(clean=restart == "clean", now=at())
        log = open_log(fs, config, path=path, clean=restart == "clean", recovery_point=180)
    for i in range(0, 60, 7):
        assert _found(log, START_MS + 10 * i) == (3 * i, START_MS + 10 * i, i // 10)
        assert _found(log, START_MS + 10 * i + 1) == (3 * i + 1, START_MS + 10 * i + 1, i // 10)
        after = None if i == 59 else (3 * i + 3, START_MS + 10 * i + 10, (i + 1) // 10)
        assert _found(log, START_MS + 10 * i + 3) == after
    assert _found(log, 0) == (0, START_MS, 0)
    assert _found(log, START_MS + 593) is None
    assert _found(log, START_MS + 400, end=120) is None
    assert _largest(log) == (179, START_MS + 592)
    log.close(clean=False, now=at())


def test_times_out_of_order_are_answered_in_offset_order() -> None:
    log = open_log(MemFs(), topic_config(index_interval_bytes=0))
    for ms in (50, 10, 70, 20, 70, 60):
        append(log, batch(timestamp_ms=START_MS + ms))
    assert _found(log, START_MS + 15) == (0, START_MS + 50, 0)
    assert _found(log, START_MS + 51) == (2, START_MS + 70, 0)
    assert _found(log, START_MS + 71) is None
    assert _largest(log) == (2, START_MS + 70)  # the first of equals
    assert _largest(log, end=2) is None  # Kafka looks at the whole log, and hides what is not committed


def test_nothing_below_the_log_start_is_found() -> None:
    log = open_log(MemFs())
    append(log, batch(5))
    log.delete_records_before(2, at())
    assert _found(log, 0) == (2, START_MS + 2, 0)


def test_log_append_time_counts_for_all_records_of_a_batch() -> None:
    log = open_log(MemFs(), topic_config(message_timestamp_type="LogAppendTime"))
    append(log, batch(3, timestamp_ms=7), ms=5)
    append(log, batch(3, timestamp_ms=7), ms=9)
    assert _found(log, START_MS + 5) == (0, START_MS + 5, 0)
    assert _found(log, START_MS + 6) == (3, START_MS + 9, 0)
    assert _largest(log) == (3, START_MS + 9)


def test_the_largest_timestamp_inside_a_batch() -> None:
    log = open_log(MemFs())
    records = [Record(i, START_MS + ms, None, b"") for i, ms in enumerate((5, 90, 3, 90))]
    append(log, memoryview(build_batch(records)))
    assert _largest(log) == (1, START_MS + 90)


def test_an_empty_log_and_records_without_time() -> None:
    log = open_log(MemFs())
    assert _found(log, 0) is None
    assert _largest(log) is None
    append(log, batch(timestamp_ms=-1))
    assert _found(log, 0) is None
    assert _largest(log) is None


def test_truncation_takes_the_largest_timestamp_back() -> None:
    log = open_log(MemFs(), topic_config(index_interval_bytes=100))
    for i in range(20):
        append(log, batch(timestamp_ms=START_MS + i))
    log.truncate_to(11)
    assert _largest(log) == (10, START_MS + 10)
    assert _found(log, START_MS + 11) is None
