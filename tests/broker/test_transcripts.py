"""Fetch sessions, told as conversations."""

from pathlib import Path

import pytest

from tests import transcripts
from tests.broker.transcripts import Stage

CASES = transcripts.titles(sorted(transcripts.SCENARIOS.glob("fetch_*.txt")))


@pytest.mark.parametrize(("path", "title"), CASES, ids=[f"{path.stem}: {title}" for path, title in CASES])
def test_conversation(path: Path, title: str) -> None:
    transcripts.check(path, title, Stage())


def test_the_scenarios_are_there() -> None:
    assert {path.stem for path, _ in CASES} == {"fetch_sessions"}
