"""What is not there, goes away, or cannot be written under a job of Spark: a clear error, and the next run is whole."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from compat_tests.broker_process import Broker
from compat_tests.spark.archives.test_archive_writer import settings
from compat_tests.spark.workbench import RETENTION_SOON, WAIT_S, Workbench
from kafkacompat import Cluster
from kafkacompat.errors import KafkaCompatError
from kafkacompat.spark import (
    ArchiveError,
    ArchiveSpec,
    CaptureSpec,
    ImportSpec,
    ReplaySpec,
    archive,
    audit_log,
    capture,
    import_archive,
    load,
    read_archive,
    replay,
    verify_archive,
)
from kafkacompat.spark.archives.archive_ranges import Range
from kafkacompat.spark.archives.archive_sources import KafkaSource
from kafkacompat.spark.restore import archive_importer

OLD, NEW = range(12), range(12, 20)
SMALL_DISK, LARGE_DISK = "200k", "64m"
SMALL_FILE_BLOCKS = 400
"""Of 512 B: as much as the small disk has."""
VALUE_BYTES, VALUES = 1000, 1000


def small_then_large(kept: Path) -> list[str]:
    """A command before a folder and another command, which it runs twice, says the status of the first run, and keeps
    what the second one `made`.

    The folder is a disk in memory that gets more space between the runs. Where this user cannot mount one, files cannot
    grow in the first run: a write fails there in the same place, with another error of the system.
    """
    if subprocess.run(["sh", "-c", "unshare -rm true"], capture_output=True, check=False).returncode == 0:
        first = f'mount -t tmpfs -o size={SMALL_DISK} tmpfs "$0" && "$@"'
        more = f'mount -o remount,size={LARGE_DISK} "$0"'
        command = ["unshare", "-rm", "sh", "-c"]
    else:
        first, more, command = f'(ulimit -f {SMALL_FILE_BLOCKS}; "$@")', "true", ["sh", "-c"]
    return [*command, f'{first}; echo "status $?" >&2; {more} && "$@" && cp -r "$0/made" "{kept}"']


BY_RETENTION = pytest.param("retention", marks=[pytest.mark.full("kafkacompat"), pytest.mark.each_run])


@pytest.mark.parametrize("by", ["DeleteRecords", BY_RETENTION])
@pytest.mark.api("Produce", "Fetch", "ListOffsets")
@pytest.mark.spark_behaviour
def test_records_are_removed_under_a_running_archive(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, by: str,
) -> None:  # fmt: skip
    """When the batch is planned, and before it is read."""
    bench = workbench(new_broker(config=RETENTION_SOON))
    expire = bench.fill_and_expire(topic, OLD, NEW)
    remove = expire if by == "retention" else lambda: bench.delete_records_before(topic, 0, len(OLD))
    whole = KafkaSource.frame

    def frame(self: KafkaSource, spark: SparkSession, ranges: Iterable[Range]) -> DataFrame:
        remove()
        return whole(self, spark, ranges)

    path = str(tmp_path / "archive")
    spec = ArchiveSpec(path, bench.bootstrap_servers, topics=topic, max_records=5)
    assert archive(bench.spark, spec._replace(until_offsets={(topic, 0): 5})).records == 5
    with monkeypatch.context() as patch:
        patch.setattr(KafkaSource, "frame", frame)
        with pytest.raises(
            ArchiveError, match="batch 1: records were removed while it was archived; nothing of it was"
        ):
            archive(bench.spark, spec)
    with pytest.raises(ArchiveError, match=f"{topic}-0: offsets 5 to 11 were removed before they were archived"):
        archive(bench.spark, spec)
    report = archive(bench.spark, spec._replace(allow_loss=True))
    bench.saw("report", [report.records, report.lost])
    assert (report.records, report.lost) == (len(NEW), 7)
    offsets = [row[0] for row in read_archive(bench.spark, path).select("offset").sort("offset").collect()]
    assert offsets == [*range(5), *NEW]
    verdict = verify_archive(bench.spark, path)
    assert (verdict.findings, verdict.unlisted) == ((), 0)


Job = Callable[[Workbench, str, str], object]
UNKNOWN: dict[str, tuple[Job, str]] = {
    "archive": (
        lambda bench, servers, path: archive(bench.spark, ArchiveSpec(path, servers, topics="none")),
        "no topic matches 'none'; kafkacompat topic list names those that exist",
    ),
    "capture": (
        lambda bench, servers, path: capture(bench.spark, CaptureSpec(path, servers, topics="none")),
        "no topic matches 'none'; kafkacompat topic list names those that exist",
    ),
    "load": (
        lambda bench, servers, path: load(bench.spark, servers, "none", path, duration_s=0.2),
        "UNKNOWN_TOPIC_OR_PARTITION|topic 'none'",
    ),
}


@pytest.mark.parametrize("job", UNKNOWN)
@pytest.mark.api("Metadata")
@pytest.mark.spark_behaviour
def test_a_topic_that_is_not_there_is_named(bench: Workbench, tmp_path: Path, job: str) -> None:
    run, told = UNKNOWN[job]
    with pytest.raises(KafkaCompatError, match=told):
        run(bench, bench.bootstrap_servers, str(tmp_path / "it"))
    bench.saw("refused", job)


@pytest.mark.api("Produce", "Fetch", "ListOffsets")
@pytest.mark.spark_behaviour
def test_a_range_without_records_is_no_error(bench: Workbench, topic: str, tmp_path: Path) -> None:
    bench.create(topic, 2)
    path = str(tmp_path / "archive")
    spec = ArchiveSpec(path, bench.bootstrap_servers, topics=topic)
    assert archive(bench.spark, spec) == (0, 0, 0, 0, 0)
    with pytest.raises(ArchiveError, match="is no archive: it has no manifests"):
        verify_archive(bench.spark, path)
    of_nothing = CaptureSpec(str(tmp_path / "it.kcf"), bench.bootstrap_servers, topics=topic, from_ms=1, until_ms=2)
    assert capture(bench.spark, of_nothing).records == 0
    with Cluster(fixture=of_nothing.out) as kafka:
        assert kafka.records(topic) == []
    bench.send(topic, 0, range(3))
    assert archive(bench.spark, spec).records == 3
    nothing = ReplaySpec(
        path, bench.bootstrap_servers, topic_map={topic: f"{topic}-other"}, until_offsets={(topic, 0): 0}
    )
    report = replay(bench.spark, nothing)
    assert (report.partitions, report.sent) == (0, 0)
    again = ReplaySpec(path, bench.bootstrap_servers, resume=report.replay_id)
    assert (replay(bench.spark, again).sent, bench.read(subscribe=f"{topic}-other").count()) == (0, 0)
    none = import_archive(bench.spark, ImportSpec(path, str(tmp_path / "data"), until_offsets={(topic, 0): 0}))
    bench.saw("records", none.records)
    assert none.records == 0


@pytest.mark.parametrize(
    "job", ["archive", *(pytest.param(job, marks=pytest.mark.full) for job in ("capture", "import"))]
)
@pytest.mark.api("Produce")
@pytest.mark.once  # all that is tested happens between files
@pytest.mark.spark_behaviour
def test_a_disk_that_is_full_is_said_and_the_next_run_is_whole(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str, tmp_path: Path, job: str
) -> None:
    """Between two runs there is more space."""
    broker = new_broker()
    bench = workbench(broker)
    bench.create(topic, 1)
    chance = random.Random(1)
    values = [chance.randbytes(VALUE_BYTES) for _ in range(VALUES)]
    bench.send_records(topic, 0, [(None, value, ()) for value in values])
    broker.stop()
    (directory,) = broker.data_dirs
    of_files = ["--log-dir", str(directory), "--topics", topic]
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    disk.mkdir()
    if job == "archive":
        command = ["archive", *of_files, "--to", str(disk / "made"), "--max-records", "600"]
    elif job == "capture":
        command = ["capture", *of_files, "--out", str(disk / "made")]
    else:
        archive(bench.spark, ArchiveSpec(str(tmp_path / "archive"), log_dirs=(str(directory),), topics=topic))
        command = ["import", "--from", str(tmp_path / "archive"), "--log-dir", str(disk / "made")]
    without_jars = [each for each in settings() if not each.startswith("--conf=spark.jars=")]  # Spark copies them
    verb = [sys.executable, "-m", "kafkacompat", "spark", *command, *without_jars, f"--conf=spark.local.dir={tmp_path}"]
    done = subprocess.run(
        [*small_then_large(kept), str(disk), *verb], cwd=tmp_path, capture_output=True, text=True, timeout=15 * WAIT_S
    )
    told = [line for line in done.stderr.splitlines() if line.startswith(("kafkacompat:", "status"))]
    assert done.returncode == 0, done.stderr
    assert told[-1] == "status 1", done.stderr
    assert re.search("No space left on device|File too large", told[0]), done.stderr
    assert json.loads(done.stdout)["records"] == VALUES
    if job == "archive":
        verdict = verify_archive(bench.spark, str(kept))
        assert (verdict.records, verdict.findings, verdict.unlisted) == (VALUES, (), 0)
        assert not list(kept.rglob("*.part"))
    elif job == "capture":
        with Cluster(fixture=kept) as kafka:
            assert [each.value for each in kafka.records(topic, limit=2 * VALUES)] == values
    else:
        target = new_broker()
        target.stop()
        (there,) = target.data_dirs
        shutil.rmtree(there)
        shutil.move(kept, there)
        target.start()
        found = workbench(target).consumed(topic)
        assert [each.value for each in found] == values
    bench.saw("records", VALUES)


@pytest.mark.api("Produce", "Fetch", "ListOffsets")
@pytest.mark.spark_behaviour
def test_two_imports_into_one_directory(
    bench: Workbench, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one is refused while the first one writes, and changes nothing of it."""
    bench.create(topic, 1)
    bench.send(topic, 0, range(3))
    path = str(tmp_path / "archive")
    archive(bench.spark, ArchiveSpec(path, bench.bootstrap_servers, topics=topic))
    spec = ImportSpec(path, str(tmp_path / "data"))
    whole, told = archive_importer.finish, list[str]()

    def finish(*given: object) -> None:
        with pytest.raises(ArchiveError, match=r"another run writes .*data") as caught:
            import_archive(bench.spark, spec)
        told.append(str(caught.value))
        whole(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(archive_importer, "finish", finish)
        assert import_archive(bench.spark, spec).records == 3
    assert len(told) == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["archive", "data"]
    bench.saw("refused", told[0].rpartition(" is running")[1])


@pytest.mark.api("Produce")
@pytest.mark.spark_behaviour
def test_a_directory_that_a_broker_writes_is_read_up_to_its_high_watermark(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str, tmp_path: Path
) -> None:
    """What is behind it is left to the next run, and an audit takes nothing of it for damage."""
    broker = new_broker()
    bench = workbench(broker)
    bench.create(topic, 1)
    bench.send(topic, 0, range(50))
    broker.stop()  # which writes the high watermarks
    broker.start()
    bench = workbench(broker)
    bench.send(topic, 0, range(50, 80))
    log_dirs = tuple(map(str, broker.data_dirs))
    spec = ArchiveSpec(str(tmp_path / "archive"), log_dirs=log_dirs, topics=topic)
    first = archive(bench.spark, spec).records
    assert 50 <= first <= 80
    captured = capture(bench.spark, CaptureSpec(str(tmp_path / "it.kcf"), log_dirs=log_dirs, topics=topic)).records
    assert first <= captured <= 80
    assert audit_log(bench.spark, list(log_dirs), topics=topic).findings == ()
    broker.stop()
    assert archive(bench.spark, spec).records == 80 - first
    values = read_archive(bench.spark, spec.path).sort("offset").selectExpr("cast(value as string)").collect()
    bench.saw("values", len(values))
    assert [row[0] for row in values] == [str(n) for n in range(80)]
