"""Conditions of a query that say which offsets, partitions and times need not be read (Spark 4.1 and newer)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from kafkacompat.protocol.constants import LONG_MAX


class Narrowing(NamedTuple):
    """What a row must have to be wanted. Offsets are exclusive at the upper end; None: any."""

    topics: frozenset[str] | None = None
    partitions: frozenset[int] | None = None
    start_offset: int = 0
    end_offset: int = LONG_MAX
    min_timestamp_ms: int | None = None

    def wants(self, topic: str, partition: int) -> bool:
        return (self.topics is None or topic in self.topics) and (
            self.partitions is None or partition in self.partitions
        )


def narrow(filters: Iterable[Any]) -> Narrowing:
    """What conditions of PySpark's kinds `EqualTo`, `In`, `GreaterThan` … say together. Others say nothing."""
    found = Narrowing()
    for each in filters:
        column = ".".join(getattr(each, "attribute", ()))
        kind = type(each).__name__
        value: Any = getattr(each, "value", None)
        if kind in ("EqualTo", "EqualNullSafe", "In") and column in ("topic", "partition"):
            values = frozenset(value if kind == "In" else [value])
            if column == "topic":
                found = found._replace(topics=values & (values if found.topics is None else found.topics))
            else:
                found = found._replace(partitions=values & (values if found.partitions is None else found.partitions))
        if column == "offset" and type(value) is int:
            found = _offsets(found, kind, value)
        if column == "timestamp" and kind in ("EqualTo", "GreaterThan", "GreaterThanOrEqual"):
            found = found._replace(min_timestamp_ms=max(_ms(value), found.min_timestamp_ms or 0))
    return found


def _offsets(found: Narrowing, kind: str, value: int) -> Narrowing:
    start, end = found.start_offset, found.end_offset
    if kind in ("EqualTo", "EqualNullSafe", "GreaterThanOrEqual"):
        start = max(start, value)
    if kind == "GreaterThan":
        start = max(start, value + 1)
    if kind in ("EqualTo", "EqualNullSafe", "LessThanOrEqual"):
        end = min(end, value + 1)
    if kind == "LessThan":
        end = min(end, value)
    return found._replace(start_offset=start, end_offset=end)


def _ms(value: Any) -> int:
    """Spark gives local time without a zone; of an hour that there is twice, the first one."""
    if not isinstance(value, datetime):
        return 0
    return int(min(value.replace(fold=0).timestamp(), value.replace(fold=1).timestamp()) * 1000)
