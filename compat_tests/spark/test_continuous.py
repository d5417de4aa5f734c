"""Continuous mode: one long task for each partition, and an epoch every tenth of a second in place of micro-batches."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql.streaming.query import StreamingQuery

from compat_tests.clients.samples import eventually
from compat_tests.spark.workbench import WAIT_S, Workbench, rows_of

pytestmark = pytest.mark.api("Fetch", "ListOffsets", "Produce")

COUNT = 50


def start(bench: Workbench, source: str, target: str) -> StreamingQuery:
    stream = bench.stream(subscribe=source, startingOffsets="earliest").selectExpr("value")
    writer = stream.writeStream.format("kafka").trigger(continuous="100 milliseconds")
    options = {"kafka.bootstrap.servers": bench.bootstrap_servers, "topic": target}
    return bench.keep(writer.options(**options, checkpointLocation=str(bench.scratch / "checkpoint")).start())


def committed(checkpoint: Path, topic: str) -> int:
    """How far the last epoch that the query committed has read partition 0; -1 before the first."""
    epochs = [int(path.name) for path in (checkpoint / "commits").glob("[0-9]*")]
    if not epochs:
        return -1
    offsets = (checkpoint / "offsets" / str(max(epochs))).read_text()
    return int(offsets.rpartition(f'{{"{topic}":{{"0":')[2].partition("}")[0])


@pytest.mark.full
@pytest.mark.spark_behaviour(52)
def test_a_query_is_stopped_and_started_again(bench: Workbench, topic: str) -> None:
    """Once an epoch is committed, what it wrote is not written again."""
    target = f"{topic}-copy"
    bench.create(topic, 1)
    bench.create(target, 1)
    for run in range(3):
        query = start(bench, topic, target)
        bench.send(topic, 0, range(run * COUNT, (run + 1) * COUNT))
        end = (run + 1) * COUNT
        eventually(lambda end=end: committed(bench.scratch / "checkpoint", topic) == end, WAIT_S)  # type: ignore[misc]
        query.stop()
        assert query.exception() is None
    assert bench.rows(bench.read(subscribe=target)) == rows_of(0, range(3 * COUNT))
