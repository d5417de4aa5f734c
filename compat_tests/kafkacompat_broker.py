"""This project's broker, started as a user starts it: `python -m kafkacompat serve` in a child process."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compat_tests.broker_process import (
    OLD_RECORDS_STAY,
    STOP_TIMEOUT_S,
    Process,
    StandIn,
    free_port,
    itself,
    remove_directory,
    scratch_directory,
    tail,
)

START_TIMEOUT_S = 60


class KafkacompatBroker:
    """One broker on a port of its own, with a data directory that outlives `stop`. `config` is given with --config.

    `seed` names a difference to plant in it (see `compat_tests.seeded`); `program` is what `python -m` runs.
    """

    kind = "kafkacompat"

    def __init__(
        self,
        config: Mapping[str, str] | None = None,
        brokers: int = 1,
        stand_in: StandIn = itself,
        seed: str | None = None,
        program: Sequence[str] = ("kafkacompat",),
    ) -> None:
        self._program = ["compat_tests.seeded.broker", seed] if seed else program
        self._brokers = brokers
        self._root = scratch_directory("kafkacompat-")
        self._port = free_port() if brokers == 1 else 0
        self._config = {**OLD_RECORDS_STAY, **(config or {})}
        if brokers == 1 and (advertised := stand_in(self._port)) != self._port:
            self._config.setdefault("advertised.listeners", f"PLAINTEXT://127.0.0.1:{advertised}")
        self._state_file = self._root / "state.json"
        self.log_path = self._root / "server.log"
        self._process: Process | None = None
        self._state: dict[str, Any] = {}  # the state file of the last start

    @property
    def bootstrap_servers(self) -> str:
        return str(self._state["bootstrap_servers"])

    @property
    def cluster_id(self) -> str:
        return str(self._state["cluster_id"])

    @property
    def pid(self) -> int:
        """Process id of the running broker."""
        assert self._process is not None
        return self._process.pid

    @property
    def data_dirs(self) -> list[Path]:
        return [Path(broker["data_dir"]) for broker in self._state["brokers"]]

    def start(self, timeout_s: float = START_TIMEOUT_S) -> None:
        """Start and wait for the state file. The port is kept from start to start, so that clients find it again."""
        self._state_file.unlink(missing_ok=True)
        command = [
            sys.executable, "-m", *self._program, "serve", "--port", str(self._port),
            "--data-dir", str(self._root / "data"), "--state-file", str(self._state_file),
        ]  # fmt: skip
        if self._brokers > 1:
            command += ["--brokers", str(self._brokers)]
        for key, value in self._config.items():
            command += ["--config", f"{key}={value}"]
        self._process = Process(command, self.log_path)
        self._process.wait_until(self._state_file.exists, timeout_s, "kafkacompat")
        self._state = json.loads(self._state_file.read_text())

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Stop cleanly; the data stays for the next start. Raises AssertionError on an exit status other than 0."""
        process, self._process = self._process, None
        if process is not None:
            status = process.stop(timeout_s)
            assert status == 0, f"kafkacompat ended with status {status} after SIGTERM\n{tail(self.log_path)}"

    def kill(self) -> None:
        """kill -9; the data stays for the next start."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Kill what runs and remove the data."""
        self.kill()
        remove_directory(self._root)

    def log_tail(self) -> str:
        return tail(self.log_path)
