"""Errors of Produce and Fetch can name a leader."""

from __future__ import annotations

import pytest

from tests.broker.faults.rules import Faulty, poll, production


@pytest.fixture
def kafka() -> Faulty:
    harness = Faulty()
    harness.create_topic("t", 2)
    return harness


def test_a_leader_hint_names_the_leader_or_another(kafka: Faulty) -> None:
    kafka.rule({"api": "produce"}, {"error": {"code": "NOT_LEADER_OR_FOLLOWER", "leader_hint": True}}, times=1)
    answer = kafka.ask(production(0), 10)
    (hint,) = [each.current_leader for each in answer.responses[0].partition_responses]
    assert (hint.leader_id, hint.leader_epoch) == (1, 0)
    assert [(node.node_id, node.host) for node in answer.node_endpoints] == [(1, "localhost")]
    kafka.rule({"api": "fetch"}, {"error": {"code": "NOT_LEADER_OR_FOLLOWER", "leader_hint": 9}}, times=1)
    request = poll()
    request.topics[0].topic_id = kafka.broker.image.topics["t"].topic_id
    answer = kafka.ask(request, 17)
    assert {each.current_leader.leader_id for each in answer.responses[0].partitions} == {9}
