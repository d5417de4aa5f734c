"""Manifests as files: of this version and of the one before, and what they say of topics together."""

from __future__ import annotations

import json

import pytest

from kafkacompat.spark.archives.archive_manifests import (
    FileEntry,
    Manifest,
    PartitionEntry,
    TopicEntry,
    archived_starts,
    archived_topics,
    parse,
)
from kafkacompat.spark.archives.archive_spec import ArchiveError

FIRST = Manifest(
    0, "records/batch=0/run=a", 1, "cluster", {"orders": "id"}, "read_uncommitted",
    (PartitionEntry("orders", 1, 5, 9, 4, 0, 0, "1"),), (FileEntry("a.parquet", 3),),
    {"orders": TopicEntry(3, {"retention.ms": "-1"})},
)  # fmt: skip


def test_a_manifest_is_read_as_it_was_written() -> None:
    assert parse(FIRST.to_json(), "it") == FIRST


def test_one_of_version_1_knows_no_topics() -> None:
    plain = json.loads(FIRST.to_json())
    del plain["topics"]
    assert parse(json.dumps({**plain, "format_version": 1}), "it") == FIRST._replace(topics={})
    with pytest.raises(ArchiveError, match="it has format version 3, and this version of kafkacompat knows 1 to 2"):
        parse(json.dumps({**plain, "format_version": 3}), "it")


def test_topics_are_as_they_were_last() -> None:
    second = FIRST._replace(
        partitions=(PartitionEntry("orders", 1, 9, 12, 3, 0, 0, "1"), PartitionEntry("orders", 4, 2, 3, 1, 0, 0, "1")),
        topics={"orders": TopicEntry(6, {})},
    )
    assert archived_topics([FIRST, second]) == {"orders": TopicEntry(6, {})}
    assert archived_topics([FIRST, second._replace(topics={})]) == {"orders": TopicEntry(5, {"retention.ms": "-1"})}
    assert archived_topics([FIRST._replace(topics={})]) == {"orders": TopicEntry(2, {})}
    assert archived_starts([FIRST, second]) == {("orders", 1): 5, ("orders", 4): 2}
