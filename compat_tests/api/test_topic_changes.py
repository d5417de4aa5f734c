"""DeleteTopics and CreatePartitions in every version, on both brokers."""

from __future__ import annotations

import os
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered
from kafkacompat.protocol.messages import create_partitions, delete_topics

BY_STATE_SINCE = 6
OWN = ["topic_id"]


@pytest.mark.parametrize("version", range(delete_topics.MIN_VERSION, delete_topics.MAX_VERSION + 1))
def test_delete(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        names = [f"{topic}-{n}" for n in range(5)]
        ids = [topics.create(client, name) for name in names]
        state = delete_topics.DeleteTopicState

        def delete(*wanted: str) -> delete_topics.DeleteTopicsRequest:
            if version < BY_STATE_SINCE:
                return delete_topics.DeleteTopicsRequest(topic_names=wanted, timeout_ms=10_000)
            return delete_topics.DeleteTopicsRequest([state(name) for name in wanted], timeout_ms=10_000)

        requests = {
            "one": delete(names[0]),
            "again": delete(names[0]),
            "unknown": delete(topic + "-not"),
            "bad name": delete("not a name"),
            "no name": delete(""),
            "the same twice": delete(names[1], names[1]),
            "after twice": delete(names[1]),
            "two and an unknown one": delete(names[2], topic + "-not"),
            "none": delete(),
        }
        if version >= BY_STATE_SINCE:
            for what, states in {
                "by id": [state(None, ids[3])],
                "by id again": [state(None, ids[3])],
                "unknown id": [state(None, os.urandom(16))],
                "id and name": [state(names[4], ids[4])],
                "neither": [state(None)],
                "by id and by name": [state(None, ids[4]), state(names[4])],
                "gone": [state(names[4])],
            }.items():
                requests[what] = delete_topics.DeleteTopicsRequest(states, timeout_ms=10_000)
        return unordered(client.ask_all(delete_topics, version, requests, OWN), "responses")

    compare(script)


@pytest.mark.parametrize("validate_only", [False, True])
@pytest.mark.parametrize("version", range(create_partitions.MIN_VERSION, create_partitions.MAX_VERSION + 1))
def test_create_partitions(compare: Compare, topic: str, version: int, validate_only: bool) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)

        def more(*wanted: tuple[str, int, Any]) -> create_partitions.CreatePartitionsRequest:
            asked = [
                create_partitions.CreatePartitionsTopic(
                    name,
                    count,
                    None if nodes is None else [create_partitions.CreatePartitionsAssignment(one) for one in nodes],
                )
                for name, count, nodes in wanted
            ]
            return create_partitions.CreatePartitionsRequest(asked, 10_000, validate_only)

        requests = {
            "more": more((topic, 3, None)),
            "as many": more((topic, 3, None)),
            "fewer": more((topic, 1, None)),
            "none": more((topic, 0, None)),
            "negative": more((topic, -1, None)),
            "assigned": more((topic, 5, [[1], [1]])),
            "too few assigned": more((topic, 8, [[1]])),
            "too many assigned": more((topic, 6, [[1], [1]])),
            "no nodes": more((topic, 6, [])),
            "to nobody": more((topic, 6, [[]])),
            "to a stranger": more((topic, 6, [[77]])),
            "twice to one": more((topic, 6, [[1, 1]])),
            "unknown topic": more((topic + "-not", 3, None)),
            "bad topic name": more(("not a name", 3, None)),
            "no topic name": more(("", 3, None)),
            "the same twice": more((topic, 7, None), (topic, 8, None)),
            "nothing": more(),
        }
        return unordered(client.ask_all(create_partitions, version, requests), "results")

    compare(script)
