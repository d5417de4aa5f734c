"""A loop on a thread of its own, for brokers inside somebody else's process. It installs no signal handlers."""

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
    """Started when made, ended by `stop`. A daemon: a program that forgets to stop it can still end."""

    def __init__(self, name: str = "kafkacompat") -> None:
        self.loop = new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, coroutine: Coroutine[object, object, Result]) -> Future[Result]:
        """Run a coroutine on the loop; the future may be waited for anywhere else."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def stop(self) -> None:
        """End the loop and the thread. What runs on the loop must have ended."""
        if self._thread.is_alive():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join()
        if not self.loop.is_closed():
            self.loop.close()

    def _run(self) -> None:
        self.loop.run_forever()
