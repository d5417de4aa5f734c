"""The manifests of an archive: what each batch has. A batch counts from the moment its manifest has its name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar, get_origin, get_type_hints

from kafkacompat.spark.archives.archive_ranges import TopicPartition
from kafkacompat.spark.archives.archive_spec import ArchiveError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.spark.archives.archive_files import ArchiveFiles

FORMAT_VERSION = 3
OLDEST_VERSION = 1
"""Manifests of version 1 have no `topics`, and those before 3 neither `gaps` nor `sha256`."""
GAPS_MAX = 10_000
"""Of a manifest, so that its size is bounded however many transactions a batch has."""
FOLDER = "manifest"
RECORDS = "records"
SUFFIX = ".json"
Entry = TypeVar("Entry", bound=NamedTuple)
_KINDS = (int, str, bool, dict)
"""Types of fields that are checked."""


class PartitionEntry(NamedTuple):
    """What a batch has of a partition: offsets from `start_offset` to `end_offset` (exclusive).

    `missing`: offsets between without a record, as compaction and transactions leave them. `lost`: offsets before the
    start that were removed before they were archived. `digest`: the sum of the records' hashes. `gaps`: where they
    are missing, each from an offset to another one (exclusive); if there are too many, only the first ones.
    """

    topic: str
    partition: int
    start_offset: int
    end_offset: int
    records: int
    missing: int
    lost: int
    digest: str
    gaps: tuple[tuple[int, int], ...] = ()


class FileEntry(NamedTuple):
    """A Parquet file, by its path below the archive. `sha256`: of its bytes, in hex; empty if it is not known."""

    path: str
    size_bytes: int
    sha256: str = ""


class TopicEntry(NamedTuple):
    """What a topic was like: how many partitions it had, and the configs that were its own."""

    partitions: int
    configs: dict[str, str]


class Manifest(NamedTuple):
    """A batch. `folder` has its files, below `records`. `topics` has those of its partitions, as far as is known."""

    batch_id: int
    folder: str
    created_ms: int
    cluster_id: str | None
    topic_ids: dict[str, str]
    isolation: str
    partitions: tuple[PartitionEntry, ...]
    files: tuple[FileEntry, ...]
    topics: Mapping[str, TopicEntry] = {}

    @property
    def records(self) -> int:
        return sum(each.records for each in self.partitions)

    def to_json(self) -> str:
        """The file's text."""
        plain = self._asdict() | {
            "partitions": [each._asdict() for each in self.partitions],
            "files": [each._asdict() for each in self.files],
            "topics": {name: each._asdict() for name, each in self.topics.items()},
        }
        return json.dumps({"format_version": FORMAT_VERSION, **plain}, indent=1)


def name_of(batch_id: int) -> str:
    """The path of a manifest below the archive."""
    return f"{FOLDER}/{batch_id:012}{SUFFIX}"


def parse(text: str, name: str) -> Manifest:
    """Raises ArchiveError, which names the file."""
    try:
        plain = json.loads(text)
        version = plain.pop("format_version")
        if version not in range(OLDEST_VERSION, FORMAT_VERSION + 1):
            raise ArchiveError(
                f"{name} has format version {version}, and this version of kafkacompat knows {OLDEST_VERSION} to "
                f"{FORMAT_VERSION}: use one that knows it, or another directory"
            )
        partitions = tuple(_partition(each) for each in plain.pop("partitions"))
        files = tuple(checked(FileEntry(**each)) for each in plain.pop("files"))
        topics = {topic: checked(TopicEntry(**each)) for topic, each in plain.pop("topics", {}).items()}
        return checked(Manifest(**plain, partitions=partitions, files=files, topics=topics))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ArchiveError(
            f"{name} is no manifest ({type(error).__name__}: {error}). If it is the last one, remove it: its batch is "
            "archived anew"
        ) from None


def _partition(plain: dict[str, Any]) -> PartitionEntry:
    gaps = tuple((start, end) for start, end in plain.pop("gaps", ()))
    if not all(type(start) is type(end) is int for start, end in gaps):
        raise TypeError("gaps are not offsets")
    return checked(PartitionEntry(**plain, gaps=gaps))


def checked(entry: Entry) -> Entry:
    """The same, whose fields have the types that their annotations name. Raises TypeError."""
    for name, kind in _kinds_of(type(entry)).items():
        value = getattr(entry, name)
        if type(value) is not kind:
            raise TypeError(f"{name} is {value!r}")
    return entry


@cache
def _kinds_of(entry_type: type) -> dict[str, type]:
    found = {name: get_origin(hint) or hint for name, hint in get_type_hints(entry_type).items()}
    return {name: kind for name, kind in found.items() if kind in _KINDS}


def read_manifests(files: ArchiveFiles) -> list[Manifest]:
    """All, in their order. Raises ArchiveError for one that is damaged or missing between others."""
    names = sorted(name for name in files.names(FOLDER) if name.endswith(SUFFIX))
    found = [parse(files.read(f"{FOLDER}/{name}"), f"{files.root}/{FOLDER}/{name}") for name in names]
    for number, manifest in enumerate(found):
        if manifest.batch_id != number:
            raise ArchiveError(f"{files.root} has no manifest of batch {number}: restore {name_of(number)} from a copy")
    return found


def archived_ids(manifests: Sequence[Manifest]) -> dict[str, str]:
    """The ids of the topics, as far as they are known."""
    return {topic: topic_id for manifest in manifests for topic, topic_id in manifest.topic_ids.items()}


def archived_topics(manifests: Sequence[Manifest]) -> dict[str, TopicEntry]:
    """Each topic as it was when the last of its batches was archived. What is not known is told by its partitions."""
    found = dict[str, TopicEntry]()
    for manifest in manifests:
        for each in manifest.partitions:
            entry = manifest.topics.get(each.topic, found.get(each.topic, TopicEntry(0, {})))
            found[each.topic] = entry._replace(partitions=max(entry.partitions, each.partition + 1))
    return found


def archived_starts(manifests: Sequence[Manifest]) -> dict[TopicPartition, int]:
    """The offset at which the archive of each partition begins."""
    found = dict[TopicPartition, int]()
    for manifest in manifests:
        for each in manifest.partitions:
            found.setdefault((each.topic, each.partition), each.start_offset)
    return found


def archived(manifests: Sequence[Manifest]) -> dict[TopicPartition, int]:
    """The offset behind the last archived one, of each partition."""
    return {(each.topic, each.partition): each.end_offset for manifest in manifests for each in manifest.partitions}


def continuity(manifests: Sequence[Manifest]) -> list[str]:
    """Where a batch does not begin at the end of the one before, or does not add up."""
    found, ends = [], dict[TopicPartition, int]()
    for manifest in manifests:
        for each in manifest.partitions:
            name = f"batch {manifest.batch_id}, {each.topic}-{each.partition}"
            before = ends.get((each.topic, each.partition))
            if before is not None and before + each.lost != each.start_offset:
                found.append(f"{name}: it begins at offset {each.start_offset}, and the one before ended at {before}")
            if each.records + each.missing != each.end_offset - each.start_offset:
                found.append(f"{name}: {each.records} records and {each.missing} missing ones are not its range")
            if not _are_gaps(each):
                found.append(f"{name}: its gaps are not among the {each.missing} missing offsets of its range")
            ends[each.topic, each.partition] = each.end_offset
    return found


def _are_gaps(entry: PartitionEntry) -> bool:
    """Whether the gaps can be: in order, within the range, and of no more offsets than are missing."""
    at = entry.start_offset
    for start, end in entry.gaps:
        if not at <= start < end <= entry.end_offset:
            return False
        at = end
    return sum(end - start for start, end in entry.gaps) <= entry.missing
