"""A stream over a longer life: what it fetched ahead, how it stops, and a topic list that never rests."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from pyspark.sql import DataFrame

from compat_tests.clients.samples import eventually
from compat_tests.spark.test_stream_topics import add_partitions
from compat_tests.spark.workbench import WAIT_S, Workbench, finish, progress, rows_of

pytestmark = pytest.mark.api("Fetch", "ListOffsets", "Metadata")

STOP_S = 30.0
STRESS_STEPS, STRESS_PAUSE_S = 100, 0.2
"""Twenty seconds of changes, plus what they take."""


@pytest.mark.spark_behaviour(33)
def test_what_was_fetched_ahead_is_for_the_next_batch(bench: Workbench, topic: str) -> None:
    """One fetch brings all records; each batch takes its three. Another query in between does not disturb that."""
    bench.create(topic, 1)
    together: dict[str, Any] = {"linger.ms": 100}
    bench.send(topic, 0, range(12), **together)
    taken = []
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=3)

    def take(frame: DataFrame, number: int) -> None:
        taken.append(bench.rows(frame))
        if number == 1:
            assert len(bench.rows(bench.read(subscribe=topic))) == 12

    query = bench.keep(stream.writeStream.foreachBatch(take).trigger(availableNow=True).start())
    finish(query)
    assert taken == [rows_of(0, range(first, first + 3), first) for first in (0, 3, 6, 9)]


@pytest.mark.since_spark("4.2.0")
@pytest.mark.spark_behaviour(20)
def test_tasks_take_no_more_than_so_many_records(bench: Workbench, topic: str) -> None:
    bench.create(topic)
    for partition, count in enumerate((100, 10, 1)):
        bench.send(topic, partition, range(count))
    tasks = []

    def take(frame: DataFrame, _number: int) -> None:
        tasks.append(frame.rdd.getNumPartitions())
        assert bench.rows(frame) == rows_of(0, range(100)) + rows_of(1, range(10)) + rows_of(2, range(1))

    for more in ({}, {"minPartitions": 8}):
        stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxRecordsPerPartition=40, **more)
        finish(bench.keep(stream.writeStream.foreachBatch(take).trigger(availableNow=True).start()))
    bench.saw("tasks", tasks)
    assert tasks[0] == 5
    assert tasks[1] >= 8


@pytest.mark.spark_behaviour(39)
@pytest.mark.parametrize("doing", [pytest.param("nothing", marks=pytest.mark.full), "batch after batch"])
def test_stop_is_quick(doing: str, bench: Workbench, topic: str) -> None:
    bench.create(topic, 2)
    bench.send(topic, 0, range(2000))
    per_batch = 2000 if doing == "nothing" else 1
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=per_batch)
    query = bench.start(stream)
    if doing == "nothing":
        query.processAllAvailable()
    else:
        eventually(lambda: len(progress(query)) >= 2, WAIT_S)
    begin_s = time.monotonic()
    query.stop()
    assert time.monotonic() - begin_s < STOP_S
    assert not query.isActive
    assert query.exception() is None
    read = [row.offset for row in bench.table(query).orderBy("offset").select("offset").collect()]
    assert read == list(range(len(read)))
    assert (len(read) == 2000) == (doing == "nothing")
    bench.saw("first", read[:2])


@pytest.mark.full
@pytest.mark.spark_behaviour(40)
@pytest.mark.api("CreateTopics", "DeleteTopics", "CreatePartitions")
@pytest.mark.parametrize("seed", [1])
def test_topics_that_never_rest(seed: int, bench: Workbench, topic: str) -> None:
    """Of topics that stay, each record comes once; of those that are deleted and made again, none comes twice."""
    chance = random.Random(seed)
    partitions = {f"{topic}-stays-0": 1, f"{topic}-goes-0": 1}
    for name in partitions:
        bench.create(name, 1)
    stream = bench.stream(
        subscribePattern=f"{topic}-.*", startingOffsets="earliest", failOnDataLoss="false",
        **{"fetchOffset.numRetries": "50", "fetchOffset.retryIntervalMs": "50"},
    )  # fmt: skip
    query = bench.start(stream)
    kept: list[str] = []
    for step in range(STRESS_STEPS):
        name = chance.choice(sorted(partitions))
        what = chance.choices(("write", "new topic", "more partitions", "again"), (12, 1, 1, 2))[0]
        if what == "new topic" and len(partitions) < 8:
            name = f"{topic}-{chance.choice(('stays', 'goes'))}-{step}"
            partitions[name] = chance.randint(1, 3)
            bench.create(name, partitions[name])
        elif what == "more partitions" and partitions[name] < 5:
            partitions[name] += 1
            add_partitions(bench, name, partitions[name])
        elif what == "again" and "-goes-" in name:
            bench.delete(name)
            bench.create(name, partitions[name])
        values = [f"{name} {step} {n}" for n in range(chance.randint(1, 30))]
        bench.send(name, chance.randrange(partitions[name]), values)
        kept += values if "-stays-" in name else []
        time.sleep(STRESS_PAUSE_S)
    query.processAllAvailable()
    assert query.exception() is None
    found = [row[0] for row in bench.table(query).selectExpr("CAST(value AS STRING)").collect()]
    assert len(found) == len(set(found))
    stayed = sorted(value for value in found if "-stays-" in value)
    bench.saw("stayed", stayed)
    assert stayed == sorted(kept)
