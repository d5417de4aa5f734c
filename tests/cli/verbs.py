"""A verb as a user runs it, against a broker: exit status, stdout and stderr."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any, NamedTuple

from tests.cli.processes import command

TIMEOUT_S = 60


class Done(NamedTuple):
    """How a verb ended."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def json_lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


def run(*arguments: str, servers: str, stdin: bytes | str = b"", environment: dict[str, str] | None = None) -> Done:
    """Run `kafkacompat ...` to its end."""
    done = subprocess.run(
        [*command(), *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        timeout=TIMEOUT_S,
        env={**os.environ, "KAFKACOMPAT_BOOTSTRAP_SERVERS": servers, **(environment or {})},
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())
