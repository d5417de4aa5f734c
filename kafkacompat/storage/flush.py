"""fsync: which logs wait for it, one sync for all that wait (group commit), and what follows when it is done.

The queue is pure: its jobs run in the background (``background.py``), and what follows happens on the loop.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from errno import EIO
from functools import partial

from kafkacompat.storage.background import ACKNOWLEDGED_SYNC, METADATA_SYNC, SEGMENT_SYNC, Background
from kafkacompat.storage.reserve import is_out_of_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from kafkacompat.now import Now
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.owner import LogOwner
    from kafkacompat.storage.segment import Segment

OnDone = Callable[["Now"], None]
Actions = Sequence[Callable[[], None]]
UNGUARDED = nullcontext()
SYNC_CLASSES = (METADATA_SYNC, ACKNOWLEDGED_SYNC, SEGMENT_SYNC)  #: the most urgent first
STEP_BYTES = 64 * 1024 * 1024
"""A segment that has so much that is not durable is synced although nobody asks for it, so that little is left when it
is rolled. As much goes into one round of syncs that nobody waits for. Kafka leaves the first to the operating system.
"""


def one_by_one(actions: "Actions") -> None:
    """The simplest way to carry out actions of which none waits for another."""
    for action in actions:
        action()


class SyncJob:
    """What one round of syncing covers. ``run`` touches descriptors only, so that a worker thread may do it.

    ``carry_out`` does what may be done side by side: a disk takes many syncs at once in little more time than one.
    """

    __slots__ = ("_carry_out", "callbacks", "first", "targets")

    def __init__(self, carry_out: "Callable[[Actions], None]" = one_by_one) -> None:
        self.first: list[tuple[Callable[[], None], list[Log]]] = []  # what owners of logs that were cut have to write
        self.targets: list[Target] = []
        self.callbacks: list[OnDone] = []
        self._carry_out = carry_out

    def run(self) -> OSError | None:
        """Sync all, each directory once. Answers the first error, to be passed to ``finish``."""
        for write, logs in self.first:
            try:
                write()
            except OSError as error:
                for target in self.targets:
                    target.error = error if target.log in logs else target.error
        self._carry_out([target.sync_files for target in self.targets])
        dirs: dict[str, list[Target]] = {}
        for target in self.targets:
            for path in target.dirs:
                dirs.setdefault(path, []).append(target)
        self._carry_out([partial(_sync_dir_of, path, targets) for path, targets in dirs.items()])
        for target in self.targets:
            target.tell_owner()
        return next((target.error for target in self.targets if target.error is not None), None)


class Target:
    """One log's part in a job: its files that hold what is not durable yet, up to ``end_offset``."""

    __slots__ = ("dirs", "end_offset", "error", "fs", "log", "paths", "segments", "truncations")

    def __init__(self, log: "Log") -> None:
        self.log = log
        self.fs: Fs = log.fs
        self.paths = _take_unsynced(log)
        self.dirs = log.segments.take_changed_dirs()
        self.end_offset = log.log_end_offset
        self.truncations = log.truncations
        segments = log.segments.from_offset(log.flushed_offset)
        active = log.segments.active
        if log.has_unsynced_cut and active is not None and active not in segments:
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
                _sync_path(self.fs, path)
        except OSError as error:
            self.error = _lost(error)

    def tell_owner(self) -> None:
        """All of it is synced, unless there was an error."""
        if self.error is None:
            with guard_of(self.log):
                try:
                    if self.is_so():
                        self.log.owner.synced(self.end_offset)
                except OSError as error:
                    self.error = error

    def is_so(self) -> bool:
        """Whether the log still has what was synced: it was not cut since."""
        return self.truncations == self.log.truncations

    def take_in(self) -> None:
        """Have the log know, on the loop, that all of it is durable."""
        for segment, size_bytes in self.segments.items():
            segment.synced_bytes = size_bytes
        self.log.has_unsynced_cut = False
        self.log.mark_flushed(self.end_offset)

    def release(self) -> None:
        for segment in self.segments:
            segment.file.release()
        self.segments = {}
        if self.log.syncing is self:
            self.log.syncing = None


def _lost(error: OSError) -> OSError:
    """A sync that found no room has lost what was written, and the next one does not say so: the disk has failed."""
    return OSError(EIO, f"{error.strerror} at a sync") if is_out_of_space(error) else error


def guard_of(log: "Log") -> "AbstractContextManager[object]":
    """What keeps the loop from cutting ``log`` while another thread tells its owner of a sync. An owner that is told of
    cuts later takes no notice of syncs: the loop does not wait for those.
    """
    return UNGUARDED if log.flusher is None or log.owner.defers_cuts else log.flusher.guard


def _take_unsynced(log: "Log") -> list[str]:
    """The files beside the segments that are to be synced with them; whoever takes them does it."""
    paths, log.segments.unsynced = log.segments.unsynced, []
    if not log.epochs.is_synced:
        log.epochs.is_synced = True
        paths.append(log.epochs.path)
    if paths:
        log.segments.names_changed()
    return paths


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


def _sync_dir_of(path: str, targets: "Sequence[Target]") -> None:
    """Sync a directory, which may be deleted meanwhile with its topic; whoever needs it hears of an error."""
    try:
        targets[0].fs.fsync_dir(path)
    except FileNotFoundError:
        return
    except OSError as error:
        for target in targets:
            target.error = target.error or error


def flush_now(log: "Log") -> None:
    """Make everything durable that ``log`` holds, on this thread. Raises OSError.

    A job may have it on its way at the same time: what that has taken is not durable before it has run, and where it
    has failed the kernel will not say so twice.
    """
    tell = log.owner.has_cut([log]) if log.has_unsynced_cut else None
    if tell is not None:
        tell()
    target, before = Target(log), log.syncing
    if before is not None:
        target.take_over(before)
    job = SyncJob()
    job.targets.append(target)
    error = job.run()
    if before is not None:
        error = error or before.error
    if error is None:
        target.take_in()
    target.release()
    if error is not None:
        raise error


def _seal(log: "Log", errors: "dict[Log, OSError]") -> None:
    try:
        log.seal()
    except OSError as error:
        errors[log] = error


def _cuts_by_owner(logs: "Iterable[Log]") -> "dict[LogOwner, list[Log]]":
    """The logs that were cut: their owners are to write that down, each once for all."""
    cut: dict[LogOwner, list[Log]] = {}
    for log in logs:
        if log.has_unsynced_cut and not log.is_closed:
            cut.setdefault(log.owner, []).append(log)
    return cut


class Flusher:
    """The logs that wait to be synced. On a file system that does not sync (a temporary one) none has to wait.

    Each class of syncs (``background.py``) has a round that is being carried out, and one that is collected. A log is
    part of one round at a time: what is asked for meanwhile waits for the end of that, and holds up no other log.
    ``carry_out`` is how a round does what may be done side by side, ``guard`` a lock where rounds run in other threads.
    """

    __slots__ = ("_submitted", "_syncs", "_taken", "_waiting", "background", "carry_out", "guard")

    def __init__(self, fs: "Fs", background: Background | None = None) -> None:
        self.background = background or Background()
        self.carry_out: Callable[[Actions], None] = one_by_one
        self.guard: AbstractContextManager[object] = UNGUARDED
        self._syncs = not fs.is_temporary
        self._waiting: dict[str, dict[Log, list[OnDone]]] = {work_class: {} for work_class in SYNC_CLASSES}
        self._submitted: set[str] = set()  # classes whose next round waits in the background
        self._taken: dict[str, SyncJob] = {}  # the round of a class that was begun there

    @property
    def has_work(self) -> bool:
        return any(self._waiting.values())

    def request(self, log: "Log", on_done: "OnDone | None" = None, work_class: str = ACKNOWLEDGED_SYNC) -> None:
        """Have everything synced that ``log`` holds by now, then call ``on_done`` on the loop, also after an error.

        A log whose owner names a class keeps to it; else one that waits already does so in the more urgent class.
        """
        if not self._syncs and not log.has_unsynced_cut:  # of which the owner is to know in any case
            log.mark_flushed(log.log_end_offset)
            if on_done is None:
                return
        work_class = self._class_of(log, log.owner.sync_class or work_class)
        callbacks = self._waiting[work_class].setdefault(log, [])
        if on_done is not None:
            callbacks.append(on_done)
        self._submit(work_class)

    def _class_of(self, log: "Log", work_class: str) -> str:
        """The class in which a log is to wait; from then on it waits in no other."""
        for known in SYNC_CLASSES:
            if log in self._waiting[known]:
                if SYNC_CLASSES.index(known) > SYNC_CLASSES.index(work_class):
                    self._waiting[work_class][log] = self._waiting[known].pop(log)
                    return work_class
                return known
        return work_class

    def _submit(self, work_class: str) -> None:
        if work_class not in self._submitted:
            self._submitted.add(work_class)
            self.background.submit(
                work_class, partial(self._run, work_class), partial(self._done, work_class),
                partial(self._begin, work_class),
            )  # fmt: skip

    def _begin(self, work_class: str) -> bool:
        self._submitted.discard(work_class)
        job = self._take(work_class)
        if job is not None:
            self._taken[work_class] = job
        return job is not None

    def _run(self, work_class: str) -> OSError | None:
        return self._taken[work_class].run()

    def _done(self, work_class: str, outcome: "OSError | Exception | None", now: "Now") -> None:
        if outcome is not None and not isinstance(outcome, OSError):
            outcome = OSError(f"a bug: {outcome!r}")  # nobody knows what is durable
        job = self._taken.pop(work_class, None)
        if job is not None:
            self.finish(job, outcome, now)

    def seal(self, logs: "Iterable[Log]") -> bool:
        """Write what logs that are about to be closed still have to write, and let them wait for a sync. Whether there
        was room for all of it: the next start reads batches where there was not.

        Side by side as well: to make a file may mean to wait for the disk, and each log makes three.
        """
        sound = [log for log in logs if log.failure is None]
        errors: dict[Log, OSError] = {}
        self.carry_out([partial(_seal, log, errors) for log in sound])
        for log in sound:
            if log not in errors:
                if log.is_unsynced:
                    self.request(log)
            elif not is_out_of_space(errors[log]):
                log.fail(errors[log])
        return not errors

    def take(self) -> SyncJob | None:
        """The next round, of the most urgent class that has one. None when nothing waits that can be begun."""
        jobs = (self._take(work_class) for work_class in SYNC_CLASSES if self._waiting[work_class])
        return next((job for job in jobs if job is not None), None)

    def _take(self, work_class: str) -> SyncJob | None:
        """A round of what waits in a class and can be begun. One that syncs much is over after STEP_BYTES."""
        waiting = self._waiting[work_class]
        if work_class == ACKNOWLEDGED_SYNC:
            self._set_large_aside(waiting)
        logs: dict[Log, list[OnDone]] = {}
        unsynced_bytes = 0
        for log in list(waiting):
            if log.syncing is not None and not log.is_closed:
                continue  # until the end of that round
            logs[log] = waiting[log]
            if work_class == SEGMENT_SYNC:
                unsynced_bytes += log.unsynced_bytes
                if unsynced_bytes > STEP_BYTES:
                    break
        if not logs:
            return None
        job = self._round(logs)
        for log in logs:
            del waiting[log]
        return job

    def _set_large_aside(self, waiting: "dict[Log, list[OnDone]]") -> None:
        """What takes a disk long holds up nobody who waits for another log."""
        for log in [log for log in waiting if log.unsynced_bytes > STEP_BYTES]:
            self._waiting[SEGMENT_SYNC].setdefault(log, []).extend(waiting.pop(log))
            self._submit(SEGMENT_SYNC)

    def _round(self, logs: "dict[Log, list[OnDone]]") -> SyncJob:
        job = SyncJob(self.carry_out)
        for owner, cut in _cuts_by_owner(logs).items():
            tell = owner.has_cut(cut)
            if tell is not None:
                job.first.append((tell, cut))
        for log, callbacks in logs.items():
            job.callbacks += callbacks
            if log.is_closed or not (self._syncs or log.has_unsynced_cut):
                continue
            try:
                log.syncing = Target(log)
                job.targets.append(log.syncing)
            except OSError as error:
                log.fail(error)
        return job

    def finish(self, job: SyncJob, error: OSError | None, now: "Now") -> None:
        """Take in that ``job`` has run: advance what is flushed, take failed logs offline, call who waits: all of them,
        whatever one of them raises.
        """
        for target in job.targets:
            failed = target.error or error
            if not target.log.is_closed:
                if failed is not None:
                    target.log.fail(failed)
                elif target.is_so() and target.log.failure is None:  # of two syncs one is told of an error
                    target.take_in()
            target.release()
        for work_class in SYNC_CLASSES:
            if self._waiting[work_class]:  # it may have waited for a log of this round
                self._submit(work_class)
        bug: Exception | None = None
        for callback in job.callbacks:
            try:
                callback(now)
            except Exception as raised:  # noqa: BLE001 (whatever it is)
                bug = bug or raised
        if bug is not None:
            raise bug

    def flush_inline(self, now: "Now") -> None:
        """Do all that waits at once, for tests and for closing."""
        while (job := self.take()) is not None:
            job.run()
            self.finish(job, None, now)
