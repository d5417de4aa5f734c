"""The state machine of transactional ids, told as conversations."""

from pathlib import Path

import pytest

from tests import transcripts
from tests.broker.coordinator.txn.stage import Stage

CASES = transcripts.titles(sorted(transcripts.SCENARIOS.glob("txn_*.txt")))


@pytest.mark.parametrize(("path", "title"), CASES, ids=[f"{path.stem}: {title}" for path, title in CASES])
def test_conversation(path: Path, title: str) -> None:
    transcripts.check(path, title, Stage())


def test_the_scenarios_are_there() -> None:
    assert len(CASES) >= 40
