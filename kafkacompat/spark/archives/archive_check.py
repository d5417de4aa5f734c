"""Checking an archive: every number of its manifests against each other and against the files."""

from __future__ import annotations

from pyspark.sql import SparkSession

from kafkacompat.spark.archives.archive_digest import by_partition, digest_of
from kafkacompat.spark.archives.archive_files import ArchiveFiles
from kafkacompat.spark.archives.archive_manifests import RECORDS, Manifest, PartitionEntry, continuity, read_manifests
from kafkacompat.spark.archives.archive_reader import read_batches
from kafkacompat.spark.archives.archive_spec import ArchiveError, ArchiveVerdict

BatchPartition = tuple[int, str, int]


def verify_archive(spark: SparkSession, path: str) -> ArchiveVerdict:
    """Read the whole archive and compare it with its manifests. Raises ArchiveError if they cannot be read.

    Files that no manifest lists are counted, and are no finding: a run that was killed leaves them.
    """
    files = ArchiveFiles(spark, path)
    manifests = read_manifests(files)
    if not manifests:
        raise ArchiveError(f"{path} is no archive: it has no manifests")
    sizes = files.sizes(RECORDS)
    findings = [*continuity(manifests), *_files(manifests, sizes)]
    findings = findings or _checksums(files, manifests)
    if not findings:  # with files that are not there Spark would read nothing
        findings += _records(spark, files, manifests)
    parts = [each for manifest in manifests for each in manifest.partitions]
    listed = {file.path for manifest in manifests for file in manifest.files}
    return ArchiveVerdict(
        len(manifests), len({(each.topic, each.partition) for each in parts}), sum(each.records for each in parts),
        sum(file.size_bytes for manifest in manifests for file in manifest.files),
        sum(each.missing for each in parts), sum(each.lost for each in parts), len(sizes.keys() - listed),
        tuple(findings),
    )  # fmt: skip


def _files(manifests: list[Manifest], sizes: dict[str, int]) -> list[str]:
    found = []
    for manifest in manifests:
        for file in manifest.files:
            size = sizes.get(file.path)
            if size is None:
                found.append(f"batch {manifest.batch_id}: {file.path} is missing")
            elif size != file.size_bytes:
                found.append(f"batch {manifest.batch_id}: {file.path} has {size} bytes, not {file.size_bytes}")
    return found


def _checksums(files: ArchiveFiles, manifests: list[Manifest]) -> list[str]:
    """Files whose bytes are not those that were written; of manifests that have no checksums nothing is known."""
    found = []
    for manifest in manifests:
        known = {file.path: file.sha256 for file in manifest.files if file.sha256}
        sums, errors = files.checksums(known)
        found += [f"batch {manifest.batch_id}: {error}" for error in errors]
        found += [
            f"batch {manifest.batch_id}: {path} has SHA-256 {now}, not {known[path]}"
            for path, now in sums.items()
            if now != known[path]
        ]
    return found


def _records(spark: SparkSession, files: ArchiveFiles, manifests: list[Manifest]) -> list[str]:
    """What the files have, in one pass over all of them; if that fails, in a pass for each batch."""
    try:
        return _compared(spark, files, manifests)
    except Exception as error:  # noqa: BLE001 -- what Spark raises for a damaged file has many types
        if len(manifests) > 1:
            return [line for manifest in manifests for line in _records(spark, files, [manifest])]
        return [f"batch {manifests[0].batch_id}: its files cannot be read: {str(error).splitlines()[0][:300]}"]


def _compared(spark: SparkSession, files: ArchiveFiles, manifests: list[Manifest]) -> list[str]:
    rows = by_partition(read_batches(spark, files, manifests), "batch").collect()
    read = {(int(row["batch"]), row["topic"], row["partition"]): row for row in rows}
    found = []
    expected = dict[BatchPartition, PartitionEntry]()
    for manifest in manifests:
        for each in manifest.partitions:
            expected[manifest.batch_id, each.topic, each.partition] = each
    for key in sorted(read.keys() | expected.keys()):
        name, entry, row = f"batch {key[0]}, {key[1]}-{key[2]}", expected.get(key), read.get(key)
        if entry is None:
            found.append(f"{name}: the files have records of it, and the manifest has none")
            continue
        records = 0 if row is None else row["records"]
        if records != entry.records:
            found.append(f"{name}: the files have {records} records, and the manifest {entry.records}")
        elif row is not None and (row["first"] < entry.start_offset or row["last"] >= entry.end_offset):
            found.append(f"{name}: offsets {row['first']} to {row['last']} are beyond its range")
        elif row is not None and str(digest_of(row.asDict())) != entry.digest:
            found.append(f"{name}: the records differ from those that were archived")
    return found
