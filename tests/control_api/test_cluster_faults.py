"""Leaders, coordinators and the controller move over HTTP, replicas lag, sessions end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer

from kafkacompat import Cluster
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
