"""Seeds can be planted in the broker as it is now. That the suite finds them, `python -m compat_tests.seeded` shows."""

from __future__ import annotations

import subprocess
import sys

import pytest

from compat_tests.seeded.broker import SEEDS
from tests.tidy.tree import ROOT

LEAST = 30


def test_there_are_enough() -> None:
    assert len(SEEDS) >= LEAST


@pytest.mark.parametrize("name", sorted(SEEDS))
def test_it_can_be_planted(name: str) -> None:
    code = f"from compat_tests.seeded.broker import run; run({name!r}, '--version')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.split()[:1]) == (0, ["kafkacompat"]), done.stderr
