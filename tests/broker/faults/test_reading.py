"""Plain dicts are read with checks; all mistakes are collected."""

from __future__ import annotations

import pytest

from kafkacompat.broker.faults.action import AFTER, BEFORE
from kafkacompat.broker.faults.reading import Reader
from kafkacompat.broker.faults.rule_errors import FaultRuleError, UnmatchableRuleError
from tests.broker.faults.rules import mistakes


def test_members_are_read_and_the_rest_is_unknown() -> None:
    reader = Reader({"at": "after", "many": [1, 2], "one": "x", "inner": {"deep": 5}, "none": None})
    assert reader.choice("at", (BEFORE, AFTER), BEFORE) == AFTER
    assert reader.list_of("many", int) == [1, 2]
    assert reader.list_of("one", str) == ["x"]
    assert reader.text("none") is None
    inner = reader.inner("inner")
    reader.end()
    inner.end()
    with pytest.raises(FaultRuleError) as caught:
        reader.finish()
    assert list(mistakes(caught.value)) == ["/inner/deep"]


def test_what_can_never_be_comes_after_mistakes() -> None:
    reader = Reader({})
    reader.cannot("topic", "no topic here")
    with pytest.raises(UnmatchableRuleError):
        reader.finish()
    reader.mistake("topic", "wrong")
    with pytest.raises(FaultRuleError) as caught:
        reader.finish()
    assert mistakes(caught.value) == {"/topic": "wrong"}
