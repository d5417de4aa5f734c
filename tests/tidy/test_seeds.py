"""Each mistake that can be seeded in a broker finds the function that it bends, wherever that has moved."""

from __future__ import annotations

import subprocess
import sys

from tests.tidy.tree import ROOT

PLANT_ALL = """
from compat_tests.seeded import answers, rules
from compat_tests.seeded.seeding import SEEDS

failed = []
for name, plant in SEEDS.items():
    try:
        plant()
    except (AttributeError, ImportError) as error:
        failed.append(f"{name}: {error}")
print(len(SEEDS), failed)
"""


def test_every_seed_can_be_planted() -> None:
    done = subprocess.run([sys.executable, "-c", PLANT_ALL], cwd=ROOT, capture_output=True, text=True, timeout=120)
    count, _, failed = done.stdout.strip().partition(" ")
    assert (int(count or 0) > 10, failed) == (True, "[]"), done.stderr
