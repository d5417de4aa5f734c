"""How long the turns of a node's event loop take: while one lasts, every client of the node waits."""

import logging
from collections import deque

WINDOW_MS = 10_000
RECENT_WINDOWS = 6
SLOW_TURN_MS = 1_000
"""A turn as long as this is worth a line in the log."""

log = logging.getLogger(__name__)


class LoopLag:
    """The shell reports each turn that took a millisecond or more; shorter ones count nothing.

    A turn is what the loop does for one event: the requests of one connection that have come together, the timers that
    are due, an answer of another node, the end of a sync. Wall time in ms, garbage collection included.

    longest_ms, longest_what: since the start. counts: turns by the bit length of their ms: counts[1] took 1 ms,
    counts[2] 2-3 ms, counts[3] 4-7 ms, …; the last one also has all that were longer.
    """

    __slots__ = ("_windows", "counts", "longest_ms", "longest_what")

    def __init__(self) -> None:
        self.longest_ms = 0
        self.longest_what = ""
        self.counts = [0] * 16
        self._windows: deque[tuple[int, int]] = deque(maxlen=RECENT_WINDOWS)  # number of the window, its longest turn

    def took(self, duration_ms: int, now_ms: int, what: object) -> None:
        """A turn has ended at `now_ms` (monotonic). `what` ran: a frame of a request, or something to be printed."""
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

    def recent_ms(self, now_ms: int) -> int:
        """The longest turn of the last minute, to the nearest 10 s; 0 where all were shorter than 1 ms."""
        oldest = now_ms // WINDOW_MS - RECENT_WINDOWS
        return max((longest for window, longest in self._windows if window > oldest), default=0)


def described(what: object) -> str:
    """What ran, for people: the API of a request, or the thing itself in at most 100 characters."""
    if isinstance(what, bytes | bytearray):
        from kafkacompat.broker.registry import APIS

        key = int.from_bytes(what[:2], "big", signed=True)
        return APIS[key].stem if key in APIS else f"API key {key}"
    return f"{what!s:.100}"
