"""What is counted of records, to compare them where they come from and where they went."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from kafkacompat.spark.archives.archive_ranges import OFFSET_MASK, TopicPartition

COLUMNS = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType", "headers")
"""Those of Spark's Kafka source, with headers."""
_PLACE = ("topic", "partition")
HASH = "record_hash"
HALF_BITS = 32
HALF_MASK = (1 << HALF_BITS) - 1


def hashed(records: DataFrame) -> DataFrame:
    """The records with HASH, of all that each of them has.

    Spark's hash leaves nulls out, so they are told apart by flags: a tombstone is not a record without a key. It is a
    column, because Spark compiles no aggregation with a function of arrays in it, and computes it once for each sum.
    """
    nulls = [F.col(name).isNull() for name in ("key", "value", "headers")]
    plain = [F.col(name) for name in COLUMNS if name not in ("headers", "timestamp")]
    return records.withColumn(HASH, F.xxhash64(*nulls, *plain, F.unix_micros("timestamp"), hashable_headers()))


def hashable_headers() -> Column:
    """The headers, with a flag for each value that is null: Spark's hash leaves nulls out."""
    return F.transform("headers", lambda each: F.struct(each["key"], each["value"].isNull(), each["value"]))


def digest() -> list[Column]:
    """What `digest_of` takes, of records that are `hashed`: sums of the halves of their hashes, in any order.

    Sums of halves are those of integers; a sum of whole hashes would be one of decimals, which are slow.
    """
    low, high = F.col(HASH).bitwiseAND(HALF_MASK), F.shiftrightunsigned(HASH, HALF_BITS)
    return [F.sum(low).alias("low"), F.sum(high).alias("high")]


def digest_of(sums: Mapping[str, Any]) -> int:
    """The sum of the hashes of all records; 0 without records."""
    return (int(sums["high"] or 0) << HALF_BITS) + int(sums["low"] or 0)


def jumps(
    records: DataFrame, places: Collection[TopicPartition], most: int
) -> dict[TopicPartition, list[tuple[int, int]]]:
    """Where offsets of some partitions do not follow on each other: an offset, and the next one behind it. An offset
    that is there twice is followed by itself.

    Those of offsets that are there twice come first, and then by offset, `most` of each partition. Costs a shuffle of
    the records of these partitions.
    """
    found = dict[TopicPartition, list[tuple[int, int]]]()
    if not places:
        return found
    table = records.sparkSession.createDataFrame(list(places), "topic string, partition int")
    of_partition = Window.partitionBy("topic", "partition")
    offsets = records.select(*_PLACE, "offset").join(F.broadcast(table), list(_PLACE), "left_semi")
    before = F.lag("offset").over(of_partition.orderBy("offset"))
    apart = offsets.withColumn("before", before).where("offset <> before + 1")
    number = F.row_number().over(of_partition.orderBy(F.col("offset") > F.col("before"), "offset"))
    for row in apart.withColumn("number", number).where(F.col("number") <= most).orderBy("number").collect():
        found.setdefault((row["topic"], row["partition"]), []).append((row["before"], row["offset"]))
    return found


def by_partition(records: DataFrame, *others: str, more: Sequence[Column] = ()) -> DataFrame:
    """For each partition: `records`, `first`, `last`, `offset_sum` (see `archive_ranges.offset_sum`), `oldest` (the
    least timestamp, ms), and what `digest_of` takes. more: aggregated, too."""
    grouped = hashed(records).groupBy(*others, "topic", "partition")
    return grouped.agg(
        F.count("*").alias("records"),
        F.sum(F.col("offset").bitwiseAND(OFFSET_MASK)).alias("offset_sum"),
        F.min("offset").alias("first"),
        F.max("offset").alias("last"),
        F.min(F.unix_millis("timestamp")).alias("oldest"),
        *digest(),
        *more,
    )
