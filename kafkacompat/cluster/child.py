"""One node in a process of its own: how it is started, heard, stopped and killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time

from kafkacompat.server.supervisor_protocol import (
    CLOSING,
    HAND_OVER_SIGNAL,
    HANDED_OVER,
    HANDING_OVER,
    READY,
    says,
    told,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LINE_BYTES_MAX = 65_536
"""A longer line of a child's log is handed on in pieces."""


class Child:
    """A process that runs `command`. Its standard input is a pipe that ends when this process does: it ends with it.

    heard(child, line): what it writes, but for lines of the supervisor protocol. changed(child): it became ready,
    handed over, made progress in its stop, or it is gone. Both are called on a thread of its own.
    """

    def __init__(
        self,
        node_id: int,
        command: Sequence[str],
        heard: Callable[[Child, str], None],
        changed: Callable[[Child], None],
    ) -> None:
        self.node_id = node_id
        self.is_ready = False
        self.is_paused = False
        self.is_expected_to_end = False
        self.last_line = ""
        self.progress = ""  # of its stop, as it told last
        self.progress_s = 0.0  # when that was (monotonic)
        self._heard = heard
        self._changed = changed
        self._gone = threading.Event()
        self._handed_over = threading.Event()
        # A group of its own: Ctrl-C in a terminal is for whoever stops the nodes in the right order.
        self._process = subprocess.Popen(  # noqa: S603 (a command of our own making)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            process_group=0 if os.name == "posix" else None,
        )  # fmt: skip
        threading.Thread(target=self._listen, name=f"kafkacompat-node-{node_id}", daemon=True).start()

    @property
    def pid(self) -> int:
        """The process id, also of a process that is gone."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process is there, paused or not."""
        return not self._gone.is_set()

    def describe_end(self) -> str:
        """How it ended, and the last that was heard of it, for people."""
        status = self._process.returncode
        how = f"exit status {status}" if status >= 0 else f"killed by {_signal_name(-status)}"
        return f"{how}; its last line: {self.last_line}" if self.last_line else f"{how}; it said nothing"

    def hand_over(self) -> bool:
        """Ask a node to give up what it leads, in good time before it is stopped; False where that is not known."""
        self.is_expected_to_end = True
        self.resume()
        if HAND_OVER_SIGNAL is None or not self.is_running:
            return False
        self._process.send_signal(HAND_OVER_SIGNAL)
        return True

    def stop(self) -> None:
        """Ask for a clean end; a paused process is woken for it."""
        self.is_expected_to_end = True
        self.resume()
        self._process.terminate()

    def kill(self) -> None:
        """End it with no chance to do anything (SIGKILL)."""
        self.is_expected_to_end = True
        self._process.kill()

    def pause(self) -> None:
        """Stand still (SIGSTOP): its connections stay open, and nothing is answered."""
        self._process.send_signal(signal.SIGSTOP)
        self.is_paused = True

    def resume(self) -> None:
        """Go on after `pause`."""
        if self.is_paused:
            self._process.send_signal(signal.SIGCONT)
            self.is_paused = False

    def wait(self, timeout_s: float) -> bool:
        """Whether it is gone, at the latest after `timeout_s`."""
        return self._gone.wait(max(0.0, timeout_s))

    @property
    def has_handed_over(self) -> bool:
        """Whether it leads nothing any more, or is gone."""
        return self._handed_over.is_set()

    def silence_s(self, since_s: float) -> float:
        """For how long it has told of no progress, `since_s` (monotonic) at the earliest."""
        return time.monotonic() - max(since_s, self.progress_s)

    def _listen(self) -> None:
        output, keep_alive = self._process.stdout, self._process.stdin
        assert output is not None
        assert keep_alive is not None
        with output:
            while raw := output.readline(LINE_BYTES_MAX):
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                if says(line, READY):
                    self.is_ready = True
                    self._changed(self)
                elif says(line, HANDED_OVER):
                    self._handed_over.set()
                    self._changed(self)
                elif says(line, HANDING_OVER) or says(line, CLOSING):
                    self.progress, self.progress_s = told(line), time.monotonic()
                    self._changed(self)
                elif line.strip():
                    self.last_line = line
                    self._heard(self, line)
        self._process.wait()
        with contextlib.suppress(OSError):
            keep_alive.close()
        self._gone.set()
        self._handed_over.set()
        self._changed(self)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
