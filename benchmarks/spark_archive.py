"""`python -m benchmarks.spark_archive`: archiving a topic, beside a scan of the same records that keeps nothing.

In one session with one task at a time: a scan through Spark's Kafka source into `noop`, the archive of the same topic,
a scan of the broker's files and their archive, a plain write of the records to Parquet without manifests and checks,
and the check of an archive. Rates are per CPU second of Spark's JVM and its Python workers: the best of some rounds
that take turns. Needs Java and Maven.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from benchmarks.spark_bars import ARCHIVE_FILES, ARCHIVE_KAFKA
from benchmarks.spark_log import TOPIC, cpu_seconds, fill, session
from benchmarks.spark_run import SparkRun, add_out
from kafkacompat import Cluster
from kafkacompat.spark import ArchiveSpec, archive, verify_archive
from kafkacompat.spark.archives.archive_sources import POLL_RECORDS

KAFKA, FILES, PARQUET = 'format("kafka") into noop', "segment files into noop", "Parquet without checks"
OF_KAFKA, OF_FILES = 'archive through format("kafka")', "archive of segment files"


def rates(
    run: SparkRun, spark: SparkSession, cases: dict[str, Callable[[], object]], records: int, size: int, rounds: int
) -> Iterator[tuple[str, float, float]]:
    """Name, records and MB for each CPU second; then the archives as parts of their scans."""
    best = dict.fromkeys(cases, float("inf"))
    for number in range(rounds + 1):  # the first warms up
        for name, case in cases.items():
            began = cpu_seconds(spark)
            case()
            if number:
                best[name] = min(best[name], cpu_seconds(spark) - began)
    for name, seconds in best.items():
        yield name, records / seconds, size / seconds / 1e6
    for name, scan in ((OF_KAFKA, KAFKA), (OF_FILES, FILES)):
        run.keep(name, of_its_scan=best[scan] / best[name])
        print(f"{name}: {best[scan] / best[name]:.2f} of the rate of its scan")
    for name, bar in ((OF_KAFKA, ARCHIVE_KAFKA), (OF_FILES, ARCHIVE_FILES)):
        run.judge(bar, best[PARQUET] / best[name])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=500_000)
    parser.add_argument("--value-bytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    add_out(parser)
    given = parser.parse_args()
    run = SparkRun(given)
    with tempfile.TemporaryDirectory(prefix="spark-archive-") as scratch:
        folder = Path(scratch)
        with Cluster(topics={TOPIC: 1}, data_dir=folder / "data", processes=True) as cluster:
            fill(cluster, given.records, given.value_bytes)
            (path,) = folder.glob(f"data/**/{TOPIC}-0/*.log")
            logs = folder / "logs"
            cluster.stop()  # which writes the high watermarks
            shutil.copytree(path.parent.parent, logs)
            cluster.start()
            size = path.stat().st_size
            print(f"{given.records:,} records of {given.value_bytes} B, {size / 1e6:.0f} MB, {os.cpu_count()} cores")
            spark = session(folder)
            reader = spark.read.format("kafka").options(subscribe=TOPIC, includeHeaders="true")
            reader = reader.option("kafka.bootstrap.servers", cluster.bootstrap_servers)
            kafka = reader.option("kafka.max.poll.records", POLL_RECORDS).load()
            files = spark.read.format("kafkacompat-log").options(includeHeaders="true").load(str(logs))
            to = str(folder / "archive")

            def archived(spec: ArchiveSpec) -> None:
                shutil.rmtree(to, ignore_errors=True)
                assert archive(spark, spec).records == given.records

            cases: dict[str, Callable[[], object]] = {
                KAFKA: lambda: into_noop(kafka),
                FILES: lambda: into_noop(files),
                PARQUET: lambda: files.write.mode("overwrite").parquet(str(folder / "parquet")),
                OF_FILES: lambda: archived(ArchiveSpec(to, log_dirs=(str(logs),))),
                OF_KAFKA: lambda: archived(ArchiveSpec(to, cluster.bootstrap_servers)),
                "verify_archive": lambda: verify_archive(spark, to),
            }
            title = f"Spark {spark.version}, one core"
            run.show_rates(title, rates(run, spark, cases, given.records, size, given.rounds))
            spark.stop()
    run.write()


def into_noop(frame: DataFrame) -> None:
    """Read all columns of all records."""
    frame.write.format("noop").mode("overwrite").save()


if __name__ == "__main__":
    main()
