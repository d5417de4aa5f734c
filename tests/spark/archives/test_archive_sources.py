"""Where the partitions of log directories begin and end, for an archive."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.spark.archives.archive_sources import LogSource
from kafkacompat.spark.archives.archive_spec import ArchiveError
from tests.spark.log.log_directory import LogDirectory

PATTERN = "orders|payments"
TIME_MS = 1_700_000_000_000


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    logs = LogDirectory(tmp_path / "data")
    logs.partition("orders", 0)
    logs.partition("orders", 1, high_watermark=50)
    logs.partition("other", 0)
    logs.start_at("orders", 0, 7)
    return logs


def test_logs_end_at_their_high_watermarks(logs: LogDirectory) -> None:
    found = LogSource((str(logs.path),), PATTERN, "read_uncommitted").bounds(None)
    assert (found.cluster_id, found.topic_ids) == ("x", {})
    assert found.first == {("orders", 0): 7, ("orders", 1): 0}
    assert found.latest == found.end == {("orders", 0): 100, ("orders", 1): 50}


def test_logs_end_before_a_time(logs: LogDirectory) -> None:
    found = LogSource((str(logs.path),), PATTERN, "read_committed").bounds(TIME_MS + 60)
    assert found.latest == {("orders", 0): 100, ("orders", 1): 50}
    assert found.end == {("orders", 0): 60, ("orders", 1): 50}


def test_a_pattern_that_no_topic_matches_is_named(logs: LogDirectory) -> None:
    with pytest.raises(ArchiveError, match=r"no topic in .* matches 'order'"):
        LogSource((str(logs.path),), "order", "read_uncommitted").bounds(None)


def test_topics_have_the_ids_of_their_directories(logs: LogDirectory) -> None:
    (logs.path / "orders-1" / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAEQ")
    (logs.path / "orders-0" / "partition.metadata").write_text("version: 0\ntop")
    found = LogSource((str(logs.path),), PATTERN, "read_uncommitted").bounds(None)
    assert found.topic_ids == {"orders": "AAAAAAAAAAAAAAAAAAAAEQ"}
