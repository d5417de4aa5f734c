"""Measures how long each turn of the event loop takes: all clients of the node wait while one lasts."""

import logging
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.now import Now

WINDOW_MS = 10_000
RECENT_WINDOWS = 6
SLOW_TURN_MS = 1_000
"""A turn that takes this long is logged."""
LONG_TURN_MS = 10
"""Work in steps that may wait for a disk goes on in another turn after this time."""

log = logging.getLogger(__name__)


class LoopLag:
    """The shell reports each turn of 1 ms or more; shorter ones are not counted.

    A turn is the work for one event: the requests that a connection delivered together, the timers that are due, an
    answer of another node, a finished sync. Wall time in ms, including garbage collection.

    longest_ms, longest_what: the longest turn since the start. counts: turns by the bit length of their ms: counts[1]
    took 1 ms, counts[2] 2-3 ms, counts[3] 4-7 ms, …; the last entry includes all longer ones.

    clock_ms: the monotonic clock, which the shell gives, and takes away when the node stops; without one no turn is
    long, so that simulations stay deterministic.
    """

    __slots__ = ("_windows", "clock_ms", "counts", "longest_ms", "longest_what")

    def __init__(self) -> None:
        self.clock_ms: Callable[[], int] | None = None
        self.longest_ms = 0
        self.longest_what = ""
        self.counts = [0] * 16
        self._windows: deque[tuple[int, int]] = deque(maxlen=RECENT_WINDOWS)  # number of the window, its longest turn

    def took(self, duration_ms: int, now_ms: int, what: object) -> None:
        """Record a turn that ended at `now_ms` (monotonic). `what`: the frame of a request, or anything printable."""
        self.counts[min(duration_ms.bit_length(), len(self.counts) - 1)] += 1
        window = now_ms // WINDOW_MS
        if not self._windows or self._windows[-1][0] != window:
            self._windows.append((window, duration_ms))
        elif duration_ms > self._windows[-1][1]:
            self._windows[-1] = window, duration_ms
        if duration_ms > self.longest_ms:
            self.longest_ms, self.longest_what = duration_ms, described(what)
        if duration_ms >= SLOW_TURN_MS:
            log.warning("the event loop was held for %d ms by %s", duration_ms, described(what))

    def is_long(self, now: "Now") -> bool:
        """Whether the turn that began at `now` has taken LONG_TURN_MS by now."""
        return self.clock_ms is not None and self.clock_ms() - now.monotonic_ms >= LONG_TURN_MS

    def recent_ms(self, now_ms: int) -> int:
        """The longest turn of the last 50-60 s; 0 if all were shorter than 1 ms."""
        oldest = now_ms // WINDOW_MS - RECENT_WINDOWS
        return max((longest for window, longest in self._windows if window > oldest), default=0)


def described(what: object) -> str:
    """A readable name: the API of a request frame, else `what` as text of at most 100 characters."""
    if isinstance(what, bytes | bytearray):
        from kafkacompat.broker.registry import APIS

        key = int.from_bytes(what[:2], "big", signed=True)
        return APIS[key].stem if key in APIS else f"API key {key}"
    return f"{what!s:.100}"
