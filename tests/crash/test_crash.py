"""Crash states and changed bytes in their everyday form; all of them: `python3 .ci/dev.py crash`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from tests.crash.explore import KINDS, Exploration
from tests.crash.flips import Directory, Flips, Interrupted, Quorum

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARES = {"partition": 0.15, "follower": 0.1, "transactions": 0.1, "voter": 0.03}
SEEDS = range(101, 104)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Recovery warns of what it cuts, thousands of times."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_crash_loses_what_was_durable_or_shows_what_never_was(kind: str) -> None:
    exploration = Exploration(kind, share=SHARES[kind])
    failures = [failure for seed in SEEDS for failure in exploration.run(seed)]
    assert failures == []
    assert exploration.states > 100


@pytest.mark.parametrize("is_clean", [True, False], ids=["clean", "killed"])
def test_no_changed_byte_makes_a_record_that_was_never_written(is_clean: bool) -> None:
    found = Flips()
    found.run(Directory(3, is_clean=is_clean), every=61)
    assert found.wrong == []
    assert len({kind for kind, _ in found.found}) >= 8


@pytest.mark.parametrize("is_clean", [True, False], ids=["clean", "killed"])
def test_no_changed_byte_of_what_an_interrupted_step_leaves_does_either(is_clean: bool) -> None:
    directory = Interrupted(3, is_clean=is_clean)
    assert directory.judge(directory.found.copy()) == "unharmed"
    found = Flips()
    found.run(directory, every=37)
    assert found.wrong == []
    assert {".log.swap", ".index.swap", "cleaner-offset-checkpoint"} <= {kind for kind, _ in found.found}


def test_no_changed_byte_makes_metadata_that_was_never_written() -> None:
    found = Flips()
    found.run(Quorum(3), every=211)
    assert found.wrong == []
