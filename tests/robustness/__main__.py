"""Long forms and numbers: `python -m tests.robustness --cycles 20`."""

import argparse
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


def main() -> None:
    """Kill under load, then measure restarts."""
    parser = argparse.ArgumentParser(prog="python -m tests.robustness", description=__doc__)
    parser.add_argument("--cycles", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with _broker() as broker:
        with Client(broker.port) as client:
            client.create_topic("few")
            client.produce("few", batch_of(b"x" * 100))
        _measure("killed with a small log", broker, options.cycles)
    with _broker() as broker:
        _fill(broker.port)
        _measure(f"killed with {PARTITIONS} partitions and {BATCHES} batches", broker, options.cycles // 2)
    with _broker() as broker:
        count = kill_under_load(broker, options.cycles, Random(options.seed))
        _say(f"{options.cycles} kills under load, {count} records, none lost or doubled", broker.restart_s[1:])


@contextmanager
def _broker() -> Iterator[KilledBroker]:
    with tempfile.TemporaryDirectory() as path:
        broker = KilledBroker(Path(path) / "data")
        try:
            yield broker
        finally:
            broker.child.__exit__(None, None, None)


def _measure(what: str, broker: KilledBroker, cycles: int) -> None:
    broker.restart_s.clear()
    for _ in range(cycles):
        broker.kill()
    _say(what, broker.restart_s)


def _fill(port: int) -> None:
    with Client(port) as client:
        client.create_topic("many", PARTITIONS)
        for number in range(0, BATCHES, 50):
            for each in range(number, number + 50):
                client.send(produce_request("many", batch_of(b"x" * 100), each % PARTITIONS), 9)
            for _ in range(50):
                assert client.receive().responses[0].partition_responses[0].error_code == 0


def _say(what: str, seconds: list[float]) -> None:
    least, middle = min(seconds) * 1000, statistics.median(seconds) * 1000
    print(f"{what}: from start to first answer {least:.0f} ms at least, {middle:.0f} ms median")  # noqa: T201


if __name__ == "__main__":
    main()
