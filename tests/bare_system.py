"""Takes away what other systems may lack: `pytest -p tests.bare_system`, or imported first by a child process.

No pread, writev, sendfile, fsync of a directory, signal handlers on a loop, SIGHUP, resource limits or IPv6.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import sys
from pathlib import Path

ENVIRONMENT = "TESTS_ON_A_BARE_SYSTEM"

os.environ[ENVIRONMENT] = "1"  # for child processes
for name in ("pread", "preadv", "pwrite", "pwritev", "writev", "sendfile", "O_DIRECTORY"):
    if hasattr(os, name):
        delattr(os, name)
if hasattr(signal, "SIGHUP"):
    del signal.SIGHUP
sys.modules["resource"] = None  # type: ignore[assignment]
socket.has_ipv6 = False

_open = os.open


def _open_no_directory(path, flags, *rest, **options):
    if isinstance(path, str) and Path(path).is_dir():
        raise PermissionError(13, "Permission denied", path)
    return _open(path, flags, *rest, **options)


os.open = _open_no_directory
shutil._use_fd_functions = False


def _no_signal_handler(*_: object) -> None:
    raise NotImplementedError


asyncio.AbstractEventLoop.add_signal_handler = _no_signal_handler
asyncio.SelectorEventLoop.add_signal_handler = _no_signal_handler
