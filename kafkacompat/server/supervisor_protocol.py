"""The protocol between a node and its supervisor: lines on standard output, and a signal."""

from __future__ import annotations

import signal

READY = "ready"
"""Clients can be served."""
HANDING_OVER = "handing over"
"""The node is in controlled shutdown; followed by the number of partitions that it still leads."""
HANDED_OVER = "handed over"
"""The node leads no partition any more."""
CLOSING = "closing"
"""The node closes its logs; followed by the number of closed logs and the total."""
HAND_OVER_SIGNAL = getattr(signal, "SIGUSR1", None)
"""Asks a node that was started with --stop-with-stdin to hand over before it is stopped; None on Windows."""
SECOND_SIGNAL = (
    "a second signal ends it at once: nothing that was acknowledged is lost, but the next start checks all logs"
)
"""Printed while a stop takes long. A killed process loses nothing, because the kernel has what it has written."""
CONTROL_AT = ", control at "
"""In the ready line, before the address of the node's control API."""
_NAME = "kafkacompat"


def notice(version: str, what: str, rest: str = "") -> str:
    """The line for `what`, one of the words above, with details for people."""
    return " ".join(filter(None, (_NAME, version, what, rest)))


def message_of(line: str) -> str:
    """The message of a line, without name and version."""
    return line.partition(" ")[2].partition(" ")[2]


def is_notice(line: str, what: str) -> bool:
    """Whether this line is the notice `what`, of any version."""
    name, _, rest = line.partition(" ")
    return name == _NAME and rest.partition(" ")[2].startswith(what)


def control_url_of(line: str) -> str | None:
    """The address of the control API in a ready line; None if it has none."""
    return line.rpartition(CONTROL_AT)[2].rstrip(")") if CONTROL_AT in line else None
