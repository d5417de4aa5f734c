"""The examples of docs/state.md run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kafkacompat.control_api.seed_files import load_seed
from tests.tidy.tree import ROOT

PAGE = (ROOT / "docs" / "state.md").read_text()


def test_the_programs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    programs = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(programs) == 6
    for program in programs:
        exec(program, scope)


def test_the_seed_file_is_one(tmp_path: Path) -> None:
    (lines,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "seed.jsonl"
    path.write_text(lines)
    seed = load_seed(path)
    assert (seed.topics["orders"].partitions, len(seed.records["orders"])) == (3, 1)
