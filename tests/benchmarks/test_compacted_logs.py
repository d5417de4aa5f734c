"""The logs that the benchmark of compaction writes are what their names say."""

import pytest

from benchmarks.compacted_logs import Case, write_log
from kafkacompat.protocol.records.batch import check_crc, split
from kafkacompat.protocol.records.compression import NAMES
from kafkacompat.protocol.records.reader import read_records

SIZE_BYTES = 300_000


@pytest.mark.parametrize("case", [Case(100, "none", is_half=True), Case(1_000, "zstd", is_half=False)])
def test_batches_are_sound_and_a_clean_half_has_each_key_once(tmp_path, case):
    (tmp_path / f"{0:020d}.log").write_bytes(b"what was there")
    dirty = write_log(tmp_path, case, SIZE_BYTES)
    paths = sorted(tmp_path.glob("*.log"))
    data = b"".join(path.read_bytes() for path in paths)
    assert SIZE_BYTES <= len(data) < 1.1 * SIZE_BYTES
    records = []
    for position, header in split(data):
        assert check_crc(data, position, header.size_bytes)
        records += read_records(data, position, header)
    assert [record.offset for record in records] == list(range(len(records)))
    assert {len(record.value) for record in records[:-1]} == {case.value_bytes}
    assert {NAMES[header.compression] for _, header in split(data)[:-1]} == {case.codec}
    assert len(split(paths[-1].read_bytes())) == 1
    clean = {record.key for record in records[:dirty]}
    assert len(clean) == dirty
    assert bool(dirty) == case.is_half
    assert len({record.key for record in records[dirty:]}) < len(records) - dirty
