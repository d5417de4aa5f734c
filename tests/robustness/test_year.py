"""A year in some seconds, and that the check of its sizes is one."""

from pathlib import Path

import pytest

from tests.robustness import year


def test_the_disk_holds_about_a_week_whatever_was_written_before(tmp_path: Path) -> None:
    lines = list(year.run(year.Year(weeks=26, topics=4, topic_bytes=600_000), tmp_path / "data"))
    assert len(lines) == 4
    assert lines[-1].startswith("week 26: 62 MB written")


def test_a_broker_that_removes_nothing_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(year, "SMALL_WITHIN_S", 2)
    monkeypatch.setitem(year.CONFIG, "log.retention.ms", -1)
    with pytest.raises(AssertionError, match="t0-0"):
        list(year.run(year.Year(weeks=26, topics=1, topic_bytes=1_000_000), tmp_path / "data"))
