"""A broker run as child processes: the part that is the same for Apache Kafka and for this project's broker."""

from __future__ import annotations

import atexit
import base64
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from kafkacompat.server.ports import PortFinder

STOP_TIMEOUT_S = 60
LOG_TAIL_BYTES = 3_000
OLD_RECORDS_STAY = {"log.initial.task.delay.ms": "86400000"}
"""Many tests write records of years ago, which Apache Kafka's retention would delete half a minute after its start."""
_ports = PortFinder("127.0.0.1")
"""Holds the ports given out until this process ends: a broker may be about to listen, or be down, while another test
process looks for a port."""
atexit.register(_ports.close)

StandIn = Callable[[int], int]
"""Given the port where a broker of ours listens, the port that it is to advertise: that of whoever stands in for it."""


def itself(port: int) -> int:
    """Nobody stands in."""
    return port


class BrokerError(RuntimeError):
    """A broker did not start or did not stop; the message ends with its log."""


class Broker(Protocol):
    """What a test may do with a broker, whichever it is."""

    kind: str

    @property
    def bootstrap_servers(self) -> str: ...
    @property
    def data_dirs(self) -> list[Path]:
        """One log directory for each broker process, empty when the broker is somewhere else."""

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def kill(self) -> None: ...
    def close(self) -> None: ...
    def log_tail(self) -> str: ...


class Process:
    """One child process with its output in a file. It is started at once."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self.log = log
        with log.open("ab") as out:
            self._child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)

    @property
    def pid(self) -> int:
        return self._child.pid

    def is_running(self) -> bool:
        return self._child.poll() is None

    def wait_until(self, ready: Callable[[], bool], timeout_s: float, what: str) -> None:
        """Poll `ready` until it is true. Raises BrokerError when the process ends or the time is over."""
        deadline = time.monotonic() + timeout_s
        while not ready():
            if not self.is_running():
                raise BrokerError(f"{what}: ended with status {self._child.returncode}\n{tail(self.log)}")
            if time.monotonic() > deadline:
                raise BrokerError(f"{what}: not ready after {timeout_s} s\n{tail(self.log)}")
            time.sleep(0.02)

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> int:
        """Ask it to end (SIGTERM) and return its exit status. Raises BrokerError when it has to be killed."""
        self._child.send_signal(signal.SIGTERM)
        try:
            return self._child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise BrokerError(f"did not stop within {timeout_s} s of SIGTERM\n{tail(self.log)}") from None

    def kill(self) -> None:
        """End it now (SIGKILL)."""
        self._child.kill()
        self._child.wait()


def tail(log: Path) -> str:
    """The last LOG_TAIL_BYTES of a log file."""
    if not log.exists():
        return "(no log)"
    return log.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace")


def scratch_directory(prefix: str) -> Path:
    """A new directory for one broker's data and logs. KAFKACOMPAT_KEEP=1 keeps them for a look afterwards."""
    return Path(tempfile.mkdtemp(prefix=prefix))


def remove_directory(path: Path) -> None:
    if not os.environ.get("KAFKACOMPAT_KEEP"):
        shutil.rmtree(path, ignore_errors=True)


def new_cluster_id() -> str:
    """A random id in Kafka's notation; with no dash in front, which command lines would take for an option."""
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=").replace("-", "x", 1)


def free_port() -> int:
    """A port for one broker, outside the range of outgoing connections; no other test process finds it as well."""
    (port,) = _ports.find(1)
    return port


def answers(port: int) -> bool:
    """Whether something on this machine accepts connections at `port`."""
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0
