"""How far consumer groups were behind over time: the commits in __consumer_offsets, held against the logs."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkacompat.broker.coordinator.group.records import decode_record
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey, OffsetCommitValue
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.spark.audit.page_charts import MAX_POINTS, MIN_BIN_MS
from kafkacompat.spark.log.log_files import log_directories, partition_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from kafkacompat.spark.audit.audit_findings import AuditReport

OFFSETS_TOPIC = "__consumer_offsets"
TOP_GROUPS = 6
"""Groups that are drawn: those that were behind the most."""
Commit = tuple[tuple[str, str, int, int], tuple[int, int]]
"""Group, topic, partition and bin of time; the offset in the log of commits, by which they are in order, and the
committed offset, UNKNOWN_OFFSET where it was removed."""


class GroupLag(NamedTuple):
    """Records that a group was behind at the end of each bin, over all of its partitions; UNKNOWN_OFFSET where nothing
    was committed.
    """

    group: str
    partitions: int
    lags: tuple[int, ...]


class LagFigures(NamedTuple):
    """The groups that were behind the most, over the time of their commits. `groups_count`: all groups."""

    start_ms: int
    bin_ms: int
    groups: tuple[GroupLag, ...]
    groups_count: int


def lag_figures(spark: SparkSession, log_dirs: Sequence[str], report: AuditReport) -> LagFigures | None:
    """None without committed offsets of what was audited. Raises LogReadError, and what Spark raises.

    A lag is that of the end of a bin: what was written by then, as the records' timestamps say, without what was
    committed by then. Transactions that were aborted commit nothing. Only TOP_GROUPS rows reach the driver.
    """
    from pyspark import StorageLevel

    from kafkacompat.spark.audit.audit_sources import readable_records  # needs pyspark, which a page does not

    folders = (key for directory in log_directories(log_dirs) for key, _ in partition_folders(directory))
    if not any(topic == OFFSETS_TOPIC for topic, _ in folders):
        return None
    known = {(each["topic"], each["partition"]): each for each in report.partitions}
    audited = frozenset(known)
    rows = readable_records(spark, log_dirs, subscribe=OFFSETS_TOPIC, isolation="read_committed")
    rows = rows.selectExpr("key", "value", "offset", "unix_millis(timestamp)")
    commits = rows.rdd.mapPartitions(commits_of).filter(lambda each: each[0][1:3] in audited)
    commits = commits.reduceByKey(max).persist(StorageLevel.DISK_ONLY)
    try:
        minutes = commits.map(lambda each: each[0][3])
        if minutes.isEmpty():
            return None
        first, last = minutes.min(), minutes.max()
        minutes_of_bin = -(-(last - first + 1) // MAX_POINTS)
        bins = (last - first) // minutes_of_bin + 1
        start_ms, bin_ms = first * MIN_BIN_MS, minutes_of_bin * MIN_BIN_MS
        keys = commits.map(lambda each: each[0][1:3]).distinct().collect()
        ends = spark.sparkContext.broadcast({key: ends_at(known[key], start_ms, bin_ms, bins) for key in keys})
        groups = (
            commits.map(lambda each: ((*each[0][:3], (each[0][3] - first) // minutes_of_bin), each[1]))
            .reduceByKey(max)
            .map(lambda each: (each[0][:3], (each[0][3], *each[1])))
            .groupByKey()
            .map(lambda each: (each[0][0], (1, lags_of(each[1], ends.value[each[0][1:]]))))
            .reduceByKey(added)
            .persist(StorageLevel.DISK_ONLY)
        )
        count = groups.count()
        top = groups.takeOrdered(TOP_GROUPS, key=lambda each: (-max(each[1][1]), each[0]))
        groups.unpersist()
    finally:
        commits.unpersist()
    drawn = tuple(GroupLag(group, partitions, tuple(lags)) for group, (partitions, lags) in top)
    return LagFigures(start_ms, bin_ms, drawn, count)


def commits_of(rows: Iterable[Any]) -> Iterator[Commit]:
    """The commits among records of __consumer_offsets (key, value, offset, time), in bins of a minute."""
    for key, value, offset, time_ms in rows:
        try:
            record = decode_record(bytes(key), None if value is None else bytes(value)) if key is not None else None
        except MalformedMessageError:
            continue
        at, commit = record or (None, None)
        if not isinstance(at, OffsetCommitKey):
            continue
        if isinstance(commit, OffsetCommitValue):
            committed, at_ms = commit.offset, commit.commit_timestamp
        else:
            committed, at_ms = UNKNOWN_OFFSET, time_ms
        if at_ms is not None and at_ms >= 0:
            yield (at.group, at.topic, at.partition, at_ms // MIN_BIN_MS), (offset, committed)


def ends_at(partition: Mapping[str, Any], start_ms: int, bin_ms: int, bins: int) -> list[int]:
    """Where a log ended at the end of each bin: its end now, without the records that are later."""
    times = sorted(partition["times"].items())
    at = [each for each, _ in times]
    later = [*accumulate((sums[1] for _, sums in reversed(times)), initial=0)][::-1]
    return [
        partition["end_offset"] - later[bisect_left(at, start_ms + (number + 1) * bin_ms)] for number in range(bins)
    ]


def lags_of(commits: Iterable[tuple[int, int, int]], ends: Sequence[int]) -> list[int]:
    """The lag of one partition at the end of each bin, by commits (bin, order, offset); each holds until the next."""
    ordered = sorted(commits)
    lags, committed = [], UNKNOWN_OFFSET
    place = 0
    for number, end in enumerate(ends):
        while place < len(ordered) and ordered[place][0] <= number:
            committed = ordered[place][2]
            place += 1
        lags.append(UNKNOWN_OFFSET if committed == UNKNOWN_OFFSET else max(end - committed, 0))
    return lags


def added(one: tuple[int, list[int]], other: tuple[int, list[int]]) -> tuple[int, list[int]]:
    """Partitions and lags of two parts of a group together."""
    lags = [a if b < 0 else b if a < 0 else a + b for a, b in zip(one[1], other[1], strict=True)]
    return one[0] + other[0], lags
