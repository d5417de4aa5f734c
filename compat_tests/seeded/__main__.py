"""Show that the suite can fail: run it on brokers with one seeded difference each, and say which were caught.

`python -m compat_tests.seeded [SEED…]` runs the suite once for each seed, until a test fails. The tests that compare
answers come first; a seed that they miss goes to the generated sequences and to client suites. Each run has an Apache
Kafka of its own, so that nothing is left over from the run before.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from compat_tests.seeded.broker import NOTHING, SEEDS

ROOT = Path(__file__).resolve().parents[2]
STAGES = (
    ("both", ("api",)),
    ("both", ("generated",)),
    ("kafkacompat", ("clients/kafka_python", "clients/aiokafka", "clients/confluent_kafka")),
)
"""Suites in the order in which a seed meets them, and on which brokers they run."""
STAGE_TIMEOUT_S = 600
MISSED = "MISSED"


class Fate(NamedTuple):
    """What became of a seed."""

    seed: str
    caught_by: str
    seconds: float


def fate(name: str) -> Fate:
    """Run the stages until one catches the seed."""
    began = time.monotonic()
    for brokers, suites in STAGES:
        if caught_by := first_failure(name, brokers, suites):
            return Fate(name, caught_by, round(time.monotonic() - began, 1))
    return Fate(name, MISSED, round(time.monotonic() - began, 1))


def first_failure(seed: str, brokers: str, suites: Sequence[str]) -> str:
    """The first test of some suites that fails with a seed; empty if all pass. Raises RuntimeError if none ran."""
    command = [
        sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no",
        "--broker", brokers, "--seed", seed, *(f"compat_tests/{suite}" for suite in suites),
    ]  # fmt: skip
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=STAGE_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"{suites[0]}: did not end within {STAGE_TIMEOUT_S} s"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    if done.returncode == 1 and failed:
        return failed[0].split(" - ")[0].split(" ", 1)[1].removeprefix("compat_tests/")
    if done.returncode != 0:
        raise RuntimeError(f"pytest ended with status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return ""


@click.command()
@click.argument("names", nargs=-1, metavar="[SEED]...")
@click.option("--out", type=click.Path(path_type=Path), help="Write a CSV with each seed's fate there.")
def main(names: Sequence[str], out: Path | None) -> None:
    """Run the suite on each seeded broker; ends with status 1 if a seed was missed."""
    if wrong := sorted(set(names) - set(SEEDS)):
        raise click.UsageError(f"no seed {', '.join(wrong)}; there are {', '.join(SEEDS)}")
    if failed := first_failure(NOTHING, *STAGES[0]):
        raise click.ClickException(f"the suite fails without any seed, so catching one means nothing: {failed}")
    fates = [_told(fate(name)) for name in names or SEEDS]
    missed = [one.seed for one in fates if one.caught_by == MISSED]
    click.echo(f"{len(fates) - len(missed)} of {len(fates)} seeded differences caught")
    if out is not None:
        with out.open("w", newline="") as file:
            csv.writer(file).writerows([Fate._fields, *fates])
    sys.exit(1 if missed else 0)


def _told(one: Fate) -> Fate:
    click.echo(f"{one.seconds:6.1f} s  {one.seed:42} {one.caught_by}")
    return one


if __name__ == "__main__":
    main(prog_name="python -m compat_tests.seeded")
