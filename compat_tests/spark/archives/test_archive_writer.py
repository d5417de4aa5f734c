"""Archives of topics: every record once, whatever ends a run; and what is wrong with one is found."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
import pytest
from confluent_kafka import Producer
from pyarrow import parquet
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from compat_tests.broker_process import Broker
from compat_tests.spark.conftest import SETTINGS
from compat_tests.spark.test_log_source import fill, own, same
from compat_tests.spark.versions import spark_jars
from compat_tests.spark.workbench import BASE_MS, VERB_S, WAIT_S, Workbench
from kafkacompat import Cluster
from kafkacompat.spark import ArchiveError, ArchiveSpec, archive, read_archive, register, verify_archive
from kafkacompat.spark.archives import archive_writer
from kafkacompat.spark.archives.archive_digest import COLUMNS, digest, digest_of, hashed
from kafkacompat.spark.archives.archive_files import ArchiveFiles
from kafkacompat.spark.archives.archive_reader import SCHEMA
from kafkacompat.spark.archives.archive_spec import RECORD_SCHEMA
from kafkacompat.spark.log.source import LogDataSource
from tests.waiting import pause

pytestmark = pytest.mark.api("Produce", "Fetch", "ListOffsets")

__all__ = ("own",)  # a fixture
PER_CODEC = 200
RECORDS = 2 * PER_CODEC * 5
"""What `fill` writes then."""
KILL_AFTER_MAX_S = 1.5


class Killed(BaseException):
    """Ends a run where nothing catches it, as a kill does."""


def wanted(bench: Workbench, topic: str) -> DataFrame:
    """The topic through Spark's Kafka source."""
    return bench.read(subscribe=topic, includeHeaders=True)


@pytest.mark.spark_behaviour
def test_the_digest_tells_apart_what_looks_alike(spark: SparkSession) -> None:
    def digested(key: bytes | None, value: bytes | None, headers: list[tuple[str, bytes | None]] | None) -> int:
        row = (key, value, "t", 0, 1, datetime(2026, 1, 1, tzinfo=UTC), 0, headers, 0, "", None)
        fields = [SCHEMA[name] for name in (*COLUMNS, "batch", "run", "date")]
        (found,) = hashed(spark.createDataFrame([row], StructType(fields))).select(*digest()).collect()
        return digest_of(found.asDict())

    alike = [
        (b"a", None, None), (None, b"a", None), (b"a", b"", None), (b"", b"a", None), (None, None, None),
        (b"a", None, []), (b"a", None, [("h", None)]), (b"a", None, [("h", b"")]), (b"a", None, [("", b"h")]),
        (b"a", None, [("h", b"1"), ("h", b"2")]), (b"a", None, [("h", b"2"), ("h", b"1")]),
    ]  # fmt: skip
    digests = [digested(*each) for each in alike]
    assert len(set(digests)) == len(alike)
    assert digests[0] == digested(*alike[0])


@pytest.mark.spark_behaviour
def test_each_record_is_archived_once_from_a_broker_and_from_its_files(
    own: tuple[Broker, Workbench], topic: str, tmp_path: Path
) -> None:
    broker, bench = own
    fill(bench, topic, PER_CODEC)
    path = str(tmp_path / "archive")
    spec = ArchiveSpec(path, broker.bootstrap_servers, topics=topic, max_records=900)
    report = archive(bench.spark, spec)
    assert (report.batches, report.records, report.missing, report.lost) == (3, RECORDS, 0, 0)
    assert same(read_archive(bench.spark, path), wanted(bench, topic)) == RECORDS
    assert archive(bench.spark, spec) == (0, 0, 0, 0, 0), "there is nothing new"
    bench.send(topic, 1, ["one", "two"])
    assert archive(bench.spark, spec).records == 2
    verdict = verify_archive(bench.spark, path)
    bench.saw("verdict", [verdict.is_sound, verdict.records, verdict.partitions, verdict.batches, verdict.unlisted])
    assert (verdict.findings, verdict.records, verdict.unlisted) == ((), RECORDS + 2, 0)
    expected = wanted(bench, topic).cache()
    assert expected.count() == RECORDS + 2
    broker.stop()  # which writes the high watermarks
    from_files = str(tmp_path / "from-files")
    archive(bench.spark, ArchiveSpec(from_files, log_dirs=tuple(map(str, broker.data_dirs)), topics=topic))
    assert same(read_archive(bench.spark, from_files), expected) == RECORDS + 2


@pytest.mark.spark_behaviour
def test_an_archive_up_to_a_time_goes_on_later(own: tuple[Broker, Workbench], topic: str, tmp_path: Path) -> None:
    broker, bench = own
    bench.create(topic, 1)
    bench.send(topic, 0, range(10), [BASE_MS + n * 1000 for n in range(10)])
    path = str(tmp_path / "archive")
    until = ArchiveSpec(path, broker.bootstrap_servers, topics=topic, until_ms=BASE_MS + 4000)
    assert archive(bench.spark, until).records == 4
    assert archive(bench.spark, until._replace(until_ms=BASE_MS + 2000)).records == 0, "it has more than that"
    assert archive(bench.spark, until._replace(until_ms=None)).records == 6
    values = read_archive(bench.spark, path).selectExpr("cast(value as string)").collect()
    bench.saw("values", sorted(row[0] for row in values))
    assert sorted(row[0] for row in values) == [str(n) for n in range(10)]


@pytest.mark.spark_behaviour
def test_an_archive_is_written_and_read_up_to_a_point_in_time(bench: Workbench, topic: str, tmp_path: Path) -> None:
    bench.create(topic, 2)
    times = [0, 1, 5, 2, 3, 6]  # the third is late: what is behind it is later than it, as Kafka sees it
    for partition in range(2):
        bench.send(topic, partition, range(6), [BASE_MS + 1000 * second for second in times])
    path = str(tmp_path / "archive")
    spec = ArchiveSpec(path, bench.bootstrap_servers, topics=topic)
    assert archive(bench.spark, spec._replace(until_offsets={(topic, 0): 4})).records == 10
    assert archive(bench.spark, spec._replace(until_offsets={(topic, 0): 2})).records == 0, "it has more than that"
    with pytest.raises(ArchiveError, match=f"until offset 7 of {topic}-0: it ends at offset 6"):
        archive(bench.spark, spec._replace(until_offsets={(topic, 0): 7}))
    with pytest.raises(ArchiveError, match=f"until offset 5 of {topic}-0: it ends at offset 4"):
        read_archive(bench.spark, path, until_offsets={(topic, 0): 5})
    assert archive(bench.spark, spec).records == 2

    def ends(**until: Any) -> list[tuple[int, int]]:
        found = read_archive(bench.spark, path, **until)
        kafka = wanted(bench, topic)
        assert found.dtypes == kafka.dtypes
        assert found.exceptAll(kafka).isEmpty()
        return sorted(tuple(row) for row in found.groupBy("partition").count().collect())

    seen = [
        ends(), ends(until_offsets={(topic, 0): 3}), ends(until_ms=BASE_MS + 2000),
        ends(until_offsets={(topic, 1): 1}, until_ms=BASE_MS + 6000), ends(until_ms=BASE_MS),
    ]  # fmt: skip
    bench.saw("ends", seen)
    assert seen == [[(0, 6), (1, 6)], [(0, 3), (1, 6)], [(0, 2), (1, 2)], [(0, 5), (1, 1)], []]


@pytest.mark.spark_behaviour
def test_a_run_that_is_killed_at_any_step_is_made_good_by_the_next(
    bench: Workbench, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.create(topic, 2)
    bench.send(topic, 0, range(30))
    bench.send(topic, 1, range(5))
    path = str(tmp_path / "archive")
    spec = ArchiveSpec(path, bench.bootstrap_servers, topics=topic, max_records=20)
    kept = []
    for step, before in (("sizes", True), ("write_new", True), ("write_new", False), ("remove", True)):
        whole = getattr(ArchiveFiles, step)

        def killed(
            self: ArchiveFiles, *given: str, whole: Callable[..., object] = whole, before: bool = before
        ) -> None:
            if not before:
                whole(self, *given)
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(ArchiveFiles, step, killed)
            try:
                archive(bench.spark, spec)
            except Killed:
                pass
            else:
                raise AssertionError(f"{step} was not called")
        batches = len(list((Path(path) / "manifest").glob("*.json")))
        kept.append(batches)
    bench.saw("batches after each kill", kept)
    assert kept == [0, 0, 1, 1], "a batch counts from its manifest on, and only then"
    archive(bench.spark, spec)
    assert same(read_archive(bench.spark, path), wanted(bench, topic)) == 35
    verdict = verify_archive(bench.spark, path)
    assert (verdict.findings, verdict.unlisted) == ((), 0), "what killed runs had left is gone"


@pytest.mark.spark_behaviour
def test_files_that_do_not_have_what_was_read_are_not_committed(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither where records are missing, nor where as many are there and one differs."""

    def lost(file: Path) -> None:
        file.unlink()

    def differing(file: Path) -> None:
        table = parquet.read_table(file)
        values = table["value"].to_pylist()
        at = table.schema.get_field_index("value")
        changed = pa.array([b"another", *values[1:]], table.schema.field(at).type)
        parquet.write_table(
            table.set_column(at, table.schema.field(at), changed), file, use_deprecated_int96_timestamps=True
        )
        file.with_name(f".{file.name}.crc").unlink()  # Hadoop's checksum would find it, where the file system has one

    path = tmp_path / "archive"
    records = [{"value": str(n), "partition": n % 2} for n in range(20)]
    with Cluster(topics={"orders": 2}, records={"orders": records}) as kafka:
        spec = ArchiveSpec(str(path), kafka.bootstrap_servers, topics="orders")
        for damage, told in ((lost, "20 records were read and 10 are in"), (differing, "20 records were read and 20 ")):
            whole = archive_writer._Batch._write

            def write(self: Any, ranges: Any, whole: Any = whole, damage: Any = damage) -> Any:
                counted = whole(self, ranges)
                damage(sorted(path.rglob(f"{self._folder}/**/*.parquet"))[0])
                return counted

            with monkeypatch.context() as patch:
                patch.setattr(archive_writer._Batch, "_write", write)
                with pytest.raises(ArchiveError, match=f"batch 0: {told}.*nothing was committed; run it again"):
                    archive(spark, spec)
            assert not (path / "manifest").exists()
        assert archive(spark, spec).records == 20
        assert (verify_archive(spark, str(path)).findings, verify_archive(spark, str(path)).unlisted) == ((), 0)


@pytest.mark.spark_behaviour
def test_the_docstrings_give_the_schemas(spark: SparkSession, tmp_path: Path) -> None:
    def columns(schema: StructType) -> list[str]:
        return [f"{field.name} {field.dataType.simpleString()}" for field in schema]

    def told(job: Callable[..., object]) -> str:
        return " ".join(str(job.__doc__).split())

    path = str(tmp_path / "archive")
    with Cluster(topics={"orders": 1}, records={"orders": [{"value": "a"}]}) as kafka:
        archive(spark, ArchiveSpec(path, kafka.bootstrap_servers, topics="orders"))
    there = read_archive(spark, path).schema
    assert columns(there) == RECORD_SCHEMA.split(", ")
    assert ", ".join(columns(there)) in told(read_archive)
    files = spark.read.parquet(f"{path}/records").schema
    assert {field.name for field in files} == {field.name for field in SCHEMA}
    inside, in_paths = columns(SCHEMA)[:7], columns(SCHEMA)[7:]
    assert f"{', '.join(inside)}; " in told(archive)
    assert f"{', '.join(in_paths[:-1])} and {in_paths[-1]} are in the paths" in told(archive)
    log = LogDataSource({"path": str(tmp_path), "includeHeaders": "true"}).schema()
    assert log == RECORD_SCHEMA
    assert log.replace(", headers", "; with `includeHeaders` also headers") in told(register)


@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.full)])
@pytest.mark.spark_behaviour
def test_kill_9_of_the_driver(spark: SparkSession, tmp_path: Path, kills: int) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    path = tmp_path / "archive"
    with Cluster(topics={"orders": 2}) as kafka:
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
        for number in range(6000):
            producer.produce("orders", b"%d" % number)
        assert producer.flush(WAIT_S) == 0
        for _ in range(kills):
            is_over = kill_while_it_archives(kafka.bootstrap_servers, path, chance)
            assert not is_over or kills > 1, "it was killed in the middle"
        spec = ArchiveSpec(str(path), kafka.bootstrap_servers, topics="orders", max_records=2000)
        archive(spark, spec)
        reader = spark.read.format("kafka").option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        topic = reader.options(subscribe="orders", includeHeaders="true").load()
        assert same(read_archive(spark, str(path)), topic) == 6000
        verdict = subprocess.run(
            [sys.executable, "-m", "kafkacompat", "spark", "verify-archive", str(path), *settings()],
            cwd=tmp_path, capture_output=True, text=True, timeout=VERB_S,
        )  # fmt: skip
        assert (verdict.returncode, json.loads(verdict.stdout)["records"]) == (0, 6000), verdict.stderr


def settings() -> list[str]:
    """Flags for a session as that of the tests."""
    jars = ",".join(map(str, spark_jars(pyspark.__version__)))
    given = {**SETTINGS, "spark.master": "local[2]", "spark.jars": jars}
    return [f"--conf={name}={value}" for name, value in given.items()]


def kill_while_it_archives(servers: str, path: Path, chance: random.Random) -> bool:
    """Start the command, and kill it some time after it has begun to write; whether all was archived by then."""
    command = [
        sys.executable, "-m", "kafkacompat", "spark", "archive", "-b", servers, "--topics", "orders",
        "--to", str(path), "--max-records", "500", *settings(),
    ]  # fmt: skip
    before = set(path.glob("records/*/*"))
    told = path.parent / "told"
    with told.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True, cwd=path.parent)
    deadline_s = time.monotonic() + VERB_S
    try:
        while process.poll() is None and set(path.glob("records/*/*")) <= before:
            assert time.monotonic() < deadline_s, told.read_text()
            pause()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0, KILL_AFTER_MAX_S))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
    assert status in (0, -signal.SIGKILL), told.read_text()
    return process.returncode == 0


@pytest.mark.spark_behaviour
def test_what_was_removed_is_an_error_or_noted(bench: Workbench, topic: str, tmp_path: Path) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(10))
    path = str(tmp_path / "archive")
    spec = ArchiveSpec(path, bench.bootstrap_servers, topics=topic)
    archive(bench.spark, spec)
    bench.send(topic, 0, range(10))
    bench.delete_records_before(topic, 0, 15)
    with pytest.raises(ArchiveError, match=f"{topic}-0: offsets 10 to 14 were removed before they were archived"):
        archive(bench.spark, spec)
    report = archive(bench.spark, spec._replace(allow_loss=True))
    bench.saw("report", [report.records, report.lost])
    assert (report.records, report.lost) == (5, 5)
    assert verify_archive(bench.spark, path).findings == ()
    bench.delete(topic)
    bench.create(topic, 1)
    bench.send(topic, 0, range(3))
    with pytest.raises(ArchiveError, match=f"{topic} has id .* and that of the archive .*: the topic was created anew"):
        archive(bench.spark, spec)
    with pytest.raises(ArchiveError, match="no topic matches 'no-such'"):
        archive(bench.spark, spec._replace(topics="no-such"))
    assert archive(bench.spark, ArchiveSpec(str(tmp_path / "b"), bench.bootstrap_servers, topics=topic)).records == 3
