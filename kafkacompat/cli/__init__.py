"""The command line. One file per verb; what a verb needs is imported when it runs."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130
"""The exit status of a program that Ctrl-C has ended, as shells have it."""
_OWN_OPTIONS = ("--help", "--version")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a verb and end the process with its status. Without a verb it is `serve`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in _OWN_OPTIONS):
        given.insert(0, "serve")
    try:
        from kafkacompat.cli.commands import root

        root.main(given, prog_name="kafkacompat")
    except KeyboardInterrupt:  # before the verb listens to signals: there is nothing yet to stop
        sys.exit(INTERRUPTED)
