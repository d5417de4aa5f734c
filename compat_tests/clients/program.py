"""A client in another language: one program, built once, that is told what to do and answers in lines of JSON.

The program is run as `PROGRAM VERB`. The first line of its standard input is one JSON object, the arguments; each line
that it prints is one JSON object, an answer. Bytes are base64 text, and null is null. What it prints on standard error
is for people. It ends with status 0 unless it broke: an error that the client reports is an answer.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from compat_tests.artifacts import MissingToolError, cache_root, locked

BUILD_TIMEOUT_S = 900
"""How long one step of a build may take from nothing, with everything that it fetches."""
RUN_TIMEOUT_S = 60.0
SHOWN_BYTES = 3_000
NOT_SOURCES = frozenset({"node_modules", "target", "build", "classes", "__pycache__"})

Answer = dict[str, Any]


class ProgramError(RuntimeError):
    """A program could not be built, broke, or said nothing in time; the message ends with what it wrote."""


class Tool(NamedTuple):
    """What a program is built with: `version_command` prints the version, which is part of the build's name."""

    version_command: tuple[str, ...]
    install: str
    """What to install when it is missing, for people."""


GO = Tool(("go", "env", "GOVERSION"), "Go 1.26 or newer (https://go.dev/dl)")
NODE = Tool(("node", "--version"), "Node.js 20 or newer (https://nodejs.org)")
NPM = Tool(("npm", "--version"), "npm, which comes with Node.js (https://nodejs.org)")
JAVAC = Tool(("javac", "-version"), "a JDK (17 or newer)")
CARGO = Tool(("cargo", "--version"), "Rust 1.85 or newer (https://rustup.rs)")


def build(
    client: str,
    sources: Path,
    tools: Sequence[Tool],
    steps: Sequence[Sequence[str]],
    environment: Mapping[str, str] | None = None,
) -> Path:
    """The folder with a copy of `sources` in which every one of `steps` was run, made once for each state of them all.

    A step is a command. The folder appears whole or not at all, and one process at a time makes it. Raises
    MissingToolError when a tool is not there, ProgramError when a step fails.
    """
    versions = [_version(client, tool) for tool in tools]
    name = f"{client}-{_digest(sources, [*versions, *map(' '.join, steps), *_pairs(environment)])}"
    target = cache_root() / "clients" / name
    if target.is_dir():
        return target
    target.parent.mkdir(exist_ok=True)
    with locked(target.parent / f"{name}.lock"):
        if not target.is_dir():
            with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=target.parent) as scratch:
                folder = Path(scratch) / "program"
                shutil.copytree(sources, folder, ignore=shutil.ignore_patterns(*NOT_SOURCES))
                for step in steps:
                    _step(client, step, folder, environment)
                folder.rename(target)
    return target


def _version(client: str, tool: Tool) -> str:
    if shutil.which(tool.version_command[0]) is None:
        raise MissingToolError(f"{tool.version_command[0]} is not on the PATH: {client} needs {tool.install}")
    found = subprocess.run(tool.version_command, capture_output=True, text=True, timeout=60, check=True)
    return found.stdout + found.stderr


def _pairs(environment: Mapping[str, str] | None) -> list[str]:
    return [f"{name}={value}" for name, value in sorted((environment or {}).items())]


def _digest(sources: Path, more: Sequence[str]) -> str:
    digest = hashlib.sha256("\n".join(more).encode())
    for path in sorted(sources.rglob("*")):
        inside = path.relative_to(sources)
        if path.is_file() and NOT_SOURCES.isdisjoint(inside.parts):
            digest.update(f"\n{inside}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _step(client: str, step: Sequence[str], folder: Path, environment: Mapping[str, str] | None) -> None:
    try:
        done = subprocess.run(
            step, cwd=folder, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=BUILD_TIMEOUT_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ProgramError(f"{client}: {' '.join(step)} took more than {BUILD_TIMEOUT_S} s") from None
    if done.returncode != 0:
        raise ProgramError(
            f"{client}: {' '.join(step)} ended with status {done.returncode}. What to do: see whether this machine "
            f"reaches the registry that the client comes from.\n{done.stdout[-SHOWN_BYTES:]}"
        )


class Program:
    """A client's program, built. `command` is what is run, with the verb behind it."""

    def __init__(self, command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> None:
        self._command = [str(part) for part in command]
        self._environment = {**os.environ, **(environment or {})}

    def start(self, verb: str, **arguments: Any) -> Running:
        """Start it with arguments and let it run. Use it as a context manager, which kills it in the end."""
        return Running([*self._command, verb], self._environment, arguments)

    def run(self, verb: str, *, timeout_s: float = RUN_TIMEOUT_S, **arguments: Any) -> list[Answer]:
        """Every answer, once it has ended. Raises ProgramError when it breaks or takes longer."""
        with self.start(verb, **arguments) as running:
            running.close_input()
            return running.finish(timeout_s)


class Running:
    """A program at work. Its answers are taken one by one with `take`, or all that are left with `finish`."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], arguments: Mapping[str, Any]) -> None:
        self._what = f"{Path(command[0]).name} {command[-1]}"
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the program)
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words, text=True
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()
        self.send(json.dumps(arguments))

    def __enter__(self) -> Running:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is not None:
            error.add_note(f"{self._what} wrote: {self._tail() or 'nothing'}")
        self.kill()

    def _read(self, lines: IO[str]) -> None:
        for line in lines:
            self._lines.put(line)
        self._lines.put(None)

    def send(self, line: str) -> None:
        """Write one line to its standard input. A program that has gone does not hear it."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def close_input(self) -> None:
        """End its standard input, which is how it is told to finish."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def take(self, timeout_s: float = 0.0) -> Answer | None:
        """The oldest answer not taken yet, None when none comes in time. Raises ProgramError when it has ended."""
        try:
            line = self._lines.get(timeout=max(timeout_s, 0.001))
        except queue.Empty:
            return None
        if line is None:
            self._lines.put(None)
            raise self._error("it ended")
        return self._answer(line)

    def finish(self, timeout_s: float = RUN_TIMEOUT_S) -> list[Answer]:
        """Wait until it ends; the answers not taken yet. Raises ProgramError for a status other than 0."""
        try:
            status = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise self._error(f"not done after {timeout_s} s") from None
        if status != 0:
            raise self._error(f"it ended with status {status}")
        self._reader.join()
        answers = []
        while (line := self._lines.get()) is not None:
            answers.append(self._answer(line))
        self._lines.put(None)
        return answers

    def _answer(self, line: str) -> Answer:
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise self._error(f"not an answer: {line!r}")
        return answer

    def kill(self) -> None:
        """End it now, if it still runs."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        self.close_input()
        assert self._process.stdout is not None
        self._process.stdout.close()
        if not self._words.closed:
            self._words.close()

    def _tail(self) -> str:
        self._words.flush()
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, size - SHOWN_BYTES))
        return self._words.read().decode(errors="replace").strip()

    def _error(self, what: str) -> ProgramError:
        return ProgramError(f"{self._what}: {what}")
