"""What altered topic configs do to those who write and read, on both brokers."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import TIMEOUT_S, RawClient
from kafkacompat.protocol.messages import (
    alter_configs,
    describe_configs,
    fetch,
    incremental_alter_configs,
    list_offsets,
    produce,
)
from kafkacompat.protocol.records.builder import Record, build_batch

TOPIC, SET, DELETE = 2, 0, 1
_DELAYS_MS = itertools.count(60_001)
NOW_MS = 1_750_000_000_000


def alter(client: RawClient, topic: str, **configs: str | None) -> Any:
    """Set configs, or take away those that are None, and wait until the broker says so."""
    changes = [
        incremental_alter_configs.AlterableConfig(name.replace("_", "."), DELETE if value is None else SET, value)
        for name, value in configs.items()
    ]
    resource = incremental_alter_configs.AlterConfigsResource(TOPIC, topic, changes)
    request = incremental_alter_configs.IncrementalAlterConfigsRequest([resource])
    answer = client.ask(incremental_alter_configs, 1, request)
    wait_for(client, topic, {name.replace("_", "."): value for name, value in configs.items()})
    return answer


def wait_for(client: RawClient, topic: str, wanted: dict[str, str | None]) -> None:
    """Wait until the topic's own configs are as wanted (None: it has none of its own)."""
    resource = describe_configs.DescribeConfigsResource(TOPIC, topic, list(wanted))
    request = describe_configs.DescribeConfigsRequest([resource])
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        found = client.call(describe_configs.API_KEY, 4, request).results[0].configs
        own = {one.name: one.value for one in found if one.config_source == 1}
        if own == {name: value for name, value in wanted.items() if value is not None}:
            break
        assert time.monotonic() < deadline, own
        time.sleep(0.02)
    _wait_until_applied(client, topic)


def _wait_until_applied(client: RawClient, topic: str) -> None:
    """Apache Kafka tells of a config a little before its log obeys it (BrokerMetadataPublisher), but all of one change
    is done before it tells of the next one: so make one more, that does nothing, and wait until it is told of."""
    name, value = "file.delete.delay.ms", str(next(_DELAYS_MS))
    change = incremental_alter_configs.AlterableConfig(name, SET, value)
    altered = incremental_alter_configs.AlterConfigsResource(TOPIC, topic, [change])
    client.call(
        incremental_alter_configs.API_KEY, 1, incremental_alter_configs.IncrementalAlterConfigsRequest([altered])
    )
    described = describe_configs.DescribeConfigsResource(TOPIC, topic, [name])
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        answer = client.call(describe_configs.API_KEY, 4, describe_configs.DescribeConfigsRequest([described]))
        if answer.results[0].configs[0].value == value:
            return
        assert time.monotonic() < deadline, value
        time.sleep(0.02)


def write(client: RawClient, topic: str, *records: Record, acks: int = -1) -> Any:
    """Produce one batch; the answer."""
    part = produce.PartitionProduceData(0, bytes(build_batch(list(records))))
    request = produce.ProduceRequest(None, acks, 5_000, [produce.TopicProduceData(topic, partition_data=[part])])
    return client.ask(produce, 9, request, ["log_append_time_ms"])


def record(size: int = 1, key: bytes | None = b"key", timestamp_ms: int = NOW_MS) -> Record:
    return Record(0, timestamp_ms, key, b"v" * size)


def start_offset(client: RawClient, topic: str) -> Any:
    """Where the log begins and ends."""
    return [
        client.ask(list_offsets, 7, list_offsets.ListOffsetsRequest(-1, 0, [
            list_offsets.ListOffsetsTopic(topic, [list_offsets.ListOffsetsPartition(0, -1, at)])
        ]))
        for at in (-2, -1)
    ]  # fmt: skip


def effects(name: str, good: str, attempt: Callable[[RawClient, str], Any]) -> Callable[[RawClient, str], list[Any]]:
    """What an attempt gives without the config, with it, and after it has been taken away."""

    def script(client: RawClient, topic: str) -> list[Any]:
        topics.create(client, topic)
        said = [attempt(client, topic), alter(client, topic, **{name: good}), attempt(client, topic)]
        return [*said, alter(client, topic, **{name: None}), attempt(client, topic)]

    return script


ATTEMPTS = {
    "max.message.bytes": effects("max.message.bytes", "500", lambda c, t: [write(c, t, record(n)) for n in (10, 1000)]),
    "min.insync.replicas": effects(
        "min.insync.replicas", "2", lambda c, t: [write(c, t, record(), acks=acks) for acks in (-1, 1)]
    ),
    "cleanup.policy": effects("cleanup.policy", "compact", lambda c, t: [write(c, t, record(key=None))]),
    "message.timestamp.before.max.ms": effects(
        "message.timestamp.before.max.ms", "60000", lambda c, t: [write(c, t, record(timestamp_ms=1000))]
    ),
    "message.timestamp.after.max.ms": effects(
        "message.timestamp.after.max.ms", "9000000000000", lambda c, t: [write(c, t, record(timestamp_ms=2**42))]
    ),
    "message.timestamp.type": effects(
        "message.timestamp.type", "LogAppendTime", lambda c, t: [write(c, t, record(timestamp_ms=1000))]
    ),
    "compression.type": effects("compression.type", "uncompressed", lambda c, t: [write(c, t, record(100))]),
}


@pytest.mark.api("IncrementalAlterConfigs", "Produce")
@pytest.mark.parametrize("name", ATTEMPTS)
def test_writing(compare: Compare, topic: str, name: str) -> None:
    """Set, tried, taken away, tried again."""
    compare(lambda client: ATTEMPTS[name](client, topic))


@pytest.mark.api("IncrementalAlterConfigs", "Fetch", "ListOffsets")
def test_whose_time(compare: Compare, topic: str) -> None:
    """With LogAppendTime records get the broker's time: what is read, and what is found by time."""

    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic)
        write(client, topic, record(timestamp_ms=1000))
        alter(client, topic, message_timestamp_type="LogAppendTime")
        write(client, topic, record(timestamp_ms=1000))
        wanted = fetch.FetchTopic(topic, partitions=[fetch.FetchPartition(0, -1, 1, partition_max_bytes=1 << 20)])
        request = fetch.FetchRequest(max_wait_ms=0, min_bytes=0, topics=[wanted])
        found = client.call(fetch.API_KEY, 12, request).responses[0].partitions[0]
        attributes = int.from_bytes(bytes(found.records)[21:23], "big")
        said: list[Any] = [attributes, client.ask(fetch, 12, request, ["records"])]
        at = [list_offsets.ListOffsetsPartition(0, -1, time_ms) for time_ms in (1000, 1001)]
        for one in at:
            ask = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(topic, [one])])
            said.append(client.ask(list_offsets, 7, ask, ["timestamp"]))
        return said

    compare(script)


@pytest.mark.api("IncrementalAlterConfigs", "ListOffsets")
@pytest.mark.parametrize("name", ["segment.bytes", "segment.ms"])
def test_segments(compare: Compare, topic: str, name: str) -> None:
    """Smaller segments are told of nowhere but in the configs: offsets and records stay what they were."""

    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic)
        said = [topics.produce(client, topic, 20)]
        said.append(alter(client, topic, **{name: "1048576"}))
        said += [topics.produce(client, topic, 20), start_offset(client, topic)]
        return [*said, topics.batches(topics.stored(client, topic))]

    compare(script)


@pytest.mark.api("AlterConfigs")
def test_replaced(compare: Compare, topic: str) -> None:
    """AlterConfigs takes away what it does not name, and clients feel it."""

    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic, 1, max_message_bytes="500", cleanup_policy="compact")
        said = [write(client, topic, record(1000)), write(client, topic, record(key=None))]
        resource = alter_configs.AlterConfigsResource(
            TOPIC, topic, [alter_configs.AlterableConfig("segment.ms", "9999")]
        )
        said.append(client.ask(alter_configs, 2, alter_configs.AlterConfigsRequest([resource])))
        wait_for(client, topic, {"segment.ms": "9999", "max.message.bytes": None, "cleanup.policy": None})
        return [*said, write(client, topic, record(1000)), write(client, topic, record(key=None))]

    compare(script)
