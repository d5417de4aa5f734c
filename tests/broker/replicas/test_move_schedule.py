"""When moves between log directories are looked at, without logs: what each place waits for, and what waiting costs."""

from __future__ import annotations

from typing import Any

import pytest

from kafkacompat.broker.replicas.move_schedule import (
    BUSY,
    ENDED,
    ERROR_PAUSE_MS,
    FIRST,
    LACKS_ROOM,
    MORE,
    PAUSE_MS,
    PAUSED,
    QUEUED,
    ROOM_PAUSE_MS,
    SETTLED,
    SOON,
    THROTTLED,
    MoveSchedule,
)

NOW = 1_000_000


class Move:
    """As far as the schedule knows it."""

    def __init__(self, name: str = "", until_ms: int = 0) -> None:
        self.name = name
        self.place = MORE
        self.until_ms = until_ms
        self.lacks_room = False


class Scheduled:
    """A schedule, and what it hands out."""

    def __init__(self) -> None:
        self.schedule: Any = MoveSchedule()
        self.is_throttled = False
        self.free = 0

    def put(self, place: str, *names: str, until_ms: int = 0) -> list[Move]:
        moves = [Move(name, until_ms) for name in names]
        for each in moves:
            self.schedule.put(each, place)
        return moves

    def due_ms(self, now_ms: int = NOW) -> int | None:
        due: int | None = self.schedule.due_ms(now_ms, self.free)
        return due

    def taken(self, now_ms: int = NOW) -> list[str]:
        self.schedule.bring(now_ms, self.free, lambda: self.is_throttled)
        return [self.schedule.take().name for _ in range(len(self.schedule))]


@pytest.fixture
def at() -> Scheduled:
    return Scheduled()


def test_those_with_more_to_do_come_in_turn_and_those_that_were_waited_for_first(at: Scheduled) -> None:
    at.put(MORE, "a", "b")
    at.put(FIRST, "c")
    assert at.due_ms() == NOW
    assert at.taken() == ["c", "a", "b"]
    assert at.due_ms() is None


@pytest.mark.parametrize("place", [SETTLED, BUSY, ENDED])
def test_what_only_an_event_brings_on_has_no_time(at: Scheduled, place: str) -> None:
    at.put(place, "a")
    assert at.due_ms() is None
    assert at.taken(NOW + 3_600_000) == []


def test_what_is_looked_at_soon_is_looked_at_once_in_a_while(at: Scheduled) -> None:
    at.put(SOON, "a", "b")
    assert at.due_ms() == NOW
    assert at.taken() == ["a", "b"]
    at.put(SOON, "a")
    assert at.due_ms() == NOW + PAUSE_MS
    assert at.taken(NOW + PAUSE_MS - 1) == []
    assert at.taken(NOW + PAUSE_MS) == ["a"]


def test_as_many_go_on_as_may_work_beside_the_loop(at: Scheduled) -> None:
    at.put(QUEUED, "a", "b", "c")
    assert at.due_ms() is None
    assert at.taken() == []
    at.free = 2
    assert at.due_ms() == NOW
    assert sorted(at.taken()) == ["a", "b"]


def test_one_after_the_other_goes_on_when_the_rate_allows_it(at: Scheduled) -> None:
    at.is_throttled = True
    at.put(THROTTLED, "a", "b")
    assert at.taken() == []
    assert at.due_ms() == NOW + PAUSE_MS
    at.is_throttled = False
    assert at.taken(NOW + PAUSE_MS) == ["a"]
    assert at.due_ms(NOW + PAUSE_MS) == NOW + PAUSE_MS
    assert at.taken(NOW + PAUSE_MS) == ["b"]
    assert at.due_ms(NOW + PAUSE_MS) is None


def test_full_disks_are_looked_at_once_a_second(at: Scheduled) -> None:
    moves = at.put(LACKS_ROOM, "a", "b")
    moves[0].lacks_room = moves[1].lacks_room = True
    assert at.taken() == []
    moves[1].lacks_room = False
    assert at.due_ms() == NOW + ROOM_PAUSE_MS
    assert at.taken(NOW + ROOM_PAUSE_MS - 1) == []
    assert at.taken(NOW + ROOM_PAUSE_MS) == ["b"]


def test_a_pause_ends_at_its_time(at: Scheduled) -> None:
    at.put(PAUSED, "late", until_ms=NOW + 2 * ERROR_PAUSE_MS)
    at.put(PAUSED, "early", until_ms=NOW + ERROR_PAUSE_MS)
    assert at.due_ms() == NOW + ERROR_PAUSE_MS
    assert at.taken(NOW + ERROR_PAUSE_MS - 1) == []
    assert at.taken(NOW + ERROR_PAUSE_MS) == ["early"]
    assert at.due_ms() == NOW + 2 * ERROR_PAUSE_MS


@pytest.mark.parametrize("place", [SETTLED, THROTTLED, LACKS_ROOM, PAUSED])
def test_what_waits_may_be_woken_once(at: Scheduled, place: str) -> None:
    (woken,) = at.put(place, "a", until_ms=NOW + ERROR_PAUSE_MS)
    woken.lacks_room = at.is_throttled = True
    assert at.schedule.wake(woken)
    assert not at.schedule.wake(woken)
    assert at.taken() == ["a"]
    assert at.due_ms() is None
    assert at.taken(NOW + 3_600_000) == []


@pytest.mark.parametrize("place", [MORE, FIRST, SOON, QUEUED, BUSY, ENDED])
def test_what_is_looked_at_anyway_is_not_woken(at: Scheduled, place: str) -> None:
    (other,) = at.put(place, "a")
    assert not at.schedule.wake(other)
    assert other.place == place


@pytest.mark.parametrize("place", [SETTLED, THROTTLED, LACKS_ROOM, PAUSED])
def test_what_is_over_is_not_kept(at: Scheduled, place: str) -> None:
    (over,) = at.put(place, "a", until_ms=NOW + ERROR_PAUSE_MS)
    over.lacks_room = at.is_throttled = True
    at.schedule.drop(over)
    assert over.place == ENDED
    assert at.due_ms() is None
    assert at.taken(NOW + 3_600_000) == []
    assert not at.schedule.wake(over)


@pytest.mark.parametrize("place", [MORE, FIRST, SOON, QUEUED, BUSY])
def test_what_is_over_while_it_is_looked_at_anyway_is_looked_at_once_more(at: Scheduled, place: str) -> None:
    (over,) = at.put(place, "a")
    at.schedule.drop(over)
    assert over.place == place
