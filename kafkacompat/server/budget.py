"""Limits the memory that all requests of a broker hold at once (Kafka's queued.max.request.bytes and MemoryPool)."""

from __future__ import annotations

import os
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SHARE_OF_MEMORY = 0.25
FALLBACK_BYTES = 1024**3
"""The limit if the size of the system's memory is unknown."""


def default_limit_bytes() -> int:
    """A quarter of the machine's memory."""
    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * SHARE_OF_MEMORY)
    except (AttributeError, ValueError, OSError):  # no sysconf on Windows, no such name elsewhere
        return FALLBACK_BYTES


class RequestBudget:
    """Counts the bytes that requests hold. While the budget is spent, a new frame waits until others give bytes back.

    A frame that was admitted may grow beyond the limit, because it must be completed; socket.request.max.bytes bounds
    its size.
    """

    __slots__ = ("_is_resuming", "_waiting", "limit_bytes", "used_bytes")

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_resuming = False

    @property
    def is_spent(self) -> bool:
        """Whether a new frame has to wait."""
        return self.used_bytes >= self.limit_bytes

    def wait(self, resume: Callable[[], None]) -> None:
        """Call `resume` once something is left again; first come, first served."""
        self._waiting.append(resume)

    def forget(self, resume: Callable[[], None]) -> None:
        """Cancel a wait: the connection is closed."""
        if resume in self._waiting:
            self._waiting.remove(resume)

    def charge(self, size_bytes: int) -> None:
        """Take bytes, or give them back (negative), which resumes waiting connections. Nested calls from these resume
        nobody: thousands may wait, more than the stack is deep.
        """
        self.used_bytes += size_bytes
        if self._is_resuming:
            return
        self._is_resuming = True
        try:
            while self._waiting and not self.is_spent:
                self._waiting.popleft()()
        finally:
            self._is_resuming = False
