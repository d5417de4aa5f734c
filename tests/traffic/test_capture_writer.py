from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from kafkacompat.errors import KafkaCompatError
from kafkacompat.traffic import capture_writer
from kafkacompat.traffic.capture_file import REQUEST, CaptureFile
from kafkacompat.traffic.capture_writer import CaptureWriter
from tests.waiting import wait_until

FRAME = b"\0\x12\0\0\0\0\0\1\xff\xff"


def kinds(path: str) -> list[int]:
    with CaptureFile(path) as capture:
        return [entry.kind for entry in capture]


def test_entries_are_in_the_file_soon_and_all_of_them_after_close(tmp_path: Path) -> None:
    writer = CaptureWriter(tmp_path / "a.kct", source="a test")
    connection = writer.open_connection(node=1)
    writer.add(REQUEST, connection, FRAME, 18, 0, 1)
    wait_until(lambda: kinds(writer.path) == [1, 3], what="what a process leaves that is killed then")
    writer.close()
    writer.close()
    with CaptureFile(writer.path) as capture:
        assert [(entry.connection, entry.payload) for entry in capture if entry.kind == REQUEST] == [(1, FRAME)]
        assert capture.end == {"reason": "it was stopped"}
        assert capture.header["redacted"] == ["secrets"]
    assert Path(writer.path).stat().st_size == writer.size_bytes
    if os.name == "posix":
        assert stat.S_IMODE(Path(writer.path).stat().st_mode) == 0o600
    assert not [each for each in threading.enumerate() if each.name == "kafkacompat-capture"]


def test_a_capture_ends_at_its_limit_and_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    writer = CaptureWriter(tmp_path / "a.kct", source="a test", max_bytes=8192)
    for number in range(1000):
        writer.add(REQUEST, 1, FRAME + bytes(100), 18, 0, number)
    wait_until(lambda: writer.ended)
    writer.close()
    with CaptureFile(writer.path) as capture:
        found = [entry.correlation_id for entry in capture if entry.kind == REQUEST]
        assert found == list(range(len(found))), "no entry is missing before the end"
        assert found
        assert capture.end == {"reason": "the file has reached max_bytes=8192"}
    assert Path(writer.path).stat().st_size <= 8192
    assert "max_bytes=8192" in caplog.text


def test_a_capture_ends_when_the_disk_is_too_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_writer, "PENDING_MAX_BYTES", 1000)
    monkeypatch.setattr(capture_writer, "FLUSH_S", 60)
    writer = CaptureWriter(tmp_path / "a.kct", source="a test")
    for _ in range(100):
        writer.add(REQUEST, 1, FRAME, 18, 0, 1)
    writer.close()
    with CaptureFile(writer.path) as capture:
        assert len(list(capture)) < 30
        assert str((capture.end or {})["reason"]).startswith("the disk is too slow")


def test_a_disk_that_fails_ends_a_capture_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = CaptureWriter(tmp_path / "a.kct", source="a test")

    def fail(_descriptor: int, _data: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(capture_writer.os, "write", fail)
    monkeypatch.setattr(capture_writer.os, "writev", fail, raising=False)
    writer.add(REQUEST, 1, FRAME, 18, 0, 1)
    wait_until(lambda: writer.ended)
    assert writer.ended == f"{writer.path} cannot be written: No space left on device"
    writer.close()


def test_an_existing_file_and_senseless_limits_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.kct").write_text("mine")
    with pytest.raises(KafkaCompatError, match="exists: name another file"):
        CaptureWriter(tmp_path / "a.kct", source="a test")
    with pytest.raises(KafkaCompatError, match="cannot be created: No such file"):
        CaptureWriter(tmp_path / "none" / "a.kct", source="a test")
    with pytest.raises(KafkaCompatError, match="max_bytes=10: give at least 4096"):
        CaptureWriter(tmp_path / "b.kct", source="a test", max_bytes=10)
    with pytest.raises(KafkaCompatError, match="'everything' of records cannot be redacted"):
        CaptureWriter(tmp_path / "b.kct", source="a test", redact=["everything"])
    assert (tmp_path / "a.kct").read_text() == "mine"
    assert not (tmp_path / "b.kct").exists()
