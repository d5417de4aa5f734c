"""A shard asks its groups what it has to know of them, whatever kind they are."""

import pytest

from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup
from kafkacompat.broker.coordinator.group.event_context import EventContext
from kafkacompat.broker.coordinator.group.group import CLASSIC, KINDS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.consumer_offsets import ConsumerGroupMetadataKey
from kafkacompat.protocol.messages.offset_delete import OffsetDeleteRequestPartition, OffsetDeleteRequestTopic
from tests.broker.coordinator.world import World


class OtherGroup:
    """A group of another kind, which lets its one member commit and fetch."""

    kind = "other"
    state = "Reconciling"
    size = 1
    listed_protocol_type = "anything"

    def __init__(self, group_id: str) -> None:
        self.id = group_id
        self.is_empty = False
        self.alive: list[str] = []

    def is_subscribed_to(self, topic: str) -> bool:
        return topic == "read"

    def check_commit(self, member_id: str, _instance_id: str | None, generation: int) -> int:
        return errors.NONE if (member_id, generation) == ("m", 7) else errors.STALE_MEMBER_EPOCH

    def check_fetch(self, member_id: str | None, member_epoch: int) -> int:
        return errors.NONE if (member_id, member_epoch) == ("m", 7) else errors.STALE_MEMBER_EPOCH

    def check_offset_delete(self) -> int:
        return errors.NONE

    def check_delete(self) -> int:
        return errors.NONE if self.is_empty else errors.NON_EMPTY_GROUP

    def has_committed(self, member_id: str, _event: EventContext) -> None:
        self.alive.append(member_id)

    def retention_start_ms(self, topic: str, committed_ms: int) -> int | None:
        return None if topic == "kept" else committed_ms

    def write_tombstones(self, event: EventContext) -> None:
        event.write(ConsumerGroupMetadataKey(self.id), None)

    def snapshot(self) -> "OtherGroup":
        return self


@pytest.fixture
def world() -> World:
    world = World(offsets_retention_ms=1_000, offsets_retention_check_interval_ms=10_000)
    world.shard.groups["o"] = OtherGroup("o")
    return world


def test_a_group_decides_who_commits_and_hears_of_it(world: World) -> None:
    refused = world.commit("t", {0: 5}, group="o", member_id="m", generation=6)
    taken = world.commit("t", {0: 5}, group="o", member_id="m", generation=7)
    assert [answer.topics[0].partitions[0].error_code for answer in (refused, taken)] == [
        errors.STALE_MEMBER_EPOCH,
        errors.NONE,
    ]
    assert world.shard.groups["o"].alive == ["m"]


@pytest.mark.parametrize("newest", [True, False])
def test_a_group_decides_who_fetches(world: World, newest: bool) -> None:
    fetch = lambda epoch: world.shard.fetch_offsets(  # noqa: E731
        "o", None, lambda _: bytes(16), member_id="m", member_epoch=epoch, newest=newest
    )
    assert [fetch(6).error_code, fetch(7).error_code] == [errors.STALE_MEMBER_EPOCH, errors.NONE]


def test_a_group_is_listed_as_what_it_is(world: World) -> None:
    world.shard.groups["c"] = ClassicGroup("c", 1)
    listed = lambda *kinds: {  # noqa: E731
        (group.group_id, group.protocol_type, group.group_state, group.group_type)
        for group in world.shard.list_groups((), kinds)
        if group is not None
    }
    assert CLASSIC in KINDS
    assert listed(CLASSIC) == {("c", "", "Empty", "classic")}
    assert listed("other") == {("o", "anything", "Reconciling", "other")}
    assert listed() == listed(CLASSIC, "other") == listed(CLASSIC) | listed("other")


def test_what_is_subscribed_keeps_its_offsets(world: World) -> None:
    for topic in ("read", "gone"):
        world.commit(topic, {0: 5}, group="o", member_id="m", generation=7)
    asked = [(OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(0)]), {}) for topic in ("read", "gone")]
    answer = world.perform(world.shard.delete_offsets("o", asked, world.now))
    codes = [topic.partitions[0].error_code for topic in answer.topics]
    assert codes == [errors.GROUP_SUBSCRIBED_TO_TOPIC, errors.NONE]
    assert list(world.shard.offsets.topics("o")) == ["read"]


def test_a_group_says_from_when_offsets_expire(world: World) -> None:
    for topic in ("kept", "gone"):
        world.commit(topic, {0: 5}, group="o", member_id="m", generation=7)
    world.advance(10_000)
    assert list(world.shard.offsets.topics("o")) == ["kept"]


def test_only_a_group_itself_says_when_it_may_be_deleted_and_by_which_records(world: World) -> None:
    world.commit("t", {0: 5}, group="o", member_id="m", generation=7)
    delete = lambda: world.shard.delete_groups(["o"], None, world.now)  # noqa: E731
    assert delete().response.results[0].error_code == errors.NON_EMPTY_GROUP
    world.shard.groups["o"].is_empty = True
    result = delete()
    assert result.response.results[0].error_code == errors.NONE
    assert [type(key).__name__ for key, _ in result.records] == ["OffsetCommitKey", "ConsumerGroupMetadataKey"]
    assert all(value is None for _, value in result.records)


def test_members_requests_of_classic_groups_do_not_find_another_kind(world: World) -> None:
    assert world.heartbeat("m", 7, group="o").error_code == errors.UNKNOWN_MEMBER_ID
    assert world.shard.describe_group("o", errors.GROUP_ID_NOT_FOUND).error_code == errors.GROUP_ID_NOT_FOUND
