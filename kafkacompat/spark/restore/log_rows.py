"""Rows of Spark as records of a log, in the tasks that write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from kafkacompat.protocol.constants import NO_TIMESTAMP
from kafkacompat.spark.restore.packed_batches import LogRecord

LOG_COLUMNS = ("offset", "timestamp_ms", "timestampType", "key", "value", "headers")
TRIES_PER_TASK = 40
"""Numbers that are tried to find one that Spark's hash sends to a certain task: enough for 10,000 tasks."""


def timestamp_ms() -> Column:
    """The time in ms; -1 without one."""
    return F.coalesce(F.unix_millis("timestamp"), F.lit(NO_TIMESTAMP)).alias("timestamp_ms")


def spread(spark: SparkSession, records: DataFrame, number: Column, tasks: int) -> DataFrame:
    """The records by task: those with the same `number`, from 0 on, go to the same task, and each task gets as many
    numbers as the others, which a hash alone does not do.
    """
    tried = spark.range(tasks * TRIES_PER_TASK).groupBy(F.pmod(F.hash("id"), F.lit(tasks)).alias("task"))
    keys = {row["task"]: row["id"] for row in tried.agg(F.min("id").alias("id")).collect()}
    of_task = F.array(*(F.lit(keys.get(task, task)).cast("long") for task in range(tasks)))
    key = F.element_at(of_task, (F.pmod(number, F.lit(tasks)) + 1).cast("int"))
    return records.withColumn("task", key).repartition(tasks, "task")


def log_records(rows: Iterable[Row], *more: str) -> Iterator[tuple[Any, ...]]:
    """The columns `more` of each row, and its record. Rows come as they are: Spark's Arrow functions need pandas."""
    for row in rows:
        headers = tuple((key, None if value is None else bytes(value)) for key, value in row["headers"] or ())
        key, value = row["key"], row["value"]
        record = LogRecord(
            row["offset"], row["timestamp_ms"], row["timestampType"], None if key is None else bytes(key),
            None if value is None else bytes(value), headers,
        )  # fmt: skip
        yield *(row[name] for name in more), record
