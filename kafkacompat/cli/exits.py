"""Exit statuses of the verbs that talk to a Kafka, and how errors become one of them and a line for the user."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FAILED = 1
USAGE = 2
NOT_FOUND = 3
EXISTS = 4
EXPIRED = 5
UNREACHABLE = 6
REFUSED = 7
DIFFERENT = 8
INTERRUPTED = 130
MEANINGS = {
    0: "done",
    FAILED: "failed, for a reason that has no number of its own",
    USAGE: "the command line is wrong",
    NOT_FOUND: "what was named does not exist",
    EXISTS: "it exists already",
    EXPIRED: "the time ran out",
    UNREACHABLE: "no broker can be reached, or it is not Kafka",
    REFUSED: "the broker refused: rights, credentials, certificates, settings",
    DIFFERENT: "it works, and something differs from what was asked for",
    INTERRUPTED: "ended by Ctrl-C",
}
"""What docs/cli.md says of them."""
_OF_HTTP = {400: USAGE, 422: USAGE, 401: REFUSED, 403: REFUSED, 421: REFUSED, 404: NOT_FOUND, 408: EXPIRED}


class VerbError(KafkaCompatError):
    """A reason to end a verb with one of these statuses."""

    def __init__(self, message: str, status: int = FAILED) -> None:
        super().__init__(message)
        self.status = status


def status_of(error: KafkaCompatError) -> int:
    """The exit status for an error."""
    from kafkacompat.client import errors as client
    from kafkacompat.protocol import error_codes as codes

    if isinstance(error, VerbError):
        return error.status
    if isinstance(error, client.AddressError):
        return USAGE
    if isinstance(error, client.ExpiredError):
        return EXPIRED
    if isinstance(error, client.SecurityError):
        return REFUSED
    if isinstance(error, (client.UnreachableError, client.UnknownPeerError)):
        return UNREACHABLE
    if isinstance(error, client.ControlError):
        return EXISTS if error.name == "topic-exists" else _OF_HTTP.get(error.status, FAILED)
    if not isinstance(error, client.BrokerError):
        return FAILED
    if error.error_code in (
        codes.UNKNOWN_TOPIC_OR_PARTITION, codes.GROUP_ID_NOT_FOUND, codes.UNKNOWN_TOPIC_ID, codes.RESOURCE_NOT_FOUND,
        codes.TRANSACTIONAL_ID_NOT_FOUND,
    ):  # fmt: skip
        return NOT_FOUND
    if error.error_code == codes.TOPIC_ALREADY_EXISTS:
        return EXISTS
    return EXPIRED if error.error_code == codes.REQUEST_TIMED_OUT else REFUSED


def say(line: str) -> None:
    """A line for people, on stderr. Nothing is lost if that is closed."""
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr)  # noqa: T201


def say_error(error: KafkaCompatError) -> None:
    """An error's line, with the next step where the error itself names none."""
    say(f"kafkacompat: {error}{_next_step(error)}")


def _next_step(error: KafkaCompatError) -> str:
    from kafkacompat.client.errors import BrokerError

    if isinstance(error, BrokerError) and status_of(error) == NOT_FOUND:
        kind = {"topic": "topic", "group": "group", "transactional": "txn"}.get(error.subject.partition(" ")[0])
        if kind is not None:
            return f"; kafkacompat {kind} list names those that do"
    return ""


def output_failed(error: OSError) -> int:
    """The status for stdout that cannot be written: 0 if its reader is gone. From now on it is nothing, so that Python
    says nothing of it at its end either.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if isinstance(error, BrokenPipeError):
        return 0
    say(f"kafkacompat: {error.strerror or error}")
    return FAILED


def verb(function: Callable[..., object]) -> Callable[..., None]:
    """Let a verb end with its status: one line on stderr for an error, silence when the reader of stdout is gone."""

    @functools.wraps(function)
    def run(*given: Any, **named: Any) -> None:
        try:
            status = function(*given, **named)
            sys.stdout.flush()
        except KafkaCompatError as error:
            say_error(error)
            status = status_of(error)
        except UnicodeEncodeError as error:
            say(f"kafkacompat: stdout takes {error.encoding} only: set PYTHONIOENCODING=utf-8")
            status = FAILED
        except OSError as error:
            status = output_failed(error)
        except KeyboardInterrupt:
            status = INTERRUPTED
        sys.exit(status if isinstance(status, int) else 0)

    return run


def ended_by(error: Exception) -> int:
    """The status for what a command line raised beside a verb: it is wrong, or stdout cannot be written."""
    import click

    if isinstance(error, click.Abort):  # Ctrl-C at a question
        return INTERRUPTED
    if isinstance(error, OSError) and error.errno in (errno.EPIPE, errno.ENOSPC):
        return output_failed(error)
    if not isinstance(error, click.ClickException):
        raise error
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return error.exit_code
    context = getattr(error, "ctx", None)
    hint = f"; see {context.command_path} --help" if context is not None else ""
    say(f"kafkacompat: {' '.join(error.format_message().split()).removesuffix('.')}{hint}")
    return error.exit_code
