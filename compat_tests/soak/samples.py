"""What the system says of a process and its directory, now and at a steady pace. Linux: it is read from /proc."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from compat_tests.chaos.nodes import Nodes

_TICKS_PER_S = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_BLOCK_BYTES = 512


class Sample(NamedTuple):
    """One look at one node. `life` is its process id: a new one begins with small memory again."""

    at_s: float
    node: int
    life: int
    rss_mb: float
    fds: int
    threads: int
    disk_mb: float
    cpu_s: float
    writes: int
    """Acknowledged to clients so far, by the whole cluster."""


def look(at_s: float, node: int, pid: int, data_dir: Path, writes: int) -> Sample | None:
    """One sample; None when the process has ended meanwhile."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        fds = sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return None
    if "VmRSS:" not in status:  # it has ended, and nobody has asked how
        return None
    rss_mb = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    threads = int(status.partition("Threads:")[2].split()[0])
    cpu_s = (int(fields[11]) + int(fields[12])) / _TICKS_PER_S
    return Sample(at_s, node, pid, rss_mb, fds, threads, disk_bytes(data_dir) / 2**20, cpu_s, writes)


def disk_bytes(folder: Path) -> int:
    """What the files below a folder take on the disk; those that are removed meanwhile count nothing."""
    total = 0
    for entry in folder.rglob("*"):
        try:
            total += entry.stat().st_blocks * _BLOCK_BYTES
        except OSError:
            continue
    return total


class Sampler(threading.Thread):
    """Looks at every running node of a cluster until it is told to stop; `samples` are in the order of time."""

    def __init__(self, nodes: Nodes, writes: Callable[[], int], every_s: float) -> None:
        super().__init__(name="sampler", daemon=True)
        self._nodes, self._writes, self._every_s = nodes, writes, every_s
        self._over = threading.Event()
        self._began = time.monotonic()
        self.samples: list[Sample] = []

    def run(self) -> None:
        while not self._over.wait(self._every_s):
            at_s = time.monotonic() - self._began
            for node_id, pid in self._nodes.pids.items():
                sample = look(at_s, node_id, pid, self._nodes.nodes[node_id].data_dir, self._writes())
                if sample is not None:
                    self.samples.append(sample)

    def finish(self) -> None:
        self._over.set()
        self.join()
