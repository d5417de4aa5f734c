"""A pass over a large log in a child process: the same result, the same errors, and an end when it is closed."""

import os
import sys
import threading
from pathlib import Path

import pytest

from kafkacompat.protocol.records.batch import RecordBatchError
from kafkacompat.server import compaction_child
from kafkacompat.server.compaction_child import (
    LARGE_RECORD_BYTES,
    ChildError,
    ChildPass,
    _answer,
    best_scanner,
    new_pass,
)  # fmt: skip
from kafkacompat.storage.compaction.clean_pass import Pass, StoppedError
from kafkacompat.storage.compaction.request import Request
from kafkacompat.storage.compaction.scan_arrays import ArrayScanner
from kafkacompat.storage.compaction.scan_loop import LoopScanner
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.log import Log
from kafkacompat.storage.segments import Cleaned
from tests.storage.compaction.logs import Op, content, request, write
from tests.storage.support import at, open_log

PUT: Op = ("put", None, [(b"a", b"1"), (b"b", b"2" * 1000)], 4)


def a_log(path: Path, count: int = 20) -> Log:
    path.mkdir()
    log = open_log(RealFs(), path=str(path / "t-0"))
    write(log, [PUT] * count + [("roll",), PUT])
    return log


def fields(cleaned: Cleaned) -> dict[str, object]:
    return {name: getattr(cleaned, name) for name in Cleaned.__slots__}


def test_a_child_writes_what_a_thread_writes(tmp_path: Path) -> None:
    log, other = a_log(tmp_path / "one"), a_log(tmp_path / "two")
    asked, segments = request(log)
    child = ChildPass(asked, is_temporary=True)
    here = Pass(other.fs, request(other)[0])
    end, groups = child.index()
    assert (end, groups) == here.index()
    cleaned = child.clean(groups[0])
    assert fields(cleaned) == fields(here.clean(groups[0]))
    assert log.replace_segments(segments, cleaned, at())
    assert [record.key for record in content(log)] == [b"a", b"b", b"a", b"b"]
    child.close()
    with pytest.raises(StoppedError):
        child.clean(groups[0])
    for each in (log, other):
        each.close(clean=False, now=at())


def test_errors_come_back_as_what_they_were(tmp_path: Path) -> None:
    log = a_log(tmp_path / "one")
    asked, segments = request(log)
    segments[0].file.open().fsync()
    path = Path(segments[0].file.path)
    damaged = bytearray(path.read_bytes())
    damaged[16] = 1
    path.write_bytes(damaged)
    child = ChildPass(asked, is_temporary=True)
    with pytest.raises(RecordBatchError, match="format v1"):
        child.index()
    child.close()
    path.unlink()
    child = ChildPass(asked, is_temporary=True)
    with pytest.raises(FileNotFoundError):
        child.index()
    child.close()
    log.close(clean=False, now=at())


def test_a_pass_that_is_closed_ends_at_once(tmp_path: Path) -> None:
    log = a_log(tmp_path / "one", 2_000)
    asked, _ = request(log)
    slow = Request.decode(asked.encode())
    slow.bytes_per_second = 1.0
    child = ChildPass(slow, is_temporary=True)
    errors: list[BaseException] = []

    def run() -> None:
        try:
            child.index()
            child.clean([0])
        except BaseException as error:  # noqa: BLE001 (the test looks at it)
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while child._process is None:
        os.sched_yield()
    child.close()
    thread.join(30)
    assert [type(error) for error in errors] == [StoppedError]
    log.close(clean=False, now=at())


def test_a_killed_child_is_tried_again_and_one_that_ends_by_itself_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_log(tmp_path / "one")
    asked, _ = request(log)
    child = ChildPass(asked, is_temporary=True)
    _, groups = child.index()
    assert child._process is not None
    child._process.kill()
    with pytest.raises(StoppedError):
        child.clean(groups[0])
    assert "was killed by signal 9: tried again" in caplog.text
    child.close()
    monkeypatch.setattr(Request, "encode", lambda _self: "{}")
    child = ChildPass(asked, is_temporary=True)
    with pytest.raises(ChildError, match="ended with status 1"):
        child.index()
    child.close()
    log.close(clean=False, now=at())


def test_what_a_child_does_not_expect_is_told_to_the_parent() -> None:
    class Broken:
        def index(self) -> None:
            raise KeyError("odd")

    assert _answer(Broken(), ["index"]) == {"error": ["other", 0, "KeyError('odd')"]}  # type: ignore[arg-type]


def test_numpy_is_used_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert best_scanner(100) is ArrayScanner
    monkeypatch.delitem(sys.modules, "kafkacompat.storage.compaction.scan_arrays")
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert best_scanner(100) is LoopScanner


def test_large_records_are_gone_through_one_by_one() -> None:
    assert best_scanner(LARGE_RECORD_BYTES) is ArrayScanner
    assert best_scanner(LARGE_RECORD_BYTES + 1) is LoopScanner


def test_the_size_of_records_is_told_from_the_segments(tmp_path: Path) -> None:
    log = a_log(tmp_path / "one")
    asked, segments = request(log)
    assert asked.upper_bound == 40
    assert asked.bytes_per_offset == segments[0].size_bytes / 40
    log.close(clean=False, now=at())


def test_a_child_does_without_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = a_log(tmp_path / "one")
    asked, segments = request(log)
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "numpy.py").write_text("raise ImportError('hidden')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "hidden"))
    child = ChildPass(asked, is_temporary=True)
    _, groups = child.index()
    assert log.replace_segments(segments, child.clean(groups[0]), at())
    assert [record.key for record in content(log)] == [b"a", b"b", b"a", b"b"]
    child.close()
    log.close(clean=False, now=at())


def test_small_logs_and_those_in_memory_need_no_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = a_log(tmp_path / "one")
    asked, _ = request(log)
    files = RealFs()
    assert isinstance(new_pass(files, asked, files), Pass)
    monkeypatch.setattr(compaction_child, "CHILD_FROM_BYTES", 1)
    assert isinstance(new_pass(files, asked, files), ChildPass)
    assert isinstance(new_pass(files, asked, object()), Pass)
    log.close(clean=False, now=at())
