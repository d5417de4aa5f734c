"""Rules are read from plain dicts; every mistake is named with its place and a near name."""

from __future__ import annotations

from typing import Any

import pytest

from kafkacompat.broker.faults.actions import ACTIONS
from kafkacompat.broker.faults.rule import parse_rule
from kafkacompat.broker.faults.rule_errors import FaultRuleError, UnmatchableRuleError
from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol import error_codes as errors
from tests.broker.faults.rules import mistakes

DROP = {"drop": {}}
WRONG: list[tuple[Any, str, str]] = [
    ([], "", "give an object with members, not a list"),
    ({}, "/then", "say what happens to matching requests, or set observe to only count them"),
    ({"then": DROP, "wen": {}}, "/wen", "there is no such member here"),
    ({"then": {}}, "/then", "give one of error, delay, drop"),
    ({"then": {"drop": {}, "delay": 3}}, "/then", "for several actions add several rules"),
    ({"then": "dorp"}, "/then/dorp", "there is no such action"),
    ({"then": {"error": "NO_LEADER"}}, "/then/error/code", "'NO_LEADER' is no error code of Kafka"),
    ({"then": {"error": {"code": 0}}}, "/then/error/code", "NONE is no error"),
    ({"then": {"error": {"level": "topp"}}}, "/then/error/level", "'topp' is none of top, entity"),
    ({"then": {"error": {"leader_hint": "yes"}}}, "/then/error/leader_hint", "give true"),
    ({"then": {"delay": {}}}, "/then/delay", "give one of ms, uniform and lognormal"),
    ({"then": {"delay": {"ms": -1}}}, "/then/delay/ms", "give a number from 0 to 3600000, not -1"),
    ({"then": {"delay": {"uniform": [5, 3]}}}, "/then/delay/uniform", "give [low, high]"),
    ({"then": {"delay": {"lognormal": {}}}}, "/then/delay/lognormal/median_ms", "say which delay half"),
    ({"then": {"drop": {"at": "never"}}}, "/then/drop/at", "'never' is none of before, after"),
    ({"then": DROP, "times": 0}, "/times", "give an integer of at least 1, not 0"),
    ({"then": DROP, "times": True}, "/times", "give an integer"),
    ({"then": DROP, "probability": 2}, "/probability", "give a number from 0 to 1, not 2"),
    ({"then": DROP, "observe": 1}, "/observe", "give true or false"),
    ({"then": DROP, "label": 5}, "/label", "give a string"),
    ({"then": DROP, "label": "x" * 201}, "/label", "give at most 200 characters"),
    ({"then": "throttle"}, "/then/throttle/ms", "say for how many milliseconds"),
    ({"then": {"delay": {"lognormal": {"median_ms": 1, "mean": 2}}}}, "/then/delay/lognormal/mean", "no such member"),
    ({"then": DROP, "duration_ms": 5, "for_ms": 5}, "/for_ms", "another name of duration_ms"),
    ({"then": DROP, "when": {"api": "produse"}}, "/when/api", "'produse' is no API of this broker"),
    ({"then": DROP, "when": {"version": "new"}}, "/when/version", "give a number, or a range"),
    ({"then": DROP, "when": {"partition": "0"}}, "/when/partition", "give an integer or a list of them"),
    ({"then": DROP, "when": {"topic": []}}, "/when/topic", "an empty list matches nothing"),
    ({"then": DROP, "when": {"topic_id": "t"}}, "/when/topic_id", "'t' is not a topic id"),
    ({"then": DROP, "when": {"request": "acks"}}, "/when/request", "is not '<path> == <value>'"),
    ({"then": DROP, "when": {"predicate": "acks"}}, "/when/predicate", "give a Python function"),
    ({"then": DROP, "when": {"topik": "t"}}, "/when/topik", "there is no such member here"),
]
IMPOSSIBLE: list[tuple[Any, str, str]] = [
    ({"api": "heartbeat", "topic": "t"}, "/when/topic", "heartbeat names only group"),
    ({"api": "api_versions", "group": "g"}, "/when/group", "names nothing that a rule can select"),
    ({"api": "produce", "version": "90+"}, "/when/version", "this broker has produce in versions 0-13"),
    ({"topic": "t", "txn_id": "x", "resource": "r"}, "/when", "no API has all of topic, txn_id, resource"),
    ({"api": ["fetch", "heartbeat"], "partition": 1}, "/when/partition", "heartbeat names only group"),
    ({"api": "update_features", "version": 2, "resource": "f"}, "/when/resource", "names nothing"),
]


@pytest.mark.parametrize(("rule", "pointer", "message"), WRONG, ids=lambda value: str(value)[:40])
def test_a_mistake_is_named_with_its_place(rule: Any, pointer: str, message: str) -> None:
    with pytest.raises(FaultRuleError) as caught:
        parse_rule(rule)
    assert not isinstance(caught.value, UnmatchableRuleError)
    assert message in mistakes(caught.value)[pointer]
    assert isinstance(caught.value, KafkaCompatError)


@pytest.mark.parametrize(("when", "pointer", "message"), IMPOSSIBLE, ids=lambda value: str(value)[:40])
def test_a_rule_that_can_never_match_is_an_error_of_its_own(when: Any, pointer: str, message: str) -> None:
    with pytest.raises(UnmatchableRuleError) as caught:
        parse_rule({"when": when, "then": DROP})
    assert message in mistakes(caught.value)[pointer]


@pytest.mark.parametrize(
    ("then", "pointer"),
    [({"level": "entity"}, "/then/error/level"), ({"leader_hint": True}, "/then/error/leader_hint")],
)
def test_an_error_that_no_answer_has_a_place_for_can_never_be(then: Any, pointer: str) -> None:
    with pytest.raises(UnmatchableRuleError) as caught:
        parse_rule({"when": {"api": "heartbeat"}, "then": {"error": {"code": "UNKNOWN_MEMBER_ID", **then}}})
    assert list(mistakes(caught.value)) == [pointer]


def test_all_mistakes_come_at_once_with_what_was_meant() -> None:
    with pytest.raises(FaultRuleError) as caught:
        parse_rule({"when": {"topik": "t"}, "then": {"errr": "REQUEST_TIMED_OUT"}, "time": 3})
    assert [mistake.as_dict()["did_you_mean"] for mistake in caught.value.mistakes] == ["topic", "error", "times"]
    assert "did you mean 'topic'?" in str(caught.value)


def test_a_rule_reads_back_as_it_was_written() -> None:
    given = {
        "when": {"api": ["produce"], "topic": "orders-*", "version": "3-9"},
        "then": {"error": {"code": "REQUEST_TIMED_OUT", "level": "entity", "work": "after"}},
        "times": 3, "skip": 1, "duration_ms": 500, "probability": 0.5, "seed": 7, "label": "late",
    }  # fmt: skip
    found = parse_rule(given).as_dict()
    assert {name: found[name] for name in given} == given
    assert (found["hits"], found["left"], found["has_ended"], found["near_misses"]) == (0, 3, False, [])


def test_short_forms_mean_the_same() -> None:
    for short, long in (
        ({"error": "not_controller"}, {"error": {"code": errors.NOT_CONTROLLER}}),
        ({"error": errors.NOT_CONTROLLER}, {"error": {"code": "NOT_CONTROLLER"}}),
        ({"delay": 20}, {"delay": {"ms": 20, "at": "before"}}),
        ("drop", {"drop": {"at": "before"}}),
        ({"drop": "after"}, {"drop": {"at": "after"}}),
    ):
        assert parse_rule({"then": short}).as_dict()["then"] == parse_rule({"then": long}).as_dict()["then"]


def test_apis_are_found_in_any_spelling() -> None:
    keys = {parse_rule({"when": {"api": name}, "then": "drop"}).selectors.keys for name in
            ("find_coordinator", "FindCoordinator", "FIND_COORDINATOR")}  # fmt: skip
    assert keys == {frozenset((10,))}


def test_the_actions_know_their_names() -> None:
    assert {name: action.kind for name, action in ACTIONS.items()} == {name: name for name in ACTIONS}
