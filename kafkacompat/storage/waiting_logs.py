"""The logs that need a flush, a removal of files or a checkpoint. Periodic tasks visit these instead of all logs."""

from kafkacompat.now import NEVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kafkacompat.now import Now
    from kafkacompat.steps import Steps
    from kafkacompat.storage.owner import OwnedLog

LOGS_PER_UNIT = 20
"""Logs without producers that count as one unit of work."""


class WaitingLogs:
    """Logs with records that will be due by ``flush.ms``, logs with files to remove, and logs whose log start offset or
    flushed offset has changed since the last checkpoint. A log that needs nothing may be in it.
    """

    __slots__ = ("_moved", "_to_flush", "_with_files")

    def __init__(self) -> None:
        self._moved: dict[OwnedLog, None] = {}
        self._to_flush: set[OwnedLog] = set()
        self._with_files: set[OwnedLog] = set()

    def add_to_flush(self, log: "OwnedLog") -> None:
        """The log has records that may become due for a flush."""
        self._to_flush.add(log)

    def add_with_files(self, log: "OwnedLog") -> None:
        """The log has files to remove."""
        self._with_files.add(log)

    def add_moved(self, log: "OwnedLog") -> None:
        """The log start or the flushed offset has changed."""
        self._moved[log] = None

    def pop_moved(self) -> "Iterator[OwnedLog]":
        """Yield the logs added by ``add_moved`` and forget them. Logs may be added or popped between two yields."""
        for _ in range(len(self._moved)):
            if not self._moved:
                return
            log, _none = self._moved.popitem()
            log.pop_moved()
            yield log

    def request_due_flushes(self, now: "Now") -> int:
        """Request a sync of the logs whose ``flush.ms`` has passed. Returns when the next is due (monotonic ms)."""
        next_ms = NEVER
        for log in list(self._to_flush):
            flush_ms = log.next_flush_ms
            if log.is_closed or flush_ms == NEVER:
                self._to_flush.discard(log)
            elif flush_ms <= now.monotonic_ms:
                log.request_sync()
            else:
                next_ms = min(next_ms, flush_ms)
        return next_ms

    def pop_deleted(self, now: "Now") -> list[str]:
        """Paths of the files to remove now. Files of a closed log stay until it is deleted or opened."""
        due: list[str] = []
        for log in list(self._with_files):
            if not log.is_closed:
                due += log.pop_deleted(now)
            if log.is_closed or not log.segments.has_deleted:
                self._with_files.discard(log)
        return due


def expire_producers(logs: "Iterable[OwnedLog]", expiration_ms: int, now: "Now") -> "Steps[None]":
    """Remove producers that have written nothing for ``producer.id.expiration.ms``, in steps."""
    for count, log in enumerate(logs):
        if log.producers.entries:
            yield from log.producers.expire(now.wall_ms, expiration_ms)
        if count % LOGS_PER_UNIT == 0:
            yield 1
