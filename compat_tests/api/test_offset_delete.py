"""OffsetDelete on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import groups, topics
from compat_tests.api.combined import together
from compat_tests.api.conftest import Compare
from compat_tests.api.party import alone
from compat_tests.api.raw import RawClient, unordered
from kafkacompat.protocol.messages import offset_delete, offset_fetch

pytestmark = pytest.mark.api("OffsetDelete")


def delete_request(of: str, *wanted: tuple[str, int]) -> offset_delete.OffsetDeleteRequest:
    """Partitions by topic, each topic named once."""
    by_topic: dict[str, list[offset_delete.OffsetDeleteRequestPartition]] = {}
    for topic, part in wanted:
        by_topic.setdefault(topic, []).append(offset_delete.OffsetDeleteRequestPartition(part))
    named = [offset_delete.OffsetDeleteRequestTopic(*one) for one in by_topic.items()]
    return offset_delete.OffsetDeleteRequest(of, named)


def test_delete_offsets(compare: Compare, topic: str, group: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        active = group + "-active"
        groups.stable(client, active)
        groups.commit(client, group, topic, {0: 5, 1: 6})

        def delete(of: str, *parts: int, where: str = topic) -> offset_delete.OffsetDeleteRequest:
            wanted = [offset_delete.OffsetDeleteRequestPartition(part) for part in parts]
            return offset_delete.OffsetDeleteRequest(of, [offset_delete.OffsetDeleteRequestTopic(where, wanted)])

        requests = {
            "one": delete(group, 0),
            "again": delete(group, 0),
            "several": delete(group, 0, 1, 9, -1),
            "no such topic": delete(group, 0, where=topic + "-not"),
            "bad topic name": delete(group, 0, where="not a name"),
            "no partitions": delete(group),
            "nothing": offset_delete.OffsetDeleteRequest(group),
            "no group": delete("", 0),
            "unknown group": delete(group + "-not", 0),
            "unknown group, nothing": offset_delete.OffsetDeleteRequest(group + "-not"),
            "active group that does not read it": delete(active, 0),
        }
        answers = client.ask_all(offset_delete, 0, requests)
        for answer in answers.values():
            for found in answer["topics"]:
                found["partitions"].sort(key=lambda part: part["partition_index"])
        return answers

    compare(script)


def test_subscribed(compare: Compare, topic: str, group: str) -> None:
    """Offsets of what a live group reads are kept, others go; once nobody is there, all of them may."""

    def script(client: RawClient) -> dict[str, Any]:
        read, unread = topic + "-read", topic + "-unread"
        for name in (read, unread):
            topics.create(client, name, 2)
            groups.commit(client, group, name, {0: 5, 1: 6})
        member = alone(client, group, 9, metadata=groups.subscription(read, topic + "-not"))
        kinds = {"read": (read, 0), "unread": (unread, 0), "unknown": (topic + "-gone", 0), "far": (unread, 9)}
        said = {}
        for what, several in together(kinds).items():
            said[what] = client.ask(offset_delete, 0, delete_request(group, *several))
        kept = client.ask(offset_fetch, 5, offset_fetch.OffsetFetchRequest(group, None))
        said |= {"kept": kept, "left": member.leave()}
        said["afterwards"] = client.ask(offset_delete, 0, delete_request(group, *kinds.values()))
        one, far = (delete_request(group, kinds[kind]).topics[0] for kind in ("unread", "far"))
        twice = offset_delete.OffsetDeleteRequest(group, [one, far])
        said["the topic twice"] = client.ask(offset_delete, 0, twice)
        said["last"] = client.ask(offset_fetch, 5, offset_fetch.OffsetFetchRequest(group, None))
        return unordered(said, "topics", "partitions")

    compare(script)


@pytest.mark.parametrize("protocol_type", ["consumer", "connect"])
def test_unreadable_subscription(compare: Compare, topic: str, group: str, protocol_type: str) -> None:
    """A live group that does not say what it reads: of consumers nothing goes, of others nobody may."""

    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic)
        groups.commit(client, group, topic, {0: 5})
        alone(client, group, 4, protocol_type=protocol_type)
        requests = [
            delete_request(group, (topic, 0)),
            delete_request(group),
            delete_request(group, (topic + "-not", 0)),
        ]
        return [client.ask(offset_delete, 0, request) for request in requests]

    compare(script)


def test_never_committed(compare: Compare, topic: str, group: str) -> None:
    """A group of members without offsets, and one that has other offsets."""

    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic, 2)
        groups.commit(client, group, topic, {0: 5})
        member = alone(client, group + "-a", 9)
        member.leave()
        requests = [delete_request(group, (topic, 1)), delete_request(group + "-a", (topic, 0), (topic, 1))]
        return [client.ask(offset_delete, 0, request) for request in requests]

    compare(script)
