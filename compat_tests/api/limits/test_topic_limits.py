"""Topics on brokers that do not delete them, do not create them unasked, and have defaults of their own."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered, versions
from kafkacompat.protocol.messages import create_topics, delete_topics, describe_configs, metadata, produce
from kafkacompat.protocol.records.builder import Record, build_batch

pytestmark = pytest.mark.full  # two brokers more
BY_STATE_SINCE = 6
BROKER, TOPIC = 4, 2


@pytest.mark.api("DeleteTopics")
@pytest.mark.parametrize("version", versions(delete_topics))
def test_deletion_is_disabled(compare: Compare, topic: str, version: int) -> None:
    """Every topic is refused, whether it is there or not; clients before version 3 get a code that they know."""

    def script(client: RawClient) -> Any:
        topics.create(client, topic)
        names = [topic, topic + "-not"]
        request = delete_topics.DeleteTopicsRequest(topic_names=names, timeout_ms=10_000)
        if version >= BY_STATE_SINCE:
            states = [delete_topics.DeleteTopicState(name) for name in names]
            request = delete_topics.DeleteTopicsRequest(states, timeout_ms=10_000)
        return unordered(client.ask(delete_topics, version, request, ["topic_id"]), "responses")

    compare(script)


@pytest.mark.api("CreateTopics")
@pytest.mark.parametrize("version", versions(create_topics))
def test_defaults(compare: Compare, topic: str, version: int) -> None:
    """What a topic gets that leaves partitions and replicas to the broker, and which broker's setting it came from."""

    def script(client: RawClient) -> Any:
        wanted = [create_topics.CreatableTopic(topic, -1, -1), create_topics.CreatableTopic(topic + "-a", 2, -1)]
        answer = client.ask(create_topics, version, create_topics.CreateTopicsRequest(wanted, 10_000), ["topic_id"])
        return unordered(answer, "configs", "topics")

    compare(script)


@pytest.mark.api("Metadata")
@pytest.mark.parametrize("version", versions(metadata))
def test_nothing_is_created_unasked(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> Any:
        request = metadata.MetadataRequest([metadata.MetadataRequestTopic(name=topic)], True)
        answer = client.ask(metadata, version, request, ["host", "port", "cluster_id"])
        return {**answer, "again": client.ask(metadata, version, request, ["host", "port", "cluster_id"])}

    compare(script)


@pytest.mark.api("DescribeConfigs")
@pytest.mark.parametrize("version", versions(describe_configs))
def test_where_settings_come_from(compare: Compare, topic: str, version: int) -> None:
    """The broker's own settings stand behind a topic's defaults, and say so."""

    def script(client: RawClient) -> Any:
        topics.create(client, topic, retention_bytes="4321")
        keys = ["max.message.bytes", "retention.bytes", "retention.ms", "min.insync.replicas"]
        named = ["message.max.bytes", "delete.topic.enable", "num.partitions", "group.max.size"]
        resources = [
            describe_configs.DescribeConfigsResource(TOPIC, topic, keys),
            describe_configs.DescribeConfigsResource(BROKER, "1", named),
        ]
        request = describe_configs.DescribeConfigsRequest(resources, include_synonyms=True)
        return unordered(client.ask(describe_configs, version, request), "configs")

    compare(script)


@pytest.mark.api("Produce")
@pytest.mark.parametrize("version", versions(produce, since=3))
def test_too_large_for_the_broker(compare: Compare, topic: str, version: int) -> None:
    """message.max.bytes holds for topics that have no max.message.bytes of their own."""

    def script(client: RawClient) -> dict[str, Any]:
        ids = {
            topic: topics.create(client, topic),
            topic + "-a": topics.create(client, topic + "-a", max_message_bytes="40000"),
        }
        said = {}
        for name, topic_id in ids.items():
            for size in (10_000, 30_000, 50_000):
                batch = bytes(build_batch([Record(0, topics.BASE_TIMESTAMP_MS, b"k", b"v" * size)]))
                part = produce.PartitionProduceData(0, batch)
                by_id = version >= 13
                data = produce.TopicProduceData("" if by_id else name, topic_id if by_id else bytes(16), [part])
                request = produce.ProduceRequest(None, -1, 10_000, [data])
                said[f"{name == topic} {size}"] = client.ask(produce, version, request, ["topic_id"])
        return said

    compare(script)
