"""What of a log is durable: how far it is flushed, what is being synced, and whether it was truncated since."""

from contextlib import nullcontext
from errno import EIO
from typing import Protocol

from kafkacompat.now import NEVER
from kafkacompat.storage.owner import LogOwner, OwnedLog
from kafkacompat.storage.reserve import is_out_of_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kafkacompat.storage.errors import LogError
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.leader_epochs import LeaderEpochs
    from kafkacompat.storage.segment import Segment
    from kafkacompat.storage.segments import Segments

UNGUARDED = nullcontext()


class Durability:
    """What of one log is durable, in its segments, the files beside them, and its epochs.

    Records below ``flushed_offset`` are durable; later ones wait since ``unflushed_since_ms`` (monotonic), ``NEVER``
    without any. ``truncations`` counts: what a sync on its way has seen is not so after the next one.
    ``has_unflushed_truncation``: nothing may be written before the last one is durable. ``syncing`` is the log's part
    in a job. It does not refer to its log: a cycle is never freed once the garbage collector has set it aside.
    """

    __slots__ = (
        "epochs", "flushed_offset", "has_unflushed_truncation", "segments", "syncing", "truncations",
        "unflushed_since_ms",
    )  # fmt: skip

    def __init__(self, segments: "Segments", epochs: "LeaderEpochs", flushed_offset: int) -> None:
        self.segments = segments
        self.epochs = epochs
        self.flushed_offset = flushed_offset
        self.unflushed_since_ms = NEVER
        self.truncations = 0
        self.has_unflushed_truncation = False
        self.syncing: Target | None = None

    @property
    def unsynced_bytes(self) -> int:
        """How much of the segments a sync may have to write to the disk, at most."""
        segments = self.segments.from_offset(self.flushed_offset)
        return sum(segment.size_bytes - segment.synced_bytes for segment in segments)

    def is_behind(self, end_offset: int) -> bool:
        """Whether a log that ends at ``end_offset`` has records that are not durable, or was cut since."""
        return self.flushed_offset < end_offset or self.has_unflushed_truncation

    def is_unsynced(self, end_offset: int) -> bool:
        """Whether a file of a log that ends at ``end_offset`` is not durable as it is."""
        return self.is_behind(end_offset) or bool(self.segments.unsynced) or not self.epochs.is_synced

    def next_flush_ms(self, flush_ms: int) -> int:
        """When ``flush.ms`` asks for a flush, by the monotonic clock; ``NEVER`` when nothing waits."""
        return NEVER if self.unflushed_since_ms == NEVER else min(NEVER, self.unflushed_since_ms + flush_ms)

    def flushed_to(self, offset: int, log_end_offset: int) -> None:
        """Everything before ``offset`` is durable."""
        self.flushed_offset = max(self.flushed_offset, offset)
        if self.flushed_offset >= log_end_offset:
            self.unflushed_since_ms = NEVER

    def truncated_to(self, offset: int, *, is_synced: bool) -> None:
        """The log ends at ``offset`` now."""
        self.flushed_offset = min(self.flushed_offset, offset)
        self.has_unflushed_truncation = self.has_unflushed_truncation or not is_synced

    def take_unsynced(self) -> list[str]:
        """The files beside the segments that are to be synced with them; whoever takes them does it."""
        paths, self.segments.unsynced = self.segments.unsynced, []
        if not self.epochs.is_synced:
            self.epochs.is_synced = True
            paths.append(self.epochs.path)
        if paths:
            self.segments.names_changed()
        return paths

    def begin_sync(self, log: "SyncedLog") -> "Target":
        """Take what is to be synced: until that is released it is what the log has on its way. Raises OSError."""
        self.syncing = Target(log)
        return self.syncing

    def end_sync(self, target: "Target") -> None:
        """A sync is over; another one may be on its way."""
        if self.syncing is target:
            self.syncing = None


class SyncedLog(OwnedLog, Protocol):
    """What whoever syncs a log knows of it (``Log``)."""

    durability: Durability
    failure: OSError | None
    fs: "Fs"
    owner: LogOwner

    def fail(self, error: OSError) -> "LogError":
        """Take the log offline because the disk failed."""

    def mark_flushed(self, end_offset: int) -> None:
        """Everything before ``end_offset`` is durable."""

    def seal(self) -> None:
        """Write what a next start would have to read batches for. Raises OSError."""


class Target:
    """One log's part in a job: its files that hold what is not durable yet, up to ``end_offset``."""

    __slots__ = ("dirs", "end_offset", "error", "log", "paths", "segments", "truncations")

    def __init__(self, log: SyncedLog) -> None:
        durability = log.durability
        self.log = log
        self.paths = durability.take_unsynced()
        self.dirs = durability.segments.take_changed_dirs()
        self.end_offset = log.log_end_offset
        self.truncations = durability.truncations
        segments = durability.segments.from_offset(durability.flushed_offset)
        active = durability.segments.active
        if durability.has_unflushed_truncation and active is not None and active not in segments:
            segments.append(active)
        self.segments: dict[Segment, int] = {segment: segment.size_bytes for segment in segments}
        self.error: OSError | None = None
        for segment in self.segments:
            segment.file.open()
            segment.file.retain()

    def take_over(self, other: "Target") -> None:
        """Sync what another one has taken, too, and may not have come to yet."""
        self.paths += other.paths
        self.dirs += other.dirs

    def sync_files(self) -> None:
        """Sync what it has but for the directories; ``error`` says what went wrong."""
        try:
            for segment in self.segments:
                segment.file.open().fsync()
            for path in self.paths:
                _sync_path(self.log.fs, path)
        except OSError as error:
            self.error = _lost(error)

    def tell_owner(self, guard: "AbstractContextManager[object]" = UNGUARDED) -> None:
        """All of it is synced, unless there was an error.

        ``guard`` keeps the loop from truncating the log meanwhile. An owner that defers truncations takes no notice of
        syncs: the loop does not wait for those.
        """
        if self.error is None:
            with UNGUARDED if self.log.owner.defers_truncations else guard:
                try:
                    if self.is_so():
                        self.log.owner.synced(self.end_offset)
                except OSError as error:
                    self.error = error

    def is_so(self) -> bool:
        """Whether the log still has what was synced: it was not truncated since."""
        return self.truncations == self.log.durability.truncations

    def take_in(self) -> None:
        """Have the log know, on the loop, that all of it is durable."""
        for segment, size_bytes in self.segments.items():
            segment.synced_bytes = size_bytes
        self.log.durability.has_unflushed_truncation = False
        self.log.mark_flushed(self.end_offset)

    def release(self) -> None:
        for segment in self.segments:
            segment.file.release()
        self.segments = {}
        self.log.durability.end_sync(self)


def _lost(error: OSError) -> OSError:
    """A sync that found no room has lost what was written, and the next one does not say so: the disk has failed."""
    return OSError(EIO, f"{error.strerror} at a sync") if is_out_of_space(error) else error


def _sync_path(fs: "Fs", path: str) -> None:
    """Sync a file that may be deleted meanwhile."""
    try:
        file = fs.open(path)
    except FileNotFoundError:
        return
    try:
        file.fsync()
    finally:
        file.close()
