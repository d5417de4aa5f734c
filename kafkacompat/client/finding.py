"""A line in the report of `kafkacompat doctor`."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """One line of the report. `kind` is how a failure counts: unreachable, refused, expired, missing or different."""

    step: str
    level: str
    text: str
    advice: str = ""
    row: str = ""
    kind: str = ""
