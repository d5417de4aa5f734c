"""Compares the records of a topic with those that a test expects, and tells the difference in few lines."""

from __future__ import annotations

import json
import re
from bisect import bisect_left

from kafkacompat.cluster.view_lines import record_line, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from kafkacompat.cluster.view_types import Record

    Expected: TypeAlias = (
        str | bytes | re.Pattern[str] | re.Pattern[bytes] | dict[str, Any] | list[Any] | int | float
        | Callable[[Record], object] | None
    )  # fmt: skip

LINES_MAX = 20
"""The most lines of a difference."""
ITEMS_MAX = 4
"""The most missing, and the most unexpected records that are shown."""
REASSIGNED_MAX = 250_000
"""With more pairs of expected and produced records, one that matches several is not tried with all of them."""
PER_KEY, EXACT, ANY = "per_key", "exact", "any"
ORDERS = (PER_KEY, EXACT, ANY)
_NO_MATCH = (ValueError, KeyError, IndexError, TypeError, AttributeError)
"""What a function raises that looks at a record or a value of another kind."""


def matches(expected: Expected, record: Record) -> bool:
    """Whether a record is what is expected.

    A text or bytes are the whole value; None is a tombstone; a regex is searched in the value; a dict is a JSON object
    that has these members, and maybe others; a list or number is JSON, too; a function gets the record.
    """
    if expected is None or isinstance(expected, bytes):
        return record.value == expected
    if isinstance(expected, str):
        return record.value == expected.encode()
    if isinstance(expected, re.Pattern):
        return _found(expected, record.value)
    if callable(expected):
        return _holds(expected, record)
    try:
        return not differences(expected, record.json)
    except ValueError:
        return False


def differences(expected: Any, actual: Any, path: str = "") -> list[str]:
    """Where a JSON value is not as expected; members of objects that are not expected do not count."""
    at = path or "the value"
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return [f"{at} is {short(actual)}"]
        found = []
        for name, member in expected.items():
            inner = f"{path}.{name}" if path else str(name)
            found += differences(member, actual[name], inner) if name in actual else [f"{inner} is not there"]
        return found
    if isinstance(expected, (list, tuple)):
        if not isinstance(actual, list):
            return [f"{at} is {short(actual)}"]
        if len(expected) != len(actual):
            return [f"{at} has {len(actual)} items"]
        pairs = enumerate(zip(expected, actual, strict=True))
        return [line for index, (one, other) in pairs for line in differences(one, other, f"{path}[{index}]")]
    if isinstance(expected, re.Pattern):
        is_equal = isinstance(actual, str) and _found(expected, actual.encode())
    elif callable(expected):
        is_equal = _holds(expected, actual)
    else:
        is_equal = expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
    return [] if is_equal else [f"{at} is {short(actual)}"]


def _holds(function: Callable[[Any], object], value: object) -> bool:
    """What a user's function says; False if it cannot look at such a value."""
    try:
        return bool(function(value))
    except _NO_MATCH:
        return False


def _found(pattern: re.Pattern[Any], value: bytes | None) -> bool:
    if value is None:
        return False
    if isinstance(pattern.pattern, bytes):
        return pattern.search(value) is not None
    return pattern.search(value.decode("utf-8", "replace")) is not None


class Comparison:
    """Which expected record is which produced one. `missing` and `unexpected` are indexes of expected and produced
    records; `misplaced` are pairs of both that are out of order.
    """

    def __init__(self, expected: Sequence[Expected], records: Sequence[Record], order: str) -> None:
        self.expected = expected
        self.records = records
        found = _assign(expected, records)
        taken = set(found.values())
        self.missing = [index for index in range(len(expected)) if index not in found]
        self.unexpected = [index for index in range(len(records)) if index not in taken]
        self.misplaced = [] if order == ANY else _misplaced(found, records, order)

    @property
    def is_equal(self) -> bool:
        """Whether all that is expected was produced, nothing else, and in order."""
        return not (self.missing or self.unexpected or self.misplaced)


def _assign(expected: Sequence[Expected], records: Sequence[Record]) -> dict[int, int]:
    """The produced record of each expected one, where there is one: the first that matches and is free."""
    if len(expected) == len(records) and all(map(matches, expected, records)):
        return {index: index for index in range(len(expected))}
    found: dict[int, int] = {}
    free = dict.fromkeys(range(len(records)))
    left = []
    for index, one in enumerate(expected):
        at = next((at for at in free if matches(one, records[at])), None)
        if at is None:
            left.append(index)
        else:
            found[index] = at
            del free[at]
    if left and free and len(expected) * len(records) <= REASSIGNED_MAX:
        _reassign(left, expected, records, found)
    return found


def _reassign(left: list[int], expected: Sequence[Expected], records: Sequence[Record], found: dict[int, int]) -> None:
    """Find records for those that are left, by giving others another one (augmenting paths in the bipartite graph)."""
    edges = {
        index: [at for at, record in enumerate(records) if matches(one, record)] for index, one in enumerate(expected)
    }
    owner = {at: index for index, at in found.items()}
    for start in left:
        came_from: dict[int, int] = {}
        waiting = [start]
        end = None
        while waiting and end is None:
            index = waiting.pop()
            for at in edges[index]:
                if at in came_from:
                    continue
                came_from[at] = index
                if at not in owner:
                    end = at
                    break
                waiting.append(owner[at])
        while end is not None:
            index = came_from[end]
            before = found.get(index)
            found[index], owner[end] = end, index
            end = None if index == start else before


def _misplaced(found: dict[int, int], records: Sequence[Record], order: str) -> list[tuple[int, int]]:
    """The pairs outside of the longest sequence in order: of a key (or of a partition, without keys), or of all."""
    sequences: dict[object, list[tuple[int, int]]] = {}
    for index in sorted(found):
        record = records[found[index]]
        key = None if order == EXACT else record.partition if record.key is None else record.key
        sequences.setdefault(key, []).append((index, found[index]))
    misplaced = []
    for pairs in sequences.values():
        in_order = _longest_ascending([at for _, at in pairs])
        misplaced += [pair for place, pair in enumerate(pairs) if place not in in_order]
    return sorted(misplaced)


def _longest_ascending(values: list[int]) -> set[int]:
    """The places of a longest ascending subsequence."""
    tails: list[int] = []  # the last value of the best subsequence of each length, and its place
    places: list[int] = []
    before: list[int | None] = []
    for place, value in enumerate(values):
        length = bisect_left(tails, value)
        before.append(places[length - 1] if length else None)
        tails[length : length + 1] = [value]
        places[length : length + 1] = [place]
    found = set()
    at: int | None = places[-1] if places else None
    while at is not None:
        found.add(at)
        at = before[at]
    return found


def difference(topic: str, compared: Comparison, left_out: Sequence[tuple[Record, str]]) -> str:
    """What differs, in at most LINES_MAX lines. `left_out`: records that were not compared, and why."""
    expected, records = compared.expected, compared.records
    there = len(expected) - len(compared.missing)
    lines = [f"{topic}: {there} of {len(expected)} expected records were produced"]
    if compared.missing:
        lines.append(f"missing ({len(compared.missing)}):")
        for index in compared.missing[:ITEMS_MAX]:
            lines.append(f"  - expected[{index}]: {described(expected[index])}")
            lines += _nearest(expected[index], compared, left_out)
        lines += _more(compared.missing, ITEMS_MAX)
    if compared.unexpected:
        lines.append(f"unexpected ({len(compared.unexpected)}):")
        lines += [f"  + {record_line(records[at])}" for at in compared.unexpected[:ITEMS_MAX]]
        lines += _more(compared.unexpected, ITEMS_MAX)
    if compared.misplaced:
        lines.append(f"in another order ({len(compared.misplaced)}):")
        shown = 2
        for index, at in compared.misplaced[:shown]:
            lines.append(f"  ~ expected[{index}]: {record_line(records[at])}")
        lines += _more(compared.misplaced, shown)
    if left_out:
        counts: dict[str, int] = {}
        for _, why in left_out:
            counts[why] = counts.get(why, 0) + 1
        lines.append("not compared: " + ", ".join(f"{count} {why}" for why, count in counts.items()))
    if len(lines) > LINES_MAX:
        lines[LINES_MAX - 2 : -1] = ["  ..."]
    return "\n".join(lines)


def _more(found: Sequence[object], shown: int) -> list[str]:
    return [f"    and {len(found) - shown} more"] if len(found) > shown else []


def _nearest(expected: Expected, compared: Comparison, left_out: Sequence[tuple[Record, str]]) -> list[str]:
    """A line with the record that is nearest to an expected one, if there is one that resembles it."""
    for record, why in left_out:
        if matches(expected, record):
            return [f"      but {record_line(record)} is {why}"]
    if not isinstance(expected, dict):
        return []
    best: tuple[int, Record, list[str]] | None = None
    for at in compared.unexpected:
        record = compared.records[at]
        try:
            found = differences(expected, record.json)
        except ValueError:
            continue
        if len(found) < max(2, len(expected)) and (best is None or len(found) < best[0]):
            best = len(found), record, found
    if best is None:
        return []
    _, record, found = best
    return [f"      {record.topic}-{record.partition}@{record.offset} is like it, but {', '.join(found[:3])}"]


def described(expected: Expected) -> str:
    """What is expected, as Python or JSON writes it."""
    if isinstance(expected, re.Pattern):
        return f"regex {short(expected.pattern)}"
    if callable(expected):
        name = getattr(expected, "__name__", repr(expected))
        line = getattr(getattr(expected, "__code__", None), "co_firstlineno", None)
        return f"function {name}" if line is None else f"function {name} of line {line}"
    if isinstance(expected, (dict, list)):
        try:
            return short_json(expected)
        except TypeError:  # regexes and functions inside
            return short(expected)
    return short(expected)


def short_json(value: object) -> str:
    """The value as JSON, shortened in its middle."""
    text = json.dumps(value)
    return text if len(text) <= 100 else f"{text[:48]}...{text[-48:]}"
