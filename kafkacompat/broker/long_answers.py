"""Responses that take several turns of the event loop to build. Each turn works on one of them, round robin."""

from collections import deque

from kafkacompat.steps import Stepped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now

    Begin = Callable[[Now], None]
    Done = Callable[[Any, Now], None]
    Failed = Callable[[Exception, Now], None]


class LongAnswers:
    """The queue of one broker. A connection has at most one entry, because its next request waits."""

    def __init__(self, timers: "Timers") -> None:
        self._timers = timers
        self._waiting: deque[tuple[Stepped, Begin, Done, Failed]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(
        self, work: Stepped, done: "Done", failed: "Failed", now: "Now", begin: "Begin" = lambda _now: None
    ) -> None:
        """Continue `work` in later turns, each of which begins with `begin(now)`. `done(result, now)` or
        `failed(error, now)` is called at its end.
        """
        self._waiting.append((work, begin, done, failed))
        if len(self._waiting) == 1:
            self._timers.set("long answers", now.monotonic_ms, self._run)

    def drop(self, work: Stepped) -> None:
        """Abandon the work: its client has disconnected."""
        work.close()
        self._waiting = deque(each for each in self._waiting if each[0] is not work)

    def _run(self, now: "Now") -> None:
        if not self._waiting:
            return
        work, begin, done, failed = head = self._waiting.popleft()
        if self._waiting:
            self._timers.set("long answers", now.monotonic_ms, self._run)
        begin(now)
        try:
            is_done = work.resume()
        except Exception as error:  # noqa: BLE001 (whatever it is, it is one request's)
            failed(error, now)
            return
        if is_done:
            done(work.result, now)
            return
        self._waiting.append(head)
        self._timers.set("long answers", now.monotonic_ms, self._run)
