"""What is archived, and what came of it. Importable without pyspark."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from kafkacompat.errors import KafkaCompatError

ISOLATIONS = ("read_uncommitted", "read_committed")
RECORD_SCHEMA = (
    "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp, timestampType int, "
    "headers array<struct<key:string,value:binary>>"
)
"""Of the records that jobs read and write: Spark's schema, that of its Kafka source with `includeHeaders`."""
MAX_RECORDS = 10_000_000
"""Records of a batch, unless it is given."""


class ArchiveError(KafkaCompatError):
    """Why an archive cannot be written or read, with what to do next."""


class ArchiveSpec(NamedTuple):
    """What to archive, and where.

    path: of the archive, on any file system that Spark knows. bootstrap_servers, or log_dirs of one broker: the source.
    topics: a regular expression for whole names. until_ms: stop before the first record at or after this time.
    until_offsets: stop at these offsets (exclusive), by topic and partition; other partitions are read to their ends.
    max_records: of a batch. isolation: read_uncommitted or read_committed. allow_gaps: offsets without a record, which
    compaction and transactions leave, are noted, and no error. allow_loss: so are records that were removed before
    they were archived. properties: those of Kafka's clients, such as security.protocol and sasl.*; files that they name
    (PEM) are read by the driver and by tasks.
    """

    path: str
    bootstrap_servers: str | None = None
    log_dirs: tuple[str, ...] = ()
    topics: str = ".*"
    until_ms: int | None = None
    max_records: int = MAX_RECORDS
    isolation: str = "read_uncommitted"
    allow_gaps: bool = False
    allow_loss: bool = False
    until_offsets: Mapping[tuple[str, int], int] | None = None
    properties: Mapping[str, str] = {}


def check_archive(spec: ArchiveSpec) -> None:
    """Raises ArchiveError for what cannot be meant."""
    if (spec.bootstrap_servers is None) == (not spec.log_dirs):
        raise ArchiveError("where records come from: bootstrap_servers of a cluster, or log_dirs of one broker")
    if spec.isolation not in ISOLATIONS:
        raise ArchiveError(f"isolation is {' or '.join(ISOLATIONS)}, not {spec.isolation!r}")
    if spec.max_records < 1:
        raise ArchiveError(f"max_records is 1 or more, not {spec.max_records}")
    check_topics(spec.topics)


def check_topics(topics: str) -> None:
    """Raises ArchiveError for what is no regular expression."""
    try:
        re.compile(topics)
    except re.error as error:
        raise ArchiveError(f"topics: {topics!r} is no regular expression: {error}") from None


class ArchiveReport(NamedTuple):
    """What a run did. `missing` and `lost` as in the manifests."""

    batches: int
    records: int
    size_bytes: int
    missing: int
    lost: int


class ArchiveVerdict(NamedTuple):
    """What was checked, and what does not hold: a line for each finding. `unlisted`: files that no manifest has."""

    batches: int
    partitions: int
    records: int
    size_bytes: int
    missing: int
    lost: int
    unlisted: int
    findings: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return not self.findings
