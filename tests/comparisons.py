"""Values that count how often they are compared, for tests of what must not compare each with each."""

from __future__ import annotations

from typing import Any

COMPARING = ("__eq__", "__lt__", "__le__", "__gt__", "__ge__")


class Comparisons:
    """Makes values of a type, str or int, and counts their comparisons."""

    def __init__(self, kind: type) -> None:
        self.count = 0
        counted = {name: self._counting(getattr(kind, name)) for name in COMPARING}
        self.value: Any = type(f"Compared{kind.__name__}", (kind,), {**counted, "__hash__": kind.__hash__})
        """The subclass: call it to make a value."""

    def _counting(self, compare: Any) -> Any:
        def counting(one: object, other: object) -> Any:
            self.count += 1
            return compare(one, other)

        return counting
