"""Prints rows: as a table for people, as JSON Lines or CSV for programs, or as raw values."""

from __future__ import annotations

import json
import sys

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    Row = dict[str, Any]

WORDS = ("table", "json", "csv", "raw")


def formatted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the flag -f for rows; it is passed as `words`."""
    return click.option(
        "-f", "--format", "words", type=click.Choice(WORDS), default="table", show_default=True,
        help="json: an object on each line; raw: the values of the first column.",
    )(function)  # fmt: skip


def formatted_by_output(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `formatted`, with JSON as the default where stdout is no terminal."""
    return click.option(
        "-f", "--format", "words", type=click.Choice(WORDS), default=_by_output,
        show_default="table on a terminal, else json",
        help="json: an object on each line; raw: the values of the first column.",
    )(function)  # fmt: skip


def _by_output() -> str:
    return "table" if sys.stdout.isatty() else "json"


def print_rows(rows: Iterable[Row], columns: Sequence[str], words: str) -> None:
    """Print rows on stdout. In tables and CSV lists are joined by commas; None is "-" in tables and empty in CSV."""
    write = sys.stdout.write
    if words == "json":
        for row in rows:
            write(to_json(row) + "\n")
    elif words == "raw":
        for row in rows:
            write(f"{_text(row[columns[0]], '')}\n")
    elif words == "csv":
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_text(row[name], "") for name in columns] for row in rows)
    else:
        _table([[_text(row[name], "-") for name in columns] for row in rows], columns, write)


def to_json(value: object) -> str:
    """JSON on one line; readable unless a text is no valid Unicode."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # header names that are not UTF-8
        return json.dumps(value, separators=(",", ":"))
    return text


def _table(rows: list[list[str]], columns: Sequence[str], write: Callable[[str], object]) -> None:
    titles = [name.replace("_", " ").upper() for name in columns]
    widths = [max(len(row[at]) for row in [titles, *rows]) for at in range(len(columns))]
    for row in [titles, *rows]:
        write("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() + "\n")


def _text(value: object, nothing: str) -> str:
    if value is None:
        return nothing
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(item, nothing) for item in value) or nothing
    if isinstance(value, dict):
        return ",".join(f"{key}={_text(item, nothing)}" for key, item in value.items()) or nothing
    return str(value)
