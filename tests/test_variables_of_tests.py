"""The tests say the same whatever is set where pytest runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ODD = {"KAFKACOMPAT_ANYTHING": "1", "KAFKACOMPAT_LOOP": "none", "KAFKA_LISTENERS": "x", "KAFKA_NODE_ID": "y"}


def test_variables_of_the_shell_are_not_those_of_a_test() -> None:
    some = ["tests/cli/test_variables.py", "tests/cli/container/test_start.py", "tests/cli/test_health.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *some]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **ODD}, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-1000:]
