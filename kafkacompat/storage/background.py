"""Queues of jobs that may block on a disk and run outside the event loop. Classes of jobs do not wait for each other.

The queues are pure. The shell (``server/broker_server.py``) has one thread per class, runs one job of a class at a time
and returns its outcome as an event of the loop. Simulations and tests run jobs on their own thread, inline or in steps.

The submitters bound the queues: each submits its next job when its last one is done, or one job for each request that
waits.
"""

import logging
from collections import deque
from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from kafkacompat.now import Now

    Result = TypeVar("Result")

METADATA_SYNC = "metadata-sync"  #: syncs of the metadata log: elections and metadata changes wait for them
ACKNOWLEDGED_SYNC = "ack-sync"  #: syncs that a request waits for
SEGMENT_SYNC = "segment-sync"  #: syncs of rolled or grown segments: no request waits
RECOMPRESSION = "recompress"  #: large batches for which the topic has another compression type: the producers wait
OTHER_WORK = "background"  #: removing files, decompressing large batches, writing checkpoints
COMPACTION = "compaction"  #: passes over compacted logs: nothing waits
COLD_READ = "cold-read"  #: reads of segments that are not in the page cache: consumers wait
#: the most urgent class first
WORK_CLASSES = (METADATA_SYNC, ACKNOWLEDGED_SYNC, COLD_READ, RECOMPRESSION, SEGMENT_SYNC, OTHER_WORK, COMPACTION)
_log = logging.getLogger(__name__)


class Job:
    """``begin``, ``execute`` and ``done`` are called in this order, ``execute`` on the thread of the class."""

    __slots__ = ("_begin", "_run", "done", "work_class")

    def __init__(
        self,
        work_class: str,
        run: "Callable[[], object]",
        done: "Callable[[object, Now], None]",
        begin: "Callable[[], bool] | None",
    ) -> None:
        self.work_class = work_class
        self._run = run
        self.done = done
        self._begin = begin

    def begin(self) -> bool:
        """Whether there is work to do. If it raises, it returns True and ``execute`` returns the exception."""
        try:
            return self._begin is None or self._begin()
        except Exception as bug:  # noqa: BLE001 (any exception is a bug)
            self._run = partial(_raise, bug)
            return True

    def execute(self) -> object:
        """Run the job. Returns its result or the exception that it raised: an OSError means that the disk failed; any
        other exception is a bug and is logged.
        """
        try:
            return self._run()
        except OSError as error:
            return error
        except Exception as bug:  # noqa: BLE001 (any exception is a bug)
            _log.exception("a bug: background work of class %s has failed", self.work_class)
            return bug


def _raise(error: Exception) -> None:
    raise error


class Background:
    """The queued jobs. Each class is first in, first out."""

    __slots__ = ("_queues", "_refused", "_running", "_startable")

    def __init__(self) -> None:
        self._queues: dict[str, deque[Job]] = {work_class: deque() for work_class in WORK_CLASSES}
        self._running: set[str] = set()
        self._startable: set[str] = set()  # classes that have a job waiting and none running
        self._refused: set[str] = set()

    def submit(
        self,
        work_class: str,
        run: "Callable[[], Result]",
        done: "Callable[[Result | Exception, Now], None]",
        begin: "Callable[[], bool] | None" = None,
    ) -> None:
        """Queue a job: ``run()`` is called on another thread, then ``done(outcome, now)`` on the loop.

        ``run`` must not access state that the loop changes meanwhile. ``outcome`` is its result or the exception that
        it raised. ``begin()`` is called on the loop just before ``run``, to collect the work; if it returns False,
        ``run`` and ``done`` are not called.
        """
        if work_class in self._refused:
            return
        self._queues[work_class].append(Job(work_class, run, done, begin))  # type: ignore[arg-type]
        if work_class not in self._running:
            self._startable.add(work_class)

    def refuse(self, work_class: str) -> None:
        """Drop the queued jobs of a class, and those submitted later. For shutdown."""
        self._refused.add(work_class)
        self._queues[work_class].clear()
        self._startable.discard(work_class)

    @property
    def is_busy(self) -> bool:
        """Whether a job is queued or running."""
        return bool(self._startable) or bool(self._running)

    @property
    def is_startable(self) -> bool:
        """Whether ``next_job`` may return a job for some class."""
        return bool(self._startable)

    def startable(self) -> list[str]:
        """The classes with a queued job and no running one, the most urgent first."""
        return [work_class for work_class in WORK_CLASSES if work_class in self._startable]

    def next_job(self, work_class: str) -> Job | None:
        """Dequeue the next job of a class, to be executed and then passed to ``finish``. None if there is none or
        another job of the class is running.
        """
        if work_class in self._running:
            return None
        self._startable.discard(work_class)
        queue = self._queues[work_class]
        while queue:
            job = queue.popleft()
            if job.begin():
                self._running.add(work_class)
                return job
        return None

    def finish(self, job: Job, outcome: object, now: "Now") -> None:
        """Pass the outcome of ``job`` to its submitter. The next job of the class can start."""
        self._running.discard(job.work_class)
        if self._queues[job.work_class]:
            self._startable.add(job.work_class)
        job.done(outcome, now)

    def run_inline(self, now: "Now", work_classes: "tuple[str, ...]" = WORK_CLASSES) -> None:
        """Run all queued jobs, and the jobs that these submit, on the calling thread. For tests."""
        while not self._startable.isdisjoint(work_classes):
            for work_class in self.startable():
                job = self.next_job(work_class) if work_class in work_classes else None
                if job is not None:
                    self.finish(job, job.execute(), now)
