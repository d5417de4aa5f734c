"""The server's tests once more, without what other systems may lack."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ENVIRONMENT = "TESTS_ON_A_BARE_SYSTEM"

ROOT = Path(__file__).parents[1]
AGAIN = [
    "tests/server/test_connection.py", "tests/server/test_listener.py", "tests/cluster/test_cluster.py",
    "tests/cli/test_serve.py",
]  # fmt: skip


@pytest.mark.skipif(ENVIRONMENT in os.environ, reason="this is the second run")
def test_the_server_without_what_other_systems_lack() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.bare_system", "-p", "no:cacheprovider", *AGAIN]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-1000:]
