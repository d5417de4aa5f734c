"""The machine that a node believes to run on: its wall clock, which can jump, and its power, which can fail.

Both are done by `shim.c`, preloaded into the process; it is compiled when it is first needed.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import struct
import subprocess
import sys
import uuid
from pathlib import Path

from compat_tests.artifacts import MissingToolError, cache_root
from compat_tests.chaos.disk import Disk

SOURCE = Path(__file__).with_name("shim.c")
COMPILE_TIMEOUT_S = 60
OFFSET = struct.Struct("=q")
HOW_TO_GET = "a C compiler (cc) on Linux; on Debian: apt-get install gcc libc6-dev"


def is_possible() -> bool:
    """Whether a shim can be built and preloaded here."""
    return sys.platform == "linux" and shutil.which("cc") is not None


def library() -> Path:
    """The compiled shim. Raises MissingToolError."""
    if not is_possible():
        raise MissingToolError(f"jumps of a clock and losses of power need {HOW_TO_GET}")
    target = cache_root() / f"shim-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]}.so"
    if not target.exists():
        beside = target.with_name(f"{target.name}.{os.getpid()}")
        command = ["cc", "-shared", "-fPIC", "-O2", "-o", str(beside), str(SOURCE), "-ldl", "-lpthread"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_S)
        if done.returncode != 0:
            raise MissingToolError(f"{' '.join(command)} failed; needed is {HOW_TO_GET}\n{done.stdout}{done.stderr}")
        beside.replace(target)
    return target


class Machine:
    """One node's. With `rng` each end of the process is a loss of power, and decides what that leaves of its files.

    `has_fsync` False: what the node syncs is not synced, which no broker can make up for.
    """

    def __init__(
        self, data_dir: Path, folder: Path, rng: random.Random | None = None, *, has_fsync: bool = True
    ) -> None:
        folder.mkdir()
        self._clock = folder / "clock"
        self._boot_id = folder / "boot_id"
        self._clock.write_bytes(OFFSET.pack(0))
        self._variables = {
            "LD_PRELOAD": str(library()), "SHIM_CLOCK": str(self._clock), "SHIM_BOOT_ID": str(self._boot_id),
        }  # fmt: skip
        self._disk = Disk(data_dir, folder / "journal", rng) if rng else None
        if self._disk:
            self._variables |= {"SHIM_DATA": str(data_dir), "SHIM_JOURNAL": str(self._disk.journal)}
        if not has_fsync:
            self._variables["SHIM_NO_FSYNC"] = "1"
        self.losses: list[int] = []
        """Of each loss of power, how many files it changed."""

    def command(self) -> list[str]:
        """What comes before the command of a process on this machine."""
        return ["env", *(f"{name}={value}" for name, value in self._variables.items())]

    def boot(self) -> None:
        """Before each start of the process. Raises JournalError."""
        if self._disk:
            self.losses.append(self._disk.lose_power())
        if self._disk or not self._boot_id.exists():
            self._boot_id.write_text(f"{uuid.uuid4()}\n")

    def jump(self, offset_s: float) -> None:
        """Let the wall clock be so far ahead of the true time from now on, or behind."""
        with self._clock.open("r+b", buffering=0) as file:  # never shorter: processes have it mapped
            file.write(OFFSET.pack(round(offset_s * 1e9)))
