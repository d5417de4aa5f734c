"""Spark on segment files: `format("kafkacompat-log")`, a data source in Python. It needs the extra `spark`.

    from kafkacompat import spark as kafkacompat_spark

    kafkacompat_spark.register(spark)
    spark.read.format("kafkacompat-log").load("/var/lib/kafka/data").show()

See docs/spark-log.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make the format known to a session. Raises MissingExtraError without pyspark, NumPy or pyarrow."""
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.source import LogDataSource

    spark.dataSource.register(LogDataSource)
