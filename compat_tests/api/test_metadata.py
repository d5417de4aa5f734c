"""Metadata in every version, on both brokers."""

from __future__ import annotations

import os
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.messages import metadata as api

pytestmark = pytest.mark.api("Metadata")

OWN = ["host", "port", "cluster_id", "topic_id"]
BY_ID_SINCE, AUTO_CREATE_SINCE, AUTHORIZED_OPERATIONS = 12, 4, range(8, 11)


@pytest.mark.parametrize("version", versions(api))
def test_topics_by_name(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 3)

        def ask(*names: str) -> Any:
            wanted = [api.MetadataRequestTopic(name=name) for name in names]
            request = api.MetadataRequest(wanted, allow_auto_topic_creation=version < AUTO_CREATE_SINCE)
            return _sorted(client.ask(api, version, request, OWN))

        answers = {"one": ask(topic), "twice": ask(topic, topic), "bad name": ask("with space"), "empty": ask("")}
        if version >= AUTO_CREATE_SINCE:  # before that it would be made
            answers["unknown"] = ask(topic + "-not")
            answers["two and an unknown one"] = ask(topic + "-not", topic)
        if version >= 1:
            answers["none"] = ask()
        return answers

    compare(script)


@pytest.mark.parametrize("version", versions(api, BY_ID_SINCE))
def test_topics_by_id(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 2)

        def ask(wanted_id: bytes, name: str | None = None) -> Any:
            request = api.MetadataRequest([api.MetadataRequestTopic(wanted_id, name)], allow_auto_topic_creation=False)
            return _sorted(client.ask(api, version, request, OWN))

        return {"known": ask(topic_id), "unknown": ask(os.urandom(16)), "id and name": ask(topic_id, topic)}

    compare(script)


@pytest.mark.parametrize("version", AUTHORIZED_OPERATIONS)
def test_authorized_operations(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> Any:
        topics.create(client, topic)
        wanted = [api.MetadataRequestTopic(name=topic)]
        request = api.MetadataRequest(wanted, False, True, True)
        return client.ask(api, version, request, OWN)

    compare(script)


def _sorted(answer: dict[str, Any]) -> dict[str, Any]:
    """Topics and partitions come in no order."""
    for found in answer["topics"]:
        found["partitions"].sort(key=lambda part: part["partition_index"])
    answer["topics"].sort(key=lambda found: found["name"] or "")
    return answer
