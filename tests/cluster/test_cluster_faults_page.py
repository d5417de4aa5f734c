"""The examples of docs/cluster-faults.md and docs/addresses.md run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def examples(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)


EXAMPLES = [(page, code) for page in ("cluster-faults.md", "addresses.md") for code in examples(page)]


@pytest.mark.parametrize(("page", "code"), EXAMPLES, ids=[f"{page}-{at}" for at, (page, _) in enumerate(EXAMPLES)])
def test_an_example_runs(page: str, code: str) -> None:
    if "confluent_kafka" in code:
        pytest.importorskip("confluent_kafka")
    exec(compile(code, page, "exec"), {"__name__": page})
