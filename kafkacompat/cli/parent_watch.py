"""Ends this process when its parent ends. Standard input is a pipe from the parent, which ends with the parent.

On every system the end of the pipe asks for a clean stop. On Linux the kernel also kills this process at that moment,
even while it is stopped (SIGSTOP).
"""

from __future__ import annotations

import os
import signal
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_STDIN = 0


def hold(on_end: Callable[[], None]) -> None:
    """Call `on_end` on its own thread when standard input ends; input is discarded."""
    if sys.platform == "linux":
        _die_with_it()
    threading.Thread(target=_await_end, args=(on_end,), name="kafkacompat-parent-watch", daemon=True).start()


def _die_with_it() -> None:
    """Have the kernel send SIGKILL at an event of standard input, which can only be its end."""
    import fcntl

    try:
        fcntl.fcntl(_STDIN, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(_STDIN, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(_STDIN, fcntl.F_SETFL, fcntl.fcntl(_STDIN, fcntl.F_GETFL) | os.O_ASYNC)
    except OSError:
        return  # a sandbox without this feature: only the thread watches


def _await_end(on_end: Callable[[], None]) -> None:
    try:
        while os.read(_STDIN, 4096):
            pass
    except OSError:
        pass
    on_end()
