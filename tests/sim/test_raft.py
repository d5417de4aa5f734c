"""The everyday tests of the quorum: some random runs, all schedules and conversations, and mutants (`--one-in`).

More: `python -m tests.sim raft --seeds 1-10000`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kafkacompat.replication.raft.follower import LostCommittedError
from tests.sim import conversations, requests, schedules, voters
from tests.sim.mutants.raft import MUTANTS
from tests.sim.raft import Run
from tests.tidy.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.mutants import Mutant

SEEDS = range(10_001, 10_051)
DETERMINISTIC_SEEDS = "1-8"


@pytest.mark.parametrize("part", range(5))
def test_random_runs_keep_what_must_hold_and_end_well(part: int) -> None:
    for seed in SEEDS[part::5]:
        Run(seed).go()


@pytest.mark.parametrize("schedule", schedules.ALL, ids=lambda schedule: schedule.__name__)
def test_schedules(schedule: Callable[[], None]) -> None:
    schedule()


@pytest.mark.parametrize(
    "conversation", conversations.ALL + requests.ALL + voters.ALL, ids=lambda conversation: conversation.__name__
)
def test_conversations(conversation: Callable[[], None]) -> None:
    conversation()


@pytest.mark.sampled
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_mistakes_are_found(mutant: Mutant) -> None:
    catches = [Run(n).go for n in mutant.caught_by] if isinstance(mutant.caught_by, range) else [mutant.caught_by]
    with mutant.made():
        assert any(_finds(catch) for catch in catches)


def _finds(catch: Callable[[], object]) -> bool:
    try:
        catch()
    except (AssertionError, LostCommittedError):
        return True
    return False


def test_a_seed_is_one_run_whatever_the_hash_seed() -> None:
    first, *others = (_digests(hash_seed) for hash_seed in ("0", "12345"))
    assert first.count("seed ") == 8
    assert others == [first]


def _digests(hash_seed: str) -> str:
    command = [sys.executable, "-m", "tests.sim", "raft", "--seeds", DETERMINISTIC_SEEDS, "--each"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=True)
    return "\n".join(line for line in done.stdout.splitlines() if line.startswith("seed "))
