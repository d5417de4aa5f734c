"""The Go programs: the load generator that every broker is measured with, and kfake as a process."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent / "go"
BUILD_TIMEOUT_S = 600
RUN_TIMEOUT_S = 300


class BenchmarkError(RuntimeError):
    """A run that does not count; the message says why."""


def build() -> Path:
    """Folder with the programs `client` and `kfake`, built once for each state of the sources."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    root = Path(os.environ.get("KAFKACOMPAT_CACHE") or Path.home() / ".cache" / "kafkacompat")
    folder = root / f"benchmarks-{digest.hexdigest()[:12]}"
    if not (folder / "kfake").exists() or not (folder / "client").exists():
        go = shutil.which("go")
        if go is None:
            raise BenchmarkError("go is not on the PATH: the load generator needs Go 1.26 or newer (https://go.dev/dl)")
        folder.mkdir(parents=True, exist_ok=True)
        built = subprocess.run(
            [go, "build", "-o", f"{folder}/", "./..."],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            timeout=BUILD_TIMEOUT_S,
        )
        if built.returncode != 0:
            raise BenchmarkError(f"go build failed; is a Go module proxy in reach?\n{built.stderr}")
    return folder


class Client:
    """Runs the load generator against one broker."""

    def __init__(self, folder: Path) -> None:
        self._program = str(folder / "client")

    def run(self, mode: str, bootstrap_servers: str, pids: list[int], **flags: object) -> dict[str, Any]:
        """What the run saw, as its JSON says. Raises BenchmarkError when it failed or read back something else."""
        command = [self._program, "-mode", mode, "-brokers", bootstrap_servers, "-pids", ",".join(map(str, pids))]
        for name, value in flags.items():
            command += [f"-{name.replace('_', '-')}", str(value)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise BenchmarkError(f"{mode}: not done after {RUN_TIMEOUT_S} s") from None
        if done.returncode != 0:
            raise BenchmarkError(f"{mode}: {done.stderr.strip()[-500:]}")
        found: dict[str, Any] = json.loads(done.stdout)
        return found
