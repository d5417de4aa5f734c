"""Fault rules over HTTP: added, hit, waited for, removed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from confluent_kafka.admin import AdminClient

from kafkacompat import Cluster
from tests.control_api.harness import JSON, Api, serving

NO_LEADER = {"error": {"code": "LEADER_NOT_AVAILABLE"}}


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[Cluster, Api]]:
    with serving(topics=["orders"], brokers=2) as both:
        yield both


def ask_metadata(kafka: Cluster, topic: str = "orders") -> object:
    return (
        AdminClient({"bootstrap.servers": kafka.bootstrap_servers}).list_topics(topic, timeout=30).topics[topic].error
    )


def test_a_rule_is_added_hit_seen_and_removed(both: tuple[Cluster, Api]) -> None:
    kafka, api = both
    rule = {"when": {"api": "metadata", "topic": "orders"}, "then": NO_LEADER, "label": "no leader"}
    added = api.send("POST", "/v1/faults", rule)
    assert added.status == 201
    path = f"/v1/faults/{added.body['id']}"
    assert (added.body["hits"], added.body["label"]) == (0, "no leader")
    assert ask_metadata(kafka).name() == "LEADER_NOT_AVAILABLE"
    assert api.get(path)["hits"] >= 1
    assert [each["id"] for each in api.get("/v1/faults")["faults"]] == [added.body["id"]]
    removed = api.send("DELETE", path)
    assert removed.body["has_ended"] is True
    assert ask_metadata(kafka) is None
    assert api.send("GET", path).status == 404
    assert api.send("DELETE", path).status == 404


def test_a_wait_is_woken_by_a_hit_and_ends_with_what_was_seen(both: tuple[Cluster, Api]) -> None:
    kafka, api = both
    path = f"/v1/faults/{api.send('POST', '/v1/faults', {'when': {'api': 'metadata'}, 'observe': True}).body['id']}"
    late = api.send("GET", f"{path}?hits=1&timeout_ms=10")
    assert late.status == 408
    assert late.body["seen"]["hits"] == 0
    api.connection.request("GET", f"{path}?hits=1", headers=JSON)
    ask_metadata(kafka)
    response = api.connection.getresponse()
    assert response.status == 200
    assert json.loads(response.read())["hits"] >= 1
    assert api.send("DELETE", "/v1/faults").body == {"faults": []}
    assert api.get("/v1/faults") == {"faults": []}


def test_near_misses_are_told(both: tuple[Cluster, Api]) -> None:
    kafka, api = both
    rule = {"when": {"api": "metadata", "topic": "other"}, "then": NO_LEADER}
    added = api.send("POST", "/v1/faults", rule).body
    ask_metadata(kafka)
    (missed,) = api.get("/v1/near_misses")["near_misses"]
    assert missed["fault_id"] == added["id"]
    assert missed["requests"]
    api.send("DELETE", "/v1/faults")


@pytest.mark.parametrize(
    ("rule", "status", "pointer", "hint"),
    [
        ({"when": {"topik": "a"}, "then": NO_LEADER}, 400, "/when/topik", "topic"),
        ({"when": {"api": "metadta"}, "then": NO_LEADER}, 400, "/when/api", None),
        ({"then": {"eror": {}}}, 400, "/then/eror", "error"),
        ({"when": {"api": "heartbeat", "topic": "a"}, "then": NO_LEADER}, 422, None, None),
        ({"when": 7}, 400, "/when", None),
        ([], 400, "", None),
    ],
)
def test_a_wrong_rule_is_refused_with_its_mistakes(
    both: tuple[Cluster, Api], rule: object, status: int, pointer: str | None, hint: str | None
) -> None:
    answered = both[1].send("POST", "/v1/faults", rule)
    assert answered.status == status, answered
    error = answered.body["errors"][0]
    if pointer is not None:
        assert error["pointer"].startswith(pointer)
    if hint is not None:
        assert error["did_you_mean"] == hint
