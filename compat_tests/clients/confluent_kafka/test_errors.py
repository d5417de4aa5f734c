"""confluent-kafka: what goes wrong is told with the client's own error codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Producer,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from compat_tests.clients.confluent_kafka.using import FAST_GROUP, create, only, read, send
from compat_tests.clients.samples import MEGABYTE, incompressible

Make = Callable[..., Producer]
Read = Callable[..., Consumer]


def code_of(call: Callable[[], Any]) -> int:
    """The error code with which a call fails."""
    with pytest.raises(KafkaException) as caught:
        call()
    return int(caught.value.args[0].code())


@pytest.mark.api("CreateTopics")
@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"num_partitions": 0}, KafkaError.INVALID_PARTITIONS),
        ({"replication_factor": 0}, KafkaError.INVALID_REPLICATION_FACTOR),
        ({"replication_factor": 2}, KafkaError.INVALID_REPLICATION_FACTOR),
        ({"config": {"retention.ms": "soon"}}, KafkaError.INVALID_CONFIG),
        ({"config": {"no.such.config": "1"}}, KafkaError.INVALID_CONFIG),
        ({"config": {"min.insync.replicas": "0"}}, KafkaError.INVALID_CONFIG),
    ],
)
def test_topic_that_cannot_be(admin: AdminClient, topic: str, settings: dict[str, Any], code: int) -> None:
    wanted = NewTopic(topic, **{"num_partitions": 1, "replication_factor": 1, **settings})
    assert code_of(lambda: only(admin.create_topics([wanted]))) == code


@pytest.mark.api("Metadata")
@pytest.mark.parametrize("name", ["with space", "slash/ed", ".", "..", "x" * 250])
def test_bad_topic_name(admin: AdminClient, producer: Make, name: str) -> None:
    assert code_of(lambda: only(admin.create_topics([NewTopic(name, 1, 1)]))) == KafkaError.TOPIC_EXCEPTION
    assert code_of(lambda: send(producer(), name, [b"value"])) == KafkaError.TOPIC_EXCEPTION


@pytest.mark.api("CreateTopics")
def test_topic_twice(admin: AdminClient, topic: str) -> None:
    create(admin, topic)
    assert code_of(lambda: only(admin.create_topics([NewTopic(topic, 1, 1)]))) == KafkaError.TOPIC_ALREADY_EXISTS


@pytest.mark.api("Metadata")
def test_unknown_topic(admin: AdminClient, consumer: Read, topic: str, group: str) -> None:
    unknown = KafkaError.UNKNOWN_TOPIC_OR_PART
    assert code_of(lambda: only(admin.delete_topics([topic]))) == unknown
    assert code_of(lambda: only(admin.create_partitions([NewPartitions(topic, 3)]))) == unknown
    assert code_of(lambda: only(admin.describe_topics(TopicCollection([topic])))) == unknown
    assert code_of(lambda: only(admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]))) == unknown
    entry = ConfigEntry("retention.ms", "1", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    assert code_of(lambda: only(admin.incremental_alter_configs([resource]))) == unknown
    reader = consumer(group)
    reader.subscribe([topic])
    assert code_of(lambda: read(reader, 1)) == unknown


@pytest.mark.api("Metadata")
def test_unknown_partition(admin: AdminClient, topic: str) -> None:
    create(admin, topic)
    missing = TopicPartition(topic, 7)
    assert code_of(lambda: only(admin.list_offsets({missing: OffsetSpec.latest()}))) == KafkaError._NOENT


@pytest.mark.api("CreatePartitions")
@pytest.mark.parametrize("count", [1, 2])
def test_fewer_or_as_many_partitions(admin: AdminClient, topic: str, count: int) -> None:
    create(admin, topic, 2)
    assert (
        code_of(lambda: only(admin.create_partitions([NewPartitions(topic, count)]))) == KafkaError.INVALID_PARTITIONS
    )


@pytest.mark.api("IncrementalAlterConfigs")
@pytest.mark.parametrize(
    ("name", "operation", "value", "code"),
    [
        ("retention.ms", AlterConfigOpType.SET, "soon", KafkaError.INVALID_CONFIG),
        ("no.such.config", AlterConfigOpType.SET, "1", KafkaError.INVALID_CONFIG),
        ("retention.ms", AlterConfigOpType.APPEND, "1", KafkaError.INVALID_CONFIG),
        ("cleanup.policy", AlterConfigOpType.APPEND, "shred", KafkaError.INVALID_CONFIG),
    ],
)
def test_bad_config_change(
    admin: AdminClient, topic: str, name: str, operation: AlterConfigOpType, value: str, code: int
) -> None:
    create(admin, topic)
    entry = ConfigEntry(name, value, incremental_operation=operation)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    assert code_of(lambda: only(admin.incremental_alter_configs([resource]))) == code


@pytest.mark.api("Produce")
def test_record_too_large(admin: AdminClient, producer: Make, topic: str) -> None:
    sender = producer(message_max_bytes=3 * MEGABYTE)
    big = [incompressible(2 * MEGABYTE)]
    assert code_of(lambda: send(sender, topic, big)) == KafkaError.MSG_SIZE_TOO_LARGE
    small = topic + "-small"
    create(admin, small, config={"max.message.bytes": "1000"})
    assert code_of(lambda: send(sender, small, [incompressible(2000)])) == KafkaError.MSG_SIZE_TOO_LARGE
    assert send(sender, small, [incompressible(500)])[0].offset() == 0


@pytest.mark.api("Fetch")
def test_offset_out_of_range(producer: Make, consumer: Read, topic: str, group: str) -> None:
    send(producer(), topic, [b"one"])
    strict = consumer(group, auto_offset_reset="error")
    strict.assign([TopicPartition(topic, 0, 100)])
    assert code_of(lambda: read(strict, 1)) == KafkaError._AUTO_OFFSET_RESET
    lenient = consumer(group)
    lenient.assign([TopicPartition(topic, 0, 100)])
    assert read(lenient, 1)[0].offset() == 0


@pytest.mark.api("OffsetFetch")
def test_no_committed_offset_and_no_reset(producer: Make, consumer: Read, topic: str, group: str) -> None:
    send(producer(), topic, [b"one"])
    strict = consumer(group, auto_offset_reset="error")
    strict.subscribe([topic])
    assert code_of(lambda: read(strict, 1)) == KafkaError._AUTO_OFFSET_RESET


@pytest.mark.api("DeleteRecords")
def test_delete_records_beyond_the_end(admin: AdminClient, producer: Make, topic: str) -> None:
    send(producer(), topic, [b"one"])
    code = code_of(lambda: only(admin.delete_records([TopicPartition(topic, 0, 5)])))
    assert code == KafkaError.OFFSET_OUT_OF_RANGE


@pytest.mark.api("DeleteGroups", "OffsetFetch")
def test_unknown_group(admin: AdminClient, group: str) -> None:
    assert code_of(lambda: only(admin.delete_consumer_groups([group]))) == KafkaError.GROUP_ID_NOT_FOUND
    offsets = only(admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]))
    assert offsets.topic_partitions == []


@pytest.mark.api("DeleteGroups")
def test_group_with_members_cannot_be_deleted(
    admin: AdminClient, producer: Make, consumer: Read, topic: str, group: str
) -> None:
    send(producer(), topic, [b"one"])
    reader = consumer(group, **FAST_GROUP)
    reader.subscribe([topic])
    read(reader, 1)
    assert code_of(lambda: only(admin.delete_consumer_groups([group]))) == KafkaError.NON_EMPTY_GROUP
    wanted = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0, 0)])
    altered = only(admin.alter_consumer_group_offsets([wanted]))
    assert [part.error.code() for part in altered.topic_partitions] == [KafkaError.UNKNOWN_MEMBER_ID]


@pytest.mark.api("JoinGroup")
def test_session_timeout_outside_the_allowed_range(producer: Make, consumer: Read, topic: str, group: str) -> None:
    send(producer(), topic, [b"one"])
    hasty = consumer(group, session_timeout_ms=1000, heartbeat_interval_ms=100)
    hasty.subscribe([topic])
    assert code_of(lambda: read(hasty, 1)) == KafkaError.INVALID_SESSION_TIMEOUT
