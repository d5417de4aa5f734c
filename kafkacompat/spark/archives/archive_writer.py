"""Archiving: batch after batch into Parquet, each counted where it is read and where it was written.

A batch is written into a folder of its own and read back. Then its manifest is written under another name, and renamed.
Whatever is killed before leaves files that no manifest lists: they do not count, and the next run removes them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from kafkacompat.spark.archives.archive_digest import COLUMNS, HASH, by_partition, digest, digest_of, hashed, jumps
from kafkacompat.spark.archives.archive_files import ArchiveFiles
from kafkacompat.spark.archives.archive_manifests import (
    GAPS_MAX,
    RECORDS,
    FileEntry,
    Manifest,
    PartitionEntry,
    archived,
    archived_ids,
    name_of,
    read_manifests,
)
from kafkacompat.spark.archives.archive_ranges import (
    Range,
    TopicPartition,
    check_not_another,
    gaps_in,
    next_ranges,
    offset_sum,
    up_to,
)
from kafkacompat.spark.archives.archive_reader import read_batches
from kafkacompat.spark.archives.archive_sources import Bounds, KafkaSource, LogSource, Source
from kafkacompat.spark.archives.archive_spec import ArchiveError, ArchiveReport, ArchiveSpec, check_archive

MS_PER_DAY = 86_400_000
OPEN_FILES, OPEN_FILES_MAX = "spark.sql.maxConcurrentOutputFileWriters", 64


def archive(
    spark: SparkSession, spec: ArchiveSpec, progress: Callable[[Manifest], None] | None = None
) -> ArchiveReport:
    """Archive what is not archived yet, up to the ends that the partitions have now; again after any failure.

    progress: called after each batch. Raises ArchiveError, other KafkaCompatErrors of a broker that cannot be reached,
    and what Spark raises. One run at a time: of two, the later one to end a batch fails and changes nothing.
    """
    source = source_of(spec)
    files = ArchiveFiles(spark, spec.path)
    manifests = read_manifests(files)
    bounds = source.bounds(spec.until_ms)
    _check_source(manifests, bounds, spec)
    if spec.until_offsets:
        ends = up_to(bounds.latest, spec.until_offsets)
        bounds = bounds._replace(end={key: min(end, ends[key]) for key, end in bounds.end.items()})
    made: list[Manifest] = []
    _remove_leftovers(files, manifests[-1:])
    while ranges := _next(manifests, bounds, spec):
        manifest = _Batch(spark, files, spec, source, len(manifests)).archive(ranges, bounds)
        manifests.append(manifest)
        made.append(manifest)
        _remove_leftovers(files, [manifest])
        if progress is not None:
            progress(manifest)
    parts = [each for manifest in made for each in manifest.partitions]
    return ArchiveReport(
        len(made), sum(each.records for each in parts),
        sum(file.size_bytes for manifest in made for file in manifest.files),
        sum(each.missing for each in parts), sum(each.lost for each in parts),
    )  # fmt: skip


def source_of(spec: ArchiveSpec) -> Source:
    """Where the records come from. Raises ArchiveError for what cannot be meant."""
    check_archive(spec)
    if spec.bootstrap_servers is not None:
        return KafkaSource(spec.bootstrap_servers, spec.topics, spec.isolation, spec.properties)
    return LogSource(spec.log_dirs, spec.topics, spec.isolation)


def _check_source(manifests: list[Manifest], bounds: Bounds, spec: ArchiveSpec) -> None:
    """Raises ArchiveError for another cluster, other records, or another isolation than those of the archive."""
    for manifest in manifests[-1:]:
        ids = {manifest.cluster_id, bounds.cluster_id} - {None}
        if len(ids) > 1:
            raise ArchiveError(
                f"{spec.path} has records of cluster {manifest.cluster_id}, and this is {bounds.cluster_id}: give each "
                "cluster an archive of its own"
            )
        if manifest.isolation != spec.isolation:
            raise ArchiveError(f"{spec.path} was begun with isolation {manifest.isolation}: go on with it")
    check_not_another(archived(manifests), bounds.latest, archived_ids(manifests), bounds.topic_ids)


def _next(manifests: list[Manifest], bounds: Bounds, spec: ArchiveSpec) -> list[Range]:
    return next_ranges(
        archived(manifests), bounds.first, bounds.end, max_records=spec.max_records, allow_loss=spec.allow_loss
    )


def _remove_leftovers(files: ArchiveFiles, manifests: Sequence[Manifest]) -> None:
    """Remove folders of runs that ended before their manifest: those of batches that have one by another run.

    Each batch is looked at when it gets its manifest, and the last one when the next run begins, because of kills.
    """
    for manifest in manifests:
        batch, _, run = manifest.folder.removeprefix(f"{RECORDS}/").partition("/")
        for name in files.names(f"{RECORDS}/{batch}"):
            if name != run:
                files.remove(f"{RECORDS}/{batch}/{name}")


@contextmanager
def _several_files_at_once(spark: SparkSession) -> Iterator[None]:
    """Let a task write the files of its days side by side. Otherwise Spark sorts all records by topic and day first,
    although each task reads a partition in its order. Beyond OPEN_FILES_MAX it sorts what is left.
    """
    before = spark.conf.get(OPEN_FILES, None)
    spark.conf.set(OPEN_FILES, OPEN_FILES_MAX)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(OPEN_FILES)
        else:
            spark.conf.set(OPEN_FILES, before)


class _Batch:
    """One batch of an archive."""

    def __init__(
        self, spark: SparkSession, files: ArchiveFiles, spec: ArchiveSpec, source: Source, batch_id: int
    ) -> None:
        self._spark = spark
        self._files = files
        self._spec = spec
        self._source = source
        self._batch_id = batch_id
        self._folder = f"{RECORDS}/batch={batch_id}/run={uuid4().hex[:12]}"

    def archive(self, ranges: list[Range], bounds: Bounds) -> Manifest:
        """Write, read back, compare, and commit. Raises ArchiveError if what was written is not what was read."""
        observed = self._write(ranges)
        topics = {each.topic for each in ranges}
        sizes = self._files.sizes(self._folder)
        sums, errors = self._files.checksums(sizes)
        if errors:
            raise errors[0]
        manifest = Manifest(
            self._batch_id, self._folder, int(time.time() * 1000), bounds.cluster_id,
            {topic: topic_id for topic, topic_id in bounds.topic_ids.items() if topic in topics},
            self._spec.isolation, (),
            tuple(FileEntry(path, size, sums[path]) for path, size in sorted(sizes.items())),
            {topic: entry for topic, entry in bounds.topics.items() if topic in topics},
        )  # fmt: skip
        written = read_batches(self._spark, self._files, [manifest])
        rows = [row.asDict() for row in by_partition(written).collect()]
        found = {(row["topic"], row["partition"]): row for row in rows}
        counted = (sum(row["records"] for row in rows), sum(map(digest_of, rows)))
        if counted != observed:
            raise ArchiveError(
                f"batch {self._batch_id}: {observed[0]} records were read and {counted[0]} are in the files, or they "
                "differ: nothing was committed; run it again"
            )
        entries = [self._entry(each, found) for each in ranges]
        manifest = manifest._replace(partitions=tuple(_with_gaps(entries, found, written)))
        if not self._files.write_new(name_of(self._batch_id), manifest.to_json()):
            raise ArchiveError(f"another run has archived batch {self._batch_id} meanwhile: one run at a time")
        return manifest

    def _write(self, ranges: list[Range]) -> tuple[int, int]:
        """Write the records of the ranges; what was read: their number and digest."""
        wanted = [each for each in ranges if each.start < each.end]
        if not wanted:
            return 0, 0
        observation = Observation()
        records = hashed(self._source.frame(self._spark, wanted).select(*COLUMNS))
        records = records.observe(observation, F.count(F.lit(1)).alias("records"), *digest()).drop(HASH)
        days = F.floor(F.unix_millis("timestamp") / MS_PER_DAY).cast("int")
        records = records.withColumn("date", F.date_from_unix_date(days))
        writer = records.write.partitionBy("topic", "date").option("compression", "zstd")
        try:
            with _several_files_at_once(self._spark):
                writer.parquet(self._files.path(self._folder))
        except Exception as error:
            if "DATA_LOSS" not in str(error) and "may have been lost" not in str(error):
                raise
            raise ArchiveError(
                f"batch {self._batch_id}: records were removed while it was archived; nothing of it was committed. Run "
                "it again: it names what was lost before"
            ) from error
        told = observation.get
        return int(told["records"]), digest_of(told)

    def _entry(self, wanted: Range, found: Mapping[TopicPartition, Mapping[str, Any]]) -> PartitionEntry:
        """What the batch has of a range. Raises ArchiveError for what it should not have, or should."""
        row = found.get((wanted.topic, wanted.partition))
        name = f"{wanted.topic}-{wanted.partition}"
        records = row["records"] if row is not None else 0
        missing = wanted.end - wanted.start - records
        is_whole = missing or row is None or row["offset_sum"] == offset_sum(wanted.start, wanted.end)
        if row is not None and (row["first"] < wanted.start or row["last"] >= wanted.end or not is_whole):
            raise ArchiveError(
                f"{name}: {records} records of the offsets {row['first']} to {row['last']} came for {wanted.start} to "
                f"{wanted.end - 1}, and one of them more than once: nothing was committed"
            )
        if missing and not self._spec.allow_gaps:
            raise ArchiveError(
                f"{name}: {missing} of the offsets {wanted.start} to {wanted.end - 1} have no record, as after "
                "compaction or transactions; --allow-gaps notes them in the manifest"
            )
        return PartitionEntry(
            wanted.topic, wanted.partition, wanted.start, wanted.end, records, missing, wanted.lost,
            str(digest_of(row) if row is not None else 0),
        )  # fmt: skip


def _with_gaps(
    entries: Sequence[PartitionEntry], found: Mapping[TopicPartition, Mapping[str, Any]], written: DataFrame
) -> Iterator[PartitionEntry]:
    """The entries with their gaps. Raises ArchiveError for an offset that is there twice, which would hide another one.

    found: `first` and `last` of the partitions that have records.
    """
    places = {(each.topic, each.partition) for each in entries if each.missing}
    most = max(GAPS_MAX // max(len(places), 1), 1)
    between = jumps(written, places & found.keys(), most)
    for each in entries:
        place = (each.topic, each.partition)
        pairs = between.get(place, [])
        if any(before == after for before, after in pairs):
            raise ArchiveError(f"{each.topic}-{each.partition}: an offset came more than once: nothing was committed")
        if place in found:
            gaps = gaps_in(each.start_offset, each.end_offset, found[place]["first"], found[place]["last"], pairs)
        else:
            gaps = ((each.start_offset, each.end_offset),)
        yield each._replace(gaps=gaps[:most]) if each.missing else each
