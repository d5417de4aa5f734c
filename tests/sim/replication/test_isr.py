"""Everyday tests of replication: some random runs, all schedules, and mutants (`--one-in` takes some of them).

More: `python -m tests.sim isr --seeds 1-10000`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.sim.mutants.replication import MUTANTS
from tests.sim.replication import deaths, schedules
from tests.sim.replication.run import Run
from tests.tidy.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.mutants import Mutant

SEEDS = range(10_001, 10_033)
DETERMINISTIC_SEEDS = "1-5"


@pytest.mark.parametrize("part", range(4))
def test_random_runs_keep_what_must_hold_and_end_well(part: int) -> None:
    for seed in SEEDS[part::4]:
        Run(seed).go()


@pytest.mark.parametrize("schedule", [*schedules.ALL, *deaths.ALL], ids=lambda schedule: schedule.__name__)
def test_schedules(schedule: Callable[[], None]) -> None:
    schedule()


@pytest.mark.sampled
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_mistakes_are_found(mutant: Mutant) -> None:
    with mutant.made(), pytest.raises(AssertionError):
        _look_for(mutant)


def _look_for(mutant: Mutant) -> None:
    if not isinstance(mutant.caught_by, range):
        mutant.caught_by()
        return
    for seed in mutant.caught_by:
        Run(seed).go()


def test_a_seed_is_one_run_whatever_the_hash_seed() -> None:
    first, *others = (_digests(hash_seed) for hash_seed in ("0", "12345"))
    assert first.count("seed ") == 5
    assert others == [first]


def _digests(hash_seed: str) -> str:
    command = [sys.executable, "-m", "tests.sim", "isr", "--seeds", DETERMINISTIC_SEEDS, "--each"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=True)
    return "\n".join(line for line in done.stdout.splitlines() if line.startswith("seed "))
