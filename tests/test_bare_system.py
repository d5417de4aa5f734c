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
    *(
        f"tests/cli/test_serve.py::test_{name}"
        for name in (
            "from_ready_to_a_clean_stop", "in_a_container_probes_are_on_every_address",
            "localhost_answers_on_every_address", "a_data_directory_stays_and_keeps_the_cluster_id",
            "several_directories_are_locked_and_named", "a_second_signal_ends_it_at_once", "a_locked_data_directory",
        )
    ),
]  # fmt: skip
"""What signals, locks, addresses and files have a part in."""


@pytest.mark.skipif(ENVIRONMENT in os.environ, reason="this is the second run")
def test_the_server_without_what_other_systems_lack() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.bare_system", "-p", "no:cacheprovider", *AGAIN]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-1000:]
