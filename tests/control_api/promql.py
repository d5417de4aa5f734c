"""As much of PromQL as our dashboard and alert rules use: one metric, one function over time, one aggregation, one
comparison.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

Labels = tuple[tuple[str, str], ...]
Scrape = dict[tuple[str, Labels], float]
"""Values by name and sorted labels; `instance` is a label."""

COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt, "<": operator.lt, "!=": operator.ne, "==": operator.eq,
}  # fmt: skip
AGGREGATE: dict[str, Callable[[list[float]], float]] = {"sum": sum, "max": max, "min": min}
FORM = re.compile(
    r"(?:(?P<aggregate>sum|max|min)\()?(?:(?P<function>rate|increase|changes)\()?(?P<metric>[a-z_:]+)"
    r"(?P<range>\[\d+m\])?\)*(?: by \((?P<by>\w+)\))?(?: (?P<compare>>|<|!=|==) (?P<limit>\d+))?"
)


class Query(NamedTuple):
    """A parsed expression."""

    aggregate: str | None
    function: str | None
    metric: str
    by: str | None
    compare: str | None
    limit: float | None

    def over(self, scrapes: list[Scrape]) -> dict[Labels, float]:
        """The series of the result; with a comparison only those for which it holds."""
        scrapes = scrapes if self.function else scrapes[-1:]  # a node that is gone has no series any more
        series = {labels for scrape in scrapes for name, labels in scrape if name == self.metric}
        values = {labels: self._value(labels, scrapes) for labels in series}
        if self.aggregate is not None:
            groups: dict[Labels, list[float]] = {}
            for labels, value in values.items():
                key = tuple((name, text) for name, text in labels if name == self.by)
                groups.setdefault(key, []).append(value)
            values = {key: AGGREGATE[self.aggregate](group) for key, group in groups.items()}
        if self.compare is None or self.limit is None:
            return values
        return {key: value for key, value in values.items() if COMPARE[self.compare](value, self.limit)}

    def _value(self, labels: Labels, scrapes: list[Scrape]) -> float:
        points = [scrape[self.metric, labels] for scrape in scrapes if (self.metric, labels) in scrape]
        if self.function == "changes":
            return sum(before != after for before, after in pairwise(points))
        return points[-1] - points[0] if self.function else points[-1]


def parse(text: str) -> Query:
    """Raises ValueError for anything that is not of the form."""
    found = FORM.fullmatch(text)
    if found is None or text.count("(") != text.count(")"):
        raise ValueError(f"not understood: {text}")
    if (found["function"] is None) != (found["range"] is None):
        raise ValueError(f"a range needs a function, and a function a range: {text}")
    limit = None if found["limit"] is None else float(found["limit"])
    return Query(found["aggregate"], found["function"], found["metric"], found["by"], found["compare"], limit)
