"""The timers of one broker: a heap of deadlines; the shell calls `run` when the first one is due.

Most timers are on the monotonic clock (`Timers`). Those of clients that tests may bring forward are on the life clock
(`LifeTimers`).
"""

import heapq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from kafkacompat.now import Now

STALE_ENTRIES_MIN = 64  # with fewer replaced entries, rebuilding the heap costs more than it saves


def _never(_now: "Now") -> bool:
    return False


class Timers:
    """One deadline for each key. Setting a key again replaces its deadline. Callers pass in the time."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Hashable]] = []
        self._live: dict[Hashable, tuple[int, Callable[[Now], None]]] = {}
        self._sequence = 0
        self.has_new = False  # since `take_new`: any timer was set
        self.last_key: object = None  # the key of the action that `run` called last

    def set(self, key: "Hashable", deadline_ms: int, action: "Callable[[Now], None]") -> None:
        """Call `action(now)` once `now.monotonic_ms >= deadline_ms`, unless the key is set again or cancelled first."""
        self._sequence += 1
        self._live[key] = (self._sequence, action)
        heapq.heappush(self._heap, (deadline_ms, self._sequence, key))
        self.has_new = True

    def cancel(self, key: "Hashable") -> None:
        """Cancel the key's timer, if it is set."""
        if self._live.pop(key, None) is not None and len(self._heap) > 2 * len(self._live) + STALE_ENTRIES_MIN:
            self._heap = [entry for entry in self._heap if self._is_live(entry)]
            heapq.heapify(self._heap)

    def is_set(self, key: "Hashable") -> bool:
        """Whether the key's timer is set."""
        return key in self._live

    def next_deadline_ms(self) -> int | None:
        """The earliest deadline (ms of the timers' clock), or None when nothing is set."""
        while self._heap and not self._is_live(self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def run(self, now: "Now", is_long: "Callable[[Now], bool]" = _never) -> None:
        """Run all due actions by deadline, then in the order they were set. Timers that an action sets wait for the
        next run, even if they are due, and so do others when the turn of the event loop ``is_long``.
        """
        self._run_until(now.monotonic_ms, now, is_long)

    def run_early(self, key: "Hashable", now: "Now") -> None:
        """Run the action of this key at once, if it is set."""
        live = self._live.pop(key, None)
        if live is not None:
            live[1](now)

    def _run_until(self, time_ms: int, now: "Now", is_long: "Callable[[Now], bool]") -> None:
        due = []
        while self._heap and self._heap[0][0] <= time_ms:
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
                    if due and is_long(now):
                        break
        finally:
            for entry in due:  # an action raised, or the turn is long: the others stay due
                heapq.heappush(self._heap, entry)

    def __len__(self) -> int:
        return len(self._live)

    def __contains__(self, key: "Hashable") -> bool:
        return key in self._live

    def _is_live(self, entry: "tuple[int, int, Hashable]") -> bool:
        live = self._live.get(entry[2])
        return live is not None and live[0] == entry[1]


class LifeTimers(Timers):
    """Timers on the life clock: group sessions, joins, syncs. Periodic ones check the age of something; when a test
    moves the clock they run once, at the end.
    """

    def __init__(self) -> None:
        super().__init__()
        self._periodic: set[Hashable] = set()
        self._set_aside: list[tuple[int, int, Hashable]] = []

    def set_periodic(self, key: "Hashable", deadline_ms: int, action: "Callable[[Now], None]") -> None:
        """Like `set`, for an action that sets its timer again."""
        self._periodic.add(key)
        self.set(key, deadline_ms, action)

    def cancel(self, key: "Hashable") -> None:
        """Cancel the key's timer, if it is set."""
        self._periodic.discard(key)
        super().cancel(key)

    def run(self, now: "Now", is_long: "Callable[[Now], bool]" = _never) -> None:
        """Run all due actions; see `Timers.run`."""
        self._run_until(now.life_ms, now, is_long)

    def next_single_ms(self) -> int | None:
        """The earliest deadline of the timers that are not periodic; `run_single` runs that timer. Periodic ones before
        it are set aside until `restore_periodic`.
        """
        while (deadline_ms := self.next_deadline_ms()) is not None and self._heap[0][2] in self._periodic:
            self._set_aside.append(heapq.heappop(self._heap))
        return deadline_ms

    def run_single(self, now: "Now") -> "Hashable":
        """Run the timer that `next_single_ms` found. Returns its key."""
        key = self._heap[0][2]
        self.run_early(key, now)
        return key

    def restore_periodic(self) -> None:
        """Take back what `next_single_ms` has set aside."""
        for entry in self._set_aside:
            heapq.heappush(self._heap, entry)
        self._set_aside.clear()

    def run_periodic(self, now: "Now") -> None:
        """Run every periodic action once, due or not."""
        for key in [key for key in self._periodic if key in self._live]:
            self.run_early(key, now)


class NodeTimers(Timers):
    """All timers of a node: its own on the monotonic clock, and in `life` those on the life clock.

    life_offset_ms: what the life clock is ahead of the monotonic one, for `next_deadline_ms`; see `take_new`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.life = LifeTimers()
        self.life_offset_ms = 0

    def next_deadline_ms(self) -> int | None:
        """The earliest deadline of all timers (monotonic ms), or None when nothing is set."""
        own_ms, life_ms = super().next_deadline_ms(), self.life.next_deadline_ms()
        if life_ms is None:
            return own_ms
        life_ms -= self.life_offset_ms
        return life_ms if own_ms is None or life_ms < own_ms else own_ms

    def take_new(self, life_offset_ms: int) -> int | None:
        """The earliest deadline of all timers, now that some are new or the life clock has moved to this offset."""
        self.has_new = self.life.has_new = False
        self.life_offset_ms = life_offset_ms
        return self.next_deadline_ms()

    def run(self, now: "Now", is_long: "Callable[[Now], bool]" = _never) -> None:
        """Run all due actions; see `Timers.run`. Each clock has its turn, if only for one action."""
        try:
            super().run(now, is_long)
        finally:
            self.life.run(now, is_long)

    def look_for_old(self, now: "Now", keys: "Sequence[Hashable]") -> None:
        """Run these periodic actions, and all that are periodic on the life clock, at once."""
        for key in keys:
            self.run_early(key, now)
        self.life.run_periodic(now)

    def __len__(self) -> int:
        return super().__len__() + len(self.life)
