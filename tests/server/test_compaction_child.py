"""A pass over a large log in a child process: the same result, the same errors, and an end when it is closed."""

import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kafkacompat.protocol.records.batch import RecordBatchError
from kafkacompat.server import compaction_child
from kafkacompat.server.compaction_child import (
    LARGE_RECORD_BYTES,
    WAITS_BELOW_MB,
    WAITS_S,
    ChildError,
    ChildPass,
    Children,
    _answer,
    best_scanner,
)  # fmt: skip
from kafkacompat.storage.compaction.clean_pass import CHUNK_BYTES, Pass, StoppedError
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


def a_large_log(path: Path) -> Log:
    """One that is paid for."""
    path.mkdir()
    log = open_log(RealFs(), path=str(path / "t-0"))
    write(log, [("put", None, [(b"a", bytes(1 << 16))], 0)] * (CHUNK_BYTES >> 16) + [("roll",), PUT])
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


def test_a_child_that_was_stopped_is_killed_and_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_log(tmp_path / "one")
    child = ChildPass(request(log)[0], is_temporary=True)
    _, groups = child.index()
    process = stopped(child, monkeypatch)
    with pytest.raises(StoppedError):
        child.clean(groups[0])
    assert process.returncode == -signal.SIGKILL
    assert "has said nothing for 0.4 s" in caplog.text
    assert "was killed by signal 9: tried again" in caplog.text
    child.close()
    log.close(clean=False, now=at())


def test_a_child_that_continues_with_its_broker_is_not_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container was paused for longer than the child may be silent: it has said nothing yet when the broker looks."""
    log = a_log(tmp_path / "one")
    asked, _ = request(log)
    child = ChildPass(asked, is_temporary=True)
    _, groups = child.index()
    process = process_of(child)
    process.send_signal(signal.SIGSTOP)
    watch, looks = compaction_child._watch, []

    def paused(speaks_within: Callable[[float], bool], kill: Callable[[], None]) -> None:
        def waited(limit_s: float) -> bool:
            looks.append(limit_s)
            if len(looks) > 1:
                return speaks_within(limit_s)
            process.send_signal(signal.SIGCONT)
            return False

        watch(waited, kill)

    monkeypatch.setattr(compaction_child, "LAST_LOOK_S", 300.0)
    monkeypatch.setattr(compaction_child, "_watch", paused)
    assert child.clean(groups[0]).read_bytes == log.segments.all[0].size_bytes
    assert looks == [compaction_child.SILENT_MAX_S, 300.0]
    assert process.poll() is None
    child.close()
    log.close(clean=False, now=at())


def test_a_child_that_its_rate_holds_back_says_that_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = a_large_log(tmp_path / "one")
    asked, _ = request(log)
    slow = Request.decode(asked.encode())
    slow.bytes_per_second = CHUNK_BYTES / 1.5  # a second is free of charge, at most
    monkeypatch.setattr(compaction_child, "BEAT_S", 0.01)
    watched: list[Callable[[float], bool]] = []
    monkeypatch.setattr(compaction_child, "_watch", lambda speaks_within, _kill: watched.append(speaks_within))
    child = ChildPass(slow, is_temporary=True)
    assert child.index()[0] == Pass(log.fs, asked).index()[0]
    child.close()
    assert len(watched) > 10, "without the rate it says nothing, or once"
    assert all(speaks_within(0) for speaks_within in watched)
    log.close(clean=False, now=at())


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENOENT, errno.EACCES])
def test_a_child_that_cannot_be_started_is_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    log = a_log(tmp_path / "one")
    child = ChildPass(request(log)[0], is_temporary=True)

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(compaction_child.subprocess, "Popen", fail)
    with pytest.raises(StoppedError):
        child.index()
    assert f"{os.strerror(number)}: tried again" in caplog.text
    child.close()
    log.close(clean=False, now=at())


def test_a_child_takes_time_that_nobody_wants_until_there_is_none(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine without an idle core the pass ends, and the next child is merely nice."""
    monkeypatch.setattr(compaction_child, "CHILD_FROM_BYTES", 1)
    children, log = Children(Later()), a_large_log(tmp_path / "one")
    child = a_child(children, log)
    child.index()
    assert os.sched_getscheduler(process_of(child).pid) == os.SCHED_IDLE
    child.close()
    children.end()
    source = Path(compaction_child.__file__).read_text()
    starved = "def is_starved(since_ns: tuple[int, int], now_ns: tuple[int, int]) -> bool:\n"
    assert starved in source
    monkeypatch.setattr(sys, "executable", a_python(tmp_path, source.replace(starved, f"{starved}    return True\n")))
    monkeypatch.setattr(compaction_child, "BEAT_S", 0.01)
    slow = Request.decode(request(log)[0].encode())
    slow.bytes_per_second = 1.0
    child = children.new_pass(log.fs, slow, RealFs(temporary=True))  # type: ignore[assignment]
    with caplog.at_level("INFO"), pytest.raises(StoppedError):
        child.index()
    assert "other processes want all cores" in caplog.text
    child.close()
    child = a_child(children, log)  # it would starve too, if it was idle
    _, groups = child.index()
    assert os.sched_getscheduler(process_of(child).pid) == os.SCHED_OTHER
    assert os.getpriority(os.PRIO_PROCESS, process_of(child).pid) >= compaction_child.NICENESS
    assert child.clean(groups[0]).read_bytes == log.segments.all[0].size_bytes
    child.close()
    children.end()
    log.close(clean=False, now=at())


def test_after_a_child_without_a_word_the_next_one_is_merely_nice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have been stopped, or it had no time even to say so."""
    monkeypatch.setattr(compaction_child, "CHILD_FROM_BYTES", 1)
    children, log = Children(Later()), a_log(tmp_path / "one")
    child = a_child(children, log)
    _, groups = child.index()
    with monkeypatch.context() as patch:
        stopped(child, patch)
        with pytest.raises(StoppedError):
            child.clean(groups[0])
    child.close()
    child = a_child(children, log)
    child.index()
    assert os.sched_getscheduler(process_of(child).pid) == os.SCHED_OTHER
    child.close()
    children.end()
    log.close(clean=False, now=at())


def a_python(folder: Path, source: str) -> str:
    """An interpreter which runs this source, whichever module it is asked for."""
    (folder / "child.py").write_text(source)
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nshift 2\nexec {sys.executable} {folder / "child.py"} "$@"\n')
    python.chmod(0o700)
    return str(python)


@pytest.mark.parametrize(
    ("ran_s", "waited_s", "expected"),
    [(0, 4.9, False), (0, 5, True), (0.2, 5, True), (0.3, 5, False), (100, 1_000, False), (100, 2_000, True)],
)
def test_who_waits_for_a_core_has_too_little_of_it(ran_s: float, waited_s: float, expected: bool) -> None:
    then_ns = (7_000_000_000, 3_000_000_000)
    now_ns = (then_ns[0] + int(ran_s * 1e9), then_ns[1] + int(waited_s * 1e9))
    assert compaction_child.is_starved(then_ns, now_ns) is expected


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


class Later:
    """What an event loop is asked to do later."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, Callable[[], None]]] = []
        self.cancelled = 0

    def __call__(self, delay_s: float, call: Callable[[], None]) -> Any:
        self.asked.append((delay_s, call))
        return self

    def cancel(self) -> None:
        self.cancelled += 1


def test_small_logs_and_those_in_memory_need_no_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = a_log(tmp_path / "one")
    asked, _ = request(log)
    files, children = RealFs(), Children(Later())
    assert isinstance(children.new_pass(files, asked, files), Pass)
    monkeypatch.setattr(compaction_child, "CHILD_FROM_BYTES", 1)
    assert isinstance(children.new_pass(files, asked, files), ChildPass)
    assert isinstance(children.new_pass(files, asked, object()), Pass)
    log.close(clean=False, now=at())


def a_child(children: Children, log: Log) -> ChildPass:
    found = children.new_pass(log.fs, request(log)[0], RealFs(temporary=True))
    assert isinstance(found, ChildPass)
    return found


def process_of(child: ChildPass) -> Any:
    assert child._process is not None
    return child._process


def stopped(child: ChildPass, patch: pytest.MonkeyPatch) -> Any:
    """Stop the process as a whole, which is noticed soon."""
    process_of(child).send_signal(signal.SIGSTOP)
    patch.setattr(compaction_child, "SILENT_MAX_S", 0.2)
    patch.setattr(compaction_child, "LAST_LOOK_S", 0.2)
    return process_of(child)


def test_one_child_compacts_several_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction_child, "CHILD_FROM_BYTES", 1)
    later = Later()
    children, seen = Children(later), set()
    for name in ("one", "two"):
        log = a_log(tmp_path / name)
        child = a_child(children, log)
        _, groups = child.index()
        seen.add(process_of(child).pid)
        assert log.replace_segments(request(log)[1], child.clean(groups[0]), at())
        assert [record.key for record in content(log)] == [b"a", b"b", b"a", b"b"]
        child.close()
        log.close(clean=False, now=at())
    assert len(seen) == 1
    assert [delay_s for delay_s, _ in later.asked] == [WAITS_S] * 2
    assert later.cancelled == 1, "a child at work is not ended"
    assert children._waiting is not None
    process = children._waiting
    later.asked[-1][1]()
    assert process.returncode == -signal.SIGKILL
    assert children._waiting is None


@pytest.mark.parametrize("why", ["it takes much memory", "it is at work", "it has died", "nothing was asked"])
def test_a_child_that_cannot_wait_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    monkeypatch.setattr(compaction_child, "CHILD_FROM_BYTES", 1)
    children, log = Children(Later()), a_log(tmp_path / "one")
    child = a_child(children, log)
    if why != "nothing was asked":
        child.index()
        process = process_of(child)
    if why == "it takes much memory":
        child._peak_mb = WAITS_BELOW_MB + 1
    elif why == "it is at work":
        child._is_at_work = True
    elif why == "it has died":
        process.kill()
        process.wait()
    child.close()
    assert children._waiting is None
    if why != "nothing was asked":
        assert process.returncode == -signal.SIGKILL
        assert process.stdin.closed
    log.close(clean=False, now=at())


def test_a_child_that_dies_while_it_waits_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction_child, "CHILD_FROM_BYTES", 1)
    children, log = Children(Later()), a_log(tmp_path / "one")
    child = a_child(children, log)
    child.index()
    process = process_of(child)
    child.close()
    assert children._waiting is process
    process.kill()
    process.wait()
    child = a_child(children, log)
    child.index()
    assert process_of(child) is not process
    assert process.stdin.closed
    child.close()
    children.end()
    assert children._waiting is None
    log.close(clean=False, now=at())


def test_the_hashes_of_a_child_are_not_chosen_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    started: list[dict[str, str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **arguments: started.append(arguments["env"]))
    compaction_child._start()
    assert "PYTHONHASHSEED" not in started[0]


def test_ctrl_c_reaches_the_broker_alone(tmp_path: Path) -> None:
    log = a_log(tmp_path / "one")
    child = ChildPass(request(log)[0], is_temporary=True)
    child.index()
    process_of(child).send_signal(signal.SIGINT)
    child.index()
    assert process_of(child).poll() is None
    child.close()
    log.close(clean=False, now=at())
