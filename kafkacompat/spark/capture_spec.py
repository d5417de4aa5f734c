"""What is captured, and what came of it. Importable without pyspark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from kafkacompat.spark.archive_spec import ArchiveError
from kafkacompat.spark.masks import MaskedRecord


class CaptureSpec(NamedTuple):
    """Which slice of which topics becomes a fixture file.

    out: the file. bootstrap_servers, log_dirs of one broker, or archive: the source. topics: a regular expression for
    whole names. from_ms, until_ms: from each partition's first record at or after the one, up to that at or after the
    other. from_offsets, until_offsets: by topic and partition, where they count more than times. sample_keys: a share
    such as "1/100" of all keys. mask: "mask.py:fn", or a function, see `masks.MaskedRecord`. isolation: as for an
    archive; archives have their own. configs: of topics, by topic and name, in place of those at the source.
    """

    out: str
    bootstrap_servers: str | None = None
    log_dirs: tuple[str, ...] = ()
    archive: str | None = None
    topics: str = ".*"
    from_ms: int | None = None
    until_ms: int | None = None
    from_offsets: Mapping[tuple[str, int], int] = {}
    until_offsets: Mapping[tuple[str, int], int] = {}
    sample_keys: str | None = None
    mask: str | Callable[[MaskedRecord], MaskedRecord | None] | None = None
    isolation: str = "read_uncommitted"
    configs: Mapping[str, Mapping[str, str]] = {}


class CaptureReport(NamedTuple):
    """What is in the file. `sampled`: records of the slice that were read, before the mask. notes: a line each."""

    topics: int
    partitions: int
    sampled: int
    records: int
    size_bytes: int
    notes: tuple[str, ...]


def share_of(text: str) -> tuple[int, int]:
    """Of "1/100" 1 and 100. Raises ArchiveError for what is no share."""
    count, slash, of = text.partition("/")
    if not (slash and count.isdecimal() and of.isdecimal() and 0 < int(count) <= int(of)):
        raise ArchiveError(f"a share of keys is 1/100, 3/10 and the like, not {text!r}")
    return int(count), int(of)
