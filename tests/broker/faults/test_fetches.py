"""A refused partition ends a long poll, and those of a fetch session count."""

from __future__ import annotations

from typing import Any

import pytest

from kafkacompat.broker import consumer_fetch
from kafkacompat.broker.faults import unsent
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


def test_an_error_of_the_whole_fetch_goes_first(kafka: Faulty) -> None:
    kafka.rule({"api": "fetch", "topic": "t"}, NOT_LEADER)
    answer = kafka.ask(poll(session=(123, 1)), 11)
    assert (answer.error_code, answer.responses) == (errors.FETCH_SESSION_ID_NOT_FOUND, [])


def test_partitions_of_a_session_without_news_are_refused_too(kafka: Faulty) -> None:
    first = kafka.ask(poll(session=(0, 0)), 11)
    kafka.rule({"api": "fetch", "topic": "t"}, NOT_LEADER)
    answer = kafka.ask(poll(session=(first.session_id, 1), partitions=()), 11)
    refused = (errors.NOT_LEADER_OR_FOLLOWER, 0)
    assert [topic.topic for topic in answer.responses] == ["t"]
    assert fetched(answer) == {0: refused, 1: refused}


@pytest.mark.parametrize(
    "then", [NOT_LEADER, {"error": {"level": "top", "work": "after"}}, {"drop": "after"}, "hide", {"silence": "after"}]
)
def test_records_that_are_not_sent_release_their_files(
    kafka: Faulty, monkeypatch: pytest.MonkeyPatch, then: Any
) -> None:
    kafka.ask(production(0), 9)
    released: list[Any] = []

    def note(parts: Any) -> None:
        released.extend(part for part in parts if hasattr(part, "release"))

    monkeypatch.setattr(unsent, "_release", note)
    kafka.rule({"api": "fetch", "topic": "t"}, then)
    connection = kafka.connect()
    connection.drop = lambda _reason: None
    kafka.begin(poll(partitions=(0,)), 11, connection)
    assert len(released) == 1


@pytest.mark.parametrize("rule", [{"then": {"delay": {"ms": 50}}}, {"then": {"throttle": 50}}, {"observe": True}])
def test_a_wide_fetch_with_a_rule_is_answered_early_for_a_later_request(
    kafka: Faulty, monkeypatch: pytest.MonkeyPatch, rule: dict[str, Any]
) -> None:
    monkeypatch.setattr(consumer_fetch, "PARTITIONS_AT_ONCE_MAX", 1)
    kafka.rule({"api": "fetch"}, **rule)
    told: list[bool] = []
    kafka.connection.resumed = lambda: told.append(kafka.broker.complete_early(b"\0\3", kafka.connection, kafka.now))
    answer = kafka.begin(poll(wait_ms=60_000), 11)
    while not told:
        kafka.advance(10)
    for _ in range(5):
        kafka.advance(0)
    assert answer.is_there
