"""What the jobs of `kafkacompat spark` must reach, as ratios within one run, and how a run says whether they do."""

from __future__ import annotations

from typing import NamedTuple

SMALL_BYTES = 500
"""Values up to this size are small; the bars of the reader were set with 100 B and 1 KB."""


class Bar(NamedTuple):
    """A rate must be so many times another one of the same run."""

    name: str
    at_least: float


READER_SMALL = Bar("records decoded in columns, of those one by one (100 B)", 2.5)
READER_LARGE = Bar("records decoded in columns, of those one by one (1 KB)", 1.8)
READER_PARQUET = Bar("segment files, of Spark's Parquet scan", 0.15)
AUDIT_GB = Bar("GB a CPU second with the largest batches", 1.0)
ARCHIVE_FILES = Bar("archive of segment files, of Parquet without checks", 0.4)
ARCHIVE_KAFKA = Bar('archive through format("kafka"), of Parquet without checks', 0.4)
"""Before it was measured it was to be 0.6 of the scan into `noop`, and 0.4 for files: Spark alone, without digests and
without reading back, writes Parquet at 0.5 of that scan."""


def told(bar: Bar, ratio: float) -> str:
    """A line: whether the bar holds."""
    return f"{bar.name}: {ratio:.2f}, at least {bar.at_least} {'holds' if ratio >= bar.at_least else 'MISSED'}"
