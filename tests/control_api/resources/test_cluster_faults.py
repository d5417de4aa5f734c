"""Leaders, coordinators and the controller move over HTTP, replicas lag, sessions end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import Consumer

from kafkacompat import Cluster
from kafkacompat.control_api.resources import cluster_faults
from tests.control_api.harness import Api, serving


@pytest.fixture(scope="module")
def three() -> Iterator[tuple[Cluster, Api]]:
    config = {"default.replication.factor": 3, "offsets.topic.num.partitions": 1}
    with serving(topics=["orders"], brokers=3, config=config) as both:
        both[1].send("POST", "/v1/wait", {"what": "cluster", "where": {"ready": True}})
        yield both


def test_a_leader_moves(three: tuple[Cluster, Api]) -> None:
    _, api = three
    before = api.get("/v1/topics/orders/partitions/0")["leader"]
    to = before % 3 + 1
    assert api.send("POST", "/v1/leaders/move", {"topic": "orders", "to": to}).body == {"leader": to}
    assert api.get("/v1/topics/orders/partitions/0")["leader"] == to
    assert api.send("POST", "/v1/leaders/move", {"topic": "orders", "to": 9}).status == 409
    assert api.send("POST", "/v1/leaders/move", {"topic": "nothing"}).status == 409


def test_the_controller_moves(three: tuple[Cluster, Api]) -> None:
    _, api = three
    before = api.get("/v1/cluster")["controller_id"]
    moved = api.send("POST", "/v1/controller/move", {})
    assert moved.status == 200
    assert moved.body["controller"] in {1, 2, 3}
    assert api.get("/v1/cluster")["controller_epoch"] > 1
    assert before in {1, 2, 3}


def test_a_replica_leaves_the_isr_and_returns(three: tuple[Cluster, Api]) -> None:
    _, api = three
    partition = api.get("/v1/topics/orders/partitions/0")
    broker_id = next(each for each in partition["replicas"] if each != partition["leader"])
    where = {"topic": "orders", "broker_id": broker_id}
    assert broker_id not in api.send("POST", "/v1/isr", {**where, "in_sync": False}).body["isr"]
    assert api.get("/v1/lag") == {"lagging": [{"broker_id": broker_id, "topic": "orders", "partition": 0}]}
    assert broker_id in api.send("POST", "/v1/isr", {**where, "in_sync": True}).body["isr"]
    assert api.send("PUT", "/v1/lag", where).body["lagging"]
    assert api.send("POST", "/v1/heal").status == 200
    assert api.get("/v1/lag") == {"lagging": []}
    assert api.send("PUT", "/v1/lag", where).body["lagging"]
    assert api.send("DELETE", "/v1/lag").body == {"lagging": []}
    assert api.send("PUT", "/v1/lag", {"topic": "orders", "broker_id": partition["leader"]}).status == 409


def test_a_coordinator_moves_and_a_session_ends(three: tuple[Cluster, Api]) -> None:
    kafka, api = three
    consumer = Consumer(
        {
            "bootstrap.servers": kafka.bootstrap_servers,
            "group.id": "billing",
            "client.id": "till",
            "session.timeout.ms": 45_000,
        }
    )
    consumer.subscribe(["orders"])
    while not consumer.assignment():
        consumer.poll(0.1)
    assert (
        api.send("POST", "/v1/wait", {"what": "groups", "where": {"group_id": "billing", "state": "Stable"}}).status
        == 200
    )
    assert api.send("POST", "/v1/coordinators/move", {"group_id": "billing"}).body["coordinator"] in {1, 2, 3}
    ended = api.send("POST", "/v1/sessions/expire", {"group_id": "billing", "member": "till"})
    assert ended.status == 200
    assert ended.body["member_id"].startswith("till")
    assert api.send("POST", "/v1/sessions/expire", {"group_id": "billing", "member": "nobody"}).status == 409
    consumer.close()


class Told:
    """A call, and what its nodes are told, in order: each is woken after what was done to it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, body: dict[str, Any], query: dict[str, Any]) -> None:
        self.steps: list[tuple[Any, ...]] = []
        self.nodes = {
            node_id: SimpleNamespace(node_id=node_id, after_event=partial(self._step, "woken", node_id))
            for node_id in (1, 2)
        }
        self.servers, self.all_nodes, self.server = self.nodes, list(self.nodes.values()), self.nodes[1]
        self.body, self.query = body, query
        self.node = self.nodes.__getitem__
        for name in ("catch_up", "lag"):
            monkeypatch.setattr(cluster_faults.replicas, name, partial(self._told, name))
        monkeypatch.setattr(cluster_faults.healing, "heal", partial(self._told, "heal"))
        monkeypatch.setattr(cluster_faults.replicas, "lagging", lambda _server: [])
        monkeypatch.setattr(cluster_faults.leaders, "leader", lambda *_: (1, 0))
        for name in ("expand_isr", "shrink_isr"):
            monkeypatch.setattr(cluster_faults.moves, name, partial(self._moved, name))

    def _step(self, *step: object) -> None:
        self.steps.append(step)

    def _told(self, name: str, server: Any, *arguments: object) -> None:
        self._step(name, server.node_id, *arguments)

    async def _moved(self, name: str, _servers: object, *arguments: object) -> tuple[int, ...]:
        self._step(name, *arguments)
        return (1,)


@pytest.mark.parametrize(
    ("in_sync", "expected"),
    [
        (True, [("catch_up", 2, "orders", 0), ("woken", 2), ("expand_isr", "orders", 0, 2)]),
        (False, [("lag", 2, "orders", 0), ("woken", 2), ("shrink_isr", "orders", 0, 2)]),
    ],
)
def test_a_replica_is_told_before_the_isr_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, in_sync: bool, expected: list[tuple[Any, ...]]
) -> None:
    call: Any = Told(monkeypatch, {"topic": "orders", "broker_id": 2, "in_sync": in_sync}, {})
    assert asyncio.run(cluster_faults.change_isr(call)) == {"isr": [1]}
    assert call.steps == expected


def test_each_node_that_is_told_something_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    call: Any = Told(monkeypatch, {}, {})
    cluster_faults.catch_up(call)
    assert call.steps == [
        ("catch_up", 1, None, 0), ("woken", 1), ("catch_up", 2, None, 0), ("woken", 2),
    ]  # fmt: skip
    call.steps.clear()
    cluster_faults.heal(call)
    assert call.steps == [("heal", 1), ("woken", 1), ("heal", 2), ("woken", 2)]
    call = Told(monkeypatch, {}, {"topic": "orders", "broker_id": 2})
    cluster_faults.catch_up(call)
    assert call.steps == [("catch_up", 2, "orders", 0), ("woken", 2)]
