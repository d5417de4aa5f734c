"""DeleteTopics and CreatePartitions in every version, on both brokers."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.combined import every_day, together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered, versions
from kafkacompat.protocol.messages import create_partitions, delete_topics

BY_STATE_SINCE = 6
OWN = ["topic_id"]


def delete_request(version: int, *wanted: str | bytes | None, timeout_ms: int = 10_000) -> Any:
    """Topics by name or, from version 6 on, by id."""
    if version < BY_STATE_SINCE:
        return delete_topics.DeleteTopicsRequest(topic_names=[str(one) for one in wanted], timeout_ms=timeout_ms)
    state = delete_topics.DeleteTopicState
    states = [state(None, one) if isinstance(one, bytes) else state(one) for one in wanted]
    return delete_topics.DeleteTopicsRequest(states, timeout_ms=timeout_ms)


@pytest.mark.api("DeleteTopics")
@pytest.mark.parametrize("version", versions(delete_topics))
def test_delete(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        names = [f"{topic}-{n}" for n in range(5)]
        ids = [topics.create(client, name) for name in names]
        state = delete_topics.DeleteTopicState

        delete = partial(delete_request, version)

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


@pytest.mark.api("DeleteTopics")
@pytest.mark.parametrize("version", every_day(versions(delete_topics), 5))
def test_delete_together(compare: Compare, topic: str, version: int) -> None:
    """A mistake of each kind beside another, and beside topics that can go."""
    mistakes: dict[str, list[str | bytes | None]] = {
        "unknown": [topic + "-not"],
        "the same twice": [topic + "-twice", topic + "-twice"],
    }
    if version >= BY_STATE_SINCE:
        mistakes |= {"unknown id": [os.urandom(16)], "neither": [None]}

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic + "-twice")
        answers = {}
        for number, (what, parts) in enumerate(together(mistakes).items()):
            wanted = [one for part in parts for one in part]
            good = f"{topic}-{number}"
            topics.create(client, good)
            answers[what] = client.ask(delete_topics, version, delete_request(version, *wanted), OWN)
            answers[what + ", good"] = client.ask(delete_topics, version, delete_request(version, good, *wanted), OWN)
        return unordered(answers, "responses")

    compare(script)


@pytest.mark.api("DeleteTopics")
@pytest.mark.parametrize("timeout_ms", [0, -1])
@pytest.mark.parametrize("version", every_day(versions(delete_topics), 5))
def test_delete_without_time(compare: Compare, topic: str, version: int, timeout_ms: int) -> None:
    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic)
        first = delete_request(version, topic, topic + "-not", timeout_ms=timeout_ms)
        return unordered(
            [client.ask(delete_topics, version, request, OWN) for request in (first, delete_request(version, topic))],
            "responses",
        )

    compare(script)


def more_partitions(
    *wanted: tuple[str, int, Any], validate_only: bool = False, timeout_ms: int = 10_000
) -> create_partitions.CreatePartitionsRequest:
    """Topics with the partitions that each is to have, and the nodes of the new ones.

    Not more than 10,000 new ones: Apache Kafka 4.3.1's controller gives up its office over them, or counts for minutes.
    """
    node_lists = create_partitions.CreatePartitionsAssignment
    asked = [
        create_partitions.CreatePartitionsTopic(name, count, None if nodes is None else [node_lists(n) for n in nodes])
        for name, count, nodes in wanted
    ]
    return create_partitions.CreatePartitionsRequest(asked, timeout_ms, validate_only)


@pytest.mark.api("CreatePartitions")
@pytest.mark.parametrize("validate_only", [False, True])
@pytest.mark.parametrize("version", every_day(versions(create_partitions)))
def test_create_partitions(compare: Compare, topic: str, version: int, validate_only: bool) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)

        more = partial(more_partitions, validate_only=validate_only)
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
            "to a negative node": more((topic, 6, [[-1]])),
            "one to a stranger": more((topic, 7, [[1], [77]])),
            "more replicas than before": more((topic, 6, [[1, 77]])),
            "fewer, assigned": more((topic, 1, [[1]])),
            "fewest": more((topic, -(2**31), None)),
            "unknown topic": more((topic + "-not", 3, None)),
            "unknown topic, fewer": more((topic + "-not", 0, None)),
            "an internal topic": more(("__consumer_offsets", 3, None)),
            "no time": more((topic, 9, None), timeout_ms=0),
            "less than no time": more((topic, 9, None), timeout_ms=-1),
            "bad topic name": more(("not a name", 3, None)),
            "no topic name": more(("", 3, None)),
            "the same twice": more((topic, 7, None), (topic, 8, None)),
            "nothing": more(),
        }
        return unordered(client.ask_all(create_partitions, version, requests), "results")

    compare(script)


@pytest.mark.api("CreatePartitions")
@pytest.mark.parametrize("version", every_day(versions(create_partitions)))
def test_create_partitions_together(compare: Compare, topic: str, version: int) -> None:
    """A mistake of each kind beside another, and beside a topic that can grow."""
    kinds: dict[str, list[tuple[str, int, Any]]] = {
        "good": [(topic, 2, None)],
        "unknown": [(topic + "-not", 2, None)],
        "fewer": [(topic + "-a", 0, None)],
        "to a stranger": [(topic + "-b", 2, [[77]])],
        "the same twice": [(topic + "-c", 2, None), (topic + "-c", 3, None)],
    }

    def script(client: RawClient) -> dict[str, Any]:
        for name in ("", "-a", "-b", "-c"):
            topics.create(client, topic + name)
        answers = {}
        for what, parts in together(kinds).items():
            request = more_partitions(*(one for part in parts for one in part), validate_only=True)
            answers[what] = client.ask(create_partitions, version, request)
        return unordered(answers, "results")

    compare(script)
