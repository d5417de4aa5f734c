"""The same file of tests with the plugin's fixtures, on any broker."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from compat_tests.broker_process import Broker
from compat_tests.everywhere import PASSED_ANYWHERE, REASONS, SKIPPED_ELSEWHERE, TESTS

pytestmark = pytest.mark.api("Produce", "Fetch", "Metadata", "CreateTopics", "DeleteTopics", "JoinGroup")
TIMEOUT_S = 120


def test_tests_with_the_fixtures_run_on_it(broker: Broker, tmp_path: Path) -> None:
    (tmp_path / "test_everywhere.py").write_text(TESTS)
    command = [
        sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--kafkacompat-external",
        broker.bootstrap_servers, str(tmp_path),
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{PASSED_ANYWHERE} passed, {SKIPPED_ELSEWHERE} skipped" in done.stdout
    assert [reason for reason in REASONS if reason not in done.stdout] == []
