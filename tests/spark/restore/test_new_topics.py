"""Topics of a new broker as those of an archive: partitions, ids, configs, what keeps old records, chunks."""

from __future__ import annotations

import pytest

from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.spark.archives.archive_manifests import TopicEntry
from kafkacompat.spark.archives.archive_spec import ArchiveError
from kafkacompat.spark.restore.new_directory import NewLog
from kafkacompat.spark.restore.new_topics import (
    DEFAULT_RETENTION_MS,
    Found,
    PlannedTopic,
    chunks_of,
    exceeds,
    expires,
    planned_topic,
)

NOW_MS = 1_777_000_000_000
ID, NEW_ID = bytes(range(16)), bytes(range(1, 17))


def planned(
    configs: dict[str, str], *, oldest_ms: int | None = NOW_MS, partitions: int | None = None, **given: str
) -> PlannedTopic:
    found = {("orders", 0): Found(1, 0, 0, oldest_ms, 0), ("others", 0): Found(1, 0, 0, 1, 0)}
    dotted = {name.replace("_", "."): value for name, value in given.items()}
    entry = TopicEntry(3, configs)
    return planned_topic(
        "orders", entry, uuid_to_text(ID), dotted, partitions, found, NOW_MS, lambda: NEW_ID
    )  # fmt: skip


def test_a_topic_is_as_it_was() -> None:
    configs = {"cleanup.policy": "compact", "segment.bytes": "1048576"}
    topic, notes = planned(configs)
    assert (topic.name, topic.topic_id, topic.partitions, topic.configs, notes) == ("orders", ID, 3, configs, [])
    assert planned(configs, partitions=7, segment_bytes="2").topic[2:] == (7, {**configs, "segment.bytes": "2"})
    unknown = planned_topic("orders", TopicEntry(1, {}), None, {}, None, {}, NOW_MS, lambda: NEW_ID)
    assert unknown.topic.topic_id == NEW_ID
    with pytest.raises(ArchiveError, match="orders has 3 partitions in the archive, and 2 are asked for"):
        planned(configs, partitions=2)


def test_what_needs_other_brokers_is_left_out_unless_it_is_given() -> None:
    configs = {"min.insync.replicas": "2", "remote.storage.enable": "true", "max.message.bytes": "9"}
    topic, notes = planned(configs)
    assert topic.configs == {"max.message.bytes": "9"}
    assert notes[0] == "topic orders does not get min.insync.replicas=2: the new broker is alone"
    assert planned(configs, min_insync_replicas="1").topic.configs["min.insync.replicas"] == "1"


def test_old_records_stay_unless_a_retention_is_given() -> None:
    old_ms = NOW_MS - DEFAULT_RETENTION_MS - 1
    topic, (note,) = planned({"retention.bytes": "-1"}, oldest_ms=old_ms)
    assert topic.configs["retention.ms"] == "-1"
    assert note.startswith(f"topic orders gets retention.ms=-1: its records begin at {old_ms} ms")
    assert planned({}, oldest_ms=old_ms, retention_ms="5").topic.configs == {"retention.ms": "5"}
    assert planned({}, oldest_ms=old_ms + 1).topic.configs == {}
    assert planned({}, oldest_ms=None).topic.configs == {}
    topic, (note,) = planned({"retention.bytes": "100"})
    assert (topic.configs, "not 100" in note) == ({"retention.bytes": "-1"}, True)
    assert planned({}, retention_bytes="100").topic.configs == {"retention.bytes": "100"}


def test_the_records_of_a_fixture_stay_for_ever() -> None:
    found = {("orders", 0): Found(1, 0, 0, NOW_MS, 0)}
    planned = planned_topic("orders", TopicEntry(1, {}), None, {}, None, found, None, lambda: NEW_ID)
    assert planned.topic.configs == {"retention.ms": "-1"}
    assert planned.notes == [
        "topic orders gets retention.ms=-1: a fixture keeps its records however old they become",
    ]  # fmt: skip
    empty = planned_topic("orders", TopicEntry(1, {}), None, {}, None, {}, None, lambda: NEW_ID)
    assert (empty.topic.configs, empty.notes) == ({}, [])


def test_which_retention_removes_a_record() -> None:
    assert expires({"retention.ms": "10"}, NOW_MS - 11, NOW_MS)
    assert not expires({"retention.ms": "10"}, NOW_MS - 10, NOW_MS)
    assert not expires({"retention.ms": "-1"}, 0, NOW_MS)
    assert not expires({"cleanup.policy": "compact"}, 0, NOW_MS)
    assert expires({"cleanup.policy": "compact,delete"}, 0, NOW_MS)


def test_a_size_that_retention_cuts_down() -> None:
    assert exceeds({"retention.bytes": "10"}, 11)
    assert not exceeds({"retention.bytes": "10"}, 10)
    assert not exceeds({"retention.bytes": "-1"}, 11)
    assert not exceeds({}, 11)
    assert not exceeds({"retention.bytes": "10", "cleanup.policy": "compact"}, 11)


def test_chunks_cover_a_log_from_its_start_to_its_end() -> None:
    logs = [NewLog("orders", 0, 3, 40), NewLog("orders", 1, 7, 7), NewLog("orders", 2, 0, 1)]
    found = {("orders", 0): Found(9, 5, 31, None, 0), ("orders", 2): Found(1, 0, 0, None, 0)}
    assert [tuple(chunk) for chunk in chunks_of(logs, found, 10)] == [
        (0, "orders", 0, 3, 15, False), (1, "orders", 0, 15, 25, False), (2, "orders", 0, 25, 40, True),
        (3, "orders", 2, 0, 1, True),
    ]  # fmt: skip
