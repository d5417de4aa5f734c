"""The examples of docs/inspection.md run, and the difference that it shows is the one of a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cluster.test_expectations import GOLDEN

PAGE = Path(__file__).parent.parent.parent / "docs" / "inspection.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES, ids=map(str, range(len(EXAMPLES))))
def test_an_example_runs(code: str) -> None:
    exec(compile(code, PAGE.name, "exec"), {"__name__": PAGE.stem})


def test_the_difference_is_shown_as_it_is() -> None:
    assert f"```text\n{GOLDEN}\n```" in PAGE.read_text()
