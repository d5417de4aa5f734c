"""The examples of pages about clusters run, and each page with examples is in some test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def examples(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)


PAGES = (
    "addresses.md", "clock.md", "cluster-faults.md", "cluster.md", "compaction.md", "releases.md", "transactions.md",
)  # fmt: skip
OF_TESTS = {"compatibility-suite.md"}
"""Its examples are parts of tests."""
EXAMPLES = [(page, code) for page in PAGES for code in examples(page)]


@pytest.mark.parametrize(("page", "code"), EXAMPLES, ids=[f"{page}-{at}" for at, (page, _) in enumerate(EXAMPLES)])
def test_an_example_runs(page: str, code: str) -> None:
    if "confluent_kafka" in code:
        pytest.importorskip("confluent_kafka")
    exec(compile(code, page, "exec"), {"__name__": page})


def test_each_page_with_examples_is_in_a_test() -> None:
    here = Path(__file__)
    others = [
        path
        for top in ("tests", "compat_tests")
        for name in ("test_*page*.py", "flights_picture.py")  # the latter is what the test of its page runs
        for path in (ROOT / top).rglob(name)
        if path != here
    ]
    named = {page for path in others for page in re.findall(r'"([\w-]+\.md)"', path.read_text())}
    pages = {path.name for path in (ROOT / "docs").glob("*.md") if examples(path.name)}
    assert pages - named - {*PAGES, *OF_TESTS} == set()
    assert pages >= OF_TESTS
