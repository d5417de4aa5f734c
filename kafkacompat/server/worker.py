"""Background threads for work that may block on a disk. They share no state: results are events of the loop."""

from __future__ import annotations

import logging
import threading
from collections import deque
from functools import partial
from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

    from kafkacompat.server.clock import SystemClock
    from kafkacompat.storage.background import Background, Job

    Done = Callable[[object], None]
    Work = tuple[Callable[[], object], Done]

log = logging.getLogger(__name__)

SYNCS_AT_ONCE = 16
"""Concurrent syncs share the flushes of the disk: 500 new logs took 0.4 s, one after the other 10 s. Twice as many
threads gained nothing."""


def run_concurrently(actions: Sequence[Callable[[], None]]) -> None:
    """Run independent actions in several threads, and return when all are done. Raises the first error.

    The calling thread takes part. It runs all of them if no thread can be started any more, as at the exit of an
    interpreter whose program has not stopped its cluster.
    """
    left = deque(enumerate(actions))
    errors: dict[int, Exception] = {}
    threads: list[threading.Thread] = []
    while len(left) > 1 and len(threads) < SYNCS_AT_ONCE - 1:
        thread = threading.Thread(target=_run_all, args=(left, errors), name="kafkacompat-sync", daemon=True)
        if not _has_started(thread):
            break
        threads.append(thread)
    _run_all(left, errors)
    for thread in threads:
        thread.join()
    if errors:
        raise errors[min(errors)]


def _run_all(left: deque[tuple[int, Callable[[], None]]], errors: dict[int, Exception]) -> None:
    while True:
        try:
            index, action = left.popleft()
        except IndexError:
            return
        try:
            action()
        except Exception as error:  # noqa: BLE001 (raised when all are done)
            errors[index] = error


def _has_started(thread: threading.Thread) -> bool:
    try:
        thread.start()
    except RuntimeError:  # the interpreter exits (Python 3.12 and later), or the system has no more threads
        return False
    return True


class Worker:
    """A thread that runs one job after the other. It starts with the first job and ends with `stop`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, name: str) -> None:
        self._loop = loop
        self._name = name
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def submit(self, run: Callable[[], object], done: Done) -> None:
        """Call `run()` in the thread, then `done(result)` on the loop. `run` must not raise. If the thread cannot be
        started, `run` is called here.
        """
        if self._thread is None:
            thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            if not _has_started(thread):
                self._loop.call_soon(done, run())
                return
            self._thread = thread
        self._queue.put((run, done))

    def stop(self) -> None:
        """End the thread after its current job."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while (work := self._queue.get()) is not None:
            run, done = work
            self._loop.call_soon_threadsafe(done, run())


class Workers:
    """Runs the jobs of a `Background`, each class of work in its own thread.

    `event_ended(began_ms, what)` is called when a result was handled, as after any other event. `on_loop(work_class)`:
    whether jobs of a class block on nothing now; they run on the loop, which is sooner done than waking a thread.
    """

    def __init__(
        self,
        background: Background,
        worker: Callable[[str], Worker],
        clock: SystemClock,
        event_ended: Callable[[int, str], None],
        loop: asyncio.AbstractEventLoop | None = None,
        on_loop: Callable[[str], bool] = lambda _work_class: False,
    ) -> None:
        self._loop = loop
        self._on_loop = on_loop
        self._background = background
        self._worker = worker
        self._clock = clock
        self._event_ended = event_ended
        self._workers: dict[str, Worker] = {}

    def start_jobs(self) -> None:
        """Start all jobs that can be started. Call this after every event."""
        for work_class in self._background.startable():
            job = self._background.next_job(work_class)
            if job is None:
                continue
            if self._loop is not None and self._on_loop(work_class):
                self._loop.call_soon(self._finished, job, job.execute())
            else:
                worker = self._workers.get(work_class)
                if worker is None:
                    worker = self._workers[work_class] = self._worker(f"kafkacompat-{work_class}")
                worker.submit(job.execute, partial(self._finished, job))

    def _finished(self, job: Job, outcome: object) -> None:
        now = self._clock.now()
        try:
            self._background.finish(job, outcome, now)
        except Exception:
            log.exception("a bug: handling the result of %s work failed", job.work_class)
        self._event_ended(now.monotonic_ms, f"the end of {job.work_class} work")

    def serve(self, background: Background) -> None:
        """Run the jobs of another `Background` from now on, on the same threads. The former one must not be busy."""
        self._background = background

    def stop(self) -> None:
        """Wait for the running jobs. Queued jobs stay queued."""
        for worker in self._workers.values():
            worker.stop()
