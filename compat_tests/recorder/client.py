"""The recorder as tests see it: a process that stands between clients and brokers and counts requests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from compat_tests.broker_process import BrokerError

ROOT = Path(__file__).resolve().parents[2]

Answered = dict[str, dict[int, int]]
"""How many requests were answered, by API and version."""


class Recorder:
    """Starts its process on first use. Raises BrokerError when that has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def listen(self, host: str, port: int, *, readdress: bool = False) -> int:
        """Stand in for the broker at an address; returns our port. `readdress` rewrites the addresses in answers."""
        return int(self._ask({"target": [host, port], "readdress": readdress})["port"])

    def take(self) -> Answered:
        """What was answered since the last call."""
        if self._process is None:
            return {}
        return {
            api: {int(version): answered for version, answered in versions.items()}
            for api, versions in self._ask({"take": True}).items()
        }

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                pipe.close()
            self._process = None

    def _ask(self, command: dict[str, Any]) -> dict[str, Any]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "compat_tests.recorder.tap"],
                cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise BrokerError("the recorder's process ended; its last words are above")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise BrokerError(f"the recorder cannot {command}: {answer['error']}")
        return answer
