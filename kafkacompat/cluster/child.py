"""A node in its own process: starts it, reads its output, stops it and kills it."""

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
    control_url_of,
    is_notice,
    message_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LINE_BYTES_MAX = 65_536
"""A longer line of a child's log is split."""


class Child:
    """A process that runs `command`. Its standard input is a pipe from this process, whose end makes it stop.

    heard(child, line): a line that it wrote, except the supervisor protocol. changed(child): it became ready, handed
    over, made progress in its stop, or ended. Both are called on the child's reader thread.
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
        self.control_url: str | None = None  # of its control API, once it is ready
        self.last_line = ""
        self.progress = ""  # the last reported progress of its stop
        self.progress_s = 0.0  # the time of that report (monotonic)
        self._heard = heard
        self._changed = changed
        self._gone = threading.Event()
        self._handed_over = threading.Event()
        # Its own process group: Ctrl-C in a terminal goes only to the supervisor, which stops the nodes in order.
        self._process = subprocess.Popen(  # noqa: S603 (a command of our own making)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            process_group=0 if os.name == "posix" else None,
        )  # fmt: skip
        threading.Thread(target=self._listen, name=f"kafkacompat-node-{node_id}", daemon=True).start()

    @property
    def pid(self) -> int:
        """The process id, also after its end."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process exists, paused or not."""
        return not self._gone.is_set()

    def describe_end(self) -> str:
        """How it ended, and its last line of output."""
        status = self._process.returncode
        how = f"exit status {status}" if status >= 0 else f"killed by {_signal_name(-status)}"
        return f"{how}; its last line: {self.last_line}" if self.last_line else f"{how}; it wrote nothing"

    def hand_over(self) -> bool:
        """Ask the node to hand over its partitions, before it is stopped; False if the system has no such signal."""
        self.is_expected_to_end = True
        self.resume()
        if HAND_OVER_SIGNAL is None or not self.is_running:
            return False
        self._process.send_signal(HAND_OVER_SIGNAL)
        return True

    def stop(self) -> None:
        """Ask for a clean stop; a paused process is resumed."""
        self.is_expected_to_end = True
        self.resume()
        self._process.terminate()

    def kill(self) -> None:
        """Kill the process (SIGKILL)."""
        self.is_expected_to_end = True
        self._process.kill()

    def pause(self) -> None:
        """Pause the process (SIGSTOP): its connections stay open, and it answers nothing."""
        self._process.send_signal(signal.SIGSTOP)
        self.is_paused = True

    def resume(self) -> None:
        """Resume after `pause`."""
        if self.is_paused:
            self._process.send_signal(signal.SIGCONT)
            self.is_paused = False

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end; returns False after `timeout_s`."""
        return self._gone.wait(max(0.0, timeout_s))

    @property
    def has_handed_over(self) -> bool:
        """Whether it has handed over all partitions, or has ended."""
        return self._handed_over.is_set()

    def silence_s(self, since_s: float) -> float:
        """The time since its last report of progress, or since `since_s` (monotonic) if that is later."""
        return time.monotonic() - max(since_s, self.progress_s)

    def _listen(self) -> None:
        output, keep_alive = self._process.stdout, self._process.stdin
        assert output is not None
        assert keep_alive is not None
        with output:
            while raw := output.readline(LINE_BYTES_MAX):
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                if is_notice(line, READY):
                    self.control_url = control_url_of(line)
                    self.is_ready = True
                    self._changed(self)
                elif is_notice(line, HANDED_OVER):
                    self._handed_over.set()
                    self._changed(self)
                elif is_notice(line, HANDING_OVER) or is_notice(line, CLOSING):
                    self.progress, self.progress_s = message_of(line), time.monotonic()
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
