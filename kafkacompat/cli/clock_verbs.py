"""`kafkacompat clock`: sees and moves the time of the brokers at a control API."""

from __future__ import annotations

import click

from kafkacompat.cli.controlled import controlled
from kafkacompat.cli.durations import duration_ms
from kafkacompat.cli.exits import say
from kafkacompat.cli.rows import formatted_by_output, print_rows
from kafkacompat.client.texts import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.client.control import ControlClient

COLUMNS = ("time", "offset_ms", "is_frozen")


@click.group()
def clock() -> None:
    """See and move the brokers' time: retention, sessions, time-outs."""


@clock.command()
@formatted_by_output
@controlled
def show(client: ControlClient, *, words: str) -> None:
    """Show the brokers' time, how far it is ahead of the computer's, and whether it stands still."""
    _print(client.get("/v1/clock"), words)


@clock.command()
@click.argument("by_ms", metavar="DURATION", type=duration_ms)
@click.option("--no-sessions", is_flag=True, help="Members of groups keep the time that they have left.")
@formatted_by_output
@controlled
def advance(client: ControlClient, *, by_ms: int, no_sessions: bool, words: str) -> None:
    """Move the brokers' time forward, like 5m or 8d, and let everything happen that is due by then."""
    moved = client.post("/v1/clock/advance", {"ms": by_ms, "sessions": not no_sessions})
    if words == "json":
        print_rows([moved], (), words)
        return
    fired = moved["fired"]
    say(f"the brokers' time is {_time(moved['wall_ms'])}; {counted(len(fired), 'timer')} fired")
    if fired or words == "csv":
        print_rows([{"fired": each} for each in fired], ("fired",), words)


@clock.command()
@formatted_by_output
@controlled
def freeze(client: ControlClient, *, words: str) -> None:
    """Stop the brokers' time, until it is resumed or advanced."""
    _print(client.post("/v1/clock/freeze"), words)


@clock.command()
@formatted_by_output
@controlled
def resume(client: ControlClient, *, words: str) -> None:
    """Let the brokers' time go on."""
    _print(client.post("/v1/clock/resume"), words)


def _print(found: dict[str, Any], words: str) -> None:
    if words == "json":
        print_rows([found], (), words)
    else:
        print_rows([{"time": _time(found["wall_ms"]), **found}], COLUMNS, words)


def _time(wall_ms: int) -> str:
    from datetime import UTC, datetime

    try:
        moment = datetime.fromtimestamp(wall_ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):  # after the year 9999
        return f"{wall_ms} ms since 1970"
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
