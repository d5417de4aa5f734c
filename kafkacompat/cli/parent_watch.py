"""A program that ends when the one that started it does: its standard input is a pipe, and the end of that is the sign.

The end of the pipe asks for a clean stop, on every system. On Linux the kernel is asked for more: it kills this process
at that moment, whatever it does, even when it stands still (SIGSTOP).
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
    """Call `on_end`, on a thread of its own, when standard input ends; what comes in is dropped."""
    if sys.platform == "linux":
        _die_with_it()
    threading.Thread(target=_await_end, args=(on_end,), name="kafkacompat-parent-watch", daemon=True).start()


def _die_with_it() -> None:
    """Have the kernel send SIGKILL when something happens to standard input, which can only be its end."""
    import fcntl

    try:
        fcntl.fcntl(_STDIN, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(_STDIN, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(_STDIN, fcntl.F_SETFL, fcntl.fcntl(_STDIN, fcntl.F_GETFL) | os.O_ASYNC)
    except OSError:
        return  # a sandbox that does not know this: the thread is left


def _await_end(on_end: Callable[[], None]) -> None:
    try:
        while os.read(_STDIN, 4096):
            pass
    except OSError:
        pass
    on_end()
