"""The timers of one broker: a heap of deadlines; the shell calls `run` when the first one is due."""

import heapq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from kafkacompat.now import Now

STALE_ENTRIES_MIN = 64  # with fewer replaced entries, rebuilding the heap costs more than it saves


class Timers:
    """One deadline for each key. Setting a key again replaces its deadline. Callers pass in the time."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Hashable]] = []
        self._live: dict[Hashable, tuple[int, Callable[[Now], None]]] = {}
        self._sequence = 0
        self.last_key: object = None  # the key of the action that `run` called last

    def set(self, key: "Hashable", deadline_ms: int, action: "Callable[[Now], None]") -> None:
        """Call `action(now)` once `now.monotonic_ms >= deadline_ms`, unless the key is set again or cancelled first."""
        self._sequence += 1
        self._live[key] = (self._sequence, action)
        heapq.heappush(self._heap, (deadline_ms, self._sequence, key))

    def cancel(self, key: "Hashable") -> None:
        """Cancel the key's timer, if it is set."""
        if self._live.pop(key, None) is not None and len(self._heap) > 2 * len(self._live) + STALE_ENTRIES_MIN:
            self._heap = [entry for entry in self._heap if self._is_live(entry)]
            heapq.heapify(self._heap)

    def next_deadline_ms(self) -> int | None:
        """The earliest deadline (monotonic ms), or None when nothing is set."""
        while self._heap and not self._is_live(self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def run(self, now: "Now") -> None:
        """Run all due actions by deadline, then in the order they were set. Timers that an action sets wait for the
        next run, even if they are due.
        """
        due = []
        while self._heap and self._heap[0][0] <= now.monotonic_ms:
            entry = heapq.heappop(self._heap)
            if self._is_live(entry):
                due.append(entry)
        due.reverse()
        try:
            while due:
                entry = due.pop()
                if self._is_live(entry):  # an earlier action may have cancelled it
                    _, action = self._live.pop(entry[2])
                    self.last_key = entry[2]
                    action(now)
        finally:
            for entry in due:  # an action raised: the others stay due
                heapq.heappush(self._heap, entry)

    def __len__(self) -> int:
        return len(self._live)

    def _is_live(self, entry: "tuple[int, int, Hashable]") -> bool:
        live = self._live.get(entry[2])
        return live is not None and live[0] == entry[1]
