"""Time and randomness of a simulated cluster: one heap of events, one seed, and a trace with its hash."""

from __future__ import annotations

import hashlib
import heapq
import random
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MS = 1000
SECOND = 1000 * MS
MAX_KEPT_LINES = 400
"""The last lines of the trace that are kept for the report of a failure."""


class World:
    """Simulated time is in microseconds and starts at 0. Each part of the cluster has its own random stream."""

    def __init__(self, seed: int, *, tell: Callable[[str], None] | None = None) -> None:
        self.seed = seed
        self.now_us = 0
        self.events = 0
        self.lines: deque[str] = deque(maxlen=MAX_KEPT_LINES)
        self._tell = tell
        self._heap: list[tuple[int, int, Callable[..., None], tuple[object, ...]]] = []
        self._count = 0
        self._hash = hashlib.blake2b(digest_size=16)

    def rng(self, name: str) -> random.Random:
        """A random stream that depends only on the seed and the name."""
        return random.Random(f"{self.seed}/{name}")

    def after(self, delay_us: int, call: Callable[..., None], *arguments: object) -> None:
        """Schedule a call. Calls at the same time are made in the order in which they were scheduled."""
        self._count += 1
        heapq.heappush(self._heap, (self.now_us + delay_us, self._count, call, arguments))

    def run_until(self, end_us: int) -> None:
        """Run all events that are due before `end_us`."""
        heap = self._heap
        while heap and heap[0][0] < end_us:
            self.now_us, _, call, arguments = heapq.heappop(heap)
            self.events += 1
            call(*arguments)
        self.now_us = end_us

    def run_for(self, duration_us: int) -> None:
        self.run_until(self.now_us + duration_us)

    def run_while(self, condition: Callable[[], bool], limit_us: int, step_us: int = MS) -> bool:
        """Run while a condition holds, for at most `limit_us`. Returns whether it ended."""
        end_us = self.now_us + limit_us
        while condition():
            if self.now_us >= end_us:
                return False
            self.run_for(step_us)
        return True

    def note(self, line: str) -> None:
        """Write a line of the trace, which becomes part of the hash."""
        line = f"{self.now_us / SECOND:10.6f} {line}"
        self._hash.update(line.encode())
        self.lines.append(line)
        if self._tell is not None:
            self._tell(line)

    def digest(self) -> str:
        """A hash of the trace so far."""
        return self._hash.hexdigest()


def describe(message: object) -> str:
    """A message as short text: its class, and its fields that are set."""
    fields = []
    for kind in type(message).__mro__:
        for name in vars(kind).get("__slots__", ()):
            value = getattr(message, name)
            if name == "records" and value:
                value = f"{value[0]}+{len(value[1])}"
            if value is not None and not isinstance(value, bytes) and name != "log_start_offset":
                fields.append(f"{name}={value}")
    return f"{type(message).__name__}({' '.join(fields)})"
