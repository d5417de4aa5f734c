"""Checks that a seed determines its run: each twice, in processes with different string hashes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

KINDS = (
    ("raft",), ("isr",), ("isr", "--mode", "B"), ("cluster",), ("jumps",), ("jumps", "--mode", "B"), ("cleaning",),
)  # fmt: skip
"""Those with transactions are left out: a seed takes 10 s."""
REPLAY_MAX_S = 10.0
"""The limit on the average CPU time of a run: debugging a seed repeats it many times."""


def complaints(seeds: str) -> Iterator[str]:
    """Run the seeds (`A-B`) of every kind. Returns a line for each whose second run differed, and for slow kinds."""
    for kind in KINDS:
        began_s = _cpu_s()
        one, other = (runs(kind, seeds, hash_seed) for hash_seed in ("0", "12345"))
        each_s = (_cpu_s() - began_s) / max(1, len(one) + len(other))
        name = " ".join(kind)
        sys.stdout.write(f"{name}: {len(one)} seeds twice, {each_s:.1f} s of CPU each\n")
        for first, second in zip(one, other, strict=True):
            if first != second:
                yield f"{name} is not the same again:\n  {first}\n  {second}"
        failed = [line for line in one if " FAILED" in line]
        if failed or not one:
            yield f"{name}: {len(failed)} seeds failed, which proves little: {failed[:1]}"
        if each_s > REPLAY_MAX_S:
            yield f"{name}: {each_s:.1f} s of CPU for a seed"


def runs(kind: tuple[str, ...], seeds: str, hash_seed: str) -> list[str]:
    """The result and trace hash of each seed, run in a separate process."""
    command = [sys.executable, "-m", "tests.sim", *kind, "--seeds", seeds, "--each"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if line.startswith("seed ")]


def _cpu_s() -> float:
    """The CPU time of ended child processes."""
    used = os.times()
    return used.children_user + used.children_system
