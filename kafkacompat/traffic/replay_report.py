"""What a replay has found, for people and for programs."""

from __future__ import annotations

import reprlib
from typing import NamedTuple

from kafkacompat.protocol import error_codes
from kafkacompat.traffic.fetched import Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.traffic.fetched import FieldDifference

VALUE_MAX_CHARS = 80
REQUESTS_SHOWN = 10
FIELDS_SHOWN = 5
"""So many differing answers, and fields of each, are in the lines."""

_shortener = reprlib.Repr()
_shortener.maxstring = _shortener.maxother = VALUE_MAX_CHARS


class Difference(NamedTuple):
    """An answer that differs. number: of the request, counted through the file. at_us: when it was captured."""

    number: int
    connection: int
    client_id: str
    api: str
    version: int
    names: list[str]
    at_us: int
    fields: list[FieldDifference]

    @property
    def lines(self) -> list[str]:
        """A line for the request, and one for each field that differs."""
        names = f" {', '.join(self.names[:3])}" if self.names else ""
        title = f"request {self.number} at {self.at_us / 1e6:.3f} s, connection {self.connection}"
        found = [f"{title}, {self.client_id or 'no client id'}: {self.api} v{self.version}{names}"]
        for path, was, is_ in self.fields[:FIELDS_SHOWN]:
            found.append(f"  {path} is {_text(path, is_)}, was {_text(path, was)}")
        if len(self.fields) > FIELDS_SHOWN:
            found.append(f"  {len(self.fields) - FIELDS_SHOWN} more fields differ")
        return found

    @property
    def kind(self) -> tuple[object, ...]:
        """What is the same for answers that differ in the same way."""
        return self.api, self.version, tuple(map(repr, self.fields))


class ReplayReport(NamedTuple):
    """What a replay has found.

    sent: requests. compared: answers that were waited for. skipped: requests that cannot be sent again, because secrets
    are missing in them, their connection is gone, or the broker has stopped answering. differences: the first ones.
    difference_count: all. cut_at: where the file was cut, or None.
    """

    sent: int
    compared: int
    skipped: int
    differences: list[Difference]
    difference_count: int
    cut_at: int | None
    took_s: float

    @property
    def is_equal(self) -> bool:
        """Whether no answer differs."""
        return not self.difference_count

    @property
    def lines(self) -> list[str]:
        """The first differences, those of one kind once, and a summary as the last line."""
        alike: dict[tuple[object, ...], list[Difference]] = {}
        for each in self.differences:
            alike.setdefault(each.kind, []).append(each)
        shown = list(alike.values())[:REQUESTS_SHOWN]
        found: list[str] = []
        for first, *others in shown:
            found += first.lines
            if others:
                numbers = ", ".join(str(each.number) for each in others[:REQUESTS_SHOWN])
                more = " and more" if len(others) > REQUESTS_SHOWN else ""
                found.append(f"  the same in requests {numbers}{more}")
        if left := self.difference_count - sum(map(len, shown)):
            found.append(f"{left} more answers differ")
        skipped = f", {self.skipped} requests were skipped" if self.skipped else ""
        cut = "" if self.cut_at is None else f", the file is cut at byte {self.cut_at}"
        equal = f"{self.compared - self.difference_count} of {self.compared} answers are equal"
        return [*found, f"{equal}, in {self.took_s:.1f} s{skipped}{cut}"]

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def plain(self) -> dict[str, Any]:
        """As numbers, texts, lists and dicts; values of fields as Python writes them, unless JSON has them."""
        differences = [
            {**each._asdict(), "fields": [
                {"path": field.path, "was": _plain(field.was), "is": _plain(field.is_)} for field in each.fields
            ]}
            for each in self.differences
        ]  # fmt: skip
        return {**self._asdict(), "is_equal": self.is_equal, "differences": differences}


def _text(path: str, value: object) -> str:
    if path.endswith("error_code") and isinstance(value, int):
        return f"{value} ({error_codes.name(value)})"
    return value if isinstance(value, Words) else _shortener.repr(value)


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, (bool, int, float, str)) else _shortener.repr(value)
