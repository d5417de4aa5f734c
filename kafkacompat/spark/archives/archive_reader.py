"""Reading an archive as Spark's Kafka source would have read the topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (the usual name)
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DateType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from kafkacompat.spark.archives.archive_digest import COLUMNS
from kafkacompat.spark.archives.archive_files import ArchiveFiles
from kafkacompat.spark.archives.archive_manifests import RECORDS, Manifest, archived, read_manifests
from kafkacompat.spark.archives.archive_ranges import TopicPartition, up_to
from kafkacompat.spark.archives.archive_spec import ArchiveError

_HEADER = StructType([StructField("key", StringType()), StructField("value", BinaryType())])
SCHEMA = StructType(
    [
        StructField("key", BinaryType()), StructField("value", BinaryType()), StructField("partition", IntegerType()),
        StructField("offset", LongType()), StructField("timestamp", TimestampType()),
        StructField("timestampType", IntegerType()), StructField("headers", ArrayType(_HEADER)),
        StructField("batch", LongType()), StructField("run", StringType()), StructField("topic", StringType()),
        StructField("date", DateType()),
    ]
)  # fmt: skip
"""What the files have; the last four are in their paths."""


def read_archive(
    spark: SparkSession,
    path: str,
    *,
    until_offsets: Mapping[TopicPartition, int] | None = None,
    until_ms: int | None = None,
) -> DataFrame:
    """The records that the manifests list, with the columns of Spark's Kafka source: key, value, topic, partition,
    offset, timestamp, timestampType, headers.

    A point in time: up to these offsets (exclusive), where other partitions are read as a whole; and in each partition
    up to its first record at or after `until_ms`, as Kafka finds offsets by time. Raises ArchiveError if there is no
    archive, a manifest is damaged, or an offset is not archived.
    """
    files = ArchiveFiles(spark, path)
    manifests = read_manifests(files)
    if not manifests:
        raise ArchiveError(f"{path} is no archive: it has no manifests")
    records = read_batches(spark, files, manifests).select(*COLUMNS)
    if until_offsets:
        up_to(archived(manifests), until_offsets)
        rows = [(*key, offset) for key, offset in until_offsets.items()]
        records = _below(records, spark.createDataFrame(rows, "topic string, partition int, end bigint"))
    if until_ms is not None:
        later = records.where(F.unix_millis("timestamp") >= until_ms)
        records = _below(records, later.groupBy("topic", "partition").agg(F.min("offset").alias("end")))
    return records


def ends_of(
    spark: SparkSession,
    path: str,
    *,
    until_offsets: Mapping[TopicPartition, int] | None = None,
    until_ms: int | None = None,
) -> dict[TopicPartition, int]:
    """Where each partition of an archive ends at a point in time, see `read_archive`. Raises ArchiveError."""
    files = ArchiveFiles(spark, path)
    manifests = read_manifests(files)
    ends = up_to(archived(manifests), until_offsets or {})
    if until_ms is not None:
        later = read_batches(spark, files, manifests).where(F.unix_millis("timestamp") >= until_ms)
        for row in later.groupBy("topic", "partition").agg(F.min("offset").alias("end")).collect():
            key = (row["topic"], row["partition"])
            ends[key] = min(ends[key], row["end"])
    return ends


def _below(records: DataFrame, ends: DataFrame) -> DataFrame:
    """The records below the `end` of their partition, and all of a partition that has none."""
    ended = records.join(F.broadcast(ends), ["topic", "partition"], "left")
    return ended.where(F.col("end").isNull() | (F.col("offset") < F.col("end"))).select(*COLUMNS)


def read_batches(spark: SparkSession, files: ArchiveFiles, manifests: Iterable[Manifest]) -> DataFrame:
    """The records of some batches, with all columns of SCHEMA."""
    paths = [files.path(file.path) for manifest in manifests for file in manifest.files]
    if not paths:
        return spark.createDataFrame([], SCHEMA)
    return spark.read.schema(SCHEMA).option("basePath", files.path(RECORDS)).parquet(*paths)
