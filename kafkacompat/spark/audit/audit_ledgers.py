"""`audit ledger` on Spark: what was acknowledged against what is stored.

A ledger is what a writer was told. Its writes are found again by the hash of their values, which it makes unique.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from kafkacompat.spark.audit.audit_findings import (
    DUPLICATE,
    LOST,
    MAX_FINDINGS,
    OUT_OF_ORDER,
    REFUSED_BUT_STORED,
    WRONG_OFFSET,
    AuditError,
    AuditReport,
    Finding,
    report_of,
)
from kafkacompat.spark.audit.ledger_files import ACKNOWLEDGED, REFUSED, UNKNOWN

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JSON_SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")
HASH_BITS = 256
OFFSETS_NAMED = 5
PLACE = ("topic", "partition", "payload_hash")
WRITE = ("topic", "partition", "producer", "sequence", "payload_hash", "status")
"""What every line of a ledger has."""


def read_ledger(spark: SparkSession, path: str) -> DataFrame:
    """A ledger with the columns of `ledger_files.LEDGER_SCHEMA`: of Parquet, or of JSON Lines of `load` or of a chaos
    run (lines with `op`), whose keys are TOPIC/PARTITION and whose values are PRODUCER.NUMBER. Raises AuditError.
    """
    frame = spark.read.json(path) if _is_json(path) else spark.read.parquet(path)
    if "op" in frame.columns:
        return _of_chaos(frame)
    missing = {"topic", "partition", "offset", "producer", "sequence", "payload_hash", "status"} - set(frame.columns)
    if missing:
        raise AuditError(f"{path} is no ledger: it has no column {', '.join(sorted(missing))}")
    if "is_idempotent" not in frame.columns:
        frame = frame.withColumn("is_idempotent", F.expr("true"))
    return frame


def _is_json(path: str) -> bool:
    """Whether it is JSON Lines, by its name or by those of the files in a local folder."""
    return path.endswith(JSON_SUFFIXES) or any(Path(path).glob("*.jsonl"))


def topics_of(ledger: DataFrame) -> str:
    """A pattern for the topics of a ledger. Raises AuditError if it is empty."""
    names = [row["topic"] for row in _whole(ledger).select("topic").distinct().collect()]
    if not names:
        raise AuditError("the ledger is empty: there is nothing to compare")
    return "|".join(re.escape(name) for name in names)


def _whole(ledger: DataFrame) -> DataFrame:
    """Without lines that are cut off, as a writer that was killed leaves them: nobody knows how those writes ended."""
    return ledger.where(" and ".join(f"{name} is not null" for name in WRITE))


def _of_chaos(frame: DataFrame) -> DataFrame:
    sends = frame.where("op = 'send'")
    return sends.select(
        F.regexp_extract("key", "^(.*)/[0-9]+$", 1).alias("topic"),
        F.regexp_extract("key", "/([0-9]+)$", 1).cast("int").alias("partition"),
        F.col("offset").cast("bigint").alias("offset"),
        F.regexp_extract("value", r"^(.*)\.[0-9]+$", 1).alias("producer"),
        F.regexp_extract("value", r"\.([0-9]+)$", 1).cast("bigint").alias("sequence"),
        F.sha2("value", HASH_BITS).alias("payload_hash"),
        F.col("end").alias("status"),
        F.col("idempotent").alias("is_idempotent"),
    )


def audit_ledger(ledger: DataFrame, stored: DataFrame) -> AuditReport:
    """Compare a ledger (see `read_ledger`) with records that have topic, partition, offset and value."""
    whole = _whole(ledger)
    rows = stored.select("topic", "partition", "offset", F.sha2("value", HASH_BITS).alias("payload_hash"))
    places = rows.groupBy(*PLACE).agg(F.sort_array(F.collect_list("offset")).alias("stored"))
    known = whole.dropDuplicates(["producer", "sequence", "topic", "partition"])
    size = F.when(F.col("stored").isNull(), 0).otherwise(F.size("stored"))
    joined = known.join(places, list(PLACE), "left").withColumn("count", size).cache()
    by_producer = Window.partitionBy("producer", "topic", "partition").orderBy("sequence")
    found = joined.where("count > 0").withColumn("before", F.lag(F.element_at("stored", 1)).over(by_producer))
    is_stored, is_idempotent = F.col("count") > 0, F.col("is_idempotent")
    findings: list[Finding] = []
    counts = {}
    for kind, frame, detail in (
        (LOST, joined.where((F.col("status") == ACKNOWLEDGED) & ~is_stored), _text("acknowledged, and not there")),
        (DUPLICATE, joined.where(is_idempotent & (F.col("count") > 1)), _text("at offsets", _offsets())),
        (
            WRONG_OFFSET,
            joined.where(
                (F.col("status") == ACKNOWLEDGED) & is_stored & F.col("offset").isNotNull()
                & ~F.array_contains("stored", F.col("offset"))
            ),
            _text("stored at offsets", _offsets()),
        ),
        (REFUSED_BUT_STORED, joined.where((F.col("status") == REFUSED) & is_stored), _text("at offsets", _offsets())),
        (
            OUT_OF_ORDER,
            found.where(is_idempotent & (F.element_at("stored", 1) < F.col("before"))),
            _text("at offsets", _offsets(), F.lit("behind"), F.col("before").cast("string")),
        ),
    ):  # fmt: skip
        named = _named(kind, frame, detail)
        findings += named
        counts[kind] = frame.count() - len(named) if len(named) == MAX_FINDINGS else 0
    totals = {**_totals(joined, rows, known), "unreadable_lines": ledger.count() - whole.count()}
    joined.unpersist()
    return report_of("ledger", findings, totals, (), {kind: count for kind, count in counts.items() if count})


def _totals(joined: DataFrame, rows: DataFrame, known: DataFrame) -> dict[str, int]:
    def count(condition: str) -> Column:
        return F.count(F.when(F.expr(condition), 1))

    row: Any = joined.agg(
        F.count("*").alias("writes"),
        count(f"status = '{ACKNOWLEDGED}'").alias("acknowledged"),
        count(f"status = '{UNKNOWN}' and count > 0").alias("unknown_and_stored"),
        count(f"status = '{UNKNOWN}' and count = 0").alias("unknown_and_not_stored"),
        count("not is_idempotent and count > 1").alias("twice_by_plain_producers"),
    ).collect()[0]
    totals = {name: int(value) for name, value in row.asDict().items()}
    of_ledger = rows.join(known.select("topic").distinct(), "topic", "left_semi")
    totals["stored"] = of_ledger.count()
    totals["not_in_the_ledger"] = of_ledger.join(known.select(*PLACE), list(PLACE), "left_anti").count()
    return totals


def _offsets() -> Column:
    return F.array_join(F.slice(F.col("stored").cast("array<string>"), 1, OFFSETS_NAMED), ", ")


def _text(*parts: str | Column) -> Column:
    columns = [F.lit(part) if isinstance(part, str) else part for part in parts]
    return F.concat_ws(" ", F.concat(F.col("producer"), F.lit("."), F.col("sequence").cast("string")), *columns)


def _named(kind: str, frame: DataFrame, detail: Column) -> list[Finding]:
    place = F.coalesce("offset", F.element_at("stored", 1))
    rows = frame.select("topic", "partition", place.alias("at"), detail.alias("detail"))
    return [
        Finding(kind, row["topic"], row["partition"], row["at"], row["at"], row["detail"])
        for row in rows.orderBy("topic", "partition", "at").limit(MAX_FINDINGS).collect()
    ]
