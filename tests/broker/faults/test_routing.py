"""A request that came to the wrong broker keeps its own error, unless a rule names that broker."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.broker.faults import routing
from kafkacompat.broker.faults.rule import Rule
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.heartbeat import HeartbeatRequest
from tests.broker.faults.rules import NOT_LEADER, Faulty, fetched, poll, produced, production


@pytest.fixture
def kafka(monkeypatch: pytest.MonkeyPatch) -> Faulty:
    """Its broker believes that node 2 leads partition 1, of which it has a replica, and all groups."""
    harness = Faulty()
    harness.create_topic("t", 2)
    image = type(harness.broker.image)
    find = image.partition

    def partition(self: Any, topic: str, index: int) -> Any:
        if topic == "__consumer_offsets" or (topic, index) == ("t", 1):
            return SimpleNamespace(leader=2, leader_epoch=0, replicas=(1, 2))
        return find(self, topic, index)

    monkeypatch.setattr(image, "partition", partition)
    return harness


def hits(kafka: Faulty, request: Any, version: int, when: dict[str, Any], then: Any) -> Rule:
    rule = kafka.rule(when, then)
    kafka.begin(request, version)
    kafka.rules.remove(rule.id)
    return rule


def test_an_error_is_for_the_leader(kafka: Faulty) -> None:
    assert routing.TO_LEADER
    rule = hits(kafka, production(1), 9, {"api": "produce"}, NOT_LEADER)
    assert rule.hits == 0
    assert [miss.failed for miss in rule.near_misses.best()] == ["broker"]
    assert hits(kafka, production(1), 9, {"api": "produce", "topic": "t"}, NOT_LEADER).hits == 0
    kafka.rule({"api": "produce"}, NOT_LEADER)
    assert produced(kafka.ask(production(0, 1), 9)) == {0: errors.NOT_LEADER_OR_FOLLOWER, 1: 0}


def test_a_rule_that_names_the_broker_gets_misrouted_requests_too(kafka: Faulty) -> None:
    assert hits(kafka, production(1), 9, {"api": "produce", "broker": 1}, NOT_LEADER).hits == 1


def test_other_actions_do_not_ask_who_leads(kafka: Faulty) -> None:
    assert hits(kafka, production(1), 9, {"api": "produce"}, "silence").hits == 1


def test_a_group_is_for_its_coordinator(kafka: Faulty) -> None:
    then = {"error": "REBALANCE_IN_PROGRESS"}
    assert hits(kafka, HeartbeatRequest("g"), 4, {"group": "g"}, then).hits == 0
    assert hits(kafka, HeartbeatRequest("g"), 4, {"group": "g", "broker": 1}, then).hits == 1


def test_consumers_may_read_from_a_follower(kafka: Faulty) -> None:
    kafka.rule({"api": "fetch", "partition": 1}, NOT_LEADER)
    assert fetched(kafka.ask(poll(), 11))[1] == (errors.NOT_LEADER_OR_FOLLOWER, 0)


def test_a_topic_that_does_not_exist_is_nobodys(kafka: Faulty) -> None:
    assert hits(kafka, production(0, topic="none"), 9, {"topic": "none"}, NOT_LEADER).hits == 1
