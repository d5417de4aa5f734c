"""Reading an archive as Spark's Kafka source would have read the topics."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession
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

from kafkacompat.spark.archive_digest import COLUMNS
from kafkacompat.spark.archive_files import ArchiveFiles
from kafkacompat.spark.archive_manifests import RECORDS, Manifest, read_manifests
from kafkacompat.spark.archive_spec import ArchiveError

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


def read_archive(spark: SparkSession, path: str) -> DataFrame:
    """The records that the manifests list, with the columns of Spark's Kafka source: key, value, topic, partition,
    offset, timestamp, timestampType, headers.

    Raises ArchiveError if there is no archive, or a manifest is damaged.
    """
    files = ArchiveFiles(spark, path)
    manifests = read_manifests(files)
    if not manifests:
        raise ArchiveError(f"{path} is no archive: it has no manifests")
    return read_batches(spark, files, manifests).select(*COLUMNS)


def read_batches(spark: SparkSession, files: ArchiveFiles, manifests: Iterable[Manifest]) -> DataFrame:
    """The records of some batches, with all columns of SCHEMA."""
    paths = [files.path(file.path) for manifest in manifests for file in manifest.files]
    if not paths:
        return spark.createDataFrame([], SCHEMA)
    return spark.read.schema(SCHEMA).option("basePath", files.path(RECORDS)).parquet(*paths)
