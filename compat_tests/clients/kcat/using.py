"""kcat, run as its users run it: options on the command line, records through its standard input and output."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, NamedTuple

from compat_tests.artifacts import MissingToolError

RUN_TIMEOUT_S = 40.0
FAST_GROUP = ("-X", "session.timeout.ms=6000", "-X", "heartbeat.interval.ms=200", "-X", "fetch.wait.max.ms=100")
"""The shortest session that a broker allows, and heartbeats that notice a rebalance at once."""


class Done(NamedTuple):
    """What became of one run."""

    status: int
    out: bytes
    words: str
    """What it told people, on standard error."""

    @property
    def lines(self) -> list[str]:
        return self.out.decode().splitlines()

    @property
    def records(self) -> list[dict[str, Any]]:
        """The lines that `-J` makes of records."""
        return [json.loads(line) for line in self.out.splitlines()]


class Kcat:
    """kcat, pointed at one broker. Raises MissingToolError when it is not installed."""

    def __init__(self, bootstrap_servers: str) -> None:
        found = shutil.which("kcat")
        if found is None:
            raise MissingToolError("kcat is not on the PATH: apt-get install kcat")
        self._command = [found, "-b", bootstrap_servers]

    def run(self, *options: str, stdin: bytes = b"") -> Done:
        """Run it to its end, whatever that is."""
        done = subprocess.run([*self._command, *options], input=stdin, capture_output=True, timeout=RUN_TIMEOUT_S)
        return Done(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def __call__(self, *options: str, stdin: bytes = b"") -> Done:
        """Run it to an end that is good."""
        done = self.run(*options, stdin=stdin)
        assert done.status == 0, f"kcat {' '.join(options)}: status {done.status}\n{done.words}"
        return done

    def send(self, topic: str, lines: Sequence[str], *options: str) -> None:
        """Produce each line as a record, acknowledged."""
        done = self("-P", "-t", topic, *options, stdin="".join(f"{line}\n" for line in lines).encode())
        assert "ERROR" not in done.words, done.words

    def read(self, topic: str, *options: str) -> list[dict[str, Any]]:
        """All records of a topic from the beginning to the end, or what the options say."""
        return self("-C", "-t", topic, "-e", "-q", "-J", *options).records

    def values(self, topic: str, *options: str) -> list[str | None]:
        return [found["payload"] for found in self.read(topic, *options)]

    def start(self, *options: str) -> Background:
        """Run it until it is stopped. Use it as a context manager."""
        return Background([*self._command, *options])


class Background:
    """kcat at work; it is told to end by a signal, as Ctrl-C does."""

    def __init__(self, command: Sequence[str]) -> None:
        self._out = tempfile.TemporaryFile()  # noqa: SIM115 (closed in __exit__)
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 (closed in __exit__)
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._out, stderr=self._words, start_new_session=True
        )

    def __enter__(self) -> Background:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is not None:
            error.add_note(f"kcat said: {self.words}")
        self._process.kill()
        self._process.wait()
        self._out.close()
        self._words.close()

    @property
    def lines(self) -> list[str]:
        """What it has printed by now."""
        self._out.seek(0)
        return self._out.read().decode().splitlines()

    @property
    def words(self) -> str:
        """What it has told people by now."""
        self._words.seek(0)
        return self._words.read().decode(errors="replace")

    def wait(self, condition: Callable[[Background], bool], timeout_s: float = RUN_TIMEOUT_S) -> None:
        deadline = time.monotonic() + timeout_s
        while not condition(self):
            assert time.monotonic() < deadline, f"not within {timeout_s} s: {self.lines[-5:]} {self.words}"
            assert self._process.poll() is None, f"it ended: {self.words}"
            time.sleep(0.05)

    def stop(self) -> int:
        """Ask it to end, and wait; its exit status."""
        self._process.terminate()
        return self.ended()

    def ended(self) -> int:
        """Wait until it ends by itself; its exit status."""
        return self._process.wait(RUN_TIMEOUT_S)
