"""kafka-python: classic consumer groups that share, hand over and remember."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import FencedInstanceIdError
from kafka.structs import OffsetAndMetadata

from compat_tests.clients.kafka_python.member import FAST_GROUP, Member, share
from compat_tests.clients.kafka_python.reading import read, values
from compat_tests.clients.samples import RETURN_WAIT_S, STATIC_SESSION_MS, Patience, eventually, numbered

Make = Callable[..., KafkaProducer]
Read = Callable[..., KafkaConsumer]
Join = Callable[..., Member]


@pytest.fixture
def four_partitions(admin: KafkaAdminClient, topic: str) -> str:
    admin.create_topics({topic: {"num_partitions": 4, "replication_factor": 1}}, wait_for_metadata=True)
    return topic


@pytest.mark.api("JoinGroup", "SyncGroup", "LeaveGroup")
def test_members_join_and_leave(four_partitions: str, group: str, member: Join, producer: Make) -> None:
    members: list[Member] = []
    for _ in range(3):
        members.append(member(four_partitions, group))
        eventually(lambda: share(members, 4))
    members.pop(0).stop()
    eventually(lambda: share(members, 4))
    assert [len(each.assignment) for each in members] == [2, 2]
    sender = producer()
    for n, value in enumerate(numbered(40)):
        sender.send(four_partitions, value, partition=n % 4)
    sender.flush()
    eventually(lambda: sum(len(each.records) for each in members) >= 40)
    assert sorted(values([record for each in members for record in each.records])) == numbered(40)
    for each in members:
        assert {record.partition for record in each.records} == {part.partition for part in each.assignment}


@pytest.mark.api("OffsetCommit", "OffsetFetch")
def test_committed_offsets_are_where_the_next_member_starts(
    topic: str, group: str, producer: Make, consumer: Read, admin: KafkaAdminClient
) -> None:
    sender = producer()
    for value in numbered(20):
        sender.send(topic, value, partition=0)
    sender.flush()
    part = TopicPartition(topic, 0)
    first = consumer(topic, group_id=group, max_poll_records=8, **FAST_GROUP)
    assert first.committed(part) is None
    read(first, 8)
    first.commit({part: OffsetAndMetadata(8, "eight were read", -1)})
    first.close()
    assert admin.list_group_offsets(group)[group][part].offset == 8
    second = consumer(topic, group_id=group, **FAST_GROUP)
    assert values(read(second, 12)) == numbered(20)[8:]
    assert second.committed(part, metadata=True).metadata == "eight were read"


@pytest.mark.api("OffsetCommit", "OffsetFetch")
def test_auto_commit_on_close(topic: str, group: str, producer: Make, consumer: Read, admin: KafkaAdminClient) -> None:
    sender = producer()
    for value in numbered(10):
        sender.send(topic, value, partition=0)
    sender.flush()
    reader = consumer(topic, group_id=group, enable_auto_commit=True, **FAST_GROUP)
    read(reader, 10)
    reader.close()
    assert admin.list_group_offsets(group)[group][TopicPartition(topic, 0)].offset == 10


@pytest.mark.api("JoinGroup", "SyncGroup")
def test_static_member_returns_without_a_rebalance(four_partitions: str, group: str, member: Join) -> None:
    settings = {"session_timeout_ms": STATIC_SESSION_MS}
    staying = member(four_partitions, group, group_instance_id="staying", **settings)
    leaving = member(four_partitions, group, group_instance_id="leaving", **settings)
    eventually(lambda: share([staying, leaving], 4), RETURN_WAIT_S)
    held, revocations, generation = leaving.assignment, staying.revocations, staying.generation
    leaving.stop()
    returned = member(four_partitions, group, group_instance_id="leaving", **settings)
    eventually(lambda: share([staying, returned], 4), RETURN_WAIT_S)
    assert returned.assignment == held
    assert (staying.revocations, staying.generation) == (revocations, generation)


@pytest.mark.api("JoinGroup", "Heartbeat")
def test_member_that_falls_silent_is_replaced(four_partitions: str, group: str, member: Join) -> None:
    """Once a static member is gone for its session time-out its partitions go to the others."""
    staying = member(four_partitions, group)
    silent = member(four_partitions, group, group_instance_id="silent")
    eventually(lambda: share([staying, silent], 4))
    silent.stop()
    assert len(staying.assignment) == 2
    eventually(lambda: share([staying], 4))


@pytest.mark.api("JoinGroup", "SyncGroup")
def test_second_static_member_fences_the_first(topic: str, group: str, producer: Make, consumer: Read) -> None:
    producer().send(topic, b"one", partition=0).get(Patience.wait_s)
    first = consumer(topic, group_id=group, group_instance_id="same")
    read(first, 1)
    second = consumer(topic, group_id=group, group_instance_id="same")
    read(second, 1)
    part = TopicPartition(topic, 0)
    with pytest.raises(FencedInstanceIdError):
        first.commit({part: OffsetAndMetadata(0, "", -1)})
    second.commit({part: OffsetAndMetadata(1, "", -1)})
    assert second.committed(part) == 1
