"""Reading a known number of records with kafka-python."""

from __future__ import annotations

import time
from typing import Any

from kafka import KafkaConsumer

from compat_tests.clients.samples import Patience


def read(consumer: KafkaConsumer, count: int, timeout_s: float | None = None) -> list[Any]:
    """Poll until `count` records came. Raises AssertionError with what came when they do not in time."""
    records: list[Any] = []
    timeout_s = timeout_s or Patience.wait_s
    deadline = time.monotonic() + timeout_s
    while len(records) < count:
        assert time.monotonic() < deadline, f"{len(records)} of {count} records within {timeout_s} s"
        for batch in consumer.poll(timeout_ms=200).values():
            records.extend(batch)
    return records


def values(records: list[Any]) -> list[bytes | None]:
    return [record.value for record in records]
