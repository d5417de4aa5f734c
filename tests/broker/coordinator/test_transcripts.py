"""The group state machine, told as conversations."""

import os
from pathlib import Path

import pytest

from tests.broker.coordinator.transcripts import SCENARIOS, play, read_scenarios

FILES = sorted(SCENARIOS.glob("group_*.txt"))
CASES = [pytest.param(path, title, id=f"{path.stem}: {title}") for path in FILES for title, _ in read_scenarios(path)]


@pytest.mark.parametrize(("path", "title"), CASES)
def test_conversation(path: Path, title: str) -> None:
    lines = dict(read_scenarios(path))[title]
    played = play(lines)
    if os.environ.get("KAFKACOMPAT_WRITE_SCENARIOS"):
        whole = path.read_text()
        path.write_text(whole.replace("\n".join(lines), "\n".join(played)))
        return
    assert "\n".join(played) == "\n".join(lines)


def test_the_scenarios_are_there() -> None:
    assert len(CASES) >= 25
    for path in FILES:
        titles = [title for title, _ in read_scenarios(path)]
        assert len(titles) == len(set(titles))
