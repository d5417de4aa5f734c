"""Threads for what may block for long (fsync). They touch no state: results come back as events of the loop."""

from __future__ import annotations

import logging
import threading
from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

    Done = Callable[[OSError | None], None]
    Work = tuple[Callable[[], object], Done]

log = logging.getLogger(__name__)

SYNCS_AT_ONCE = 16
"""Syncs that wait for a disk together share its flushes: 500 new logs were durable after 0.4 s, after 10 s one by one.
Twice as many threads gained nothing."""


def side_by_side(actions: Sequence[Callable[[], None]]) -> None:
    """Carry out actions of which none waits for another, and return when all are done. The first error is raised."""
    if len(actions) <= 1:
        for action in actions:
            action()
        return
    from concurrent.futures import ThreadPoolExecutor  # not for a node that never has two logs to sync

    with ThreadPoolExecutor(min(SYNCS_AT_ONCE, len(actions)), "kafkacompat-sync") as pool:
        for done in [pool.submit(action) for action in actions]:
            done.result()


class Worker:
    """Runs one job after the other. The thread starts with the first job and ends with `stop`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, name: str) -> None:
        self._loop = loop
        self._name = name
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def submit(self, run: Callable[[], object], done: Done) -> None:
        """Call `run()` in the thread, then `done(error)` on the loop."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        self._queue.put((run, done))

    def stop(self) -> None:
        """End the thread after the job that it is at; what it reports after that is dropped by a closed loop."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while (work := self._queue.get()) is not None:
            run, done = work
            error: OSError | None = None
            try:
                run()
            except OSError as failure:
                error = failure
            except Exception as bug:
                log.exception("a bug: a sync has ended early")
                error = OSError(f"a bug: {bug!r}")  # nobody knows what is durable
            self._loop.call_soon_threadsafe(done, error)
