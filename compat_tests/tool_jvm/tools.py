"""Runs classes of Apache Kafka's jars: as processes of their own, or one after the other in a JVM that stays.

The JVM of a release is started with the first tool that `run` is asked for. It ends with this process, however that
ends: its standard input is closed then. `program/` is what it runs; where there is no JDK to compile that, each tool is
a process of its own.
"""

from __future__ import annotations

import atexit
import os
import shutil
import struct
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from compat_tests.artifacts import KAFKA_VERSION, java_program, kafka_jars
from compat_tests.clients.program import JAVAC, SHOWN_BYTES, build

TOOL_TIMEOUT_S = 90
SOURCES = Path(__file__).parent / "program"
JVM_OPTIONS = (
    "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx256m",
    f"-Dlog4j2.configurationFile={SOURCES / 'log4j2.properties'}",
    f"-Dlog4j.configuration=file:{SOURCES / 'log4j.properties'}",
)  # fmt: skip
LOADED_ANEW = ("kafka-tools-", "kafka_2.13-")
"""Beginnings of the names of the jars with the tools: some count in static fields."""
END_OF_THE_JVM = ("VerifiableProducer", "VerifiableConsumer")
"""Tools that do their last work when their JVM ends: each needs one of its own."""
ALONE = ("4.4.0",)
"""Releases in which the classes of Kafka's have moved that `program/` uses: each tool is a process of its own."""
END_TIMEOUT_S = 10


class Outcome(NamedTuple):
    """What a tool did."""

    status: int
    stdout: str
    stderr: str


class ToolJvmError(RuntimeError):
    """The JVM of the tools ended; the message names the command that it was at."""


def command(main_class: str, *arguments: str, version: str = KAFKA_VERSION) -> list[str]:
    """What runs a tool as a process of its own."""
    return [java_program(), *JVM_OPTIONS, "-cp", f"{kafka_jars(version)}/*", main_class, *arguments]


def run_alone(
    main_class: str, *arguments: str, stdin: str = "", version: str = KAFKA_VERSION, timeout_s: float = TOOL_TIMEOUT_S
) -> Outcome:
    """Run a tool as a process of its own. Raises subprocess.TimeoutExpired."""
    words = command(main_class, *arguments, version=version)
    done = subprocess.run(words, input=stdin, capture_output=True, text=True, timeout=timeout_s)
    return Outcome(done.returncode, done.stdout, done.stderr)


def run(
    main_class: str, *arguments: str, stdin: str = "", version: str = KAFKA_VERSION, timeout_s: float = TOOL_TIMEOUT_S
) -> Outcome:
    """Run a tool in the JVM of its release. Raises subprocess.TimeoutExpired, after which there is another JVM."""
    if main_class.endswith(END_OF_THE_JVM) or version in ALONE or shutil.which("javac") is None:
        return run_alone(main_class, *arguments, stdin=stdin, version=version, timeout_s=timeout_s)
    return _jvm_of(version).run([main_class, *arguments], stdin, timeout_s)


@cache
def _jvm_of(version: str) -> ToolJvm:
    found = ToolJvm(version)
    atexit.register(found.close)
    return found


class ToolJvm:
    """A JVM with the tools of a release, which runs one at a time; it starts again after one that did not end."""

    def __init__(self, version: str = KAFKA_VERSION) -> None:
        self._version = version
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the JVM)

    def run(self, words: Sequence[str], stdin: str = "", timeout_s: float = TOOL_TIMEOUT_S) -> Outcome:
        """Run a class with its arguments. Raises subprocess.TimeoutExpired and ToolJvmError."""
        with self._turn:
            if self._process is None:
                self._process = subprocess.Popen(
                    self._command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words
                )
            late = threading.Event()
            timer = threading.Timer(timeout_s, _kill, (self._process, late))
            timer.start()
            try:
                outcome, is_clean = _asked(self._process, words, stdin)
            except (OSError, EOFError) as error:
                self._end()
                if late.is_set():
                    raise subprocess.TimeoutExpired(list(words), timeout_s) from None
                raise ToolJvmError(f"the JVM ended at {' '.join(words)}: {self._tail()}") from error
            finally:
                timer.cancel()
                timer.join()
            if not is_clean or late.is_set():
                self._end()
            return outcome

    @property
    def pid(self) -> int | None:
        """The process id of the JVM, None while there is none."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """End the JVM."""
        with self._turn:
            self._end()
            self._words.close()

    def _command(self) -> list[str]:
        jars = sorted(kafka_jars(self._version).glob("*.jar"))
        fresh = [jar for jar in jars if jar.name.startswith(LOADED_ANEW) and "-api-" not in jar.name]
        kept = [jar for jar in jars if jar not in fresh]
        (clients,) = [str(jar) for jar in kept if jar.name.startswith("kafka-clients-")]
        compile_all = (
            "javac", "--release", "17", "-cp", clients, "-sourcepath", ".", "-d", "built", "compat/ToolHost.java"
        )  # fmt: skip
        folder = build(f"tool-jvm-{self._version}", SOURCES, [JAVAC], [compile_all])
        class_path = _path([*kept, folder / "built"])
        return [java_program(), *JVM_OPTIONS, "-cp", class_path, "compat.ToolHost", *map(str, fresh)]

    def _end(self) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.wait(END_TIMEOUT_S)
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdout.close()
            with suppress(BrokenPipeError):  # part of a command may not have been written yet
                process.stdin.close()

    def _tail(self) -> str:
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, size - SHOWN_BYTES))
        return self._words.read().decode(errors="replace").strip() or "it said nothing"


def _path(files: Sequence[Path]) -> str:
    return os.pathsep.join(map(str, files))


def _kill(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _asked(process: subprocess.Popen[bytes], words: Sequence[str], stdin: str) -> tuple[Outcome, bool]:
    """The answer to a command, and whether the JVM is good for another. Raises EOFError, BrokenPipeError."""
    assert process.stdin is not None
    texts = [text.encode() for text in (*words, stdin)]
    process.stdin.write(struct.pack(">i", len(words)) + b"".join(struct.pack(">i", len(one)) + one for one in texts))
    process.stdin.flush()
    (status,) = struct.unpack(">i", _read(process, 4))
    stdout, stderr = (_read(process, *struct.unpack(">i", _read(process, 4))).decode() for _ in range(2))
    return Outcome(status, stdout, stderr), _read(process, 1) == b"\0"


def _read(process: subprocess.Popen[bytes], count: int) -> bytes:
    assert process.stdout is not None
    found = process.stdout.read(count)
    if len(found) < count:
        raise EOFError
    return found
