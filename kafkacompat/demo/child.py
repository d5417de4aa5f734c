"""Run `python -m kafkacompat ...` until it ends or the parent process ends.

The parent holds the other end of standard input and never writes to it. When the parent ends, for whatever reason, the
input ends, and this process sends itself the signal for a clean stop.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading


def stop_with_parent() -> None:
    """Send SIGTERM to this process when standard input ends."""

    def watch() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Run `python -m kafkacompat` with the same arguments."""
    stop_with_parent()
    sys.argv[0] = "kafkacompat"
    runpy.run_module("kafkacompat", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
