"""`python -m benchmarks.spark_kafka`: Spark's Kafka source and sink on this broker and on Apache Kafka.

Both brokers run as processes of their own with the same records in batches of the same size, and are measured in turns,
the first round of each being thrown away. A case is what Spark does with them: scans of values and codecs (B1), with
Spark's defaults and with tuned ones (B2), a stream that takes what is there in batches (B3), an archive (B4), writing
(B5), how late records come at a steady rate (B6), more tasks than partitions (B7), a pattern over many topics (B8); and
without a broker its segment files and Parquet (B9). What was read is compared between the brokers: count, offsets and a
hash of all values. The ratio is that of medians of the wall time. 10 GB: `--megabytes
10000 --value-bytes 1000 --codecs none --rounds 1`, with 60 GB of disk. Needs Java and Maven.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pyspark
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]
from pyspark.sql import DataFrame, SparkSession

from benchmarks.measure import memory_mb
from benchmarks.spark_archive import into_noop
from benchmarks.spark_log import cpu_seconds, session
from compat_tests.apache_kafka import DEFAULT_JVM_OPTIONS, ApacheKafka
from compat_tests.broker_process import Broker
from compat_tests.kafkacompat_broker import KafkacompatBroker
from kafkacompat.spark import ArchiveSpec, archive
from kafkacompat.spark.archives.archive_sources import POLL_RECORDS

OURS, KAFKA = "kafkacompat", "apache-kafka"
PARTITIONS = 3
BATCH_BYTES = 16_384
WAIT_S = 120
TUNED = {
    "kafka.max.poll.records": POLL_RECORDS, "kafka.max.partition.fetch.bytes": "8388608",
    "kafka.receive.buffer.bytes": "-1",
}  # fmt: skip
STEADY_RATE = 2000
"""Records a second."""
REAL_TIME_SINCE = (4, 2)
"""The first Spark that has this mode for Kafka."""
TOLERANCE = 0.01
"""Of the bytes of both brokers' logs: their batches are the same but for how a client's timer cuts the last ones."""


class Figures(NamedTuple):
    """Of one run. value: what the case itself measures, in ms; 0 for those that are timed."""

    wall_s: float
    spark_cpu_s: float
    broker_cpu_s: float
    rows: int
    value: float = 0.0


class At(NamedTuple):
    """Where a case runs."""

    spark: SparkSession
    broker: Broker
    folder: Path
    round: int
    steady_s: float = 10.0
    """How long records come at a steady rate."""

    def read(self, topic: str, **options: str) -> DataFrame:
        reader = self.spark.read.format("kafka").option("subscribe", topic).options(**options)
        return reader.option("kafka.bootstrap.servers", self.broker.bootstrap_servers).load()


Case = Callable[[At], tuple[int, float]]
"""Rows, and what the case itself measures."""


def topics_of(sizes: list[int], codecs: list[str], megabytes: int) -> dict[str, tuple[int, str, int]]:
    """Names, with bytes of a value, codec, and how many records of each partition."""
    return {f"b1-{size}-{codec}": (size, codec, megabytes * 1_000_000 // size // PARTITIONS)
            for size in sizes for codec in codecs}  # fmt: skip


def fill(broker: Broker, topic: str, value_bytes: int, codec: str, each: int) -> None:
    """The same records in each partition, half of each value random."""
    per_batch = max(BATCH_BYTES // (value_bytes + 20), 1)
    producer = Producer({
        "bootstrap.servers": broker.bootstrap_servers, "compression.type": codec, "linger.ms": 1000,
        "batch.num.messages": per_batch, "batch.size": 1_000_000, "queue.buffering.max.messages": 0,
    })  # fmt: skip
    values = [random.Random(n).randbytes(value_bytes // 2) + b"v" * (value_bytes - value_bytes // 2) for n in range(64)]
    create(broker, [topic], PARTITIONS)
    for number in range(each):
        for partition in range(PARTITIONS):
            producer.produce(topic, values[number % 64], b"key%06d" % number, partition, timestamp=BASE_MS + number)
        if number % 1000 == 0:
            producer.poll(0)
    assert producer.flush(WAIT_S) == 0


BASE_MS = int(time.time()) * 1000 - 3_600_000


def create(broker: Broker, topics: list[str], partitions: int) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    for future in admin.create_topics([NewTopic(name, partitions, 1) for name in topics]).values():
        future.result(WAIT_S)


def scan(topic: str, **options: str) -> Case:
    """All columns of a topic, kept nowhere."""

    def run(at: At) -> tuple[int, float]:
        into_noop(at.read(topic, **options))
        return 0, 0.0

    return run


def stream(topic: str, rows: int) -> Case:
    """Available now, in four batches."""

    def run(at: At) -> tuple[int, float]:
        reader = at.spark.readStream.format("kafka").options(subscribe=topic, startingOffsets="earliest", **TUNED)
        reader = reader.option("kafka.bootstrap.servers", at.broker.bootstrap_servers)
        frame = reader.option("maxOffsetsPerTrigger", max(rows // 4, 1)).load()
        query = frame.writeStream.format("noop").trigger(availableNow=True)
        query = query.option("checkpointLocation", str(at.folder / f"stream-{at.broker.kind}-{at.round}"))
        started = query.start()
        assert started.awaitTermination(10 * WAIT_S)
        return sum(int(json.loads(each.json)["numInputRows"]) for each in started.recentProgress), 0.0

    return run


def archived(topic: str) -> Case:
    def run(at: At) -> tuple[int, float]:
        to = str(at.folder / f"archive-{at.broker.kind}-{at.round}")
        return archive(at.spark, ArchiveSpec(to, at.broker.bootstrap_servers, topics=topic)).records, 0.0

    return run


def written(rows: int) -> Case:
    def run(at: At) -> tuple[int, float]:
        frame = at.spark.range(rows).selectExpr("CAST(id AS STRING) AS key", "repeat('v', 100) AS value")
        servers = {"kafka.bootstrap.servers": at.broker.bootstrap_servers, "kafka.linger.ms": "5"}
        frame.write.format("kafka").options(**servers, topic=f"b5-{at.round}").save()
        return rows, 0.0

    return run


def steady(at: At) -> tuple[int, float]:
    """The 99th percentile of how many ms after it was made a record is in the sink, with a trigger of a second."""
    topic, late = f"b6-{at.round}", list[float]()
    create(at.broker, [topic], PARTITIONS)

    def take(frame: DataFrame, _number: int) -> None:
        made = [row[0] for row in frame.selectExpr("unix_millis(timestamp)").collect()]
        late.extend(time.time() * 1000 - each for each in made)

    frame = arriving(at, topic)
    query = frame.writeStream.foreachBatch(take).trigger(processingTime="1 second").start()
    try:
        sent = sent_steadily(at, topic, PARTITIONS, at.steady_s)
        query.processAllAvailable()
    finally:
        query.stop()
    assert len(late) == sent, f"{len(late)} of {sent} records came"
    return sent, p99(late)


def real_time(at: At) -> tuple[int, float]:
    """The same from topic to topic in Spark's real-time mode, by the time at which Spark's sink has written a record.

    The mode has a task for each partition all the time, and this session has room for one.
    """
    topic, out = f"b6-{at.round}-in", f"b6-{at.round}-out"
    create(at.broker, [topic, out], 1)
    servers = {"kafka.bootstrap.servers": at.broker.bootstrap_servers}
    frame = arriving(at, topic).selectExpr("CAST(unix_millis(timestamp) AS STRING) AS value")
    writer = frame.writeStream.format("kafka").outputMode("update").options(**servers, topic=out)
    writer = writer.option("checkpointLocation", str(at.folder / f"real-time-{at.broker.kind}-{at.round}"))
    query = writer.trigger(realTime="5 seconds").start()  # type: ignore[call-overload]
    try:
        first = sent_steadily(at, topic, 1, 0.1)  # these show that the first batch runs
        wait_for(at, out, first)
        sent = sent_steadily(at, topic, 1, at.steady_s)
        wait_for(at, out, first + sent)
    finally:
        query.stop()
    written = at.read(out).where(f"offset >= {first}")
    late = written.selectExpr("unix_millis(timestamp) - CAST(CAST(value AS STRING) AS LONG)")
    return sent, p99([float(row[0]) for row in late.collect()][:sent])


def arriving(at: At, topic: str) -> DataFrame:
    """A stream of a topic from its beginning."""
    reader = at.spark.readStream.format("kafka").options(subscribe=topic, startingOffsets="earliest")
    return reader.option("kafka.bootstrap.servers", at.broker.bootstrap_servers).load()


def sent_steadily(at: At, topic: str, partitions: int, seconds: float) -> int:
    """Write STEADY_RATE records a second for a while; how many they were."""
    producer = Producer({"bootstrap.servers": at.broker.bootstrap_servers, "linger.ms": 5})
    began, sent = time.monotonic(), 0
    while (passed := time.monotonic() - began) < seconds:
        while sent < passed * STEADY_RATE:
            producer.produce(topic, b"v" * 100, partition=sent % partitions)
            sent += 1
        producer.poll(0.01)
    assert producer.flush(WAIT_S) == 0
    return sent


def wait_for(at: At, topic: str, records: int) -> None:
    """Until its partition has so many."""
    consumer = Consumer({"bootstrap.servers": at.broker.bootstrap_servers, "group.id": "benchmark"})
    deadline = time.monotonic() + WAIT_S
    try:
        while consumer.get_watermark_offsets(TopicPartition(topic, 0), WAIT_S)[1] < records:
            assert time.monotonic() < deadline, f"{topic} has no {records} records after {WAIT_S} s"
            time.sleep(0.1)
    finally:
        consumer.close()


def p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


def planned(prefix: str) -> Case:
    """What the driver asks the brokers before the first task: no record is read."""

    def run(at: At) -> tuple[int, float]:
        reader = at.spark.read.format("kafka").option("kafka.bootstrap.servers", at.broker.bootstrap_servers)
        frame = reader.options(subscribePattern=f"{prefix}-.*", endingOffsets="latest").load()
        return frame.rdd.getNumPartitions(), 0.0

    return run


def cases_of(topics: dict[str, tuple[int, str, int]], many: int) -> dict[str, Case]:
    first = next(iter(topics))
    rows = topics[first][2] * PARTITIONS
    cases: dict[str, Case] = {f"B1 scan {name.removeprefix('b1-')}": scan(name, **TUNED) for name in topics}
    cases["B2 scan with Spark's defaults"] = scan(first)
    cases["B3 stream, available now"] = stream(first, rows)
    cases["B4 archive"] = archived(first)
    cases["B5 sink"] = written(rows)
    cases["B6 steady rate, trigger of 1 s, p99"] = steady
    if tuple(map(int, pyspark.__version__.split(".")[:2])) >= REAL_TIME_SINCE:
        cases["B6 steady rate, real-time mode, p99"] = real_time
    cases["B7 24 tasks on 3 partitions"] = scan(first, minPartitions="24", **TUNED)
    if many:
        cases[f"B8 plan of {many} topics"] = planned("b8")
    return cases


def measured(case: Case, at: At) -> Figures:
    brokers = [psutil.Process(pid) for pid in pids_of(at.broker)]
    spark_cpu, broker_cpu, began = cpu_seconds(at.spark), cpu_of(brokers), time.monotonic()
    rows, value = case(at)
    wall_s = time.monotonic() - began
    return Figures(wall_s, cpu_seconds(at.spark) - spark_cpu, cpu_of(brokers) - broker_cpu, rows, value)


def pids_of(broker: Broker) -> list[int]:
    if isinstance(broker, ApacheKafka):
        return list(broker.pids.values())
    assert isinstance(broker, KafkacompatBroker)
    return [broker.pid]


def cpu_of(processes: list[psutil.Process]) -> float:
    return sum(sum(each.cpu_times()[:4]) for each in processes)


def checked(spark: SparkSession, brokers: dict[str, Broker], folder: Path, topic: str) -> int:
    """How many records there are, the same on both brokers. Raises AssertionError."""
    sums = {
        tuple(
            At(spark, broker, folder, 0).read(topic, **TUNED)
            .selectExpr("count(*)", "sum(partition * 1000003 + offset)", "bit_xor(xxhash64(key, value, timestamp))")
            .collect()[0]
        )
        for broker in brokers.values()
    }  # fmt: skip
    assert len(sums) == 1, f"{topic}: the brokers have different records: {sums}"
    sizes = [sum(path.stat().st_size for path in broker.data_dirs[0].glob(f"{topic}-*/*.log"))
             for broker in brokers.values()]  # fmt: skip
    assert max(sizes) <= min(sizes) * (1 + TOLERANCE), f"{topic}: logs of {sizes} bytes have other batches"
    return int(next(iter(sums))[0])


def without_broker(spark: SparkSession, broker: Broker, folder: Path, topic: str, rounds: int) -> dict[str, float]:
    """B9: seconds for the same records out of the broker's files, and out of Parquet."""
    files = spark.read.format("kafkacompat-log").options(bounds="all", subscribe=topic).load(str(broker.data_dirs[0]))
    files.write.parquet(str(folder / "parquet"))
    found = {}
    for name, frame in (("segment files", files), ("Parquet", spark.read.parquet(str(folder / "parquet")))):
        times = []
        for _ in range(rounds + 1):
            began = time.monotonic()
            into_noop(frame)
            times.append(time.monotonic() - began)
        found[name] = statistics.median(times[1:])
    return found


def run(spark: SparkSession, brokers: dict[str, Broker], folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    topics = topics_of(given.value_bytes, given.codecs, given.megabytes)
    rows = {}
    for name, (size, codec, each) in topics.items():
        for broker in brokers.values():
            fill(broker, name, size, codec, each)
        rows[name] = checked(spark, brokers, folder, name)
    for broker in brokers.values():
        for at in range(0, given.topics, 100):
            create(broker, [f"b8-{n:04}" for n in range(at, min(at + 100, given.topics))], 1)
    cases = cases_of(topics, given.topics)
    found: dict[str, dict[str, list[Figures]]] = {name: {OURS: [], KAFKA: []} for name in cases}
    for number in range(given.rounds + 1):
        for name, case in cases.items():
            for kind in (OURS, KAFKA) if number % 2 else (KAFKA, OURS):
                figures = measured(case, At(spark, brokers[kind], folder, number, given.steady_seconds))
                if number:
                    found[name][kind].append(figures)
                    assert len({each.rows for of_kind in found[name].values() for each in of_kind}) == 1 or "B6" in name
    first = next(iter(topics))
    return {
        "cases": {name: {kind: [each._asdict() for each in each_found] for kind, each_found in of_case.items()}
                  for name, of_case in found.items()},
        "without a broker, s": without_broker(spark, brokers[OURS], folder, first, given.rounds),
        "memory, MB": {kind: sum(memory_mb(pid)[0] for pid in pids_of(broker)) for kind, broker in brokers.items()},
        "records": rows,
    }  # fmt: skip


def show(found: dict[str, Any]) -> None:
    print("\n| case | kafkacompat, s | from, to | Apache Kafka, s | from, to | ratio | our CPU, s | Kafka's CPU, s |")
    print("|---" * 8 + "|")
    for name, of_case in found["cases"].items():
        medians, spreads = {}, {}
        for kind, runs in of_case.items():
            times = [each["value"] / 1000 or each["wall_s"] for each in runs]
            medians[kind] = (statistics.median(times), statistics.median(each["broker_cpu_s"] for each in runs))
            spreads[kind] = f"{min(times):.2f}, {max(times):.2f}"
        (ours, our_cpu), (kafka, kafka_cpu) = medians[OURS], medians[KAFKA]
        print(
            f"| {name} | {ours:.2f} | {spreads[OURS]} | {kafka:.2f} | {spreads[KAFKA]} | {ours / kafka:.2f} "
            f"| {our_cpu:.2f} | {kafka_cpu:.2f} |"
        )
    for name, seconds in found["without a broker, s"].items():
        print(f"| B9 {name} | {seconds:.2f} |" + " |" * 6)
    for kind, resident in found["memory, MB"].items():
        print(f"{kind}: {resident:.0f} MB resident at the end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=20, help="of values in each topic (default: %(default)s)")
    parser.add_argument("--value-bytes", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--codecs", nargs="+", default=["none", "lz4", "zstd"])
    parser.add_argument("--topics", type=int, default=200, help="of the pattern (default: %(default)s)")
    parser.add_argument("--steady-seconds", type=float, default=10, help="of B6 (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", metavar="FILE", help="write all figures as JSON")
    given = parser.parse_args()
    brokers: dict[str, Broker] = {OURS: KafkacompatBroker(), KAFKA: ApacheKafka(jvm_options=DEFAULT_JVM_OPTIONS)}
    before = os.getloadavg()
    try:
        for broker in brokers.values():
            broker.start()
        with tempfile.TemporaryDirectory(prefix="spark-kafka-") as scratch:
            spark = session(Path(scratch))
            found = run(spark, brokers, Path(scratch), given)
            spark.stop()
    finally:
        for broker in brokers.values():
            broker.close()
    found["machine"] = {
        "cores": os.cpu_count(), "system": platform.platform(), "python": platform.python_version(),
        "spark": pyspark.__version__, "load average before": before, "load average after": os.getloadavg(),
    }  # fmt: skip
    found["given"] = {name: value for name, value in vars(given).items() if name != "out"}
    load = ", ".join(f"{each:.1f}" for each in (*before[:1], *os.getloadavg()[:1]))
    print(f"Spark {pyspark.__version__}, {os.cpu_count()} cores, load average before and after: {load}")
    show(found)
    if given.out:
        Path(given.out).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
