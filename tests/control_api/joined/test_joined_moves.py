"""Changes of nodes in several processes: who is asked for what, and that all nodes are waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.joined import joined_moves
from kafkacompat.control_api.joined.joined_nodes import JoinedCall, JoinedNodes

PARTITION = "/v1/topics/orders/partitions/0"


class Nodes(JoinedNodes):
    """Three nodes. `steps` has what they were asked for, and whom others were waited to follow."""

    def __init__(self) -> None:
        super().__init__(lambda: dict.fromkeys((1, 2, 3), ""))
        self.steps: list[tuple[Any, ...]] = []
        self.controller, self.epoch = 1, 5
        self.behind = 0  # so many looks until all know the controller
        self.elects: list[int] = []

    async def ask(self, node_id: int, method: str, target: str, body: object = None, *, timeout_s: float = 0) -> Any:
        self.steps.append((node_id, method, target, body))
        if target == PARTITION:
            return {"leader": 3}
        if target == "/v1/controller/move":
            self.controller, self.epoch, self.behind = self.elects.pop(0), self.epoch + 1, 2
        return {"name": "orders", "asked": node_id}

    async def follow(self, node_id: int) -> None:
        self.steps.append(("follow", node_id))

    async def states(self) -> dict[int, Any]:
        is_late = self.behind > 0
        self.behind -= is_late
        return {
            node_id: {
                "node_id": node_id, "is_active_controller": node_id == self.controller,
                "controller_id": self.controller, "controller_epoch": self.epoch - (is_late and node_id == 3),
            }
            for node_id in self.ids
        }  # fmt: skip


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Nodes:
    async def shown(_call: JoinedCall) -> dict[str, Any]:
        return {"shown": True}

    monkeypatch.setattr(joined_moves, "joined_views", SimpleNamespace(lists=shown, topic=shown))
    return Nodes()


def call(
    nodes: Nodes, operation: Callable[[JoinedCall], Awaitable[Any]], path: str, body: Any = None, **more: Any
) -> Any:
    """What an operation answers. path: of its route; more: `names` in it and the `query`."""
    route: Any = SimpleNamespace(path=path)
    route._replace = lambda **changes: SimpleNamespace(**{**vars(route), **changes})
    asked = JoinedCall(nodes, route, more.get("names", {}), more.get("query", {}), body)
    return asyncio.run(operation(asked))  # type: ignore[arg-type]


def test_a_leader_is_moved_by_the_controller_and_all_follow(nodes: Nodes) -> None:
    body = {"topic": "orders"}
    assert call(nodes, joined_moves.move_leader, "/v1/leaders/move", body)["asked"] == 1
    assert nodes.steps == [(1, "POST", "/v1/leaders/move", body), ("follow", 1)]


def test_the_controller_moves_until_it_is_the_wanted_one_and_all_know_it(nodes: Nodes) -> None:
    nodes.elects = [3, 2]
    assert call(nodes, joined_moves.move_controller, "/v1/controller/move", {"to": 2}) == {"controller": 2}
    asked = [step[0] for step in nodes.steps]
    assert asked == [1, 3], "the one that was quicker is asked to resign, too"
    assert nodes.behind == 0, "each node was waited for"
    nodes.elects = [3, 1] * joined_moves.MOVES_MAX
    nodes.controller = 1
    with pytest.raises(ProblemError, match="node 2 was not elected 5 times"):
        call(nodes, joined_moves.move_controller, "/v1/controller/move", {"to": 2})


def test_a_replica_lags_before_its_leader_removes_it(nodes: Nodes) -> None:
    body = {"topic": "orders", "broker_id": 2, "in_sync": False}
    call(nodes, joined_moves.change_isr, "/v1/isr", body)
    assert nodes.steps == [
        (2, "PUT", "/v1/lag", {"topic": "orders", "partition": 0, "broker_id": 2}), (2, "GET", PARTITION, None),
        (3, "POST", "/v1/isr", body), ("follow", 3),
    ]  # fmt: skip
    nodes.steps.clear()
    call(nodes, joined_moves.change_isr, "/v1/isr", {**body, "in_sync": True})
    assert nodes.steps == [(2, "POST", "/v1/isr", {**body, "in_sync": True}), ("follow", 2)]
    with pytest.raises(ProblemError, match="node 7 does not run"):
        call(nodes, joined_moves.change_isr, "/v1/isr", {**body, "broker_id": 7})


def test_lag_is_made_and_ended_where_it_is(nodes: Nodes) -> None:
    body = {"topic": "orders", "broker_id": 2}
    assert call(nodes, joined_moves.lag, "/v1/lag", body) == {"shown": True}
    assert call(nodes, joined_moves.catch_up, "/v1/lag", query={"broker_id": 3, "topic": "orders"}) == {"shown": True}
    assert nodes.steps == [(2, "PUT", "/v1/lag", body), (3, "DELETE", "/v1/lag?broker_id=3&topic=orders", None)]
    nodes.steps.clear()
    call(nodes, joined_moves.catch_up, "/v1/lag")
    assert nodes.steps == [(node_id, "DELETE", "/v1/lag", None) for node_id in (1, 2, 3)]


def test_all_nodes_follow_what_one_was_told(nodes: Nodes) -> None:
    addresses, broker = {"PLAINTEXT": "a:1"}, "/v1/brokers/{broker_id}/advertised"
    call(nodes, joined_moves.put_advertised, broker, addresses, names={"broker_id": 2})
    assert nodes.steps == [(2, "PUT", "/v1/brokers/2/advertised", addresses), ("follow", 2)]
    nodes.steps.clear()
    assert call(nodes, joined_moves.create_topic, "/v1/topics", {"name": "orders"}) == {"shown": True}
    call(nodes, joined_moves.delete_topic, "/v1/topics/{topic}", names={"topic": "orders"})
    assert nodes.steps == [
        (1, "POST", "/v1/topics", {"name": "orders"}), ("follow", 1),
        (1, "DELETE", "/v1/topics/orders", None), ("follow", 1),
    ]  # fmt: skip
