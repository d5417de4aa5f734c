"""Manifests as files: of this version and of those before, and what they say of topics together."""

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
    (PartitionEntry("orders", 1, 5, 9, 2, 2, 0, "1", ((5, 6), (8, 9))),), (FileEntry("a.parquet", 3, "ab"),),
    {"orders": TopicEntry(3, {"retention.ms": "-1"})},
)  # fmt: skip


def test_a_manifest_is_read_as_it_was_written() -> None:
    assert parse(FIRST.to_json(), "it") == FIRST


def test_older_ones_know_less() -> None:
    plain = json.loads(FIRST.to_json())
    del plain["partitions"][0]["gaps"], plain["files"][0]["sha256"]
    second = FIRST._replace(
        partitions=(FIRST.partitions[0]._replace(gaps=()),), files=(FIRST.files[0]._replace(sha256=""),)
    )
    assert parse(json.dumps({**plain, "format_version": 2}), "it") == second
    del plain["topics"]
    assert parse(json.dumps({**plain, "format_version": 1}), "it") == second._replace(topics={})
    with pytest.raises(ArchiveError, match="it has format version 4, and this version of kafkacompat knows 1 to 3"):
        parse(json.dumps({**plain, "format_version": 4}), "it")


@pytest.mark.parametrize(
    ("part", "name", "wrong"),
    [
        (None, "batch_id", "0"), (None, "folder", 3), (None, "isolation", None), (None, "topic_ids", []),
        ("partitions", "start_offset", "5"), ("partitions", "records", True), ("partitions", "topic", 7),
        ("partitions", "end_offset", 9.0), ("partitions", "gaps", [[5]]), ("partitions", "gaps", [["5", "6"]]),
        ("partitions", "digest", 1), ("files", "size_bytes", None), ("files", "path", 1), ("files", "sha256", 0),
        ("topics", "partitions", "3"), ("topics", "configs", []), ("topics", "more", 1),
    ],
)  # fmt: skip
def test_a_field_of_another_type_is_named_and_crashes_nothing(part: str | None, name: str, wrong: object) -> None:
    plain = json.loads(FIRST.to_json())
    entry = plain if part is None else plain[part]["orders" if part == "topics" else 0]
    entry[name] = wrong
    with pytest.raises(ArchiveError, match="it is no manifest"):
        parse(json.dumps(plain), "it")


def test_topics_are_as_they_were_last() -> None:
    second = FIRST._replace(
        partitions=(PartitionEntry("orders", 1, 9, 12, 3, 0, 0, "1"), PartitionEntry("orders", 4, 2, 3, 1, 0, 0, "1")),
        topics={"orders": TopicEntry(6, {})},
    )
    assert archived_topics([FIRST, second]) == {"orders": TopicEntry(6, {})}
    assert archived_topics([FIRST, second._replace(topics={})]) == {"orders": TopicEntry(5, {"retention.ms": "-1"})}
    assert archived_topics([FIRST._replace(topics={})]) == {"orders": TopicEntry(2, {})}
    assert archived_starts([FIRST, second]) == {("orders", 1): 5, ("orders", 4): 2}
