"""Topics of a lone broker as those of an archive: pure rules for their partitions, ids, configs and chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.protocol.primitives import uuid_from_text
from kafkacompat.replication.metadata.new_cluster import InitialTopic
from kafkacompat.spark.archives.archive_manifests import TopicEntry
from kafkacompat.spark.archives.archive_ranges import TopicPartition
from kafkacompat.spark.archives.archive_spec import ArchiveError
from kafkacompat.spark.restore.new_directory import Chunk, NewLog

RETENTION = "retention.ms"
RETENTION_BYTES = "retention.bytes"
POLICY = "cleanup.policy"
DELETE = "delete"
DEFAULT_RETENTION_MS = 168 * 3_600_000
FOREVER = "-1"
NOT_ALONE = ("min.insync.replicas", "leader.replication.", "follower.replication.", "remote.", "local.retention.")
"""Beginnings of configs that a lone broker cannot obey."""


class Found(NamedTuple):
    """What was counted of a partition. `oldest_ms` is None where no record has a time. `size_bytes`: what a
    log of them takes at most, without compression.
    """

    records: int
    first: int
    last: int
    oldest_ms: int | None
    digest: int
    size_bytes: int = 0


class PlannedTopic(NamedTuple):
    """A topic to be created, and what differs from the archived one."""

    topic: InitialTopic
    notes: list[str]


def planned_topic(
    name: str, entry: TopicEntry, topic_id: str | None, given: Mapping[str, str], partitions: int | None,
    found: Mapping[TopicPartition, Found], until_ms: int | None, new_id: Callable[[], bytes],
) -> PlannedTopic:  # fmt: skip
    """A topic of the new broker.

    partitions: as the user gave them. found: by partition, what the topic has. until_ms: the time at which retention
    must not have removed any of it, None for ever. Raises ArchiveError for fewer partitions than the archive has.
    """
    count = entry.partitions if partitions is None else partitions
    if count < entry.partitions:
        raise ArchiveError(f"{name} has {entry.partitions} partitions in the archive, and {count} are asked for")
    notes = []
    configs = {}
    for key, value in sorted(entry.configs.items()):
        if key not in given and key.startswith(NOT_ALONE):
            notes.append(f"topic {name} does not get {key}={value}: the new broker is alone")
        else:
            configs[key] = value
    configs.update(given)
    of_topic = [each for (topic, _), each in found.items() if topic == name]
    notes += _kept_from_retention(name, configs, given, of_topic, until_ms)
    id_bytes = new_id() if topic_id is None else uuid_from_text(topic_id)
    return PlannedTopic(InitialTopic(name, id_bytes, count, configs), notes)


def _kept_from_retention(
    name: str, configs: dict[str, str], given: Mapping[str, str], found: list[Found], until_ms: int | None
) -> list[str]:
    """Give a topic whose records would be removed configs that keep them, unless the user gave others."""
    notes = []
    if RETENTION_BYTES in configs and RETENTION_BYTES not in given and configs[RETENTION_BYTES] != FOREVER:
        notes.append(f"topic {name} gets retention.bytes=-1, not {configs[RETENTION_BYTES]}, so that all records stay")
        configs[RETENTION_BYTES] = FOREVER
    oldest = min((each.oldest_ms for each in found if each.oldest_ms is not None), default=None)
    at_ms = LONG_MAX if until_ms is None else until_ms
    if RETENTION not in given and oldest is not None and expires(configs, oldest, at_ms):
        why = f"its records begin at {oldest} ms and would be removed as old"
        why = "a fixture keeps its records however old they become" if until_ms is None else why
        notes.append(f"topic {name} gets retention.ms=-1: {why}")
        configs[RETENTION] = FOREVER
    return notes


def expires(configs: Mapping[str, str], oldest_ms: int, at_ms: int) -> bool:
    """Whether retention removes a record of that time by `at_ms`. configs: those of the topic; others have defaults."""
    retention_ms = int(configs.get(RETENTION, DEFAULT_RETENTION_MS))
    return _deletes(configs) and retention_ms >= 0 and oldest_ms < at_ms - retention_ms


def exceeds(configs: Mapping[str, str], size_bytes: int) -> bool:
    """Whether a partition of that size is beyond its retention.bytes, so that the oldest records are removed."""
    return _deletes(configs) and 0 <= int(configs.get(RETENTION_BYTES, FOREVER)) < size_bytes


def compacts(configs: Mapping[str, str]) -> bool:
    """Whether older records of a key are removed."""
    return "compact" in configs.get(POLICY, DELETE)


def _deletes(configs: Mapping[str, str]) -> bool:
    return DELETE in configs.get(POLICY, DELETE)


def chunks_of(logs: list[NewLog], found: Mapping[TopicPartition, Found], chunk_offsets: int) -> list[Chunk]:
    """What tasks write: a number of offsets of a partition each, from its first record to its last one.

    The first and the last chunk of a partition have records; one between may have none.
    """
    chunks: list[Chunk] = []
    for log in logs:
        counted = found.get((log.topic, log.partition))
        if counted is None:
            continue
        starts = range(counted.first, counted.last + 1, chunk_offsets)
        for start in starts:
            is_last = start == starts[-1]
            chunks.append(
                Chunk(
                    len(chunks), log.topic, log.partition, log.start if start == starts[0] else start,
                    log.end if is_last else start + chunk_offsets, is_last,
                )
            )  # fmt: skip
    return chunks
