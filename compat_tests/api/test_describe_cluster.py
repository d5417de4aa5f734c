"""DescribeCluster, DescribeTopicPartitions and DescribeLogDirs in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered, versions
from kafkacompat.protocol.messages import describe_cluster, describe_log_dirs, describe_topic_partitions

OWN = ["cluster_id", "host", "port", "topic_id", "log_dir", "total_bytes", "usable_bytes"]


@pytest.mark.api("DescribeCluster")
@pytest.mark.parametrize("version", versions(describe_cluster))
def test_cluster(compare: Compare, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        ask = describe_cluster.DescribeClusterRequest
        requests = {"plain": ask(), "what is allowed": ask(True)}
        if version >= 1:
            requests |= {"controllers": ask(False, 2), "neither": ask(False, 7)}
        if version >= 2:
            requests["with fenced ones"] = ask(False, 1, True)
        return client.ask_all(describe_cluster, version, requests, OWN)

    compare(script)


@pytest.mark.api("DescribeTopicPartitions")
def test_topic_partitions(compare: Compare, topic: str) -> None:
    api = describe_topic_partitions

    def script(client: RawClient) -> dict[str, Any]:
        names = [f"{topic}-{n}" for n in range(3)]
        for count, name in enumerate(names, 1):
            topics.create(client, name, count)

        def ask(*wanted: str, limit: int = 2000, at: tuple[str, int] | None = None) -> Any:
            cursor = at and api.DescribeTopicPartitionsRequestCursor(*at)
            return api.DescribeTopicPartitionsRequest([api.TopicRequest(name) for name in wanted], limit, cursor)

        requests = {
            "one": ask(names[0]),
            "out of order": ask(names[2], names[0], names[1]),
            "twice": ask(names[0], names[0]),
            "unknown": ask(topic + "-not", names[0]),
            "bad name": ask("not a name"),
            "no name": ask(""),
            "a page of two": ask(*names, limit=2),
            "the next page": ask(*names, limit=2, at=(names[1], 1)),
            "a page that ends with a topic": ask(*names, limit=3),
            "limit 0": ask(*names, limit=0),
            "negative limit": ask(*names, limit=-5),
            "cursor behind all": ask(*names, at=(names[2] + "z", 0)),
            "cursor between topics": ask(*names, at=(names[0] + "-", 0)),
            "cursor behind the partitions": ask(*names, at=(names[0], 9)),
            "negative cursor": ask(*names, at=(names[0], -1)),
            "cursor without a name": ask(*names, at=("", 0)),
        }
        return client.ask_all(api, 0, requests, OWN)

    compare(script)


@pytest.mark.api("DescribeLogDirs")
@pytest.mark.parametrize("version", versions(describe_log_dirs))
def test_log_dirs(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        topics.produce(client, topic, 5)

        def ask(*wanted: tuple[str, list[int]]) -> describe_log_dirs.DescribeLogDirsRequest:
            named = [describe_log_dirs.DescribableLogDirTopic(name, parts) for name, parts in wanted]
            return describe_log_dirs.DescribeLogDirsRequest(named)

        requests = {
            "both": ask((topic, [0, 1])),
            "one": ask((topic, [0])),
            "no such partition": ask((topic, [7])),
            "no such topic": ask((topic + "-not", [0])),
            "no partitions": ask((topic, [])),
            "nothing": ask(),
        }
        answers = client.ask_all(describe_log_dirs, version, requests, OWN)
        everything = client.ask(describe_log_dirs, version, describe_log_dirs.DescribeLogDirsRequest(None), OWN)
        for found in everything["results"]:
            found["topics"] = [one for one in found["topics"] if one["name"] == topic]
        return unordered({**answers, "everything": everything}, "partitions", "topics")

    compare(script)
