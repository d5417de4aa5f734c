import json
from pathlib import Path

from kafkacompat.protocol.records.builder import build_batch
from kafkacompat.spark.log.read_options import parse
from kafkacompat.spark.log.tasks import read, reading_of
from tests.spark.log.segment_files import records_from, whole, write_segment


def test_a_task_reads_its_split_and_reports_what_it_left_out(tmp_path: Path) -> None:
    batches = [build_batch(records_from(base, 10), base_offset=base) for base in (0, 10)]
    batches[1][-1] ^= 1
    split = whole(write_segment(tmp_path / "log", batches))
    options = parse({"path": "/d", "onDamage": "skip", "damageReport": str(tmp_path / "report")})
    found = [row for batch in read(split, options, reading_of(options, ["offset"])) for row in batch.to_pylist()]
    assert found == [{"offset": offset} for offset in range(10)]
    (report,) = (tmp_path / "report").iterdir()
    assert json.loads(report.read_text())["position"] == len(batches[0])


def test_a_task_without_a_split_has_no_rows() -> None:
    options = parse({"path": "/d"})
    assert list(read(None, options, reading_of(options, ["offset"]))) == []
