"""Segments: how much of their indexes is read and kept in memory."""

import gc
import tracemalloc
from pathlib import Path

import pytest

from kafkacompat.storage.errors import LogError
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs, Operation
from tests.storage.support import PATH, START_MS, TOPIC_ID, append, at, batch, offsets, open_log, topic_config

INDEX = f"{PATH}/{0:020d}.index"
#: Of a partition that was written to, without producers' state: what is at rest in memory.
LIVES = 200
MAX_BYTES_AT_REST = 4096


def _grown(fs: MemFs, count: int = 2000) -> Log:
    """Segments with some forty batches each, a millisecond apart, closed cleanly and opened again."""
    config = topic_config(segment_bytes=4000, index_interval_bytes=0)
    log = open_log(fs, config)
    for ms in range(count):
        append(log, batch(timestamp_ms=START_MS + ms))
    log.close(clean=True, now=at())
    return open_log(fs, config, clean=True, recovery_point=count)


def _index_reads(operations: list[Operation]) -> list[Operation]:
    return [each for each in operations if each[0] in ("pread", "read_bytes") and each[1].endswith("index")]


def test_a_search_by_time_reads_the_last_entries_of_segments_and_halves_one_index() -> None:
    fs = MemFs()
    log = _grown(fs)
    count = len(log.segments.all)
    assert count > 30
    operations = fs.record()
    found = log.offset_for_timestamp(START_MS + 1990, end_offset=2000)
    assert found is not None
    assert found.offset == 1990
    assert sum(size for _, _, size in _index_reads(operations)) < 20 * count + 2000
    del operations[:]
    assert log.offset_for_timestamp(START_MS + 1990, end_offset=2000) is not None
    assert len({path for _, path, _ in _index_reads(operations)}) <= 2  # what was learned is kept


def test_a_sealed_segment_keeps_no_index_that_was_looked_into() -> None:
    log = _grown(MemFs())
    assert offsets(log) == list(range(2000))
    assert log.offset_for_timestamp(START_MS + 1990, end_offset=2000) is not None
    assert [segment.grows for segment in log.segments.all] == [False] * (len(log.segments.all) - 1) + [True]


def test_a_sealed_segment_keeps_no_index_when_it_rolls() -> None:
    log = open_log(MemFs(), topic_config(segment_bytes=4000, index_interval_bytes=0))
    for ms in range(500):
        append(log, batch(timestamp_ms=START_MS + ms))
    assert [segment.grows for segment in log.segments.all] == [False] * (len(log.segments.all) - 1) + [True]
    assert offsets(log) == list(range(500))


@pytest.mark.parametrize("search", ["offset", "time", "cut"])
def test_an_index_that_turns_out_to_be_corrupt_is_built_anew(search: str) -> None:
    fs = MemFs()
    log = _grown(fs)
    kept = fs.read_bytes(INDEX)
    fs.write_atomic(INDEX, kept[:80] + bytes(16) + kept[96:], sync=True)
    time_index = INDEX.replace(".index", ".timeindex")
    times = fs.read_bytes(time_index)
    fs.write_atomic(time_index, times[:120] + bytes(24) + times[144:], sync=True)
    if search == "offset":
        assert offsets(log, 15, 17) == [15, 16]
    elif search == "time":
        found = log.offset_for_timestamp(START_MS + 15, end_offset=2000)
        assert found is not None
        assert found.offset == 15
    else:
        log.truncate_to(15)
        assert offsets(log) == list(range(15))
        append(log, batch())
        log.close(clean=True, now=at())
        assert fs.read_bytes(INDEX)[: 8 * 13] == kept[: 8 * 13]
        return
    assert fs.read_bytes(INDEX) == kept


def _short_runs(fs: MemFs, count: int) -> Log:
    """A log to which each of so many lives has appended a batch, a millisecond later than the last one."""
    config = topic_config(index_interval_bytes=1000)
    for life in range(count):
        log = open_log(fs, config, clean=life > 0, recovery_point=life)
        append(log, batch(timestamp_ms=START_MS + life))
        log.close(clean=True, now=at())
    return open_log(fs, config, clean=True, recovery_point=count)


def test_indexes_are_sound_after_any_number_of_clean_stops(caplog: pytest.LogCaptureFixture) -> None:
    fs = MemFs()
    log = _short_runs(fs, 6)
    assert fs.read_bytes(INDEX.replace(".index", ".timeindex")) != b""
    assert offsets(log) == list(range(6))
    assert "rebuilding" not in caplog.text


def test_many_short_runs_index_as_many_batches_as_a_long_one(caplog: pytest.LogCaptureFixture) -> None:
    fs, one = MemFs(), MemFs()
    _short_runs(fs, 60)
    log = open_log(one, topic_config(index_interval_bytes=1000))
    for ms in range(60):
        append(log, batch(timestamp_ms=START_MS + ms))
    log.close(clean=True, now=at())
    assert len(one.read_bytes(INDEX)) > 8
    assert fs.read_bytes(INDEX) == one.read_bytes(INDEX)
    assert "rebuilding" not in caplog.text


def test_short_runs_of_apache_kafka_leave_a_sound_index_without_entries(caplog: pytest.LogCaptureFixture) -> None:
    """It counts the bytes up to the next entry from 0 after each start, and adds one to the time index at each stop."""
    fs = MemFs()
    _short_runs(fs, 20).close(clean=True, now=at())
    assert fs.read_bytes(INDEX) != b""
    fs.write_atomic(INDEX, b"", sync=False)
    log = open_log(fs, topic_config(index_interval_bytes=1000), clean=True, recovery_point=20)
    assert offsets(log) == list(range(20))
    append(log, batch(timestamp_ms=START_MS + 20))
    assert "rebuilding" not in caplog.text


def test_an_offset_index_that_got_lost_is_built_anew(caplog: pytest.LogCaptureFixture) -> None:
    fs = MemFs()
    _short_runs(fs, LIVES).close(clean=True, now=at())
    kept = fs.read_bytes(INDEX)
    fs.remove(INDEX)
    log = open_log(fs, topic_config(index_interval_bytes=1000), clean=True, recovery_point=LIVES)
    append(log, batch(timestamp_ms=START_MS + LIVES))
    assert "rebuilding the indexes" in caplog.text
    log.close(clean=True, now=at())
    assert fs.read_bytes(INDEX).startswith(kept)


def test_a_partition_that_was_written_to_is_small_at_rest(tmp_path: Path) -> None:
    fs = RealFs(temporary=True)
    files, config, count = FileCache(fs), topic_config(index_interval_bytes=100), 50

    def opened(name: int) -> Log:
        return Log.open(
            fs, f"{tmp_path}/{name}", config, topic_id=TOPIC_ID, recovery_point=0, log_start_offset=0, clean=False,
            now=at(), files=files,
        )  # fmt: skip

    first = opened(-1)
    for ms in range(300):  # what the process keeps once and for all
        append(first, batch(timestamp_ms=START_MS + ms))
    gc.collect()
    tracemalloc.start()
    try:
        logs = [opened(name) for name in range(count)]
        for ms in range(300):
            for log in logs:
                append(log, batch(timestamp_ms=START_MS + ms))
        gc.collect()
        snapshot = tracemalloc.take_snapshot()
    finally:
        tracemalloc.stop()
    ours = snapshot.filter_traces([tracemalloc.Filter(True, "*/kafkacompat/*")]).statistics("lineno")
    assert sum(each.size for each in ours) / count < MAX_BYTES_AT_REST, ours[:10]


@pytest.mark.parametrize("position", [8, 9, 10])
def test_a_batch_whose_length_lies_is_an_error_and_not_bytes_that_are_not_there(position: int) -> None:
    """After a clean stop nothing was checked. A response that promises more than the file has would never end."""
    fs = MemFs()
    log = open_log(fs, topic_config())
    for ms in range(3):
        append(log, batch(timestamp_ms=START_MS + ms))
    size_bytes = log.segments.all[0].size_bytes // 3
    log.close(clean=True, now=at())
    fs.set_byte(f"{PATH}/{0:020d}.log", size_bytes + position, 0x01)
    log = open_log(fs, topic_config(), clean=True, recovery_point=3)
    with pytest.raises(LogError, match=f"at position {size_bytes} of {3 * size_bytes} bytes"):
        log.read(1, 100, end_offset=3, at_least_one=True)
    part = log.read(0, 10, end_offset=3, at_least_one=True)
    assert len(part) == size_bytes
    part.release()
