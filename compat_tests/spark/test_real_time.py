"""Real-time mode: long batches whose tasks hand each record on as it comes. Spark has it for Kafka since 4.2."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from compat_tests.clients.samples import eventually
from compat_tests.spark.test_stream_topics import add_partitions
from compat_tests.spark.workbench import WAIT_S, Workbench, rows_of

pytestmark = [
    pytest.mark.api("Fetch", "ListOffsets", "Produce"),
    pytest.mark.since_spark("4.2.0"),
]

BATCH = "2 seconds"
MIN_BATCH = "spark.sql.streaming.realTimeMode.minBatchDuration"
FOR_EVER_MS = 20_000_000
"""How long a broker may wait for records before it answers a fetch: longer than any test."""


@pytest.fixture(autouse=True)
def _short_batches(spark: SparkSession) -> Iterator[None]:
    spark.conf.set(MIN_BATCH, "1s")
    yield
    spark.conf.unset(MIN_BATCH)


def start(bench: Workbench, frame: DataFrame, target: str) -> StreamingQuery:
    """A query from topics to a topic; only some sinks have this mode."""
    options = {"kafka.bootstrap.servers": bench.bootstrap_servers, "topic": target}
    writer = frame.selectExpr("value").writeStream.format("kafka").outputMode("update")
    writer = writer.options(**options, checkpointLocation=str(bench.scratch / "checkpoint"))
    return bench.keep(writer.trigger(realTime=BATCH).start())  # type: ignore[call-overload]


def read_to(query: StreamingQuery, *ends: dict[str, dict[str, int]]) -> None:
    """Wait until a batch ended that had read each source so far."""

    def ended() -> bool:
        last = query.lastProgress
        return last is not None and [one["endOffset"] for one in json.loads(last.json)["sources"]] == list(ends)

    eventually(ended, WAIT_S)


@pytest.mark.spark_behaviour(50)
def test_batches_that_follow_each_other(bench: Workbench, topic: str) -> None:
    """With records, without any, and after a restart. A task of the query that was stopped may write once more: Spark's
    sink writes at least once.
    """
    target = f"{topic}-copy"
    for name in (topic, target):
        bench.create(name, 1)
    stream = bench.stream(subscribe=topic, startingOffsets="earliest")
    bench.send(topic, 0, range(5))
    query = start(bench, stream, target)
    read_to(query, {topic: {"0": 5}})
    eventually(lambda: query.lastProgress is not None and query.lastProgress.batchId >= 1, WAIT_S)
    bench.send(topic, 0, range(5, 10))
    eventually(lambda: len(bench.consumed(target)) == 10, WAIT_S)
    read_to(query, {topic: {"0": 10}})
    query.stop()
    bench.send(topic, 0, range(10, 15))
    query = start(bench, stream, target)
    read_to(query, {topic: {"0": 15}})
    query.stop()
    values = [record.value for record in bench.consumed(target)]
    found = [values[:10], [*dict.fromkeys(values)]]
    bench.saw("values", found)
    expected = [b"%d" % n for n in range(15)]
    assert found == [expected[:10], expected]


@pytest.mark.full
@pytest.mark.spark_behaviour(50)
def test_new_partitions_from_the_next_batch_on(bench: Workbench, topic: str) -> None:
    target = f"{topic}-copy"
    for name in (topic, target):
        bench.create(name, 1)
    query = start(bench, bench.stream(subscribe=topic, startingOffsets="earliest"), target)
    bench.send(topic, 0, range(5))
    read_to(query, {topic: {"0": 5}})
    add_partitions(bench, topic, 2)
    bench.send(topic, 1, range(5, 10))
    read_to(query, {topic: {"1": 5, "0": 5}})
    query.stop()
    assert bench.rows(bench.read(subscribe=target)) == rows_of(0, range(10))


@pytest.mark.full
@pytest.mark.spark_behaviour(50)
def test_two_topics_together(bench: Workbench, topic: str) -> None:
    one, two, target = f"{topic}-1", f"{topic}-2", f"{topic}-copy"
    for name in (one, two, target):
        bench.create(name, 1)
    both = bench.stream(subscribe=one, startingOffsets="earliest").union(
        bench.stream(subscribe=two, startingOffsets="earliest")
    )
    query = start(bench, both, target)
    bench.send(one, 0, range(5))
    bench.send(two, 0, range(5, 10))
    read_to(query, {one: {"0": 5}}, {two: {"0": 5}})
    query.stop()
    found = sorted(bench.read(subscribe=target).selectExpr("CAST(value AS STRING)").collect())
    bench.saw("values", [row[0] for row in found])
    assert [row[0] for row in found] == [str(n) for n in range(10)]


@pytest.mark.spark_behaviour(51)
def test_a_batch_ends_while_a_fetch_waits(bench: Workbench, topic: str) -> None:
    """Its records are handed on while it runs, and it knows the latest offsets at its end."""
    target = f"{topic}-copy"
    for name in (topic, target):
        bench.create(name, 1)
    stream = bench.stream(subscribe=topic, startingOffsets="latest", kafka_fetch_max_wait_ms=FOR_EVER_MS)
    query = start(bench, stream, target)
    read_to(query, {topic: {"0": 0}})
    for number in range(3):
        bench.send(topic, 0, [number])
        eventually(lambda number=number: len(bench.consumed(target)) == number + 1, WAIT_S)  # type: ignore[misc]
    read_to(query, {topic: {"0": 3}})
    query.stop()
    assert bench.rows(bench.read(subscribe=target)) == rows_of(0, range(3))


@pytest.mark.full
@pytest.mark.api("Metadata")
@pytest.mark.spark_behaviour(50)
@pytest.mark.parametrize("option", ["maxOffsetsPerTrigger", "minOffsetsPerTrigger", "minPartitions", "maxTriggerDelay"])
def test_options_that_it_refuses(option: str, bench: Workbench, topic: str) -> None:
    target = f"{topic}-copy"
    for name in (topic, target):
        bench.create(name, 1)
    bench.send(topic, 0, [0])
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", **{option: "9"})
    with bench.refused(f"(?i){option}", StreamingQueryException):
        start(bench, stream, target).awaitTermination(int(WAIT_S))
    assert bench.rows(bench.read(subscribe=topic)) == rows_of(0, [0])
