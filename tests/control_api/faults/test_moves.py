"""Changes that are awaited: what is said when they do not come, and when another one was quicker.

tests/cluster/test_leadership.py has those that do come.
"""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.control_api.faults import moves
from kafkacompat.errors import KafkaCompatError


def test_a_change_that_does_not_come_says_what_is_missing_and_where_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "TIMEOUT_S", 0.01)
    words = re.escape("no controller is active in this process within 0.01 s: see the log, and whether a majority")
    with pytest.raises(moves.NotInTimeError, match=words):
        asyncio.run(moves.move_controller([], None))


class Node:
    """What moves take of a node; `woken` counts how often events of it were carried out."""

    def __init__(self, node_id: int) -> None:
        self.broker = SimpleNamespace(node_id=node_id, image=SimpleNamespace(topics={"__consumer_offsets": None}))
        self.woken = 0

    def after_event(self) -> None:
        self.woken += 1


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Three nodes of which the first is the active controller."""
    found = [Node(node_id) for node_id in (1, 2, 3)]
    monkeypatch.setattr(moves.leaders, "is_controller_active", lambda server: server is found[0])
    monkeypatch.setattr(moves.leaders, "coordinator_partition", lambda _server, _topic, _key: 4)
    return found


def test_a_leader_is_moved_when_each_node_follows_the_new_one(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = dict.fromkeys(nodes, (1, 7))
    looks: list[Any] = []
    asked = []

    def move(server: Any, topic: str, partition: int, to: int | None) -> int:
        asked.append((server, topic, partition, to))
        return 2

    def leader(server: Any, _topic: str, _partition: int) -> tuple[int, int]:
        if asked and nodes[0].woken:  # the controller has carried it out: each node hears of it a little later
            looks.append(server)
            if looks.count(server) == 2:
                seen[server] = (2, 8)
        return seen[server]

    monkeypatch.setattr(moves.leaders, "move_leader", move)
    monkeypatch.setattr(moves.leaders, "leader", leader)
    monkeypatch.setattr(moves.leaders, "is_applied", lambda server: seen[server] == (2, 8))
    for group in (None, "billing"):
        seen.update(dict.fromkeys(nodes, (1, 7)))
        asked.clear()
        looks.clear()
        if group is None:
            assert asyncio.run(moves.move_leader(nodes, "orders", 0, None)) == 2
        else:
            assert asyncio.run(moves.move_coordinator(nodes, group, 2)) == 2
        assert set(seen.values()) == {(2, 8)}, "it waits for all of them"
        assert asked == [(nodes[0], *(("orders", 0, None) if group is None else ("__consumer_offsets", 4, 2)))]


def test_a_replica_has_left_when_each_node_says_so(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    isr = dict.fromkeys(nodes, (1, 2, 3))
    proposed = []

    def of(server: Any, _topic: str, _partition: int) -> tuple[int, ...]:
        if len(proposed) > nodes.index(server) and nodes[1].woken:
            isr[server] = (1, 2)
        return isr[server]

    monkeypatch.setattr(moves.leaders, "leader", lambda *_: (2, 1))
    monkeypatch.setattr(moves.replicas, "isr", of)
    monkeypatch.setattr(moves.replicas, "propose_shrink", lambda *asked: proposed.append(asked))
    assert asyncio.run(moves.shrink_isr(nodes, "orders", 0, 3)) == (1, 2)
    assert set(isr.values()) == {(1, 2)}
    assert set(proposed) == {(nodes[1], "orders", 0, 3)}, "its leader proposes it, until it is so"
    assert (nodes[0].woken, nodes[1].woken, nodes[2].woken) == (0, len(proposed), 0)


def test_a_session_ends_on_the_coordinator_of_the_group(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    def expire(server: Any, group: str, member: str) -> str:
        ended.append((server, group, member))
        return "till-1"

    monkeypatch.setattr(moves.leaders, "leader", lambda *_: (3, 1))
    monkeypatch.setattr(moves.session_expiry, "expire_session", expire)
    assert moves.expire_session(nodes, "billing", "till") == "till-1"
    assert (ended, nodes[2].woken) == ([(nodes[2], "billing", "till")], 1)
    with pytest.raises(KafkaCompatError, match="does not run in this process"):
        moves.expire_session(nodes[:2], "billing", "till")


def test_a_group_of_a_cluster_that_has_had_none_is_not_there(nodes: Any) -> None:
    nodes[0].broker.image.topics.clear()
    with pytest.raises(KafkaCompatError, match="there is no group 'billing'"):
        moves.expire_session(nodes, "billing", "till")
    with pytest.raises(KafkaCompatError, match="there is no group 'billing'"):
        asyncio.run(moves.move_coordinator(nodes, "billing", None))
    with pytest.raises(KafkaCompatError, match=r"there is no transactional id 'shop': the first .* producer makes"):
        asyncio.run(moves.move_transaction_coordinator(nodes, "shop", None))


def test_a_controller_that_was_quicker_than_the_wanted_one_resigns_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    servers: list[Any] = [Node(node_id) for node_id in (1, 2, 3)]
    elections = [(1, 5), (3, 6), (2, 7)]
    asked = []

    def resign(server: Any, to: int | None) -> None:
        asked.append((server.broker.node_id, to))
        del elections[0]

    monkeypatch.setattr(moves.leaders, "controller", lambda _: elections[0])
    monkeypatch.setattr(moves.leaders, "is_controller_active", lambda server: server.broker.node_id == elections[0][0])
    monkeypatch.setattr(moves.leaders, "move_controller", resign)
    assert asyncio.run(moves.move_controller(servers, 2)) == 2
    assert asked == [(1, 2), (3, 2)]
    assert [server.woken for server in servers] == [1, 0, 1]
