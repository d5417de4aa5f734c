"""The only place where time is read."""

from __future__ import annotations

import time

from kafkacompat.now import Now


class SystemClock:
    """The system's clocks. Tests pass an object with the same method."""

    __slots__ = ()

    def now(self) -> Now:
        """The current time of both clocks in whole milliseconds."""
        return Now(time.monotonic_ns() // 1_000_000, time.time_ns() // 1_000_000)
