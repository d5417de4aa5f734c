"""Logs of which something is due some day, so that nobody looks at all others for it."""

from kafkacompat.now import NEVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kafkacompat.now import Now
    from kafkacompat.steps import Steps
    from kafkacompat.storage.owner import OwnedLog

LOGS_A_UNIT = 20
"""So many logs without producers are passed over in a unit of work."""


class WaitingLogs:
    """Those that `flush.ms` asks to be flushed, those that have files to be removed, and those of which the checkpoints
    do not know where they begin and how far they are flushed. One too many does no harm.
    """

    __slots__ = ("_moved", "_to_flush", "_with_files")

    def __init__(self) -> None:
        self._moved: dict[OwnedLog, None] = {}
        self._to_flush: set[OwnedLog] = set()
        self._with_files: set[OwnedLog] = set()

    def add_to_flush(self, log: "OwnedLog") -> None:
        """It has records that are to be flushed some day."""
        self._to_flush.add(log)

    def add_with_files(self, log: "OwnedLog") -> None:
        """It has files for ``take_deleted``."""
        self._with_files.add(log)

    def add_moved(self, log: "OwnedLog") -> None:
        """Its log start or its flushed offset is another. Said once, until it is taken."""
        self._moved[log] = None

    def take_moved(self) -> "Iterator[OwnedLog]":
        """Those that have moved by now, one by one; others may take some meanwhile, or add more."""
        for _ in range(len(self._moved)):
            if not self._moved:
                return
            log, _none = self._moved.popitem()
            log.take_moved()
            yield log

    def request_due_flushes(self, now: "Now") -> int:
        """Queue those whose ``flush.ms`` has passed; answer when the next one is due (monotonic ms)."""
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

    def take_deleted(self, now: "Now") -> list[str]:
        """The files that are to be removed now. Those of a closed log are left to whoever removes or opens it."""
        due: list[str] = []
        for log in list(self._with_files):
            if not log.is_closed:
                due += log.take_deleted(now)
            if log.is_closed or not log.segments.has_deleted:
                self._with_files.discard(log)
        return due


def expire_producers(logs: "Iterable[OwnedLog]", expiration_ms: int, now: "Now") -> "Steps[None]":
    """Forget producers that have been silent for ``producer.id.expiration.ms``, in steps."""
    for count, log in enumerate(logs):
        if log.producers.entries:
            yield from log.producers.expire(now.wall_ms, expiration_ms)
        if count % LOGS_A_UNIT == 0:
            yield 1
