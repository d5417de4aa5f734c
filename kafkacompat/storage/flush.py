"""Syncing logs: which logs wait, one round for all of them (group commit), and the callbacks afterwards.

The queue is pure: its jobs run in the background (``background.py``), the callbacks on the event loop.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial

from kafkacompat.storage.background import ACKNOWLEDGED_SYNC, METADATA_SYNC, SEGMENT_SYNC, Background
from kafkacompat.storage.durability import UNGUARDED, SyncedLog, Target
from kafkacompat.storage.reserve import is_shortage
from kafkacompat.storage.shortage import ShortageReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from kafkacompat.now import Now
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.owner import LogOwner

OnDone = Callable[["Now"], None]
Actions = Sequence[Callable[[], None]]
SYNC_CLASSES = (METADATA_SYNC, ACKNOWLEDGED_SYNC, SEGMENT_SYNC)  #: the most urgent first
STEP_BYTES = 64 * 1024 * 1024
"""A segment with so many unsynced bytes is synced without a request, so that little is left when it is rolled. It is
also the limit of one round of syncs that no request waits for. Kafka leaves the former to the operating system.
"""


def one_by_one(actions: "Actions") -> None:
    """Run independent actions one after the other."""
    for action in actions:
        action()


class SyncJob:
    """What one round of syncing covers. ``run`` touches descriptors only, so that a worker thread may do it.

    ``carry_out`` does what may be done side by side: a disk takes many syncs at once in little more time than one.
    """

    __slots__ = ("_carry_out", "_guard", "callbacks", "first", "targets")

    def __init__(
        self,
        carry_out: "Callable[[Actions], None]" = one_by_one,
        guard: "AbstractContextManager[object]" = UNGUARDED,
    ) -> None:
        self.first: list[tuple[Callable[[], None], list[SyncedLog]]] = []  # what owners of truncated logs have to write
        self.targets: list[Target] = []
        self.callbacks: dict[SyncedLog, list[OnDone]] = {}
        self._carry_out = carry_out
        self._guard = guard

    def run(self) -> OSError | None:
        """Sync all, each directory once. Answers the first error, to be passed to ``finish``."""
        for write, logs in self.first:
            try:
                write()
            except OSError as error:
                for target in self.targets:
                    if target.log in logs:
                        target.note(error)
        self._carry_out([target.sync_files for target in self.targets])
        dirs: dict[str, list[Target]] = {}
        for target in self.targets:
            for path in target.dirs:
                dirs.setdefault(path, []).append(target)
        self._carry_out([partial(_sync_dir_of, path, targets) for path, targets in dirs.items()])
        for target in self.targets:
            target.tell_owner(self._guard)
        return next((target.error for target in self.targets if target.error is not None), None)


def _sync_dir_of(path: str, targets: "Sequence[Target]") -> None:
    """Sync a directory, which may be deleted meanwhile with its topic; targets that need it get the error."""
    try:
        targets[0].log.fs.fsync_dir(path)
    except FileNotFoundError:
        return
    except OSError as error:
        for target in targets:
            target.note(error)


def flush_now(log: SyncedLog, flusher: "Flusher | None" = None) -> None:
    """Make everything durable that ``log`` holds, on this thread. Raises OSError. ``flusher``: the one it has.

    A job may be syncing the log at the same time: its files are synced here as well, and its error counts, as the
    kernel reports an error only once.
    """
    durability = log.durability
    tell = log.owner.after_truncate([log]) if durability.has_unflushed_truncation else None
    if tell is not None:
        tell()
    target, before = Target(log), durability.syncing
    if before is not None:
        target.include(before)
    job = SyncJob() if flusher is None else SyncJob(guard=flusher.guard)
    job.targets.append(target)
    job.run()
    if before is not None and before.error is not None:
        target.note(before.error)
    must_repeat = target.must_repeat()
    if must_repeat:
        target.put_back()
    elif target.error is None:
        target.mark_durable()
    target.release()
    if target.error is not None:
        raise target.error
    if must_repeat:
        flush_now(log, flusher)  # by the names that files have now: while this runs they keep them


def _seal(log: SyncedLog, errors: "dict[SyncedLog, OSError]") -> None:
    try:
        log.seal()
    except OSError as error:
        errors[log] = error


def _truncated_by_owner(logs: "Iterable[SyncedLog]") -> "dict[LogOwner, list[SyncedLog]]":
    """The truncated logs of each owner, which writes its checkpoints once for all of them."""
    cut: dict[LogOwner, list[SyncedLog]] = {}
    for log in logs:
        if log.durability.has_unflushed_truncation and not log.is_closed:
            cut.setdefault(log.owner, []).append(log)
    return cut


class Flusher:
    """The logs that wait to be synced. On a file system that does not sync (a temporary one) none has to wait.

    Each class of syncs (``background.py``) has a round that is being carried out, and one that is collected. A log is
    part of one round at a time: what is asked for meanwhile waits for the end of that, and holds up no other log.
    ``carry_out`` is how a round does what may be done side by side, ``guard`` a lock where rounds run in other threads,
    ``new_trimming_guard`` makes one for each segment that ``preallocation.py`` trims, which may hold it for long.
    """

    __slots__ = (
        "_postponed", "_report", "_shortage", "_submitted", "_syncs", "_taken", "_waiting", "background", "carry_out",
        "guard", "new_trimming_guard",
    )  # fmt: skip

    def __init__(self, fs: "Fs", background: Background | None = None) -> None:
        self.background = background or Background()
        self.carry_out: Callable[[Actions], None] = one_by_one
        self.guard: AbstractContextManager[object] = UNGUARDED
        self.new_trimming_guard: Callable[[], AbstractContextManager[object]] = nullcontext
        self._syncs = not fs.is_temporary
        self._waiting: dict[str, dict[SyncedLog, list[OnDone]]] = {work_class: {} for work_class in SYNC_CLASSES}
        self._postponed: dict[SyncedLog, list[OnDone]] = {}
        self._shortage: OSError | None = None  # the last one since the postponed logs were tried again
        self._report = ShortageReport()
        self._submitted: set[str] = set()  # classes whose next round waits in the background
        self._taken: dict[str, SyncJob] = {}  # the round of a class that was begun there

    @property
    def has_work(self) -> bool:
        return any(self._waiting.values())

    def request(self, log: SyncedLog, on_done: "OnDone | None" = None, work_class: str = ACKNOWLEDGED_SYNC) -> None:
        """Have everything synced that ``log`` holds by now, then call ``on_done`` on the loop, also after an error.

        The class that a log's owner names comes first; else a log that already waits moves to the more urgent class.
        """
        if not self._syncs and not log.durability.has_unflushed_truncation:  # of which the owner is to know in any case
            log.mark_flushed(log.log_end_offset)
            if on_done is None:
                return
        work_class = self._class_of(log, log.owner.sync_class or work_class)
        callbacks = self._waiting[work_class].setdefault(log, [])
        if on_done is not None:
            callbacks.append(on_done)
        self._submit(work_class)

    def _class_of(self, log: SyncedLog, work_class: str) -> str:
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

    def _run(self, work_class: str) -> None:
        self._taken[work_class].run()  # each target knows its own error: logs of other disks are sound

    def _done(self, work_class: str, outcome: "Exception | None", now: "Now") -> None:
        if outcome is not None and not isinstance(outcome, OSError):
            outcome = OSError(f"a bug: {outcome!r}")  # it is unknown what is durable
        job = self._taken.pop(work_class, None)
        if job is not None:
            self.finish(job, outcome, now)

    def try_again(self) -> None:
        """Have those logs synced that could not be, for want of descriptors."""
        postponed, self._postponed, self._shortage = self._postponed, {}, None
        for log, callbacks in postponed.items():
            self.request(log)
            for on_done in callbacks:
                self.request(log, on_done)

    def seal(self, logs: "Iterable[SyncedLog]") -> bool:
        """Write what logs that are about to be closed still have to write, and let them wait for a sync. Whether there
        was room for all of it: the next start reads batches where there was not.

        Side by side as well: to make a file may mean to wait for the disk, and each log makes three.
        """
        sound = [log for log in logs if log.failure is None]
        errors: dict[SyncedLog, OSError] = {}
        self.carry_out([partial(_seal, log, errors) for log in sound])
        for log in sound:
            if log not in errors:
                if log.durability.is_unsynced(log.log_end_offset):
                    self.request(log)
            elif not is_shortage(errors[log]):
                log.fail(errors[log])
        return not errors

    def next_job(self) -> SyncJob | None:
        """The next round, of the most urgent class that has one. None if no round can begin."""
        jobs = (self._take(work_class) for work_class in SYNC_CLASSES if self._waiting[work_class])
        return next((job for job in jobs if job is not None), None)

    def _take(self, work_class: str) -> SyncJob | None:
        """A round of what waits in a class and can be begun. One that syncs much is over after STEP_BYTES."""
        waiting = self._waiting[work_class]
        if work_class == ACKNOWLEDGED_SYNC:
            self._set_large_aside(waiting)
        logs: dict[SyncedLog, list[OnDone]] = {}
        unsynced_bytes = 0
        for log in list(waiting):
            if log.durability.syncing is not None and not log.is_closed:
                continue  # until the end of that round
            logs[log] = waiting[log]
            if work_class == SEGMENT_SYNC:
                unsynced_bytes += log.durability.unsynced_bytes
                if unsynced_bytes > STEP_BYTES:
                    break
        if not logs:
            return None
        job = self._round(logs)
        for log in logs:
            del waiting[log]
        return job

    def _set_large_aside(self, waiting: "dict[SyncedLog, list[OnDone]]") -> None:
        """Move large syncs to another class, so that requests for other logs do not wait for them."""
        for log in [log for log in waiting if log.durability.unsynced_bytes > STEP_BYTES]:
            self._waiting[SEGMENT_SYNC].setdefault(log, []).extend(waiting.pop(log))
            self._submit(SEGMENT_SYNC)

    def _round(self, logs: "dict[SyncedLog, list[OnDone]]") -> SyncJob:
        job = SyncJob(self.carry_out, self.guard)
        for owner, cut in _truncated_by_owner(logs).items():
            tell = owner.after_truncate(cut)
            if tell is not None:
                job.first.append((tell, cut))
        for log, callbacks in logs.items():
            job.callbacks[log] = callbacks
            if log.is_closed or not (self._syncs or log.durability.has_unflushed_truncation):
                continue
            job.targets.append(log.durability.begin_sync(log))
        return job

    def _postpone(self, target: Target, job: SyncJob) -> None:
        """Have ``try_again`` sync a log of a job. Those who wait for it wait on, as others that came before do."""
        target.put_back()
        self._shortage = target.error or self._shortage
        self._postponed.setdefault(target.log, []).extend(job.callbacks.pop(target.log, ()))

    def _report_shortage(self, now: "Now") -> None:
        if self._shortage is not None:
            line = f"{len(self._postponed)} logs wait for a sync until descriptors are free"
            self._report.write(line, self._shortage, now)

    def finish(self, job: SyncJob, error: OSError | None, now: "Now") -> None:
        """A job has run: advance flushed offsets, take failed logs offline, call all callbacks even if one raises."""
        for target in job.targets:
            if error is not None:
                target.note(error)
            if not target.log.is_closed:
                if target.must_repeat():
                    self._postpone(target, job)
                elif target.error is not None:
                    target.log.fail(target.error)
                elif target.is_so() and target.log.failure is None:  # an error is reported to only one of two syncs
                    target.mark_durable()
            target.release()
        self._report_shortage(now)
        for work_class in SYNC_CLASSES:
            if self._waiting[work_class]:  # it may have waited for a log of this round
                self._submit(work_class)
        bug: Exception | None = None
        for callback in (each for callbacks in job.callbacks.values() for each in callbacks):
            try:
                callback(now)
            except Exception as raised:  # noqa: BLE001 (whatever it is)
                bug = bug or raised
        if bug is not None:
            raise bug

    def flush_inline(self, now: "Now") -> None:
        """Run all waiting syncs at once: for tests and for closing."""
        while (job := self.next_job()) is not None:
            job.run()
            self.finish(job, None, now)
