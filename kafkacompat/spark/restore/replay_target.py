"""The cluster into which an archive is replayed: its topics, where its logs end, and their last records."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kafkacompat.client.client import Client
from kafkacompat.client.consuming import Fetcher
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.partition_offsets import EARLIEST, LATEST, list_offsets
from kafkacompat.client.topic_admin import (
    NewTopic,
    configs_when_created,
    create_topics,
    describe_configs,
    describe_topics,
    list_topics,
    wait_for_leaders,
)
from kafkacompat.spark.archives.archive_ranges import TopicPartition
from kafkacompat.spark.restore.new_topics import (
    DELETE,
    FOREVER,
    POLICY,
    RETENTION,
    RETENTION_BYTES,
    compacts,
    exceeds,
    expires,
)
from kafkacompat.spark.restore.replay_matching import TAIL_RECORDS, Content
from kafkacompat.spark.restore.replay_spec import ReplayedLog, ReplayError

CLIENT_ID = "kafkacompat-replay"
TIMESTAMP_TYPE = "message.timestamp.type"
CREATE_TIME = "CreateTime"
MAX_BYTES = "max.message.bytes"
SETTLE_S = 1.0
"""So long the ends of logs must stand still before a replay goes on: a task of the run before may still be writing."""
POLL_S = 30.0


class WantedTopic(NamedTuple):
    """A topic at the target. oldest_ms: of the records that it gets. configs: of the archived topic. largest_bytes:
    what a partition gets, at most.
    """

    name: str
    partitions: int
    oldest_ms: int | None
    configs: Mapping[str, str]
    largest_bytes: int = 0


def prepare(client: Client, topics: Iterable[WantedTopic], *, allow_expired: bool, now_ms: int) -> list[str]:
    """Create the topics that are missing, after all that exist were looked at. Returns notes.

    Raises ReplayError for a topic that has too few partitions, would remove or compact the records, or would not keep
    their timestamps; ClientError. Nothing has been created or written then.
    """
    there = {topic.name: topic for topic in list_topics(client)}
    wanted = list(topics)
    existing = [topic for topic in wanted if topic.name in there]
    described = describe_configs(client, [topic.name for topic in existing]) if existing else {}
    for topic in existing:
        configs = {each.name: each.value or "" for each in described[topic.name]}
        _check(topic, len(there[topic.name].partitions), configs, allow_expired=allow_expired, now_ms=now_ms)
    return _make(client, [topic for topic in wanted if topic.name not in there], now_ms)


def _make(client: Client, topics: list[WantedTopic], now_ms: int) -> list[str]:
    """Create topics in which the records stay, whatever the defaults of the cluster are. Returns notes."""
    if not topics:
        return []
    notes, new = [], {topic.name: NewTopic(topic.partitions, configs=_own_configs(topic)) for topic in topics}
    planned = configs_when_created(client, new)
    for topic in topics:
        configs = planned[topic.name]
        if isinstance(configs, BrokerError):
            raise ReplayError(f"a topic cannot be made at the target: {configs}")
        keeping = {POLICY: DELETE}
        if compacts(configs):
            notes.append(f"topic {topic.name} is made with {POLICY}={DELETE}, not {configs[POLICY]}")
        if topic.oldest_ms is not None and expires({**configs, **keeping}, topic.oldest_ms, now_ms):
            keeping[RETENTION] = FOREVER
            notes.append(f"topic {topic.name} is made with retention.ms=-1: its records begin at {topic.oldest_ms} ms")
        if int(configs.get(RETENTION_BYTES, FOREVER)) >= 0:  # how large its logs will be is not known exactly
            keeping[RETENTION_BYTES] = FOREVER
            notes.append(f"topic {topic.name} is made with retention.bytes=-1, not {configs[RETENTION_BYTES]}")
        new[topic.name] = new[topic.name]._replace(configs={**new[topic.name].configs, **keeping})
    for error in create_topics(client, new).values():
        if error is not None:
            raise ReplayError(f"a topic cannot be made at the target: {error}")
    wait_for_leaders(client, [*new])
    return notes


def _own_configs(topic: WantedTopic) -> dict[str, str]:
    """What a topic needs to take the records as they are."""
    configs = {TIMESTAMP_TYPE: CREATE_TIME}
    return configs | ({MAX_BYTES: topic.configs[MAX_BYTES]} if MAX_BYTES in topic.configs else {})


def _check(
    topic: WantedTopic, partitions: int, configs: Mapping[str, str], *, allow_expired: bool, now_ms: int
) -> None:
    if partitions < topic.partitions:
        raise ReplayError(
            f"topic {topic.name} has {partitions} partitions at the target, and {topic.partitions} are needed: "
            "add some, or choose another topic (--topic-map)"
        )
    if configs.get(TIMESTAMP_TYPE, CREATE_TIME) != CREATE_TIME:
        raise ReplayError(
            f"topic {topic.name} has {TIMESTAMP_TYPE}={configs[TIMESTAMP_TYPE]} at the target, which replaces "
            f"timestamps: set it to {CREATE_TIME}"
        )
    if not allow_expired:
        _check_kept(topic, configs, now_ms)


def _check_kept(topic: WantedTopic, configs: Mapping[str, str], now_ms: int) -> None:
    """Raises ReplayError if the topic would not keep all records."""
    if compacts(configs) and not compacts(topic.configs):
        raise ReplayError(
            f"topic {topic.name} has {POLICY}={configs[POLICY]} at the target, and the archive does not say that of "
            f"the source: older records of a key would be removed. Set {POLICY}={DELETE}, or give --allow-expired"
        )
    if topic.oldest_ms is not None and expires(configs, topic.oldest_ms, now_ms):
        raise ReplayError(
            f"topic {topic.name} has retention.ms={configs.get(RETENTION)} at the target, and the records begin at "
            f"{topic.oldest_ms} ms: they would be removed as old. Set retention.ms=-1, or give --allow-expired"
        )
    if exceeds(configs, topic.largest_bytes):
        raise ReplayError(
            f"topic {topic.name} has retention.bytes={configs[RETENTION_BYTES]} at the target, and a partition gets up "
            f"to {topic.largest_bytes} bytes: the first of them may be removed. Set retention.bytes=-1, or give "
            "--allow-expired"
        )


def ends_of_logs(client: Client, places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
    """Where logs end. Raises ClientError."""
    found = list_offsets(client, dict.fromkeys(places, LATEST))
    return {place: each.offset for place, each in found.items()}


def check_still(client: Client, logs: Iterable[ReplayedLog], settle_s: float = SETTLE_S) -> None:
    """Raises ReplayError if somebody writes; ClientError."""
    places = [(log.target, log.partition) for log in logs]
    describe_topics(client, sorted({topic for topic, _ in places}))
    before = ends_of_logs(client, places)
    time.sleep(settle_s)
    for place, end in ends_of_logs(client, places).items():
        if end != before[place]:
            raise ReplayError(
                f"{place[0]}-{place[1]} at the target is being written: end the tasks of the run before, and whatever "
                "else writes there, before you resume"
            )


def tail_of(client: Client, log: ReplayedLog) -> tuple[int, dict[int, Content]]:
    """Where a log ends, and its last records since the replay began, by offset. Raises ReplayError, ClientError."""
    place = (log.target, log.partition)
    end = ends_of_logs(client, [place])[place]
    return end, contents(client, log, max(log.base_offset, end - TAIL_RECORDS), end)


def contents(client: Client, log: ReplayedLog, start: int, end: int) -> dict[int, Content]:
    """The records of the target's log from `start` on and before `end`, by offset. Raises ReplayError, ClientError."""
    place = (log.target, log.partition)
    start = max(start, list_offsets(client, {place: EARLIEST})[place].offset)
    found: dict[int, Content] = {}
    if start >= end:
        return found
    deadline_s = time.monotonic() + POLL_S
    with Fetcher(client, {place: start}) as fetcher:
        while fetcher.positions[place] < end:
            if time.monotonic() > deadline_s:
                raise ReplayError(f"{log.target}-{log.partition} at the target cannot be read up to offset {end}")
            for piece in fetcher.poll(1.0):
                for each in piece.records:
                    if each.offset < end:
                        found[each.offset] = (
                            each.timestamp,
                            each.key,
                            each.value,
                            tuple((name, value) for name, value in each.headers),
                        )
    return found
