"""Capturing: a slice of topics becomes a fixture file, which is a snapshot of a lone broker that has it."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.spark.archive_digest import COLUMNS
from kafkacompat.spark.archive_files import ArchiveFiles
from kafkacompat.spark.archive_importer import TASKS_MAX, counted, new_logs, new_uuid
from kafkacompat.spark.archive_manifests import (
    TopicEntry,
    archived_ids,
    archived_starts,
    archived_topics,
    read_manifests,
)
from kafkacompat.spark.archive_ranges import Range, TopicPartition, up_to
from kafkacompat.spark.archive_reader import ends_of, read_archive
from kafkacompat.spark.archive_spec import ArchiveError, ArchiveSpec
from kafkacompat.spark.archive_writer import source_of
from kafkacompat.spark.capture_spec import CaptureReport, CaptureSpec, share_of
from kafkacompat.spark.fixture_file import NODE_ID, pack
from kafkacompat.spark.log_rows import LOG_COLUMNS, log_records, spread, timestamp_ms
from kafkacompat.spark.masks import Mask, MaskedRecord, MaskError, MaskFile, masked, read_mask
from kafkacompat.spark.new_directory import LEADER_EPOCH, Chunk, NewLog, Owner, finish, write_batches
from kafkacompat.spark.new_topics import planned_topic
from kafkacompat.spark.packed_batches import LogRecord, packed

FAILED = "failed"
"""In place of the number of a partition: the task ends with an error, which comes instead of a batch."""


class Slice(NamedTuple):
    """The records of a slice, where it begins and ends in each partition, and what is known of its topics."""

    records: DataFrame
    starts: dict[TopicPartition, int]
    ends: dict[TopicPartition, int]
    topics: dict[str, TopicEntry]
    topic_ids: dict[str, str]


def capture(spark: SparkSession, spec: CaptureSpec) -> CaptureReport:
    """Write the file. Raises ArchiveError, MaskError among them; nothing is at its place then."""
    share = None if spec.sample_keys is None else share_of(spec.sample_keys)
    mask = read_mask(spec.mask) if isinstance(spec.mask, str) else spec.mask
    found_slice = _slice(spark, spec)
    records = found_slice.records if share is None else found_slice.records.where(_is_in_share(*share))
    sampled = records.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        found = counted(sampled)
        now_ms = time.time_ns() // 1_000_000
        planned = [
            planned_topic(
                name, found_slice.topics[name], found_slice.topic_ids.get(name), spec.configs.get(name, {}), None,
                found, now_ms, new_uuid,
            )
            for name in sorted(found_slice.topics)
        ]  # fmt: skip
        logs = new_logs(planned, found_slice.starts, found_slice.ends)
        batches = _packed(spark, sampled, [log for log in logs if (log.topic, log.partition) in found], mask)
    finally:
        sampled.unpersist()
    logs = [log if (log.topic, log.partition) in batches else log._replace(start=log.end) for log in logs]
    out = Path(spec.out).absolute()
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as root:
        chunks: list[Chunk] = []
        count = 0
        configs = {each.topic.name: each.topic.configs for each in planned}
        for log in logs:
            of_log = batches.get((log.topic, log.partition))
            if of_log is not None:
                chunk = Chunk(len(chunks), log.topic, log.partition, log.start, log.end, is_last=True)
                write_batches(root, chunk, of_log, configs[log.topic], is_temporary=True)
                chunks.append(chunk)
                count += sum(map(_count_of, of_log))
        cluster_id = uuid_to_text(new_uuid())
        topics = [each.topic for each in planned]
        finish(root, Owner(NODE_ID, cluster_id), topics, logs, chunks, is_temporary=True)
        pack(root, str(out), cluster_id)
    return CaptureReport(
        len(planned), len(logs), sum(each.records for each in found.values()), count, out.stat().st_size,
        tuple(note for each in planned for note in each.notes),
    )  # fmt: skip


def _is_in_share(count: int, of: int) -> Column:
    """Whether a record's key is in the share: the same keys in all topics and runs. Without key its place counts."""
    place = F.xxhash64("topic", "partition", "offset")
    return F.pmod(F.when(F.col("key").isNull(), place).otherwise(F.xxhash64("key")), F.lit(of)) < count


def _slice(spark: SparkSession, spec: CaptureSpec) -> Slice:
    if spec.archive is not None:
        if spec.bootstrap_servers is not None or spec.log_dirs:
            raise ArchiveError("what to capture: bootstrap_servers of a cluster, log_dirs of one broker, or an archive")
        return _slice_of_archive(spark, spec, spec.archive)
    source = source_of(
        ArchiveSpec("", spec.bootstrap_servers, spec.log_dirs, spec.topics, isolation=spec.isolation)
    )  # fmt: skip
    bounds = source.bounds(spec.until_ms)
    starts = bounds.first if spec.from_ms is None else source.bounds(spec.from_ms).end
    starts = {key: max(starts.get(key, 0), first) for key, first in bounds.first.items()}
    starts, ends = _given(spec, starts, bounds.end, bounds.latest)
    ranges = [Range(*key, start, ends[key]) for key, start in starts.items() if start < ends[key]]
    records = source.frame(spark, ranges) if ranges else spark.createDataFrame([], _NOTHING)
    return Slice(records.select(*COLUMNS), starts, ends, dict(bounds.topics), bounds.topic_ids)


_NOTHING = (
    "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp, timestampType int, "
    "headers array<struct<key: string, value: binary>>"
)


def _slice_of_archive(spark: SparkSession, spec: CaptureSpec, path: str) -> Slice:
    manifests = read_manifests(ArchiveFiles(spark, path))
    topics = {name: each for name, each in archived_topics(manifests).items() if re.fullmatch(spec.topics, name)}
    if not topics:
        raise ArchiveError(f"{path} has no topic that matches {spec.topics!r}")
    latest = ends_of(spark, path)
    starts = archived_starts(manifests)
    if spec.from_ms is not None:
        starts = ends_of(spark, path, until_ms=spec.from_ms)
    ends = ends_of(spark, path, until_ms=spec.until_ms)
    starts, ends = _given(spec, starts, ends, latest)
    starts = {key: start for key, start in starts.items() if key[0] in topics}
    table = spark.createDataFrame(
        [(*key, start) for key, start in starts.items()], "topic string, partition int, start bigint"
    )
    records = read_archive(spark, path, until_offsets=ends).join(F.broadcast(table), ["topic", "partition"])
    records = records.where(F.col("offset") >= F.col("start")).select(*COLUMNS)
    return Slice(records, starts, ends, topics, archived_ids(manifests))


def _given(
    spec: CaptureSpec, starts: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int],
    latest: Mapping[TopicPartition, int],
) -> tuple[dict[TopicPartition, int], dict[TopicPartition, int]]:  # fmt: skip
    """Where the slice begins and ends with the offsets that were given. Raises ArchiveError for those of nothing."""
    for offsets in (spec.from_offsets, spec.until_offsets):
        up_to(latest, offsets)
    whole_ends = {key: spec.until_offsets.get(key, end) for key, end in ends.items()}
    return {key: min(spec.from_offsets.get(key, start), whole_ends[key]) for key, start in starts.items()}, whole_ends


def _packed(
    spark: SparkSession, records: DataFrame, logs: list[NewLog], mask: MaskFile | Mask | None
) -> dict[TopicPartition, list[bytes]]:
    """The batches of each partition that has any, made in tasks, each partition by one of them. Raises MaskError."""
    if not logs:
        return {}
    table = spark.createDataFrame(
        [(log.topic, log.partition, number) for number, log in enumerate(logs)],
        "topic string, partition int, log bigint",
    )
    numbered = records.join(F.broadcast(table), ["topic", "partition"]).select("*", timestamp_ms())
    rows = spread(spark, numbered, F.col("log"), min(len(logs), TASKS_MAX)).sortWithinPartitions("log", "offset")
    name = f"{mask.name}:{mask.function}" if isinstance(mask, MaskFile) else getattr(mask, "__name__", "function")

    def work(of_task: Iterable[Row]) -> Iterator[tuple[object, object]]:
        function = mask.load() if isinstance(mask, MaskFile) else mask
        try:
            for number, of_log in groupby(log_records(of_task, "log"), itemgetter(0)):
                log, plain = logs[number], map(itemgetter(1), of_log)
                kept = plain if function is None else through_mask(plain, log, function, name)
                for batch in packed(kept, leader_epoch=LEADER_EPOCH, end_offset=log.end):
                    yield number, bytes(batch)
        except MaskError as error:
            yield FAILED, str(error)

    found: dict[TopicPartition, list[bytes]] = {}
    for number, batch in rows.select("log", *LOG_COLUMNS).rdd.mapPartitions(work).collect():
        if number == FAILED:
            raise MaskError(batch)
        found.setdefault((logs[number].topic, logs[number].partition), []).append(batch)
    return found


def through_mask(records: Iterable[LogRecord], log: NewLog, mask: Mask, name: str) -> Iterator[LogRecord]:
    """Records as the mask returns them, see `masks.masked`."""
    for record in records:
        seen = MaskedRecord(
            log.topic, log.partition, record.offset, record.timestamp_ms, record.key, record.value, record.headers
        )
        for kept in masked([seen], mask, name):
            yield record._replace(key=kept.key, value=kept.value, headers=tuple(kept.headers))


def _count_of(batch: bytes) -> int:
    return read_header(batch).record_count
