import random

import pytest

from kafkacompat.broker.timers import STALE_ENTRIES_MIN, LifeTimers, NodeTimers, Timers
from kafkacompat.now import Now


def at(monotonic_ms: int) -> Now:
    return Now(monotonic_ms, 0)


def test_fires_what_is_due_in_order_of_deadline_then_of_setting():
    timers, fired = Timers(), []
    for key, deadline in (("b", 20), ("a", 10), ("c", 20), ("d", 30)):
        timers.set(key, deadline, lambda _now, key=key: fired.append(key))
    timers.run(at(20))
    assert fired == ["a", "b", "c"]
    assert timers.next_deadline_ms() == 30


def test_setting_again_replaces_and_cancelling_forgets():
    timers, fired = Timers(), []
    timers.set("a", 10, lambda _now: fired.append("early"))
    timers.set("a", 50, lambda _now: fired.append("late"))
    timers.set("b", 10, lambda _now: fired.append("cancelled"))
    timers.cancel("b")
    timers.cancel("unknown")
    timers.run(at(10))
    assert fired == []
    assert timers.next_deadline_ms() == 50
    timers.run(at(50))
    assert fired == ["late"]
    assert timers.next_deadline_ms() is None


def test_an_action_may_cancel_a_later_one_of_the_same_run():
    timers, fired = Timers(), []
    timers.set("first", 1, lambda _now: timers.cancel("second"))
    timers.set("second", 2, lambda _now: fired.append("second"))
    timers.run(at(5))
    assert fired == []


def test_what_an_action_sets_for_now_waits_for_the_next_run():
    timers, fired = Timers(), []

    def again(now: Now) -> None:
        fired.append(now.monotonic_ms)
        timers.set("again", now.monotonic_ms, again)

    timers.set("again", 1, again)
    timers.run(at(5))
    assert fired == [5]
    timers.run(at(6))
    assert fired == [5, 6]


def test_what_is_due_in_a_long_turn_waits_for_the_next_one():
    """Thousands of groups end their joins at once: clients of others are served in between."""
    timers, fired = NodeTimers(), []
    for number in range(5):
        timers.set(number, number, lambda _now, number=number: fired.append(number))
        timers.life.set(number, number, lambda _now, number=number: fired.append(-number))
    timers.set("later", 50, lambda _now: fired.append("later"))
    timers.run(at(20), lambda _now: len(fired) % 3 == 0)
    assert fired == [0, 1, 2, 0, -1, -2]
    assert timers.next_deadline_ms() == 3, "the shell is to come back at once"
    timers.run(at(20), lambda _now: True)
    assert fired[6:] == [3, -3]
    timers.run(at(20))
    assert fired[8:] == [4, -4]
    assert timers.next_deadline_ms() == 50


def test_an_action_that_fails_does_not_lose_the_others():
    timers, fired = Timers(), []
    timers.set("fails", 1, lambda _now: 1 / 0)
    timers.set("works", 2, lambda _now: fired.append("works"))
    with pytest.raises(ZeroDivisionError):
        timers.run(at(5))
    timers.run(at(5))
    assert fired == ["works"]


def test_cancelled_entries_do_not_pile_up():
    timers = Timers()
    for number in range(10_000):
        timers.set(number, 1_000_000 + number, lambda _now: None)
        timers.cancel(number)
    assert len(timers) == 0
    assert len(timers._heap) <= STALE_ENTRIES_MIN + 1


def test_agrees_with_a_plain_table_on_random_use():
    rng = random.Random(7)
    timers, expected, fired = Timers(), {}, []
    now_ms = 0
    for step in range(3_000):
        key = rng.randrange(40)
        if rng.random() < 0.6:
            deadline = now_ms + rng.randrange(1, 50)
            timers.set(key, deadline, lambda _now, key=key, step=step: fired.append((key, step)))
            expected[key] = (deadline, step)
        elif rng.random() < 0.5:
            timers.cancel(key)
            expected.pop(key, None)
        else:
            now_ms += rng.randrange(20)
            timers.run(at(now_ms))
            due = {key: entry for key, entry in expected.items() if entry[0] <= now_ms}
            assert sorted(fired) == sorted((key, step) for key, (_, step) in due.items())
            fired.clear()
            for key in due:
                del expected[key]
        assert timers.next_deadline_ms() == min((deadline for deadline, _ in expected.values()), default=None)


def test_timers_of_clients_follow_the_life_clock_and_the_others_the_monotonic_one():
    timers, fired = NodeTimers(), []
    timers.set("real", 100, lambda _now: fired.append("real"))
    timers.life.set("session", 100, lambda _now: fired.append("session"))
    timers.run(Now(50, 0, life_ms=100))
    assert fired == ["session"]
    timers.run(Now(100, 0, life_ms=60))
    assert fired == ["session", "real"]


def test_the_next_deadline_is_the_earlier_of_both_clocks():
    timers = NodeTimers()
    timers.life.set("session", 1_000, lambda _now: None)
    timers.life_offset_ms = 300
    assert timers.next_deadline_ms() == 700
    timers.set("real", 650, lambda _now: None)
    assert timers.next_deadline_ms() == 650
    timers.life_offset_ms = 400
    assert (timers.next_deadline_ms(), len(timers)) == (600, 2)


def test_timers_of_clients_fire_when_an_action_on_the_other_clock_raises():
    timers, fired = NodeTimers(), []
    timers.set("bug", 1, lambda _now: 1 / 0)
    timers.life.set("session", 1, lambda _now: fired.append("session"))
    with pytest.raises(ZeroDivisionError):
        timers.run(at(1))
    assert fired == ["session"]


def test_periodic_timers_wait_while_the_clock_moves_and_run_once_afterwards():
    timers, fired = LifeTimers(), []

    def look(now: Now) -> None:
        fired.append(("look", now.life_ms))
        timers.set_periodic("look", now.life_ms + 10, look)

    timers.set_periodic("look", 10, look)
    timers.set("end", 35, lambda now: fired.append(("end", now.life_ms)))
    assert timers.next_single_ms() == 35
    assert timers.run_single(at(35)) == "end"
    assert timers.next_single_ms() is None
    timers.restore_periodic()
    timers.run_periodic(at(40))
    assert fired == [("end", 35), ("look", 40)]
    timers.run(at(49))
    timers.run(at(50))
    assert fired[2:] == [("look", 50)]


def test_a_cancelled_periodic_timer_does_not_run():
    timers, fired = LifeTimers(), []
    timers.set_periodic("look", 10, lambda _now: fired.append("look"))
    assert timers.next_single_ms() is None
    timers.cancel("look")
    timers.restore_periodic()
    timers.run_periodic(at(10))
    timers.run(at(10))
    assert fired == []
