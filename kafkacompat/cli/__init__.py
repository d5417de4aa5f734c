"""The command line. One file per verb; what a verb needs is imported when it runs."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERRUPTED = 130  # as in exits.py, which is not imported for it
_OWN_OPTIONS = ("--help", "--version")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a verb and end the process with its status. Without a verb it is `serve`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in _OWN_OPTIONS):
        given.insert(0, "serve")
    if sys.stdout is None:  # it was closed before we began
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 (pathlib costs start-up time; open to the end)
    try:
        import click

        from kafkacompat.cli.commands import root

        try:
            status = root.main(given, prog_name="kafkacompat", standalone_mode=False)
            sys.stdout.flush()
        except (click.ClickException, click.Abort, OSError) as error:
            from kafkacompat.cli.exits import ended_by

            status = ended_by(error)
    except KeyboardInterrupt:  # before the verb listens to signals: there is nothing yet to stop
        status = _INTERRUPTED
    sys.exit(status if isinstance(status, int) else 0)
