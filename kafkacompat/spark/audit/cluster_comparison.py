"""`audit clusters` and `audit archive` on Spark: records of two sources, those that belong together side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from kafkacompat.spark.archives.archive_digest import hashable_headers
from kafkacompat.spark.audit.audit_findings import (
    DIFFERENT_RECORD,
    ONLY_IN_A,
    ONLY_IN_B,
    AuditError,
    AuditReport,
    Finding,
    report_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection

ALIGNMENTS = ("offset", "order", "key")
TIMESTAMP = "timestamp"


class Sides(NamedTuple):
    """What is compared: the kind of the report, and what a record is called that is on one side only."""

    audit: str
    only_in_a: str
    only_in_b: str


CLUSTERS = Sides("clusters", ONLY_IN_A, ONLY_IN_B)


def compare(
    a: DataFrame, b: DataFrame, sides: Sides = CLUSTERS, *, align: str = "offset", ignore: Collection[str] = ()
) -> AuditReport:
    """Compare records with the columns of Spark's Kafka source and headers. Raises AuditError.

    One finding for each partition and kind: the first and the last offset that differ, and how many do.
    """
    if align not in ALIGNMENTS:
        raise AuditError(f"align is {', '.join(ALIGNMENTS)}, not {align!r}")
    if set(ignore) - {TIMESTAMP}:
        raise AuditError(f"only {TIMESTAMP} can be ignored, not {', '.join(sorted(set(ignore) - {TIMESTAMP}))}")
    place = ["topic", "key_hash", "number"] if align == "key" else ["topic", "partition", "number"]
    both = _numbered(a, align, ignore).withColumn("is_a", F.expr("true"))
    both = both.unionByName(_numbered(b, align, ignore).withColumn("is_a", F.expr("false")))
    pairs = both.groupBy(*place).agg(
        _of("is_a", "hash").alias("hash_a"), _of("not is_a", "hash").alias("hash_b"),
        F.coalesce(_of("is_a", "at"), _of("not is_a", "at")).alias("at"),
        F.coalesce(_of("is_a", "part"), _of("not is_a", "part")).alias("part"),
    )  # fmt: skip
    kind = F.when(F.col("hash_b").isNull(), sides.only_in_a).when(F.col("hash_a").isNull(), sides.only_in_b)
    kind = kind.when(F.col("hash_a") != F.col("hash_b"), DIFFERENT_RECORD).otherwise("")
    rows = pairs.groupBy("topic", F.col("part").alias("partition"), kind.alias("kind")).agg(
        F.count("*").alias("count"), F.min("at").alias("first"), F.max("at").alias("last")
    )
    findings, more, totals = [], dict[str, int](), {"equal_records": 0, "partitions": 0}
    partitions = set()
    for row in rows.collect():
        partitions.add((row["topic"], row["partition"]))
        if not row["kind"]:
            totals["equal_records"] += row["count"]
            continue
        detail = f"{row['count']} records, aligned by {align}"
        finding = Finding(row["kind"], row["topic"], row["partition"], row["first"], row["last"], detail)
        findings.append(finding)
        more[finding.kind] = more.get(finding.kind, 0) + row["count"] - 1
    totals["partitions"] = len(partitions)
    return report_of(sides.audit, findings, totals, (), {kind: count for kind, count in more.items() if count})


def _of(side: str, name: str) -> Column:
    return F.max(F.when(F.expr(side), F.col(name)))


def _numbered(frame: DataFrame, align: str, ignore: Collection[str]) -> DataFrame:
    """A hash of each record, and the number under which the other cluster has the record that belongs to it.

    Hashes leave nulls out, so they are told apart by flags: a tombstone is not an empty value.
    """
    hashed = [F.col("key").isNull(), F.col("value").isNull(), F.col("key"), F.col("value"), hashable_headers()]
    if TIMESTAMP not in ignore:
        hashed += [F.unix_micros("timestamp"), F.col("timestampType")]
    key_hash = F.xxhash64(F.col("key").isNull(), F.col("key"))
    windows = {
        "order": Window.partitionBy("topic", "partition").orderBy("offset"),
        "key": Window.partitionBy("topic", "key_hash").orderBy("partition", "offset"),
    }
    found = frame.withColumn("hash", F.xxhash64(*hashed)).withColumn("key_hash", key_hash)
    number = F.col("offset") if align == "offset" else F.row_number().over(windows[align])
    found = found.withColumn("number", number.cast("bigint"))
    return found.select(
        "topic",
        "partition",
        "key_hash",
        "number",
        "hash",
        F.col("offset").alias("at"),
        F.col("partition").alias("part"),
    )
