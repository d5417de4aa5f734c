"""What a log may hold when it is loaded."""

import pytest

from kafkacompat.broker.coordinator.group.records import decode_record, encode_record
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.broker.coordinator.loading import LogReplay
from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey, OffsetCommitValue
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key
from tests.broker.coordinator.world import START, World


class _Slice:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def read(self, at: int, size_bytes: int) -> bytes:
        return self._data[at : at + size_bytes]

    def release(self) -> None:
        pass


class LogStandIn:
    """Batches as a log gives them out; the last one of a read may be cut off."""

    def __init__(self, batches: list[bytearray], cut: int) -> None:
        self._batches = batches
        self._cut = cut
        self.log = self
        self.log_start_offset = 0
        self.log_end_offset = self.high_watermark = len(batches)

    def read(self, offset: int, max_bytes: int, *, end_offset: int, at_least_one: bool) -> _Slice:
        whole = bytes(self._batches[offset])
        rest = b"".join(bytes(batch) for batch in self._batches[offset + 1 :])
        return _Slice(whole + rest[: self._cut])


def batch(offset: int, partition: int, **fields: object) -> bytearray:
    """A batch of one offset commit."""
    key, value = encode_record((OffsetCommitKey("g", "t", partition), OffsetCommitValue(offset, -1, "", 1)))
    return build_batch([Record(offset, 5, key, value)], base_offset=offset, **fields)


def marker(offset: int, kind: int, producer_id: int) -> bytearray:
    record = Record(offset, 5, encode_key(kind), encode_end_transaction(0))
    return build_batch(
        [record], base_offset=offset, producer_id=producer_id, producer_epoch=0, is_transactional=True, is_control=True
    )


def tombstone(offset: int) -> bytearray:
    key, _ = encode_record((OffsetCommitKey("g", "t", 0), None))
    return build_batch([Record(offset, 5, key, None)], base_offset=offset)


@pytest.mark.parametrize("cut", [0, 1, 61, 100, 10_000])
def test_offsets_of_transactions_count_once_they_are_committed(cut: int) -> None:
    transactional = {"producer_epoch": 0, "is_transactional": True}
    batches = [
        batch(0, 0),
        batch(1, 1, producer_id=7, **transactional),
        batch(2, 2, producer_id=8, **transactional),
        batch(3, 3, producer_id=9, **transactional),
        marker(4, COMMIT, 7),
        marker(5, ABORT, 8),
    ]
    world = World()
    replay = LogReplay(
        LogStandIn(batches, cut),
        decode_record,
        lambda: GroupCoordinatorShard(world.settings, world.rng),
        replays_every_record=False,
    )
    assert sum(replay.run()) > len(batches)
    assert list(replay.shard.offsets.topics("g")["t"]) == [0, 1]
    assert START.wall_ms > 0


def loaded(*batches: bytearray) -> GroupCoordinatorShard:
    """A shard that has read a log of these."""
    world = World()
    replay = LogReplay(
        LogStandIn(list(batches), 0),
        decode_record,
        lambda: GroupCoordinatorShard(world.settings, world.rng),
        replays_every_record=False,
    )
    for _ in replay.run():
        pass
    return replay.shard


def in_transaction(offset: int, producer_id: int, partition: int = 0) -> bytearray:
    return batch(offset, partition, producer_id=producer_id, producer_epoch=0, is_transactional=True)


@pytest.mark.parametrize(
    ("batches", "committed"),
    [
        # Each committed offset is that of its record.
        ([batch(0, 0), in_transaction(1, 7), marker(2, COMMIT, 7)], 1),
        ([in_transaction(0, 7), batch(1, 0), marker(2, COMMIT, 7)], 1),  # the plain one came later
        ([in_transaction(0, 7), marker(1, COMMIT, 7), batch(2, 0)], 2),
        ([in_transaction(0, 7), in_transaction(1, 8), marker(2, COMMIT, 8), marker(3, COMMIT, 7)], 1),
        ([in_transaction(0, 7), in_transaction(1, 8), marker(2, COMMIT, 7), marker(3, COMMIT, 8)], 1),
        ([in_transaction(0, 7), in_transaction(1, 8), marker(2, ABORT, 8), marker(3, COMMIT, 7)], 0),
        ([in_transaction(0, 7), in_transaction(1, 7), marker(2, COMMIT, 7)], 1),
        ([in_transaction(0, 7), tombstone(1), marker(2, COMMIT, 7)], None),
        ([batch(0, 0), in_transaction(1, 7), marker(2, ABORT, 7)], 0),
        ([batch(0, 0), in_transaction(1, 7)], 0),
    ],
)
def test_of_offsets_in_transactions_and_outside_the_last_record_counts(
    batches: list[bytearray], committed: int | None
) -> None:
    """As in Kafka's OffsetMetadataManager: not the one whose transaction ended last."""
    found = loaded(*batches).offsets.find("g", "t", 0, newest=True)
    assert (None if found is None else found[0]) == committed


def test_what_is_open_at_the_end_of_the_log_stays_pending() -> None:
    shard = loaded(in_transaction(0, 7), in_transaction(1, 8, partition=1), marker(2, ABORT, 8))
    assert list(shard.groups) == ["g"]  # as in Kafka, a group begins with the first offset in a transaction
    assert shard.pending.is_open("g", "t", 0)
    assert not shard.pending.is_open("g", "t", 1)
    assert shard.offsets.topics("g") == {}
    shard.replay_end_transaction(7, 0, 3, is_commit=True)
    assert not shard.pending
    assert list(shard.offsets.topics("g")["t"]) == [0]


def test_an_offset_of_a_transaction_is_committed_with_its_end() -> None:
    """Until the marker is committed too, who asks is told what was there before."""
    shard = loaded(batch(0, 0), in_transaction(1, 7))
    shard.on_committed(2)
    shard.replay_end_transaction(7, 0, 2, is_commit=True)
    ask = lambda: shard.offsets.find("g", "t", 0, newest=False)[0]  # noqa: E731
    before = ask()
    shard.on_committed(3)
    assert (before, ask()) == (0, 1)


@pytest.mark.parametrize(("replays_every_record", "offsets"), [(False, [2]), (True, [0, 1, 2])])
def test_a_coordinator_says_whether_it_needs_every_record_or_the_last_of_each_key(
    replays_every_record: bool, offsets: list[int]
) -> None:
    replay = LogReplay(
        LogStandIn([batch(offset, 0) for offset in range(3)], 0), decode_record, _Replayed,
        replays_every_record=replays_every_record,
    )  # fmt: skip
    for _ in replay.run():
        pass
    assert replay.shard.offsets == offsets


class _Replayed:
    def __init__(self) -> None:
        self.offsets: list[int] = []

    def replay(self, _offset: int, _id: int, _epoch: int, record: tuple, *_: int) -> None:
        self.offsets.append(record[1].offset)

    def on_committed(self, high_watermark: int) -> None:
        pass
