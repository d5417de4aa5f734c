"""The examples of docs/pytest.md run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.testing.pytest_runs import QUIET, ROOT

PAGE = (ROOT / "docs" / "pytest.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
MIN_EXAMPLES = 6


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= MIN_EXAMPLES


@pytest.mark.parametrize("code", [pytest.param(code, id=str(number)) for number, code in enumerate(EXAMPLES)])
def test_an_example_runs(code: str, tmp_path: Path) -> None:
    for client in ("aiokafka", "confluent_kafka", "kafka"):
        if f"from {client} " in code:
            pytest.importorskip(client)
    command = [sys.executable, "test_page.py"]
    if code.startswith("# conftest.py"):
        (tmp_path / "conftest.py").write_text(code)
        code = "def test_own(kafka): assert kafka.bootstrap_servers"
    (tmp_path / "test_page.py").write_text(code)
    if "def test_" in code and "__main__" not in code:
        command = [sys.executable, "-m", "pytest", *QUIET, "-q", "test_page.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
