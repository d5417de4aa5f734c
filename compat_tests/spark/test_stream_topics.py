"""Topics that change under a running stream: new partitions, new topics, deleted records."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import NewPartitions  # type: ignore[attr-defined]
from pyspark.errors import StreamingQueryException

from compat_tests.clients.confluent_kafka import using as confluent
from compat_tests.clients.samples import eventually
from compat_tests.spark.workbench import LOST, WAIT_S, Workbench, finish, progress, rows_of

pytestmark = pytest.mark.api("Fetch", "ListOffsets", "Metadata")


def add_partitions(bench: Workbench, topic: str, count: int) -> None:
    confluent.only(bench.admin.create_partitions([NewPartitions(topic, count)]))
    eventually(lambda: len(bench.admin.list_topics(timeout=10).topics[topic].partitions) == count)


@pytest.mark.spark_behaviour(27)
@pytest.mark.parametrize("start", ["earliest", pytest.param("latest", marks=pytest.mark.full)])
def test_new_partitions_are_read_from_their_beginning(start: str, bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(5))
    query = bench.start(bench.stream(subscribe=topic, startingOffsets=start))
    query.processAllAvailable()
    first = 0 if start == "earliest" else 5
    add_partitions(bench, topic, 3)
    for partition in range(3):
        bench.send(topic, partition, [f"new {partition}", "more"])
    query.processAllAvailable()
    expected = rows_of(0, range(first, 5), first) + rows_of(0, ["new 0", "more"], 5)
    assert bench.rows(bench.table(query)) == expected + rows_of(1, ["new 1", "more"]) + rows_of(2, ["new 2", "more"])


@pytest.mark.spark_behaviour(28)
def test_a_topic_that_comes_later_matches_the_pattern(bench: Workbench, topic: str) -> None:
    bench.create(f"{topic}-1", 2)
    bench.send(f"{topic}-1", 0, ["first"])
    query = bench.start(bench.stream(subscribePattern=f"{topic}-.*", startingOffsets="latest"))
    query.processAllAvailable()
    assert bench.rows(bench.table(query)) == []
    bench.create(f"{topic}-2", 2)
    bench.create(f"other-{topic[::-1]}", 1)
    bench.send(f"{topic}-1", 1, ["old topic"])
    bench.send(f"{topic}-2", 1, ["new topic"])
    bench.send(f"other-{topic[::-1]}", 0, ["not asked for"])
    query.processAllAvailable()
    assert sorted(bench.values(bench.table(query))) == ["new topic", "old topic"]


@pytest.mark.spark_behaviour(34)
@pytest.mark.parametrize("strict", [pytest.param(True, marks=pytest.mark.full), False])
def test_records_are_deleted_before_they_are_read(strict: bool, bench: Workbench, topic: str) -> None:
    """A strict stream fails and says so; another goes on with what is left."""
    bench.create(topic, 1)
    bench.send(topic, 0, range(10))
    stream = bench.stream(
        subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=4, failOnDataLoss=str(strict).lower()
    )
    first = bench.start_files(stream, processingTime="1 day")
    eventually(lambda: len(progress(first)) == 1, WAIT_S)
    first.stop()
    bench.delete_records_before(topic, 0, 6)
    second = bench.start_files(stream, availableNow=True)
    if strict:
        with bench.refused(LOST, StreamingQueryException):
            finish(second)
        assert bench.rows(bench.files()) == rows_of(0, range(4))
    else:
        finish(second)
        assert bench.rows(bench.files()) == rows_of(0, range(4)) + rows_of(0, range(6, 10), first_offset=6)
