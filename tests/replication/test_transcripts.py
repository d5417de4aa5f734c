"""Transcripts of a partition's ISR and high watermark."""

from pathlib import Path

import pytest

from tests import transcripts
from tests.replication.transcripts import Stage

FILES = [*sorted(transcripts.SCENARIOS.glob("isr_*.txt")), transcripts.SCENARIOS / "high_watermark.txt"]
CASES = transcripts.titles(FILES)


@pytest.mark.parametrize(("path", "title"), CASES, ids=[f"{path.stem}: {title}" for path, title in CASES])
def test_conversation(path: Path, title: str) -> None:
    transcripts.check(path, title, Stage())


def test_the_scenarios_are_there() -> None:
    assert {path.stem for path, _ in CASES} == {"isr_expand", "isr_shrink", "high_watermark"}
