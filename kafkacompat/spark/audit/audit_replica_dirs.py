"""`audit replicas` on Spark: tasks read segments of all replicas, and compare them by partition and offset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from kafkacompat.protocol.columns.varints import Ints
from kafkacompat.spark.audit.audit_files import find_audited
from kafkacompat.spark.audit.audit_findings import AuditError, AuditReport, Finding, report_of
from kafkacompat.spark.audit.audit_logs import packed
from kafkacompat.spark.audit.audit_records import Suspect, named
from kafkacompat.spark.audit.audit_replicas import BUCKET_OFFSETS, Compared, compare, judge, suspects
from kafkacompat.spark.audit.audit_scan import NO_BATCHES, Batches, Scan
from kafkacompat.spark.audit.audit_segment import SegmentJob
from kafkacompat.spark.log.log_files import TopicPartition

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Bounds = tuple[int, int]
"""The first offset that is compared, and that behind the last."""
Bucket = tuple[TopicPartition, int]


def audit_replicas(spark: SparkSession, log_dirs: Sequence[str], *, topics: str = ".*") -> AuditReport:
    """Compare the log directories of several brokers. Raises AuditError, LogReadError, and what Spark raises."""
    if len(log_dirs) < 2:
        raise AuditError("replicas are compared: give the log directories of two brokers or more")
    found: list[Finding] = []
    jobs: dict[TopicPartition, dict[str, list[SegmentJob]]] = {}
    for directory in log_dirs:
        logs = find_audited([directory], topics)
        found += logs.findings
        for (_, key), segments in logs.jobs.items():
            jobs.setdefault(key, {})[directory] = segments
    shared = {key: of_key for key, of_key in jobs.items() if len(of_key) > 1}
    if not shared:
        raise AuditError(f"nothing to compare: no partition of {topics!r} is in two of {', '.join(log_dirs)}")
    bounds = {key: _bounds(of_key) for key, of_key in shared.items()}
    compared = _compared(spark, shared, bounds)
    parts: dict[TopicPartition, list[Compared]] = {key: [] for key in shared}
    for key, part in compared:
        parts[key].append(part)
    unsure: list[Suspect] = []
    for key, of_key in shared.items():
        of_log = judge(*key, list(of_key), parts[key])
        unsure += suspects(of_log, list(of_key), parts[key])
        found += of_log
    found = _with_records(spark, found, unsure, shared)
    totals = {
        "partitions": len(shared), "in_one_directory": len(jobs) - len(shared),
        "with_nothing_to_compare": sum(first >= end for first, end in bounds.values()),
        "equal_batches": sum(part.equal for _, part in compared),
        "differing_batches": sum(len(part.differing) + part.left_out for _, part in compared),
    }  # fmt: skip
    return report_of("replicas", found, totals)


def _bounds(of_key: dict[str, list[SegmentJob]]) -> Bounds:
    """From where all replicas have their batches, above what compaction has cleaned, to the lowest high watermark."""
    facts = [jobs[0].facts for jobs in of_key.values()]
    starts = [max(each.log_start_offset, each.cleaned_until) for each in facts]
    starts += [jobs[0].segment.base_offset for jobs in of_key.values()]
    return max(starts), min(each.high_watermark for each in facts)


def _compared(
    spark: SparkSession, shared: dict[TopicPartition, dict[str, list[SegmentJob]]], bounds: dict[TopicPartition, Bounds]
) -> list[tuple[TopicPartition, Compared]]:
    jobs = [
        (directory, job)
        for key, of_key in shared.items()
        for directory, of_log in of_key.items()
        for job in of_log
        if job.segment.base_offset < bounds[key][1] and job.segment.next_base_offset > bounds[key][0]
    ]
    directories = {id(job): directory for directory, job in jobs}
    groups = [[(directories[id(job)], job) for job in group] for group in packed(job for _, job in jobs)]
    if not groups:
        return []
    replicas = {key: list(of_key) for key, of_key in shared.items()}

    def read(group: list[tuple[str, SegmentJob]]) -> Iterator[tuple[Bucket, tuple[str, Batches]]]:
        for directory, job in group:
            key = (job.facts.topic, job.facts.partition)
            for bucket, batches in buckets(job, *bounds[key]):
                yield (key, bucket), (directory, batches)

    def compare_bucket(item: tuple[Bucket, Sequence[tuple[str, Batches]]]) -> tuple[TopicPartition, Compared]:
        (key, _), tables = item
        return key, compare(replicas[key], joined(tables))

    pairs = spark.sparkContext.parallelize(groups, len(groups)).flatMap(read)
    found: list[tuple[TopicPartition, Compared]] = pairs.groupByKey().map(compare_bucket).collect()
    return found


def _with_records(
    spark: SparkSession, found: Sequence[Finding], unsure: Sequence[Suspect],
    shared: dict[TopicPartition, dict[str, list[SegmentJob]]],
) -> list[Finding]:  # fmt: skip
    """The findings, where batches have other bytes with the records that differ: each log of a replica in a task."""
    groups: dict[tuple[TopicPartition, str], list[Suspect]] = {}
    for each in unsure:
        groups.setdefault(((each.finding.topic, each.finding.partition), each.finding.replica), []).append(each)
    if not groups:
        return list(found)
    tasks = [
        (of_log, {name: shared[key][name] for name in {replica, of_log[0].reference}})
        for (key, replica), of_log in groups.items()
    ]
    named_ones = spark.sparkContext.parallelize(tasks, len(tasks)).map(lambda task: named(*task)).collect()
    of_before = dict(zip((each.finding for of_log, _ in tasks for each in of_log), chain(*named_ones), strict=True))
    return [of_before.get(each, each) for each in found]


def buckets(job: SegmentJob, start: int, end: int) -> Iterator[tuple[int, Batches]]:
    """The batches of a segment with offsets from `start` to `end` (exclusive), by the bucket of their base offset."""
    for batches in Scan(job.segment.path, is_last=job.segment.is_last).batches(lambda _: None):
        following: Ints = np.append(batches.base[1:], batches.base[-1:])
        is_inside = (batches.base >= start) & (batches.base < end) & (batches.base <= following)
        inside = np.flatnonzero(is_inside)
        if not inside.size:
            continue
        place = np.maximum.accumulate(np.where(is_inside, batches.base, start))
        keep = slice(int(inside[0]), int(inside[-1]) + 1)  # what is between has a wrong base offset
        some, number = batches.some(keep), place[keep] // BUCKET_OFFSETS
        for bucket in np.unique(number).tolist():
            yield bucket, some.some(number == bucket)


def joined(tables: Sequence[tuple[str, Batches]] | Iterator[tuple[str, Batches]]) -> dict[str, Batches]:
    """The batches of each replica in ascending order."""
    found: dict[str, Batches] = {}
    for directory, batches in tables:
        found[directory] = found.get(directory, NO_BATCHES).then(batches)
    return {name: each.some(np.argsort(each.base, kind="stable")) for name, each in found.items()}
