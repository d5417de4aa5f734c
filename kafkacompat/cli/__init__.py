"""The command line. One file per verb; what a verb needs is imported when it runs."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_OWN_OPTIONS = ("--help", "--version")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a verb and end the process with its status. Without a verb it is `serve`."""
    from kafkacompat.cli.commands import root

    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in _OWN_OPTIONS):
        given.insert(0, "serve")
    root.main(given, prog_name="kafkacompat")
