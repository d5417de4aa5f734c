"""Streams that end in a topic."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from compat_tests.spark.workbench import Workbench, finish, progress, rows_of

pytestmark = pytest.mark.api("Produce", "Fetch", "ListOffsets")


def start(bench: Workbench, frame: DataFrame, mode: str, **options: str) -> StreamingQuery:
    """A query into a topic that ends with what there is now."""
    named = {
        "kafka.bootstrap.servers": bench.bootstrap_servers,
        "checkpointLocation": str(bench.scratch / "checkpoint"),
    }
    writer = frame.writeStream.format("kafka").options(**named, **options).outputMode(mode).trigger(availableNow=True)
    return bench.keep(writer.start())


def written(bench: Workbench, query: StreamingQuery) -> list[int]:
    """How many rows each micro-batch wrote, as Spark says."""
    found = [entry["sink"]["numOutputRows"] for entry in progress(query)]
    bench.saw("numOutputRows", found)
    return found


@pytest.mark.spark_behaviour(48)
def test_from_topic_to_topic(bench: Workbench, topic: str) -> None:
    """Also when it is started again later: nothing is written twice, and Spark says how much was written."""
    target = f"{topic}-copy"
    bench.create(topic, 1)
    bench.create(target, 2)
    bench.send(topic, 0, range(50))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=20)
    copy = stream.selectExpr("value", "CAST(offset % 2 AS INT) AS partition")
    query = start(bench, copy, "append", topic=target)
    finish(query)
    assert written(bench, query) == [20, 20, 10]
    assert bench.rows(bench.read(subscribe=target)) == rows_of(0, range(0, 50, 2)) + rows_of(1, range(1, 50, 2))
    bench.send(topic, 0, range(50, 60))
    finish(start(bench, copy, "append", topic=target))
    assert bench.rows(bench.read(subscribe=target)) == rows_of(0, range(0, 60, 2)) + rows_of(1, range(1, 60, 2))


@pytest.mark.spark_behaviour(48)
def test_counts_are_updated(bench: Workbench, topic: str) -> None:
    """The topic comes from a column; the last record of a key is its count."""
    target = f"{topic}-counts"
    bench.create(topic, 2)
    bench.create(target, 1)
    for partition in range(2):
        bench.send(topic, partition, [n % 3 for n in range(10)])
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=10)
    counts = stream.groupBy("value").count()
    updates = counts.selectExpr("value AS key", "CAST(count AS STRING) AS value", f"'{target}' AS topic")
    query = start(bench, updates, "update")
    finish(query)
    assert written(bench, query) == [3, 3]
    found = [(record.key, record.value) for record in bench.consumed(target)]
    bench.saw("counts", [sorted(found[:3]), sorted(found[3:])])
    assert sorted(found[:3]) == [(b"0", b"4"), (b"1", b"4"), (b"2", b"2")]
    assert sorted(found[3:]) == [(b"0", b"8"), (b"1", b"6"), (b"2", b"6")]


@pytest.mark.full
@pytest.mark.spark_behaviour
def test_the_sink_topic_feeds_another_stream(bench: Workbench, topic: str) -> None:
    middle = f"{topic}-middle"
    bench.create(topic, 1)
    bench.create(middle, 1)
    through = bench.stream(subscribe=topic, startingOffsets="earliest").selectExpr("key", "value")
    writer = through.writeStream.format("kafka").option("kafka.bootstrap.servers", bench.bootstrap_servers)
    first = bench.keep(writer.options(topic=middle, checkpointLocation=str(bench.scratch / "first")).start())
    second = bench.start(bench.stream(subscribe=middle, startingOffsets="earliest"))
    expected = []
    for number in range(3):
        values = [json.dumps({"round": number, "n": n}) for n in range(20)]
        expected += values
        bench.send(topic, 0, values)
        first.processAllAvailable()
        second.processAllAvailable()
        assert bench.rows(bench.table(second)) == rows_of(0, expected)
