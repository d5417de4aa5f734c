"""The rules of one node: what a removed rule leaves, and who is told of hits."""

from __future__ import annotations

import pytest

from kafkacompat.broker.faults.rules import FaultRules
from kafkacompat.protocol.messages.metadata import MetadataRequest
from tests.broker.faults.rules import Faulty

OBSERVED = {"api": "metadata"}


@pytest.fixture
def kafka() -> Faulty:
    return Faulty()


def test_a_removed_rule_leaves_nothing(kafka: Faulty) -> None:
    timers = kafka.view.timer_count
    rules = [kafka.rule(OBSERVED, "drop", duration_ms=1_000), kafka.rule(OBSERVED, observe=True)]
    assert kafka.view.timer_count == timers + 1
    assert kafka.broker.pipeline.steps_of
    for rule in rules:
        assert kafka.rules.remove(rule.id) is rule
        assert (rule.has_ended, rule.on_end) == (True, {})
    assert kafka.view.timer_count == timers
    assert not kafka.broker.pipeline.steps_of
    assert kafka.rules.remove(rules[0].id) is None


def test_a_rule_that_several_nodes_share_ends_on_all_of_them(kafka: Faulty) -> None:
    other = Faulty()
    other.broker.node_id = 2
    rule = kafka.rule(OBSERVED, observe=True, times=1)
    shared = FaultRules(other.broker)
    shared.add(rule, other.now)
    assert rule.on_end.keys() == {1, 2}
    kafka.rules.remove(rule.id)
    assert not other.broker.pipeline.steps_of


def test_who_waits_is_told_of_each_hit(kafka: Faulty) -> None:
    rule = kafka.rule(OBSERVED, observe=True)
    told: list[int] = []
    rule.on_hit.append(lambda: told.append(rule.hits))
    for _ in range(2):
        kafka.ask(MetadataRequest([]), 9)
    assert told == [1, 2]


class Numbers:
    """Counts that several rules share."""

    def __init__(self) -> None:
        self.last = {"skipped": 0, "hit": 0}

    def draw(self, what: str) -> int:
        self.last[what] += 1
        return self.last[what]


def test_rules_of_several_processes_count_skip_and_times_together() -> None:
    brokers, numbers = [Faulty(), Faulty()], Numbers()
    rules = [each.rule(OBSERVED, observe=True, skip=3, times=2) for each in brokers]
    for rule in rules:
        rule.shared = numbers
    hits = []
    for number in range(8):
        brokers[number % 2].ask(MetadataRequest([]), 9)
        hits.append(sum(rule.hits for rule in rules))
    assert hits == [0, 0, 0, 1, 2, 2, 2, 2]
    assert [(rule.hits, rule.left, rule.has_ended) for rule in rules] == [(1, 0, True), (1, 0, True)]
    assert numbers.last == {"skipped": 5, "hit": 3}, "a rule that is over draws no more"
    assert not any(each.broker.pipeline.steps_of for each in brokers)
