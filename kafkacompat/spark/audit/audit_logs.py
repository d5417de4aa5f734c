"""`audit log` on Spark: a task reads segments, the driver joins what they say of each partition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from kafkacompat.spark.audit.audit_files import find_audited
from kafkacompat.spark.audit.audit_findings import AuditReport, report_of
from kafkacompat.spark.audit.audit_partition import PartitionAudit
from kafkacompat.spark.audit.audit_segment import SegmentJob, audit_segment

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

Result = TypeVar("Result")
TASK_BYTES = 256 * 1024 * 1024
"""Of segments that one task reads, about; a larger segment is a task of its own."""


def audit_log(spark: SparkSession, log_dirs: Sequence[str], *, topics: str = ".*") -> AuditReport:
    """Audit every log in some directories by itself. Raises AuditError, LogReadError, and what Spark raises."""
    logs = find_audited(log_dirs, topics)
    jobs = [job for of_log in logs.jobs.values() for job in of_log]
    results = iter(run_tasks(spark, packed(jobs), audit_segment))
    findings = list(logs.findings)
    totals: Counter[str] = Counter(partitions=len(logs.jobs))
    more: Counter[str] = Counter()
    partitions = []
    for of_log in logs.jobs.values():
        audit = PartitionAudit(of_log)
        found = [next(results) for _ in of_log]
        findings += audit.findings(found)
        totals.update(audit.totals)
        more.update(audit.more)
        partitions.append(audit.summary(found))
    return report_of("log", findings, totals, partitions, more)


def packed(jobs: Iterable[SegmentJob]) -> list[list[SegmentJob]]:
    """Jobs in their order, in groups of about TASK_BYTES."""
    groups: list[list[SegmentJob]] = []
    size = 0
    for job in jobs:
        if not groups or size + job.segment.size_bytes > TASK_BYTES:
            groups.append([])
            size = 0
        groups[-1].append(job)
        size += job.segment.size_bytes
    return groups


def run_tasks(
    spark: SparkSession, groups: Sequence[Sequence[SegmentJob]], work: Callable[[SegmentJob], Result]
) -> list[Result]:
    """What `work` makes of each job, in their order; a task of Spark has a group."""
    tasks = spark.sparkContext.parallelize(groups, len(groups))
    found: list[Result] = tasks.flatMap(lambda group: [work(job) for job in group]).collect()
    return found
