"""Frames written to topics as a batch, and what librdkafka and Spark then read there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from confluent_kafka import Producer
from pyspark.errors import AnalysisException

from compat_tests.broker_process import Broker
from compat_tests.clients.samples import EDGE_SAMPLES, numbered
from compat_tests.spark.workbench import Workbench, rows_of

pytestmark = pytest.mark.api("Metadata")

HEADERS_TYPE = "array<struct<key:string,value:binary>>"
QUICK = {"kafka.max.block.ms": "3000"}
"""A producer waits a minute for a topic to come unless told otherwise."""


@pytest.mark.spark_behaviour(41)
@pytest.mark.api("Produce")
def test_the_topic_is_an_option_or_a_column(bench: Workbench, topic: str) -> None:
    """The option goes before the column."""
    one, two = f"{topic}-1", f"{topic}-2"
    bench.create(one, 1)
    bench.create(two, 1)
    numbers = bench.spark.range(0, 10, 1, 1)
    bench.write(numbers.selectExpr("CAST(id AS STRING) AS value"), topic=one)
    assert bench.rows(bench.read(subscribe=one)) == rows_of(0, range(10))
    both = numbers.selectExpr(f"IF(id % 2 = 0, '{one}', '{two}') AS topic", "CAST(id AS STRING) AS value")
    bench.write(both)
    assert bench.rows(bench.read(subscribe=one)) == rows_of(0, [*range(10), *range(0, 10, 2)])
    assert bench.rows(bench.read(subscribe=two)) == rows_of(0, range(1, 10, 2))
    bench.write(both, topic=two)
    assert bench.rows(bench.read(subscribe=one)) == rows_of(0, [*range(10), *range(0, 10, 2)])
    assert bench.rows(bench.read(subscribe=two)) == rows_of(0, [*range(1, 10, 2), *range(10)])


@pytest.mark.spark_behaviour(42)
def test_columns_of_other_types_are_refused(bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    refused = {
        "1 AS key": "topic option required|Required attribute",
        "'v' AS value": "topic option required",
        f"'k' AS key, '{topic}' AS topic": "'value' not found|Required attribute .value.",
        f"'v' AS value, 1 AS key, '{topic}' AS topic": "key .*STRING.*BINARY|key .*type",
        f"1 AS value, '{topic}' AS topic": "value .*STRING.*BINARY|value .*type",
        "'v' AS value, 1 AS topic": "topic .*STRING|topic .*type",
        f"'v' AS value, '0' AS partition, '{topic}' AS topic": "partition .*INT|partition .*type",
        f"'v' AS value, array('h') AS headers, '{topic}' AS topic": "headers .*type|headers .*ARRAY",
    }
    for columns, message in refused.items():
        with bench.refused(f"(?s){message}", AnalysisException):
            bench.write(bench.spark.sql(f"SELECT {columns}"))
    frame = bench.spark.sql("SELECT 'v' AS value")
    for serializer in ("key.serializer", "value.serializer"):
        with bench.refused(serializer):
            bench.write(frame, topic=topic, **{f"kafka.{serializer}": "any"})
    assert bench.sent(topic) == []


@pytest.mark.spark_behaviour(47)
@pytest.mark.api("Produce")
def test_a_null_topic_and_other_save_modes_are_refused(bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    with bench.refused("null topic"):
        bench.write(bench.spark.sql("SELECT 'v' AS value, CAST(NULL AS STRING) AS topic"))
    frame = bench.spark.sql("SELECT 'v' AS value")
    options = {"kafka.bootstrap.servers": bench.bootstrap_servers, "topic": topic}
    for mode in ("overwrite", "ignore"):
        with bench.refused(r"(?i)mode", AnalysisException):
            frame.write.format("kafka").mode(mode).options(**options).save()
    assert bench.sent(topic) == []
    for mode in ("append", "error"):
        frame.write.format("kafka").mode(mode).options(**options).save()
    assert bench.rows(bench.read(subscribe=topic)) == rows_of(0, ["v", "v"])


@pytest.mark.spark_behaviour(43)
@pytest.mark.api("Produce")
def test_a_topic_comes_into_being_when_it_is_written_to(bench: Workbench, topic: str) -> None:
    bench.write(bench.spark.range(0, 20, 1, 1).selectExpr("CAST(id AS STRING) AS value"), topic=topic)
    assert bench.rows(bench.read(subscribe=topic)) == rows_of(0, range(20))


@pytest.fixture
def careful(new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench]) -> Workbench:
    """A broker that makes topics only when it is asked to."""
    return workbench(new_broker(config={"auto.create.topics.enable": "false"}))


@pytest.mark.spark_behaviour(43)
@pytest.mark.api("Produce")
@pytest.mark.full
def test_a_topic_that_must_not_come_into_being(careful: Workbench, topic: str) -> None:
    frame = careful.spark.sql("SELECT 'v' AS value")
    with careful.refused(f"Topic {topic} not present in metadata"):
        careful.write(frame, topic=topic, **QUICK)
    assert topic not in careful.admin.list_topics(timeout=10).topics
    careful.create(topic, 1)
    careful.write(frame, topic=topic, **QUICK)
    assert careful.rows(careful.read(subscribe=topic)) == rows_of(0, ["v"])


@pytest.mark.spark_behaviour(44)
@pytest.mark.api("Produce")
def test_equal_keys_go_where_java_puts_them(bench: Workbench, topic: str) -> None:
    """librdkafka's own version of Java's murmur2 partitioner chooses the same partitions."""
    keys = [f"key-{'é' * (n % 5)}{n}" for n in range(200)]
    bench.create(topic, 7)
    bench.write(bench.spark.createDataFrame([(key, "spark") for key in keys], "key string, value string"), topic=topic)
    producer = Producer({"bootstrap.servers": bench.bootstrap_servers, "partitioner": "murmur2_random"})
    for key in keys:
        producer.produce(topic, b"librdkafka", key)
    assert producer.flush(30) == 0
    found = bench.consumed(topic)
    places = {
        writer: {record.key: record.partition for record in found if record.value == writer}
        for writer in (b"spark", b"librdkafka")
    }
    bench.saw("places", places)
    assert len(found) == 2 * len(keys)
    assert set(places[b"spark"].values()) == set(range(7))
    assert places[b"spark"] == places[b"librdkafka"]
    assert set(places[b"spark"]) == {key.encode() for key in keys}


@pytest.mark.spark_behaviour(44)
@pytest.mark.api("Produce")
def test_who_chooses_the_partition(bench: Workbench, topic: str) -> None:
    """A partition in the frame goes before a partitioner that was named, and that before the key; null means none."""
    robin = {"kafka.partitioner.class": "org.apache.kafka.clients.producer.RoundRobinPartitioner"}
    bench.create(topic, 3)
    numbers = bench.spark.range(0, 30, 1, 1)

    def partitions_of(value: str) -> list[int]:
        return [record.partition for record in bench.consumed(topic) if record.value == value.encode()]

    bench.write(numbers.selectExpr("'same' AS key", "'by key' AS value"), topic=topic)
    by_key = partitions_of("by key")
    bench.saw("by key", by_key)
    assert len(by_key) == 30
    assert len(set(by_key)) == 1
    bench.write(numbers.selectExpr("'same' AS key", "'in turn' AS value"), topic=topic, **robin)
    assert len(set(partitions_of("in turn"))) > 1  # which ones depends on where batches end (KAFKA-9965)
    bench.write(numbers.selectExpr("'same' AS key", "'by column' AS value", "2 AS partition"), topic=topic, **robin)
    assert partitions_of("by column") == [2] * 30
    bench.write(numbers.selectExpr("'same' AS key", "'null' AS value", "CAST(NULL AS INT) AS partition"), topic=topic)
    bench.saw("others", [partitions_of("by column"), partitions_of("null")])
    assert partitions_of("null") == by_key


@pytest.mark.spark_behaviour(45)
@pytest.mark.api("Produce")
def test_records_keep_their_bytes_and_headers(bench: Workbench, topic: str) -> None:
    """Nulls, empty and duplicate headers too; records come in the frame's order."""
    bench.create(topic, 1)
    records = [(sample.key, sample.value, list(sample.headers) or None) for sample in EDGE_SAMPLES]
    frame = bench.spark.createDataFrame(records, f"key binary, value binary, headers {HEADERS_TYPE}")
    bench.write(frame.coalesce(1), topic=topic)
    expected = [(0, offset, sample.key, sample.value, sample.headers) for offset, sample in enumerate(EDGE_SAMPLES)]
    assert [tuple(record) for record in bench.sent(topic)] == expected
    back = bench.read(subscribe=topic, includeHeaders="true").select("key", "value", "headers")
    copy = f"{topic}-copy"
    bench.create(copy, 1)
    bench.write(back.coalesce(1), topic=copy)
    assert [tuple(record) for record in bench.sent(copy)] == expected


@pytest.mark.spark_behaviour(46)
@pytest.mark.api("Produce")
def test_more_data_than_the_producer_may_hold(bench: Workbench, topic: str) -> None:
    """1,000 values of 15 kB through a buffer of 16 kB: the producer waits for answers all the time."""
    bench.create(topic, 1)
    frame = bench.spark.range(0, 1000, 1, 1).selectExpr("repeat(CAST(id % 10 AS STRING), 15000) AS value")
    bench.write(frame, topic=topic, kafka_buffer_memory=16384)
    found = bench.read(subscribe=topic).selectExpr("offset", "length(value)", "CAST(substr(value, 15000) AS STRING)")
    lengths = sorted(tuple(row) for row in found.collect())
    bench.saw("lengths", lengths)
    assert lengths == [(n, 15000, str(n % 10)) for n in range(1000)]


@pytest.mark.full
@pytest.mark.spark_behaviour
@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_codecs_of_the_producer(codec: str, bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    frame = bench.spark.range(0, 2000, 1, 1).selectExpr("format_string('record-%06d', id) AS value")
    bench.write(frame, topic=topic, **{"kafka.compression.type": codec, "kafka.linger.ms": "20"})
    assert [record.value for record in bench.sent(topic)] == numbered(2000)


@pytest.mark.full
@pytest.mark.spark_behaviour
def test_two_tasks_share_a_producer(bench: Workbench, topic: str) -> None:
    """Each task's records of a partition stay in order, and none is lost or doubled."""
    bench.create(topic, 3)
    frame = bench.spark.range(0, 20_000, 1, 4).selectExpr(
        "CAST(id % 50 AS STRING) AS key", "CAST(id AS STRING) AS value"
    )
    bench.write(frame, topic=topic)
    numbers = [(record.partition, int(record.value or b"")) for record in bench.consumed(topic)]
    placed = {partition: sorted(number for place, number in numbers if place == partition) for partition in range(3)}
    bench.saw("placed", placed)
    assert sorted(number for _, number in numbers) == list(range(20_000))
    for task in range(4):
        for partition in range(3):
            mine = [number for place, number in numbers if (place, number // 5000) == (partition, task)]
            assert mine == sorted(mine)
