"""What kind of answer an answer is, so that a run can say how many different ones it has compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

NO_ANSWER = "connection closed"


class Exchange(NamedTuple):
    """One question and what kind of answer it got."""

    api_key: int
    version: int
    outcome: str


def outcome(facts: Any) -> str:
    """The error codes in an answer and which of its lists had items, by path; the same words for the same kind.

    Order, number of items and values of other fields do not matter, so a kind is counted once however often it comes.
    """
    if not isinstance(facts, Mapping):
        return NO_ANSWER
    found: dict[str, set[str]] = {}
    _collect(facts, "", found)
    return "; ".join(f"{path} {','.join(sorted(words))}" for path, words in sorted(found.items())) or "answered"


def _collect(value: Any, path: str, found: dict[str, set[str]]) -> None:
    if isinstance(value, Mapping):
        for name, item in value.items():
            where = f"{path}.{name}" if path else str(name)
            if name.endswith("error_code"):
                found.setdefault(where, set()).add(str(item))
            else:
                _collect(item, where, found)
    elif isinstance(value, list):
        found.setdefault(path, set()).add("items" if value else "empty")
        for item in value:
            _collect(item, path, found)
