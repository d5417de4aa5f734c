"""Micro-batches: how much each takes, what Spark tells about them, restarts, and time windows."""

from __future__ import annotations

import time

import pytest
from pyspark.sql.functions import window

from compat_tests.clients.samples import eventually
from compat_tests.spark.workbench import BASE_MS, WAIT_S, Workbench, as_json, finish, progress, rows_of

pytestmark = pytest.mark.api("Fetch", "ListOffsets", "Metadata")


@pytest.mark.spark_behaviour(23)
def test_available_now_in_batches_of_a_size(bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(15))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=5)
    query = bench.start(stream, availableNow=True)
    finish(query)
    assert [entry["numInputRows"] for entry in progress(query)] == [5, 5, 5]
    assert bench.ends(query, topic) == [[5], [10], [15]]
    assert bench.rows(bench.table(query)) == rows_of(0, range(15))


@pytest.mark.spark_behaviour(23)
def test_available_now_ends_where_it_began(bench: Workbench, topic: str) -> None:
    """What comes after the start is for the next run, which takes up from the checkpoint."""
    bench.create(topic, 2)
    bench.send(topic, 0, range(40))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=10)
    query = bench.start_files(stream, availableNow=True)
    eventually(lambda: bool(progress(query)), WAIT_S)
    bench.send(topic, 1, range(7))
    finish(query)
    assert bench.rows(bench.files()) == rows_of(0, range(40))
    finish(bench.start_files(stream, availableNow=True))
    assert bench.rows(bench.files()) == rows_of(0, range(40)) + rows_of(1, range(7))


@pytest.mark.spark_behaviour(24)
def test_a_batch_is_shared_among_partitions_by_their_size(bench: Workbench, topic: str) -> None:
    """Ten records of 101 + 11 + 1: eight, one and one; the same after a restart from the checkpoint."""
    bench.create(topic)
    for partition, count in enumerate((101, 11, 1)):
        bench.send(topic, partition, range(count))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=10)
    first = bench.start_files(stream, processingTime="1 day")
    eventually(lambda: bool(progress(first)), WAIT_S)
    first.stop()
    assert bench.ends(first, topic) == [[8, 1, 1]]
    second = bench.start_files(stream, processingTime="1 day")
    eventually(lambda: bool(progress(second)), WAIT_S)
    second.stop()
    assert bench.ends(second, topic) == [[17, 2, 1]]
    rest = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=1000)
    finish(bench.start_files(rest, availableNow=True))
    assert bench.rows(bench.files()) == rows_of(0, range(101)) + rows_of(1, range(11)) + rows_of(2, range(1))


@pytest.mark.full
@pytest.mark.spark_behaviour(24)
def test_the_largest_batch_there_can_be(bench: Workbench, topic: str) -> None:
    bench.create(topic)
    for partition, count in enumerate((100, 10, 1)):
        bench.send(topic, partition, range(count))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=2**63 - 1)
    query = bench.start(stream, availableNow=True)
    finish(query)
    assert bench.ends(query, topic) == [[100, 10, 1]]
    assert len(bench.rows(bench.table(query))) == 111


@pytest.mark.spark_behaviour(25)
def test_a_batch_waits_for_enough_records(bench: Workbench, topic: str) -> None:
    bench.create(topic, 2)
    bench.send(topic, 0, range(20))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", minOffsetsPerTrigger=15, maxTriggerDelay="1h")
    query = bench.start(stream)
    query.processAllAvailable()
    bench.send(topic, 1, range(5))
    time.sleep(0.5)
    assert bench.rows(bench.table(query)) == rows_of(0, range(20))
    bench.send(topic, 0, range(20, 32))
    eventually(lambda: len(progress(query)) == 2, WAIT_S)
    assert bench.ends(query, topic) == [[20, 0], [32, 5]]
    assert bench.rows(bench.table(query)) == rows_of(0, range(32)) + rows_of(1, range(5))


@pytest.mark.full
@pytest.mark.spark_behaviour(25)
def test_a_batch_waits_no_longer_than_its_delay(bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(20))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", minOffsetsPerTrigger=15, maxTriggerDelay="2s")
    query = bench.start(stream)
    query.processAllAvailable()
    bench.send(topic, 0, range(20, 25))
    eventually(lambda: len(progress(query)) == 2, WAIT_S)
    assert bench.ends(query, topic) == [[20], [25]]
    assert bench.rows(bench.table(query)) == rows_of(0, range(25))


@pytest.mark.spark_behaviour(35)
def test_what_spark_tells_of_a_batch(bench: Workbench, topic: str) -> None:
    """Rows of a batch, and how far it is behind the end of the topic."""
    bench.create(topic, 2)
    bench.send(topic, 0, range(30))
    bench.send(topic, 1, range(10))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=20)
    query = bench.start(stream)
    query.processAllAvailable()
    eventually(lambda: len(progress(query)) == 2, WAIT_S)
    first, last = (entry["sources"][0] for entry in progress(query))
    assert first["startOffset"] is None
    assert first["endOffset"] == {topic: {"0": 15, "1": 5}}
    assert last["latestOffset"] == last["endOffset"] == {topic: {"0": 30, "1": 10}}
    assert [first["numInputRows"], last["numInputRows"]] == [20, 20]
    behind = ("minOffsetsBehindLatest", "avgOffsetsBehindLatest", "maxOffsetsBehindLatest")
    bench.saw("metrics", [{name: float(entry["metrics"][name]) for name in behind} for entry in (first, last)])
    assert [float(first["metrics"][name]) for name in behind] == [5, 10, 15]
    assert [float(last["metrics"][name]) for name in behind] == [0, 0, 0]


@pytest.mark.spark_behaviour(36)
def test_windows_close_as_time_goes_on_in_the_records(bench: Workbench, topic: str) -> None:
    """What comes too late for its window is left out."""
    bench.create(topic, 1)
    seconds = [1, 2, 12, 9, 31, 30, 32, 33, 34, 3, 47]  # 3 is too late: 31 came two batches before
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=3)
    for number, second in enumerate(seconds):
        bench.send(topic, 0, [number], [BASE_MS + second * 1000])
    counted = stream.withWatermark("timestamp", "5 seconds").groupBy(window("timestamp", "10 seconds")).count()
    query = bench.start(counted)
    query.processAllAvailable()
    found = bench.table(query).selectExpr("unix_millis(window.start)", "count").collect()
    windows = sorted((int(at_ms - BASE_MS) // 1000, count) for at_ms, count in found)
    bench.saw("windows", windows)
    assert windows == [(0, 3), (10, 1), (30, 5)]


@pytest.mark.spark_behaviour(37)
@pytest.mark.parametrize("how", ["self", pytest.param("two topics", marks=pytest.mark.full)])
def test_streams_are_joined(how: str, bench: Workbench, topic: str) -> None:
    other = topic if how == "self" else f"{topic}-2"
    for name in {topic, other}:
        bench.create(name, 2)
        bench.send(name, 0, range(10))
        bench.send(name, 1, range(10, 20))
    numbers = "CAST(CAST(value AS STRING) AS INT) AS {}"
    left = bench.stream(subscribe=topic, startingOffsets="earliest").selectExpr(numbers.format("a"))
    right = bench.stream(subscribe=other, startingOffsets="earliest").selectExpr(numbers.format("b"))
    query = bench.start(left.join(right, left.a == right.b - 5))
    for count in (15, 16):
        query.processAllAvailable()
        pairs = sorted(tuple(row) for row in bench.table(query).collect())
        bench.saw("pairs", pairs)
        assert pairs == [(n, n + 5) for n in range(count)]
        bench.send(other, 1, [20])


@pytest.mark.full
@pytest.mark.spark_behaviour
def test_a_batch_is_read_in_order_of_offsets_while_more_is_written(bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(5))
    stream = bench.stream(subscribe=topic, startingOffsets=as_json(topic, [2]))
    query = bench.start(stream)
    for number in range(5, 12):
        bench.send(topic, 0, [number])
    query.processAllAvailable()
    found = [row.offset for row in bench.table(query).select("offset").collect()]
    bench.saw("offsets", found)
    assert found == list(range(2, 12))
