"""Which shard is loaded first, how much in a turn, and what is kept of a log."""

import random
from collections.abc import Iterator
from contextlib import suppress

import pytest

from kafkacompat.broker.coordinator import loading
from kafkacompat.broker.coordinator.loading import (
    KEPT_PER_COST,
    PLAIN_PER_COST,
    LatestRecords,
    Loader,
    LogReplay,
    advance,
)
from kafkacompat.broker.timers import Timers
from kafkacompat.now import Now
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.replication.partition import Partition
from kafkacompat.storage.memfs import MemFs
from tests.broker.coordinator.test_service import LogStandIn, _Slice
from tests.storage.support import TOPIC_ID, append, open_log

NOW = Now(5, 0)


class FakeShard:
    def __init__(self, size: int) -> None:
        self.left = size
        self.has_work = True
        self.turns: list[int] = []

    def work(self, budget: int, now: Now) -> int:
        self.turns.append(now.monotonic_ms)
        done = min(budget, self.left)
        self.left -= done
        self.has_work = done == budget
        return done


class _Silent:
    def on_committed(self, _high_watermark: int) -> None:
        pass


def turn(timers: Timers, monotonic_ms: int) -> None:
    timers.run(Now(monotonic_ms, 0))


def test_what_fits_into_one_turn_is_loaded_at_once() -> None:
    timers = Timers()
    loader = Loader(timers, lambda: True)
    for shard in (FakeShard(loading.ITERATION_BUDGET // 2), FakeShard(0)):
        loader.add(shard, NOW)
        assert not shard.has_work
    assert len(timers) == 0


def test_all_shards_share_a_turn_and_small_ones_do_not_wait_for_a_large_one() -> None:
    timers = Timers()
    loader = Loader(timers, lambda: True)
    large, small, smaller = FakeShard(3 * loading.ITERATION_BUDGET), FakeShard(5), FakeShard(3)
    for shard in (large, small, smaller):
        loader.add(shard, NOW)
    assert (large.left, small.turns) == (2 * loading.ITERATION_BUDGET, [])
    turn(timers, 6)
    turn(timers, 7)
    assert (large.turns, small.has_work, smaller.has_work) == ([5, 6, 7], False, False)
    assert 0 < large.left < loading.ITERATION_BUDGET
    turn(timers, 7)
    assert not large.has_work
    assert len(timers) == 0


def test_more_is_loaded_at_once_while_nobody_is_served() -> None:
    timers = Timers()
    shard = FakeShard(loading.START_UP_BUDGET - 1)
    Loader(timers, lambda: False).add(shard, NOW)
    assert not shard.has_work


def test_what_is_dropped_is_not_loaded_any_more() -> None:
    timers = Timers()
    loader = Loader(timers, lambda: True)
    dropped, kept = FakeShard(3 * loading.ITERATION_BUDGET), FakeShard(3)
    loader.add(dropped, NOW)
    loader.add(kept, NOW)
    loader.drop(dropped)
    turn(timers, 6)
    assert (dropped.turns, kept.turns) == ([5], [6])


def test_a_mistake_in_one_shard_holds_up_no_other() -> None:
    timers = Timers()
    loader = Loader(timers, lambda: True)
    large, bad = FakeShard(2 * loading.ITERATION_BUDGET), FakeShard(1)
    bad.work = mistake  # type: ignore[method-assign]
    loader.add(large, NOW)
    loader.add(bad, NOW)
    for now_ms in range(6, 12):
        with suppress(ZeroDivisionError):
            turn(timers, now_ms)
    assert not large.has_work


def test_shards_that_load_together_share_what_they_may_keep() -> None:
    timers = Timers()
    loader = Loader(timers, lambda: True)
    seen = []

    class Asks(FakeShard):
        def work(self, budget: int, now: Now) -> int:
            seen.append(loader.kept_bytes)
            return super().work(budget, now)

    for _ in range(4):
        loader.add(Asks(loading.ITERATION_BUDGET + 1), NOW)
    turn(timers, 6)
    assert (seen[0], min(seen)) == (loading.KEPT_BYTES, loading.KEPT_BYTES // 4)


@pytest.mark.parametrize("is_repeated", [False, True])
def test_a_batch_that_is_decoded_at_last_costs_what_decoding_costs(is_repeated: bool) -> None:
    count = 96
    log = LogStandIn([], 0)
    log.log_end_offset = log.high_watermark = count * (1 + is_repeated)

    def read(offset: int, *_: object, **_how: object) -> _Slice:
        records = [Record(offset + key, 5, b"%02d" % key, b"v") for key in range(count)]
        return _Slice(bytes(build_batch(records, base_offset=offset)))

    log.read = read
    replay = LogReplay(log, lambda *_: None, _Silent, replays_every_record=False)
    per_cost = PLAIN_PER_COST if is_repeated else KEPT_PER_COST
    assert list(replay.run())[-count - 1] == 1 + count // per_cost


def mistake(_most: int, _now: Now) -> int:
    raise ZeroDivisionError


def test_no_more_steps_than_asked_for() -> None:
    steps: Iterator[int] = iter([1] * 5)
    assert [advance(steps, 3), advance(steps, 3), advance(steps, 3)] == [3, 2, 0]


def test_only_the_last_record_of_a_key_is_kept_in_the_order_of_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "CHUNK_RECORDS", 3)
    rng = random.Random(7)
    latest, expected = LatestRecords(), {}
    for number in range(500):
        key = b"%d" % rng.randrange(40)
        latest.keep_all([(key, (b"%d" % number, number, number + 1))])
        expected.pop(key, None)
        expected[key] = (b"%d" % number, number, number + 1)
    assert list(latest.drain()) == list(expected.items())
    assert list(latest.drain()) == []
    assert not any(latest._chunk_of)


class LastValues:
    """A shard that keeps the last value of each key."""

    def __init__(self) -> None:
        self.values: dict[bytes, bytes | None] = {}

    def replay(self, _offset: int, _id: int, _epoch: int, record: tuple[bytes, bytes | None], *_more: int) -> None:
        self.values[record[0]] = record[1]

    def on_committed(self, _offset: int) -> None: ...


def test_a_log_that_moves_between_two_parts_is_read_on_in_the_other_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "READ_BYTES", 100)
    fs = MemFs()
    old, new = open_log(fs, path="/a/t-0"), open_log(fs, path="/b/t-0")
    for log in (old, new):
        for number in range(10):
            key = str(number).encode()
            append(log, build_batch([Record(0, 5, key, key)]))
    partition = Partition("t", 0, TOPIC_ID, 1, old, 10)
    replay = LogReplay(partition, lambda key, value: (key, value), LastValues, replays_every_record=True)
    run = replay.run()
    while len(replay.shard.values) < 5:
        next(run)
    partition.replace_log(new)
    old.close(clean=False, now=NOW)
    fs.rmtree("/a/t-0")
    for _ in run:
        pass
    assert len(replay.shard.values) == 10
