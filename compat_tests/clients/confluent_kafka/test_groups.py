"""confluent-kafka: classic consumer groups that share, hand over and remember."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from compat_tests.clients.confluent_kafka.using import FAST_GROUP, committed, create, read, send, share, values
from compat_tests.clients.samples import RETURN_WAIT_S, STATIC_SESSION_MS, eventually, numbered

Make = Callable[..., Producer]
Read = Callable[..., Consumer]


@pytest.mark.api("JoinGroup", "SyncGroup", "LeaveGroup")
@pytest.mark.parametrize("strategy", ["range", "roundrobin", "cooperative-sticky"])
def test_members_join_and_leave(
    strategy: str, admin: AdminClient, producer: Make, consumer: Read, topic: str, group: str
) -> None:
    create(admin, topic, 4)
    settings: dict[str, Any] = {"partition_assignment_strategy": strategy, **FAST_GROUP}
    members: list[Consumer] = []
    for _ in range(3):
        members.append(consumer(group, **settings))
        members[-1].subscribe([topic])
        eventually(lambda: share(members, 4))
    members.pop(0).close()
    eventually(lambda: share(members, 4))
    assert [len(member.assignment()) for member in members] == [2, 2]
    for partition in range(4):
        send(producer(), topic, numbered(10, prefix=f"p{partition}"), partition=partition)
    received = [message for member in members for message in read(member, 20)]
    assert sorted(values(received)) == sorted(v for p in range(4) for v in numbered(10, prefix=f"p{p}"))


@pytest.mark.api("OffsetCommit", "OffsetFetch")
def test_committed_offsets_are_where_the_next_member_starts(
    producer: Make, consumer: Read, topic: str, group: str
) -> None:
    send(producer(), topic, numbered(20))
    first = consumer(group, **FAST_GROUP)
    first.subscribe([topic])
    read(first, 8)
    assert committed(first, topic).offset == -1001
    first.commit(offsets=[TopicPartition(topic, 0, 8, "eight were read")], asynchronous=False)
    first.close()
    second = consumer(group, **FAST_GROUP)
    second.subscribe([topic])
    assert values(read(second, 12)) == numbered(20)[8:]
    found = committed(second, topic)
    assert (found.offset, found.metadata) == (8, "eight were read")


@pytest.mark.api("OffsetCommit", "OffsetFetch")
def test_auto_commit_on_close(producer: Make, consumer: Read, topic: str, group: str) -> None:
    send(producer(), topic, numbered(10))
    reader = consumer(group, enable_auto_commit=True, **FAST_GROUP)
    reader.subscribe([topic])
    read(reader, 10)
    reader.close()
    assert committed(consumer(group), topic).offset == 10


@pytest.mark.api("JoinGroup", "SyncGroup")
def test_static_member_returns_without_a_rebalance(admin: AdminClient, consumer: Read, topic: str, group: str) -> None:
    create(admin, topic, 4)
    settings = FAST_GROUP | {"session_timeout_ms": STATIC_SESSION_MS}
    revocations = []
    staying = consumer(group, group_instance_id="staying", **settings)
    staying.subscribe([topic], on_revoke=lambda _, parts: revocations.append(parts))
    leaving = consumer(group, group_instance_id="leaving", **settings)
    leaving.subscribe([topic])
    eventually(lambda: share([staying, leaving], 4), RETURN_WAIT_S)
    held, before = leaving.assignment(), len(revocations)
    leaving.close()
    returned = consumer(group, group_instance_id="leaving", **settings)
    returned.subscribe([topic])
    eventually(lambda: share([staying, returned], 4), RETURN_WAIT_S)
    assert returned.assignment() == held
    assert len(revocations) == before


@pytest.mark.api("JoinGroup", "SyncGroup")
def test_second_static_member_fences_the_first(producer: Make, consumer: Read, topic: str, group: str) -> None:
    send(producer(), topic, [b"one"])
    first = consumer(group, group_instance_id="same", **FAST_GROUP)
    first.subscribe([topic])
    read(first, 1)
    second = consumer(group, group_instance_id="same", **FAST_GROUP)
    second.subscribe([topic])
    read(second, 1)

    def fenced() -> bool:
        message = first.poll(0.2)
        return message is not None and message.error() is not None and message.error().code() == KafkaError._FATAL

    eventually(fenced)
    second.commit(offsets=[TopicPartition(topic, 0, 1)], asynchronous=False)
    assert committed(second, topic).offset == 1


@pytest.mark.api("OffsetCommit", "JoinGroup")
def test_commit_after_the_group_moved_on(producer: Make, consumer: Read, topic: str, group: str) -> None:
    """A commit from a member that was not in the rebalance is refused with the client's own error."""
    send(producer(), topic, numbered(5))
    member = consumer(group, **FAST_GROUP)
    member.subscribe([topic])
    read(member, 5)
    outsider = consumer(group)
    with pytest.raises(KafkaException) as caught:
        outsider.commit(offsets=[TopicPartition(topic, 0, 3)], asynchronous=False)
    assert caught.value.args[0].code() == KafkaError.UNKNOWN_MEMBER_ID
    assert committed(member, topic).offset == -1001


@pytest.mark.api("JoinGroup", "Metadata")
def test_group_subscribed_by_pattern_sees_new_topics(
    admin: AdminClient, producer: Make, consumer: Read, topic: str, group: str
) -> None:
    create(admin, topic + "-a")
    reader = consumer(group, topic_metadata_refresh_interval_ms=200, **FAST_GROUP)
    reader.subscribe([f"^{topic}-.*"])
    eventually(lambda: share([reader], 1))
    create(admin, topic + "-b", 2)
    eventually(lambda: share([reader], 3))
    send(producer(), topic + "-b", [b"found"], partition=1)
    assert values(read(reader, 1)) == [b"found"]
