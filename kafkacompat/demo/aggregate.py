"""Computes from the file alone the result that Spark's stream is expected to have."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from typing import NamedTuple

from kafkacompat.demo.dataset import Record

DAY_MS = 86_400_000
NOT_KNOWN = "NA"
"""Stands for an unknown number in the files. As a departure delay it means a cancelled flight."""
DEP_DELAY_COLUMN = 5
ORIGIN_COLUMN = 12


class Day(NamedTuple):
    """Departures from one airport that were scheduled for one UTC day."""

    scheduled: int
    departed: int
    delay_minutes: int


def departures_per_day(flights: Iterable[Record]) -> dict[str, Day]:
    """Departures by `<origin> <start of the day in ms since 1970>`."""
    days: dict[str, Day] = {}
    for row, flight in _rows(flights):
        key = f"{row[ORIGIN_COLUMN]} {flight.timestamp_ms - flight.timestamp_ms % DAY_MS}"
        scheduled, departed, minutes = days.get(key, (0, 0, 0))
        if row[DEP_DELAY_COLUMN] != NOT_KNOWN:
            departed, minutes = departed + 1, minutes + int(row[DEP_DELAY_COLUMN])
        days[key] = Day(scheduled + 1, departed, minutes)
    return days


def latest_per_key(records: Iterable[tuple[bytes, bytes]]) -> dict[str, Day]:
    """The last value of each key in a topic of updates. `records` are in order for each key.

    Raises ValueError for a value that is not a day's JSON object.
    """
    last = dict(records)
    return {key.decode(): Day(**json.loads(value)) for key, value in last.items()}


def _rows(flights: Iterable[Record]) -> Iterable[tuple[list[str], Record]]:
    kept = list(flights)
    return zip(csv.reader(flight.value.decode() for flight in kept), kept, strict=True)
