"""`python -m benchmarks.starts`: how soon a broker serves its directory again, and finds records by time.

It is measured beside Apache Kafka. Each broker has a directory of its own with the same records in it. Counted is the
time from exec until ListOffsets answers for all partitions, with the offsets that are expected; CPU is that of the
process until then.

recovery: clients have written, then the broker was killed (SIGKILL). Each round begins with a copy of that directory.
Apache Kafka waits for the end of its own dead session first: "logs alone" is what its log says of the recovery itself.
start: after a clean stop. lookups: ListOffsets by time in a sparse log, whose batches and indexes are real and most of
whose content are holes; the first search and the median of the next ones, in milliseconds. The longest turn of the loop
is counted from when clients can be served.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.bars import Bar, Medians
from benchmarks.large_logs import FIRST_MS, SEGMENT_BYTES, Writer
from benchmarks.measure import facts, keep_bytecode, median
from benchmarks.metered import TURNS, longest_turn_bar
from benchmarks.side_by_side import (
    KAFKA,
    LATEST,
    OURS,
    RESULTS,
    Measured,
    Topics,
    batch_of,
    create,
    offsets,
    report,
    store,
    write,
)
from benchmarks.table import Samples, add
from benchmarks.table import medians as medians_of
from compat_tests.api.raw import RawClient

ROUNDS = 3
SEARCHES = 300
VALUE_BYTES = 1_000
PER_BATCH = 900
"""Records of the largest batches: below `max.message.bytes`."""
TOPIC_PARTITIONS = 1_000
METRICS = {
    "ready_s": "s",
    "cpu_s": "CPU s",
    "logs_s": "logs alone, s",
    "first_ms": "first search, ms",
    "search_ms": "next searches, ms",
    "search_p99_ms": "… p99, ms",
    "search_cpu_ms": "… CPU, ms",
    **TURNS,
    "load": "load of the machine before",
}


class Case(NamedTuple):
    """One row. `fill` makes the records of a broker that runs or, with `is_files`, is stopped, and returns how many."""

    name: str
    topics: Topics
    fill: Callable[[Measured, Topics], int]
    is_killed: bool = False
    is_files: bool = False
    is_search: bool = False


def produced(batches: int, records: int) -> Callable[[Measured, Topics], int]:
    """A client writes so many batches into each partition."""

    def fill(broker: Measured, topics: Topics) -> int:
        with RawClient(broker.servers) as client:
            write(client, topics, batch_of(records, VALUE_BYTES, FIRST_MS), batches)
        return batches * records * sum(topics.values())

    return fill


def written(gigabytes: int, *, solid: bool) -> Callable[[Measured, Topics], int]:
    """Segments are made in the directories: so many for each partition."""

    def fill(broker: Measured, topics: Topics) -> int:
        total, points = 0, []
        for name, count in topics.items():
            for index in range(count):
                folder = broker.data / f"{name}-{index}"
                for path in folder.glob("0*"):
                    path.unlink()
                writer = Writer(folder, solid=solid)
                writer.write(gigabytes * SEGMENT_BYTES)
                points.append(f"{name} {index} {writer.end_offset}")
                total += writer.end_offset
        for file in ("recovery-point-offset-checkpoint", "replication-offset-checkpoint"):
            with contextlib.suppress(FileNotFoundError):
                others = (broker.data / file).read_text().splitlines()[2:]
                kept = [line for line in others if line.split()[0] not in topics]
                lines = ["0", str(len(kept) + len(points)), *kept, *points]
                (broker.data / file).write_text("\n".join(lines) + "\n")
        return total

    return fill


def cases(scale: float) -> list[Case]:
    """All rows; `scale` makes them smaller for a smoke test."""

    def many(partitions: int) -> Topics:
        names = range(0, partitions, TOPIC_PARTITIONS)
        return {f"t{first}": min(TOPIC_PARTITIONS, partitions - first) for first in names}

    megabytes, some, gigabytes, all_of_them, sparse = (
        max(1, int(count * scale)) for count in (1_000, 1_000, 10, 10_000, 100)
    )
    return [
        Case(
            f"recovery of {megabytes:,} MB",
            {"t": 1},
            produced(megabytes * 1_000 // PER_BATCH, PER_BATCH),
            is_killed=True,
        ),
        Case(f"recovery of {some:,} partitions", many(some), produced(1, 100), is_killed=True),
        Case(f"start on {gigabytes:,} GB", {"t": gigabytes}, written(1, solid=True), is_files=True),
        Case(f"lookups in {sparse:,} GB", {"t": 1}, written(sparse, solid=False), is_files=True, is_search=True),
        Case(f"start on {all_of_them:,} partitions", many(all_of_them), produced(1, 1)),
    ]


def bars(chosen: list[Case]) -> list[Bar]:
    """What each row has to reach."""
    timed = [case.name for case in chosen if not case.is_search]
    return [
        *(Bar(name, "ready_s", at_least=False, factor=0.5, peer=KAFKA, columns=(OURS,)) for name in timed),
        *(longest_turn_bar(case.name) for case in chosen),
    ]


def copy(source: Path, target: Path) -> None:
    """Copy a directory. Files stay sparse: a killed Apache Kafka leaves indexes of 10 MiB, which are mostly holes."""
    subprocess.run(["cp", "-a", "--sparse=always", str(source), str(target)], check=True)


class Prepared:
    """A broker whose directory is filled, stopped or killed."""

    def __init__(self, name: str, case: Case) -> None:
        self._case = case
        self._broker = broker = Measured(name)
        self._pristine: Path | None = None
        broker.start()
        create(broker.servers, case.topics)
        if case.is_files:
            broker.stop()
            self._expected = case.fill(broker, case.topics)
        else:
            self._expected = case.fill(broker, case.topics)
            if case.is_killed:
                broker.kill()
                self._pristine = broker.data.with_name("pristine")
                copy(broker.data, self._pristine)
                return
            broker.stop()
        if case.is_files:  # once before anything is counted: a broker may have to add to them
            broker.seconds_to_serve(case.topics)  # one that is stopped before it serves may leave no clean marker
            broker.stop()

    def measure(self) -> dict[str, float]:
        """One start, and what belongs to it."""
        broker, case = self._broker, self._case
        if self._pristine is not None:
            shutil.rmtree(broker.data)
            copy(self._pristine, broker.data)
        load = os.getloadavg()[0]
        ready_s, found = broker.seconds_to_serve(case.topics)
        assert found == self._expected, f"{broker.name} has {found} records of {self._expected}"
        metrics = {"ready_s": ready_s, "cpu_s": broker.cpu_s, "load": load}
        if broker.name == KAFKA:
            metrics["logs_s"] = broker.log_loading_s
        if case.is_search:
            metrics |= search(broker, self._expected)
        metrics |= broker.longest_turn()
        if case.is_killed:
            broker.kill()
        else:
            broker.stop()
        return metrics

    def close(self) -> None:
        self._broker.close()


def search(broker: Measured, end_offset: int) -> dict[str, float]:
    """Search for real batches anywhere in the log."""
    rng = random.Random(1)
    times = [FIRST_MS + offset for offset in range(0, end_offset, 2 * 64)]
    took = []
    with RawClient(broker.servers) as client:
        assert list(offsets(client, {"t": 1}, LATEST)) == [end_offset]
        before_s = broker.cpu_s
        for timestamp_ms in rng.choices(times, k=SEARCHES):
            since = time.perf_counter()
            found = next(offsets(client, {"t": 1}, timestamp_ms))
            took.append((time.perf_counter() - since) * 1000)
            assert found == timestamp_ms - FIRST_MS, found
        cpu_ms = (broker.cpu_s - before_s) * 1000 / SEARCHES
    rest = sorted(took[1:])
    return {
        "first_ms": took[0],
        "search_ms": median(rest),
        "search_p99_ms": rest[len(rest) * 99 // 100],
        "search_cpu_ms": cpu_ms,
    }


def run(chosen: list[Case], rounds: int) -> Iterator[Samples]:
    """All samples so far, after each case."""
    samples: Samples = {}
    for case in chosen:
        prepared: dict[str, Prepared] = {}
        try:
            for name in (KAFKA, OURS):
                print(f"{case.name}: {name} is filled", file=sys.stderr, flush=True)
                prepared[name] = Prepared(name, case)
            for number in range(rounds):
                for name in sorted(prepared, reverse=bool(number % 2)):
                    found = prepared[name].measure()
                    print(f"{case.name}, round {number + 1}, {name}: {found}", file=sys.stderr, flush=True)
                    add(samples, name, {case.name: found})
        finally:
            for each in prepared.values():
                each.close()
        yield samples


def main() -> int:
    """Prints a table and the bars, and stores both; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.starts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", default="", help="a regular expression: those whose names match")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="(default: %(default)s)")
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes (default: %(default)s)")
    parser.add_argument("--short", action="store_true", help="one round of a hundredth of the data: a smoke test")
    parser.add_argument("--out", type=Path, help=f"where the result is stored (default: {RESULTS}, not with --short)")
    options = parser.parse_args()
    made = cases(0.01 if options.short else options.scale)
    chosen = [case for case in made if re.search(options.cases, case.name)]
    keep_bytecode()
    machine: dict[str, Any] = facts()
    out = options.out or (None if options.short else RESULTS)
    lines, is_held = [""], True
    for samples in run(chosen, 1 if options.short else options.rounds):
        machine["load_after"] = os.getloadavg()[0]
        found: Medians = medians_of(samples)
        about = __doc__.partition("\n\n")[2].strip()
        lines, is_held = report("Starts and lookups", about, found, METRICS, bars(chosen), machine)
        if out is not None:  # an interrupted run keeps what it has
            store("starts", out, lines, machine, samples)
    print("\n".join(lines))
    return int(not is_held)


if __name__ == "__main__":
    sys.exit(main())
