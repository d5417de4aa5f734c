"""Metadata, DescribeTopicPartitions, DescribeLogDirs, DescribeCluster and ApiVersions: several things asked for at
once, on both brokers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.combined import together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered, versions
from kafkacompat.protocol.messages import (
    api_versions,
    describe_cluster,
    describe_log_dirs,
    describe_topic_partitions,
    metadata,
)
from kafkacompat.protocol.primitives import ZERO_UUID

OWN = ["host", "port", "cluster_id", "topic_id", "log_dir", "total_bytes", "usable_bytes"]
AUTO_CREATE_SINCE, IDS_SINCE, BY_ID_SINCE = 4, 10, 12
UNNAMED = ""


def asked(*wanted: tuple[bytes, str | None], create: bool = False, operations: int = 0) -> metadata.MetadataRequest:
    """Topics by (id, name); `operations` 1 asks for those of topics, 2 for those of the cluster."""
    return metadata.MetadataRequest(
        [metadata.MetadataRequestTopic(*one) for one in wanted], create, bool(operations & 2), bool(operations & 1)
    )


@pytest.mark.api("Metadata")
@pytest.mark.parametrize("version", versions(metadata))
def test_metadata(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 2)
        topics.create(client, topic + "-other")
        kinds: dict[str, tuple[bytes, str | None]] = {
            "known": (ZERO_UUID, topic),
            "another": (ZERO_UUID, topic + "-other"),
            "internal": (ZERO_UUID, "__consumer_offsets"),
            "bad name": (ZERO_UUID, "not a name"),
            "long name": (ZERO_UUID, "x" * 250),
            "two dots": (ZERO_UUID, ".."),
        }
        if version >= AUTO_CREATE_SINCE:
            kinds["unknown"] = (ZERO_UUID, topic + "-not")
        old = version < AUTO_CREATE_SINCE  # cannot say that nothing is to be made
        requests = {name: asked(*wanted, create=old) for name, wanted in together(kinds).items()}
        if version >= AUTO_CREATE_SINCE:
            requests["bad name, to be made"] = asked((ZERO_UUID, "not a name"), create=True)
            requests["known and a bad name, to be made"] = asked(kinds["known"], kinds["bad name"], create=True)
        if version >= IDS_SINCE:
            ids = {"by id": (topic_id, None), "unknown id": (os.urandom(16), None), "neither": (ZERO_UUID, None),
                   "both": (topic_id, topic), "both, and they differ": (topic_id, topic + "-other"),
                   "by name": (ZERO_UUID, topic)}  # fmt: skip
            requests |= {name: asked(*wanted) for name, wanted in together(ids).items()}
            requests["the same id twice"] = asked((topic_id, None), (topic_id, None))
        if version >= 8:
            kinds_of_operations = range(4) if version <= 10 else range(2)
            requests |= {
                f"operations {n}": asked(kinds["known"], kinds["unknown"], operations=n) for n in kinds_of_operations
            }
        return ordered(client.ask_all(metadata, version, requests, OWN))

    compare(script)


@pytest.mark.api("Metadata")
@pytest.mark.parametrize("version", versions(metadata))
def test_all_topics(compare: Compare, topic: str, version: int) -> None:
    """Of all topics only those of this test are compared."""

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        request = metadata.MetadataRequest([] if version == 0 else None, version < AUTO_CREATE_SINCE)
        answer = client.ask(metadata, version, request, OWN)
        answer["topics"] = [one for one in answer["topics"] if one["name"] in (topic, "__consumer_offsets")]
        return ordered(answer)

    compare(script)


@pytest.mark.api("Metadata")
@pytest.mark.parametrize("version", versions(metadata))
def test_a_topic_is_made_by_asking(compare: Compare, topic: str, version: int) -> None:
    """What the first answer says is a decision; sooner or later it is there, on both with one partition."""

    def script(client: RawClient) -> Any:
        return made(client, topic, version)

    compare(script)


def made(client: RawClient, topic: str, version: int) -> Any:
    """The topic as it is described once asking for it has made it."""
    request = asked((ZERO_UUID, topic), create=True)
    for _ in range(500):
        answer = client.call(metadata.API_KEY, version, request).topics[0]
        if answer.error_code == 0 and all(part.error_code == 0 for part in answer.partitions):
            break
    return ordered(client.ask(metadata, version, request, OWN))


def ordered(answer: Any) -> Any:
    """Topics and partitions come in no order."""
    return unordered(answer, "partitions", "topics")


@pytest.mark.api("DescribeTopicPartitions")
def test_topic_partitions(compare: Compare, topic: str) -> None:
    api = describe_topic_partitions

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 3)
        topics.create(client, topic + "-other", 1)
        kinds = {"known": topic, "another": topic + "-other", "unknown": topic + "-not", "bad name": "not a name"}

        def ask(wanted: Sequence[str], limit: int) -> Any:
            return api.DescribeTopicPartitionsRequest([api.TopicRequest(name) for name in wanted], limit, None)

        requests = {
            f"{name}, at most {limit}": ask(wanted, limit)
            for limit in (1, 2, 2000)
            for name, wanted in together(kinds).items()
        }
        return client.ask_all(api, 0, requests, OWN)

    compare(script)


@pytest.mark.api("DescribeLogDirs")
@pytest.mark.parametrize("version", versions(describe_log_dirs))
def test_log_dirs(compare: Compare, topic: str, version: int) -> None:
    api = describe_log_dirs

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        topics.produce(client, topic, 5)
        kinds = {"known": (topic, [0]), "no such partition": (topic + "", [7]), "no such topic": (topic + "-not", [0]),
                 "bad name": ("not a name", [0]), "no name": (UNNAMED, [0]), "negative": (topic, [-1]),
                 "twice": (topic, [1, 1])}  # fmt: skip
        requests = {
            name: api.DescribeLogDirsRequest([api.DescribableLogDirTopic(of, parts) for of, parts in wanted])
            for name, wanted in together(kinds).items()
        }
        answers: dict[str, Any] = ordered(client.ask_all(api, version, requests, OWN))
        return answers

    compare(script)


@pytest.mark.api("DescribeCluster")
@pytest.mark.parametrize("version", versions(describe_cluster))
def test_cluster(compare: Compare, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        ask = describe_cluster.DescribeClusterRequest
        kinds = (0, 1, 2, 3, -1, 127) if version >= 1 else (1,)
        fenced = (False, True) if version >= 2 else (False,)
        return client.ask_all(
            describe_cluster, version,
            {f"{kind} {operations} {with_fenced}": ask(operations, kind, with_fenced)
             for kind in kinds for operations in (False, True) for with_fenced in fenced},
            OWN,
        )  # fmt: skip

    compare(script)


@pytest.mark.api("ApiVersions")
@pytest.mark.parametrize("version", versions(api_versions, 3))
def test_names_of_clients(compare: Compare, version: int) -> None:
    """Which names and versions of client software are taken."""

    def script(client: RawClient) -> dict[str, Any]:
        answers = {}
        for name in ("raw", "", " ", "-a", "a-", ".", "a.b-c", "a b", "ä", "x" * 300, "A9"):
            for software_version in ("1.0", "", "v 1"):
                answer = client.ask(api_versions, version, api_versions.ApiVersionsRequest(name, software_version))
                answers[f"{name}/{software_version}"] = {
                    "error": answer["error_code"], "has keys": bool(answer["api_keys"])
                }  # fmt: skip
        return answers

    compare(script)
