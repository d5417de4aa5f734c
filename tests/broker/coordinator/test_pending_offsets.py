"""Offsets in transactions: what a shard knows after any sequence of records, it knows again after a restart."""

import random

import pytest

from kafkacompat.broker.coordinator.group.pending_offsets import PendingOffsets
from kafkacompat.broker.coordinator.group.records import decode_record, encode_record
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.broker.coordinator.loading import LogReplay
from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey, OffsetCommitValue
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT
from tests.broker.coordinator.test_service import LogStandIn, marker
from tests.broker.coordinator.transcripts import pending_of
from tests.broker.coordinator.world import World

GROUPS = ("g", "h")
PRODUCERS = (7, 8, 9)
STEPS = 60


def key_of(group: str = "g", topic: str = "t", partition: int = 0) -> OffsetCommitKey:
    return OffsetCommitKey(group, topic, partition)


def value_of(offset: int) -> OffsetCommitValue:
    return OffsetCommitValue(offset, -1, "", 1)


class Story:
    """Random records, each a batch of its own, in a shard and in a log."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.world = World()
        self.shard = self.world.shard
        self.batches: list[bytearray] = []

    def step(self) -> None:
        offset = len(self.batches)
        if self.rng.random() < 0.25:
            self.end(self.rng.choice(PRODUCERS), is_commit=self.rng.random() < 0.6)
            return
        key = OffsetCommitKey(self.rng.choice(GROUPS), "t", self.rng.randrange(3))
        producer_id = self.rng.choice((-1, -1, *PRODUCERS))
        value = None if producer_id == -1 and self.rng.random() < 0.3 else value_of(offset)
        encoded_key, encoded_value = encode_record((key, value))
        self.batches.append(
            build_batch(
                [Record(offset, 5, encoded_key, encoded_value)], base_offset=offset, producer_id=producer_id,
                producer_epoch=0, is_transactional=producer_id != -1,
            )
        )  # fmt: skip
        self.shard.replay(offset, producer_id, 0, (key, value), offset, 5)

    def end(self, producer_id: int, *, is_commit: bool) -> None:
        offset = len(self.batches)
        self.batches.append(marker(offset, COMMIT if is_commit else ABORT, producer_id))
        self.shard.replay_end_transaction(producer_id, 0, offset, is_commit=is_commit)

    def reloaded(self, high_watermark: int, *, replays_every_record: bool) -> GroupCoordinatorShard:
        log = LogStandIn(self.batches, self.rng.choice((0, 100, 100_000)))
        log.high_watermark = high_watermark
        replay = LogReplay(
            log, decode_record, lambda: GroupCoordinatorShard(self.world.settings, self.world.rng),
            replays_every_record=replays_every_record,
        )  # fmt: skip
        for _ in replay.run():
            pass
        replay.shard.on_committed(high_watermark)
        return replay.shard


def state_of(shard: GroupCoordinatorShard) -> dict[str, object]:
    return {
        "newest": {group: shard.offsets.topics(group) for group in GROUPS},
        "committed": {group: shard.offsets.all(group, newest=False) for group in GROUPS},
        "pending": pending_of(shard),
        "groups": sorted(shard.groups),
    }


@pytest.mark.parametrize("seed", range(100))
def test_a_restart_changes_nothing(seed: int) -> None:
    """Not even that a plain commit between an offset in a transaction and its marker counts."""
    story = Story(seed)
    for _ in range(STEPS):
        story.step()
    end_offset = len(story.batches)
    high_watermark = story.rng.choice((end_offset, story.rng.randrange(end_offset + 1)))
    story.shard.on_committed(high_watermark)
    again = [story.reloaded(high_watermark, replays_every_record=every) for every in (False, True)]
    for shard in again:
        without_groups = state_of(shard) | {"groups": None}
        assert without_groups == state_of(story.shard) | {"groups": None}
        assert set(shard.groups) <= set(story.shard.groups)
        assert set(shard.groups) >= {group for group in GROUPS if shard.offsets.topics(group)}
    for producer_id in PRODUCERS:  # what is open ends in the same way
        is_commit = story.rng.random() < 0.7
        story.end(producer_id, is_commit=is_commit)
        for shard in again:
            shard.replay_end_transaction(producer_id, 0, len(story.batches) - 1, is_commit=is_commit)
    for shard in again:
        shard.on_committed(high_watermark)
        assert state_of(shard) | {"groups": None} == state_of(story.shard) | {"groups": None}
        assert not shard.pending


def test_the_sequences_contain_what_they_are_for() -> None:
    """A plain commit between an offset in a transaction and its commit; tombstones; transactions that stay open."""
    seen = set()
    for seed in range(100):
        story = Story(seed)
        for _ in range(STEPS):
            before = {group: dict(story.shard.offsets.topics(group).get("t", {})) for group in GROUPS}
            open_before = pending_of(story.shard)
            story.step()
            for (group, _, partition), values in open_before.items():
                now = story.shard.offsets.topics(group).get("t", {}).get(partition)
                was = before[group].get(partition)
                is_open = story.shard.pending.is_open(group, "t", partition)
                if not is_open and now is not None and now == was and now[0] > max(v.offset for v in values):
                    seen.add("skipped by a commit, or aborted")
                if not is_open and now is None and was is not None:
                    seen.add("tombstone")
        if story.shard.pending:
            seen.add("open at the end")
    assert len(seen) == 3


def test_an_item_is_open_until_each_of_its_producers_has_ended() -> None:
    pending = PendingOffsets()
    pending.put(1, 7, key_of(), value_of(1))
    pending.put(2, 8, key_of(), value_of(2))
    pending.put(3, 8, key_of(topic="u"), value_of(3))
    assert [offset for offset, _, _ in pending.end(7)] == [1]
    assert pending.is_open("g", "t", 0)
    assert sorted(pending.places("g")) == [("t", 0), ("u", 0)]
    pending.drop(key_of())
    assert (pending.is_open("g", "t", 0), pending.has_open("g"), pending.has_open("h")) == (False, True, False)
    assert [offset for offset, _, _ in pending.end(8)] == [3]
    assert not pending
    assert list(pending.group_ids()) == []
    assert pending.end(8) == []


def test_everything_is_freed_in_parts() -> None:
    pending = PendingOffsets()
    for producer_id in range(50):
        pending.put(producer_id, producer_id, key_of(group=str(producer_id % 5)), value_of(1))
    assert len(list(pending.release())) == 55
    assert not pending
    assert list(pending.group_ids()) == []
