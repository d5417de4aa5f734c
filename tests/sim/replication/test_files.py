"""Everyday tests of mode B: random runs on the real log, on disks that lose unsynced data.

More: `python -m tests.sim isr --mode B --seeds 1-1000`.
"""

from __future__ import annotations

import pytest

from tests.sim.replication.run import Run

SEEDS = range(20_001, 20_015)


@pytest.mark.parametrize("part", range(2))
def test_random_runs_over_the_real_log(part: int) -> None:
    for seed in SEEDS[part::2]:
        Run(seed, mode="B").go()


def test_a_seed_is_one_run() -> None:
    assert str(Run(7, mode="B").go()) == str(Run(7, mode="B").go())
