"""Streams whose records go away while they are read: what comes of each micro-batch, and what Spark counts as lost."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from compat_tests.spark.workbench import LOST, Row, Workbench


class Taking:
    """Takes the records of each micro-batch; `before[number]` is done when that batch is planned, but not yet read."""

    def __init__(self, bench: Workbench, stream: DataFrame, before: dict[int, Callable[[], None]]) -> None:
        self._bench = bench
        self.taken: dict[int, list[Row]] = {}

        def take(frame: DataFrame, number: int) -> None:
            before.get(number, lambda: None)()
            self.taken[number] = bench.rows(frame)

        self.query = bench.keep(stream.writeStream.foreachBatch(take).start())

    def check_first(self, left: list[Row], *, is_strict: bool) -> None:
        """A strict stream says what was lost, and takes nothing; another one takes what is left."""
        if is_strict:
            with self._bench.refused(LOST, StreamingQueryException):
                self.query.processAllAvailable()
            assert self.taken == {}
        else:
            self.query.processAllAvailable()
            assert self.taken[0] == left


def check_counted(bench: Workbench, stream: DataFrame, left: list[Row]) -> None:
    """A stream that begins where records are gone takes what is left, and Spark counts the loss."""
    query = bench.start(stream)
    query.processAllAvailable()
    assert bench.rows(bench.table(query)) == left
    counted = {name: _metric(query, name) for name in ("offsetOutOfRange", "dataLoss")}
    bench.saw("metrics", counted)
    assert counted["offsetOutOfRange"] > 0


def _metric(query: StreamingQuery, name: str) -> int:
    """What the tasks of the last micro-batch counted while they read from Kafka."""
    leaves = query._jsq.streamingQuery().lastExecution().executedPlan().collectLeaves()
    return int(leaves.head().metrics().get(name).get().value())
