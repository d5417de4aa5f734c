"""What a node says on standard output to whoever started it, and by which signal it is asked to."""

from __future__ import annotations

import signal

READY = "ready"
"""Clients can work."""
HANDED_OVER = "handed over"
"""The node leads no partition any more."""
HAND_OVER_SIGNAL = getattr(signal, "SIGUSR1", None)
"""Asks a node that was started with --stop-with-stdin to hand over, some time before it is stopped; None on Windows."""
_NAME = "kafkacompat"


def notice(version: str, what: str, rest: str = "") -> str:
    """The line that says `what`: one of the words above, and more for people."""
    return " ".join(filter(None, (_NAME, version, what, rest)))


def says(line: str, what: str) -> bool:
    """Whether this line of a node is that notice, from whatever version."""
    name, _, rest = line.partition(" ")
    return name == _NAME and rest.partition(" ")[2].startswith(what)
