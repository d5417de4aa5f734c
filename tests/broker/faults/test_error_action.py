"""Errors in place of answers: for whole requests or single entities, before the work or after it."""

from __future__ import annotations

import pytest

from kafkacompat.protocol import error_codes as errors
from tests.broker.faults.rules import NOT_LEADER, Faulty, ends, produced, production


@pytest.fixture
def kafka() -> Faulty:
    harness = Faulty()
    harness.create_topic("t", 2)
    return harness


def test_one_partition_fails_and_the_other_is_written(kafka: Faulty) -> None:
    kafka.rule({"api": "produce", "partition": 0}, NOT_LEADER)
    assert produced(kafka.ask(production(0, 1), 9)) == {0: errors.NOT_LEADER_OR_FOLLOWER, 1: 0}
    assert ends(kafka) == [0, 1]


def test_after_the_work_the_records_are_there(kafka: Faulty) -> None:
    kafka.rule({"api": "produce", "partition": 0}, {"error": {"code": "NOT_LEADER_OR_FOLLOWER", "work": "after"}})
    assert produced(kafka.ask(production(0, 1), 9)) == {0: errors.NOT_LEADER_OR_FOLLOWER, 1: 0}
    assert ends(kafka) == [1, 1]


@pytest.mark.parametrize("code", ["REQUEST_TIMED_OUT", "NOT_ENOUGH_REPLICAS_AFTER_APPEND"])
def test_some_errors_come_after_the_work_as_they_do_from_a_broker(kafka: Faulty, code: str) -> None:
    kafka.rule({"api": "produce"}, {"error": code})
    assert produced(kafka.ask(production(0), 9)) == {0: getattr(errors, code)}
    assert ends(kafka) == [1, 0]


def test_other_codes_come_before_it(kafka: Faulty) -> None:
    kafka.rule({"api": "produce"}, {"error": "NOT_ENOUGH_REPLICAS"})
    assert produced(kafka.ask(production(0), 9)) == {0: errors.NOT_ENOUGH_REPLICAS}
    assert ends(kafka) == [0, 0]


def test_each_entity_belongs_to_the_first_rule_that_matches_it(kafka: Faulty) -> None:
    first = kafka.rule({"api": "produce", "partition": 0}, NOT_LEADER)
    second = kafka.rule({"api": "produce", "topic": "t"}, {"error": "CORRUPT_MESSAGE"})
    third = kafka.rule({"api": "produce"}, {"error": "MESSAGE_TOO_LARGE"})
    found = produced(kafka.ask(production(0, 1), 9))
    assert found == {0: errors.NOT_LEADER_OR_FOLLOWER, 1: errors.CORRUPT_MESSAGE}
    assert [rule.hits for rule in (first, second, third)] == [1, 1, 0]
