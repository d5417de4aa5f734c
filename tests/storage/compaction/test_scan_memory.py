"""What a scanner takes in memory does not depend on what is in a batch, and what a pass takes not on the log's size."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkacompat.protocol.records.batch import BatchHeader, RecordTooLargeError, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import MAX_DECOMPRESSED_BYTES, ZSTD
from kafkacompat.protocol.records.control import COMMIT, encode_end_transaction, encode_key
from kafkacompat.storage.compaction.clean_rules import RoundTransactions
from kafkacompat.storage.fs import RealFs
from tests.storage.compaction.logs import compact, content, write
from tests.storage.compaction.scans import SCANNERS, NewScanner, Scans
from tests.storage.support import open_log, topic_config

MB = 1 << 20


@pytest.mark.parametrize("new", SCANNERS)
@pytest.mark.parametrize("codec", [0, ZSTD])
def test_a_batch_of_tiny_records_takes_a_few_times_its_size(new: NewScanner, codec: int) -> None:
    """A list of them would take thirty times that."""
    records = [Record(number, 0, b"" if number % 3 else b"k", None) for number in range(new.tiny_records)]
    whole = bytes(build_batch(records))
    batch = memoryview(whole if not codec else bytes(build_batch(records, compression=codec)))
    scans = Scans(new)
    scans.index(memoryview(build_batch(records[:3])))  # what is imported and made once
    tracemalloc.start()
    try:
        scans.index(batch)
        found = scans.thin(batch)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found is not None
    assert read_header(found).record_count == 2
    assert peak_bytes < 4 * len(whole) + new.fixed_bytes


@pytest.mark.parametrize("new", SCANNERS)
def test_a_bomb_is_refused_before_it_fills_the_memory(new: NewScanner) -> None:
    bomb = memoryview(build_batch([Record(7, 0, b"key", bytes(2 * MAX_DECOMPRESSED_BYTES))],
                                  base_offset=7, compression=ZSTD))  # fmt: skip
    assert len(bomb) < MB
    tracemalloc.start()
    try:
        with pytest.raises(RecordTooLargeError, match="batch at offset 7: records decompress to more than 67108864"):
            Scans(new).index(bomb)
        with pytest.raises(RecordTooLargeError, match="batch at offset 7"):
            Scans(new).thin(bomb)
        assert tracemalloc.get_traced_memory()[1] < MAX_DECOMPRESSED_BYTES + MB
    finally:
        tracemalloc.stop()


LOG_BATCHES, ONE_STAYS_OF = 3_200, 100
SPARSE = {
    "the others are superseded": [
        ("put", None, [(b"%d" % n if not n % ONE_STAYS_OF else b"hot", bytes(10_000))], 0) for n in range(LOG_BATCHES)
    ],
    "the others are aborted": [
        ("put", None if not n % ONE_STAYS_OF else 1, [(b"%d" % n, bytes(10_000))], 0) for n in range(LOG_BATCHES)
    ] + [("abort", 1)],
}  # fmt: skip


@pytest.mark.parametrize("new", SCANNERS)
@pytest.mark.parametrize("which", SPARSE)
def test_a_pass_over_a_log_of_which_little_stays_has_a_part_of_it_in_memory(
    tmp_path: Path, new: NewScanner, which: str
) -> None:
    """About each MB one batch stays, that is a part of what was read at once."""
    ops: list[Any] = [*SPARSE[which], ("roll",), ("put", None, [(b"end", b"")], 0)]
    log = open_log(RealFs(temporary=True), topic_config(), path=f"{tmp_path}/t-0")
    write(log, ops)
    assert log.segments.all[0].size_bytes > 30 * MB
    tracemalloc.start()
    try:
        compact(log, keys=2 * LOG_BATCHES, new=new)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(content(log)) >= LOG_BATCHES // ONE_STAYS_OF
    assert log.segments.all[0].size_bytes < MB
    assert peak_bytes < 10 * MB, peak_bytes


@pytest.mark.parametrize("new", SCANNERS)
def test_a_second_pass_over_a_clean_part_of_which_little_stays_has_a_part_of_it_in_memory(
    tmp_path: Path, new: NewScanner
) -> None:
    """Of each that was read at once one batch stays as it is."""
    log = open_log(RealFs(temporary=True), topic_config(), path=f"{tmp_path}/t-0")
    write(log, [("put", None, [(b"%d" % n, bytes(10_000))], 0) for n in range(LOG_BATCHES)] + [("roll",)])
    write(log, [("put", None, [(b"%d" % n, b"") for n in range(LOG_BATCHES) if n % 50], 0), ("roll",)])
    write(log, [("put", None, [(b"end", b"")], 0)])
    assert compact(log, limit=LOG_BATCHES, keys=2 * LOG_BATCHES, new=new) == LOG_BATCHES
    assert log.segments.all[0].size_bytes > 30 * MB
    tracemalloc.start()
    try:
        compact(log, first_dirty=LOG_BATCHES, keys=2 * LOG_BATCHES, new=new)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(content(log)) == LOG_BATCHES + 1
    assert log.segments.all[0].size_bytes < 2 * MB
    assert peak_bytes < 10 * MB, peak_bytes


def markers(offsets: range) -> Iterator[tuple[BatchHeader, memoryview]]:
    for offset in offsets:
        record = Record(offset, 0, encode_key(COMMIT), encode_end_transaction(0))
        batch = build_batch(
            [record], base_offset=offset, producer_id=1, producer_epoch=0, is_transactional=True, is_control=True
        )  # fmt: skip
        yield read_header(batch), memoryview(batch)


@pytest.mark.parametrize("new", SCANNERS)
def test_markers_take_no_memory(new: NewScanner) -> None:
    """A segment may consist of nothing else."""
    scanner = new.with_keys(10)
    scanner.index(markers(range(1)), RoundTransactions([]), 0)
    tracemalloc.start()
    try:
        assert scanner.index(markers(range(1, 20_000)), RoundTransactions([]), 0)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert scanner.end_offset == 20_000
    assert peak_bytes < MB // 4
