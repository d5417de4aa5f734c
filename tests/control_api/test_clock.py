"""A moved clock fires what becomes due on its way, on all nodes in order."""

import asyncio
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from kafkacompat import KafkaCompatError
from kafkacompat.broker.timers import NodeTimers
from kafkacompat.control_api import clock as control
from kafkacompat.control_api.clock import advance
from kafkacompat.now import Now
from kafkacompat.server import clock as system_clock
from kafkacompat.server.clock import SystemClock

LONG_MS = 3_600_000


class Node:
    """A node with timers and nothing else."""

    def __init__(self, node_id: int, clock: SystemClock) -> None:
        self.broker, self.coordinators, self.retention, self.node_id = self, self, self, node_id
        self.is_running, self.is_temporary = False, False
        self.timers = NodeTimers()
        self.life_timers = self.timers.life
        self.waits: dict[str, int] = {}  # how far each partition is that has something to commit
        self.now = clock.now
        self.events = 0
        self.has_ended_grace = False

    def unsettled(self) -> Iterator[tuple[object, int]]:
        return iter(self.waits.items())

    def after_event(self) -> None:
        self.events += 1

    def end_grace(self) -> None:
        self.has_ended_grace = True

    def pop_gone(self) -> list[str]:
        return []


@pytest.fixture
def clock():
    clock = SystemClock()
    clock.freeze()
    return clock


def test_timers_of_all_nodes_fire_in_order_each_at_its_time(clock):
    nodes, begin_ms, seen = [Node(1, clock), Node(2, clock)], clock.now().life_ms, []

    def timer(node: Node, name: str, in_ms: int) -> None:
        key = ("context", "session", "g", name)
        node.life_timers.set(key, begin_ms + in_ms, lambda now: seen.append((name, now.life_ms - begin_ms)))

    timer(nodes[0], "b", 200)
    timer(nodes[1], "a", 100)
    timer(nodes[1], "c", 300)
    timer(nodes[0], "later", LONG_MS)
    done = asyncio.run(advance(nodes, clock, 400))
    assert seen == [("a", 100), ("b", 200), ("c", 300)]
    assert done.fired[0] == "session of member a in group g on node 2"
    assert clock.now().life_ms == begin_ms + 400
    assert all(node.events for node in nodes)


def test_a_timer_that_a_timer_sets_fires_on_the_same_way(clock):
    node, begin_ms, seen = Node(1, clock), clock.now().life_ms, []

    def first(now: Now) -> None:
        node.life_timers.set(("c", "join", "g"), now.life_ms + 50, lambda at: seen.append(at.life_ms - begin_ms))

    node.life_timers.set(("c", "sync", "g"), begin_ms + 10, first)
    assert asyncio.run(advance([node], clock, 100)).fired == ("sync in group g on node 1", "join in group g on node 1")
    assert seen == [60]


def test_a_session_that_was_extended_is_named_once_when_it_ends(clock):
    node, begin_ms, key = Node(1, clock), clock.now().life_ms, ("c", "session", "g", "m")
    node.life_timers.set(key, begin_ms + 10, lambda at: node.life_timers.set(key, at.life_ms + 20, lambda _now: None))
    assert asyncio.run(advance([node], clock, 20)).fired == ()
    assert asyncio.run(advance([node], clock, 20)).fired == ("session of member m in group g on node 1",)


def test_what_a_timer_does_is_committed_before_the_next_fires(clock):
    node, begin_ms, seen = Node(1, clock), clock.now().life_ms, []

    def first(_now: Now) -> None:
        node.waits["p"] = 0
        asyncio.get_running_loop().call_soon(node.waits.clear)

    node.life_timers.set(("c", "session", "g", "a"), begin_ms + 1, first)
    node.life_timers.set(("c", "session", "g", "b"), begin_ms + 2, lambda _now: seen.append(not node.waits))
    asyncio.run(advance([node], clock, 10))
    assert seen == [True]
    assert node.events == 3, "it looks for its next deadline after each timer, and at the end"


def test_old_things_are_looked_for_once_at_the_end(clock):
    node, begin_ms, seen = Node(1, clock), clock.now().life_ms, []

    def look(now: Now) -> None:
        seen.append(now.life_ms - begin_ms)
        node.life_timers.set_periodic("look", now.life_ms + 10, look)

    node.life_timers.set_periodic("look", begin_ms + 10, look)
    node.timers.set("producer expiration", begin_ms + LONG_MS, lambda _now: seen.append("producers"))
    assert asyncio.run(advance([node], clock, 5_000)).fired == ()
    assert seen == ["producers", 5_000]


@pytest.mark.parametrize("is_temporary", [False, True])
def test_a_directory_that_stays_is_spared_by_retention_however_far_the_clock_moves(clock, is_temporary):
    node = Node(1, clock)
    node.is_temporary = is_temporary
    asyncio.run(advance([node], clock, 5_000))
    assert node.has_ended_grace == is_temporary


def test_without_sessions_only_the_wall_clock_moves(clock):
    node, before = Node(1, clock), clock.now()
    node.life_timers.set(("c", "session", "g", "m"), before.life_ms + 1, lambda _now: pytest.fail("it fired"))
    done = asyncio.run(advance([node], clock, LONG_MS, sessions=False))
    assert (clock.now().life_ms, clock.now().wall_ms) == (before.life_ms, before.wall_ms + LONG_MS)
    assert done == (before.wall_ms + LONG_MS, ())
    assert node.events == 1, "the node looks for its next deadline"


@pytest.mark.parametrize("ms", [-1, control.ADVANCE_MAX_MS + 1])
def test_no_clock_goes_back_or_too_far(clock, ms):
    before_ms = clock.now().wall_ms
    with pytest.raises(KafkaCompatError, match=f"cannot be advanced by {ms} ms: give 0 to"):
        asyncio.run(advance([Node(1, clock)], clock, ms))
    assert clock.now().wall_ms == before_ms


def test_timers_without_end_stop_the_clock_and_lose_no_periodic_one(clock, monkeypatch):
    monkeypatch.setattr(control, "FIRED_MAX", 10)
    node, begin_ms = Node(1, clock), clock.now().life_ms

    def again(now: Now) -> None:
        node.life_timers.set(("c", "join", "g"), now.life_ms, again)

    node.life_timers.set_periodic("look", begin_ms, lambda _now: None)
    node.life_timers.set(("c", "join", "g"), begin_ms + 1, again)
    with pytest.raises(KafkaCompatError, match="10 timers were due: take smaller steps"):
        asyncio.run(advance([node], clock, 100))
    assert node.life_timers.next_deadline_ms() == begin_ms


def test_effects_that_are_never_committed_are_an_error(clock, monkeypatch):
    monkeypatch.setattr(control, "SETTLE_TIMEOUT_S", 0.01)
    node = Node(1, clock)
    node.waits["p"] = 0
    with pytest.raises(KafkaCompatError, match="are enough replicas in sync"):
        asyncio.run(advance([node], clock, 100))


class Pauses:
    """Calls `calls` with a number where the clock waits, each time for three quarters of SETTLE_TIMEOUT_S."""

    def __init__(self) -> None:
        self.calls: list[Callable[[int], None]] = []
        self.time_s, self.count = 0.0, 0

    async def sleep(self, _pause_s: float) -> None:
        self.time_s, self.count = self.time_s + control.SETTLE_TIMEOUT_S * 0.75, self.count + 1
        for call in self.calls:
            call(self.count)


@pytest.fixture
def pauses(monkeypatch):
    pauses = Pauses()
    loop = SimpleNamespace(time=lambda: pauses.time_s)
    monkeypatch.setattr(control, "asyncio", SimpleNamespace(get_running_loop=lambda: loop, sleep=pauses.sleep))
    return pauses


def test_many_effects_have_time_as_long_as_some_are_committed(clock, pauses):
    node = Node(1, clock)
    node.waits["p"] = 0
    pauses.calls.append(lambda count: node.waits.update(p=count) if count < 60 else node.waits.clear())
    asyncio.run(advance([node], clock, 100))
    assert not node.waits


def test_what_others_commit_all_the_while_gives_a_partition_that_cannot_no_more_time(clock, pauses):
    node, other, seen = Node(1, clock), Node(2, clock), []
    node.waits["p"] = 7

    def commit(count: int) -> None:
        seen.append(count)
        other.waits.update(q=count)
        if count % 3 == 0:
            other.waits.clear()

    pauses.calls.append(commit)
    with pytest.raises(KafkaCompatError, match="are enough replicas in sync"):
        asyncio.run(advance([node, other], clock, 100))
    assert seen == [1, 2]


def test_commits_without_end_end_the_step(clock, pauses):
    node, seen = Node(1, clock), []
    node.waits["p"] = 0
    pauses.calls.extend((seen.append, lambda count: node.waits.update(p=count)))
    with pytest.raises(KafkaCompatError, match="stopped on its way after 600 s: take smaller steps"):
        asyncio.run(advance([node], clock, 100))
    assert len(seen) == control.ADVANCE_TIMEOUT_S // (control.SETTLE_TIMEOUT_S * 0.75) + 1


def test_timers_that_take_too_long_end_the_step(clock, pauses):
    node, begin_ms = Node(1, clock), clock.now().life_ms
    for number in range(100):
        key = ("c", "session", "g", f"m-{number}")
        node.life_timers.set(key, begin_ms + number, lambda _now: setattr(pauses, "time_s", pauses.time_s + 10))
    with pytest.raises(KafkaCompatError, match="stopped on its way after 600 s: take smaller steps"):
        asyncio.run(advance([node], clock, 100))
    assert len(node.life_timers) == 100 - 61


def test_retention_has_time_until_the_end_of_the_step(clock, pauses):
    node = Node(1, clock)
    node.is_running = True
    pauses.calls.append(lambda count: setattr(node, "is_running", count < 60))
    asyncio.run(advance([node], clock, 100))
    assert not node.is_running


class Phases:
    """The system's time. The wall clock is 0.2 ms behind a whole millisecond, the monotonic one 0.9 ms."""

    def __init__(self) -> None:
        self.count = 0

    def time_ns(self) -> int:
        return 10**18 + 200_000 + self._passed_ns()

    def monotonic_ns(self) -> int:
        return 10**12 + 900_000 + self._passed_ns()

    def _passed_ns(self) -> int:
        self.count += 1
        return self.count * 30_000


def test_the_wall_clock_goes_the_whole_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both clocks are rounded down to milliseconds, at different moments."""
    monkeypatch.setattr(system_clock, "time", Phases())
    clock = SystemClock()
    before_ms = clock.now().wall_ms
    moved = asyncio.run(advance([], clock, 300_000))
    assert moved.wall_ms - before_ms >= 300_000
