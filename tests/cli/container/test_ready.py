"""The lines that modules wait for, and the ready file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kafkacompat.cli.container.ready import Announcement
from kafkacompat.cli.options import ReadyNode


def no_seed(seed: object) -> None:
    raise AssertionError(f"nobody asked for {seed}")


def test_the_lines_come_once_and_in_kafkas_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ready.json"
    announcement = Announcement(str(file))
    announcement.on_ready(ReadyNode(4, [], lambda: False, no_seed))
    lines = capsys.readouterr().out.splitlines()
    assert [bool(re.match(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] INFO \[", line)) for line in lines] == [True] * 3
    assert "Transitioning from RECOVERY to RUNNING" in lines[0]
    assert "Kafka Server started" in lines[1]
    assert "[KafkaServer id=4] started" in lines[2]
    assert json.loads(file.read_text())["node_id"] == 4
    announcement.withdraw()
    announcement.withdraw()
    assert not file.exists()


def test_a_node_that_stops_meanwhile_is_not_announced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Announcement(str(tmp_path / "ready.json")).on_ready(ReadyNode(1, [], lambda: True, no_seed))
    assert capsys.readouterr().out == ""
    assert not (tmp_path / "ready.json").exists()
