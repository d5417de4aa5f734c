"""Keep a virtual machine's free memory warm.

A host may take back the memory that its guest does not use. The next one to touch such a page waits for it:
2–3 CPU seconds for each GB were seen, ten times what writing a GB into warm memory costs, and charged to whichever
broker writes next. The page cache of an empty (sparse) file fills free memory without any disk access; what a broker
then writes replaces its pages, which the host still holds. It is cache: whoever needs memory gets it at once.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

KEEP_FREE_BYTES = 1 << 30
PIECE_BYTES = 1 << 20
FLOOR_PIECES = 200


class WarmMemory:
    """`fill` before a run that writes much; the first one takes a minute for 20 GB, the next ones a second or two."""

    def __init__(self, folder: Path, *, enabled: bool) -> None:
        self._path = folder / "sparse"
        self._enabled = enabled

    def fill(self) -> None:
        """Read the file until little memory is free."""
        if not self._enabled:
            return
        size = _meminfo("MemAvailable") - KEEP_FREE_BYTES
        if not self._path.exists():
            with self._path.open("wb") as file:
                file.truncate(size)
        buffer = bytearray(PIECE_BYTES)
        with self._path.open("rb", buffering=0) as file:
            while _meminfo("MemFree") > KEEP_FREE_BYTES:
                for _ in range(256):
                    if not file.readinto(buffer):
                        return


def write_floor(folder: Path) -> dict[str, float]:
    """MB/s and CPU seconds for each GB of a program that does nothing but write noise to a file, 1 MB at a time."""
    noise = os.urandom(PIECE_BYTES)
    path = folder / "floor"
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(FLOOR_PIECES):
        os.write(descriptor, noise)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    os.close(descriptor)
    path.unlink()
    total = PIECE_BYTES * FLOOR_PIECES
    return {"mb_s": total / 1e6 / wall, "cpu_s_gb": cpu / total * 1e9}


def _meminfo(name: str) -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return 0
