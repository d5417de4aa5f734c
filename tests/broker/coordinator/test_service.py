"""What a log may hold when it is loaded."""

import pytest

from kafkacompat.broker.coordinator.group.records import decode_record, encode_record
from kafkacompat.broker.coordinator.group.shard import GroupShard
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


class _Log:
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


@pytest.mark.parametrize("cut", [0, 1, 61, 100, 10_000])
def test_offsets_of_transactions_count_once_they_are_committed(cut: int) -> None:
    """Apache Kafka's logs may hold such, though this broker does not write them."""
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
        _Log(batches, cut), decode_record, lambda: GroupShard(world.settings, world.rng), replays_every_record=False
    )
    assert sum(replay.steps()) > len(batches)
    assert list(replay.core.offsets.topics("g")["t"]) == [0, 1]
    assert START.wall_ms > 0


@pytest.mark.parametrize(("replays_every_record", "offsets"), [(False, [2]), (True, [0, 1, 2])])
def test_a_coordinator_says_whether_it_needs_every_record_or_the_last_of_each_key(
    replays_every_record: bool, offsets: list[int]
) -> None:
    replay = LogReplay(
        _Log([batch(offset, 0) for offset in range(3)], 0), decode_record, _Replayed,
        replays_every_record=replays_every_record,
    )  # fmt: skip
    for _ in replay.steps():
        pass
    assert replay.core.offsets == offsets


class _Replayed:
    def __init__(self) -> None:
        self.offsets: list[int] = []

    def replay(self, record: tuple, last_offset: int, wall_ms: int) -> None:
        self.offsets.append(record[1].offset)

    def on_committed(self, high_watermark: int) -> None:
        pass
