"""Kill a broker under load, and measure restarts."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.robustness.client import Client, batch_of, produce_request
from tests.robustness.killing import KilledBroker, kill_under_load

PARTITIONS = 100
BATCHES = 10_000


def run(cycles: int, seed: int) -> Iterator[str]:
    """What was seen. Fails at the first record that is lost or doubled."""
    with _broker() as broker:
        with Client(broker.port) as client:
            client.create_topic("few")
            client.produce("few", batch_of(b"x" * 100))
        yield _measure("killed with a small log", broker, cycles)
    with _broker() as broker:
        _fill(broker.port)
        yield _measure(f"killed with {PARTITIONS} partitions and {BATCHES} batches", broker, cycles // 2)
    with _broker() as broker:
        count = kill_under_load(broker, cycles, Random(seed))
        yield _text(f"{cycles} kills under load, {count} records, none lost or doubled", broker.restart_s[1:])


@contextmanager
def _broker() -> Iterator[KilledBroker]:
    with tempfile.TemporaryDirectory() as path:
        broker = KilledBroker(Path(path) / "data")
        try:
            yield broker
        finally:
            broker.child.__exit__(None, None, None)


def _measure(what: str, broker: KilledBroker, cycles: int) -> str:
    broker.restart_s.clear()
    for _ in range(cycles):
        broker.kill()
    return _text(what, broker.restart_s)


def _fill(port: int) -> None:
    with Client(port) as client:
        client.create_topic("many", PARTITIONS)
        for number in range(0, BATCHES, 50):
            for each in range(number, number + 50):
                client.send(produce_request("many", batch_of(b"x" * 100), each % PARTITIONS), 9)
            for _ in range(50):
                assert client.receive().responses[0].partition_responses[0].error_code == 0


def _text(what: str, seconds: list[float]) -> str:
    least, middle = min(seconds) * 1000, statistics.median(seconds) * 1000
    return f"{what}: from start to first answer {least:.0f} ms at least, {middle:.0f} ms median"
