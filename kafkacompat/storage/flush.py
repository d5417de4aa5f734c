"""fsync: which logs wait for it, one sync for all that wait (group commit), and what follows when it is done.

The queue is pure; the shell takes a job, lets a worker thread run it, and hands it back on the loop.
"""

from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.segment import Segment

OnDone = Callable[["Now"], None]


class SyncJob:
    """What one round of syncing covers. ``run`` touches descriptors only, so that a worker thread may do it."""

    __slots__ = ("callbacks", "targets")

    def __init__(self) -> None:
        self.targets: list[_Target] = []
        self.callbacks: list[OnDone] = []

    def run(self) -> OSError | None:
        """Sync all. Answers the first error, to be passed to ``finish``."""
        first_error: OSError | None = None
        synced_dirs: set[str] = set()
        for target in self.targets:
            try:
                target.run(synced_dirs)
            except OSError as error:
                target.error = error
                first_error = first_error or error
        return first_error


class _Target:
    """One log's part in a job: its files that hold what is not durable yet, up to ``end_offset``."""

    __slots__ = ("dirs", "end_offset", "error", "fs", "log", "sealed_paths", "segments", "truncations")

    def __init__(self, log: "Log") -> None:
        self.log = log
        self.fs: Fs = log.fs
        self.dirs = log.segments.take_changed_dirs()
        self.end_offset = log.log_end_offset
        self.truncations = log.truncations
        self.segments: list[Segment] = log.segments.from_offset(log.flushed_offset)
        self.sealed_paths = log.segments.sealed_paths(self.segments)
        self.error: OSError | None = None
        for segment in self.segments:
            segment.file.open()
            segment.file.retain()

    def run(self, synced_dirs: set[str]) -> None:
        for segment in self.segments:
            segment.file.open().fsync()
        for path in self.sealed_paths:
            _sync_path(self.fs, path)
        for path in self.dirs:
            if path not in synced_dirs:
                _sync_dir(self.fs, path)
                synced_dirs.add(path)

    def release(self) -> None:
        for segment in self.segments:
            segment.file.release()
        self.segments = []


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


def _sync_dir(fs: "Fs", path: str) -> None:
    """Sync a directory that may be deleted meanwhile, with its topic."""
    try:
        fs.fsync_dir(path)
    except FileNotFoundError:
        return


class Flusher:
    """The logs that wait to be synced. On a file system that does not sync (a temporary one) none has to wait."""

    __slots__ = ("_callbacks", "_logs", "_syncs")

    def __init__(self, fs: "Fs") -> None:
        self._syncs = not fs.is_temporary
        self._logs: dict[Log, None] = {}
        self._callbacks: list[OnDone] = []

    @property
    def has_work(self) -> bool:
        return bool(self._logs) or bool(self._callbacks)

    def request(self, log: "Log", on_done: "OnDone | None" = None) -> None:
        """Have everything synced that ``log`` holds by now, then call ``on_done`` on the loop, also after an error."""
        if self._syncs:
            self._logs[log] = None
        else:
            log.mark_flushed(log.log_end_offset)
        if on_done is not None:
            self._callbacks.append(on_done)

    def take(self) -> SyncJob | None:
        """One job for all that waits, None when nothing does."""
        if not self.has_work:
            return None
        job = SyncJob()
        job.callbacks, self._callbacks = self._callbacks, []
        logs, self._logs = self._logs, {}
        for log in logs:
            if log.is_closed:
                continue
            try:
                job.targets.append(_Target(log))
            except OSError as error:
                log.fail(error)
        return job

    def finish(self, job: SyncJob, error: OSError | None, now: "Now") -> None:
        """Take in that ``job`` has run: advance what is flushed, take failed logs offline, call who waits."""
        for target in job.targets:
            target.release()
            failed = target.error or error
            if target.log.is_closed:
                continue
            if failed is not None:
                target.log.fail(failed)
            elif target.truncations == target.log.truncations:
                target.log.mark_flushed(target.end_offset)
        for callback in job.callbacks:
            callback(now)

    def flush_inline(self, now: "Now") -> None:
        """Do all that waits at once, for tests and for closing."""
        while (job := self.take()) is not None:
            job.run()
            self.finish(job, None, now)
