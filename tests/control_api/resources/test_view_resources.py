"""Topics, records, groups, producers, connections and requests over HTTP, beside what a client did."""

from __future__ import annotations

import json

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from kafkacompat import Cluster
from tests.control_api.harness import Api, serving


def produce(kafka: Cluster, topic: str, *values: bytes | None, **settings: object) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, **settings})
    for value in values:
        producer.produce(topic, value, key=b"k", partition=0)
    assert producer.flush(30) == 0


def test_topics_partitions_and_records() -> None:
    with serving(topics={"orders": 2}, brokers=3, config={"default.replication.factor": 3}) as (kafka, api):
        produce(kafka, "orders", b"one", b"\xff", None, **{"enable.idempotence": True})
        (topic,) = api.get("/v1/topics")["topics"]
        assert api.get("/v1/topics/orders") == topic
        assert [len(each["logs"]) for each in topic["partitions"]] == [3, 3]
        assert len(api.get("/v1/topics/orders?configs=all")["configs"]) > 20 > len(topic["configs"])
        partition = api.get("/v1/topics/orders/partitions/0")
        assert partition["topic"] == "orders"
        assert partition["logs"][0]["log_end_offset"] == 3
        page = api.get("/v1/topics/orders/partitions/0/records?limit=2")
        assert [each["value"] for each in page["records"]] == ["one", "/w=="]
        assert [each["value_encoding"] for each in page["records"]] == ["utf8", "base64"]
        assert page["next_offset"] == 2
        rest = api.get("/v1/topics/orders/partitions/0/records?from=2")
        assert [each["value"] for each in rest["records"]] == [None]
        (producer,) = api.get("/v1/producers?topic=orders&partition=0")["producers"]
        assert (producer["last_sequence"], producer["last_offset"]) == (2, 2)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/v1/topics/ordres", "did you mean 'orders'?"),
        ("/v1/topics/orders/partitions/7", "has 1 partitions"),
        ("/v1/topics/x/partitions/0/records", "no topic 'x'"),
        ("/v1/groups/nobody", "no group 'nobody'"),
    ],
)
def test_what_is_not_there_is_said(path: str, says: str) -> None:
    with serving(topics=["orders"]) as (_, api):
        answered = api.send("GET", path)
    assert answered.status == 404
    assert says in answered.body["detail"]


def test_names_with_slashes_and_spaces_are_decoded() -> None:
    with serving(topics=["orders"]) as (kafka, api):
        consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "a/b c?"})
        consumer.commit(offsets=[TopicPartition("orders", 0, 0)], asynchronous=False)
        consumer.close()
        group = api.get("/v1/groups/a%2Fb%20c%3F")
    assert group["group_id"] == "a/b c?"
    assert [(each["topic"], each["committed_offset"]) for each in group["offsets"]] == [("orders", 0)]


def test_connections_sessions_and_the_journal() -> None:
    with serving(topics=["orders"]) as (kafka, api):
        assert api.get("/v1/requests") == {"is_on": False, "count": 0, "requests": []}
        assert api.send("PUT", "/v1/requests", {"is_on": True}).body["is_on"] is True
        produce(kafka, "orders", b"one", **{"client.id": "billing"})
        found = api.get("/v1/requests?limit=50")
        assert "Produce" in {each["api"] for each in found["requests"]}
        assert len(api.get("/v1/requests?limit=1")["requests"]) == 1
        assert api.get("/v1/requests?limit=0")["requests"] == []
        assert api.get("/v1/fetch_sessions") == {"fetch_sessions": []}
        assert "connections" in api.get("/v1/connections")
        assert api.send("PUT", "/v1/requests", {"is_on": False}).body["is_on"] is False


def test_a_wait_ends_when_what_it_waits_for_is_there(api_and_kafka: tuple[Cluster, Api]) -> None:
    kafka, api = api_and_kafka
    ready = api.send("POST", "/v1/wait", {"what": "cluster", "where": {"ready": True}})
    assert ready.body["found"][0]["topic_count"] == 1
    where = {"topic": "orders", "high_watermark": {"min": 2}}
    too_early = api.send("POST", "/v1/wait", {"what": "partitions", "where": where, "timeout_ms": 20})
    assert too_early.status == 408
    assert too_early.body["seen"][0]["high_watermark"] == 0
    api.connection.request(
        "POST", "/v1/wait", json.dumps({"what": "partitions", "where": where}), {"content-type": "application/json"}
    )
    produce(kafka, "orders", b"one", b"two")
    response = api.connection.getresponse()
    assert response.status == 200
    assert json.loads(response.read())["found"][0]["high_watermark"] == 2
    for what in ("groups", "connections", "producers"):
        assert api.send("POST", "/v1/wait", {"what": what, "timeout_ms": 0}).status in (200, 408)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/what"),
        ({"what": "topics"}, "/what"),
        ({"what": "partitions", "where": {"tpoic": "a"}}, "/where/tpoic"),
        ({"what": "groups", "timeout_ms": 10**9}, "/timeout_ms"),
        ({"what": "groups", "where": {"lag": {"most": 1}}}, "/where/lag/most"),
    ],
)
def test_a_wrong_wait_is_refused(api_and_kafka: tuple[Cluster, Api], body: object, pointer: str) -> None:
    answered = api_and_kafka[1].send("POST", "/v1/wait", body)
    assert answered.status == 400
    assert answered.body["errors"][0]["pointer"] == pointer


@pytest.fixture
def api_and_kafka() -> object:
    with serving(topics=["orders"]) as both:
        yield both
