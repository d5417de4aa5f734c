"""The Spark job, in its own process: reads `flights` as a batch, then as a stream that is stopped on the way.

It uses Spark's own functions only, so no Python runs in Spark's workers. Only this module of the demo imports pyspark.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (the usual name)
from pyspark.sql.streaming.query import StreamingQuery

from kafkacompat.demo.aggregate import DEP_DELAY_COLUMN, NOT_KNOWN, ORIGIN_COLUMN
from kafkacompat.demo.ledger import FIELD_END, RECORD_END
from kafkacompat.demo.spark_messages import BatchRead, SparkFailed, SparkPlan, Started, Streamed, Streaming

TRIGGERS = 8
"""Micro-batches into which the stream is divided."""
WATERMARK = "400 days"
"""The file has October to December between January and February, so records are months late."""
POLL_RECORDS = "5000"
"""Spark looks up first and last offset after every poll, so polls are larger than the default of 500 records."""
POLL_S = 0.05
SHUFFLE_PARTITIONS = 2


def run(link: Connection, plan: SparkPlan) -> None:
    """The main function of the child process. It sends its results to `link`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _log_to(Path(plan.folder, "spark.log"))
    threading.Thread(target=_exit_with_parent, args=(link,), daemon=True).start()
    try:
        spark = _session(plan)
        link.send(Started(spark.version))
        link.send(_batch(spark, plan))
        link.send(_stream(spark, plan, link))
        spark.stop()
    except Exception as error:  # noqa: BLE001 (Spark raises many kinds; the parent reports it)
        link.send(
            SparkFailed(f"{type(error).__name__}: {str(error).strip().splitlines()[0][:300] if str(error) else ''}")
        )


def _log_to(log: Path) -> None:
    """Redirect the output of Spark's JVM to a file."""
    os.chdir(log.parent)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    sys.stdout.flush()
    os.dup2(out, 1)
    os.dup2(out, 2)


def _exit_with_parent(link: Connection) -> None:
    """Exit when the parent has ended, which closes the pipe. The JVM exits with this process."""
    link.poll(None)
    os._exit(1)


def _session(plan: SparkPlan) -> SparkSession:
    os.environ.pop("SPARK_HOME", None)  # it could name another Spark than pyspark's
    os.environ |= {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(SHUFFLE_PARTITIONS),
        "spark.sql.streaming.noDataMicroBatches.enabled": "false",
        "spark.local.dir": plan.folder,
        "spark.sql.warehouse.dir": str(Path(plan.folder, "warehouse")),
        "spark.driver.bindAddress": "127.0.0.1",
        **plan.settings,
    }
    builder = SparkSession.builder.master("local[2]").appName("kafkacompat demo")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _batch(spark: SparkSession, plan: SparkPlan) -> BatchRead:
    """Read the topic as a batch. Spark computes the checksums of `ledger.key_checksums`."""
    began = time.monotonic()
    records = spark.read.format("kafka").options(**_source(plan), includeHeaders="true").load()
    in_order = F.array_sort(F.collect_list(F.struct("partition", "offset", _canonical().alias("line"))))
    lines = F.transform(in_order, lambda entry: entry["line"])
    rows = (
        records.groupBy(F.col("key").cast("string").alias("key"))
        .agg(F.count("*").alias("records"), F.sha2(F.array_join(lines, ""), 256).alias("checksum"))
        .collect()
    )
    return BatchRead(
        sum(row["records"] for row in rows), {row["key"]: row["checksum"] for row in rows}, time.monotonic() - began
    )


def _source(plan: SparkPlan) -> dict[str, str]:
    return {
        "kafka.bootstrap.servers": plan.bootstrap_servers, "subscribe": plan.source,
        "kafka.max.poll.records": POLL_RECORDS,
    }  # fmt: skip


def _canonical() -> Column:
    """`ledger.canonical` as a Spark expression."""
    field_end = F.lit(FIELD_END.decode())
    headers = F.transform(
        "headers", lambda header: F.concat(field_end, header["key"], F.lit("="), header["value"].cast("string"))
    )
    time_ms = F.unix_millis("timestamp").cast("string")
    return F.concat(
        F.col("value").cast("string"), field_end, time_ms, F.array_join(headers, ""), F.lit(RECORD_END.decode())
    )


def _stream(spark: SparkSession, plan: SparkPlan, link: Connection) -> Streamed:
    """Stop once the first micro-batch is done, restart from the checkpoint and read to the end."""
    began = time.monotonic()
    days = _departures_per_day(spark, plan)
    first = _start(days, plan)
    while first.isActive and _rows(first) == 0:
        time.sleep(POLL_S)
    first.stop()  # in the middle of a later micro-batch: its uncommitted records are read again
    _raise_failure(first)
    so_far = _rows(first)
    second = _start(days, plan)
    while second.isActive:
        time.sleep(POLL_S)
        link.send(Streaming(min(so_far + _rows(second), plan.records)))
    _raise_failure(second)
    progress = _progress(second)
    before = sum(progress[0]["sources"][0]["startOffset"][plan.source].values()) if progress else plan.records
    triggers = len(_progress(first)) + len(progress)
    return Streamed(before, _rows(second), triggers, time.monotonic() - began)


def _progress(query: StreamingQuery) -> list[dict[str, Any]]:
    """Spark's progress reports of the micro-batches that read records."""
    reports = [json.loads(entry.json) for entry in query.recentProgress]
    return [entry for entry in reports if entry["numInputRows"]]


def _rows(query: StreamingQuery) -> int:
    return sum(entry["numInputRows"] for entry in _progress(query))


def _raise_failure(query: StreamingQuery) -> None:
    error = query.exception()
    if error is not None:
        raise error


def _departures_per_day(spark: SparkSession, plan: SparkPlan) -> DataFrame:
    """`aggregate.departures_per_day` as a Spark query that writes updates to a topic."""
    per_trigger = str(max(1, plan.records // TRIGGERS))
    options = _source(plan) | {"startingOffsets": "earliest", "maxOffsetsPerTrigger": per_trigger}
    fields = F.split(F.col("value").cast("string"), ",")
    delay = F.when(fields[DEP_DELAY_COLUMN] != NOT_KNOWN, fields[DEP_DELAY_COLUMN].cast("int"))
    flights = (
        spark.readStream.format("kafka").options(**options).load()
        .select("timestamp", fields[ORIGIN_COLUMN].alias("origin"), delay.alias("delay"))
    )  # fmt: skip
    days = (
        flights.withWatermark("timestamp", WATERMARK)
        .groupBy(F.window("timestamp", "1 day").alias("day"), "origin")
        .agg(
            F.count("*").alias("scheduled"), F.count("delay").alias("departed"),
            F.coalesce(F.sum("delay"), F.lit(0)).alias("delay_minutes"),
        )
    )  # fmt: skip
    return days.select(
        F.concat_ws(" ", "origin", F.unix_millis("day.start").cast("string")).alias("key"),
        F.to_json(F.struct("scheduled", "departed", "delay_minutes")).alias("value"),
    )


def _start(days: DataFrame, plan: SparkPlan) -> StreamingQuery:
    options = {
        "kafka.bootstrap.servers": plan.bootstrap_servers, "topic": plan.sink,
        "checkpointLocation": str(Path(plan.folder, "checkpoint")),
    }  # fmt: skip
    return days.writeStream.format("kafka").options(**options).outputMode("update").trigger(availableNow=True).start()
