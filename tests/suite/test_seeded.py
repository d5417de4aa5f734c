"""Seeds can be planted in the broker as it is now. That the suite finds them, `python -m compat_tests.seeded` shows."""

from __future__ import annotations

import subprocess
import sys

from compat_tests.seeded.broker import SEEDS
from tests.tidy.tree import ROOT

LEAST = 30


def test_there_are_enough() -> None:
    assert len(SEEDS) >= LEAST


PLANT = """
import os
from compat_tests.seeded.broker import SEEDS, run

for name in sorted(SEEDS):
    child = os.fork()
    if child == 0:
        run(name, "--version")
    _, status = os.waitpid(child, 0)
    print(name, os.waitstatus_to_exitcode(status), flush=True)
"""
"""Each one in a process of its own, that has nothing left to import."""


def test_each_one_can_be_planted() -> None:
    done = subprocess.run([sys.executable, "-c", PLANT], cwd=ROOT, capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert [line for line in lines if not line.startswith("kafkacompat")] == [f"{name} 0" for name in sorted(SEEDS)], (
        done.stderr
    )
    assert sum(line.startswith("kafkacompat") for line in lines) == len(SEEDS)
