"""A broker stops, or is killed, in the middle of a stream: the stream goes on, and each record is there once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from compat_tests.broker_process import Broker
from compat_tests.clients.samples import eventually
from compat_tests.spark.workbench import WAIT_S, Workbench, progress, rows, rows_of

COUNT = 600
"""Records of each of two partitions, in batches of 100."""


@pytest.fixture
def own(spark: SparkSession, new_broker: Callable[..., Broker], tmp_path: Path) -> Iterator[tuple[Broker, Workbench]]:
    """A broker for this test alone."""
    broker = new_broker()
    bench = Workbench(spark, broker.bootstrap_servers, tmp_path)
    yield broker, bench
    bench.close()


@pytest.mark.parametrize("how", ["stop", pytest.param("kill", marks=pytest.mark.full)])
def test_a_stream_outlives_its_broker(how: str, own: tuple[Broker, Workbench], topic: str) -> None:
    broker, bench = own
    bench.create(topic, 2)
    for partition in range(2):
        bench.send(topic, partition, range(COUNT))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=100)
    query = bench.start_files(stream)
    eventually(lambda: len(progress(query)) >= 3, WAIT_S)
    getattr(broker, how)()
    assert len(progress(query)) < 12, "the stream was at its end before the broker went"
    broker.start()
    for partition in range(2):
        bench.send(topic, partition, range(COUNT, COUNT + 50))
    query.processAllAvailable()
    assert len(progress(query)) >= 13
    query.stop()
    expected = rows_of(0, range(COUNT + 50)) + rows_of(1, range(COUNT + 50))
    assert rows(bench.files()) == expected


@pytest.mark.full
def test_a_stopped_stream_goes_on_from_its_checkpoint_after_the_broker_was_away(
    own: tuple[Broker, Workbench], topic: str
) -> None:
    broker, bench = own
    bench.create(topic, 2)
    bench.send(topic, 0, range(COUNT))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=100)
    query = bench.start_files(stream)
    eventually(lambda: len(progress(query)) >= 2, WAIT_S)
    query.stop()
    broker.stop()
    broker.start()
    bench.send(topic, 1, range(COUNT))
    broker.kill()
    broker.start()
    query = bench.start_files(stream)
    query.processAllAvailable()
    query.stop()
    assert rows(bench.files()) == rows_of(0, range(COUNT)) + rows_of(1, range(COUNT))
