"""`audit archive` on Spark: an archive beside a broker that its records came from, or that a replay wrote them to."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from kafkacompat.spark.archives.archive_digest import COLUMNS
from kafkacompat.spark.archives.archive_files import ArchiveFiles
from kafkacompat.spark.archives.archive_manifests import (
    Manifest,
    archived,
    archived_starts,
    archived_topics,
    read_manifests,
)
from kafkacompat.spark.archives.archive_ranges import Range
from kafkacompat.spark.archives.archive_reader import read_batches
from kafkacompat.spark.archives.archive_sources import Bounds
from kafkacompat.spark.archives.archive_spec import ArchiveSpec
from kafkacompat.spark.archives.archive_writer import source_of
from kafkacompat.spark.audit.audit_findings import (
    DIFFERENT_RECORD,
    ONLY_IN_ARCHIVE,
    ONLY_IN_BROKER,
    AuditError,
    AuditReport,
)
from kafkacompat.spark.audit.cluster_comparison import ALIGNMENTS, Sides, compare

BY_OFFSET, BY_ORDER, _ = ALIGNMENTS
CREATE_TIME = 0
SIDES = Sides("archive", ONLY_IN_ARCHIVE, ONLY_IN_BROKER)


class ArchiveAudit(NamedTuple):
    """What to compare: see `kafkacompat.spark.audit_archive`."""

    path: str
    bootstrap_servers: str | None = None
    log_dirs: Sequence[str] = ()
    topics: str = ".*"
    topic_map: Mapping[str, str] = {}
    align: str = BY_OFFSET
    ignore: Collection[str] = ()
    properties: Mapping[str, str] = {}


def audit_archive(spark: SparkSession, audit: ArchiveAudit) -> AuditReport:
    """Compare the records that both may have. `removed_records` of the totals: those of the archive below log starts.

    Raises AuditError, ArchiveError, and what Spark raises.
    """
    if audit.align not in (BY_OFFSET, BY_ORDER):
        raise AuditError(f"align is {BY_OFFSET} or {BY_ORDER}, not {audit.align!r}")
    files = ArchiveFiles(spark, audit.path)
    manifests = read_manifests(files)  # once: a batch that is added meanwhile is not compared
    names = _names(manifests, audit)
    source = source_of(
        ArchiveSpec(
            "", audit.bootstrap_servers, tuple(audit.log_dirs), "|".join(map(re.escape, names.values())),
            isolation=manifests[-1].isolation, properties=audit.properties,
        )
    )  # fmt: skip
    is_by_offset = audit.align == BY_OFFSET
    ranges = ranges_of(manifests, names, source.bounds(None), is_by_offset=is_by_offset)
    archive = _archived(spark, read_batches(spark, files, manifests), ranges, is_by_offset=is_by_offset)
    wanted = [each for each in ranges.values() if each.start < each.end]
    there = source.frame(spark, wanted).select(*COLUMNS) if wanted else archive.limit(0)
    if not is_by_offset:  # a replay writes the times of its records itself, whoever set them before
        archive, there = (each.withColumn("timestampType", F.lit(CREATE_TIME)) for each in (archive, there))
    report = compare(archive, there, SIDES, align=audit.align, ignore=audit.ignore)
    entries = [each for manifest in manifests for each in manifest.partitions if each.topic in names]
    compared = report.totals["equal_records"] + sum(
        report.counts.get(kind, 0) for kind in (DIFFERENT_RECORD, ONLY_IN_ARCHIVE)
    )
    removed = sum(each.records for each in entries) - compared
    return report._replace(totals={**report.totals, "removed_records": removed})


def _names(manifests: list[Manifest], audit: ArchiveAudit) -> dict[str, str]:
    """What the broker calls each topic of the archive. Raises AuditError."""
    if not manifests:
        raise AuditError(f"{audit.path} is no archive: it has no manifests")
    found = {
        topic: audit.topic_map.get(topic, topic)
        for topic in archived_topics(manifests)
        if re.fullmatch(audit.topics, topic)
    }
    if not found:
        raise AuditError(f"{audit.path} has no topic that matches {audit.topics!r}")
    unknown = sorted(audit.topic_map.keys() - {*found})
    if unknown:
        raise AuditError(f"topic_map has {unknown[0]}, which is not among the topics to compare")
    if len({*found.values()}) < len(found):
        raise AuditError("topic_map gives two topics the same name")
    return found


def ranges_of(
    manifests: Sequence[Manifest], names: Mapping[str, str], bounds: Bounds, *, is_by_offset: bool
) -> dict[tuple[str, int], Range]:
    """What is read of the broker, by topic and partition of the archive.

    By offset that is what the archive has, from the log start on: what was removed is no difference, and neither is
    what was written since. A partition that the broker does not have ends where it begins.
    """
    starts, found = archived_starts(manifests), dict[tuple[str, int], Range]()
    for (topic, partition), end in archived(manifests).items():
        if topic not in names:
            continue
        place, start = (names[topic], partition), starts[topic, partition]
        first, latest = bounds.first.get(place, start), bounds.latest.get(place, start)
        if is_by_offset:
            first, latest = max(first, start), min(latest, end)
        found[topic, partition] = Range(*place, first, max(first, latest))
    return found


def _archived(
    spark: SparkSession, records: DataFrame, ranges: Mapping[tuple[str, int], Range], *, is_by_offset: bool
) -> DataFrame:
    """The records of the archive that the broker may have, under its names of the topics."""
    rows = [(*key, each.topic, each.start if is_by_offset else 0) for key, each in ranges.items()]
    table = spark.createDataFrame(rows, "topic string, partition int, name string, start bigint")
    records = records.select(*COLUMNS).join(F.broadcast(table), ["topic", "partition"])
    return records.where(F.col("offset") >= F.col("start")).withColumn("topic", F.col("name")).select(*COLUMNS)
