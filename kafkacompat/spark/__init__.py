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

from kafkacompat.spark.archives.archive_spec import ArchiveError, ArchiveReport, ArchiveSpec, ArchiveVerdict
from kafkacompat.spark.audit.audit_findings import AuditError, AuditReport, Finding
from kafkacompat.spark.fixture.capture_spec import CaptureReport, CaptureSpec
from kafkacompat.spark.fixture.masks import MaskedRecord
from kafkacompat.spark.restore.import_spec import ImportReport, ImportSpec
from kafkacompat.spark.restore.replay_spec import ReplayError, ReplayReport, ReplaySpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from kafkacompat.spark.archives.archive_manifests import Manifest
    from kafkacompat.spark.audit.load_writer import LoadReport

__all__ = (
    "ArchiveError", "ArchiveReport", "ArchiveSpec", "ArchiveVerdict", "AuditError", "AuditReport", "CaptureReport",
    "CaptureSpec", "Finding", "ImportReport", "ImportSpec", "MaskedRecord", "ReplayError", "ReplayReport", "ReplaySpec",
    "archive", "audit_archive", "audit_clusters", "audit_ledger", "audit_log", "audit_page", "audit_replicas",
    "capture", "import_archive", "load", "read_archive", "register", "replay", "verify_archive",
)  # fmt: skip


def register(spark: SparkSession) -> None:
    """Make the format `kafkacompat-log` known to a session.

    It has the columns of Spark's Kafka source: key binary, value binary, topic string, partition int, offset bigint,
    timestamp timestamp, timestampType int; with `includeHeaders` also headers array<struct<key:string,value:binary>>.
    Those of `includeBatchFields` and `level=batches` are in `kafkacompat.spark.log.fields`. Raises MissingExtraError
    without pyspark, NumPy or pyarrow.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.log.source import LogDataSource

    spark.dataSource.register(LogDataSource)


def archive(
    spark: SparkSession, spec: ArchiveSpec, progress: Callable[[Manifest], None] | None = None
) -> ArchiveReport:
    """Archive what is not archived yet, up to the ends that the partitions have now; again after any failure.

    It writes Parquet with the columns key binary, value binary, partition int, offset bigint, timestamp timestamp,
    timestampType int, headers array<struct<key:string,value:binary>>; batch bigint, run string, topic string and
    date date are in the paths: `records/batch=0/run=.../topic=.../date=.../*.parquet`. `manifest/*.json` are the
    fields of `archive_manifests.Manifest`. Each batch is read back, and number and digest of its records are compared
    with what was read before its manifest is written.

    progress: called after each batch with its manifest. One run at a time: of two, the later one to end a batch fails
    and changes nothing. Raises ArchiveError; other KafkaCompatErrors, for a broker that cannot be reached or without
    the extra; and what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.archives import archive_writer

    return archive_writer.archive(spark, spec, progress)


def read_archive(
    spark: SparkSession,
    path: str,
    *,
    until_offsets: Mapping[tuple[str, int], int] | None = None,
    until_ms: int | None = None,
) -> DataFrame:
    """The records of an archive, with the columns of Spark's Kafka source: key binary, value binary, topic string,
    partition int, offset bigint, timestamp timestamp, timestampType int, headers
    array<struct<key:string,value:binary>>.

    Only what manifests list is read. A point in time: up to these offsets (exclusive), where other partitions are read
    as a whole; and in each partition up to its first record at or after `until_ms`, as Kafka finds offsets by time.
    Raises ArchiveError if there is no archive, a manifest is damaged, or an offset is not archived.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.archives import archive_reader

    return archive_reader.read_archive(spark, path, until_offsets=until_offsets, until_ms=until_ms)


def verify_archive(spark: SparkSession, path: str) -> ArchiveVerdict:
    """Read the whole archive and compare it with its manifests. Raises ArchiveError if they cannot be read.

    Files that no manifest lists are counted, and are no finding: a run that was killed leaves them.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.archives import archive_check

    return archive_check.verify_archive(spark, path)


def capture(spark: SparkSession, spec: CaptureSpec) -> CaptureReport:
    """Write a slice of topics into a file, with which `kafkacompat.Cluster(fixture=...)` starts without Spark.

    It reads records with the columns of `read_archive`, and writes a snapshot of a lone broker: a compressed tar file
    with `snapshot.json`, the metadata log, and a log for each partition. Partition, order, offset, timestamp and
    headers stay as they are; keys, values and headers are what the mask returns. Before the file gets its name, the
    records in the log of each partition are counted; together with those that the mask left out they have to be as many
    as the slice has. The records go through the driver: as many bytes as `spark.driver.maxResultSize` has. Raises
    ArchiveError, and what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.fixture import fixture_capture

    return fixture_capture.capture(spark, spec)


def replay(spark: SparkSession, spec: ReplaySpec, begun: Callable[[str], None] | None = None) -> ReplayReport:
    """Write the records of an archive into any Kafka: partition, order, timestamp, key, value and headers stay.

    It reads records with the columns of `read_archive`, and writes `replays/ID.json` into the archive, the fields of
    `replay_spec.Replay`: where each log of the target ended. At the end each partition of the target has to have as
    many records more as there were to be replayed.

    begun: called with the id of the replay before the first record is written; `ReplaySpec.resume` takes it. With
    `is_transactional` of the spec each partition is written in transactions that have the progress, too, and a replay
    that is resumed writes each record once, whoever else writes there. Without it nobody else may write into these
    topics meanwhile: on resume the last records there are compared with the source. Raises ReplayError; ClientError,
    for a cluster that cannot be reached or refuses a record; and what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.restore import archive_replay

    return archive_replay.replay(spark, spec, begun)


def import_archive(spark: SparkSession, spec: ImportSpec) -> ImportReport:
    """Write the data directory of a new lone broker, of this project or of Apache Kafka, with the topics of an archive.

    It reads records with the columns of `read_archive`, and writes the segments, indexes and checkpoints of Kafka's log
    directories, `meta.properties` and the metadata log. It has each record with its offset, timestamp, headers and
    nulls, gaps among offsets, the topics' ids, configs and numbers of partitions. It is written beside `log_dir` and
    read back; number and digest of each partition's records are compared with those of the archive, then it gets that
    name. Whatever ends a run before leaves only `log_dir.importing`, which the next run removes. Raises ArchiveError,
    and what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.restore import archive_importer

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
    from kafkacompat.spark.audit import audit_logs

    return audit_logs.audit_log(spark, log_dirs, topics=topics)


def audit_page(spark: SparkSession, report: AuditReport, log_dirs: Sequence[str] = (), *, topics: str = ".*") -> str:
    """The verdict as one HTML file with pictures: no scripts, no network, light and dark.

    log_dirs, topics: with those of `audit_log` Spark reads the records too, up to the high watermarks, and counts their
    keys: which fill the disk, and what compaction would save. Where the directories have __consumer_offsets, too, it
    counts how far consumer groups were behind. What is damaged is left out of that. Raises LogReadError, and what Spark
    raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.audit import audit_page as page
    from kafkacompat.spark.audit import key_figures, lag_figures
    from kafkacompat.spark.log.read_options import INTERNAL

    has_keys = any(each["records"] and each["topic"] not in INTERNAL for each in report.partitions)
    if not (log_dirs and has_keys):
        return page.as_page(report)
    keys = key_figures.key_figures(spark, log_dirs, topics, report.totals["size_bytes"])
    return page.as_page(report, keys, lag_figures.lag_figures(spark, log_dirs, report))


def audit_replicas(spark: SparkSession, log_dirs: Sequence[str], *, topics: str = ".*") -> AuditReport:
    """Compare the log directories of brokers, one for each: their batches are the same up to the lowest high watermark.

    Computed checksum, base offset and leader epoch are compared one by one; kinds of findings:
    `audit_findings.OF_REPLICAS`. What compaction has cleaned on one of them is not compared. Raises as `audit_log`.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.audit import audit_replica_dirs

    return audit_replica_dirs.audit_replicas(spark, log_dirs, topics=topics)


def audit_ledger(
    spark: SparkSession, ledger: str, *, bootstrap_servers: str | None = None, log_dirs: Sequence[str] = (),
    properties: Mapping[str, str] = {},
) -> AuditReport:  # fmt: skip
    """Compare what writers were told with what is stored, in a broker or in the log directories of one.

    ledger: Parquet or JSON Lines (*.json, *.jsonl) with topic, partition, offset, producer, sequence, payload_hash
    (SHA-256 of the value in hex), status (ok, fail, info) and is_idempotent, as `load` writes it. Kinds of findings:
    `audit_findings.OF_LEDGERS`. Values have to be unique, and none removed by retention. properties: of the cluster, as
    for an archive. Raises AuditError, and what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.audit import audit_ledgers, audit_sources

    if (bootstrap_servers is None) == (not log_dirs):
        raise AuditError("give bootstrap_servers or log_dirs, one of them")
    known = audit_ledgers.read_ledger(spark, ledger)
    topics = audit_ledgers.topics_of(known)
    if bootstrap_servers is not None:
        stored = audit_sources.of_broker(spark, bootstrap_servers, topics, properties)
    else:
        stored = audit_sources.of_directories(spark, log_dirs, topics)
    return audit_ledgers.audit_ledger(known, stored)


def audit_archive(
    spark: SparkSession, path: str, *, bootstrap_servers: str | None = None, log_dirs: Sequence[str] = (),
    topics: str = ".*", topic_map: Mapping[str, str] = {}, align: str = "offset", ignore: Collection[str] = (),
    properties: Mapping[str, str] = {},
) -> AuditReport:  # fmt: skip
    """Compare the records of an archive with those of a cluster, or of the log directories of one broker.

    topics: of the archive. topic_map: what the broker calls some of them. align: records with the same `offset` belong
    together, and only offsets are compared that are archived and not below the log start; or those with the same place
    in the `order` of the partition, of all that both have, as after a replay. ignore: "timestamp", or nothing.
    properties: of the cluster, as for an archive. Records are read with the isolation of the archive. Kinds of
    findings: `audit_findings.OF_ARCHIVES`, one for each partition with the first and last offset that differ;
    `removed_records` of the totals are those of the archive below the log starts. Raises AuditError, ArchiveError, and
    what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.audit import archive_comparison

    return archive_comparison.audit_archive(
        spark,
        archive_comparison.ArchiveAudit(
            path, bootstrap_servers, log_dirs, topics, topic_map, align, ignore, properties
        ),
    )  # fmt: skip


def audit_clusters(
    spark: SparkSession, a: str, b: str, *, topics: str = ".*", align: str = "offset", ignore: Collection[str] = (),
    a_properties: Mapping[str, str] = {}, b_properties: Mapping[str, str] = {},
) -> AuditReport:  # fmt: skip
    """Compare the records of two clusters, by the bootstrap servers `a` and `b`.

    topics: a regular expression of Java's that is the whole name, as Spark's Kafka source takes it.
    align: records with the same `offset` belong together, or those with the same place in the `order` of the partition,
    or in the order of their `key`. ignore: "timestamp", or nothing. Kinds of findings: `audit_findings.OF_CLUSTERS`,
    one for each partition with the first and last offset that differ. a_properties, b_properties: as for an archive.
    Raises AuditError, also if neither has records of such topics; and what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.audit import audit_sources, cluster_comparison

    of_a = audit_sources.of_broker(spark, a, topics, a_properties)
    of_b = audit_sources.of_broker(spark, b, topics, b_properties)
    report = cluster_comparison.compare(of_a, of_b, align=align, ignore=ignore)
    if not report.totals["partitions"]:
        raise AuditError(f"nothing was compared: no topic that matches {topics!r} has records in {a} or {b}")
    return report


def load(
    spark: SparkSession, bootstrap_servers: str, topic: str, ledger: str, *, rate: float = 1000.0,
    duration_s: float = 10.0, producers: int = 2, value_bytes: int = 100, properties: Mapping[str, str] = {},
) -> LoadReport:  # fmt: skip
    """Write to a topic that exists, at `rate` records a second of all producers together, and keep a ledger.

    ledger: a folder that all tasks see, for JSON Lines with the columns of `ledger_files.LEDGER_SCHEMA`. Each producer
    is a task of Spark, which needs a core while it writes. Values are `PRODUCER.SEQUENCE.` and more, all different.
    properties: of the cluster, as for an archive. Raises AuditError if the ledger exists, and what Spark raises.
    """
    from kafkacompat.spark.extra import check_installed

    check_installed()
    from kafkacompat.spark.audit import load_writer

    spec = load_writer.LoadSpec(
        bootstrap_servers, topic, ledger, rate, duration_s, producers, value_bytes, dict(properties)
    )  # fmt: skip
    return load_writer.load(spark, spec)
