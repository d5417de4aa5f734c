"""The command line. One file per verb; what a verb needs is imported when it runs."""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

_OWN_OPTIONS = ("--help", "--version")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a verb and end the process with its status. Without a verb it is `serve`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in _OWN_OPTIONS):
        given.insert(0, "serve")
    if sys.stdout is None:  # it was closed before we began
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 (pathlib costs start-up time; open to the end)
    try:
        status = _run(given)
        sys.stdout.flush()
    except KeyboardInterrupt:  # before the verb listens to signals: there is nothing yet to stop
        from kafkacompat.cli.exits import INTERRUPTED

        status = INTERRUPTED
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        from kafkacompat.cli.exits import output_failed

        status = output_failed(error)
    sys.exit(status)


def _run(given: list[str]) -> int:
    """Run a verb. A command line that is wrong is one line on stderr."""
    import click

    from kafkacompat.cli.commands import root

    try:
        status = root.main(given, prog_name="kafkacompat", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        _say(error)
        return error.exit_code
    except click.Abort:  # Ctrl-C, or the end of the input, at a question
        raise KeyboardInterrupt from None
    return status if isinstance(status, int) else 0


def _say(error: click.ClickException) -> None:
    from kafkacompat.cli.exits import say

    context = getattr(error, "ctx", None)
    hint = f"; see {context.command_path} --help" if context is not None else ""
    say(f"kafkacompat: {' '.join(error.format_message().split()).removesuffix('.')}{hint}")
