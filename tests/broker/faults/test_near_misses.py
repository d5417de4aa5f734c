"""A rule that never matched shows the requests that nearly did, and the selector that each failed."""

from __future__ import annotations

from typing import Any

import pytest

from kafkacompat.broker.faults.near_misses import NEAR_MISSES_MAX
from kafkacompat.protocol.messages.heartbeat import HeartbeatRequest
from tests.broker.faults.rules import Faulty, production


@pytest.fixture
def kafka() -> Faulty:
    harness = Faulty()
    harness.create_topic("t", 2)
    return harness


@pytest.mark.parametrize(
    ("when", "failed", "has"),
    [
        ({"version": "3-5"}, "version", "9"),
        ({"broker": 7}, "broker", "1"),
        ({"listener": "INTERNAL"}, "listener", "PLAINTEXT"),
        ({"client_id": "billing-*"}, "client_id", "'tests'"),
        ({"topic": "orders"}, "topic", "'t'"),
        ({"topic": "t", "partition": 5}, "partition", "0, 1"),
        ({"topic": "t", "txn_id": "x"}, "txn_id", "None"),
        ({"request": "acks == 1"}, "request", "not so"),
        ({"predicate": lambda request: request.client_id == "other"}, "predicate", "not so"),
    ],
    ids=["version", "broker", "listener", "client", "topic", "partition", "transaction", "request", "predicate"],
)
def test_the_selector_that_failed_is_named(kafka: Faulty, when: dict[str, Any], failed: str, has: str) -> None:
    rule = kafka.rule({"api": "produce", **when}, "drop")
    kafka.ask(production(0, 1), 9)
    (miss,) = rule.near_misses.best()
    assert (miss.api, miss.version, miss.client_id, miss.failed, miss.has) == ("produce", 9, "tests", failed, has)
    assert rule.hits == 0


def test_equal_ones_are_counted_and_the_nearest_come_first(kafka: Faulty) -> None:
    rule = kafka.rule({"api": "produce", "version": "9+", "topic": "t", "partition": 1}, "drop")
    for version in (3, 3, 9):
        kafka.ask(production(0), version)
    assert [(miss.failed, miss.count) for miss in rule.near_misses.best()] == [("partition", 1), ("version", 2)]
    assert [miss["has"] for miss in rule.as_dict()["near_misses"]] == ["0", "3"]


def test_their_number_is_bounded(kafka: Faulty) -> None:
    rule = kafka.rule({"api": "produce", "topic": "t", "partition": 1}, "drop")
    for version in range(3, 12):
        kafka.ask(production(0), version)
    assert len(rule.near_misses) == NEAR_MISSES_MAX
    assert rule.near_misses.seen == 9


def test_a_rule_with_hits_takes_no_notes(kafka: Faulty) -> None:
    rule = kafka.rule({"api": "heartbeat", "group": "g"}, {"error": "REBALANCE_IN_PROGRESS"})
    kafka.begin(HeartbeatRequest("g"), 4)
    kafka.begin(HeartbeatRequest("h"), 4)
    assert (rule.hits, len(rule.near_misses)) == (1, 0)


def test_a_predicate_that_fails_does_not_match(kafka: Faulty, caplog: pytest.LogCaptureFixture) -> None:
    rule = kafka.rule(lambda request: request.nothing, "drop")
    kafka.ask(production(0), 9)
    assert rule.hits == 0
    assert "the predicate of a fault rule failed" in caplog.text
