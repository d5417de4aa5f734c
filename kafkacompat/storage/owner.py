"""What a log tells its owner, which keeps the data directory: before it truncates, loses data, or acknowledges records
that are not synced.
"""

from typing import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kafkacompat.now import Now
    from kafkacompat.storage.producer_state import ProducerState
    from kafkacompat.storage.segments import Segments


class OwnedLog(Protocol):
    """What an owner may ask of its log (``Log``)."""

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
        """Whether records lie before the log start, as a checkpoint has to say."""

    @property
    def next_flush_ms(self) -> int:
        """When ``flush.ms`` asks for a flush, by the monotonic clock."""

    def take_deleted(self, now: "Now") -> list[str]:
        """The files to be removed now."""

    def take_moved(self) -> None:
        """The owner looks at where it begins and how far it is flushed: it is to be told of the next change."""

    def request_sync(self) -> None:
        """Have all that is written so far synced, with nobody waiting for it."""


class LogOwner:
    """The base class wants to know nothing. All of these may raise OSError, and then the log does not go on."""

    __slots__ = ()

    defers_truncations = False
    """Whether truncations are made durable later, by the flusher: it calls ``after_truncate`` then, and nobody calls
    ``before_truncate``.
    """

    may_use_reserve = False
    """Whether appends go on with the room of the reserve when the disk is full: what they write is more than data."""

    sync_class: str | None = None
    """The class of background work in which its logs are synced; None: whoever asks for a sync says so."""

    def moved(self, log: OwnedLog) -> None:
        """The log start or the flushed offset is another. Said once, until ``log.take_moved``."""

    def has_unflushed(self, log: OwnedLog) -> None:
        """The log may have records that ``flush.ms`` asks to be flushed some day."""

    def has_files_to_remove(self, log: OwnedLog) -> None:
        """The log has files for ``take_deleted``."""

    def before_data_loss(self) -> None:
        """Recovery is about to remove more than one batch that was being written, or has found records missing:
        acknowledged ones may be gone.
        """

    @property
    def has_lost_power(self) -> bool:
        """Whether the machine may have gone down since the log was written: then records that were not durable are gone
        while later ones are there.
        """
        return True

    def after_keeping_gap(self) -> None:
        """Records are missing in a log, and nothing says that they were ever there. All of it is durable now."""

    def before_truncate(self, offset: int) -> None:
        """The log is about to be truncated to ``offset``, or its state behind it to be rebuilt: what is written there
        from now on is not durable.
        """

    def after_truncate(self, logs: "Iterable[OwnedLog]") -> "Callable[[], None] | None":  # noqa: ARG002
        """Logs were truncated, and are about to be synced: what is written behind their ends from then on is neither
        durable nor committed. What is returned is called before that, on the thread that syncs them; it may raise
        OSError.
        """
        return None

    def synced(self, end_offset: int) -> None:
        """Everything below has become durable. Called in the thread that syncs, never while ``before_truncate`` is:
        no state of the log may be touched.
        """

    def before_early_acknowledgement(self) -> None:
        """The log is about to acknowledge what is not synced (``flush.messages`` is not 1)."""


NOBODY = LogOwner()
