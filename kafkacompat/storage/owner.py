"""Callbacks of a log to its owner: the log directory, or the flush mark of the metadata log."""

from typing import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kafkacompat.now import Now
    from kafkacompat.storage.producer_state import ProducerState
    from kafkacompat.storage.segments import Segments


class OwnedLog(Protocol):
    """The part of ``Log`` that owners use."""

    path: str
    log_start_offset: int
    log_end_offset: int
    is_closed: bool
    producers: "ProducerState"
    segments: "Segments"

    @property
    def flushed_offset(self) -> int:
        """Records below are durable."""

    @property
    def starts_late(self) -> bool:
        """Whether records lie before the log start, so that a checkpoint has to say where it is."""

    @property
    def next_flush_ms(self) -> int:
        """When ``flush.ms`` asks for a flush, by the monotonic clock."""

    def pop_deleted(self, now: "Now") -> list[str]:
        """Files to remove now."""

    def pop_moved(self) -> None:
        """The owner has read log start and flushed offset: tell it of the next change again."""

    def request_sync(self) -> None:
        """Sync everything written so far in the background; no request waits for it."""


class LogOwner:
    """The base class ignores all callbacks. Each may raise OSError; then the operation of the log fails."""

    __slots__ = ()

    defers_truncations = False
    """Whether the flusher makes truncations durable later. Then it calls ``after_truncate``, and ``before_truncate`` is
    not called.
    """

    may_use_reserve = False
    """Whether appends may use the room of the reserve when the disk is full (the metadata log)."""

    sync_class: str | None = None
    """The class of background work in which its logs are synced; None: the caller of a sync chooses."""
    counts_on_syncs = False
    """Whether nothing counts as durable that ``synced`` was not told."""

    def moved(self, log: OwnedLog) -> None:
        """The log start or the flushed offset has changed. Called once until ``log.pop_moved``."""

    def has_unflushed(self, log: OwnedLog) -> None:
        """The log may have records that ``flush.ms`` will make due for a flush."""

    def has_files_to_remove(self, log: OwnedLog) -> None:
        """The log has files for ``pop_deleted``."""

    def before_data_loss(self) -> None:
        """Acknowledged records may be lost: recovery found records missing, or removes more than the one batch that was
        being written.
        """

    @property
    def has_lost_power(self) -> bool:
        """Whether the machine may have lost power since the log was written: then unsynced records may be gone while
        later ones are there.
        """
        return True

    def after_keeping_gap(self) -> None:
        """Recovery left a gap between records as it is. The whole log is durable now."""

    def before_truncate(self, offset: int) -> None:
        """The log is about to be truncated to ``offset``: records written from there on are not durable."""

    def after_truncate(self, logs: "Iterable[OwnedLog]") -> "Callable[[], None] | None":  # noqa: ARG002
        """Logs were truncated and are about to be synced: records written behind their ends are neither durable nor
        committed. The returned function is called before the sync, on the thread that syncs; it may raise OSError.
        """
        return None

    def synced(self, end_offset: int) -> None:
        """Everything below ``end_offset`` is durable. Called on the thread that syncs, never at the same time as
        ``before_truncate``; it must not touch the state of the log.
        """

    def before_early_acknowledgement(self) -> None:
        """The log will acknowledge records that are not synced (``flush.messages`` is not 1)."""


NOBODY = LogOwner()
