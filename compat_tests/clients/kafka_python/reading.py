"""Reading a known number of records with kafka-python."""

from __future__ import annotations

import time
from typing import Any

from kafka import KafkaConsumer

from compat_tests.clients.samples import Patience

POLL_MS = 5_000
"""A poll returns as soon as there are records. One that ends between the join and the sync of a group's leader loses
the assignment (kafka-python 3.0.12), so polls end late."""


def read(consumer: KafkaConsumer, count: int, timeout_s: float | None = None) -> list[Any]:
    """Poll until `count` records came. Raises AssertionError with what came when they do not in time."""
    records: list[Any] = []
    timeout_s = timeout_s or Patience.wait_s
    deadline = time.monotonic() + timeout_s
    while len(records) < count:
        assert time.monotonic() < deadline, f"{len(records)} of {count} records within {timeout_s} s"
        for batch in consumer.poll(timeout_ms=POLL_MS).values():
            records.extend(batch)
    return records


def values(records: list[Any]) -> list[bytes | None]:
    return [record.value for record in records]
