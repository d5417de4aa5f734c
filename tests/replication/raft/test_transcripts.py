"""Transcripts of elections, replication and voter changes in the metadata quorum."""

from pathlib import Path

import pytest

from tests import transcripts
from tests.replication.raft.transcripts import Stage

CASES = transcripts.titles(sorted(transcripts.SCENARIOS.glob("raft_*.txt")))


@pytest.mark.parametrize(("path", "title"), CASES, ids=[f"{path.stem}: {title}" for path, title in CASES])
def test_conversation(path: Path, title: str) -> None:
    transcripts.check(path, title, Stage())


def test_the_scenarios_are_there() -> None:
    assert {path.stem for path, _ in CASES} == {"raft_commit", "raft_elections", "raft_reconfiguration"}
    assert len(CASES) >= 15
