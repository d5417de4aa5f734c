"""Departures per airport and day, and reading them out of a topic of updates."""

from __future__ import annotations

import pytest

from kafkacompat.demo.aggregate import Day, departures_per_day, latest_per_key
from kafkacompat.demo.dataset import parse_flights
from tests.demo import samples


def test_departures_per_day() -> None:
    late = samples.ON_TIME.replace(b"T10:00", b"T23:00")
    next_day = samples.ON_TIME.replace(b"01-01T10", b"01-02T00")
    lines = [samples.ON_TIME, samples.EARLY, samples.CANCELLED, late, next_day]
    flights = parse_flights(samples.FLIGHTS_HEADER + b"\n".join(lines), {"UA": "U", "AA": "A"})
    assert departures_per_day(flights) == {
        "EWR 1356998400000": Day(scheduled=3, departed=2, delay_minutes=4),
        "LGA 1356998400000": Day(scheduled=1, departed=1, delay_minutes=-2),
        "EWR 1357084800000": Day(scheduled=1, departed=1, delay_minutes=2),
    }


def test_the_last_update_of_a_key_counts() -> None:
    updates = [
        (b"EWR 0", b'{"scheduled":1,"departed":1,"delay_minutes":2}'),
        (b"JFK 0", b'{"scheduled":9,"departed":8,"delay_minutes":7}'),
        (b"EWR 0", b'{"scheduled":3,"departed":2,"delay_minutes":4}'),
    ]
    assert latest_per_key(updates) == {"EWR 0": Day(3, 2, 4), "JFK 0": Day(9, 8, 7)}


def test_what_is_no_day_is_refused() -> None:
    with pytest.raises(ValueError, match="Expecting value"):
        latest_per_key([(b"EWR 0", b"")])
