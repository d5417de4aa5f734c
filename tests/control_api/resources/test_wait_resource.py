"""Waits over HTTP are woken by events of the brokers, are few at once, and hold nobody."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from threading import Thread
from typing import Any

import pytest
from confluent_kafka import Producer

from kafkacompat import Cluster
from kafkacompat.control_api.resources import wait_resource
from tests.control_api.harness import JSON, TIMEOUT_S, Api, serving
from tests.waiting import wait_until

FOREVER_S = 600.0


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Cluster, Api]]:
    """Nothing but events wakes a wait."""
    monkeypatch.setattr(wait_resource, "FALLBACK_S", FOREVER_S)
    with serving(topics=["orders"]) as both:
        yield both


def listening(kafka: Cluster) -> int:
    return kafka._call(1, lambda server: len(server.on_event))


def start(kafka: Cluster, api: Api, body: dict[str, Any]) -> None:
    """Send a wait, and return when the broker waits."""
    before = listening(kafka)
    api.connection.request("POST", "/v1/wait", json.dumps(body), JSON)
    wait_until(lambda: listening(kafka) == before + 1)


def answer(api: Api) -> tuple[int, Any]:
    response = api.connection.getresponse()
    return response.status, json.loads(response.read())


def produce(kafka: Cluster) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "linger.ms": 0})
    producer.produce("orders", b"one")
    assert producer.flush(TIMEOUT_S) == 0


def create_topic(_kafka: Cluster, url: str) -> None:
    api = Api(url)
    assert api.send("POST", "/v1/topics", {"name": "new"}).status == 201
    api.close()


@pytest.mark.parametrize(
    ("what", "where", "event"),
    [
        ("partitions", {"topic": "orders", "high_watermark": {"min": 1}}, lambda kafka, _: produce(kafka)),
        ("partitions", {"topic": "new"}, create_topic),
        ("cluster", {"topic_count": 2}, create_topic),
        ("connections", {"client_software_name": "librdkafka"}, lambda kafka, _: produce(kafka)),
    ],
)
def test_an_event_of_the_broker_ends_a_wait(
    both: tuple[Cluster, Api], what: str, where: dict[str, Any], event: Callable[[Cluster, str], None]
) -> None:
    kafka, api = both
    if what == "connections":
        where = {"client_software_name": "confluent-kafka-python"}
    start(kafka, api, {"what": what, "where": where, "timeout_ms": 60_000})
    doing = Thread(target=event, args=(kafka, kafka.control_url))
    doing.start()
    status, body = answer(api)
    doing.join()
    assert status == 200, body
    assert body["count"] == 1
    assert listening(kafka) == 0


def test_a_wait_sees_what_came_before_it_and_ends_at_its_time(both: tuple[Cluster, Api]) -> None:
    kafka, api = both
    produce(kafka)
    body = {"what": "partitions", "where": {"topic": "orders", "high_watermark": 1}}
    assert api.send("POST", "/v1/wait", body).status == 200
    began = time.monotonic()
    late = api.send("POST", "/v1/wait", {"what": "partitions", "where": {"topic": "ordres"}, "timeout_ms": 100})
    assert late.status == 408
    assert time.monotonic() - began >= 0.1
    assert [each["topic"] for each in late.body["seen"]] == ["orders"]
    assert listening(kafka) == 0


def test_a_wait_looks_again_only_when_something_has_happened(
    both: tuple[Cluster, Api], monkeypatch: pytest.MonkeyPatch
) -> None:
    kafka, api = both
    looks: list[str] = []
    items = wait_resource._items

    def counted(call: Any, what: str, where: dict[str, Any]) -> Any:
        looks.append(what)
        return items(call, what, where)

    monkeypatch.setattr(wait_resource, "_items", counted)
    start(kafka, api, {"what": "partitions", "where": {"topic": "ordres"}, "timeout_ms": 2_000})
    create_topic(kafka, kafka.control_url)
    assert answer(api)[0] == 408
    assert 3 <= len(looks) < 60


def test_a_wait_holds_neither_the_loop_nor_other_requests(both: tuple[Cluster, Api]) -> None:
    kafka, api = both
    other = Api(kafka.control_url)
    start(kafka, api, {"what": "producers", "timeout_ms": 1_200})
    assert other.get("/healthz")["healthy"] is True
    assert answer(api)[0] == 408
    held_ms = kafka._call(1, lambda server: server.broker.loop_lag.recent_ms(server.now().monotonic_ms))
    assert held_ms < 1_200
    other.close()


def test_more_waits_than_the_limit_are_refused(both: tuple[Cluster, Api], monkeypatch: pytest.MonkeyPatch) -> None:
    kafka, api = both
    monkeypatch.setattr(wait_resource, "WAITS_MAX", 1)
    other = Api(kafka.control_url)
    start(kafka, api, {"what": "producers", "timeout_ms": 60_000})
    refused = other.send("POST", "/v1/wait", {"what": "cluster"})
    assert refused.status == 429
    assert refused.headers["retry-after"] == "1"
    api.connection.close()  # a client that goes away waits no more
    wait_until(lambda: other.send("POST", "/v1/wait", {"what": "cluster"}).status == 200)
    other.close()


@pytest.mark.parametrize(
    ("what", "where", "looks_at"),
    [
        ("partitions", {"topic": "orders"}, ["orders"]),
        ("partitions", {"leader": 1}, None),
        ("groups", {"group_id": "billing"}, ["billing"]),
        ("groups", {"state": "Stable"}, None),
    ],
)
def test_a_wait_looks_at_what_is_named_alone(
    both: tuple[Cluster, Api], monkeypatch: pytest.MonkeyPatch,
    what: str, where: dict[str, Any], looks_at: list[str] | None,
) -> None:  # fmt: skip
    seen: list[object] = []

    async def joined(_call: object, names: object = None) -> list[Any]:
        seen.append(names)
        return []

    monkeypatch.setattr(wait_resource, "joined_topics", joined)
    monkeypatch.setattr(wait_resource, "joined_groups", joined)
    assert both[1].send("POST", "/v1/wait", {"what": what, "where": where, "timeout_ms": 1}).status == 408
    assert seen[0] == looks_at


def test_a_wait_rests_four_times_as_long_as_it_looks(
    both: tuple[Cluster, Api], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []

    async def busy(call: Any, _what: str, _where: object) -> list[Any]:
        looks.append(time.monotonic())
        while time.monotonic() < looks[-1] + 0.02:
            pass
        call.server.on_event[0]()  # something happens all the time
        return [{"topic": "orders"}]

    monkeypatch.setattr(wait_resource, "_items", busy)
    body = {"what": "partitions", "where": {"topic": "other"}, "timeout_ms": 500}
    assert both[1].send("POST", "/v1/wait", body).status == 408
    between = [later - earlier for earlier, later in pairwise(looks)][:-1]
    assert [each for each in between if each < 0.09] == []


def test_a_wait_goes_on_over_a_reset_and_the_restart_of_a_broker(both: tuple[Cluster, Api]) -> None:
    kafka, api = both
    start(kafka, api, {"what": "partitions", "where": {"high_watermark": {"min": 1}}, "timeout_ms": 60_000})
    kafka.reset()
    produce(kafka)
    assert answer(api)[0] == 200
    with serving(brokers=2, topics=["orders"]) as (two, api_of_two):
        body = {"what": "connections", "where": {"client_id": "later"}, "timeout_ms": 60_000}
        api_of_two.connection.request("POST", "/v1/wait", json.dumps(body), JSON)
        two.stop(2)
        two.restart(2)
        producer = Producer({"bootstrap.servers": two.bootstrap_servers, "client.id": "later"})
        producer.list_topics("orders", timeout=TIMEOUT_S)
        assert answer(api_of_two)[0] == 200


def test_a_client_that_sends_no_more_still_gets_its_answer(both: tuple[Cluster, Api]) -> None:
    kafka, _ = both
    address = kafka.control_url.removeprefix("http://")
    connection = http.client.HTTPConnection(address, timeout=TIMEOUT_S)
    connection.request("POST", "/v1/wait", json.dumps({"what": "cluster"}), {**JSON, "connection": "close"})
    assert connection.getresponse().status == 200
    connection.close()
