"""Records are compared as a test writes them down, and a difference reads well."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.cluster.expectations import (
    LINES_MAX,
    Comparison,
    described,
    difference,
    differences,
    matches,
)
from kafkacompat.cluster.view_lines import short
from kafkacompat.cluster.view_types import Record


def record(value: Any, offset: int = 0, key: str | None = None, partition: int = 0, **changes: Any) -> Record:
    data = value if value is None or isinstance(value, bytes) else json.dumps(value).encode()
    made = Record(
        "orders", partition, offset, 0, "create_time", 0, None if key is None else key.encode(), data, [], 0, 0,
        is_transactional=False, control=None, state="committed", codec="none",
    )  # fmt: skip
    return made._replace(**changes)


def log(*values: Any, keys: str = "") -> list[Record]:
    return [record(value, offset, keys[offset] if keys else None) for offset, value in enumerate(values)]


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        ("text", b"text"), (b"\xff", b"\xff"), (None, None), (re.compile("^t.xt$"), b"text"),
        (re.compile(b"\xff"), b"a\xff"), ({"a": None}, b'{"a": null}'),
        ({"a": 1}, b'{"a": 1, "b": 2}'), ({"a": {"b": [1, {"c": 2}]}}, b'{"a": {"b": [1, {"c": 2, "d": 3}], "e": 4}}'),
        ([1, 2], b"[1, 2]"), (3, b"3"), (True, b"true"), ({"a": re.compile("x+")}, b'{"a": "xx"}'),
        ({"a": lambda member: member > 2}, b'{"a": 3}'), (lambda one: one.json["a"] == 3, b'{"a": 3}'),
    ],
)  # fmt: skip
def test_a_record_is_what_is_expected(expected: Any, value: bytes | None) -> None:
    assert matches(expected, record(value))


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        ("text", b"texts"), (b"", None), (None, b""), (re.compile("x"), b"text"[:1]), (re.compile("x"), None),
        ({"a": 1}, b'{"b": 1}'), ({"a": 1}, b"[1]"), ({"a": 1}, b"no json"), ({"a": 1}, None), ([1], b"[1, 2]"),
        (1, b"true"), ({"a": None}, b"{}"), (lambda one: one.json["b"] == 3, b'{"a": 3}'),
        (lambda one: one.json["b"], b"\xff"), ({"a": re.compile("x")}, b'{"a": 1}'),
        ({"a": lambda member: member > 2}, b'{"a": null}'), ({"a": lambda member: member["b"]}, b'{"a": {}}'),
    ],
)  # fmt: skip
def test_a_record_is_something_else(expected: Any, value: bytes | None) -> None:
    assert not matches(expected, record(value))


def test_members_that_differ_are_named() -> None:
    expected = {"id": 1, "to": {"city": "Bern", "zip": 3000}, "items": [1, 2], "gone": 0}
    actual = {"id": 2, "to": {"city": "Bern", "zip": 3001}, "items": [1, 3]}
    assert differences(expected, actual) == ["id is 2", "to.zip is 3001", "items[1] is 3", "gone is not there"]
    assert differences({"a": {"b": 1}}, {"a": 5}) == ["a is 5"]
    assert differences([1], 2) == ["the value is 2"]


def outcome(
    expected: list[Any], records: list[Record], order: str
) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    compared = Comparison(expected, records, order)
    assert compared.is_equal == (not compared.missing and not compared.unexpected and not compared.misplaced)
    return compared.missing, compared.unexpected, compared.misplaced


def test_the_order_counts_for_each_key_for_all_or_not_at_all() -> None:
    records = log(1, 2, 3, 4, keys="abab")
    for order in ("per_key", "exact", "any"):
        assert outcome([1, 2, 3, 4], records, order) == ([], [], [])
    assert outcome([2, 1, 4, 3], records, "per_key") == ([], [], [])
    assert outcome([2, 1, 4, 3], records, "any") == ([], [], [])
    assert len(outcome([2, 1, 4, 3], records, "exact")[2]) == 2
    assert outcome([3, 1, 2, 4], records, "per_key") == ([], [], [(0, 2)])
    assert outcome([3, 1, 2, 4], records, "any") == ([], [], [])


def test_records_without_a_key_are_in_order_in_their_partition() -> None:
    records = [record(1, 0), record(2, 1), record(3, 0, partition=1)]
    assert outcome([3, 1, 2], records, "per_key") == ([], [], [])
    assert len(outcome([2, 1, 3], records, "per_key")[2]) == 1


def test_what_is_missing_and_what_is_unexpected_are_apart() -> None:
    assert outcome([1, 5, 2, 2], log(1, 2, 3), "per_key") == ([1, 3], [2], [])
    assert outcome([], log(1), "exact") == ([], [0], [])
    assert outcome([1], [], "any") == ([0], [], [])


def test_an_expectation_that_fits_several_records_leaves_each_other_one_its_own() -> None:
    records = log("ab", "ac")
    assert outcome([re.compile("a"), re.compile("ab")], records, "any") == ([], [], [])
    assert outcome([lambda _: True, "nothing", re.compile("ab")], records, "any") == ([1], [], [])


@given(st.lists(st.integers(0, 5), max_size=8), st.lists(st.sets(st.integers(0, 5)), max_size=6))
def test_as_many_are_found_as_can_be(values: list[int], wanted: list[set[int]]) -> None:
    records = log(*values)
    expected = [(lambda one, among=among: one.json in among) for among in wanted]

    def most(index: int, free: frozenset[int]) -> int:
        if index == len(wanted):
            return 0
        found = [at for at in free if values[at] in wanted[index]]
        return max([most(index + 1, free), *(1 + most(index + 1, free - {at}) for at in found)])

    compared = Comparison(expected, records, "any")
    assert len(wanted) - len(compared.missing) == most(0, frozenset(range(len(values))))
    assert len(values) - len(compared.unexpected) == len(wanted) - len(compared.missing)


GOLDEN = """\
orders: 2 of 4 expected records were produced
missing (2):
  - expected[1]: {"id": 7, "city": "Bern"}
      orders-0@3 is like it, but id is 4
  - expected[3]: {"id": 9}
      but orders-1@8 b'{"id": 9}' is aborted
unexpected (2):
  + orders-0@0 key=b'a' b'{"id": 1}'
  + orders-0@3 key=b'b' b'{"id": 4, "city": "Bern"}'
in another order (1):
  ~ expected[0]: orders-0@2 key=b'b' b'{"id": 3}'
not compared: 1 aborted, 1 with another key"""


def test_a_difference_reads_like_this() -> None:
    records = log({"id": 1}, {"id": 2}, {"id": 3}, {"id": 4, "city": "Bern"}, keys="abbb")
    left_out = [
        (record({"id": 9}, 8, partition=1), "aborted"),
        (record({"id": 8}, 9, partition=1), "with another key"),
    ]
    compared = Comparison([{"id": 3}, {"id": 7, "city": "Bern"}, {"id": 2}, {"id": 9}], records, "per_key")
    assert difference("orders", compared, left_out) == GOLDEN


def test_a_difference_is_short_however_much_differs() -> None:
    records = [record({"id": number, "x": 1, "y": 1}, number, "k") for number in range(500)]
    expected = [{"id": 10, "x": 1}, {"id": 9, "x": 1}, {"id": 8}, {"id": 7}]
    expected += [{"id": -number, "x": 1} for number in range(1, 100)]
    text = difference("orders", Comparison(expected, records, "exact"), [(records[0], "aborted")])
    lines = text.splitlines()
    assert len(lines) <= LINES_MAX
    assert lines[0] == "orders: 4 of 103 expected records were produced"
    assert "missing (99):" in lines
    assert "    and 95 more" in lines
    assert "unexpected (496):" in lines
    assert lines[-1] == "not compared: 1 aborted"


def test_expectations_are_described_as_they_are_written() -> None:
    assert described("text") == "'text'"
    assert described(None) == "None"
    assert described({"a": [1]}) == '{"a": [1]}'
    assert described({"a": re.compile("x")}).startswith("{'a': re.compile(")
    assert described(re.compile("a+")) == "regex 'a+'"
    assert described(test_expectations_are_described_as_they_are_written).startswith("function test_expectations_")
    assert len(described("x" * 1_000)) <= 80
    assert len(described({"a": "x" * 1_000})) <= 100
    assert short(b"a" * 500).startswith("b'aaa")
