"""The jobs that `kills.py` kills: how each is run, as a command and in a session, and what it must have made."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from compat_tests.broker_process import Broker
from kafkacompat import Cluster
from kafkacompat.spark import (
    ArchiveSpec,
    CaptureSpec,
    ImportSpec,
    ReplaySpec,
    archive,
    capture,
    import_archive,
    read_archive,
    replay,
    verify_archive,
)

TOPIC = "killed"
DRIVER, WORKER, BROKER = "driver", "worker", "broker"
"""WORKER: one of Spark's Python workers."""
EXECUTOR, NODE = "executor", "node"
"""Of a standalone cluster. NODE: a worker with its executors."""
TARGETS = (DRIVER, WORKER, BROKER, EXECUTOR, NODE)
COLUMNS = ("key", "value", "partition", "offset", "timestamp", "timestampType", "headers")
BATCH_RECORDS, CHUNK_OFFSETS = 700, 500
COMMITTED = "read_committed"


class Place(NamedTuple):
    """Where a job reads and writes. number: of the round, so that each has targets of its own."""

    broker: Broker
    spark: SparkSession
    archive: Path
    folder: Path
    number: int

    def read(self, servers: str, topic: str) -> DataFrame:
        """What a reader of committed records sees."""
        reader = self.spark.read.format("kafka").options(subscribe=topic, includeHeaders="true")
        reader = reader.option("kafka.bootstrap.servers", servers).option("kafka.isolation.level", COMMITTED)
        return reader.load().select(*COLUMNS)


class DifferenceError(Exception):
    """What a job has made is not what was to be made."""


def compare(found: DataFrame, expected: DataFrame) -> int:
    """How many records there are. Raises DifferenceError."""
    found, expected = found.cache(), expected.cache()
    extra, missing = found.exceptAll(expected).count(), expected.exceptAll(found).count()
    count = int(found.count())
    found.unpersist()
    expected.unpersist()
    if extra or missing:
        raise DifferenceError(f"{missing} records are missing, and {extra} are there that should not be, of {count}")
    return count


class Archive:
    """The topic is archived; each round into another archive. A job from Kafka to Parquet has no Python workers."""

    kills: tuple[str, ...] = (DRIVER, BROKER)

    def command(self, at: Place) -> list[str]:
        return ["archive", "-b", at.broker.bootstrap_servers, "--topics", TOPIC, "--to", str(at.folder / "made"),
                "--max-records", str(BATCH_RECORDS), "--isolation", COMMITTED, "--allow-gaps"]  # fmt: skip

    def run(self, at: Place) -> None:
        spec = ArchiveSpec(str(at.folder / "made"), at.broker.bootstrap_servers, topics=TOPIC)
        archive(at.spark, spec._replace(max_records=BATCH_RECORDS, isolation=COMMITTED, allow_gaps=True))

    def check(self, at: Place) -> int:
        path = str(at.folder / "made")
        verdict = verify_archive(at.spark, path)
        if verdict.findings:
            raise DifferenceError("; ".join(verdict.findings))
        found = read_archive(at.spark, path).select(*COLUMNS)
        return compare(found, at.read(at.broker.bootstrap_servers, TOPIC))


class ArchiveOfFiles(Archive):
    """The same from the files of the broker, which Python workers read. It goes on serving them to who compares."""

    kills = (DRIVER, WORKER)

    def command(self, at: Place) -> list[str]:
        _, _, _, *others = super().command(at)
        return ["archive", *(f"--log-dir={path}" for path in at.broker.data_dirs), *others]

    def run(self, at: Place) -> None:
        spec = ArchiveSpec(str(at.folder / "made"), log_dirs=tuple(map(str, at.broker.data_dirs)), topics=TOPIC)
        archive(at.spark, spec._replace(max_records=BATCH_RECORDS, isolation=COMMITTED, allow_gaps=True))


class Capture:
    """A fixture of the topic is written; a cluster that starts with it must have the same."""

    kills = (DRIVER, WORKER, BROKER)

    def command(self, at: Place) -> list[str]:
        return ["capture", "-b", at.broker.bootstrap_servers, "--topics", TOPIC, "--out", str(at.folder / "made.kcf"),
                "--isolation", COMMITTED]  # fmt: skip

    def run(self, at: Place) -> None:
        out, servers = str(at.folder / "made.kcf"), at.broker.bootstrap_servers
        capture(at.spark, CaptureSpec(out, servers, topics=TOPIC, isolation=COMMITTED))

    def check(self, at: Place) -> int:
        with Cluster(fixture=str(at.folder / "made.kcf")) as kafka:
            return compare(at.read(kafka.bootstrap_servers, TOPIC), at.read(at.broker.bootstrap_servers, TOPIC))


class Import:
    """The archive becomes the directory of a new broker of the same kind, which must serve the same."""

    kills = (DRIVER, WORKER)

    def command(self, at: Place) -> list[str]:
        return ["import", "--from", str(at.archive), "--log-dir", str(at.folder / "made"),
                "--chunk-offsets", str(CHUNK_OFFSETS)]  # fmt: skip

    def run(self, at: Place) -> None:
        spec = ImportSpec(str(at.archive), str(at.folder / "made"), chunk_offsets=CHUNK_OFFSETS)
        import_archive(at.spark, spec)

    def check(self, at: Place) -> int:
        target = type(at.broker)()
        try:
            target.start()
            target.stop()
            (directory,) = target.data_dirs
            shutil.rmtree(directory)
            shutil.move(at.folder / "made", directory)
            target.start()
            return compare(at.read(target.bootstrap_servers, TOPIC), at.read(at.broker.bootstrap_servers, TOPIC))
        finally:
            target.close()


class Replay:
    """The archive is replayed in transactions; each round into another topic."""

    kills = (DRIVER, WORKER, BROKER)

    def command(self, at: Place) -> list[str]:
        common = ["replay", "--from", str(at.archive), "-b", at.broker.bootstrap_servers]
        begun = _begun(at)
        if begun is not None:
            return [*common, "--resume", begun]
        return [*common, "--topic-map", f"{TOPIC}={_target(at)}", "--transactional"]

    def run(self, at: Place) -> None:
        begun, spec = _begun(at), ReplaySpec(str(at.archive), at.broker.bootstrap_servers)
        new = spec._replace(topic_map={TOPIC: _target(at)}, is_transactional=True)
        replay(at.spark, new if begun is None else spec._replace(resume=begun))

    def check(self, at: Place) -> int:
        servers = at.broker.bootstrap_servers
        return compare(_numbered(at.read(servers, _target(at))), _numbered(at.read(servers, TOPIC)))


def _target(at: Place) -> str:
    return f"target-{at.number}"


def _begun(at: Place) -> str | None:
    """The id of the replay that a run of this round has begun, if any."""
    begun = sorted(at.archive.glob("replays/*.json"), key=lambda path: path.stat().st_mtime)
    return next((path.stem for path in reversed(begun) if f'"{_target(at)}"' in path.read_text()), None)


def _numbered(frame: DataFrame) -> DataFrame:
    """With the place in the partition instead of the offset: markers take offsets."""
    place = F.row_number().over(Window.partitionBy("partition").orderBy("offset"))
    return frame.withColumn("place", place).drop("offset")


Job = Archive | Capture | Import | Replay
JOBS: dict[str, Callable[[], Job]] = {
    "archive": Archive, "archive-files": ArchiveOfFiles, "capture": Capture, "import": Import, "replay": Replay,
}  # fmt: skip


def targets_of(job: str, given: str | None, *, on_cluster: bool) -> tuple[str, ...]:
    """What is killed, of names with commas between them; all that the job has, if None.

    Raises ValueError for what this job does not have.
    """
    can = (*JOBS[job]().kills, *((EXECUTOR, NODE) if on_cluster else ()))
    wanted = can if given is None else tuple(given.split(","))
    if unknown := sorted({*wanted} - {*can}):
        raise ValueError(f"{job} has no {', '.join(unknown)} to kill: {', '.join(can)}")
    return wanted
