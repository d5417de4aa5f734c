"""What must not be in a public repository: paths of the machine where a file was written, hosts that only it uses."""

from __future__ import annotations

import re

import pytest

from tests.tidy.tree import ROOT, files

# In two halves, so that this file does not trip over itself.
HALVES = (
    ("/wo", "rk/"), ("/ro", "ot/"), ("/ho", "me/(?!appuser)"), ("/Us", "ers/"),
    ("pypi", r"\.org"), ("python", r"hosted\.org"), ("proxy", r"\.golang\.org"), ("npm", r"js\.org"),
    ("[Ii]ssue", r" #?\d+\b"), ("[Hh]elper", " session"), ("session of", " an agent"),
    (r"\bTO", r"DO\b"), (r"\bFIX", r"ME\b"),
)  # fmt: skip
PATTERN = re.compile("|".join(head + tail for head, tail in HALVES))


def test_no_file_speaks_of_a_place_that_is_not_the_projects() -> None:
    found = []
    for name in files():
        data = (ROOT / name).read_bytes()
        if b"\0" not in data:
            for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
                match = PATTERN.search(line)
                if match is not None:
                    found.append(f"{name}:{number}: {match[0]}")
    assert found == []


@pytest.mark.parametrize(("head", "tail"), [("/wo", "rk/x"), ("https://pypi", ".org"), ("issue", " #12"), ("TO", "DO")])
def test_the_pattern_finds_what_it_is_for(head: str, tail: str) -> None:
    assert PATTERN.search(f"see {head}{tail}")
