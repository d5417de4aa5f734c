"""Positions in partitions as users write them: offsets and times, in rpk's words (`-o`)."""

from __future__ import annotations

import re
import time

from kafkacompat.cli.exits import VerbError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.client.client import Client, Place

LENGTH = r"(\d{1,12})(ms|[smhd])"
UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION = re.compile(rf"([+-]?){LENGTH}")
_TIME = r"@(?:\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?|[^:]*)"
_RANGE = re.compile(rf"({_TIME}|[^:@]*)(?:(:)({_TIME}|.*))?")
FORMS = "start, end, an offset, +N after the start, -N before the end, or @TIME"


class Position:
    """Where to begin or to end in each partition: start, end, N, +N, -N, @time. Raises VerbError for other texts.

    `relative_to_ms` is what a duration after @ is added to; None: now.
    """

    def __init__(self, text: str, relative_to_ms: int | None = None) -> None:
        self.text = text
        self.time_ms = parse_time(text[1:], relative_to_ms) if text.startswith("@") and text != "@end" else None
        if self.time_ms is None and text not in ("start", "end", "@end") and not re.fullmatch(r"[+-]?\d{1,18}", text):
            raise VerbError(f"{text!r} is no position: write {FORMS}", 2)

    def resolve(self, client: Client, places: Sequence[Place], isolation: int = 0) -> dict[Place, int]:
        """The offset in each partition, within its log. Behind the last record of a time it is the end."""
        from kafkacompat.client.partition_offsets import EARLIEST, LATEST, list_offsets

        starts = list_offsets(client, dict.fromkeys(places, EARLIEST))
        ends = list_offsets(client, dict.fromkeys(places, LATEST), isolation=isolation)
        found = {} if self.time_ms is None else list_offsets(client, dict.fromkeys(places, self.time_ms))
        resolved = {}
        for place in places:
            start, end = starts[place].offset, ends[place].offset
            if self.time_ms is not None:
                offset = end if found[place].offset < 0 else found[place].offset
            elif self.text in ("start", "end", "@end"):
                offset = start if self.text == "start" else end
            elif self.text[0] == "+":
                offset = start + int(self.text)
            elif self.text[0] == "-":
                offset = end + int(self.text)
            else:
                offset = int(self.text)
            resolved[place] = min(max(offset, start), end)
        return resolved


def parse_range(text: str) -> tuple[Position | None, Position | None]:
    """rpk's `-o`: FROM, FROM:TO, FROM:, :TO, @FROM:TO. Raises VerbError."""
    match = _RANGE.fullmatch(text)
    if match is None:
        raise VerbError(f"{text!r} is no range: write FROM, FROM:TO or :TO, each of them {FORMS}", 2)
    first, colon, last = match[1], match[2], match[3] or ""
    if first == "@" and colon:  # @:t
        first, last = "", f"@{last}"
    elif first.startswith("@") and last and not last.startswith("@"):
        last = f"@{last}"
    begin = Position(first) if first else None
    is_absolute = begin is not None and begin.time_ms is not None and _DURATION.fullmatch(first[1:]) is None
    relative_to_ms = begin.time_ms if begin is not None and is_absolute else None
    return begin, Position(last, relative_to_ms) if last else None


def parse_time(text: str, relative_to_ms: int | None = None) -> int:
    """A time in ms since 1970: 13 digits ms, 9 or 10 digits s, a day, RFC 3339, or a duration from now like -10m."""
    if re.fullmatch(r"\d{13}", text):
        return int(text)
    if re.fullmatch(r"\d{9,10}", text):
        return int(text) * 1000
    duration = _DURATION.fullmatch(text)
    if duration:
        base_ms = int(time.time() * 1000) if relative_to_ms is None else relative_to_ms
        length_ms = int(duration[2]) * UNITS_MS[duration[3]]
        return max(base_ms - length_ms if duration[1] == "-" else base_ms + length_ms, 0)
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise VerbError(
            f"{text!r} is no time: write 2026-01-31T12:00:00Z, 2026-01-31, seconds, ms or -10m", 2
        ) from None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
