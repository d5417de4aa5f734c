"""Work that may block on a disk, run outside of the event loop. Classes of work do not wait for each other.

The queues are pure. The shell (``server/broker_server.py``) has a thread for each class, takes one job of a class at a
time and hands its outcome back as an event of the loop. Simulations and tests run jobs on their own thread, inline or
in steps.

Each queue is bounded by those who submit: a part of the broker submits its next job of a kind when its last one is
done (syncs are collected in one round, files are removed one after the other), and what is done for a request counts
one for each request that waits.
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

METADATA_SYNC = "metadata-sync"  #: the metadata log: elections and all changes of metadata wait for it
ACKNOWLEDGED_SYNC = "ack-sync"  #: logs whose durability a request waits for
SEGMENT_SYNC = "segment-sync"  #: segments that were rolled, or have grown: no request waits
RECOMPRESSION = "recompress"  #: large batches that a topic wants stored otherwise: their producers wait
OTHER_WORK = "background"  #: files to remove, large batches to open, checkpoints to write
COLD_READ = "cold-read"  #: parts of segments that consumers wait for and the kernel does not have in memory
#: the most urgent first
WORK_CLASSES = (METADATA_SYNC, ACKNOWLEDGED_SYNC, COLD_READ, RECOMPRESSION, SEGMENT_SYNC, OTHER_WORK)
_log = logging.getLogger(__name__)


class Job:
    """``begin``, ``execute`` and ``done`` are called in this order; only ``execute`` on a thread of its own."""

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
        """Whether there is something to do. A bug in it is what ``execute`` answers then."""
        try:
            return self._begin is None or self._begin()
        except Exception as bug:  # noqa: BLE001 (whatever it is)
            self._run = partial(_raise, bug)
            return True

    def execute(self) -> object:
        """What the job returns, or the exception that it raised: an OSError is the disk's, any other is a bug, which
        is logged here.
        """
        try:
            return self._run()
        except OSError as error:
            return error
        except Exception as bug:  # noqa: BLE001 (whatever it is)
            _log.exception("a bug: background work of class %s has failed", self.work_class)
            return bug


def _raise(error: Exception) -> None:
    raise error


class Background:
    """What waits to be done beside the event loop, first come, first served in each class."""

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
        """Have ``run()`` called beside the loop, then ``done(outcome, now)`` on it. To be called on the loop.

        ``run`` must touch nothing that the loop changes meanwhile. ``outcome`` is what it returned, or the exception
        that it raised. ``begin()`` is called on the loop when the job's turn has come, to collect what is to be done;
        if it answers False there is nothing to do any more, and neither of the others is called.
        """
        if work_class in self._refused:
            return
        self._queues[work_class].append(Job(work_class, run, done, begin))  # type: ignore[arg-type]
        if work_class not in self._running:
            self._startable.add(work_class)

    def refuse(self, work_class: str) -> None:
        """The node stops: drop what waits in a class that nobody waits for, and what is submitted to it later."""
        self._refused.add(work_class)
        self._queues[work_class].clear()
        self._startable.discard(work_class)

    @property
    def is_busy(self) -> bool:
        """Whether a job waits or is being executed."""
        return bool(self._startable) or bool(self._running)

    @property
    def is_startable(self) -> bool:
        """Whether ``next_job`` may have something to start."""
        return bool(self._startable)

    def startable(self) -> list[str]:
        """The classes of which a job may be started, the most urgent first."""
        return [work_class for work_class in WORK_CLASSES if work_class in self._startable]

    def next_job(self, work_class: str) -> Job | None:
        """The next job of a class, to be executed and then passed to ``finish``. None if there is none, or while
        another job of the class runs.
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
        """Pass the outcome of ``job`` to its submitter; the next job of its class may begin."""
        self._running.discard(job.work_class)
        if self._queues[job.work_class]:
            self._startable.add(job.work_class)
        job.done(outcome, now)

    def run_inline(self, now: "Now", work_classes: "tuple[str, ...]" = WORK_CLASSES) -> None:
        """Run all waiting jobs on this thread, and the jobs that follow from them. For tests."""
        while not self._startable.isdisjoint(work_classes):
            for work_class in self.startable():
                job = self.next_job(work_class) if work_class in work_classes else None
                if job is not None:
                    self.finish(job, job.execute(), now)
