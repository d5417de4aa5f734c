"""Whole nodes under faults in their everyday form. More: `python -m tests.sim cluster --seeds 1-200`."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.sim.mutants.nodes import MUTANTS
from tests.sim.nodes.run import Run
from tests.tidy.tree import ROOT

if TYPE_CHECKING:
    from tests.sim.mutants import Mutant

SEEDS = (2, 7)


def test_random_runs_end_well() -> None:
    for seed in SEEDS:
        run = Run(seed).go()
        assert run.acknowledged
        assert run.faults.count


@pytest.mark.sampled
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_mistakes_are_found(mutant: Mutant) -> None:
    with pytest.raises(AssertionError):
        mutant.run_seeds(lambda seed: Run(seed).go())


def test_a_seed_is_one_run_whatever_the_hash_seed() -> None:
    one, other = (_digest(hash_seed) for hash_seed in ("0", "12345"))
    assert one.startswith("seed 7: ")
    assert other == one


def _digest(hash_seed: str) -> str:
    command = [sys.executable, "-m", "tests.sim", "cluster", "--seeds", "7-7", "--each"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout.splitlines()[0]
