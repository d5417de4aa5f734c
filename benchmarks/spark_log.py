"""`python -m benchmarks.spark_log`: reading segment files with Spark, beside Spark's own Kafka source and Parquet scan.

First without Spark, on one core: records decoded in columns, the same ones one by one, and batches without records.
Then in one session with one task at a time: the files, the same topic through `format("kafka")` from a broker of ours
in a process of its own, and the same records as Parquet. Rates are per CPU second, of Python alone, or of Spark's JVM
and its Python workers together: the best of some rounds that take turns. At last the files alone, with one task at a
time and with two: rates by the clock and by CPU, and the memory of a Python worker. Needs Java and Maven.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import psutil
from confluent_kafka import Producer
from pyspark.sql import DataFrame, SparkSession

from benchmarks.measure import memory_mb
from benchmarks.spark_bars import READER_LARGE, READER_PARQUET, READER_SMALL, SMALL_BYTES
from benchmarks.spark_run import SparkRun, add_out
from compat_tests.spark.versions import spark_jars
from kafkacompat import Cluster
from kafkacompat.protocol.records.batch import split as split_batches
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.spark import register
from kafkacompat.spark.archives.archive_sources import POLL_RECORDS
from kafkacompat.spark.log.fields import BATCH_FIELDS, RECORD_FIELDS
from kafkacompat.spark.log.read_damage import FAIL, DamageHandler
from kafkacompat.spark.log.segment_reader import read_split
from kafkacompat.spark.log.split import Reading, Split

TOPIC = "bench"
ENDLESS = 1 << 62
TASKS = (1, 2)
"""At a time."""
SPLITS = 4
"""Into which the file is cut there."""
COLUMNS, ONE_BY_ONE, FILES, PARQUET = "in columns, all", "one by one", "segment files", "Parquet"


def fill(cluster: Cluster, records: int, value_bytes: int) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 20, "batch.size": 16_384})
    values = [random.Random(n).randbytes(value_bytes) for n in range(64)]
    for number in range(records):
        producer.produce(TOPIC, values[number % 64], b"key%06d" % number, 0)
        if number % 10_000 == 0:
            producer.flush()
    producer.flush()


def python_rates(run: SparkRun, path: Path, records: int, rounds: int) -> Iterator[tuple[str, float, float]]:
    """Name, records and MB for each CPU second."""
    size = path.stat().st_size
    whole = Split(TOPIC, 0, str(path), 0, size, 0, ENDLESS)

    def columns(names: list[str], *, is_by_batch: bool = False) -> int:
        reading = Reading(names, is_by_batch)
        return sum(batch.num_rows for batch in read_split(whole, reading, DamageHandler(FAIL)))

    def one_by_one() -> int:
        data = path.read_bytes()
        return sum(
            len([(r.key, r.value, TOPIC, 0, r.offset, r.timestamp, 0) for r in read_records(data, at, header)])
            for at, header in split_batches(data)
        )

    cases: dict[str, Callable[[], int]] = {
        COLUMNS: lambda: columns(list(RECORD_FIELDS)),
        "in columns, offset and value": lambda: columns(["offset", "value"]),
        ONE_BY_ONE: one_by_one,
        "batches with checksums": lambda: columns(list(BATCH_FIELDS), is_by_batch=True),
    }
    best = dict.fromkeys(cases, float("inf"))
    for _ in range(rounds):
        for name, case in cases.items():
            began = time.process_time()
            found = case()
            best[name] = min(best[name], time.process_time() - began)
            assert found == records or name.startswith("batches")
    for name, seconds in best.items():
        yield name, records / seconds, size / seconds / 1e6
    bar = READER_SMALL if size / records <= SMALL_BYTES else READER_LARGE
    run.judge(bar, best[ONE_BY_ONE] / best[COLUMNS])


def spark_rates(
    run: SparkRun, spark: SparkSession, frames: dict[str, DataFrame], records: int, size: int, rounds: int
) -> Iterator[tuple[str, float, float]]:
    best = dict.fromkeys(frames, float("inf"))
    sums: set[Any] = set()
    for number in range(rounds + 1):  # the first warms up
        for name, frame in frames.items():
            began = cpu_seconds(spark)
            (row,) = frame.selectExpr("count(*)", "sum(offset)", "sum(length(value))", "sum(length(key))").collect()
            if number:
                best[name] = min(best[name], cpu_seconds(spark) - began)
            sums.add(tuple(row))
    assert len(sums) == 1, sums
    assert next(iter(sums))[0] == records
    for name, seconds in best.items():
        yield name, records / seconds, size / seconds / 1e6
    run.judge(READER_PARQUET, best[PARQUET] / best[FILES])


def cpu_seconds(spark: SparkSession) -> float:
    """CPU time of Spark's JVM and its Python workers."""
    return sum(sum(process.cpu_times()[:4]) for process in processes_of(spark))


def by_tasks(run: SparkRun, folder: Path, where: str, size: int, records: int, rounds: int) -> Iterator[str]:
    """For each number of tasks at a time: records a second and a CPU second, and what a Python worker and Spark's JVM
    take of memory, in MB. The JVM is that of the sessions before, so its memory is what it takes when it is given 1 GB.
    """
    for tasks in TASKS:
        spark = session(folder, tasks)
        reader = spark.read.format("kafkacompat-log").options(bounds="all", subscribe=TOPIC)
        frame = reader.option("splitBytes", max(size // SPLITS, 1)).load(where)
        found = []
        for _ in range(rounds + 1):  # the first warms up
            began, began_s = cpu_seconds(spark), time.monotonic()
            assert frame.selectExpr("sum(length(value))", "count(offset)").collect()[0][1] == records
            found.append((time.monotonic() - began_s, cpu_seconds(spark) - began))
        wall_s, cpu_s = (min(times) for times in zip(*found[1:], strict=True))
        jvm, *workers = processes_of(spark)
        worker_mb, jvm_mb = max(peaks_mb(workers)), memory_mb(jvm.pid)[1]
        run.keep(
            f"tasks: {tasks}", records_a_second=records / wall_s, records_a_cpu_second=records / cpu_s,
            worker_mb=worker_mb, jvm_mb=jvm_mb,
        )  # fmt: skip
        yield f"| {tasks} | {records / wall_s:,.0f} | {records / cpu_s:,.0f} | {worker_mb:.0f} | {jvm_mb:.0f} |"
        spark.stop()


def peaks_mb(processes: Iterable[psutil.Process]) -> Iterator[float]:
    """The highest memory of those that have not ended: of a process without work Spark makes an end."""
    for each in processes:
        with contextlib.suppress(KeyError, OSError):
            yield memory_mb(each.pid)[1]


def processes_of(spark: SparkSession) -> list[psutil.Process]:
    """Spark's JVM, and behind it its Python workers."""
    jvm = psutil.Process(spark.sparkContext._gateway.proc.pid)  # type: ignore[union-attr]  # noqa: SLF001
    return [jvm, *jvm.children(recursive=True)]


def session(folder: Path, tasks: int = 1) -> SparkSession:
    """With so many tasks at a time."""
    import pyspark

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    settings = {
        "spark.jars": ",".join(map(str, spark_jars(pyspark.__version__))), "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false", "spark.driver.host": "127.0.0.1", "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"), "spark.sql.session.timeZone": "UTC",
    }  # fmt: skip
    builder = SparkSession.builder.master(f"local[{tasks}]").appName("benchmark")
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    register(made)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=500_000)
    parser.add_argument("--value-bytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-spark", action="store_true")
    add_out(parser)
    given = parser.parse_args()
    run = SparkRun(given)
    with tempfile.TemporaryDirectory(prefix="spark-log-") as scratch:
        folder = Path(scratch)
        with Cluster(topics={TOPIC: 1}, data_dir=folder / "data", processes=True) as cluster:
            fill(cluster, given.records, given.value_bytes)
            (path,) = folder.glob(f"data/**/{TOPIC}-0/*.log")
            size = path.stat().st_size
            print(f"{given.records:,} records of {given.value_bytes} B, {size / 1e6:.0f} MB, {os.cpu_count()} cores")
            run.show_rates("Python alone", python_rates(run, path, given.records, given.rounds))
            if not given.no_spark:
                spark = session(folder)
                reader = spark.read.format("kafka").option("kafka.bootstrap.servers", cluster.bootstrap_servers)
                kafka = reader.option("subscribe", TOPIC).option("kafka.max.poll.records", POLL_RECORDS).load()
                files = spark.read.format("kafkacompat-log").option("bounds", "all").option("subscribe", TOPIC)
                where = str(path.parent.parent)
                files.load(where).write.parquet(str(folder / "parquet"))
                frames = {
                    FILES: files.load(where),
                    "segment files, three columns": files.schema("key binary, value binary, offset bigint").load(where),
                    'format("kafka")': kafka,
                    PARQUET: spark.read.parquet(str(folder / "parquet")),
                }
                run.show_rates(
                    f"Spark {spark.version}, one core",
                    spark_rates(run, spark, frames, given.records, size, given.rounds),
                )
                spark.stop()
                print("\n| tasks | records a second | records a CPU second | worker, MB | JVM, MB |")
                print("|---" * 5 + "|")
                for line in by_tasks(run, folder, where, size, given.records, given.rounds):
                    print(line, flush=True)
    run.write()


if __name__ == "__main__":
    main()
