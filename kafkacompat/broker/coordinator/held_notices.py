"""Notices to a coordinator's service that wait until the records before them are committed."""

from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.now import Now


RELEASED_AT_ONCE = 50
"""Notices delivered in one turn of the event loop: one may cost as much as the markers of a transaction, 0.1 ms."""


class HeldNotices:
    """The notices of one shard, in the order in which they were made. `deliver(notice, now)` gets each one once."""

    __slots__ = ("_deliver", "_held")

    def __init__(self, deliver: "Callable[[object, Now], None]") -> None:
        self._deliver = deliver
        self._held: deque[tuple[int, object]] = deque()

    def hold(self, notice: object, end_offset: int) -> None:
        """Keep it until the high watermark reaches `end_offset`, which never falls from one notice to the next."""
        self._held.append((end_offset, notice))

    def release(self, high_watermark: int, now: "Now") -> bool:
        """Deliver notices whose records are committed. Returns whether others are left for the next turn.

        Delivering one may hold others.
        """
        for _ in range(RELEASED_AT_ONCE):
            if not self._has_committed(high_watermark):
                return False
            self._deliver(self._held.popleft()[1], now)
        return self._has_committed(high_watermark)

    def _has_committed(self, high_watermark: int) -> bool:
        return bool(self._held) and self._held[0][0] <= high_watermark

    def clear(self) -> None:
        """Drop all: the shard is unloaded."""
        self._held.clear()

    def __len__(self) -> int:
        return len(self._held)
