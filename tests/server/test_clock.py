"""The wall and the life clock can be moved and frozen; the monotonic clock is the system's."""

import time

import pytest

from kafkacompat.server.clock import SystemClock, Throttle


@pytest.fixture
def real(monkeypatch):
    """The system's clocks in ms: (monotonic, wall)."""
    now = [1_000, 50_000]
    monkeypatch.setattr(time, "monotonic_ns", lambda: now[0] * 1_000_000)
    monkeypatch.setattr(time, "time_ns", lambda: now[1] * 1_000_000)
    return now


def times(clock: SystemClock) -> tuple[int, int, int]:
    now = clock.now()
    return now.monotonic_ms, now.wall_ms, now.life_ms


def test_an_unmoved_clock_is_the_systems(real):
    assert times(SystemClock()) == (1_000, 50_000, 1_000)


def test_wall_and_life_clock_move_apart(real):
    clock = SystemClock()
    clock.move(wall_ms=500, life_ms=20)
    assert (times(clock), clock.offset_ms) == ((1_000, 50_500, 1_020), 500)
    clock.reset()
    assert times(clock) == (1_000, 50_000, 1_000)


def test_a_frozen_clock_goes_on_from_where_it_stood(real):
    clock = SystemClock()
    clock.freeze()
    real[:] = 1_700, 50_700
    clock.freeze()
    assert (times(clock), clock.is_frozen) == ((1_700, 50_000, 1_000), True)
    clock.move(wall_ms=30, life_ms=30)
    assert times(clock) == (1_700, 50_030, 1_030)
    clock.resume()
    assert times(clock) == (1_700, 50_030, 1_030)
    real[:] = 1_800, 50_800
    clock.resume()
    assert (times(clock), clock.offset_ms) == ((1_800, 50_130, 1_130), -670)


def test_the_throttle_sleeps_for_what_was_read_and_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """log.cleaner.io.max.bytes.per.second; the default is no limit."""
    slept: list[float] = []
    monkeypatch.setattr(time, "monotonic", lambda: 100.0 + sum(slept))
    monkeypatch.setattr(time, "sleep", slept.append)
    throttle = Throttle(1000.0)
    for _ in range(4):
        throttle(500)
    assert sum(slept) == pytest.approx(2.0)
    Throttle(1.7976931348623157e308)(1 << 30)
    assert sum(slept) == pytest.approx(2.0)
