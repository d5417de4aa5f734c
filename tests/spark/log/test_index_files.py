from pathlib import Path
from struct import pack

from kafkacompat.spark.log.index_files import batch_positions, read_offset_index, read_time_index


def test_indexes_end_where_a_broker_has_not_written_yet(tmp_path: Path) -> None:
    log = tmp_path / "00.log"
    log.with_suffix(".index").write_bytes(pack(">IIII", 9, 100, 19, 200) + bytes(400))
    log.with_suffix(".timeindex").write_bytes(pack(">qIqI", 1000, 9, 2000, 19) + bytes(120) + b"torn")
    assert read_offset_index(str(log)).tolist() == [(9, 100), (19, 200)]
    assert read_time_index(str(log)).tolist() == [(1000, 9), (2000, 19)]
    assert batch_positions(str(log)) == [100, 200]


def test_without_a_file_there_are_no_entries(tmp_path: Path) -> None:
    assert batch_positions(str(tmp_path / "00.log")) == []
