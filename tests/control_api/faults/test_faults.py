"""Fault rules of a running node: plain dicts in, plain dicts out."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from kafkacompat.broker.faults.rule_errors import FaultRuleError
from kafkacompat.control_api.faults import faults
from kafkacompat.errors import KafkaCompatError
from tests.broker.faults.rules import Faulty, production

if TYPE_CHECKING:
    from kafkacompat.server.broker_server import BrokerServer


class FakeServer:
    """What the functions use of a node."""

    def __init__(self) -> None:
        self.kafka = Faulty()
        self.kafka.create_topic("t")
        self.broker = self.kafka.broker
        self.broker.fault_rules = None

    def now(self) -> Any:
        return self.kafka.now


@pytest.fixture
def server() -> BrokerServer:
    return FakeServer()  # type: ignore[return-value]


def kafka_of(server: Any) -> Faulty:
    return server.kafka  # type: ignore[no-any-return]


RULE = {"when": {"api": "produce"}, "then": {"error": "NOT_LEADER_OR_FOLLOWER"}, "times": 1}


def test_a_rule_is_added_listed_and_removed_in_plain_values(server: BrokerServer) -> None:
    assert faults.list_all(server) == []
    added = faults.add(server, RULE)
    assert json.loads(json.dumps(added)) == added == faults.get(server, added["id"])
    kafka_of(server).ask(production(0), 9)
    (listed,) = faults.list_all(server)
    assert (listed["hits"], listed["left"], listed["has_ended"]) == (1, 0, True)
    assert faults.remove(server, added["id"])["hits"] == 1
    assert faults.list_all(server) == []
    with pytest.raises(faults.UnknownFaultError):
        faults.remove(server, added["id"])


def test_a_wrong_rule_changes_nothing(server: BrokerServer) -> None:
    with pytest.raises(FaultRuleError):
        faults.add(server, {"then": "dorp"})
    assert faults.list_all(server) == []
    assert server.broker.pipeline.steps_of == {}


def test_all_are_removed_at_once(server: BrokerServer) -> None:
    for _ in range(3):
        faults.add(server, RULE)
    faults.clear(server)
    assert faults.list_all(server) == []
    assert server.broker.pipeline.steps_of == {}


def test_a_wait_is_woken_by_the_hit(server: BrokerServer) -> None:
    number = faults.add(server, RULE)["id"]

    async def wait() -> dict[str, Any]:
        waiting = asyncio.ensure_future(faults.wait(server, number, timeout_ms=60_000))
        await asyncio.sleep(0)
        assert not waiting.done()
        kafka_of(server).ask(production(0), 9)
        return await waiting

    assert asyncio.run(wait())["hits"] == 1
    assert asyncio.run(faults.wait(server, number, timeout_ms=0))["hits"] == 1


def test_a_wait_that_runs_out_says_what_was_seen(server: BrokerServer) -> None:
    number = faults.add(server, RULE)["id"]
    with pytest.raises(faults.FaultWaitTimeoutError, match="had 0 of 2 hits after 1 ms") as caught:
        asyncio.run(faults.wait(server, number, hits=2, timeout_ms=1))
    assert caught.value.seen["hits"] == 0
    assert str(caught.value) == f"fault rule {number} had 0 of 2 hits after 1 ms"
    rule = server.broker.fault_rules and server.broker.fault_rules.get(number)
    assert rule
    assert rule.on_hit == [], "who has given up is not told any more"
    with pytest.raises(KafkaCompatError, match="give 0 to"):
        asyncio.run(faults.wait(server, number, timeout_ms=10**9))
