"""What a log tells whoever keeps the data directory, before it does what the directory's own files must know of."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kafkacompat.storage.log import Log
    from kafkacompat.storage.waiting_logs import WaitingLogs


class LogOwner:
    """The base class wants to know nothing. All of these may raise OSError, and then the log does not go on."""

    __slots__ = ()

    defers_cuts = False
    """Whether cuts are made durable later, by whoever syncs: ``has_cut`` is called then, and not ``cutting``."""

    may_use_reserve = False
    """Whether appends go on with the room of the reserve when the disk is full: what they write is more than data."""

    sync_class: str | None = None
    """The class of background work in which its logs are synced; None: whoever asks for a sync says so."""

    waiting: "WaitingLogs | None" = None
    """Where a log notes that somebody has to look at it some day."""

    def losing(self, log: "Log") -> None:
        """Recovery is about to remove more than one batch that was being written, or has found records missing:
        acknowledged ones may be gone.
        """

    @property
    def has_lost_power(self) -> bool:
        """Whether the machine may have gone down since the log was written: then records that were not durable are gone
        while later ones are there.
        """
        return True

    def keeping_gap(self, log: "Log") -> None:
        """Records are missing in a log, and nothing says that they were ever there. All of it is durable now."""

    def cutting(self, log: "Log", offset: int) -> None:
        """The log is about to be cut at ``offset``, or its state behind it to be rebuilt: what is written there from
        now on is not durable.
        """

    def has_cut(self, logs: "Iterable[Log]") -> "Callable[[], None] | None":  # noqa: ARG002
        """Logs were cut, and are about to be synced: what is written behind their ends from then on is neither durable
        nor committed. What is returned is called before that, on the thread that syncs them; it may raise OSError.
        """
        return None

    def synced(self, end_offset: int) -> None:
        """Everything below has become durable. Called in the thread that syncs, never while ``cutting`` is: no state of
        the log may be touched.
        """

    def acknowledging_early(self, log: "Log") -> None:
        """The log is about to acknowledge what is not synced (``flush.messages`` is not 1)."""


NOBODY = LogOwner()
