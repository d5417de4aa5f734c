"""Each mistake has its place in the code: one run finds only some of them (`--one-in`)."""

from __future__ import annotations

import pytest

from tests.sim.mutants import (
    Mutant,
    cleaning,
    compaction_scans,
    log_life,
    moves,
    nodes,
    raft,
    replication,
    transaction_rules,
    transactions,
)

ALL: tuple[Mutant, ...] = (
    *cleaning.MUTANTS, *compaction_scans.MUTANTS, *log_life.MUTANTS, *moves.MUTANTS, *nodes.MUTANTS,
    *nodes.JUMP_MUTANTS, *raft.MUTANTS, *replication.MUTANTS, *transaction_rules.MUTANTS, *transactions.MUTANTS,
)  # fmt: skip


def test_each_mistake_has_its_place_in_the_code() -> None:
    for mutant in ALL:
        with mutant.made():
            pass


def test_a_mistake_needs_its_place_in_the_code() -> None:
    mutant = Mutant("elsewhere", Mutant.made, "what is not there", "", range(1))
    with pytest.raises(LookupError, match="is not there once"), mutant.made():
        pass
