"""What is imported, and what came of it. Importable without pyspark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from kafkacompat.protocol.records.compression import NAMES
from kafkacompat.spark.archives.archive_spec import ArchiveError, check_topics

CHUNK_OFFSETS = 1_000_000
"""Offsets of a partition that one task writes, unless it is given."""


class ImportSpec(NamedTuple):
    """Which archive becomes the data directory of a new lone broker.

    path: of the archive. log_dir: a directory of this machine that is empty or missing, and which all tasks see.
    topics: a regular expression for whole names. until_ms, until_offsets: a point in time, as for `read_archive`.
    partitions: how many a topic has, where the archive knows fewer. configs: of topics, by topic and name; they take
    precedence over those that the archive knows. cluster_id: of the new cluster; None: a random one. compression: a
    codec's name in Kafka. chunk_offsets: offsets of a partition that one task writes.
    """

    path: str
    log_dir: str
    topics: str = ".*"
    until_ms: int | None = None
    until_offsets: Mapping[tuple[str, int], int] | None = None
    partitions: Mapping[str, int] = {}
    configs: Mapping[str, Mapping[str, str]] = {}
    node_id: int = 1
    cluster_id: str | None = None
    compression: str = "none"
    chunk_offsets: int = CHUNK_OFFSETS


def check_import(spec: ImportSpec) -> None:
    """Raises ArchiveError for what cannot be meant, and for a directory that is not empty."""
    check_topics(spec.topics)
    if spec.compression not in NAMES:
        raise ArchiveError(f"compression is one of {', '.join(NAMES)}, not {spec.compression!r}")
    if spec.chunk_offsets < 1:
        raise ArchiveError(f"chunk_offsets is 1 or more, not {spec.chunk_offsets}")
    path = Path(spec.log_dir)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ArchiveError(f"{spec.log_dir} is not an empty directory: give another, or remove what is in it")


class ImportReport(NamedTuple):
    """What was written. notes: what differs from the archived topics, a line each."""

    cluster_id: str
    topics: int
    partitions: int
    records: int
    size_bytes: int
    notes: tuple[str, ...]
