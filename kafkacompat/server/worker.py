"""One thread for what may block for long (fsync). It touches no state: results come back as events of the loop."""

from __future__ import annotations

import threading
from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    Done = Callable[[OSError | None], None]
    Work = tuple[Callable[[], object], Done]


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
            self._loop.call_soon_threadsafe(done, error)
