"""`python -m compat_tests.spark.long_run --gigabytes 10`: the whole pipeline on many generated records.

A topic is filled, archived in batches and checked; the archive becomes the directory of a new broker, which is audited
and started, and is replayed into another topic of the first broker. The digest of all records (keys, values, headers,
timestamps and offsets) is the same everywhere; what was replayed has the same count and the same sum of hashes. Each
step is a line with its time and rate. It needs five times the size on the disk of `TMPDIR`, Java and Maven.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from compat_tests.broker_process import Broker, remove_directory, scratch_directory
from compat_tests.clients.confluent_kafka import using as confluent
from compat_tests.spark.kills import BROKERS, session
from kafkacompat.spark import (
    ArchiveSpec,
    ImportSpec,
    ReplaySpec,
    archive,
    audit_log,
    import_archive,
    register,
    replay,
    verify_archive,
)
from kafkacompat.spark.archives.archive_digest import by_partition, digest_of
from kafkacompat.spark.archives.archive_sources import POLL_RECORDS

TOPIC, AGAIN = "long", "again"
PARTITIONS, VALUES = 6, 1024
"""Values are taken in turns, so that zstd of the archive has something to do and generating is not what takes long."""
SPACE = 5
FLUSH_S = 600
CODECS = ("none", "lz4", "zstd", "snappy", "gzip")
"""Of each fifth of the records."""


def fill(broker: Broker, gigabytes: float, value_bytes: int) -> int:
    """Write the records; how many."""
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    confluent.create(admin, TOPIC, PARTITIONS, config={"retention.ms": "-1"})
    confluent.create(admin, AGAIN, PARTITIONS, config={"retention.ms": "-1"})
    chance = random.Random(1)
    values = [chance.randbytes(value_bytes // 2) + bytes(value_bytes - value_bytes // 2) for _ in range(VALUES)]
    count = int(gigabytes * 1e9 / value_bytes)
    for part, codec in enumerate(CODECS):
        producer = Producer({
            "bootstrap.servers": broker.bootstrap_servers, "linger.ms": 20, "compression.type": codec,
            "queue.buffering.max.kbytes": 131072, "queue.buffering.max.messages": 0,
        })  # fmt: skip
        for number in range(count * part // len(CODECS), count * (part + 1) // len(CODECS)):
            headers = [("n", b"%d" % number)] if number % 3 == 0 else None
            value = None if number % 97 == 0 else values[number % VALUES]
            while True:
                try:
                    producer.produce(TOPIC, value, b"k%d" % (number % 100_003), number % PARTITIONS, headers=headers)
                    break
                except BufferError:
                    producer.poll(1)
        if producer.flush(FLUSH_S):
            raise SystemExit("records could not be written")
    return count


def digests(frame: DataFrame) -> dict[int, tuple[int, int]]:
    """Count and digest of each partition."""
    return {row["partition"]: (row["records"], digest_of(row.asDict())) for row in by_partition(frame).collect()}


def contents(frame: DataFrame) -> list[tuple[int, int, int]]:
    """The same without offsets: count and a sum of hashes by partition."""
    hashed = F.xxhash64("key", "value", "timestamp", F.to_json("headers")) % (1 << 31)
    found = frame.groupBy("partition").agg(F.count("*").alias("n"), F.sum(hashed).alias("sum"))
    return sorted((row["partition"], row["n"], row["sum"]) for row in found.collect())


class Steps:
    """Says how long each step took. `failed`: what did not hold."""

    def __init__(self, size_bytes: float) -> None:
        self._size_bytes = size_bytes
        self.failed: list[str] = []

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        began_s = time.monotonic()
        yield
        took_s = time.monotonic() - began_s
        print(f"{name}: {took_s:.0f} s, {self._size_bytes / took_s / 1e6:.0f} MB/s", flush=True)

    def holds(self, what: str, is_so: bool) -> None:
        print(f"  {what}: {'yes' if is_so else 'NO'}", flush=True)
        self.failed += [] if is_so else [what]


def run(broker: Broker, folder: Path, gigabytes: float, value_bytes: int, max_records: int) -> list[str]:
    """All steps. Returns what did not hold."""
    steps, lake, servers = Steps(gigabytes * 1e9), str(folder / "lake"), broker.bootstrap_servers
    with steps.step("written"):
        count = fill(broker, gigabytes, value_bytes)
    with session(folder) as spark:
        register(spark)
        reader = spark.read.format("kafka").option("kafka.max.poll.records", POLL_RECORDS)
        reader = reader.option("kafka.bootstrap.servers", servers).option("includeHeaders", "true")
        with steps.step("read with Spark"):
            expected = digests(reader.option("subscribe", TOPIC).load())
        steps.holds(f"{count:,} records", sum(records for records, _ in expected.values()) == count)
        with steps.step("archived"):
            report = archive(spark, ArchiveSpec(lake, servers, topics=TOPIC, max_records=max_records))
        steps.holds(f"all of them archived, in {report.batches} batches", report.records == count)
        with steps.step("checked"):
            steps.holds("the archive is sound", verify_archive(spark, lake).is_sound)
        with steps.step("imported"):
            imported = import_archive(spark, ImportSpec(lake, str(folder / "data"), compression="lz4"))
        steps.holds("all of them imported", imported.records == count)
        with steps.step("audited"):
            steps.holds("no damage", audit_log(spark, [str(folder / "data")], topics=TOPIC).is_clean)
        files = spark.read.format("kafkacompat-log").option("includeHeaders", "true").load(str(folder / "data"))
        with steps.step("read from its files"):
            steps.holds("the same digests", digests(files) == expected)
        with steps.step("replayed"):
            replayed = replay(spark, ReplaySpec(lake, servers, topic_map={TOPIC: AGAIN}, compression="zstd"))
        steps.holds("all of them replayed", replayed.sent == count)
        with steps.step("compared"):
            again = reader.option("subscribe", AGAIN).load()
            steps.holds("the same contents", contents(again) == contents(files))
    return steps.failed


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="python -m compat_tests.spark.long_run", description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=10.0, help="of values (default: %(default)s)")
    parser.add_argument("--value-bytes", type=int, default=1000)
    parser.add_argument("--max-records", type=int, default=2_000_000, help="of a batch of the archive")
    parser.add_argument("--broker", choices=BROKERS, default="kafkacompat")
    given = parser.parse_args()
    folder, broker = scratch_directory("spark-long-"), BROKERS[given.broker]()
    free, needed = shutil.disk_usage(folder).free, int(SPACE * given.gigabytes * 1e9)
    try:
        if free < needed:
            print(f"{folder} has {free / 1e9:.0f} GB free, and {needed / 1e9:.0f} are needed: set TMPDIR")
            return 1
        broker.start()
        failed = run(broker, folder, given.gigabytes, given.value_bytes, given.max_records)
    finally:
        broker.close()
        remove_directory(folder)
    print("FAILED: " + "; ".join(failed) if failed else "everything holds")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
