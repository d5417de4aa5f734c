"""Rows on their way to tasks that write them as records of a log."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import COMMIT, encode_end_transaction, encode_key
from kafkacompat.spark.archives.archive_digest import COLUMNS
from kafkacompat.spark.archives.archive_reader import SCHEMA
from kafkacompat.spark.restore.archive_importer import counted
from kafkacompat.spark.restore.log_rows import LOG_COLUMNS, log_records, spread, timestamp_ms
from kafkacompat.spark.restore.packed_batches import LogRecord


@pytest.mark.spark_behaviour
def test_each_task_gets_as_many_numbers_as_the_others(spark: SparkSession) -> None:
    numbers = spark.range(0, 40).withColumn("number", F.floor(F.col("id") / 4))
    tasks = spread(spark, numbers, F.col("number"), 5).rdd.glom().collect()
    found = [sorted({row["number"] for row in of_task}) for of_task in tasks]
    assert sorted(found) == [[n, n + 5] for n in range(5)]
    assert sum(map(len, tasks)) == 40


@pytest.mark.spark_behaviour
def test_a_row_is_a_record(spark: SparkSession) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [
        (b"k", None, "t", 0, 1, at, 1, [("h", None), ("h", b"1")]), (None, b"", "t", 0, 2, None, 0, None),
    ]  # fmt: skip
    frame = spark.createDataFrame(rows, SCHEMA.__class__([SCHEMA[name] for name in COLUMNS]))
    found = frame.select("topic", timestamp_ms(), *(name for name in LOG_COLUMNS if name != "timestamp_ms")).collect()
    assert list(log_records(found, "topic")) == [
        ("t", LogRecord(1, 1767225600000, 1, b"k", None, (("h", None), ("h", b"1")))),
        ("t", LogRecord(2, -1, 0, None, b"", ())),
    ]


@pytest.mark.spark_behaviour
def test_no_log_takes_more_than_was_counted_of_its_records(spark: SparkSession) -> None:
    """Not either where each record has a batch and a transaction of its own."""
    marker = build_batch([Record(1, 1, encode_key(COMMIT), encode_end_transaction(1))])
    records = {
        "plain": Record(0, 1, b"k", b"v" * 20_000),
        "empty": Record(0, 1, None, None),
        "headers": Record(0, 1, None, b"v", (("é" * 300, None), ("h", b"1" * 70_000), *[("n", b"")] * 100)),
    }
    rows = [
        (each.key, each.value, topic, 0, 5, datetime(2026, 1, 1, tzinfo=UTC), 0, list(each.headers) or None)
        for topic, each in records.items()
    ]
    frame = spark.createDataFrame(rows, SCHEMA.__class__([SCHEMA[name] for name in COLUMNS]))
    found = {topic: each.size_bytes for (topic, _), each in counted(frame).items()}
    for topic, each in records.items():
        taken = len(build_batch([each])) + len(marker)
        assert taken <= found[topic] <= taken + 50 + 10 * len(each.headers)
