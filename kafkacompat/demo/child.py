"""Run `python -m kafkacompat ...` for as long as the process that started this one lives.

The parent holds the other end of this process's standard input and never writes; when the parent is gone, however it
went, the input ends, and this process gets the signal for a clean stop.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading


def stop_with_parent() -> None:
    """From now on, SIGTERM for this process when standard input ends."""

    def watch() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """What `python -m kafkacompat` would do with the same arguments."""
    stop_with_parent()
    sys.argv[0] = "kafkacompat"
    runpy.run_module("kafkacompat", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
