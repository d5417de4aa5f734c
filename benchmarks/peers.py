"""The brokers that are measured, each as processes of its own that can be started, killed, paused and looked at."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.gotools import BenchmarkError
from benchmarks.measure import child_environment, seconds_to_answer
from compat_tests.apache_kafka import DEFAULT_JVM_OPTIONS, ApacheKafka
from compat_tests.broker_process import free_port, remove_directory, scratch_directory, tail

START_TIMEOUT_S = 90
DELETE_DELAY = {"log.segment.delete.delay.ms": "1000"}
"""Deleted topics leave the disk while the run goes on, at every broker that has one."""
PAUSABLE = {"broker.session.timeout.ms": "3600000"}
"""Apache Kafka's controller must not take a paused broker for dead."""


class Peer:
    """One broker on 127.0.0.1. `start` answers the seconds from exec to the first answered ApiVersions."""

    name = ""
    keeps_data = True

    def __init__(self) -> None:
        self.port = free_port()
        self._root = scratch_directory(f"benchmark-{self.name}-")
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def bootstrap_servers(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pids(self) -> list[int]:
        return [self._child.pid] if self._child is not None else []

    def command(self) -> list[str]:
        """What is executed."""
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        return child_environment()

    def start(self) -> float:
        """Raises BenchmarkError with the end of its log."""
        log = self._root / "log"
        command, environment = self.command(), self.environment()
        with log.open("ab") as out:
            since = time.perf_counter()
            self._child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=environment
            )
        try:
            return seconds_to_answer(self.port, since, START_TIMEOUT_S)
        except TimeoutError as error:
            raise BenchmarkError(f"{self.name}: {error}\n{tail(log)}") from None

    def kill(self) -> None:
        """kill -9; the data stays."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None

    def close(self) -> None:
        """End it and remove what it wrote."""
        self.kill()
        remove_directory(self._root)


class Kafkacompat(Peer):
    """This broker, as a user starts it."""

    def __init__(self, loop: str) -> None:
        self.name = f"kafkacompat-{loop}"
        self._loop = loop
        super().__init__()

    def command(self) -> list[str]:
        command = [sys.executable, "-m", "kafkacompat", "serve", "--host", "127.0.0.1", "--port", str(self.port)]
        command += ["--data-dir", str(self._root / "data")]
        for key, value in DELETE_DELAY.items():
            command += ["--config", f"{key}={value}"]
        return command

    def environment(self) -> dict[str, str]:
        return child_environment(KAFKACOMPAT_LOOP=self._loop)


class Kfake(Peer):
    """franz-go's kfake: everything in memory, one goroutine for the cluster."""

    name = "kfake"
    keeps_data = False

    def __init__(self, programs: Path) -> None:
        self._program = programs / "kfake"
        super().__init__()

    def command(self) -> list[str]:
        return [str(self._program), "-port", str(self.port)]


class Kafka(Peer):
    """Apache Kafka with the JVM options that its own start script gives it; formatted beforehand."""

    name = "kafka"

    def __init__(self, *, pausable: bool) -> None:
        super().__init__()
        config = DELETE_DELAY | (PAUSABLE if pausable else {})
        self._kafka = ApacheKafka(jvm_options=DEFAULT_JVM_OPTIONS, config=config)
        self.port = int(self._kafka.bootstrap_servers.rpartition(":")[2])

    @property
    def pids(self) -> list[int]:
        return list(self._kafka.pids.values())

    def start(self) -> float:
        since = time.perf_counter()
        self._kafka.start()
        return seconds_to_answer(self.port, since, START_TIMEOUT_S)

    def kill(self) -> None:
        self._kafka.kill()

    def close(self) -> None:
        self._kafka.close()
        super().close()


def makers(names: list[str], programs: Path, *, pausable: bool) -> dict[str, Callable[[], Peer]]:
    """How to make each named peer. Raises BenchmarkError for an unknown name."""
    known: dict[str, Callable[[], Peer]] = {
        "kafkacompat-uvloop": lambda: Kafkacompat("uvloop"),
        "kafkacompat-asyncio": lambda: Kafkacompat("asyncio"),
        "kafka": lambda: Kafka(pausable=pausable),
        "kfake": lambda: Kfake(programs),
    }
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BenchmarkError(f"no broker {', '.join(unknown)}: use {', '.join(known)}")
    return {name: known[name] for name in names}


def is_ours(name: str) -> bool:
    return name.startswith("kafkacompat")


def data_folder() -> Path:
    """Where brokers put their data: bare writes are measured on the same disk."""
    return Path(os.environ.get("TMPDIR", "/tmp"))
