"""What clients see of a broker: every record, offset and timestamp, groups, members, offsets, configs, producers and
transactions.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType

from compat_tests.hand_over.states import states

NOT_YET = ("NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PART", "OFFSET_NOT_AVAILABLE")
RETRY_S = 0.2
ISOLATION = ("read_committed", "read_uncommitted")
TIMEOUT_S = 20.0
LONGEST = 5
"""Differences that are shown of each kind."""
INTERNAL = ("__consumer_offsets", "__transaction_state", "__share_group_state")
"""What is in these is seen through groups, offsets and transactions."""

Seen = dict[str, Any]


def look(bootstrap_servers: str, more_groups: Iterable[str] = ()) -> Seen:
    """Everything, by a name that says what it is. more_groups: groups that the broker may not list."""
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    topics = {
        name: sorted(topic.partitions)
        for name, topic in admin.list_topics(timeout=TIMEOUT_S).topics.items()
        if name not in INTERNAL
    }
    seen: Seen = states(bootstrap_servers)  # first: when it returns, all groups have been loaded
    places = [TopicPartition(name, partition) for name in sorted(topics) for partition in topics[name]]
    for isolation in ISOLATION:
        for (name, partition), what in _records(bootstrap_servers, places, isolation).items():
            seen[f"{isolation} {name}-{partition}"] = what
    found = admin.list_consumer_groups(request_timeout=TIMEOUT_S).result()
    assert found.errors == [], found.errors
    listed = found.valid
    for group in listed:
        seen[f"group {group.group_id}"] = str(group.type)
    for group_id in sorted({*(group.group_id for group in listed), *more_groups}):
        seen[f"offsets of {group_id}"] = _offsets(admin, group_id)
    return seen | _configs(admin, topics)


def _records(
    bootstrap_servers: str, places: Sequence[TopicPartition], isolation: str
) -> dict[tuple[str, int], list[object]]:
    """Each partition's first offset, records, last stable offset (with read_committed) and end."""
    settings = {
        "bootstrap.servers": bootstrap_servers, "group.id": "looks", "enable.auto.commit": False,
        "isolation.level": isolation, "enable.partition.eof": True, "check.crcs": True,
    }  # fmt: skip
    consumer = Consumer(settings)
    found: dict[tuple[str, int], list[object]] = {}
    try:
        begin = []
        for place in places:
            first, end = _watermarks(consumer, place)
            found[place.topic, place.partition] = [("from", first, "to", end)]
            begin.append(TopicPartition(place.topic, place.partition, first))
        consumer.assign(begin)
        left = set(found)
        while left:
            message = consumer.poll(TIMEOUT_S)
            assert message is not None, f"{sorted(left)} have no end within {TIMEOUT_S} s"
            where = message.topic(), message.partition()
            error = message.error()
            if error is None:
                found[where].append(
                    (message.offset(), message.timestamp(), message.leader_epoch(), message.key(), message.value(),
                     message.headers())
                )  # fmt: skip
            elif error.name() == "_PARTITION_EOF" and where in left:
                found[where].append(("end", message.offset()))
                left.remove(where)
    finally:
        consumer.close()
    return found


def _watermarks(consumer: Consumer, partition: TopicPartition) -> tuple[int, int]:
    """The first offset and the end, once the partition has its leader again: Apache Kafka listens before that."""
    deadline_s = time.monotonic() + TIMEOUT_S
    while True:
        try:
            first, end = consumer.get_watermark_offsets(partition, timeout=TIMEOUT_S)
        except KafkaException as error:
            may_come = error.args[0].retriable() or error.args[0].name() in NOT_YET
            if not may_come or time.monotonic() > deadline_s:
                raise
            time.sleep(RETRY_S)
        else:
            return first, end


def _offsets(admin: AdminClient, group_id: str) -> object:
    try:
        found = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group_id)])[group_id].result()
    except KafkaException as error:
        return str(error.args[0].name())
    return sorted(
        (each.topic, each.partition, each.offset, each.metadata or "", each.leader_epoch)
        for each in found.topic_partitions or ()
    )


def _configs(admin: AdminClient, topics: Iterable[str]) -> Seen:
    """Those that are set on topics; defaults are the broker's own."""
    asked = [ConfigResource(ResourceType.TOPIC, topic) for topic in topics]
    if not asked:
        return {}
    return {
        f"configs of {resource.name}": sorted(
            (name, entry.value) for name, entry in future.result().items() if not entry.is_default
        )
        for resource, future in admin.describe_configs(asked).items()
    }


def differences(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """What is not as it was, in lines."""
    lines = [f"{name} is gone" for name in sorted(before.keys() - after.keys())]
    lines += [f"{name} is new: {str(after[name])[:200]}" for name in sorted(after.keys() - before.keys())]
    for name in sorted(before.keys() & after.keys()):
        old, new = before[name], after[name]
        if old == new:
            continue
        if not isinstance(old, list) or not isinstance(new, list):
            lines.append(f"{name}: {old!r} is now {new!r}")
            continue
        lost = [each for each in old if each not in new][:LONGEST]
        added = [each for each in new if each not in old][:LONGEST]
        lines.append(f"{name}: lost {lost!r:.600}, new {added!r:.600}")
    return lines
