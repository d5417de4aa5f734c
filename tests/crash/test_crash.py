"""Crash states and changed bytes in their everyday form; all of them: `python3 .ci/dev.py crash`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from tests.crash.explore import KINDS, Exploration
from tests.crash.flips import DIRECTORIES, Flips, Quorum

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARES = {"partition": 0.15, "follower": 0.1, "moves": 0.02, "transactions": 0.1, "voter": 0.03}
SEEDS = dict.fromkeys(SHARES, range(101, 104)) | {"moves": range(101, 102)}
CHANGED = {
    "a partition": {"segment.log", ".index", ".timeindex", ".snapshot", "leader-epoch-checkpoint", "meta.properties"},
    "interrupted": {".log.swap", ".index.swap", "cleaner-offset-checkpoint", "segment.log", ".snapshot"},
    "cleaned": {".log.cleaned", ".index.cleaned"},
    "transactions": {".txnindex", ".snapshot"},
    "a large segment": {"segment.log"},
}
"""Kinds of files that are among those which are changed."""


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Recovery warns of what it cuts, thousands of times."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_crash_loses_what_was_durable_or_shows_what_never_was(kind: str) -> None:
    exploration = Exploration(kind, share=SHARES[kind])
    failures = [failure for seed in SEEDS[kind] for failure in exploration.run(seed)]
    assert failures == []
    assert exploration.states > 40 * len(SEEDS[kind])


EVERY = {"a partition": 61, "interrupted": 61, "cleaned": 61, "transactions": 7, "a large segment": 100}
"""One byte of so many is changed, by the kind of directory."""


@pytest.mark.parametrize("is_clean", [True, False], ids=["clean", "killed"])
@pytest.mark.parametrize("kind", DIRECTORIES)
def test_no_changed_byte_makes_a_record_that_was_never_written(kind: str, is_clean: bool) -> None:
    directory = DIRECTORIES[kind](3, is_clean=is_clean)
    assert directory.judge(directory.found.copy()) == "unharmed"
    found = Flips()
    found.run(directory, every=EVERY[kind])
    assert found.wrong == []
    assert CHANGED[kind] <= {changed for changed, _ in found.found}


def test_no_changed_byte_makes_metadata_that_was_never_written() -> None:
    found = Flips()
    found.run(Quorum(3), every=211)
    assert found.wrong == []
