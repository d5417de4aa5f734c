"""What becomes of an append that lacks room or descriptors, and the log line that says so."""

import logging
from errno import EIO
from typing import Protocol

from kafkacompat.storage.errors import DiskFullError, LogError, ShortageError
from kafkacompat.storage.reserve import is_out_of_space, is_shortage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.leader_epochs import LeaderEpochs

_log = logging.getLogger(__name__)

REPORT_INTERVAL_MS = 60_000
"""The interval of the log line about a want of room or descriptors: each append meets it, thousands a second."""


class ShortageReport:
    """Logs a want of room or descriptors, once per REPORT_INTERVAL_MS."""

    __slots__ = ("_next_ms",)

    def __init__(self) -> None:
        self._next_ms = 0

    def write(self, line: str, error: Exception, now: "Now") -> None:
        """``line`` says what does not happen meanwhile."""
        if now.monotonic_ms >= self._next_ms:
            self._next_ms = now.monotonic_ms + REPORT_INTERVAL_MS
            _log.error("%s: %s", line, error)


class AppendingLog(Protocol):
    """The part of ``Log`` that is used here."""

    path: str
    failure: OSError | None
    fs: "Fs"
    epochs: "LeaderEpochs"

    @property
    def shortage(self) -> ShortageReport:
        """Where it says that it lacks descriptors."""

    def fail(self, error: OSError) -> LogError:
        """Take the log offline. Returns what to raise."""


def has_made_room(fs: "Fs", error: OSError) -> bool:
    """Whether the reserve was freed for a write that the disk was too full for: it may be tried once more."""
    return is_out_of_space(error) and fs.make_room(error)


def refusal(log: AppendingLog, error: OSError, epochs: "list[tuple[int, int]] | None", now: "Now") -> LogError:
    """The error for an append that wrote nothing. If room or descriptors are short the log stays online.

    ``epochs``: those before the append, if it has begun one; without batches it would contradict the leader's log.
    """
    if log.failure is not None or not is_shortage(error):
        return log.fail(error)
    if is_out_of_space(error):
        log.fs.make_room(error)
    if epochs is not None:
        try:
            log.epochs.take_back(epochs)
        except OSError as worse:
            return log.fail(worse)
    message = f"{log.path}: {error.strerror or error}"
    if is_out_of_space(error):
        return DiskFullError(message)
    refused = ShortageError(message)
    log.shortage.write("appends are refused that lack descriptors", refused, now)
    return refused


def behind_records(error: OSError) -> OSError:
    """The failure of a log that lacked something after records were written to its file: they are not in the log, and
    nothing may be written behind them.
    """
    return OSError(EIO, f"{error.strerror or error}, behind records that were written")
