"""A topic's life: created, grown, deleted, created again, as clients of every age see it on both brokers."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.combined import every_day
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import TIMEOUT_S, RawClient, versions
from kafkacompat.protocol.messages import create_partitions, delete_topics, fetch, list_offsets, metadata, produce
from kafkacompat.protocol.records.builder import Record, build_batch

OWN = ["host", "port", "cluster_id", "topic_id"]
BY_ID_SINCE = 13
NO_CREATION_SINCE = 4  # before, whoever asks for a topic in Metadata creates it
UNKNOWN_TOPIC = 3


def seen(client: RawClient, version: int, topic: str) -> Any:
    """The topic in the metadata, its partitions in order."""
    request = metadata.MetadataRequest([metadata.MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
    answer = client.ask(metadata, version, request, OWN)
    for found in answer["topics"]:
        found["partitions"].sort(key=lambda part: part["partition_index"])
    return answer["topics"]


def delete(client: RawClient, topic: str) -> None:
    """Delete the topic and wait until the metadata has it no more."""
    state = delete_topics.DeleteTopicState(topic)
    request = delete_topics.DeleteTopicsRequest([state], timeout_ms=10_000)
    assert client.call(delete_topics.API_KEY, 6, request).responses[0].error_code == 0
    wanted = metadata.MetadataRequest([metadata.MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
    deadline = time.monotonic() + TIMEOUT_S
    while client.call(metadata.API_KEY, 12, wanted).topics[0].error_code != UNKNOWN_TOPIC:
        assert time.monotonic() < deadline, f"{topic} is still there"
        time.sleep(0.02)


@pytest.mark.api("Metadata")
@pytest.mark.parametrize(
    "version", every_day(versions(metadata, since=4), 7, 10)
)  # before, whoever asks for a topic creates it
def test_again(compare: Compare, topic: str, version: int) -> None:
    """Create, delete, create: another id, and epochs and partitions that begin anew."""

    def script(client: RawClient) -> list[Any]:
        first = topics.create(client, topic, 2)
        said: list[Any] = [seen(client, version, topic)]
        delete(client, topic)
        said.append(seen(client, version, topic))
        second = topics.create(client, topic)
        return [*said, seen(client, version, topic), first == second]

    compare(script)


@pytest.mark.api("CreatePartitions", "Metadata")
@pytest.mark.parametrize("version", every_day(versions(create_partitions)))
def test_growth_is_seen(compare: Compare, topic: str, version: int) -> None:
    """New partitions are in the metadata and take records; the old ones are as they were."""

    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic)
        offsets = [topics.produce(client, topic, 3)]
        grown = create_partitions.CreatePartitionsTopic(topic, 3, None)
        request = create_partitions.CreatePartitionsRequest([grown], 10_000, False)
        said = [client.ask(create_partitions, version, request)]
        deadline = time.monotonic() + TIMEOUT_S
        while len((found := seen(client, 12, topic))[0]["partitions"]) < 3:
            assert time.monotonic() < deadline, found
            time.sleep(0.02)
        topics.wait_until_led(client, topic, 3)
        offsets += [topics.produce(client, topic, 2, part) for part in range(3)]
        return [*said, found, offsets]

    compare(script)


@pytest.mark.api("Fetch")
@pytest.mark.parametrize("version", every_day(versions(fetch), 12, 13))
def test_reader_of_a_topic_made_anew(compare: Compare, topic: str, version: int) -> None:
    """Who reads by name reads the new topic; who reads by the old id is told that it is gone."""

    def script(client: RawClient) -> list[Any]:
        topic_id = topics.create(client, topic)
        topics.produce(client, topic, 3)
        by_id = version >= BY_ID_SINCE
        part = fetch.FetchPartition(0, -1, 3, partition_max_bytes=1 << 20)
        wanted = fetch.FetchTopic("" if by_id else topic, topic_id if by_id else bytes(16), [part])
        request = fetch.FetchRequest(max_wait_ms=0, min_bytes=0, topics=[wanted])
        said = [client.ask(fetch, version, request, ["topic_id"])]
        delete(client, topic)
        said.append(client.ask(fetch, version, request, ["topic_id"]))
        topics.create(client, topic)
        topics.produce(client, topic, 1)
        return [*said, client.ask(fetch, version, request, ["topic_id"])]

    compare(script)


@pytest.mark.api("Produce", "ListOffsets")
@pytest.mark.parametrize("version", every_day(versions(produce, since=3), 12))
def test_writer_of_a_topic_made_anew(compare: Compare, topic: str, version: int) -> None:
    """Offsets begin at 0 again for who writes by name; who writes by the old id is told that it is gone."""

    def script(client: RawClient) -> list[Any]:
        topic_id = topics.create(client, topic)
        by_id = version >= BY_ID_SINCE
        batch = bytes(build_batch([Record(0, topics.BASE_TIMESTAMP_MS, b"k", b"v")]))
        part = produce.PartitionProduceData(0, batch)
        data = produce.TopicProduceData("" if by_id else topic, topic_id if by_id else bytes(16), [part])
        request = produce.ProduceRequest(None, -1, 10_000, [data])
        end = list_offsets.ListOffsetsPartition(0, -1, -1)
        ends = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(topic, [end])])
        said = [client.ask(produce, version, request, ["topic_id"]) for _ in range(2)]
        delete(client, topic)
        said.append(client.ask(produce, version, request, ["topic_id"]))
        topics.create(client, topic)
        said.append(client.ask(produce, version, request, ["topic_id"]))
        return [*said, client.ask(list_offsets, 7, ends)]

    compare(script)
