"""Conversations in tests/scenarios/*.txt: read, played on a stage, and compared or written.

A scenario begins with `== title`; then come comments (`# why`) and commands, and below each command, indented, all that
it brings about. To write what comes out into the files (and then read it!), set KAFKACOMPAT_WRITE_SCENARIOS=1 for the
test that plays them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kafkacompat.protocol import error_codes

if TYPE_CHECKING:
    from collections.abc import Iterable

    class Stage(Protocol):
        """One scenario under way."""

        def play(self, line: str) -> list[str]:
            """Carry a command out; what it brings about."""


SCENARIOS = Path(__file__).parent / "scenarios"
ERROR_NAMES = {code: name for name, code in vars(error_codes).items() if isinstance(code, int) and name.isupper()}
WRITES = bool(os.environ.get("KAFKACOMPAT_WRITE_SCENARIOS"))
"""Read before the tests begin, which do not see such variables (`tests/conftest.py`)."""
UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def read_scenarios(path: Path) -> list[tuple[str, list[str]]]:
    """Titles and lines."""
    scenarios: list[tuple[str, list[str]]] = []
    for line in path.read_text().splitlines():
        if line.startswith("== "):
            scenarios.append((line[3:], []))
        elif scenarios:
            scenarios[-1][1].append(line)
    return scenarios


def titles(paths: Iterable[Path]) -> list[tuple[Path, str]]:
    """Every scenario of these files; no title is used twice in one of them."""
    found = [(path, title) for path in paths for title, _ in read_scenarios(path)]
    assert len(found) == len(set(found))
    return found


def play(lines: list[str], stage: Stage) -> list[str]:
    """The scenario's lines with what came out of them."""
    played = []
    for line in lines:
        if line.startswith(" "):
            continue
        played.append(line)
        if line and not line.startswith("#"):
            played += [f"    {outcome}" for outcome in stage.play(line)]
    return played


def check(path: Path, title: str, stage: Stage) -> None:
    """Play a scenario: what comes out is what the file says, or is written there."""
    lines = dict(read_scenarios(path))[title]
    played = play(lines, stage)
    if WRITES:
        path.write_text(path.read_text().replace("\n".join(lines), "\n".join(played)))
        return
    assert "\n".join(played) == "\n".join(lines)


def duration_ms(text: str) -> int:
    """Of `70ms`, `3s` and the like."""
    found = re.fullmatch(r"(\d+)([a-z]+)", text)
    assert found is not None, text
    return int(found[1]) * UNITS_MS[found[2]]
