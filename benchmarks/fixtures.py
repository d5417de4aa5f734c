"""`python -m benchmarks.fixtures`: what pytest's fixtures cost each test, and how soon a cluster acknowledges a write.

A test is given the fixture `kafka`, fresh or reused, writes some records and passes; counted are its set-up and its
tear-down, as pytest reports them. Rounds alternate, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import pytest

from benchmarks.cluster_child import first_ack, frame

TESTS = """
import pytest
from benchmarks.sessions import write
from compat_tests.api.raw import RawClient

@pytest.mark.parametrize("number", range({tests}))
@pytest.mark.kafka(topics={{"orders": 3}})
def test_writes(kafka, number):
    with RawClient(kafka.bootstrap_servers) as client:
        for _ in range(10):
            write(client, "orders")

@pytest.mark.parametrize("number", range({tests}))
def test_without(tmp_path_factory, number): ...
"""
WARM = 5
"""The first tests of a run pay for imports."""


class Costs(NamedTuple):
    """Seconds, by a clock and of the CPU. Brokers run in the same process, so the CPU is theirs, too."""

    clock: float
    cpu: float


class Durations:
    """A pytest plugin that measures the set-up and the tear-down of each test."""

    def __init__(self) -> None:
        self._costs: dict[str, list[Costs]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        """Called by pytest around each set-up."""
        return (yield from self._measured(item))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Called by pytest around each tear-down."""
        return (yield from self._measured(item))

    def of(self, name: str) -> list[Costs]:
        """Set-up and tear-down together, of each test of a name, without the first ones."""
        found = [costs for test, costs in self._costs.items() if f"::{name}[" in test]
        return [Costs(*(sum(part) for part in zip(*costs, strict=True))) for costs in found[WARM:]]

    def _measured(self, item: pytest.Item) -> Generator[None, object, object]:
        clock, cpu = time.perf_counter(), time.process_time()
        result = yield
        costs = Costs(time.perf_counter() - clock, time.process_time() - cpu)
        self._costs.setdefault(item.nodeid, []).append(costs)
        return result


def measure(folder: Path, *flags: str) -> Durations:
    """One pytest run."""
    durations = Durations()
    quiet = (
        "-q",
        "-q",
        "--no-header",
        "--no-summary",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "-p",
        "no:asyncio",
    )
    status = pytest.main([*quiet, "--rootdir", str(folder), str(folder), *flags], plugins=[durations])
    if status:
        raise SystemExit(status)
    return durations


def main() -> int:
    """Print medians in milliseconds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fixtures", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tests", type=int, default=50)
    options = parser.parse_args()
    rows: dict[str, list[Costs]] = {"fixture, fresh": [], "fixture, reused": [], "no fixture": [], "first ack": []}
    request = frame()
    first_ack(request)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_fixtures.py").write_text(TESTS.format(tests=options.tests))
        for _ in range(options.rounds):
            for row, flags in (("fixture, fresh", ()), ("fixture, reused", ("--kafkacompat-reuse",))):
                durations = measure(folder, *flags)
                rows[row] += durations.of("test_writes")
                rows["no fixture"] += durations.of("test_without")
            for _ in range(options.tests):
                cpu = time.process_time()
                rows["first ack"].append(Costs(first_ack(request), time.process_time() - cpu))
    print("milliseconds; the CPU of `first ack` includes the stop")
    for row, costs in rows.items():
        clock = [each.clock * 1e3 for each in costs]
        ninth = statistics.quantiles(clock, n=10)[-1]
        cpu = statistics.median(each.cpu * 1e3 for each in costs)
        print(f"{row:16} median {statistics.median(clock):6.2f}   90 % below {ninth:6.2f}   CPU {cpu:6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
