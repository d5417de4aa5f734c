"""Spark on segment files, archives of topics, and audits. It needs the extra `spark`.

    from kafkacompat import spark as kafkacompat_spark

    kafkacompat_spark.register(spark)
    spark.read.format("kafkacompat-log").load("/var/lib/kafka/data").show()

    kafkacompat_spark.archive(spark, ArchiveSpec("s3a://lake/orders", bootstrap_servers="b:9092", topics="orders"))
    kafkacompat_spark.read_archive(spark, "s3a://lake/orders").show()

    report = kafkacompat_spark.audit_log(spark, ["/var/lib/kafka/data"])

See docs/spark-log.md, docs/spark-archive.md and docs/spark-audit.md.
"""

from __future__ import annotations

from kafkacompat.spark.archive_spec import ArchiveError, ArchiveReport, ArchiveSpec, ArchiveVerdict
from kafkacompat.spark.audit_findings import AuditError, AuditReport, Finding
from kafkacompat.spark.capture_spec import CaptureReport, CaptureSpec
from kafkacompat.spark.import_spec import ImportReport, ImportSpec
from kafkacompat.spark.masks import MaskedRecord
from kafkacompat.spark.replay_spec import ReplayError, ReplayReport, ReplaySpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from kafkacompat.spark.archive_manifests import Manifest

__all__ = (
    "ArchiveError", "ArchiveReport", "ArchiveSpec", "ArchiveVerdict", "AuditError", "AuditReport", "CaptureReport",
    "CaptureSpec", "Finding", "ImportReport", "ImportSpec", "MaskedRecord", "ReplayError", "ReplayReport", "ReplaySpec",
    "archive", "audit_log", "capture", "import_archive", "read_archive", "register", "replay", "verify_archive",
)  # fmt: skip


def register(spark: SparkSession) -> None:
    """Make the format known to a session. Raises MissingExtraError without pyspark, NumPy or pyarrow."""
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.source import LogDataSource

    spark.dataSource.register(LogDataSource)


def archive(
    spark: SparkSession, spec: ArchiveSpec, progress: Callable[[Manifest], None] | None = None
) -> ArchiveReport:
    """Archive what is not archived yet, up to the ends that the partitions have now; again after any failure.

    progress: called after each batch with its manifest. One run at a time: of two, the later one to end a batch fails
    and changes nothing. Raises ArchiveError; other KafkaCompatErrors, for a broker that cannot be reached or without
    the extra; and what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark import archive_writer

    return archive_writer.archive(spark, spec, progress)


def read_archive(
    spark: SparkSession,
    path: str,
    *,
    until_offsets: Mapping[tuple[str, int], int] | None = None,
    until_ms: int | None = None,
) -> DataFrame:
    """The records of an archive, with the columns of Spark's Kafka source: key, value, topic, partition, offset,
    timestamp, timestampType, headers.

    Only what manifests list is read. A point in time: up to these offsets (exclusive), where other partitions are read
    as a whole; and in each partition up to its first record at or after `until_ms`, as Kafka finds offsets by time.
    Raises ArchiveError if there is no archive, a manifest is damaged, or an offset is not archived.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark import archive_reader

    return archive_reader.read_archive(spark, path, until_offsets=until_offsets, until_ms=until_ms)


def verify_archive(spark: SparkSession, path: str) -> ArchiveVerdict:
    """Read the whole archive and compare it with its manifests. Raises ArchiveError if they cannot be read.

    Files that no manifest lists are counted, and are no finding: a run that was killed leaves them.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark import archive_check

    return archive_check.verify_archive(spark, path)


def capture(spark: SparkSession, spec: CaptureSpec) -> CaptureReport:
    """Write a slice of topics into a file, with which `kafkacompat.Cluster(fixture=...)` starts without Spark.

    Partition, order, offset, timestamp and headers stay as they are; keys, values and headers are what the mask
    returns. The records go through the driver: as many bytes as `spark.driver.maxResultSize` has. Raises
    ArchiveError, and what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark import fixture_capture

    return fixture_capture.capture(spark, spec)


def replay(spark: SparkSession, spec: ReplaySpec, begun: Callable[[str], None] | None = None) -> ReplayReport:
    """Write the records of an archive into any Kafka: partition, order, timestamp, key, value and headers stay.

    begun: called with the id of the replay before the first record is written; `ReplaySpec.resume` takes it. This is
    not transactional: nobody else may write into these topics meanwhile. Raises ReplayError; ClientError, for a
    cluster that cannot be reached or refuses a record; and what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark import archive_replay

    return archive_replay.replay(spark, spec, begun)


def import_archive(spark: SparkSession, spec: ImportSpec) -> ImportReport:
    """Write the data directory of a new lone broker, of this project or of Apache Kafka, with the topics of an archive.

    It has each record with its offset, timestamp, headers and nulls, gaps among offsets, the topics' ids, configs and
    numbers of partitions. It is written beside `log_dir` and read back, then it gets that name; whatever ends a run
    before leaves only `log_dir.importing`, which the next run removes. Raises ArchiveError, and what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark import archive_importer

    return archive_importer.import_archive(spark, spec)


def audit_log(spark: SparkSession, log_dirs: Sequence[str], *, topics: str = ".*") -> AuditReport:
    """Look for damage in each log of some log directories, this broker's or Apache Kafka's, by itself.

    topics: a regular expression that is the whole name. No broker is asked, and one that runs is not disturbed: what it
    is writing at the end of a log is no finding. The kinds of findings are those of `audit_findings.OF_LOGS`; as a
    DataFrame, with the columns of `audit_findings.FINDING_SCHEMA`, they are `report.to_frame(spark)`. Raises
    AuditError if no topic matches, LogReadError if a path is no log directory, MissingExtraError, and what Spark
    raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark import audit_logs

    return audit_logs.audit_log(spark, log_dirs, topics=topics)
