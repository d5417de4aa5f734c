"""The only place where time is read."""

from __future__ import annotations

import time

from kafkacompat.now import Now


class SystemClock:
    """The system's clocks. The wall and the life clock can be moved forward and frozen; the monotonic clock is real.

    All nodes of a cluster in this process share one clock. Tests of cores pass an object with a method `now`.
    """

    __slots__ = ("_frozen", "_is_real", "_life_offset_ms", "_wall_offset_ms")

    def __init__(self) -> None:
        self._wall_offset_ms = 0
        self._life_offset_ms = 0
        self._frozen: Now | None = None
        self._is_real = True  # nothing has moved it: `now` is called twice for each request

    def now(self) -> Now:
        """The current time of all clocks in whole milliseconds."""
        if self._is_real:
            return Now(time.monotonic_ns() // 1_000_000, time.time_ns() // 1_000_000)
        monotonic_ms = time.monotonic_ns() // 1_000_000
        if self._frozen is not None:
            return Now(monotonic_ms, self._frozen.wall_ms, self._frozen.life_ms)
        wall_ms = time.time_ns() // 1_000_000 + self._wall_offset_ms
        return Now(monotonic_ms, wall_ms, monotonic_ms + self._life_offset_ms)

    def counter_us(self) -> int:
        """Microseconds that only count, for durations; nothing moves them."""
        return time.monotonic_ns() // 1_000

    @property
    def offset_ms(self) -> int:
        """How far the wall clock is from the system's; negative after it was frozen."""
        return self.now().wall_ms - time.time_ns() // 1_000_000

    @property
    def is_frozen(self) -> bool:
        """Whether the wall and the life clock stand still."""
        return self._frozen is not None

    def move(self, wall_ms: int, life_ms: int) -> None:
        """Move the wall and the life clock by these amounts."""
        self._is_real = self._is_real and not (wall_ms or life_ms)
        self._wall_offset_ms += wall_ms
        self._life_offset_ms += life_ms
        if self._frozen is not None:
            frozen = self._frozen
            self._frozen = Now(frozen.monotonic_ms, frozen.wall_ms + wall_ms, frozen.life_ms + life_ms)

    def freeze(self) -> None:
        """Stop the wall and the life clock."""
        if self._frozen is None:
            self._frozen = self.now()
            self._is_real = False

    def resume(self) -> None:
        """Let the wall and the life clock go on from where they stand."""
        frozen, self._frozen = self._frozen, None
        if frozen is not None:
            now = self.now()
            self.move(frozen.wall_ms - now.wall_ms, frozen.life_ms - now.life_ms)

    def reset(self) -> None:
        """Show the system's time again."""
        self._wall_offset_ms = self._life_offset_ms = 0
        self._frozen = None
        self._is_real = True


def thread_cpu_s() -> float:
    """The CPU time that the current thread has used."""
    return time.thread_time()


class Throttle:
    """Sleeps so that not more than `bytes_per_second` are read and written."""

    def __init__(self, bytes_per_second: float) -> None:
        self._rate = bytes_per_second
        self._due_s = time.monotonic()

    def __call__(self, size_bytes: int) -> None:
        now_s = time.monotonic()
        self._due_s = max(self._due_s, now_s - 1) + size_bytes / self._rate
        if self._due_s > now_s:
            time.sleep(self._due_s - now_s)
