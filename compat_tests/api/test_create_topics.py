"""CreateTopics in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.combined import every_day, together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.messages import create_topics as api

pytestmark = pytest.mark.api("CreateTopics")
VERSIONS = versions(api)
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
        "as many partitions as usual": one("-q", -1, 1),
        "as many replicas as usual": one("-r", 1, -1),
        "all as usual": one("-s", -1, -1),
        "all as usual, configs": one("-t", -1, -1, configs=[Config("segment.bytes", "1048576")]),
        "far too many partitions": one("-u", 10_001),
        "no replicas": one("-c", 1, 0),
        "negative replicas": one("-v", 1, -2),
        "replicas beyond 16 bits' half": one("-w", 1, 32_767),
        "name at the limit": [Topic((name + "x" * 249)[:249], 1, 1)],
        "an internal topic": [Topic("__consumer_offsets", 1, 1)],
        "too many replicas": one("-d", 1, 2),
        "bad names": [Topic(bad, 1, 1) for bad in ("", ".", "..", "a b", "x" * 250, "\N{SNOWMAN}")],
        "colliding name": [Topic(name.replace("-", "."), 1, 1), Topic(name.replace("-", "_"), 1, 1)],
        "configs": one("-e", 1, 1, configs=[Config("retention.ms", "1000"), Config("cleanup.policy", "compact")]),
        "the same config twice": one("-x", configs=[Config("retention.ms", "1"), Config("retention.ms", "2")]),
        "config without a name": one("-y", configs=[Config("", "1")]),
        "config of a broker": one("-z", configs=[Config("log.retention.ms", "1")]),
        "empty config value": one("-0", configs=[Config("retention.ms", "")]),
        "bad list value": one("-1", configs=[Config("cleanup.policy", "compact,shred")]),
        "empty list value": one("-2", configs=[Config("cleanup.policy", "")]),
        "good and bad config": one("-3", configs=[Config("retention.ms", "1"), Config("segment.bytes", "x")]),
        "bad config value": one("-f", 1, 1, configs=[Config("retention.ms", "soon")]),
        "unknown config": one("-g", 1, 1, configs=[Config("no.such.thing", "1")]),
        "null config": one("-h", 1, 1, configs=[Config("retention.ms", None)]),
        "config out of range": one("-i", 1, 1, configs=[Config("min.insync.replicas", "0")]),
        "assigned": one("-j", -1, -1, assignments=[Assignment(0, [1]), Assignment(1, [1])]),
        "assigned and counted": one("-k", 1, 1, assignments=[Assignment(0, [1])]),
        "assigned with a gap": one("-l", -1, -1, assignments=[Assignment(0, [1]), Assignment(2, [1])]),
        "assigned to nobody": one("-m", -1, -1, assignments=[Assignment(0, [])]),
        "assigned to a stranger": one("-n", -1, -1, assignments=[Assignment(0, [77])]),
        "assigned to a negative node": one("-4", -1, -1, assignments=[Assignment(0, [-1])]),
        "assigned from one on": one("-5", -1, -1, assignments=[Assignment(1, [1])]),
        "assigned a negative partition": one("-6", -1, -1, assignments=[Assignment(-1, [1])]),
        "assigned one partition twice": one("-7", -1, -1, assignments=[Assignment(0, [1]), Assignment(0, [1])]),
        "assigned unevenly": one("-8", -1, -1, assignments=[Assignment(0, [1]), Assignment(1, [1, 77])]),
        "assigned, partitions counted": one("-9", 1, -1, assignments=[Assignment(0, [1])]),
        "assigned, replicas counted": one("-aa", -1, 1, assignments=[Assignment(0, [1])]),
        "assigned twice to one": one("-o", -1, -1, assignments=[Assignment(0, [1, 1])]),
        "the same name twice": one("-p") + one("-p", 2),
        "nothing": [],
    }


@pytest.mark.parametrize("validate_only", [False, True])
@pytest.mark.parametrize("version", every_day(VERSIONS, 4, 5))
def test_every_case(compare: Compare, topic: str, version: int, validate_only: bool) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        requests = {
            what: api.CreateTopicsRequest(wanted, 10_000, validate_only) for what, wanted in cases(topic).items()
        }
        answers = client.ask_all(api, version, requests, ["topic_id"])
        return {what: _sorted(answer) for what, answer in answers.items()}

    compare(script)


@pytest.mark.parametrize("version", every_day(VERSIONS, 5))
def test_together(compare: Compare, topic: str, version: int) -> None:
    """One mistake of each kind beside another, and beside topics that are as they should be."""
    entries = {
        "good": Topic(topic + "-good", 1, 1),
        "there": Topic(topic, 1, 1),
        "bad name": Topic("not a name", 1, 1),
        "no partitions": Topic(topic + "-a", 0, 1),
        "too many replicas": Topic(topic + "-b", 1, 9),
        "assigned to a stranger": Topic(topic + "-c", -1, -1, [Assignment(0, [77])]),
        "bad config": Topic(topic + "-d", 1, 1, [], [Config("no.such.thing", "1")]),
        "assigned and counted": Topic(topic + "-e", 1, 1, [Assignment(0, [1])]),
    }

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic)
        requests = {what: api.CreateTopicsRequest(wanted, 10_000, True) for what, wanted in together(entries).items()}
        answers = client.ask_all(api, version, requests, ["topic_id"])
        return {what: _sorted(answer) for what, answer in answers.items()}

    compare(script)


@pytest.mark.parametrize("timeout_ms", [0, -1, 2**31 - 1])
@pytest.mark.parametrize("version", every_day(VERSIONS, 5))
def test_timeouts(compare: Compare, topic: str, version: int, timeout_ms: int) -> None:
    """A client that has no time to wait gets nothing done."""

    def script(client: RawClient) -> Any:
        request = api.CreateTopicsRequest([Topic(topic, 1, 1), Topic("", 1, 1)], timeout_ms)
        return _sorted(client.ask(api, version, request, ["topic_id"]))

    compare(script)


def _sorted(answer: Any) -> Any:
    """Topics and configs come in no order."""
    assert isinstance(answer, dict), answer
    answer["topics"].sort(key=lambda topic: topic["name"])
    for topic in answer["topics"]:
        topic["configs"] = topic["configs"] and sorted(topic["configs"], key=lambda config: config["name"])
    return answer
