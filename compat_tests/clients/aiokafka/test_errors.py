"""aiokafka: what goes wrong is told with the client's own error types, or with Kafka's code in the admin's answers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.errors import (
    InvalidSessionTimeoutError,
    MessageSizeTooLargeError,
    NoOffsetForPartitionError,
    NotLeaderForPartitionError,
    OffsetOutOfRangeError,
    UnknownTopicOrPartitionError,
)

from compat_tests.broker_process import Broker
from compat_tests.clients.aiokafka.using import (
    FAST_GROUP,
    administering,
    consuming,
    create,
    in_loop,
    producing,
    read,
)
from compat_tests.clients.samples import MEGABYTE, Patience, incompressible

UNKNOWN_TOPIC, INVALID_TOPIC, TOPIC_EXISTS = 3, 17, 36
INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR, INVALID_CONFIG, GROUP_NOT_FOUND = 37, 38, 40, 69


async def created(admin: AIOKafkaAdminClient, topic: str, partitions: int = 1, replicas: int = 1, **kwargs: Any) -> int:
    """The error code for a topic that is asked for."""
    answer = await admin.create_topics([NewTopic(topic, partitions, replicas, **kwargs)])
    return int(answer.topic_errors[0][1])


@pytest.mark.api("CreateTopics")
@in_loop
async def test_topics_that_cannot_be(broker: Broker, topic: str) -> None:
    async with administering(broker) as admin:
        assert await created(admin, topic, partitions=0) == INVALID_PARTITIONS
        assert await created(admin, topic, replicas=0) == INVALID_REPLICATION_FACTOR
        assert await created(admin, topic, replicas=2) == INVALID_REPLICATION_FACTOR
        assert await created(admin, topic, topic_configs={"retention.ms": "soon"}) == INVALID_CONFIG
        assert await created(admin, topic, topic_configs={"no.such.config": "1"}) == INVALID_CONFIG
        for name in ("with space", "..", "x" * 250):
            assert await created(admin, name) == INVALID_TOPIC
        await create(admin, topic)
        assert await created(admin, topic) == TOPIC_EXISTS


@pytest.mark.api("Metadata")
@in_loop
async def test_unknown_topic(broker: Broker, topic: str) -> None:
    async with administering(broker) as admin:
        answer = await admin.delete_topics([topic])
        assert answer.topic_error_codes == [(topic, UNKNOWN_TOPIC)]
        with pytest.raises(UnknownTopicOrPartitionError):
            await admin.create_partitions({topic: NewPartitions(3)})
        with pytest.raises(NotLeaderForPartitionError):  # it finds no leader in the metadata
            await admin.delete_records({TopicPartition(topic, 0): RecordsToDelete(1)})


@pytest.mark.api("Metadata")
@in_loop
async def test_bad_topic_name(broker: Broker) -> None:
    async with producing(broker, request_timeout_ms=5000) as producer:
        with pytest.raises(UnknownTopicOrPartitionError):  # it takes a refused name for a topic not there yet
            await producer.send_and_wait("with space", b"value")


@pytest.mark.api("Produce")
@in_loop
async def test_record_too_large(broker: Broker, topic: str) -> None:
    async with administering(broker) as admin, producing(broker, max_request_size=3 * MEGABYTE) as producer:
        with pytest.raises(MessageSizeTooLargeError):
            await producer.send_and_wait(topic, incompressible(2 * MEGABYTE))
        small = topic + "-small"
        await create(admin, small, topic_configs={"max.message.bytes": "1000"})
        with pytest.raises(MessageSizeTooLargeError):
            await producer.send_and_wait(small, incompressible(2000))
        assert (await producer.send_and_wait(small, incompressible(500))).offset == 0


@pytest.mark.api("Fetch")
@in_loop
async def test_offset_out_of_range(broker: Broker, topic: str) -> None:
    part = TopicPartition(topic, 0)
    async with producing(broker) as producer:
        await producer.send_and_wait(topic, b"one")
    async with consuming(broker, auto_offset_reset="none") as strict:
        strict.assign([part])
        strict.seek(part, 100)
        with pytest.raises(OffsetOutOfRangeError):
            await asyncio.wait_for(strict.getone(), Patience.wait_s)
    async with consuming(broker) as lenient:
        lenient.assign([part])
        lenient.seek(part, 100)
        assert (await asyncio.wait_for(lenient.getone(), Patience.wait_s)).offset == 0


@pytest.mark.api("OffsetFetch")
@in_loop
async def test_no_committed_offset_and_no_reset(broker: Broker, topic: str, group: str) -> None:
    async with producing(broker) as producer:
        await producer.send_and_wait(topic, b"one")
    async with consuming(broker, topic, group_id=group, auto_offset_reset="none", **FAST_GROUP) as strict:
        with pytest.raises(NoOffsetForPartitionError):
            await asyncio.wait_for(strict.getone(), Patience.wait_s)


@pytest.mark.api("DeleteRecords")
@in_loop
async def test_delete_records_beyond_the_end(broker: Broker, topic: str) -> None:
    async with administering(broker) as admin, producing(broker) as producer:
        await producer.send_and_wait(topic, b"one")
        with pytest.raises(OffsetOutOfRangeError):
            await admin.delete_records({TopicPartition(topic, 0): RecordsToDelete(5)})


@pytest.mark.api("DescribeGroups")
@in_loop
async def test_unknown_group(broker: Broker, group: str) -> None:
    async with administering(broker) as admin:
        answer = (await admin.describe_consumer_groups([group]))[0].to_object()["groups"][0]
        assert (answer["error_code"], answer["state"], answer["members"]) == (0, "Dead", [])
        assert await admin.list_consumer_group_offsets(group) == {}


@pytest.mark.api("JoinGroup")
@in_loop
async def test_session_timeout_outside_the_allowed_range(broker: Broker, topic: str, group: str) -> None:
    async with producing(broker) as producer:
        await producer.send_and_wait(topic, b"one")
    with pytest.raises(InvalidSessionTimeoutError):
        async with consuming(
            broker, topic, group_id=group, session_timeout_ms=1000, heartbeat_interval_ms=100
        ) as hasty:
            await read(hasty, 1)
