"""The only place where time is read."""

from __future__ import annotations

import time

from kafkacompat.now import Now


class SystemClock:
    """The machine's clocks. Tests pass an object with the same method and a time of their own."""

    __slots__ = ()

    def now(self) -> Now:
        """This moment, both clocks in whole milliseconds."""
        return Now(time.monotonic_ns() // 1_000_000, time.time_ns() // 1_000_000)
