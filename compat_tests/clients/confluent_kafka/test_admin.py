"""confluent-kafka: the admin client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import (
    Consumer,
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    Producer,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from compat_tests.broker_process import Broker
from compat_tests.clients.confluent_kafka.using import (
    FAST_GROUP,
    create,
    only,
    read,
    send,
    share,
    topic_configs,
    values,
)
from compat_tests.clients.samples import Patience, eventually, numbered

Make = Callable[..., Producer]
Read = Callable[..., Consumer]


def change(admin: AdminClient, topic: str, **operations: tuple[AlterConfigOpType, str | None]) -> None:
    entries = [
        ConfigEntry(name.replace("_", "."), value, incremental_operation=operation)
        for name, (operation, value) in operations.items()
    ]
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=entries)
    only(admin.incremental_alter_configs([resource]))


@pytest.mark.api("CreateTopics", "DeleteTopics", "Metadata")
def test_create_describe_delete_topic(admin: AdminClient, topic: str) -> None:
    create(admin, topic, 3, config={"retention.ms": "1234567"})
    described = only(admin.describe_topics(TopicCollection([topic])))
    assert (described.name, described.is_internal) == (topic, False)
    assert [part.id for part in described.partitions] == [0, 1, 2]
    assert all([node.id for node in part.isr] == [part.leader.id] for part in described.partitions)
    assert topic_configs(admin, topic)["retention.ms"].value == "1234567"
    only(admin.delete_topics([topic]))
    eventually(lambda: topic not in admin.list_topics(timeout=Patience.wait_s).topics)


@pytest.mark.api("CreateTopics")
def test_validate_only_creates_nothing(admin: AdminClient, topic: str) -> None:
    only(admin.create_topics([NewTopic(topic, 3, 1)], validate_only=True))
    assert topic not in admin.list_topics(timeout=Patience.wait_s).topics


@pytest.mark.api("CreatePartitions")
def test_create_partitions(admin: AdminClient, producer: Make, topic: str) -> None:
    create(admin, topic)
    only(admin.create_partitions([NewPartitions(topic, 4)]))
    eventually(lambda: len(admin.list_topics(topic, timeout=Patience.wait_s).topics[topic].partitions) == 4)
    assert send(producer(), topic, [b"in the last one"], partition=3)[0].offset() == 0


@pytest.mark.api("IncrementalAlterConfigs", "DescribeConfigs")
def test_configs_changed_one_by_one(admin: AdminClient, topic: str) -> None:
    create(admin, topic, config={"retention.ms": "1000000", "cleanup.policy": "delete"})
    change(
        admin, topic,
        max_message_bytes=(AlterConfigOpType.SET, "5000"), cleanup_policy=(AlterConfigOpType.APPEND, "compact"),
    )  # fmt: skip
    eventually(lambda: topic_configs(admin, topic)["max.message.bytes"].value == "5000")
    assert topic_configs(admin, topic)["cleanup.policy"].value == "delete,compact"
    change(
        admin, topic,
        retention_ms=(AlterConfigOpType.DELETE, None), cleanup_policy=(AlterConfigOpType.SUBTRACT, "delete"),
    )  # fmt: skip
    eventually(lambda: topic_configs(admin, topic)["retention.ms"].value == "604800000")
    found = topic_configs(admin, topic)
    assert found["cleanup.policy"].value == "compact"
    assert found["retention.ms"].source == ConfigSource.DEFAULT_CONFIG.value
    assert found["max.message.bytes"].source == ConfigSource.DYNAMIC_TOPIC_CONFIG.value
    assert "message.max.bytes" in found["max.message.bytes"].synonyms


@pytest.mark.api("AlterConfigs", "DescribeConfigs")
def test_configs_replaced_as_a_whole(admin: AdminClient, topic: str) -> None:
    create(admin, topic, config={"retention.ms": "1000000"})
    with pytest.deprecated_call():
        only(admin.alter_configs([ConfigResource(ResourceType.TOPIC, topic, {"segment.bytes": "2000000"})]))
    eventually(lambda: topic_configs(admin, topic)["segment.bytes"].value == "2000000")
    assert topic_configs(admin, topic)["retention.ms"].value == "604800000"


@pytest.mark.api("Metadata")
def test_describe_cluster(admin: AdminClient, broker: Broker) -> None:
    cluster = admin.describe_cluster().result(Patience.wait_s)
    assert cluster.cluster_id == admin.cluster_id(timeout=Patience.wait_s)
    assert cluster.controller.id in {node.id for node in cluster.nodes}
    ports = {int(address.rpartition(":")[2]) for address in broker.bootstrap_servers.split(",")}
    assert {node.port for node in cluster.nodes} == ports


@pytest.mark.api("DescribeConfigs")
def test_broker_configs(admin: AdminClient) -> None:
    node = admin.describe_cluster().result(Patience.wait_s).nodes[0].id
    found = only(admin.describe_configs([ConfigResource(ResourceType.BROKER, str(node))]))
    assert found["node.id"].value == str(node)
    assert found["node.id"].is_read_only
    assert found["log.retention.hours"].value == "168"


@pytest.mark.api("DeleteRecords")
def test_delete_records(admin: AdminClient, producer: Make, consumer: Read, topic: str, group: str) -> None:
    send(producer(), topic, numbered(10))
    assert only(admin.delete_records([TopicPartition(topic, 0, 4)])).low_watermark == 4
    reader = consumer(group)
    assert reader.get_watermark_offsets(TopicPartition(topic, 0), timeout=Patience.wait_s) == (4, 10)
    reader.subscribe([topic])
    assert values(read(reader, 6)) == numbered(10)[4:]
    assert only(admin.delete_records([TopicPartition(topic, 0, -1)])).low_watermark == 10


@pytest.mark.api("ListOffsets")
def test_list_offsets(admin: AdminClient, producer: Make, topic: str) -> None:
    sender = producer()
    for n, value in enumerate(numbered(10)):
        send(sender, topic, [value], timestamp=1_700_000_000_000 + (n * 7) % 10)  # the newest is number 7

    def offset(spec: OffsetSpec) -> tuple[int, int]:
        found = only(admin.list_offsets({TopicPartition(topic, 0): spec}))
        return found.offset, found.timestamp

    assert offset(OffsetSpec.earliest()) == (0, -1)
    assert offset(OffsetSpec.latest()) == (10, -1)
    assert offset(OffsetSpec.max_timestamp()) == (7, 1_700_000_000_009)
    assert offset(OffsetSpec.for_timestamp(1_700_000_000_005)) == (1, 1_700_000_000_007)
    assert offset(OffsetSpec.for_timestamp(1_800_000_000_000)) == (-1, -1)


@pytest.mark.api("ListGroups", "DescribeGroups", "DeleteGroups")
def test_groups_listed_described_deleted(
    admin: AdminClient, producer: Make, consumer: Read, topic: str, group: str
) -> None:
    send(producer(), topic, numbered(5))
    reader = consumer(group, client_id="reader", **FAST_GROUP)
    reader.subscribe([topic])
    read(reader, 5)
    reader.commit(asynchronous=False)
    described = only(admin.describe_consumer_groups([group]))
    assert (described.state, described.partition_assignor) == (ConsumerGroupState.STABLE, "range")
    assert [member.client_id for member in described.members] == ["reader"]
    assert described.members[0].assignment.topic_partitions == [TopicPartition(topic, 0)]
    assert listed(admin, states={ConsumerGroupState.STABLE}).get(group) == ConsumerGroupState.STABLE
    assert group not in listed(admin, states={ConsumerGroupState.EMPTY})
    reader.close()
    eventually(lambda: listed(admin).get(group) == ConsumerGroupState.EMPTY)
    only(admin.delete_consumer_groups([group]))
    assert group not in listed(admin)


def listed(admin: AdminClient, **kwargs: Any) -> dict[str, ConsumerGroupState]:
    found = admin.list_consumer_groups(**kwargs).result(Patience.wait_s)
    assert found.errors == []
    assert all(entry.type == ConsumerGroupType.CLASSIC for entry in found.valid if entry.group_id.startswith("g-"))
    return {entry.group_id: entry.state for entry in found.valid}


@pytest.mark.api("OffsetCommit", "OffsetFetch")
def test_group_offsets_altered_and_listed(
    admin: AdminClient, producer: Make, consumer: Read, topic: str, group: str
) -> None:
    send(producer(), topic, numbered(10))
    wanted = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0, 7)])
    only(admin.alter_consumer_group_offsets([wanted]))
    found = only(admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]))
    assert [(part.topic, part.partition, part.offset) for part in found.topic_partitions] == [(topic, 0, 7)]
    reader = consumer(group, **FAST_GROUP)
    reader.subscribe([topic])
    assert values(read(reader, 3)) == numbered(10)[7:]


@pytest.mark.api("CreateTopics", "DeleteTopics")
def test_topic_made_again_is_another_topic(
    admin: AdminClient, producer: Make, consumer: Read, topic: str, group: str
) -> None:
    create(admin, topic)
    send(producer(), topic, numbered(5))
    first = only(admin.describe_topics(TopicCollection([topic]))).topic_id
    only(admin.delete_topics([topic]))
    eventually(lambda: topic not in admin.list_topics(timeout=Patience.wait_s).topics)
    create(admin, topic)
    assert str(only(admin.describe_topics(TopicCollection([topic]))).topic_id) != str(first)
    assert send(producer(), topic, [b"anew"])[0].offset() == 0
    reader = consumer(group, **FAST_GROUP)
    reader.subscribe([topic])
    eventually(lambda: share([reader], 1))
