"""Jumps of the clocks break no invariant of whole nodes, and a mistake that lets them be noticed is found."""

from __future__ import annotations

import pytest

from tests.sim.mutants.nodes import JUMP_MUTANTS
from tests.sim.nodes.jumps import JumpRun

SEEDS = (1, 2)


@pytest.mark.parametrize("kills", [False, True], ids=["alone", "among-elections"])
def test_no_jump_breaks_an_invariant(kills: bool) -> None:
    rebalances = 0
    for seed in SEEDS:
        run = JumpRun(seed, kills=kills)
        run.go()
        assert run.acknowledged
        assert run.jumps.count
        assert run.commits.acknowledged > 0
        rebalances += run.rebalances
    assert rebalances, "some sessions ended"


@pytest.mark.sampled
@pytest.mark.parametrize("mutant", JUMP_MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_mistakes_are_found(mutant) -> None:
    with pytest.raises(AssertionError):
        mutant.run_seeds(lambda seed: JumpRun(seed, kills=False).go())
