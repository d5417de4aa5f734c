"""Transactions in whole nodes, in their everyday form. More: `python -m tests.sim transactions --seeds 1-200`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.sim.mutants.transactions import MUTANTS
from tests.sim.nodes.transaction_changes import DELETED, DOWN, UP
from tests.sim.nodes.transactions import TransactionRun, few_epochs

if TYPE_CHECKING:
    from tests.sim.mutants import Mutant

SEEDS = (1, 2)
CHANGING_SEED = 17


def test_random_runs_end_well() -> None:
    outcomes: Counter[bool | None] = Counter()
    for seed in SEEDS:
        run = TransactionRun(seed)
        run.go()
        assert run.faults.count
        assert run.world.now_us >= 60_000_000
        outcomes += Counter(told.outcome for told in run.ledger.transactions.values())
    assert outcomes[True]
    assert outcomes[False]


def test_versions_change_and_a_topic_is_deleted_in_mid_run() -> None:
    run = TransactionRun(CHANGING_SEED)
    run.go()
    assert run.met[UP]
    assert run.met[DOWN]
    assert run.met[DELETED]


def test_a_former_coordinator_that_went_on_refuses_a_producer() -> None:
    TransactionRun(1248).go()


def test_a_request_that_arrives_after_all_faults_fences_nobody() -> None:
    TransactionRun(51_005).go()


def test_room_that_comes_while_a_node_without_it_ends() -> None:
    TransactionRun(1315).go()


@pytest.mark.sampled
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_mistakes_are_found(mutant: Mutant) -> None:
    with pytest.raises(AssertionError):
        mutant.run_seeds(lambda seed: TransactionRun(seed).go())


def test_epochs_end_earlier_only_for_a_while() -> None:
    from kafkacompat.broker.coordinator.txn import end, state

    with few_epochs(12):
        assert (state.LAST_CLIENT_EPOCH, state.MAX_EPOCH, end.LAST_CLIENT_EPOCH) == (12, 13, 12)
    assert (state.LAST_CLIENT_EPOCH, state.MAX_EPOCH, end.LAST_CLIENT_EPOCH) == (32_766, 32_767, 32_766)
