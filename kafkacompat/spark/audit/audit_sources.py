"""The records that an audit compares, of a broker or of log directories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from kafkacompat.spark.archives.archive_sources import POLL_RECORDS
from kafkacompat.spark.archives.kafka_properties import source_options
from kafkacompat.spark.log.source import LogDataSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession


def of_broker(
    spark: SparkSession, bootstrap_servers: str, topics: str, properties: Mapping[str, str] = {}
) -> DataFrame:
    """All records of the topics whose whole names match, through Spark's Kafka source. Internal topics are left out."""
    options = {
        "kafka.max.poll.records": POLL_RECORDS, **source_options(bootstrap_servers, properties),
        "subscribePattern": f"^(?:{topics})$", "includeHeaders": "true", "startingOffsets": "earliest",
    }  # fmt: skip
    return spark.read.format("kafka").options(**options).load()


def of_directories(spark: SparkSession, log_dirs: Sequence[str], topics: str) -> DataFrame:
    """The same of the log directories of one broker, up to their high watermarks."""
    spark.dataSource.register(LogDataSource)
    reader = spark.read.format("kafkacompat-log").options(topics=topics, includeHeaders="true")
    return reader.option("paths", _paths(log_dirs)).load()


def readable_records(spark: SparkSession, log_dirs: Sequence[str], **options: str) -> DataFrame:
    """What can be read of the same, without headers: damage is left out. options: those of the source."""
    spark.dataSource.register(LogDataSource)
    reader = spark.read.format("kafkacompat-log").options(onDamage="skip", failOnDataLoss="false", **options)
    return reader.option("paths", _paths(log_dirs)).load()


def _paths(log_dirs: Sequence[str]) -> str:
    """As the source takes them: the folder in which Spark works is not always the one in which a program works."""
    return json.dumps([str(Path(path).absolute()) for path in log_dirs])
