"""`kafkacompat` as a user runs it: a child process, its two outputs and its exit status."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from tests.waiting import wait_until

TIMEOUT_S = 120
BARE_SYSTEM = "TESTS_ON_A_BARE_SYSTEM"


def command() -> list[str]:
    """`python -m kafkacompat`, in a second run of the tests on a system that lacks things."""
    if BARE_SYSTEM in os.environ:
        return [sys.executable, "-c", "import tests.bare_system, kafkacompat.cli; kafkacompat.cli.main()"]
    return [sys.executable, "-m", "kafkacompat"]


class Child:
    """A running `python -m kafkacompat`, killed at the end if a test did not stop it. `environment` adds to ours.
    stderr: a file descriptor in place of the file that `stderr` reads.
    """

    def __init__(
        self,
        *arguments: str,
        environment: dict[str, str] | None = None,
        stdin_is_a_pipe: bool = False,
        stderr: int | None = None,
    ) -> None:
        self._out = tempfile.NamedTemporaryFile("w")  # noqa: SIM115 (closed at the end)
        self._scratch = tempfile.TemporaryDirectory(prefix="kafkacompat-test-")  # what a killed broker leaves
        self._err = tempfile.NamedTemporaryFile("w")  # noqa: SIM115 (closed at the end)
        self.process = subprocess.Popen(
            [*command(), *arguments], stdout=self._out, stderr=self._err if stderr is None else stderr,
            stdin=subprocess.PIPE if stdin_is_a_pipe else subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": self._scratch.name, **(environment or {})},
        )  # fmt: skip

    def __enter__(self) -> Child:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()
        self._out.close()
        self._err.close()
        self._scratch.cleanup()

    def _read(self, file: object) -> str:
        return Path(file.name).read_text()

    @property
    def stdout(self) -> str:
        return self._read(self._out)

    @property
    def stderr(self) -> str:
        return self._read(self._err)

    def wait_until_ready(self) -> str:
        """The line on stdout."""

        def has_said_it() -> bool:
            assert self.process.poll() is None, self.stderr
            return "\n" in self.stdout

        wait_until(has_said_it, TIMEOUT_S, what=lambda: self.stderr)
        return self.stdout

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        return self.process.wait(TIMEOUT_S)


@contextmanager
def serving(tmp_path: Path, *arguments: str, **options: object) -> Iterator[tuple[Child, dict]]:
    """A child that serves at a free port, and what its state file says."""
    state = tmp_path / "state.json"
    with Child("serve", "--port", "0", "--state-file", str(state), *arguments, **options) as child:
        child.wait_until_ready()
        yield child, json.loads(state.read_text())


def run(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command(), *arguments], capture_output=True, text=True, timeout=TIMEOUT_S,
        env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def ask_api_versions(address: str, timeout_s: float = TIMEOUT_S) -> bytes:
    """The response to ApiVersions v0 with correlation id 7, without its size."""
    host, port = address.rsplit(":", 1)
    request = bytes((0, 18, 0, 0, 0, 0, 0, 7, 0, 4)) + b"test"
    with socket.create_connection((host, int(port)), timeout=timeout_s) as sock:
        sock.sendall(len(request).to_bytes(4, "big") + request)
        return receive(sock)


def receive(sock: socket.socket) -> bytes:
    def exactly(count: int) -> bytes:
        data = b""
        while len(data) < count:
            chunk = sock.recv(count - len(data))
            assert chunk, "the broker closed the connection"
            data += chunk
        return data

    return exactly(int.from_bytes(exactly(4), "big"))


def lines(text: str) -> Sequence[str]:
    return text.strip().splitlines()
