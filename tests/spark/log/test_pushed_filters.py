from datetime import UTC, datetime
from typing import Any

import pytest

from kafkacompat.spark.log.pushed_filters import Narrowing, narrow


def condition(kind: str, column: str, value: Any) -> Any:
    """As pyspark.sql.datasource has them."""
    made = type(kind, (), {})()
    made.attribute, made.value = (column,), value
    return made


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([("GreaterThanOrEqual", "offset", 5), ("LessThan", "offset", 9)], Narrowing(start_offset=5, end_offset=9)),
        ([("GreaterThan", "offset", 5), ("LessThanOrEqual", "offset", 9)], Narrowing(start_offset=6, end_offset=10)),
        ([("EqualTo", "offset", 7)], Narrowing(start_offset=7, end_offset=8)),
        ([("In", "partition", (1, 2)), ("EqualTo", "partition", 2)], Narrowing(partitions=frozenset({2}))),
        ([("EqualTo", "topic", "orders")], Narrowing(topics=frozenset({"orders"}))),
        ([("Not", "offset", 7), ("EqualTo", "value", b"x"), ("LessThan", "timestamp", 5)], Narrowing()),
    ],
)
def test_conditions_narrow_what_is_read(conditions: list[tuple[str, str, Any]], expected: Narrowing) -> None:
    assert narrow([condition(*each) for each in conditions]) == expected


def test_times_come_as_local_time_without_a_zone() -> None:
    at = datetime(2026, 5, 1, 10, tzinfo=UTC)
    local = at.astimezone().replace(tzinfo=None)
    assert narrow([condition("GreaterThan", "timestamp", local)]).min_timestamp_ms == int(at.timestamp() * 1000)


def test_partitions_that_are_not_wanted() -> None:
    found = Narrowing(frozenset({"orders"}), frozenset({1}))
    assert found.wants("orders", 1)
    assert not found.wants("orders", 2)
    assert not found.wants("payments", 1)
    assert Narrowing().wants("payments", 0)
