"""Compaction and retention in whole nodes, the everyday form. More: `python -m tests.sim cleaning --seeds 1-200`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.sim.mutants.cleaning import MUTANTS
from tests.sim.nodes.cleaning import CleaningRun
from tests.sim.nodes.cleaning_invariants import (
    ABORTED_GONE,
    CRASH_IN_SWAP,
    IN_HOLE,
    MAP_FULL,
    READER_BEHIND,
    RETENTION_FOLLOWER,
    RETENTION_LEADER,
    TOMBSTONE_GONE,
)

if TYPE_CHECKING:
    from tests.sim.mutants import Mutant

SEEDS = (1, 5, 6)
NEEDED = {
    ABORTED_GONE, CRASH_IN_SWAP, IN_HOLE, MAP_FULL, READER_BEHIND, RETENTION_FOLLOWER, RETENTION_LEADER,
    TOMBSTONE_GONE,
}  # fmt: skip
"""What happens several times in so few seeds. What is rare is asked of the many seeds of CI."""


def test_random_runs_end_well() -> None:
    met: Counter[str] = Counter()
    for seed in SEEDS:
        run = CleaningRun(seed)
        run.go()
        assert run.acknowledged
        assert run.faults.count
        met += run.met
    assert set(+met) >= NEEDED


@pytest.mark.sampled
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_mistakes_are_found(mutant: Mutant) -> None:
    with pytest.raises(AssertionError):
        mutant.run_seeds(lambda seed: CleaningRun(seed).go())
