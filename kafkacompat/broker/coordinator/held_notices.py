"""Notices to a coordinator's service that wait until the records before them are committed."""

from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.now import Now


class HeldNotices:
    """The notices of one shard, in the order in which they were made. `deliver(notice, now)` gets each one once."""

    __slots__ = ("_deliver", "_held")

    def __init__(self, deliver: "Callable[[object, Now], None]") -> None:
        self._deliver = deliver
        self._held: deque[tuple[int, object]] = deque()

    def hold(self, notice: object, end_offset: int) -> None:
        """Keep it until the high watermark reaches `end_offset`, which never falls from one notice to the next."""
        self._held.append((end_offset, notice))

    def release(self, high_watermark: int, now: "Now") -> None:
        """Deliver the notices whose records are committed. Delivering one may hold or release others."""
        held = self._held
        while held and held[0][0] <= high_watermark:
            self._deliver(held.popleft()[1], now)

    def clear(self) -> None:
        """Drop all: the shard is unloaded."""
        self._held.clear()

    def __len__(self) -> int:
        return len(self._held)
