"""The lines that modules wait for, and the ready file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kafkacompat.cli.container import hooks
from kafkacompat.cli.container.ready import Announcement
from kafkacompat.cli.ready_node import ReadyNode


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


def test_nothing_is_announced_before_the_scripts_of_the_start_are_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ready.json"
    ran = []

    def run(node: ReadyNode, _environ: object) -> None:
        assert not file.exists()
        assert capsys.readouterr().out == ""
        ran.append(node.node_id)

    monkeypatch.setattr(hooks, "run", run)
    Announcement(str(file)).on_ready(ReadyNode(4, ["localhost:9092"], lambda: False, no_seed))
    assert ran == [4]
    assert file.exists()
