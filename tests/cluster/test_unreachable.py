"""A broker whose advertised address nobody can reach: it heartbeats, so it lives, whatever controllers are refused."""

from __future__ import annotations

import sys
import time

import pytest

from compat_tests.api.raw import RawClient
from compat_tests.chaos import view
from compat_tests.chaos.nodes import KafkacompatNodes
from kafkacompat.protocol.messages import create_topics
from kafkacompat.server.ports import PortFinder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nodes are processes with signals")

RESTARTS = 4
REACHABLE, UNREACHABLE, CONTROLLER = 1, 2, 3
READY_TIMEOUT_S = 60


def test_it_is_not_fenced_by_controllers_that_come_one_after_the_other_and_are_refused() -> None:
    finder = PortFinder("127.0.0.1")
    (unused,) = finder.find(1)
    nodes = KafkacompatNodes(2, 1)
    broker = nodes.nodes[UNREACHABLE]
    settings = broker.properties.read_text()
    advertised = f"advertised.listeners=PLAINTEXT://{broker.host}:{broker.port}"
    assert advertised in settings
    broker.properties.write_text(
        settings.replace(advertised, f"advertised.listeners=PLAINTEXT://{broker.host}:{unused}")
    )
    try:
        nodes.start()
        with RawClient(nodes.address_of(REACHABLE)) as client:
            assert view.wait(lambda: set(view.brokers(client)) == {REACHABLE, UNREACHABLE}, READY_TIMEOUT_S) is not None
            assignment = create_topics.CreatableReplicaAssignment(0, [UNREACHABLE])
            topic = create_topics.CreatableTopic("orders", -1, -1, [assignment])
            assert (
                client.call(create_topics.API_KEY, 7, create_topics.CreateTopicsRequest([topic])).topics[0].error_code
                == 0
            )
            for _ in range(RESTARTS):
                nodes.kill(CONTROLLER)
                nodes.begin(CONTROLLER)
                nodes.wait(CONTROLLER)
                assert view.wait(lambda: _is_changed(client), READY_TIMEOUT_S) is not None  # a new controller works
                time.sleep(0.5)  # and is refused
            (part,) = view.parts(client, "orders")
        assert (part.leader, part.epoch) == (UNREACHABLE, 0), nodes.log_tail(CONTROLLER)
    finally:
        nodes.close()
        finder.close()


def _is_changed(client: RawClient) -> bool:
    """Whether the controller takes a change: each call makes another topic."""
    topic = create_topics.CreatableTopic(f"t{time.monotonic_ns()}", 1, 1)
    answer = client.call(create_topics.API_KEY, 7, create_topics.CreateTopicsRequest([topic], 5_000))
    return bool(answer.topics[0].error_code == 0)
