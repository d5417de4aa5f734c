"""`format("kafkacompat-log")` on the files of both brokers, record by record against Spark's own Kafka source."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from pyspark.sql import DataFrame

from compat_tests.broker_process import Broker
from compat_tests.spark.versions import is_since
from compat_tests.spark.workbench import BASE_MS, WAIT_S, Workbench
from kafkacompat.spark import register

pytestmark = pytest.mark.api("Produce")

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
SEGMENT_BYTES = str(1 << 20)
"""The least that Apache Kafka takes."""
SPLIT_BYTES = 400_000
"""Less than a segment. Each part costs a start of a worker."""
PER_CODEC = 1500
HEADERS = ((), [("h", b"v")], [("h", b"1"), ("h", None), ("", b"")])
KAFKAS_COLUMNS = ["key", "value", "topic", "partition", "offset", "timestamp", "timestampType", "headers"]


@pytest.fixture
def own(new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench]) -> tuple[Broker, Workbench]:
    """A broker for this test alone, and a session that knows the format."""
    broker = new_broker()
    bench = workbench(broker)
    register(bench.spark)
    return broker, bench


def logs(bench: Workbench, broker: Broker, **options: Any) -> DataFrame:
    """The files of a broker."""
    given = {name: str(value) for name, value in options.items()}
    (directory,) = broker.data_dirs
    return bench.spark.read.format("kafkacompat-log").options(**given).load(str(directory))


def fill(bench: Workbench, topic: str, per_codec: int = PER_CODEC) -> None:
    """Two partitions with all codecs, nulls and headers, in many segments."""
    bench.create(topic, 2, segment_bytes=SEGMENT_BYTES)
    chance = random.Random(1)
    for partition in range(2):
        for number, codec in enumerate(CODECS):
            records = [
                (None if n % 5 == 0 else b"k%d" % n, None if n % 7 == 0 else chance.randbytes(n % 1000), HEADERS[n % 3])
                for n in range(per_codec)
            ]
            times = [BASE_MS + number * 1000 + n * (1 if n % 2 else -1) for n in range(per_codec)]
            bench.send_records(
                topic, partition, records, times, **{"compression.type": codec, "linger.ms": 5, "batch.size": 20_000}
            )


def same(one: DataFrame, other: DataFrame) -> int:
    """How many rows two frames have, which are the same ones."""
    one = one.cache()  # each is read once, and not once for each question
    other = other.cache()
    count = one.count()
    assert one.exceptAll(other).isEmpty()
    assert other.exceptAll(one).isEmpty()
    other.unpersist()
    return count


@pytest.mark.api("Fetch")
@pytest.mark.each_run
@pytest.mark.spark_behaviour
def test_each_record_is_that_of_sparks_kafka_source(own: tuple[Broker, Workbench], topic: str) -> None:
    broker, bench = own
    fill(bench, topic)
    kafka = bench.read(subscribe=topic, includeHeaders=True)
    live = logs(bench, broker, subscribe=topic, includeHeaders=True, bounds="all", splitBytes=SPLIT_BYTES)
    assert kafka.columns == live.columns == KAFKAS_COLUMNS
    assert [field.dataType for field in kafka.schema] == [field.dataType for field in live.schema]
    assert same(kafka, live) == 2 * PER_CODEC * len(CODECS)
    assert live.rdd.getNumPartitions() > len(list(broker.data_dirs[0].glob(f"{topic}-?/*.log"))) > 4
    ends = {"endingOffsets": json.dumps({topic: {"0": 4321, "1": 77}})}
    starts = {"startingOffsets": json.dumps({topic: {"0": 1234, "1": 7}})}
    between = bench.read(subscribe=topic, includeHeaders=True, **starts, **ends)
    assert same(between, logs(bench, broker, subscribe=topic, includeHeaders=True, bounds="all", **starts, **ends)) > 0
    times = {"startingTimestamp": BASE_MS + 2000, "endingTimestamp": BASE_MS + 3500}
    between = bench.read(subscribe=topic, includeHeaders=True, **times)
    assert same(between, logs(bench, broker, subscribe=topic, includeHeaders=True, bounds="all", **times)) > 0
    broker.stop()  # which writes the high watermarks
    assert same(kafka, logs(bench, broker, subscribe=topic, includeHeaders=True)) == 2 * PER_CODEC * len(CODECS)
    bench.saw("batches are sound", batches_are_sound(logs(bench, broker, subscribe=topic, level="batches")))


def batches_are_sound(batches: DataFrame) -> list[bool]:
    """Whether every checksum is right, and all codecs are there."""
    wrong = batches.where("crc <> computedCrc").count()
    codecs = {row.codec for row in batches.select("codec").distinct().collect()}
    assert not wrong
    assert codecs == set(CODECS)
    return [not wrong, codecs == set(CODECS)]


@pytest.mark.spark_behaviour
def test_some_columns_in_another_order(own: tuple[Broker, Workbench], topic: str) -> None:
    broker, bench = own
    bench.create(topic, 1)
    bench.send(topic, 0, range(100))
    (directory,) = broker.data_dirs
    reader = bench.spark.read.format("kafkacompat-log").options(subscribe=topic, bounds="all")
    frame = reader.schema("value binary, leaderEpoch int, offset bigint").load(str(directory))
    found = frame.selectExpr("cast(value as string)", "leaderEpoch", "offset").orderBy("offset").collect()
    bench.saw("columns", [tuple(row) for row in found])
    assert [tuple(row) for row in found] == [(str(n), 0, n) for n in range(100)]
    with bench.refused("there is no column offset string"):
        reader.schema("offset string").load(str(directory)).count()


@pytest.mark.older_spark
@pytest.mark.spark_behaviour
def test_conditions_of_the_query_narrow_what_is_read_or_the_option_is_an_error_on_an_older_spark(
    broker: Broker, bench: Workbench, topic: str
) -> None:
    register(bench.spark)
    bench.create(topic, 2)
    for partition in range(2):
        bench.send(topic, partition, range(100))
    bench.saw("sent", 200)
    frame = functools.partial(logs, bench, broker, subscribe=topic, bounds="all", pushdown="true")
    if not is_since("4.1"):
        with pytest.raises(Exception, match=r"pushdown needs Spark 4\.1 or newer"):
            frame().count()
        return
    with pytest.raises(Exception, match="DATA_SOURCE_PUSHDOWN_DISABLED"):
        frame().count()
    bench.spark.conf.set(PUSHDOWN, "true")
    try:
        found = frame().where("partition = 1 and offset >= 60")
        assert (found.rdd.getNumPartitions(), frame().rdd.getNumPartitions()) == (1, 2)
        assert sorted(row.offset for row in found.collect()) == [*range(60, 100)]
    finally:
        bench.spark.conf.unset(PUSHDOWN)


@pytest.mark.spark_behaviour
def test_damage_is_an_error_that_names_file_and_position_or_is_left_out_and_counted(
    own: tuple[Broker, Workbench], topic: str, tmp_path: Path
) -> None:
    broker, bench = own
    bench.create(topic, 1)
    for n in range(3):
        bench.send(topic, 0, [f"{n}" * 200])
    broker.stop()
    (file,) = broker.data_dirs[0].glob(f"{topic}-0/*.log")
    data = bytearray(file.read_bytes())
    size = len(data) // 3
    data[size + 100] ^= 1
    file.write_bytes(data)
    with pytest.raises(Exception, match=rf"{file}, position {size}: checksum"):
        logs(bench, broker, subscribe=topic).collect()
    report = tmp_path / "damage"
    found = logs(bench, broker, subscribe=topic, onDamage="skip", damageReport=report)
    offsets = sorted(row.offset for row in found.collect())
    counted = [row.base_offset for row in bench.spark.read.json(str(report)).collect()]
    bench.saw("left out", [offsets, counted])
    assert (offsets, counted) == ([0, 2], [1])


@pytest.mark.api("InitProducerId", "AddPartitionsToTxn", "EndTxn", "Fetch")
@pytest.mark.spark_behaviour
def test_committed_records_are_those_of_sparks_kafka_source(own: tuple[Broker, Workbench], topic: str) -> None:
    broker, bench = own
    bench.create(topic, 1, segment_bytes=SEGMENT_BYTES)
    producers = [
        Producer({"bootstrap.servers": bench.bootstrap_servers, "transactional.id": f"{topic}-{number}"})
        for number in range(3)
    ]
    for producer in producers:
        producer.init_transactions(WAIT_S)
    for number in range(30):
        producer = producers[number % 3]
        producer.begin_transaction()
        for _ in range(20):
            producer.produce(topic, bytes(9000), partition=0)
        producer.flush(WAIT_S)
        if number == 29:
            break  # it stays open
        (producer.abort_transaction if number % 3 else producer.commit_transaction)(WAIT_S)
        bench.send(topic, 0, ["between"])
    for isolation in ("read_committed", "read_uncommitted"):
        kafka = bench.read(subscribe=topic, kafka_isolation_level=isolation)
        count = same(kafka, logs(bench, broker, subscribe=topic, isolation=isolation, bounds="all"))
        bench.saw(isolation, count)
        assert count > 200
    kinds = logs(bench, broker, subscribe=topic, level="batches", bounds="all").groupBy("isControl").count().collect()
    assert {row.isControl: row["count"] > 20 for row in kinds} == {True: True, False: True}
    del producers, producer
