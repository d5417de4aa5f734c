"""Requests that take several turns of the event loop. Each turn works on one of them, round robin."""

import logging
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

_log = logging.getLogger(__name__)
LEFT_BYTES_MAX = 64 * 1024 * 1024
"""Bytes of requests that write, and whose clients have gone: work on more is abandoned."""


class _Entry:
    __slots__ = ("begin", "done", "failed", "is_left", "work", "written_bytes")

    def __init__(self, work: Stepped, begin: "Begin", done: "Done", failed: "Failed", written_bytes: int) -> None:
        self.work = work
        self.begin = begin
        self.done = done
        self.failed = failed
        self.written_bytes = written_bytes
        self.is_left = False


class LongAnswers:
    """The queue of one broker. A connection has at most one entry, because its next request waits; those of connections
    that have closed are few (LEFT_BYTES_MAX).
    """

    def __init__(self, timers: "Timers") -> None:
        self._timers = timers
        self._waiting: deque[_Entry] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_writing(self) -> bool:
        """Whether a request that writes is not done."""
        return any(entry.written_bytes for entry in self._waiting)

    def add(
        self,
        work: Stepped,
        done: "Done",
        failed: "Failed",
        now: "Now",
        begin: "Begin" = lambda _now: None,
        written_bytes: int = 0,
    ) -> None:
        """Continue `work` in later turns, each of which begins with `begin(now)`. `done(result, now)` or
        `failed(error, now)` is called at its end. `written_bytes`: the size of a request that writes.
        """
        self._waiting.append(_Entry(work, begin, done, failed, written_bytes))
        if len(self._waiting) == 1:
            self._timers.set("long answers", now.monotonic_ms, self.run)

    def leave(self, work: Stepped) -> None:
        """The client of the work has disconnected. What reads is abandoned. What writes goes on, as in Apache Kafka,
        whose threads end what they have begun; beyond LEFT_BYTES_MAX it is abandoned, too, or clients that send and
        leave could fill the memory.
        """
        entry = next((each for each in self._waiting if each.work is work), None)
        if entry is None:  # its last step has closed the connection
            return
        entry.is_left = True
        left_bytes = sum(each.written_bytes for each in self._waiting if each.is_left)
        if entry.written_bytes and left_bytes <= LEFT_BYTES_MAX:
            return
        if entry.written_bytes:
            _log.warning("a request of %d bytes is not written to its end: its client has gone", entry.written_bytes)
        work.close()
        self._waiting.remove(entry)

    def run(self, now: "Now") -> None:
        """One turn of the work that comes next."""
        if not self._waiting:
            return
        entry = self._waiting.popleft()
        if self._waiting:
            self._timers.set("long answers", now.monotonic_ms, self.run)
        entry.begin(now)
        try:
            is_done = entry.work.resume()
        except Exception as error:  # noqa: BLE001 (whatever it is, it is one request's)
            entry.failed(error, now)
            return
        if is_done:
            entry.done(entry.work.result, now)
            return
        self._waiting.append(entry)
        self._timers.set("long answers", now.monotonic_ms, self.run)
