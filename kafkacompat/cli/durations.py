"""Lengths of time as users write them: 200ms, 5s, 10m, 2h, 7d."""

from __future__ import annotations

import re

import click

from kafkacompat.cli.positions import LENGTH, UNITS_MS

_DURATION = re.compile(LENGTH)


def duration_ms(text: str) -> int:
    """The length in ms; the type of a flag or an argument. Raises BadParameter with a line for the user."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise click.BadParameter(f"{text!r} is no length of time: write 200ms, 5s, 10m, 2h or 7d")
    return int(match[1]) * UNITS_MS[match[2]]
