"""Importing: an archive becomes the data directory of a new lone broker, which needs no broker to be written."""

from __future__ import annotations

import os
import random
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.protocol.records.compression import NAMES
from kafkacompat.spark.archives.archive_digest import by_partition, digest_of
from kafkacompat.spark.archives.archive_files import ArchiveFiles
from kafkacompat.spark.archives.archive_manifests import (
    Manifest,
    archived_ids,
    archived_starts,
    archived_topics,
    read_manifests,
)
from kafkacompat.spark.archives.archive_ranges import TopicPartition
from kafkacompat.spark.archives.archive_reader import ends_of, read_archive
from kafkacompat.spark.archives.archive_spec import ArchiveError
from kafkacompat.spark.restore.import_spec import ImportReport, ImportSpec, check_import
from kafkacompat.spark.restore.log_rows import LOG_COLUMNS, log_records, spread, timestamp_ms
from kafkacompat.spark.restore.new_directory import Chunk, NewLog, Owner, WrittenChunk, finish, write_chunk
from kafkacompat.spark.restore.new_topics import Found, PlannedTopic, chunks_of, planned_topic
from kafkacompat.spark.restore.only_run import UNFINISHED, only_run
from kafkacompat.storage.data_dir import random_uuid

TASKS_MAX = 2_000
RECORD_MAX_BYTES = 36 + 61 + 78
"""What a log has beside a record's key, value and headers, at most: lengths and differences, the header of a batch and
the marker of a transaction, as where a replay that keeps time writes each record by itself.
"""
HEADER_MAX_BYTES = 10
"""Two lengths."""


def import_archive(spark: SparkSession, spec: ImportSpec) -> ImportReport:
    """Write the directory beside its place, read it back, compare, and rename it. Raises ArchiveError, OSError."""
    check_import(spec)
    files = ArchiveFiles(spark, spec.path)
    manifests = read_manifests(files)
    wanted = [topic for topic in archived_topics(manifests) if re.fullmatch(spec.topics, topic)]
    if not wanted:
        raise ArchiveError(f"{spec.path} has no topic that matches {spec.topics!r}")
    ends = ends_of(spark, spec.path, until_offsets=spec.until_offsets, until_ms=spec.until_ms)
    ends = {key: end for key, end in ends.items() if key[0] in wanted}
    records = read_archive(spark, spec.path, until_offsets=ends).where(F.col("topic").isin(wanted))
    found = counted(records)
    planned = _planned(manifests, spec, wanted, found)
    logs = new_logs(planned, archived_starts(manifests), ends)
    chunks = chunks_of(logs, found, spec.chunk_offsets)
    configs = {each.topic.name: dict(each.topic.configs) for each in planned}
    cluster_id = spec.cluster_id or uuid_to_text(new_uuid())
    with only_run(spec.log_dir):
        check_import(spec)  # now nobody else fills it
        root = _unfinished(spec.log_dir)
        numbered = by_chunk(spark, records, chunks, spec.chunk_offsets)
        written = _write(spark, numbered, root, chunks, configs, NAMES.index(spec.compression))
        made = {each.number for each in written}
        owner = Owner(spec.node_id, cluster_id)
        finish(root, owner, [each.topic for each in planned], logs, [each for each in chunks if each.number in made])
        _compare(spark, root, found)
        _rename(root, spec.log_dir)
    return ImportReport(
        cluster_id, len(planned), len(logs), sum(each.records for each in found.values()),
        sum(each.size_bytes for each in written), tuple(note for each in planned for note in each.notes),
    )  # fmt: skip


def counted(records: DataFrame) -> dict[TopicPartition, Found]:
    """What each partition has, in one pass over all records."""
    return {
        (row["topic"], row["partition"]): Found(
            row["records"], row["first"], row["last"], row["oldest"], digest_of(row.asDict()), row["size_bytes"]
        )
        for row in by_partition(
            records.withColumn("size_bytes", _size_max()), more=[F.sum("size_bytes").alias("size_bytes")]
        ).collect()
    }


def _size_max() -> Column:
    """What a record takes in a log at most, without compression."""
    headers = F.aggregate(
        "headers", F.lit(0), lambda size, each: size + _length(each["key"]) + _length(each["value"]) + HEADER_MAX_BYTES
    )
    return _length(F.col("key")) + _length(F.col("value")) + F.coalesce(headers, F.lit(0)) + RECORD_MAX_BYTES


def _length(of: Column) -> Column:
    return F.coalesce(F.octet_length(of), F.lit(0))


def new_uuid() -> bytes:
    """An id of a topic or a cluster."""
    return random_uuid(random.Random(os.urandom(16)))


def _planned(
    manifests: list[Manifest], spec: ImportSpec, wanted: list[str], found: Mapping[TopicPartition, Found]
) -> list[PlannedTopic]:
    unknown = sorted({*spec.partitions, *spec.configs} - {*wanted})
    if unknown:
        raise ArchiveError(f"partitions or configs are given of {unknown[0]}, which is not among the topics to import")
    entries, ids, now_ms = archived_topics(manifests), archived_ids(manifests), time.time_ns() // 1_000_000
    return [
        planned_topic(
            name, entries[name], ids.get(name), spec.configs.get(name, {}), spec.partitions.get(name), found, now_ms,
            new_uuid,
        )
        for name in sorted(wanted)
    ]  # fmt: skip


def new_logs(
    planned: list[PlannedTopic], starts: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int]
) -> list[NewLog]:
    """All partitions of the topics; those of which nothing is known are empty."""
    return [
        NewLog(each.topic.name, index, min(starts.get(key, 0), ends.get(key, 0)), ends.get(key, 0))
        for each in planned
        for index in range(each.topic.partitions)
        for key in ((each.topic.name, index),)
    ]


def _unfinished(log_dir: str) -> str:
    """A new directory beside the one that is wanted; that of a run that was ended is removed."""
    root = f"{Path(log_dir).absolute()}{UNFINISHED}"
    shutil.rmtree(root, ignore_errors=True)
    Path(root).mkdir(parents=True)
    return root


def _write(
    spark: SparkSession, numbered: DataFrame, root: str, chunks: list[Chunk], configs: Mapping[str, Mapping[str, str]],
    codec: int,
) -> list[WrittenChunk]:  # fmt: skip
    """Write the segments in tasks, each chunk by one of them. numbered: see `by_chunk`."""
    if not chunks:
        return []
    tasks = min(len(chunks), TASKS_MAX)
    rows = spread(spark, numbered, F.col("chunk"), tasks).sortWithinPartitions("chunk", "offset")
    by_number = {chunk.number: chunk for chunk in chunks}

    def write(of_task: Iterable[Row]) -> Iterator[WrittenChunk]:
        for number, of_chunk in groupby(log_records(of_task, "chunk"), itemgetter(0)):
            chunk = by_number[number]
            yield write_chunk(root, chunk, map(itemgetter(1), of_chunk), configs[chunk.topic], compression=codec)

    found: list[WrittenChunk] = rows.select("chunk", *LOG_COLUMNS).rdd.mapPartitions(write).collect()
    return found


def by_chunk(spark: SparkSession, records: DataFrame, chunks: list[Chunk], chunk_offsets: int) -> DataFrame:
    """The records with the number of their chunk, and with `timestamp_ms`.

    The chunks of a partition are numbered one after the other, so that a record is joined with the first of them only:
    it is in that one, or so many chunks of `chunk_offsets` behind its end.
    """
    first: dict[TopicPartition, Chunk] = {}
    for each in chunks:
        first.setdefault((each.topic, each.partition), each)
    rows = [(*place, each.end, each.number) for place, each in first.items()]
    table = spark.createDataFrame(rows, "topic string, partition int, first_end bigint, first_chunk bigint")
    behind = F.floor((F.col("offset") - F.col("first_end")) / chunk_offsets) + 1
    chunk = F.col("first_chunk") + F.greatest(behind, F.lit(0))
    joined = records.join(F.broadcast(table), ["topic", "partition"])
    return joined.select("*", chunk.alias("chunk"), timestamp_ms()).drop("first_end", "first_chunk")


def _compare(spark: SparkSession, root: str, found: Mapping[TopicPartition, Found]) -> None:
    """Read the directory as a broker would, and compare. Raises ArchiveError."""
    from kafkacompat.spark.log.source import LogDataSource

    spark.dataSource.register(LogDataSource)
    written = spark.read.format("kafkacompat-log").option("includeHeaders", "true").load(root)
    there = {(row["topic"], row["partition"]): row.asDict() for row in by_partition(written).collect()}
    for key in sorted(found.keys() | there.keys()):
        expected, row = found.get(key), there.get(key, {"records": 0, "low": 0, "high": 0})
        if expected is None or (row["records"], digest_of(row)) != (expected.records, expected.digest):
            raise ArchiveError(
                f"{key[0]}-{key[1]}: {0 if expected is None else expected.records} records were to be imported, and "
                f"{row['records']} are in {root}, or they differ: it was left there; run verify-archive"
            )


def _rename(root: str, log_dir: str) -> None:
    try:
        Path(root).rename(log_dir)
    except OSError as error:
        raise ArchiveError(
            f"{root} is whole, and cannot be renamed to {log_dir} ({error.strerror}): start the broker there"
        ) from None
    parent = os.open(Path(log_dir).absolute().parent, os.O_RDONLY)
    try:
        os.fsync(parent)
    finally:
        os.close(parent)
