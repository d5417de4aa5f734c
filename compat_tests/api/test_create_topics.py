"""CreateTopics in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, facts
from kafkacompat.protocol.messages import create_topics as api

Assignment, Config, Topic = api.CreatableReplicaAssignment, api.CreatableTopicConfig, api.CreatableTopic


def cases(name: str) -> dict[str, list[Any]]:
    """What is asked for, by what is tried. The topic `name` itself comes first."""

    def one(suffix: str, partitions: int = 1, replicas: int = 1, **more: Any) -> list[Any]:
        return [Topic(name + suffix, partitions, replicas, **more)]

    return {
        "plain": one("", 3),
        "again": one("", 3),
        "no partitions": one("-a", 0),
        "negative partitions": one("-b", -2),
        "no replicas": one("-c", 1, 0),
        "too many replicas": one("-d", 1, 2),
        "bad names": [Topic(bad, 1, 1) for bad in ("", ".", "..", "a b", "x" * 250, "\N{SNOWMAN}")],
        "colliding name": [Topic(name.replace("-", "."), 1, 1), Topic(name.replace("-", "_"), 1, 1)],
        "configs": one("-e", 1, 1, configs=[Config("retention.ms", "1000"), Config("cleanup.policy", "compact")]),
        "bad config value": one("-f", 1, 1, configs=[Config("retention.ms", "soon")]),
        "unknown config": one("-g", 1, 1, configs=[Config("no.such.thing", "1")]),
        "null config": one("-h", 1, 1, configs=[Config("retention.ms", None)]),
        "config out of range": one("-i", 1, 1, configs=[Config("min.insync.replicas", "0")]),
        "assigned": one("-j", -1, -1, assignments=[Assignment(0, [1]), Assignment(1, [1])]),
        "assigned and counted": one("-k", 1, 1, assignments=[Assignment(0, [1])]),
        "assigned with a gap": one("-l", -1, -1, assignments=[Assignment(0, [1]), Assignment(2, [1])]),
        "assigned to nobody": one("-m", -1, -1, assignments=[Assignment(0, [])]),
        "assigned to a stranger": one("-n", -1, -1, assignments=[Assignment(0, [77])]),
        "assigned twice to one": one("-o", -1, -1, assignments=[Assignment(0, [1, 1])]),
        "the same name twice": one("-p") + one("-p", 2),
        "nothing": [],
    }


@pytest.mark.parametrize("validate_only", [False, True])
@pytest.mark.parametrize("version", range(api.MIN_VERSION, api.MAX_VERSION + 1))
def test_every_case(compare: Compare, topic: str, version: int, validate_only: bool) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        answers = {}
        for name, wanted in cases(f"{topic}-{version}").items():
            request = api.CreateTopicsRequest(wanted, 10_000, validate_only)
            answers[name] = _sorted(facts(client.call(api.API_KEY, version, request), ["topic_id"]))
        return answers

    compare(script)


def _sorted(answer: dict[str, Any]) -> dict[str, Any]:
    """Topics and configs come in no order."""
    answer["topics"].sort(key=lambda topic: topic["name"])
    for topic in answer["topics"]:
        topic["configs"] = sorted(topic["configs"] or [], key=lambda config: config["name"])
    return answer
