"""The broker that the demo uses: by default one that it starts in a child process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafkacompat.demo.errors import DemoError

START_TIMEOUT_S = 20.0
STOP_TIMEOUT_S = 10.0
POLL_S = 0.01
LOG_TAIL_LINES = 5


class RunningBroker:
    """A broker at `address`: a child process, or an external broker if `child` is None."""

    def __init__(self, address: str, child: subprocess.Popen[bytes] | None, log: Path | None) -> None:
        self.address = address
        self._child = child
        self._log = log

    def check(self) -> None:
        """Raises DemoError if the child process has ended. Clients would retry for a long time."""
        if self._child is not None and self._log is not None and self._child.poll() is not None:
            raise DemoError(f"the broker ended by itself, with status {self._child.returncode}: {tail(self._log)}")


@contextmanager
def own_broker(folder: Path) -> Iterator[RunningBroker]:
    """Start a broker on a free port, with its data and log in `folder`, and stop it cleanly at the end.

    Raises DemoError if it does not start, ends too early, or does not stop with exit status 0.
    """
    state_file, log = folder / "state.json", folder / "broker.log"
    command = [
        sys.executable, "-m", "kafkacompat.demo.child", "serve", "--port", "0",
        "--data-dir", str(folder / "data"), "--state-file", str(state_file),
    ]  # fmt: skip
    with log.open("wb") as out:
        # a new session, so that Ctrl-C reaches only the demo, which stops its clients first
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT, start_new_session=os.name != "nt"
        )
    try:
        _wait_for(state_file, child, log)
        broker = RunningBroker(str(json.loads(state_file.read_text())["bootstrap_servers"]), child, log)
        yield broker
        broker.check()
        status = _stop(child)
        if status != 0 and os.name != "nt":
            raise DemoError(f"the broker ended with status {status}: {tail(log)}")
    finally:
        if child.poll() is None:
            _stop(child)
        if child.stdin is not None:
            child.stdin.close()


def tail(log: Path) -> str:
    """The last lines of a log, joined into one."""
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    return " | ".join([line.strip() for line in lines if line.strip()][-LOG_TAIL_LINES:]) or "(its log is empty)"


def _wait_for(state_file: Path, child: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not state_file.exists():
        if child.poll() is not None:
            raise DemoError(f"the broker did not start: {tail(log)}")
        if time.monotonic() > deadline:
            raise DemoError(f"the broker was not ready after {START_TIMEOUT_S:.0f} s: {tail(log)}")
        time.sleep(POLL_S)


def _stop(child: subprocess.Popen[bytes]) -> int:
    child.terminate()
    try:
        return child.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()
