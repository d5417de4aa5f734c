"""What a node says on standard output to whoever started it, and by which signal it is asked to."""

from __future__ import annotations

import signal

READY = "ready"
"""Clients can work."""
HANDING_OVER = "handing over"
"""The node is stopping, and the controllers have answered it: how many partitions it still leads."""
HANDED_OVER = "handed over"
"""The node leads no partition any more."""
CLOSING = "closing"
"""The node is stopping and closes its logs: how many it has closed, of how many."""
HAND_OVER_SIGNAL = getattr(signal, "SIGUSR1", None)
"""Asks a node that was started with --stop-with-stdin to hand over, some time before it is stopped; None on Windows."""
SECOND_SIGNAL = (
    "a second signal ends it at once: nothing that was acknowledged is lost, but the next start checks all logs"
)
"""What is said while a stop takes long. A process that is killed loses nothing: the kernel has what it has written."""
_NAME = "kafkacompat"


def notice(version: str, what: str, rest: str = "") -> str:
    """The line that says `what`: one of the words above, and more for people."""
    return " ".join(filter(None, (_NAME, version, what, rest)))


def told(line: str) -> str:
    """What a notice says, without the name and version before it."""
    return line.partition(" ")[2].partition(" ")[2]


def says(line: str, what: str) -> bool:
    """Whether this line of a node is that notice, from whatever version."""
    name, _, rest = line.partition(" ")
    return name == _NAME and rest.partition(" ")[2].startswith(what)
