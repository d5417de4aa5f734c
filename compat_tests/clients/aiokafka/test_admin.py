"""aiokafka: the admin client, which speaks old versions of the admin APIs."""

from __future__ import annotations

from typing import Any

import pytest
from aiokafka import OffsetAndMetadata, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from compat_tests.broker_process import Broker
from compat_tests.clients.aiokafka.using import (
    FAST_GROUP,
    administering,
    consuming,
    create,
    eventually,
    in_loop,
    producing,
    read,
    send,
    values,
)
from compat_tests.clients.samples import numbered


async def configs_of(admin: AIOKafkaAdminClient, topic: str, **names: None) -> dict[str, Any]:
    wanted = {name.replace("_", "."): None for name in names} or None
    answers = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic, wanted)])
    error, _, kind, name, entries = answers[0].resources[0]
    assert (error, kind, name) == (0, 2, topic)
    return {entry[0]: entry[1] for entry in entries}


@pytest.mark.api("CreateTopics", "DeleteTopics", "Metadata")
@in_loop
async def test_create_describe_delete_topic(broker: Broker, topic: str) -> None:
    async with administering(broker) as admin:
        await create(admin, topic, 3, topic_configs={"retention.ms": "1234567"})
        described = (await admin.describe_topics([topic]))[0]
        assert (described["topic"], described["is_internal"]) == (topic, False)
        assert sorted(part["partition"] for part in described["partitions"]) == [0, 1, 2]
        assert all(part["isr"] == part["replicas"] == [part["leader"]] for part in described["partitions"])
        assert await configs_of(admin, topic, retention_ms=None) == {"retention.ms": "1234567"}
        assert (await configs_of(admin, topic))["cleanup.policy"] == "delete"
        await admin.delete_topics([topic])

        async def is_gone() -> bool:
            return topic not in await admin.list_topics()

        await eventually(is_gone)


@pytest.mark.api("CreateTopics")
@in_loop
async def test_validate_only_creates_nothing(broker: Broker, topic: str) -> None:
    async with administering(broker) as admin:
        answer = await admin.create_topics([NewTopic(topic, 3, 1)], validate_only=True)
        assert [(name, error) for name, error, *_ in answer.topic_errors] == [(topic, 0)]
        assert topic not in await admin.list_topics()


@pytest.mark.api("CreatePartitions")
@in_loop
async def test_create_partitions(broker: Broker, topic: str) -> None:
    async with administering(broker) as admin:
        await create(admin, topic)
        await admin.create_partitions({topic: NewPartitions(4)})

        async def has_four() -> bool:
            return len((await admin.describe_topics([topic]))[0]["partitions"]) == 4

        await eventually(has_four)
    async with producing(broker) as producer:
        assert (await producer.send_and_wait(topic, b"in the last one", partition=3)).offset == 0


@pytest.mark.api("AlterConfigs", "DescribeConfigs")
@in_loop
async def test_configs_replaced_as_a_whole(broker: Broker, topic: str) -> None:
    async with administering(broker) as admin:
        await create(admin, topic, topic_configs={"retention.ms": "1000000"})
        await admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {"segment.bytes": "2000000"})])

        async def is_changed() -> bool:
            return bool((await configs_of(admin, topic))["segment.bytes"] == "2000000")

        await eventually(is_changed)
        assert (await configs_of(admin, topic))["retention.ms"] == "604800000"


@pytest.mark.api("Metadata")
@in_loop
async def test_describe_cluster(broker: Broker) -> None:
    async with administering(broker) as admin:
        cluster = await admin.describe_cluster()
    ports = {int(address.rpartition(":")[2]) for address in broker.bootstrap_servers.split(",")}
    assert {node["port"] for node in cluster["brokers"]} == ports
    assert cluster["controller_id"] in {node["node_id"] for node in cluster["brokers"]}
    assert len(cluster["cluster_id"]) >= 16


@pytest.mark.api("DeleteRecords")
@in_loop
async def test_delete_records(broker: Broker, topic: str) -> None:
    part = TopicPartition(topic, 0)
    async with administering(broker) as admin, producing(broker) as producer:
        await send(producer, topic, numbered(10))
        assert await admin.delete_records({part: RecordsToDelete(4)}) == {part: 4}
        async with consuming(broker, topic) as reader:
            assert values(await read(reader, 6)) == numbered(10)[4:]
            assert await reader.beginning_offsets([part]) == {part: 4}
        assert await admin.delete_records({part: RecordsToDelete(-1)}) == {part: 10}


@pytest.mark.api("ListGroups", "DescribeGroups")
@in_loop
async def test_groups_listed_and_described(broker: Broker, topic: str, group: str) -> None:
    part = TopicPartition(topic, 0)
    async with administering(broker) as admin, producing(broker) as producer:
        await send(producer, topic, numbered(5))
        async with consuming(broker, topic, group_id=group, client_id="reader", **FAST_GROUP) as reader:
            await read(reader, 5)
            await reader.commit()
            assert (group, "consumer") in await admin.list_consumer_groups()
            answer = (await admin.describe_consumer_groups([group]))[0].to_object()["groups"][0]
            assert (answer["error_code"], answer["group"], answer["state"]) == (0, group, "Stable")
            assert (answer["protocol_type"], answer["protocol"]) == ("consumer", "roundrobin")
            assert [member["client_id"] for member in answer["members"]] == ["reader"]
        answer = (await admin.describe_consumer_groups([group]))[0].to_object()["groups"][0]
        assert (answer["state"], answer["members"]) == ("Empty", [])
        assert await admin.list_consumer_group_offsets(group) == {part: OffsetAndMetadata(5, "")}
        assert await admin.find_coordinator(group) == (await admin.describe_cluster())["brokers"][0]["node_id"]
