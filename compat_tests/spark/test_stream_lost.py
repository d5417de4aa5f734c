"""Topics and records that go away under a stream: deleted, made again, taken by retention."""

from __future__ import annotations

import time

import pytest
from pyspark.errors import StreamingQueryException

from compat_tests.spark.taking import Taking, check_counted
from compat_tests.spark.test_options import QUICK
from compat_tests.spark.workbench import Workbench, as_json, rows_of

pytestmark = pytest.mark.api("Fetch", "ListOffsets", "Metadata")

PATIENT = {"fetchOffset.numRetries": "20", "fetchOffset.retryIntervalMs": "100"}
"""A topic may go between the moment when Spark hears of it and the moment when it asks about it."""
FETCH_IS_OVER_S = 2.0
"""Longer than a fetch waits at the end of a partition: what is written now was not fetched ahead."""


@pytest.mark.spark_behaviour(29)
@pytest.mark.api("DeleteTopics")
def test_a_topic_of_a_pattern_is_deleted(bench: Workbench, topic: str) -> None:
    one, two = f"{topic}-1", f"{topic}-2"
    for name in (one, two):
        bench.create(name, 2)
        bench.send(name, 0, [f"{name} before"])
    stream = bench.stream(subscribePattern=f"{topic}-.*", startingOffsets="earliest", failOnDataLoss="false", **PATIENT)
    query = bench.start(stream)
    query.processAllAvailable()
    bench.delete(one)
    bench.send(two, 1, [f"{two} after"])
    query.processAllAvailable()
    assert bench.values(bench.table(query)) == [f"{one} before", f"{two} before", f"{two} after"]
    assert query.isActive


@pytest.mark.spark_behaviour(30)
@pytest.mark.api("DeleteTopics")
def test_a_topic_is_made_again_between_two_runs(bench: Workbench, topic: str) -> None:
    """The strict stream says that the partition became shorter."""
    bench.create(topic, 1)
    bench.send(topic, 0, [0, 1])
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", **QUICK)
    query = bench.start_files(stream)
    query.processAllAvailable()
    query.stop()
    bench.delete(topic)
    bench.create(topic, 1)
    bench.send(topic, 0, ["new"])
    with bench.refused("(?s)changed from 2 to 1", StreamingQueryException):
        bench.start_files(stream).processAllAvailable()
    assert bench.rows(bench.files()) == rows_of(0, [0, 1])


@pytest.mark.spark_behaviour(31)
@pytest.mark.api("DeleteTopics")
def test_a_topic_is_made_again_while_a_batch_is_read(bench: Workbench, topic: str) -> None:
    """The batch is empty, since what it was to read is gone, and the stream goes on at the new topic's end."""
    bench.create(topic, 1)
    bench.send(topic, 0, range(10))

    def make_again() -> None:
        bench.delete(topic)
        bench.create(topic, 1)
        bench.send(topic, 0, ["new 0", "new 1", "new 2"])

    stream = bench.stream(subscribe=topic, startingOffsets="earliest", failOnDataLoss="false", **QUICK)
    taking = Taking(bench, stream, {1: make_again})
    taking.query.processAllAvailable()
    time.sleep(FETCH_IS_OVER_S)
    bench.send(topic, 0, range(10, 20))
    taking.query.processAllAvailable()
    bench.send(topic, 0, ["after"])
    taking.query.processAllAvailable()
    every = [row for number in sorted(taking.taken) for row in taking.taken[number]]
    assert every == rows_of(0, range(10)) + rows_of(0, ["after"], first_offset=3)


@pytest.mark.spark_behaviour(34)
@pytest.mark.api("DeleteRecords")
@pytest.mark.parametrize("strict", [True, False])
def test_records_are_deleted_when_their_batch_is_planned(strict: bool, bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(20))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", failOnDataLoss=str(strict).lower())
    taking = Taking(bench, stream, {0: lambda: bench.delete_records_before(topic, 0, 12)})
    taking.check_first(rows_of(0, range(12, 20), first_offset=12), is_strict=strict)


@pytest.mark.spark_behaviour(34)
@pytest.mark.api("DeleteRecords")
def test_spark_counts_what_was_out_of_range(bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(20))
    bench.delete_records_before(topic, 0, 12)
    stream = bench.stream(subscribe=topic, startingOffsets=as_json(topic, [3]), failOnDataLoss="false")
    check_counted(bench, stream, rows_of(0, range(12, 20), first_offset=12))
