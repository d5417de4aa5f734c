"""The checks of bodies and parameters."""

from __future__ import annotations

import pytest

from kafkacompat.control_api.http import schemas
from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.http.schemas import COUNT, ERRORS_MAX, STRING, an_object, check, from_text, read_json
from tests.comparisons import Comparisons

RULE = an_object(
    {
        "when": an_object({"topic": STRING, "partition": COUNT}),
        "kind": {"type": "string", "enum": ["error", "delay"]},
        "times": {"type": ["integer", "null"], "minimum": 1, "maximum": 9},
        "tags": {"type": "array", "items": STRING, "maxItems": 2},
        "labels": {"type": "object", "additionalProperties": STRING},
    },
    ("kind",),
)


@pytest.mark.parametrize(
    ("value", "pointer", "hint"),
    [
        ({}, "/kind", None),
        ({"kind": "dealy"}, "/kind", "delay"),
        ({"kind": "delay", "wen": {}}, "/wen", "when"),
        ({"kind": "delay", "when": {"topik": "a"}}, "/when/topik", "topic"),
        ({"kind": "delay", "when": {"partition": -1}}, "/when/partition", None),
        ({"kind": "delay", "when": {"partition": True}}, "/when/partition", None),
        ({"kind": "delay", "when": []}, "/when", None),
        ({"kind": "delay", "times": 10}, "/times", None),
        ({"kind": "delay", "tags": ["a", 2]}, "/tags/1", None),
        ({"kind": "delay", "tags": ["a", "b", "c"]}, "/tags", None),
        ({"kind": "delay", "labels": {"a/b~c": 1}}, "/labels/a~1b~0c", None),
    ],
)
def test_a_mistake_is_found_where_it_is(value: object, pointer: str, hint: str | None) -> None:
    (error,) = check(value, RULE)
    assert (error.pointer, error.did_you_mean) == (pointer, hint)


def test_the_members_that_there_are_are_named_where_none_is_near() -> None:
    (error,) = check({"kind": "delay", "when": {"colour": "red"}}, RULE)
    assert error.message == "there is no such member: known are partition, topic"


def test_what_fits_has_no_mistakes_and_many_mistakes_are_cut_off() -> None:
    assert check({"kind": "error", "times": None, "when": {"topic": "a"}, "labels": {"x": "y"}}, RULE) == []
    assert len(check({str(number): 1 for number in range(100)}, RULE)) == ERRORS_MAX


@pytest.mark.parametrize(
    "body", [b"{", b"\xff", b'{"a": 1, "a": 2}', b"NaN", b"[" * 100_000, b"1" * 10_000, b"", b'{"a": Infinity}']
)
def test_what_is_not_json_is_a_problem(body: bytes) -> None:
    with pytest.raises(ProblemError) as found:
        read_json(body)
    assert found.value.status == 400


def test_a_member_that_is_there_twice_is_found_without_comparing_each_with_each() -> None:
    compared = Comparisons(str)
    pairs: list[tuple[str, object]] = [(compared.value(f"member {number}"), number) for number in range(1_000)]
    assert len(schemas._distinct(pairs)) == 1_000
    with pytest.raises(ValueError, match="'member 999' twice"):
        schemas._distinct([*pairs, (compared.value("member 999"), 0)])
    assert compared.count < 2_000


def test_texts_of_parameters_become_values_if_they_can() -> None:
    assert [from_text(text, COUNT) for text in ("7", "-7", "x", "٣", "9" * 30)] == [7, -7, "x", "٣", "9" * 30]
    assert [from_text(text, {"type": "boolean"}) for text in ("true", "false", "1")] == [True, False, "1"]
