"""An event loop on its own thread, for brokers in a user's process. It installs no signal handlers."""

from __future__ import annotations

import asyncio
import threading

from kafkacompat.server.loops import new_event_loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine
    from concurrent.futures import Future
    from typing import TypeVar

    Result = TypeVar("Result")


class LoopThread:
    """The constructor starts the thread, `stop` ends it. It is a daemon: a program that does not stop it can exit."""

    def __init__(self, name: str = "kafkacompat") -> None:
        self.loop = new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, coroutine: Coroutine[object, object, Result]) -> Future[Result]:
        """Run a coroutine on the loop; any other thread may wait for the future."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def stop(self) -> None:
        """End the loop and the thread. Everything on the loop must have ended before."""
        if self._thread.is_alive():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join()
        if not self.loop.is_closed():
            self.loop.close()

    def _run(self) -> None:
        self.loop.run_forever()
