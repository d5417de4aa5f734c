"""What is imported, and what came of it. Importable without pyspark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

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


class ImportReport(NamedTuple):
    """What was written. notes: what differs from the archived topics, a line each."""

    cluster_id: str
    topics: int
    partitions: int
    records: int
    size_bytes: int
    notes: tuple[str, ...]
