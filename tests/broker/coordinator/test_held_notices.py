"""A notice leaves a shard when its records are committed, and never before; in order, each once."""

import inspect
from types import SimpleNamespace

import pytest

from kafkacompat.broker.coordinator.held_notices import RELEASED_AT_ONCE, HeldNotices
from kafkacompat.broker.coordinator.loading import Loader
from kafkacompat.broker.coordinator.result import Notify, Result
from kafkacompat.broker.coordinator.runtime import CoordinatorContext
from kafkacompat.broker.timers import Timers
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.storage.errors import LogError

NOW = Now(5, 0)
COUNT = 200


def test_a_notice_waits_for_the_high_watermark() -> None:
    heard: list[object] = []
    held = HeldNotices(lambda notice, _now: heard.append(notice))
    held.hold("first", 3)
    held.hold("second", 3)
    held.hold("third", 7)
    held.release(2, NOW)
    assert not heard
    held.release(6, NOW)
    assert heard == ["first", "second"]
    held.release(7, NOW)
    held.release(8, NOW)
    assert heard == ["first", "second", "third"]


def test_what_a_notice_brings_about_may_hold_more() -> None:
    heard: list[object] = []

    def deliver(notice: object, _now: Now) -> None:
        heard.append(notice)
        if notice == "first":
            held.hold("third", 4)

    held = HeldNotices(deliver)
    held.hold("first", 1)
    held.hold("second", 2)
    held.release(4, NOW)
    assert heard == ["first", "second", "third"]
    assert len(held) == 0


def test_only_so_many_are_delivered_in_one_turn() -> None:
    heard: list[object] = []
    held = HeldNotices(lambda notice, _now: heard.append(notice))
    for number in range(2 * RELEASED_AT_ONCE):
        held.hold(number, number)
    assert held.release(3 * RELEASED_AT_ONCE, NOW)
    assert heard == list(range(RELEASED_AT_ONCE))
    assert not held.release(3 * RELEASED_AT_ONCE, NOW)
    assert heard == list(range(2 * RELEASED_AT_ONCE))


class Shard:
    """Replays names; an event writes one and tells its service of it."""

    def __init__(self) -> None:
        self.replayed: list[str] = []

    def decide(self, name: str, *, records: bool = True) -> Result:
        result = Result()
        if records:
            result.records = [(name, None)]
        result.effects.append(Notify(name))
        return result

    def on_loaded(self, _now: Now):
        yield self.decide("found in the log", records=False)

    def release(self):
        yield 1

    def replay(self, _offset: int, _id: int, _epoch: int, record: tuple[str, None], *_: int) -> None:
        self.replayed.append(record[0])

    def on_committed(self, _high_watermark: int) -> None:
        pass


class Replicated:
    """A log whose high watermark is moved by the test, or by an append (`commits_at_once`)."""

    topic, index = "t", 0
    has_failed = False
    high_watermark = 0
    isr = (1, 2)
    in_sync = SimpleNamespace(min_isr=1)

    def __init__(self, log_end_offset: int, timers: Timers) -> None:
        self.timers = timers
        self.log_end_offset = log_end_offset
        self.log = SimpleNamespace(log_start_offset=log_end_offset, log_end_offset=log_end_offset)
        self.refuses = self.commits_at_once = self.is_appending = False
        self.context: CoordinatorContext[Shard] | None = None

    def append(self, *_args: object, internal: bool, **_how: object) -> SimpleNamespace:
        assert internal
        if self.refuses:
            raise LogError(errors.NOT_ENOUGH_REPLICAS, "a replica is missing")
        offset, self.log_end_offset = self.log_end_offset, self.log_end_offset + 1
        if self.commits_at_once:
            self.is_appending = True
            self.commit(self.log_end_offset)
            self.is_appending = False
        return SimpleNamespace(first_offset=offset, last_offset=offset, sync_required=False)

    def commit(self, high_watermark: int) -> None:
        self.high_watermark = high_watermark
        assert self.context is not None
        self.context.on_high_watermark(NOW)
        if not self.is_appending:
            self.timers.run(NOW)


class World:
    """A context that is loaded; `heard` has the notices, each with what the shard had replayed by then."""

    def __init__(self, log_end_offset: int = 0) -> None:
        self.heard: list[tuple[object, list[str]]] = []
        timers = Timers()
        self.partition = partition = Replicated(log_end_offset, timers)
        purgatory = SimpleNamespace(touch=lambda *_: None)
        compaction = SimpleNamespace(bound_tail=lambda *_: None)
        node = SimpleNamespace(
            partitions=partition, timers=timers, life_timers=timers, purgatory=purgatory, compaction=compaction
        )
        self.context = partition.context = CoordinatorContext(
            node,  # type: ignore[arg-type]
            Loader(timers, lambda: True),
            partition,  # type: ignore[arg-type]
            Shard,  # type: ignore[type-var]
            lambda _records, _now: bytearray(1),
            lambda _key, _value: None,
            replays_every_record=True,
            notify=lambda notice, _now: self.heard.append((notice, list(self.context.shard.replayed))),
        )
        self.context.load(NOW)
        timers.run(NOW)
        assert self.context.is_active


def test_nothing_is_told_before_the_records_are_committed() -> None:
    world = World()
    world.heard.clear()
    world.context.do(lambda shard: shard.decide("prepare"), NOW)
    assert not world.heard
    world.partition.commit(1)
    assert world.heard == [("prepare", ["prepare"])]


def test_nothing_is_told_of_records_that_could_not_be_written() -> None:
    world = World()
    world.heard.clear()
    world.partition.refuses = True
    world.context.do(lambda shard: shard.decide("prepare"), NOW)
    world.partition.commit(5)
    assert not world.heard


def test_an_append_that_commits_at_once_is_replayed_before_anything_is_told() -> None:
    world = World()
    world.heard.clear()
    world.context.do(lambda shard: shard.decide("earlier"), NOW)
    world.partition.commits_at_once = True
    world.context.do(lambda shard: shard.decide("later"), NOW)
    world.partition.timers.run(NOW)
    assert world.heard == [("earlier", ["earlier", "later"]), ("later", ["earlier", "later"])]


def test_nothing_is_told_in_the_middle_of_what_moves_the_high_watermark() -> None:
    world = World()
    world.heard.clear()
    world.context.do(lambda shard: shard.decide("prepare"), NOW)
    world.partition.is_appending = True
    world.partition.commit(1)
    assert not world.heard
    assert not world.context.is_settled
    world.partition.timers.run(NOW)
    assert world.heard == [("prepare", ["prepare"])]
    assert world.context.is_settled


def test_each_notice_may_bring_about_another_event_however_many_there_are() -> None:
    """Its event is done within the notice, and what that releases comes after it: nothing grows with their number."""
    world = World()
    world.heard.clear()
    deepest = 0

    def heard(notice: object, now: Now) -> None:
        nonlocal deepest
        deepest = max(deepest, len(inspect.stack(0)))
        world.heard.append((notice, []))
        if len(world.heard) <= COUNT:
            world.context.do(lambda shard: shard.decide(f"of {notice}"), now)

    world.context._notices._deliver = heard
    for number in range(COUNT):
        world.context.do(lambda shard, number=number: shard.decide(str(number)), NOW)
    world.partition.commits_at_once = True
    world.partition.commit(COUNT)
    while (deadline_ms := world.partition.timers.next_deadline_ms()) is not None:
        assert deadline_ms <= NOW.monotonic_ms
        world.partition.timers.run(NOW)
    assert [notice for notice, _ in world.heard[:COUNT]] == [str(number) for number in range(COUNT)]
    assert len(world.heard) == 2 * COUNT
    assert deepest < len(inspect.stack(0)) + 20


def test_events_beside_a_backlog_bring_no_more_of_it_into_a_turn() -> None:
    world = World()
    world.heard.clear()
    for number in range(COUNT):
        world.context.do(lambda shard, number=number: shard.decide(str(number)), NOW)
    world.partition.commits_at_once = world.partition.is_appending = True
    world.partition.commit(COUNT)  # its timer is set, and runs in the next turn
    turns = []
    while world.context._notices:
        before = len(world.heard)
        for number in range(10) if len(turns) < 3 else ():
            world.context.do(lambda shard, number=number: shard.decide(f"beside {number}"), NOW)
        world.partition.timers.run(NOW)
        turns.append(len(world.heard) - before)
    assert max(turns) <= RELEASED_AT_ONCE
    assert sum(turns) == COUNT + 30
    assert [notice for notice, _ in world.heard[:COUNT]] == [str(number) for number in range(COUNT)]


@pytest.mark.parametrize("is_committed", [True, False])
def test_what_was_found_in_the_log_is_told_when_the_whole_log_is_committed(is_committed: bool) -> None:
    world = World(log_end_offset=9)
    assert not world.heard
    world.partition.commit(9 if is_committed else 8)
    assert [notice for notice, _ in world.heard] == (["found in the log"] if is_committed else [])


def test_a_shard_that_is_unloaded_tells_nothing_more() -> None:
    world = World()
    world.heard.clear()
    world.context.do(lambda shard: shard.decide("prepare"), NOW)
    world.context.unload(NOW)
    world.partition.commit(1)
    assert not world.heard
