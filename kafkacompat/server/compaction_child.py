"""Compaction of large logs in a child process, so that it takes neither the interpreter's lock nor memory for long.

The child is started for a pass over a log, gets it as a line of JSON, answers each step with another one, and has low
priority. It writes ``.cleaned`` files only. Then it waits a while for the next pass: its start takes longer than a pass
over tens of MB. It ends when its parent closes the pipe, or dies. It goes through the records with NumPy if that is
installed.
"""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from kafkacompat.protocol.records.batch import CorruptBatchError, RecordBatchError
from kafkacompat.server.clock import Throttle
from kafkacompat.storage.compaction.clean_pass import Pass, StoppedError
from kafkacompat.storage.compaction.request import Request
from kafkacompat.storage.compaction.scan_loop import LoopScanner
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.index import CorruptIndexError
from kafkacompat.storage.segments import Cleaned

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.storage.compaction.scan_loop import Scanner
    from kafkacompat.storage.fs import Fs

_log = logging.getLogger(__name__)
CHILD_FROM_BYTES = 4 * 1024 * 1024
"""Smaller logs are compacted in a thread: that takes less time than the start of a process."""
LARGE_RECORD_BYTES = 512
"""On disk. With larger records arrays gain nothing, and lose a tenth at 1 KB (``python -m benchmarks.compaction``)."""
NICENESS = 10
STARVED_STATUS = 75
"""Of a child that took time which nobody else wants, and got next to none. The next one is merely nice. (EX_TEMPFAIL
of ``sysexits.h``, which ``os`` does not have on every system.)
"""
STARVED_AFTER_S = 5.0
"""So long it has waited for a core in one pass, at least."""
STARVED_SHARE = 0.05
"""Of the time that it wanted, which a nice process gets beside one or two others."""
IDLE = "idle"
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""NumPy would make a thread for each core, which nothing here uses."""
ENDS_WITHIN_S = 5.0
"""After its pipe is closed."""
WAITS_S = 20.0
"""For the next pass: a log that is written all the time is compacted again after ``log.cleaner.backoff.ms``, 15 s."""
WAITS_BELOW_MB = 100
"""A child that has taken more memory than that does not wait with it."""
UNKNOWN_MB = WAITS_BELOW_MB + 1
BEAT_S = 5.0
"""A child at work writes an empty line so often, also while it is held back by its rate or waits for its disk: a thread
does. A disk is waited for as long as it takes, as in Apache Kafka.
"""
SILENT_MAX_S = 60.0
"""A child that says nothing for so long was stopped as a whole (SIGSTOP). It is killed."""
LAST_LOOK_S = 10.0
"""But only after this time: if the broker was stopped with it, as in a paused container, the next beat is to come."""


class Children:
    """The child of a broker, while it waits for the next pass. Used by the event loop alone."""

    def __init__(self, call_later: "Callable[[float, Callable[[], None]], asyncio.TimerHandle]") -> None:
        """``call_later``: the event loop's."""
        self._call_later = call_later
        self._waiting: subprocess.Popen[str] | None = None
        self._is_idle = True
        self._end_later: asyncio.TimerHandle | None = None

    def new_pass(self, fs: "Fs", request: Request, files: object) -> "Pass | ChildPass":
        """A pass over a log: in a child if it is large and its files are real ones without faults."""
        size_bytes = sum(size for _, size in request.segments)
        is_large = size_bytes >= CHILD_FROM_BYTES
        if not is_large or not isinstance(files, RealFs) or files.faults is not None or not sys.executable:
            return Pass(fs, request, Throttle(request.bytes_per_second))
        return ChildPass(
            request, is_temporary=files.is_temporary, process=self._take(), keep=self._keep,
            is_idle=self._is_idle, starved=self._starved,
        )  # fmt: skip

    def _take(self) -> "subprocess.Popen[str] | None":
        process = self._waiting
        if process is None or process.poll() is not None:
            self.end()
            return None
        self._waiting = None
        self._cancel()
        return process

    def _keep(self, process: "subprocess.Popen[str]") -> None:
        self.end()
        self._waiting = process
        self._end_later = self._call_later(WAITS_S, self.end)

    def _starved(self) -> None:
        self._is_idle = False

    def _cancel(self) -> None:
        if self._end_later is not None:
            self._end_later.cancel()
            self._end_later = None

    def end(self) -> None:
        """End the child that waits."""
        self._cancel()
        process, self._waiting = self._waiting, None
        if process is not None:
            _end(process)


class ChildError(Exception):
    """A child ended by itself, or met what no pass raises: the log would bring the next one to the same end."""


class ChildPass:
    """A pass in a child. Its methods raise what those of `Pass` do, and ChildError; after a kill StoppedError, too."""

    def __init__(
        self,
        request: Request,
        *,
        is_temporary: bool,
        process: "subprocess.Popen[str] | None" = None,
        keep: "Callable[[subprocess.Popen[str]], None] | None" = None,
        is_idle: bool = False,
        starved: "Callable[[], None]" = lambda: None,
    ) -> None:
        """``process``: one that waits. ``keep`` gets it, or the one that was started, when it waits again. ``is_idle``:
        it takes time that nobody else wants; ``starved`` is called, in a thread, when there was none.
        """
        self._request = request
        self._is_temporary = is_temporary
        self._is_closed = self._is_at_work = False
        self._has_begun = False
        self._process = process
        self._keep = keep
        self._is_idle = is_idle
        self._starved = starved
        self._peak_mb = 0

    def index(self) -> tuple[int, list[list[int]]]:
        """See `Pass.index`."""
        end_offset, groups = self._ask(["index"])
        return end_offset, groups

    def clean(self, group: list[int]) -> Cleaned:
        """See `Pass.clean`."""
        return Cleaned(**self._ask(["clean", group]))

    def _ask(self, step: list[object]) -> "Any":
        if self._is_closed:
            raise StoppedError
        self._is_at_work = True
        process = self._process
        if process is None:
            process = self._process = self._start()
        lines = [json.dumps(step)]
        if not self._has_begun:
            self._has_begun = True
            lines.insert(0, json.dumps(["begin", self._is_temporary, self._request.encode()]))
        try:
            if self._is_closed:  # while it was started
                process.kill()
            line = self._answer_to("".join(f"{each}\n" for each in lines), process)
        except (OSError, ValueError):  # the pipe is closed
            line = ""
        if self._is_closed:
            _end(process)
            raise StoppedError
        if not line:
            raise self._ended(process.wait(ENDS_WITHIN_S))
        answer = json.loads(line)
        self._peak_mb = answer["peak_mb"]
        self._is_at_work = False
        if "error" not in answer:
            return answer["result"]
        kind, number, text = answer["error"]
        if kind == "os":
            raise OSError(number, text)
        if kind == "other":
            raise ChildError(text)
        raise {"index": CorruptIndexError(self._request.path, text)}.get(kind, CorruptBatchError(text))

    def _answer_to(self, lines: str, process: "subprocess.Popen[str]") -> str:
        """The line that answers, empty if the child has ended. One that is silent for too long is killed."""
        assert process.stdin is not None
        assert process.stdout is not None

        def kill() -> None:
            _log.warning(
                "the process that compacts %s has said nothing for %g s, maybe it was stopped: it is killed",
                self._request.path, SILENT_MAX_S + LAST_LOOK_S,
            )  # fmt: skip
            self._starved()  # or it was given no time at all
            process.kill()

        has_asked = False
        while True:
            has_spoken = threading.Event()
            threading.Thread(target=_watch, args=(has_spoken.wait, kill), daemon=True).start()
            try:
                if not has_asked:  # which may wait as well: the pipe holds little
                    process.stdin.write(lines)
                    process.stdin.flush()
                    has_asked = True
                line = process.stdout.readline()
            finally:
                has_spoken.set()
            if line != "\n":
                return line

    def _start(self) -> "subprocess.Popen[str]":
        try:
            return _start(is_idle=self._is_idle)
        except OSError as error:  # the system has no room for a process, or the interpreter is gone: no fault of a disk
            _log.warning("no process can be started to compact %s: %s: tried again", self._request.path, error)
            raise StoppedError from None

    def _ended(self, status: int) -> Exception:
        """Why there is no answer. One that somebody has killed, or that had no time, is tried again, another one is
        not.
        """
        if status == STARVED_STATUS:
            _log.info(
                "other processes want all cores: %s is compacted by a process with nice %d, no more in idle time",
                self._request.path, NICENESS,
            )  # fmt: skip
            self._starved()
            return StoppedError()
        if status >= 0:
            return ChildError(f"its process ended with status {status}")
        _log.warning("the process that compacts %s was killed by signal %d: tried again", self._request.path, -status)
        return StoppedError()

    def close(self) -> None:
        """End the child, or leave it to the next pass if it waits."""
        self._is_closed = True
        process, self._process = self._process, None
        if process is None:
            return
        if self._keep is None or self._is_at_work or self._peak_mb > WAITS_BELOW_MB or process.poll() is not None:
            _end(process)
        else:
            self._keep(process)


def _watch(speaks_within: "Callable[[float], bool]", kill: "Callable[[], None]") -> None:
    """Kill a child that says nothing. Time that has passed while this process was stopped counts in one wait alone."""
    if not speaks_within(SILENT_MAX_S) and not speaks_within(LAST_LOOK_S):
        kill()


def _start(*, is_idle: bool = False) -> "subprocess.Popen[str]":
    root = str(Path(__file__).parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(paths)}
    environment.pop("PYTHONHASHSEED", None)  # keys are in a dictionary, and somebody else has made them
    return subprocess.Popen(  # noqa: S603 (this interpreter, with a number)
        [sys.executable, "-m", "kafkacompat.server.compaction_child", str(BEAT_S), *([IDLE] * is_idle)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError, ValueError):
            pipe.close()  # type: ignore[union-attr]


def _answer(work: Pass, step: list[object]) -> dict[str, object]:
    try:
        if step[0] == "index":
            return {"result": work.index()}
        cleaned = work.clean(step[1])  # type: ignore[arg-type]
        return {"result": {name: getattr(cleaned, name) for name in Cleaned.__slots__}}
    except OSError as error:
        return {"error": ["os", error.errno, str(error)]}
    except CorruptIndexError as error:
        return {"error": ["index", 0, str(error)]}
    except RecordBatchError as error:
        return {"error": ["batch", 0, str(error)]}
    except Exception as error:  # noqa: BLE001 (the parent says what it was, and leaves the log alone)
        return {"error": ["other", 0, repr(error)]}


def best_scanner(bytes_per_offset: float) -> "Callable[[int, bytes], Scanner]":
    """The scanner with arrays where it is faster: NumPy is installed, and records are small. Else the one that needs
    the standard library alone.
    """
    if bytes_per_offset > LARGE_RECORD_BYTES:
        return LoopScanner
    try:
        from kafkacompat.storage.compaction.scan_arrays import ArrayScanner
    except ImportError:
        return LoopScanner
    return ArrayScanner


class Beats:
    """A thread that writes an empty line every ``interval_s`` from ``begin`` to ``end``: the parent is to know that the
    child goes on. It ends the child that has begun to take idle time alone (``become_idle``) and gets too little.
    """

    def __init__(self, interval_s: float) -> None:
        self._interval_s = interval_s
        self._lock = threading.Lock()
        self._work = threading.Event()
        self._is_idle = False
        self._since_ns = (0, 0)
        threading.Thread(target=self._run, daemon=True).start()

    def become_idle(self) -> None:
        """For a pass the calling thread takes time that no other process wants: one of low niceness runs on for
        milliseconds when the broker wakes up. Nothing changes where the system has no such policy, or does not tell who
        waits. The thread that writes keeps its time.
        """
        with suppress(AttributeError, OSError, ValueError):
            self._since_ns = _cpu_times_ns()
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            self._is_idle = True

    def begin(self) -> None:
        """Write them from now on."""
        self._work.set()

    def end(self, answer: str) -> None:
        """Write none from now on, but an answer."""
        with self._lock:
            self._work.clear()
            _say(answer)

    def _run(self) -> None:
        while self._work.wait():
            time.sleep(self._interval_s)
            with self._lock:
                if self._work.is_set():
                    if self._is_idle and is_starved(self._since_ns, _cpu_times_ns()):
                        os._exit(STARVED_STATUS)
                    _say("")


def _say(line: str) -> None:
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # the broker is dead
        os._exit(1)


def is_starved(since_ns: tuple[int, int], now_ns: tuple[int, int]) -> bool:
    """Whether a process has too little time to end its work: how long it ran and waited for a core, then and now."""
    ran_ns, waited_ns = now_ns[0] - since_ns[0], now_ns[1] - since_ns[1]
    return waited_ns >= STARVED_AFTER_S * 1e9 and ran_ns < STARVED_SHARE * (ran_ns + waited_ns)


def _cpu_times_ns() -> tuple[int, int]:
    """How long the main thread has run, and waited for a core (Linux, ``sched-stats.rst``)."""
    ran_ns, waited_ns, _ = Path("/proc/self/schedstat").read_text().split()
    return int(ran_ns), int(waited_ns)


def _begin(is_temporary: bool, request: Request, parent: int) -> Pass:
    throttle = Throttle(request.bytes_per_second)

    def pay(size_bytes: int) -> None:
        if os.getppid() != parent:
            os._exit(1)
        throttle(size_bytes)

    return Pass(RealFs(temporary=is_temporary), request, pay, best_scanner(request.bytes_per_offset))


def _peak_mb() -> int:
    """The most memory that the process has taken, or UNKNOWN_MB. (``getrusage`` begins with that of the parent.)"""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return UNKNOWN_MB
    return next((int(line.split()[1]) >> 10 for line in status.splitlines() if line.startswith("VmHWM:")), UNKNOWN_MB)


def main() -> None:
    """Serve one pass after the other: its beginning, then steps, each in a line of the standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the broker too, which ends this process
    with suppress(OSError):
        os.nice(NICENESS)
    parent = os.getppid()
    work: Pass | None = None
    beats, is_to_be_idle = Beats(float(sys.argv[1])), IDLE in sys.argv[2:]
    for line in iter(sys.stdin.readline, ""):
        step = json.loads(line)
        if step[0] == "begin":
            beats.begin()
            work = _begin(step[1], Request.decode(step[2]), parent)
            if is_to_be_idle:  # what it needs is imported
                beats.become_idle()
            continue
        assert work is not None
        beats.begin()
        answer = _answer(work, step)
        answer["peak_mb"] = _peak_mb()
        beats.end(json.dumps(answer))


if __name__ == "__main__":
    main()
