"""The broker of `benchmarks.turns`: `kafkacompat serve` with a meter around every callback of asyncio's loop.

It takes the checkout that PYTHONPATH names, so that older versions can be measured. Each line on stdin asks for the
longest turn since the last one; the answer is a line of JSON on stdout.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import threading
import time
from typing import Any


class Meter:
    """Longest callback by CPU time of the loop's thread, longest by wall time, and the collections in between."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.cpu_ms = self.wall_ms = self.total_cpu_ms = self.gc_ms = 0.0
        self.cpu_of = self.wall_of = ""
        self.turns = self.collections = self.full_collections = 0
        self.gc_began = 0.0

    def install(self) -> None:
        """Measure each callback that asyncio's loop runs from now on."""
        run = asyncio.events.Handle._run  # type: ignore[attr-defined] # noqa: SLF001 (there is no public door)
        meter = self

        def measured(handle: asyncio.Handle) -> None:
            cpu, wall = time.thread_time(), time.perf_counter()
            run(handle)
            meter.note((time.thread_time() - cpu) * 1000, (time.perf_counter() - wall) * 1000, handle)

        asyncio.events.Handle._run = measured  # type: ignore[attr-defined] # noqa: SLF001
        gc.callbacks.append(self._collected)

    def note(self, cpu_ms: float, wall_ms: float, handle: asyncio.Handle) -> None:
        """One callback took that long."""
        self.turns += 1
        self.total_cpu_ms += cpu_ms
        if cpu_ms > self.cpu_ms:
            self.cpu_ms, self.cpu_of = cpu_ms, _name(handle)
        if wall_ms > self.wall_ms:
            self.wall_ms, self.wall_of = wall_ms, _name(handle)

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self.gc_began = time.thread_time()
            return
        self.collections += 1
        self.full_collections += info["generation"] == 2
        self.gc_ms = max(self.gc_ms, (time.thread_time() - self.gc_began) * 1000)

    def facts(self) -> dict[str, Any]:
        return dict(vars(self))


def _name(handle: asyncio.Handle) -> str:
    callback = handle._callback  # type: ignore[attr-defined] # noqa: SLF001
    while hasattr(callback, "func"):
        callback = callback.func
    return getattr(callback, "__qualname__", str(callback))


def _answer(meter: Meter) -> None:
    for line in sys.stdin:
        facts = json.dumps(meter.facts())
        if line.strip() == "reset":
            meter.reset()
        sys.stdout.write(facts + "\n")
        sys.stdout.flush()


def main() -> None:
    """Serve with the arguments of this process."""
    os.environ["KAFKACOMPAT_LOOP"] = "asyncio"
    from kafkacompat.cli import main as serve

    meter = Meter()
    meter.install()
    threading.Thread(target=_answer, args=(meter,), daemon=True).start()
    serve(["serve", *sys.argv[1:]])


if __name__ == "__main__":
    main()
