"""A topic read as a batch: which records, between which offsets, in how many tasks."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import DataFrame
from pyspark.sql.functions import spark_partition_id

from compat_tests.spark.workbench import EARLIEST, LATEST, LOST, Workbench, as_json, rows_of

pytestmark = pytest.mark.api("Fetch", "ListOffsets", "Metadata")


@pytest.mark.spark_behaviour(1)
def test_a_frame_reads_what_is_there_each_time_it_is_used(bench: Workbench, topic: str) -> None:
    bench.create(topic)
    bench.send(topic, 0, range(10))
    bench.send(topic, 1, range(10, 20))
    bench.send(topic, 2, [20])
    frame = bench.read(subscribe=topic, startingOffsets="earliest", endingOffsets="latest")
    expected = rows_of(0, range(10)) + rows_of(1, range(10, 20)) + rows_of(2, [20])
    assert bench.rows(frame) == expected
    bench.send(topic, 2, [21, 22])
    assert bench.rows(frame) == expected + rows_of(2, [21, 22], first_offset=1)


@pytest.mark.spark_behaviour(2)
def test_the_defaults_are_all_records(bench: Workbench, topic: str) -> None:
    bench.create(topic)
    bench.send(topic, 1, range(30))
    assert bench.rows(bench.read(subscribe=topic, kafka_fetch_max_wait_ms=500)) == rows_of(1, range(30))


@pytest.mark.spark_behaviour(3)
def test_offsets_by_partition(bench: Workbench, topic: str) -> None:
    """An end given as a number stays; one given as `latest` moves with the partition."""
    bench.create(topic)
    for partition in range(3):
        bench.send(topic, partition, range(10))
    frame = bench.read(
        subscribe=topic, startingOffsets=as_json(topic, [EARLIEST, 4, 7]), endingOffsets=as_json(topic, [LATEST, 6, 7])
    )
    assert bench.rows(frame) == rows_of(0, range(10)) + rows_of(1, [4, 5], first_offset=4)
    for partition in range(3):
        bench.send(topic, partition, [10, 11])
    assert bench.rows(frame) == rows_of(0, range(12)) + rows_of(1, [4, 5], first_offset=4)


@pytest.mark.full
@pytest.mark.spark_behaviour(3)
def test_a_start_at_the_end_of_a_partition_reads_nothing(bench: Workbench, topic: str) -> None:
    bench.create(topic, 2)
    bench.send(topic, 0, range(5))
    frame = bench.read(subscribe=topic, startingOffsets=as_json(topic, [5, 0]))
    assert bench.rows(frame) == []
    bench.send(topic, 0, [5])
    bench.send(topic, 1, [6])
    assert bench.rows(frame) == rows_of(0, [5], first_offset=5) + rows_of(1, [6])


@pytest.mark.spark_behaviour(26)
def test_assigned_partitions_and_patterns(bench: Workbench, topic: str) -> None:
    """A pattern that is found anywhere in a name chooses the topic; internal topics are never among them."""
    for name in (f"{topic}-a", f"{topic}-b"):
        bench.create(name)
        for partition in range(3):
            bench.send(name, partition, [f"{name} {partition}"])
    some = bench.read(assign=json.dumps({f"{topic}-a": [0, 2]}))
    assert bench.values(some) == [f"{topic}-a 0", f"{topic}-a 2"]
    both = bench.read(subscribePattern=f"{topic[-6:]}-[ab]$")
    assert sorted(bench.values(both)) == sorted(f"{topic}-{x} {partition}" for x in "ab" for partition in range(3))
    two = bench.read(subscribe=f"{topic}-b,{topic}-a", startingOffsets="earliest")
    assert sorted(bench.values(two)) == sorted(bench.values(both))


@pytest.mark.spark_behaviour(15)
def test_two_readers_of_one_range(bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(1000))
    frame = bench.read(subscribe=topic)
    assert bench.rows(frame.union(frame)) == sorted(2 * rows_of(0, range(1000)))


@pytest.mark.spark_behaviour(16)
def test_deleted_records_are_gone_when_a_frame_is_used_again(bench: Workbench, topic: str) -> None:
    bench.create(topic, 2)
    bench.send(topic, 0, range(20))
    bench.send(topic, 1, range(5))
    frame = bench.read(subscribe=topic)
    assert bench.rows(frame) == rows_of(0, range(20)) + rows_of(1, range(5))
    bench.delete_records_before(topic, 0, 12)
    assert bench.rows(frame) == rows_of(0, range(12, 20), first_offset=12) + rows_of(1, range(5))
    bench.delete_records_before(topic, 1, 5)
    assert bench.rows(frame) == rows_of(0, range(12, 20), first_offset=12)


@pytest.mark.spark_behaviour(16, 34)
def test_deleted_records_that_were_asked_for(bench: Workbench, topic: str) -> None:
    """With failOnDataLoss the query fails and says so; without, what is left is read."""
    bench.create(topic, 1)
    bench.send(topic, 0, range(20))
    bench.delete_records_before(topic, 0, 12)
    asked = {"subscribe": topic, "startingOffsets": as_json(topic, [3]), "endingOffsets": as_json(topic, [15])}
    assert bench.rows(bench.read(failOnDataLoss="false", **asked)) == rows_of(0, range(12, 15), first_offset=12)
    with bench.refused(LOST):
        bench.rows(bench.read(failOnDataLoss="true", **asked))


@pytest.mark.spark_behaviour(20)
def test_partitions_are_split_among_more_tasks(bench: Workbench, topic: str) -> None:
    bench.create(topic)
    for partition in range(3):
        bench.send(topic, partition, range(100))
    expected = [row for partition in range(3) for row in rows_of(partition, range(100))]
    whole = bench.read(subscribe=topic)
    assert (tasks(bench, whole), bench.rows(whole)) == (3, expected)
    split = bench.read(subscribe=topic, minPartitions=6)
    assert (tasks(bench, split), bench.rows(split)) == (6, expected)
    few = bench.read(subscribe=topic, minPartitions=2)
    assert (tasks(bench, few), bench.rows(few)) == (3, expected)


def tasks(bench: Workbench, frame: DataFrame) -> int:
    """In how many tasks a frame is read."""
    count = frame.select(spark_partition_id().alias("task")).distinct().count()
    bench.saw("tasks", count)
    return count
