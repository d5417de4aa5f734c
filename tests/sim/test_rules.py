"""Each mistake in rules of transactions, retention, compaction or moves is found by its own test, without a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sim.mutants import compaction_scans, log_life, moves, transaction_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.mutants import Mutant


MUTANTS = (*transaction_rules.MUTANTS, *log_life.MUTANTS, *compaction_scans.MUTANTS, *moves.MUTANTS)


@pytest.mark.sampled
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_mistakes_are_found(mutant: Mutant) -> None:
    assert callable(mutant.caught_by)
    mutant.caught_by()
    with mutant.made():
        assert _finds(mutant.caught_by)


def _finds(test: Callable[[], None]) -> bool:
    try:
        test()
    except (Exception, pytest.fail.Exception):  # noqa: BLE001 - a mistake may also make the code or the stage fail
        return True
    return False
