"""aiokafka: classic consumer groups that share, hand over and remember."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest
from aiokafka import ConsumerRebalanceListener, OffsetAndMetadata, TopicPartition
from aiokafka.errors import CommitFailedError, UnknownMemberIdError

from compat_tests.broker_process import Broker
from compat_tests.clients.aiokafka.using import (
    FAST_GROUP,
    administering,
    consuming,
    create,
    in_loop,
    producing,
    read,
    send,
    shared,
    values,
)
from compat_tests.clients.samples import RETURN_WAIT_S, STATIC_SESSION_MS, numbered


class Revocations(ConsumerRebalanceListener):  # type: ignore[misc]
    """Counts how often a member had to give partitions up."""

    def __init__(self) -> None:
        self.count = 0

    def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        self.count += bool(revoked)

    def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        pass


@pytest.mark.api("JoinGroup", "SyncGroup", "LeaveGroup")
@in_loop
async def test_members_join_and_leave(broker: Broker, topic: str, group: str) -> None:
    async with administering(broker) as admin, AsyncExitStack() as stack:
        await create(admin, topic, 4)
        leaving = AsyncExitStack()
        members = [await leaving.enter_async_context(consuming(broker, topic, group_id=group, **FAST_GROUP))]
        for _ in range(2):
            await shared(members, 4)
            members.append(await stack.enter_async_context(consuming(broker, topic, group_id=group, **FAST_GROUP)))
        await shared(members, 4)
        await leaving.aclose()
        del members[0]
        await shared(members, 4)
        assert [len(member.assignment()) for member in members] == [2, 2]
        async with producing(broker) as producer:
            await asyncio.gather(*(send(producer, topic, numbered(10), partition=p) for p in range(4)))
        received = [record for member in members for record in await read(member, 20)]
        assert sorted((r.partition, r.value) for r in received) == [(p, v) for p in range(4) for v in numbered(10)]


@pytest.mark.api("OffsetCommit", "OffsetFetch")
@in_loop
async def test_committed_offsets_are_where_the_next_member_starts(broker: Broker, topic: str, group: str) -> None:
    part = TopicPartition(topic, 0)
    async with producing(broker) as producer:
        await send(producer, topic, numbered(20))
    async with consuming(broker, topic, group_id=group, **FAST_GROUP) as first:
        await read(first, 8)
        assert await first.committed(part) is None
        await first.commit({part: OffsetAndMetadata(8, "eight were read")})
    async with consuming(broker, topic, group_id=group, **FAST_GROUP) as second:
        assert values(await read(second, 12)) == numbered(20)[8:]
        assert await second.committed(part) == 8
    async with administering(broker) as admin:
        assert await admin.list_consumer_group_offsets(group) == {part: OffsetAndMetadata(8, "eight were read")}


@pytest.mark.api("OffsetCommit", "OffsetFetch")
@in_loop
async def test_auto_commit_on_stop(broker: Broker, topic: str, group: str) -> None:
    async with producing(broker) as producer:
        await send(producer, topic, numbered(10))
    async with consuming(broker, topic, group_id=group, enable_auto_commit=True, **FAST_GROUP) as reader:
        await read(reader, 10)
    async with consuming(broker, topic, group_id=group, **FAST_GROUP) as reader:
        assert await reader.committed(TopicPartition(topic, 0)) == 10


@pytest.mark.api("JoinGroup", "SyncGroup")
@in_loop
async def test_static_member_returns_without_a_rebalance(broker: Broker, topic: str, group: str) -> None:
    watched = Revocations()
    common = {**FAST_GROUP, "group_id": group, "session_timeout_ms": STATIC_SESSION_MS}
    staying_config, leaving_config = ({**common, "group_instance_id": name} for name in ("staying", "leaving"))
    async with administering(broker) as admin, consuming(broker, **staying_config) as staying:
        await create(admin, topic, 4)
        staying.subscribe([topic], listener=watched)
        async with consuming(broker, topic, **leaving_config) as leaving:
            await shared([staying, leaving], 4, RETURN_WAIT_S)
            held, before = leaving.assignment(), watched.count
        async with consuming(broker, topic, **leaving_config) as returned:
            await shared([staying, returned], 4, RETURN_WAIT_S)
            assert returned.assignment() == held
        assert watched.count == before


@pytest.mark.api("OffsetCommit", "JoinGroup")
@in_loop
async def test_commit_after_the_group_moved_on(broker: Broker, topic: str, group: str) -> None:
    part = TopicPartition(topic, 0)
    async with producing(broker) as producer:
        await send(producer, topic, numbered(5))
    async with consuming(broker, topic, group_id=group, **FAST_GROUP) as member:
        await read(member, 5)
        async with consuming(broker, group_id=group) as outsider:
            outsider.assign([part])
            with pytest.raises((CommitFailedError, UnknownMemberIdError)):
                await outsider.commit({part: 3})
        assert await member.committed(part) is None


@pytest.mark.api("JoinGroup", "Fetch")
@in_loop
async def test_one_group_reads_two_topics(broker: Broker, topic: str, group: str) -> None:
    names = [topic + "-a", topic + "-b"]
    async with producing(broker) as producer:
        for name in names:
            await send(producer, name, numbered(10, prefix=name))
    async with consuming(broker, group_id=group, **FAST_GROUP) as reader:
        reader.subscribe(pattern=f"^{topic}-.*")
        received = await read(reader, 20)
    assert sorted(values(received)) == sorted(v for name in names for v in numbered(10, prefix=name))
