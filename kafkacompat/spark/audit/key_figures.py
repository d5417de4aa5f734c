"""Keys of the records in log directories, counted by Spark: which fill the disk, and what compaction would leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

TOP_KEYS = 15
TOP_TOPICS = 200
"""Topics of which figures are asked for: those with the most bytes."""
SHUFFLED_BYTES = 64 * 1024 * 1024
"""Of logs whose keys come together in one task, about; Spark's 200 tasks for a small log take minutes."""
MAX_TASKS = 2000
KEY_BYTES = 120
"""Of a key, as much as is taken along."""


class KeyFigure(NamedTuple):
    """A key of a topic; None is no key. `size_bytes`: of keys and values, not compressed."""

    topic: str
    key: bytes | None
    records: int
    size_bytes: int


class TopicKeys(NamedTuple):
    """The keys of a topic. Bytes are those of keys and values, not compressed.

    `last_bytes`: of the last record of each key in each partition, and of records without a key. `tombstones`: keys
    whose last record has no value, of which compaction leaves nothing in the end.
    """

    topic: str
    keys: int
    records: int
    size_bytes: int
    last_bytes: int
    tombstones: int
    records_without_key: int


class KeyFigures(NamedTuple):
    """The topics with the most bytes, and of all topics the keys with the most bytes."""

    topics: tuple[TopicKeys, ...]
    top: tuple[KeyFigure, ...]


def key_figures(spark: SparkSession, log_dirs: Sequence[str], topics: str, size_bytes: int) -> KeyFigures:
    """Count the keys of the topics whose whole names match, up to the high watermarks; what cannot be read is left out.

    size_bytes: of the logs, about; it says into how many parts keys are shuffled, by topic, partition and key. Only
    TOP_TOPICS and TOP_KEYS rows reach the driver. Raises LogReadError, and what Spark raises.
    """
    from pyspark import StorageLevel
    from pyspark.sql import functions as f

    from kafkacompat.spark.audit.audit_sources import readable_records  # needs pyspark, which a page does not

    size = f.coalesce(f.length("key"), f.lit(0)) + f.coalesce(f.length("value"), f.lit(0))
    records = readable_records(spark, log_dirs, topics=topics).select(
        "topic",
        "partition",
        "key",
        "offset",
        size.cast("bigint").alias("size"),
        f.col("value").isNull().alias("is_gone"),
    )
    tasks = min(1 + size_bytes // SHUFFLED_BYTES, MAX_TASKS)
    by_key = (
        records.repartition(tasks, "topic", "partition", "key")
        .groupBy("topic", "partition", "key")
        .agg(
            f.count(f.lit(1)).alias("records"), f.sum("size").alias("size_bytes"),
            f.max_by(f.struct("size", "is_gone"), "offset").alias("last"),
        )
        .persist(StorageLevel.DISK_ONLY)
    )  # fmt: skip
    try:
        has_key = f.col("key").isNotNull()
        is_gone = has_key & f.col("last.is_gone")
        kept = f.when(~has_key, f.col("size_bytes")).when(is_gone, 0).otherwise(f.col("last.size"))
        of_topics = (
            by_key.groupBy("topic")
            .agg(
                f.sum(has_key.cast("bigint")), f.sum("records"), f.sum("size_bytes").alias("size_bytes"), f.sum(kept),
                f.sum(is_gone.cast("bigint")), f.sum(f.when(has_key, 0).otherwise(f.col("records"))),
            )
            .orderBy(f.desc("size_bytes"), "topic")
            .limit(TOP_TOPICS)
        )  # fmt: skip
        top = (
            by_key.groupBy("topic", "key")
            .agg(f.sum("records").alias("records"), f.sum("size_bytes").alias("size_bytes"))
            .orderBy(f.desc("size_bytes"), "topic", "key")
            .limit(TOP_KEYS)
            .select("topic", f.substring("key", 1, KEY_BYTES), "records", "size_bytes")
        )
        return KeyFigures(
            tuple(TopicKeys(*row) for row in of_topics.collect()),
            tuple(KeyFigure(row[0], None if row[1] is None else bytes(row[1]), *row[2:]) for row in top.collect()),
        )
    finally:
        by_key.unpersist()
