"""Groups of kinds that are not implemented stay as Apache Kafka left them, whatever clients ask for."""

from __future__ import annotations

import pytest

from kafkacompat.broker.coordinator.group import frozen
from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup
from kafkacompat.broker.coordinator.group.frozen import KIND_OF_GROUP, KIND_OF_MEMBER, FrozenGroup
from kafkacompat.broker.coordinator.group.group import CLASSIC, KINDS, SHARE
from kafkacompat.broker.coordinator.group.records import decode_record
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.consumer_offsets import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMetadataKey,
    GroupMetadataKey,
    OffsetCommitKey,
    OffsetCommitValue,
    ShareGroupMetadataKey,
    StreamsGroupMetadataKey,
    encode_key,
)
from kafkacompat.protocol.messages.offset_delete import OffsetDeleteRequestPartition, OffsetDeleteRequestTopic
from kafkacompat.protocol.primitives import Message
from tests.broker.coordinator.world import World

KEYS = {
    kind: next(key for key, found in KIND_OF_GROUP.items() if found == kind)
    for kind in sorted(KINDS - {CLASSIC})
}  # fmt: skip
A_YEAR_MS = 365 * 86_400_000
UNREAD = b"\x7f\xff of a later version"
"""The value of a record whose version this program does not know."""


def replay(world: World, key: Message, value: bytes | None = UNREAD, offset: int = 0) -> None:
    record = decode_record(encode_key(key), value)
    assert record is not None
    world.shard.replay(offset, -1, -1, record, offset, 1)


def commit_record(group: str, offset: int = 5) -> tuple[OffsetCommitKey, OffsetCommitValue]:
    return OffsetCommitKey(group, "t", 0), OffsetCommitValue(offset, 3, "note", 1, -1)


@pytest.fixture(params=sorted(KEYS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def world(kind: str) -> World:
    """A group `f` of the kind, with an offset that was committed before its record, in the year 1970."""
    world = World(offsets_retention_ms=1_000, offsets_retention_check_interval_ms=A_YEAR_MS // 12)
    world.shard.replay(0, -1, -1, commit_record("f"), 0, 1)
    replay(world, KEYS[kind]("f"), offset=1)
    world.shard.on_committed(2)
    return world


def test_its_offsets_are_read_by_those_who_are_no_members(world: World, kind: str) -> None:
    def fetch(member_id: str | None, epoch: int) -> tuple[int, list[int]]:
        answer = world.shard.fetch_offsets(
            "f", None, lambda _: bytes(16), member_id=member_id, member_epoch=epoch, newest=True
        )
        return answer.error_code, [each.committed_offset for topic in answer.topics for each in topic.partitions]

    assert fetch(None, -1) == ((errors.GROUP_ID_NOT_FOUND, []) if kind == SHARE else (errors.NONE, [5]))
    if kind != SHARE:
        assert fetch("m", 3) == (errors.UNKNOWN_MEMBER_ID, [])


def test_nothing_is_written_under_its_keys(world: World) -> None:
    before = len(world.log)
    assert world.join(group="f").error_code == errors.INCONSISTENT_GROUP_PROTOCOL
    assert world.heartbeat("m", 1, group="f").error_code == errors.UNKNOWN_MEMBER_ID
    assert world.leave(("m", None), group="f").members[0].error_code == errors.UNKNOWN_MEMBER_ID
    assert world.sync("m", 1, group="f").error_code == errors.UNKNOWN_MEMBER_ID
    for generation in (-1, 4):
        answer = world.commit("t", {0: 9}, group="f", generation=generation)
        assert answer.topics[0].partitions[0].error_code == errors.GROUP_ID_NOT_FOUND
    asked = [(OffsetDeleteRequestTopic("t", [OffsetDeleteRequestPartition(0)]), {})]
    assert world.perform(world.shard.delete_offsets("f", asked, world.now)).error_code == errors.GROUP_ID_NOT_FOUND
    deleted = world.perform(world.shard.delete_groups(["f"], 1, world.now))
    assert [each.error_code for each in deleted.results] == [errors.GROUP_ID_NOT_FOUND]
    world.advance(A_YEAR_MS)
    assert len(world.log) == before
    assert world.shard.offsets.topics("f")["t"][0][0] == 5


def test_it_is_listed_as_what_it_is(world: World, kind: str) -> None:
    listed = [each for each in world.shard.list_groups((), (kind,)) if each is not None]
    assert [(each.group_id, each.group_state, each.group_type) for each in listed] == [("f", "Empty", kind)]
    assert world.shard.describe_group("f", errors.GROUP_ID_NOT_FOUND).error_code == errors.GROUP_ID_NOT_FOUND


def test_a_tombstone_ends_it_and_only_that_of_its_own_kind(world: World, kind: str) -> None:
    for other, key in KEYS.items():
        if other != kind:
            replay(world, key("f"), None, 2)
    replay(world, GroupMetadataKey("f"), None, 3)
    assert world.shard.groups["f"].kind == kind
    former = world.shard.groups["f"]
    replay(world, KEYS[kind]("f"), None, 4)
    assert "f" not in world.shard.groups
    committed = [each for each in world.shard.list_groups((), ()) if each is not None]
    assert [each.group_type for each in committed] == [former.kind]  # until the tombstone is committed
    world.shard.on_committed(5)
    assert not [each for each in world.shard.list_groups((), ()) if each is not None]


def test_members_make_it_stable_and_not_empty(world: World, kind: str) -> None:
    key = next(key for key, found in KIND_OF_MEMBER.items() if found == kind)
    replay(world, key("f", "m"), offset=2)
    replay(world, key("g", "n"), offset=3)  # before its group's record
    found = {each: (world.shard.groups[each].state, world.shard.groups[each].size) for each in "fg"}
    assert found == {"f": ("Stable", 1), "g": ("Stable", 1)}
    deleted = world.perform(world.shard.delete_groups(["f"], 1, world.now))
    assert [each.error_code for each in deleted.results] == [errors.NON_EMPTY_GROUP]
    replay(world, key("f", "m"), None, 4)
    replay(world, key("h", "m"), None, 5)
    assert world.shard.groups["f"].state == "Empty"
    assert "h" not in world.shard.groups


def test_a_classic_group_that_it_was_before_or_becomes_later() -> None:
    world = World()
    world.shard.groups["f"] = ClassicGroup("f", 1)
    replay(world, ConsumerGroupMetadataKey("f"), offset=1)
    assert isinstance(world.shard.groups["f"], FrozenGroup)
    replay(world, ConsumerGroupMetadataKey("f"), offset=2)
    replay(world, ConsumerGroupMemberMetadataKey("f", "m"), None, 3)
    replay(world, ConsumerGroupMetadataKey("f"), None, 4)
    world.shard.replay(5, -1, -1, commit_record("f"), 5, 1)
    assert isinstance(world.shard.groups["f"], ClassicGroup)


def test_every_kind_that_is_not_classic_is_frozen() -> None:
    assert set(KIND_OF_GROUP.values()) == set(KIND_OF_MEMBER.values()) == KINDS - {CLASSIC}
    assert set(frozen.REPLAY) == {*KIND_OF_GROUP, *KIND_OF_MEMBER}
    assert {ShareGroupMetadataKey, StreamsGroupMetadataKey} < set(KIND_OF_GROUP)
