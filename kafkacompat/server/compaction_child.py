"""Compaction of large logs in a child process, so that it takes neither the interpreter's lock nor memory for long.

The child is started for one pass over a log, gets it as a line of JSON, answers each step with another one, and has low
priority. It writes ``.cleaned`` files only. It ends when its parent closes the pipe, or dies. It goes through the
records with NumPy if that is installed.
"""

import json
import logging
import os
import subprocess
import sys
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
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.storage.compaction.scan_loop import Scanner
    from kafkacompat.storage.fs import Fs

_log = logging.getLogger(__name__)
CHILD_FROM_BYTES = 4 * 1024 * 1024
"""Smaller logs are compacted in a thread: that takes less time than the start of a process."""
LARGE_RECORD_BYTES = 1024
"""On disk. With larger records arrays gain nothing, and lose from a few KB on (``python -m benchmarks.compaction``)."""
NICENESS = 10
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""NumPy would make a thread for each core, which nothing here uses."""
ENDS_WITHIN_S = 5.0
"""After its pipe is closed."""


def new_pass(fs: "Fs", request: Request, files: object) -> "Pass | ChildPass":
    """A pass over a log: in a child if it is large and its files are real ones without faults."""
    size_bytes = sum(size for _, size in request.segments)
    if size_bytes < CHILD_FROM_BYTES or not isinstance(files, RealFs) or files.faults is not None or not sys.executable:
        return Pass(fs, request, Throttle(request.bytes_per_second))
    return ChildPass(request, is_temporary=files.is_temporary)


class ChildError(Exception):
    """A child ended by itself, or met what no pass raises: the log would bring the next one to the same end."""


class ChildPass:
    """A pass in a child. Its methods raise what those of `Pass` do, and ChildError; after a kill StoppedError, too."""

    def __init__(self, request: Request, *, is_temporary: bool) -> None:
        self._request = request
        self._is_temporary = is_temporary
        self._is_closed = False
        self._process: subprocess.Popen[str] | None = None

    def index(self) -> tuple[int, list[list[int]]]:
        """See `Pass.index`."""
        end_offset, groups = self._ask(["index"])
        return end_offset, groups

    def clean(self, group: list[int]) -> Cleaned:
        """See `Pass.clean`."""
        return Cleaned(**self._ask(["clean", group]))

    def _ask(self, step: list[object]) -> "Any":
        process = self._process
        if process is None:
            process = self._process = self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if self._is_closed:
                process.kill()
            process.stdin.write(json.dumps(step) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except (OSError, ValueError):  # the pipe is closed
            line = ""
        if self._is_closed:
            raise StoppedError
        if not line:
            raise self._ended(process.wait(ENDS_WITHIN_S))
        answer = json.loads(line)
        if "error" not in answer:
            return answer["result"]
        kind, number, text = answer["error"]
        if kind == "os":
            raise OSError(number, text)
        if kind == "other":
            raise ChildError(text)
        raise {"index": CorruptIndexError(self._request.path, text)}.get(kind, CorruptBatchError(text))

    def _ended(self, status: int) -> Exception:
        """Why there is no answer. One that somebody has killed is tried again, another one is not."""
        if status >= 0:
            return ChildError(f"its process ended with status {status}")
        _log.warning("the process that compacts %s was killed by signal %d: tried again", self._request.path, -status)
        return StoppedError()

    def _start(self) -> "subprocess.Popen[str]":
        root = str(Path(__file__).parents[2])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        kind = "temporary" if self._is_temporary else "kept"
        process = subprocess.Popen(  # noqa: S603 (our own program)
            [sys.executable, "-m", "kafkacompat.server.compaction_child", kind],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(paths)},
        )  # fmt: skip
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.write(self._request.encode() + "\n")
            process.stdin.flush()
        return process

    def close(self) -> None:
        """End the child."""
        self._is_closed = True
        process = self._process
        if process is None:
            return
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


def main(arguments: list[str]) -> None:
    """Serve one pass: a request, then steps, each in a line of the standard input."""
    with suppress(OSError):
        os.nice(NICENESS)
    parent = os.getppid()
    request = Request.decode(sys.stdin.readline())
    throttle = Throttle(request.bytes_per_second)

    def pay(size_bytes: int) -> None:
        if os.getppid() != parent:
            os._exit(1)
        throttle(size_bytes)

    work = Pass(RealFs(temporary=arguments == ["temporary"]), request, pay, best_scanner(request.bytes_per_offset))
    for line in iter(sys.stdin.readline, ""):
        answer = json.dumps(_answer(work, json.loads(line))) + "\n"
        try:
            sys.stdout.write(answer)
            sys.stdout.flush()
        except BrokenPipeError:  # the broker is dead
            os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
