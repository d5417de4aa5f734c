"""A client's program as one process that runs many verbs at a time: a JVM takes long to start and to warm up.

Each line in and out names the run that it is about; `Main.java` tells them apart.
"""

from __future__ import annotations

import itertools
import json
import queue
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

from compat_tests.clients.program import RUN_TIMEOUT_S, SHOWN_BYTES, Answer, Program, Running


class Resident(Program):
    """A program that is started once. `close` ends it, and whatever it still runs."""

    def __init__(self, command: Sequence[str]) -> None:
        super().__init__(command)
        self._words = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words, text=True
        )
        self._runs: dict[int, Run] = {}
        self._ids = itertools.count(1)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def start(self, verb: str, **arguments: Any) -> Run:
        """Let it begin with a verb."""
        run = Run(self, next(self._ids), verb)
        self._runs[run.id] = run
        self.tell(id=run.id, verb=verb, arguments=arguments)
        return run

    def tell(self, **line: Any) -> None:
        """Write one line. A process that has gone does not hear it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(line) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass

    def forget(self, run: Run) -> None:
        """What the run still says is for nobody."""
        self._runs.pop(run.id, None)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said = json.loads(line)
            run = self._runs.get(said["id"])
            if run is not None:
                run.hear(said)
        for run in list(self._runs.values()):
            run.hear({"broke": "the process ended"})

    def words(self, since: int = 0) -> str:
        """The end of what it wrote for people, not before a size that it had."""
        size = self.wrote()
        self._words.seek(max(since, size - SHOWN_BYTES))
        return self._words.read().decode(errors="replace").strip()

    def wrote(self) -> int:
        """How many bytes it wrote for people so far."""
        return self._words.seek(0, 2)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout, self._words):
            assert pipe is not None
            pipe.close()


class Run(Running):
    """One verb at work in a resident program."""

    def __init__(self, resident: Resident, number: int, verb: str) -> None:
        self.id = number
        self._what = f"java {verb}"
        self._resident = resident
        self._wrote_before = resident.wrote()
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._waiting: deque[Answer] = deque()
        self._ended = threading.Event()
        self._broke: str | None = None

    def hear(self, said: dict[str, Any]) -> None:
        """Take in a line about this run."""
        if "answer" in said:
            self._lines.put(json.dumps(said["answer"]))
            return
        self._broke = said["broke"]
        self._ended.set()
        self._lines.put(None)

    def send(self, line: str) -> None:
        self._resident.tell(id=self.id, line=line)

    def close_input(self) -> None:
        self._resident.tell(id=self.id, line=None)

    def finish(self, timeout_s: float = RUN_TIMEOUT_S) -> list[Answer]:
        if not self._ended.wait(timeout_s):
            raise self._error(f"not done after {timeout_s} s")
        if self._broke is not None:
            raise self._error(f"it broke: {self._broke}")
        answers = list(self._waiting)
        self._waiting.clear()
        while (line := self._lines.get(timeout=1)) is not None:
            answers.append(json.loads(line))
        self._lines.put(None)
        return answers

    def kill(self) -> None:
        self._resident.forget(self)
        if not self._ended.is_set():
            self._resident.tell(id=self.id, kill=True)

    def _tail(self) -> str:
        return self._resident.words(self._wrote_before)
