"""Whatever members do, in whatever order: what must hold for every classic group."""

import random

import pytest

from kafkacompat.broker.coordinator.group.classic.classic_group import (
    COMPLETING,
    EMPTY,
    PREPARING,
    STABLE,
    TRANSITIONS,
    ClassicGroup,
)
from kafkacompat.broker.coordinator.group.records import decode_record
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.protocol.error_codes import FENCED_INSTANCE_ID, NONE, UNKNOWN_MEMBER_ID
from kafkacompat.protocol.internal.consumer_offsets import GroupMetadataKey
from kafkacompat.protocol.messages.join_group import JoinGroupResponse
from tests.broker.coordinator.transcripts import summary
from tests.broker.coordinator.world import World, protocols, subscription

CLIENTS = ("a", "b", "c", "d", "e")
GROUPS = ("g", "h")
OFFERS = (
    protocols(("range", subscription("t"))),
    protocols(("range", subscription("u")), ("sticky", subscription("u"))),
    protocols(("sticky", subscription("t")), ("range", subscription("t"))),
)
EVENTS = ("join", "rejoin", "rejoin", "sync", "beat", "commit", "wait", "round", "round", "rare")
STEPS = 150


class Crowd:
    """Clients that do as they like. Each remembers the last id and generation that it was told of each group."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        delay_ms = self.rng.choice((0, 3000))
        self.world = World(seed, initial_rebalance_delay_ms=delay_ms, max_members=self.rng.choice((3, 100)))
        self.told: dict[tuple[str, str], tuple[str, int]] = {}
        self.asked: dict[int, tuple[str, str]] = {}
        self.seen = 0

    def step(self) -> None:
        client, group = self.rng.choice(CLIENTS), self.rng.choice(GROUPS)
        member_id, generation = self.told.get((client, group), ("", -1))
        instance = client if client in "ab" else None
        match self.rng.choice(EVENTS):
            case "join":
                self._join(client, group, "", instance)
            case "rejoin":
                self._join(client, group, member_id, instance if member_id else None)
            case "sync":
                self._sync(group, member_id, generation, instance)
            case "beat":
                self.world.heartbeat(member_id, generation, group=group, instance=instance)
            case "commit":
                self.world.commit(
                    "t", {0: self.rng.randrange(99)}, group=group, generation=generation, member_id=member_id
                )
            case "wait":
                self.world.advance(self.rng.choice((1, 100, 1000, 3000, 9000)))
            case "round":
                self._round(group)
            case "rare":
                if self.rng.random() < 0.6:
                    self.world.leave((member_id, instance), group=group)
                elif self.rng.random() < 0.3:
                    self.world.restart()
        self._learn()

    def _round(self, group: str) -> None:
        """For once everyone does as a client should: all members join again, then all sync."""
        for event in ("rejoin", "sync"):
            for client in CLIENTS:
                member_id, generation = self.told.get((client, group), ("", -1))
                instance = client if client in "ab" else None
                if member_id and event == "rejoin":
                    self._join(client, group, member_id, instance)
                elif member_id:
                    self._sync(group, member_id, generation, instance)
            self._learn()

    def _join(self, client: str, group: str, member_id: str, instance: str | None) -> None:
        token = self.world.token()
        self.asked[token] = (client, group)
        self.world.join(
            client,
            token=token,
            group=group,
            member_id=member_id,
            group_instance_id=instance,
            protocols=self.rng.choice(OFFERS),
            version=self.rng.choice((3, 9)) if instance is None else 9,
        )

    def _sync(self, group: str, member_id: str, generation: int, instance: str | None) -> None:
        known = self.world.shard.groups.get(group)
        assignments = {other: other.encode() for other in (known.members if known else ())} | {"stranger": b"x"}
        self.world.sync(member_id, generation, assignments, group=group, group_instance_id=instance)

    def _learn(self) -> None:
        """Take in the answers; all of a generation name the same leader."""
        replies = list(self.world.replies.items())
        for token, response in replies[self.seen :]:
            if isinstance(response, JoinGroupResponse) and token in self.asked:
                client, group = self.asked[token]
                is_unknown = response.error_code in (UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID)
                self.told[client, group] = ("" if is_unknown else response.member_id, response.generation_id)
                if response.error_code == NONE and not response.skip_assignment:
                    assert response.generation_id > 0
                    assert bool(response.members) == (response.leader == response.member_id)
        self.seen = len(replies)


def check_group(group: ClassicGroup) -> None:
    """What ties the parts of a group together."""
    members = group.members
    assert group.state in TRANSITIONS
    assert (group.leader is None) == (not members)
    assert group.leader is None or group.leader in members
    assert group.static_ids == {m.instance_id: m.id for m in members.values() if m.instance_id is not None}
    assert not group.pending.keys() & members.keys()
    for waiting in (group.joining, group.syncing, group.pending_sync):
        assert waiting.keys() <= members.keys()
    assert not group.joining or group.state == PREPARING
    assert not group.syncing or group.state == COMPLETING
    assert not group.pending_sync or group.state in (COMPLETING, STABLE)
    assert group.state != EMPTY or not members
    assert group.state not in (STABLE, COMPLETING) or members
    counted: dict[str, int] = {}
    for member in members.values():
        for name, _ in member.protocols:
            counted[name] = counted.get(name, 0) + 1
        assert member.timer_ms is not None or member.id in group.joining or member.id in group.syncing
    assert counted == group.supporters
    if group.state == STABLE:
        assert {m.assignment for m in members.values()} <= {b"", *(mid.encode() for mid in members)} or group.static_ids


def check_log(world: World) -> None:
    """Generations only grow while a group lives, and assignments name members alone."""
    generations: dict[str, int] = {}
    for key, value, *_ in world.log:
        message_key, message = decode_record(key, value)
        if isinstance(message_key, GroupMetadataKey):
            if message is None:
                generations.pop(message_key.group, None)
                continue
            assert message.generation >= generations.get(message_key.group, 0)
            generations[message_key.group] = message.generation
            assert (message.leader is None) == (not message.members)
            assert len({member.member_id for member in message.members}) == len(message.members)


def check_replay(world: World) -> None:
    """A group at rest is what the log says of it; so are all offsets."""
    replayed: GroupCoordinatorShard = world.replayed()
    for group_id, group in world.shard.groups.items():
        assert replayed.offsets.topics(group_id) == world.shard.offsets.topics(group_id)
        if group.state in (STABLE, EMPTY):
            assert summary(replayed.groups[group_id]) == summary(group)


def check_compaction(world: World) -> None:
    """The last record of each key says the same as all of them, but of groups that nothing is kept of."""
    whole, compacted = world.replayed(), world.replayed(world.compacted())
    for group_id, group in whole.groups.items():
        assert compacted.offsets.topics(group_id) == whole.offsets.topics(group_id)
        if group_id in compacted.groups:
            assert summary(compacted.groups[group_id]) == summary(group)
        else:
            assert group.is_simple
            assert not whole.offsets.topics(group_id)
    assert compacted.groups.keys() <= whole.groups.keys()


@pytest.mark.parametrize("seed", range(60))
def test_any_order_of_events(seed: int) -> None:
    crowd = Crowd(seed)
    world = crowd.world
    before: dict[str, tuple[int, ClassicGroup]] = {}
    for _ in range(STEPS):
        crowd.step()
        for group in world.shard.groups.values():
            check_group(group)
            generation, same = before.get(group.id, (0, group))
            assert same is not group or group.generation >= generation, "generations only grow"
            before[group.id] = (group.generation, group)
        check_replay(world)
    check_log(world)
    check_compaction(world)


@pytest.mark.parametrize("seed", range(20))
def test_everybody_is_answered_in_the_end(seed: int) -> None:
    crowd = Crowd(1000 + seed)
    world = crowd.world
    for _ in range(STEPS):
        crowd.step()
    world.advance(10 * 60_000)
    for group in world.shard.groups.values():
        assert group.state == EMPTY
        assert not group.pending
    world.advance(8 * 24 * 3_600_000)
    assert world.shard.groups == {}
    assert set(world.timers) == {("expiry",)}


def test_the_same_seed_makes_the_same_log() -> None:
    logs = []
    for _ in range(2):
        crowd = Crowd(10)
        for _ in range(STEPS):
            crowd.step()
        logs.append(crowd.world.log)
    assert logs[0] == logs[1]
    assert len(logs[0]) > 20
