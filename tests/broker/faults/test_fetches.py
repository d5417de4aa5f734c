"""A refused partition ends a long poll, and those of a fetch session count."""

from __future__ import annotations

import pytest

from kafkacompat.protocol import error_codes as errors
from tests.broker.faults.rules import NOT_LEADER, Faulty, fetched, poll, production


@pytest.fixture
def kafka() -> Faulty:
    harness = Faulty()
    harness.create_topic("t", 2)
    return harness


def test_a_refused_partition_ends_a_long_poll(kafka: Faulty) -> None:
    kafka.rule({"api": "fetch", "partition": 1}, NOT_LEADER)
    assert fetched(kafka.ask(poll(wait_ms=60_000), 11)) == {0: (0, 0), 1: (errors.NOT_LEADER_OR_FOLLOWER, 0)}


def test_an_observing_rule_does_not_end_it(kafka: Faulty) -> None:
    rule = kafka.rule({"api": "fetch", "partition": 1}, observe=True)
    answer = kafka.begin(poll(wait_ms=60_000), 11)
    assert rule.hits == 1
    assert not answer.is_there


def test_the_partitions_of_a_fetch_session_count(kafka: Faulty) -> None:
    kafka.ask(production(0, 1), 9)
    first = kafka.ask(poll(session=(0, 0)), 11)
    rule = kafka.rule({"api": "fetch", "partition": 1}, NOT_LEADER, times=1)
    nothing_named = kafka.ask(poll(session=(first.session_id, 1), partitions=()), 11)
    found = fetched(nothing_named)
    assert found[1] == (errors.NOT_LEADER_OR_FOLLOWER, 0)
    assert found[0][1] > 0  # the records were not fetched further, so they are sent again
    assert rule.hits == 1
    again = fetched(kafka.ask(poll(session=(first.session_id, 2), partitions=()), 11))
    assert again[1][1] > 0


def test_a_session_tells_again_what_an_error_has_hidden(kafka: Faulty) -> None:
    rule = kafka.rule({"api": "fetch", "partition": 1}, NOT_LEADER, times=1)
    first = kafka.ask(poll(session=(0, 0)), 11)
    assert fetched(first)[1] == (errors.NOT_LEADER_OR_FOLLOWER, 0)
    assert rule.hits == 1
    second = kafka.ask(poll(session=(first.session_id, 1), partitions=()), 11)
    assert fetched(second) == {1: (0, 0)}  # its offsets; partition 0 has nothing new
    assert fetched(kafka.ask(poll(session=(first.session_id, 2), partitions=()), 11)) == {}
