"""`python -m benchmarks`: measure this broker and its peers in one run, print the table and store it."""

from __future__ import annotations

import argparse
import datetime
import shutil
import sys
from pathlib import Path
from typing import Any

import kafkacompat
from benchmarks.bars import BARS, judge
from benchmarks.cases import LOAD_CASES, LoadCase, Tools
from benchmarks.gotools import BenchmarkError, Client, build
from benchmarks.life_cases import LIFE_CASES, PYTHON_CASES, LifeCase
from benchmarks.measure import facts, keep_bytecode
from benchmarks.peers import data_folder
from benchmarks.runner import Runner
from benchmarks.table import medians, store
from benchmarks.warm_memory import WarmMemory
from compat_tests.apache_kafka import DEFAULT_JVM_OPTIONS
from compat_tests.artifacts import KAFKA_VERSION, MissingToolError
from compat_tests.broker_process import remove_directory, scratch_directory

RESULTS = Path(__file__).parent / "results"
ALL_BROKERS = "kafkacompat-uvloop,kafkacompat-asyncio,kafka,kfake"
SHORT_SCALE, SHORT_SECONDS = 0.1, 1.0
CASES = (*PYTHON_CASES, *LIFE_CASES, *LOAD_CASES)


def main() -> int:
    """0 when every run counted; a missed bar is a line in the table, not a failure."""
    options = _options()
    try:
        return _run(options)
    except (BenchmarkError, MissingToolError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = ", ".join(case.name for case in CASES)
    parser.add_argument("--cases", default="", help=f"beginnings of names, with commas between; all: {names}")
    parser.add_argument("--brokers", default=ALL_BROKERS, help="with commas between (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=4.0, help="counted time of a timed run (default: %(default)s)")
    parser.add_argument("--short", action="store_true", help="one round with a tenth of the data: a smoke test")
    parser.add_argument(
        "--warm-memory", action="store_true", help="on a virtual machine whose host takes back free memory: see docs"
    )
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results (default: %(default)s)")
    return parser.parse_args()


def _run(options: argparse.Namespace) -> int:
    chosen = [case for case in CASES if case.name.startswith(tuple(options.cases.split(",")))]
    if not chosen:
        raise BenchmarkError(f"no case is called {options.cases}")
    if options.short:
        options.rounds, options.seconds = 1, SHORT_SECONDS
    keep_bytecode()
    programs = build()
    scratch = scratch_directory("benchmark-scratch-")
    try:
        memory = WarmMemory(scratch, enabled=options.warm_memory)
        scale = SHORT_SCALE if options.short else 1.0
        tools = Tools(Client(programs), memory, scale, options.seconds)
        runner = Runner(options.brokers.split(","), programs, tools, options.rounds)
        about = _facts(options)
        name = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}-{kafkacompat.__version__}"
        name += "-short" if options.short else ""
        for case in chosen:
            if isinstance(case, LoadCase):
                runner.load(case)
            elif isinstance(case, LifeCase):
                runner.life(case)
            else:
                runner.python(case)
            path = store(
                options.out, name, about, runner.samples, runner.failures
            )  # an interrupted run keeps what it has
    finally:
        remove_directory(scratch)
    print(path.read_text())
    missed = [v for bar in BARS for v in judge(bar, medians(runner.samples)) if not v.held]
    print(f"{len(missed)} bars missed, {len(runner.failures)} runs do not count; stored in {path}")
    return 1 if runner.failures else 0


def _facts(options: argparse.Namespace) -> dict[str, Any]:
    return {
        **facts(),
        "data_disk": f"{data_folder()}, {shutil.disk_usage(data_folder()).free // 10**9} GB free",
        "warm_memory": options.warm_memory,
        "rounds": options.rounds,
        "kafka": f"{KAFKA_VERSION} with {' '.join(DEFAULT_JVM_OPTIONS)}",
        "client": "franz-go, no compression, acks=all, idempotent; each broker had two uncounted runs of a case before",
    }


if __name__ == "__main__":
    sys.exit(main())
