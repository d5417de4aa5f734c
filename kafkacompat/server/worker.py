"""Threads for what may block for long (fsync). They touch no state: results come back as events of the loop."""

from __future__ import annotations

import logging
import threading
from collections import deque
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
    """Carry out actions of which none waits for another, and return when all are done. The first error is raised.

    Threads take them from one queue, and so does the caller: it is left with all of them where no thread can be started
    any more, as at the end of the interpreter, when a program that forgot to stop its cluster has it stopped.
    """
    left = deque(enumerate(actions))
    errors: dict[int, Exception] = {}
    threads: list[threading.Thread] = []
    while len(left) > 1 and len(threads) < SYNCS_AT_ONCE - 1:
        thread = threading.Thread(target=_carry_out, args=(left, errors), name="kafkacompat-sync", daemon=True)
        if not _has_started(thread):
            break
        threads.append(thread)
    _carry_out(left, errors)
    for thread in threads:
        thread.join()
    if errors:
        raise errors[min(errors)]


def _carry_out(left: deque[tuple[int, Callable[[], None]]], errors: dict[int, Exception]) -> None:
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
    except RuntimeError:  # the interpreter ends (Python 3.12 and later), or the system has no room for it
        return False
    return True


class Worker:
    """Runs one job after the other. The thread starts with the first job and ends with `stop`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, name: str) -> None:
        self._loop = loop
        self._name = name
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def submit(self, run: Callable[[], object], done: Done) -> None:
        """Call `run()` in the thread, then `done(error)` on the loop. Without a thread `run()` is called here."""
        if self._thread is None:
            thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            if not _has_started(thread):
                self._loop.call_soon(done, _error_of(run))
                return
            self._thread = thread
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
            self._loop.call_soon_threadsafe(done, _error_of(run))


def _error_of(run: Callable[[], object]) -> OSError | None:
    try:
        run()
    except OSError as failure:
        return failure
    except Exception as bug:
        log.exception("a bug: a sync has ended early")
        return OSError(f"a bug: {bug!r}")  # nobody knows what is durable
    return None
