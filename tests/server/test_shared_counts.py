"""Processes draw numbers from one file: each number once, none left out, whoever is killed or paused."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kafkacompat.server.shared_counts import HIT, OVER, PREFIX, SKIPPED, CountFiles, SharedCounts
from tests.waiting import wait_until

DRAWS = """
import sys
from kafkacompat.server.shared_counts import SharedCounts
counts = SharedCounts(sys.argv[1])
print(*(counts.draw("hit") for _ in range(int(sys.argv[2]))), flush=True)
"""


def drawing(place: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", DRAWS, place, str(count)], stdout=subprocess.PIPE, text=True)


def test_processes_draw_each_number_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files = CountFiles()
    place = files.add(7)
    drawn: list[int] = []
    for process in [drawing(place, 500) for _ in range(3)]:
        drawn += map(int, process.communicate()[0].split())
    assert sorted(drawn) == list(range(1, 1501))
    assert files.hits(7) == 1500
    endless = drawing(place, 10**9)
    wait_until(lambda: files.hits(7) > 1501)
    os.kill(endless.pid, signal.SIGSTOP)
    drawn_before = files.hits(7)
    assert SharedCounts(place).draw(HIT) >= drawn_before, "one that is paused in the middle delays nobody"
    endless.kill()
    endless.communicate()
    assert SharedCounts(place).draw(SKIPPED) == 1, "another file"
    files.remove(7)
    assert files.hits(7) == 0
    files.remove(7)
    files.close()
    files.close()
    assert list(tmp_path.iterdir()) == []


def test_a_count_that_cannot_be_written_is_over_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files = CountFiles()
    counts = SharedCounts(files.add(1))
    assert counts.draw(HIT) == 1
    files.close()
    with caplog.at_level(logging.ERROR):
        assert counts.draw(HIT) == OVER
    assert "cannot be written, so it ends here" in caplog.text


@pytest.mark.parametrize(
    "place", ["", "/etc/passwd", "/tmp/x/1", f"{PREFIX}a/1", f"/tmp/{PREFIX}a/../1", f"/tmp/{PREFIX}a/1-hit"]
)
def test_only_files_of_counts_are_written(place: str) -> None:
    with pytest.raises(ValueError, match="is no place of shared counts"):
        SharedCounts(place)
