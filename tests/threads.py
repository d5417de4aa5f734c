"""Threads that a test has left. The session's cluster runs beside all tests, and starts a worker when it needs one."""

from __future__ import annotations

import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable, Collection

from kafkacompat.server.worker import Worker


def new_threads(
    before: Collection[threading.Thread], is_others: Callable[[AbstractEventLoop], bool]
) -> list[threading.Thread]:
    """Threads that were not there, but for workers of loops that are others'."""
    return [thread for thread in threading.enumerate() if thread not in before and not _works_for(thread, is_others)]


def _works_for(thread: threading.Thread, is_others: Callable[[AbstractEventLoop], bool]) -> bool:
    worker = getattr(getattr(thread, "_target", None), "__self__", None)
    return isinstance(worker, Worker) and is_others(worker._loop)
