"""The examples of docs/traffic.md run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kafkacompat.cluster.captured_requests import captured_requests
from kafkacompat.traffic.capture_file import CaptureFile
from tests.tidy.tree import ROOT

PAGE = (ROOT / "docs" / "traffic.md").read_text()


def test_the_programs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for program in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(program, scope)
    with CaptureFile("orders.kct") as capture:
        assert "Produce" in [each.api for each in captured_requests(capture)]
