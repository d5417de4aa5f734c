"""What part of a log is durable: flushed offset, syncs in progress, and truncations since."""

from contextlib import nullcontext
from errno import EIO, ENOENT
from typing import Protocol

from kafkacompat.now import NEVER
from kafkacompat.storage.owner import LogOwner, OwnedLog
from kafkacompat.storage.reserve import is_out_of_descriptors, is_out_of_space

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
    """What part of one log is durable: its segments, the files beside them, and its epochs.

    Records below ``flushed_offset`` are durable; later ones wait since ``unflushed_since_ms`` (monotonic), ``NEVER``
    without any. ``truncations`` counts them: it invalidates the result of a sync that runs meanwhile.
    ``has_unflushed_truncation``: nothing may be written before the last truncation is durable. ``syncing`` is the log's
    part of a running job. There is no reference to the log: frozen by the garbage collector, a cycle is never freed.
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
        """Upper bound of what a sync has to write to the disk."""
        segments = self.segments.from_offset(self.flushed_offset)
        return sum(segment.size_bytes - segment.synced_bytes for segment in segments)

    def is_behind(self, end_offset: int) -> bool:
        """Whether a log that ends at ``end_offset`` has records that are not durable, or was truncated since."""
        return self.flushed_offset < end_offset or self.has_unflushed_truncation

    def is_unsynced(self, end_offset: int) -> bool:
        """Whether any file of a log that ends at ``end_offset`` still has to be synced."""
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

    def pop_unsynced(self) -> list[str]:
        """Files beside the segments that have to be synced with them. The caller syncs them."""
        paths, self.segments.unsynced = self.segments.unsynced, []
        if not self.epochs.is_synced:
            self.epochs.is_synced = True
            paths.append(self.epochs.path)
        if paths:
            self.segments.names_changed()
        return paths

    def begin_sync(self, log: "SyncedLog") -> "Target":
        """Collect the files to sync; ``syncing`` refers to them until they are released."""
        self.syncing = Target(log)
        return self.syncing

    def end_sync(self, target: "Target") -> None:
        """A sync is over; another one may be on its way."""
        if self.syncing is target:
            self.syncing = None


class SyncedLog(OwnedLog, Protocol):
    """The part of ``Log`` that syncing uses."""

    durability: Durability
    failure: OSError | None
    fs: "Fs"
    owner: LogOwner

    def fail(self, error: OSError) -> "LogError":
        """Take the log offline because the disk failed."""

    def read_failed(self, error: OSError) -> "LogError":
        """As ``fail``; the log stays online if only descriptors were wanting."""

    def mark_flushed(self, end_offset: int) -> None:
        """Everything before ``end_offset`` is durable."""

    def seal(self) -> None:
        """Write indexes and producer snapshot, so that the next start reads no batches. Raises OSError."""


class Target:
    """One log's part in a job: its files that hold what is not durable yet, up to ``end_offset``.

    The files of its segments that are open stay so until ``release``: the cache of open files is for the event loop
    alone. The sync opens and closes the others one after the other: there may be more of them than descriptors.
    """

    __slots__ = (
        "_closed", "_log_path", "_missed", "dirs", "end_offset", "error", "log", "paths", "segments", "truncations",
    )  # fmt: skip

    def __init__(self, log: SyncedLog) -> None:
        durability = log.durability
        self.log = log
        self._log_path = log.path
        self.end_offset = log.log_end_offset
        self.truncations = durability.truncations
        segments = durability.segments.from_offset(durability.flushed_offset)
        active = durability.segments.active
        if durability.has_unflushed_truncation and active is not None and active not in segments:
            segments.append(active)
        self.segments: dict[Segment, int] = {segment: segment.size_bytes for segment in segments}
        self._closed: dict[Segment, str] = {}  # those that are not open, with the paths of their files
        self._missed: list[Segment] = []  # those of them that were not found
        self.error: OSError | None = None
        for segment in segments:
            if segment.file.file is None:
                self._closed[segment] = segment.file.path
            else:
                segment.file.retain()
        self.paths = durability.pop_unsynced()
        self.dirs = durability.segments.pop_changed_dirs()

    def include(self, other: "Target") -> None:
        """Sync the files of another target as well: it may not have come to them yet."""
        self.paths += other.current_paths()
        self.dirs += other.dirs

    def current_paths(self) -> list[str]:
        """Its files beside the segments, by the name that the log's directory has now."""
        return [self.log.path + path.removeprefix(self._log_path) for path in self.paths]

    def note(self, error: OSError) -> None:
        """Keep the error that counts. A failure of the disk is reported once, and hides behind no want of descriptors,
        which is tried again.
        """
        if self.error is None or (is_out_of_descriptors(self.error) and not is_out_of_descriptors(error)):
            self.error = error

    def sync_files(self) -> None:
        """Sync all files except directories; an error is kept in ``error``."""
        try:
            for segment, size_bytes in self.segments.items():
                if segment not in self._closed:
                    segment.file.open().fsync()
                elif not _sync_path(self.log.fs, self._closed[segment]) and size_bytes:
                    self._missed.append(segment)
            for path in self.paths:
                _sync_path(self.log.fs, path)
        except OSError as error:
            self.note(_lost(error))

    def tell_owner(self, guard: "AbstractContextManager[object]" = UNGUARDED) -> None:
        """Tell the owner that everything is synced, unless there was an error.

        ``guard`` keeps the event loop from truncating the log meanwhile. It is not needed for owners that defer
        truncations, as they ignore syncs.
        """
        if self.error is None and not self._missed:
            with UNGUARDED if self.log.owner.defers_truncations else guard:
                try:
                    if self.is_so():
                        self.log.owner.synced(self.end_offset)
                except OSError as error:
                    self.note(error)

    def is_so(self) -> bool:
        """Whether the result is still valid: the log was not truncated since."""
        return self.truncations == self.log.durability.truncations

    def must_repeat(self) -> bool:
        """Whether it has to be done once more: descriptors were wanting, files had other names meanwhile, or some left
        the log and its owner was told nothing. One that the log should have, and that is gone, is an error. For the
        event loop.
        """
        missed = [each for each in self._missed if each in self.log.durability.segments.all]
        for segment in missed:
            if not self.log.fs.exists(segment.file.path):
                self.note(FileNotFoundError(ENOENT, "it is gone, and was not durable", segment.file.path))
        if self.error is not None:
            return is_out_of_descriptors(self.error)
        return bool(missed) or (bool(self._missed) and self.log.owner.counts_on_syncs)

    def mark_durable(self) -> None:
        """Note in the log, on the event loop, that everything is durable."""
        for segment, size_bytes in self.segments.items():
            segment.synced_bytes = size_bytes
        self.log.durability.has_unflushed_truncation = False
        self.log.mark_flushed(self.end_offset)
        if self._log_path != self.log.path:
            self.put_back()  # by their former names they may not have been found

    def put_back(self) -> None:
        """What was to be synced waits for the next sync, by the names that the files have now."""
        segments, epochs = self.log.durability.segments, self.log.durability.epochs
        for path in self.current_paths():
            if path == epochs.path:
                epochs.is_synced = False
            else:
                segments.unsynced.append(path)
        segments.directory_changed()

    def release(self) -> None:
        for segment in self.segments:
            if segment not in self._closed:
                segment.file.release()
        self.segments = {}
        self.log.durability.end_sync(self)


def _lost(error: OSError) -> OSError:
    """A sync without room has lost data, and the kernel reports that only once: treat it as a failure of the disk."""
    return OSError(EIO, f"{error.strerror} at a sync") if is_out_of_space(error) else error


def _sync_path(fs: "Fs", path: str) -> bool:
    """Sync a file that may be deleted meanwhile. Whether it was found."""
    try:
        file = fs.open(path)
    except FileNotFoundError:
        return False
    try:
        file.fsync()
    finally:
        file.close()
    return True
