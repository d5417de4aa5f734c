"""Answers that take more than one turn of the event loop: a turn for each of them, one after the other."""

from collections import deque

from kafkacompat.steps import Stepped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now

    Done = Callable[[Any, Now], None]
    Failed = Callable[[Exception, Now], None]


class LongAnswers:
    """One for each broker. At most one for each connection, whose next request waits."""

    def __init__(self, timers: "Timers") -> None:
        self._timers = timers
        self._waiting: deque[tuple[Stepped, Done, Failed]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, work: Stepped, done: "Done", failed: "Failed", now: "Now") -> None:
        """Go on with what has begun: `done(result, now)` or `failed(error, now)` is called in a later turn."""
        self._waiting.append((work, done, failed))
        if len(self._waiting) == 1:
            self._timers.set("long answers", now.monotonic_ms, self._go_on)

    def drop(self, work: Stepped) -> None:
        """Nobody waits for it any more."""
        work.close()
        self._waiting = deque(each for each in self._waiting if each[0] is not work)

    def _go_on(self, now: "Now") -> None:
        if not self._waiting:
            return
        work, done, failed = head = self._waiting.popleft()
        if self._waiting:
            self._timers.set("long answers", now.monotonic_ms, self._go_on)
        try:
            is_done = work.go_on()
        except Exception as error:  # noqa: BLE001 (whatever it is, it is one request's)
            failed(error, now)
            return
        if is_done:
            done(work.result, now)
            return
        self._waiting.append(head)
        self._timers.set("long answers", now.monotonic_ms, self._go_on)
