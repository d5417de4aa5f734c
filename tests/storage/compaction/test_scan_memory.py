"""What a scanner takes in memory does not depend on what is in a batch."""

import tracemalloc

import pytest

from kafkacompat.protocol.records.batch import RecordTooLargeError, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import MAX_DECOMPRESSED_BYTES, ZSTD
from tests.storage.compaction.scans import SCANNERS, NewScanner, Scans

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
