"""Topics, reset, the clock and advertised addresses over HTTP."""

from __future__ import annotations

from pathlib import Path

from confluent_kafka.admin import AdminClient

from kafkacompat.control_api.http.api_examples import BODIES
from kafkacompat.control_api.http.routes import ROUTES
from tests.cli.processes import serving as serving_process
from tests.control_api.harness import Api, serving, target_of


def test_topics_are_created_and_deleted() -> None:
    with serving() as (kafka, api):
        body = {"name": "orders", "partitions": 3, "configs": {"retention.ms": "-1"}}
        created = api.send("POST", "/v1/topics", body)
        assert created.status == 201
        assert len(created.body["partitions"]) == 3
        assert created.body["configs"]["retention.ms"]["value"] == "-1"
        assert api.send("POST", "/v1/topics", body).status == 409
        assert "orders" in AdminClient({"bootstrap.servers": kafka.bootstrap_servers}).list_topics(timeout=30).topics
        assert api.send("POST", "/v1/topics", {"name": "a b"}).status == 409
        assert api.send("DELETE", "/v1/topics/orders").status == 200
        assert api.send("DELETE", "/v1/topics/orders").status == 404
        assert api.get("/v1/topics") == {"topics": []}


def test_a_reset_brings_the_start_back() -> None:
    with serving(topics=["orders"]) as (_, api):
        before = api.get("/v1/topics/orders")["topic_id"]
        api.send("POST", "/v1/topics", {"name": "other"})
        done = api.send("POST", "/v1/reset", {})
        assert (done.status, done.body) == (200, {"connections": []})
        assert [each["name"] for each in api.get("/v1/topics")["topics"]] == ["orders"]
        assert api.get("/v1/topics/orders")["topic_id"] != before
        api.send("POST", "/v1/topics", {"name": "other"})
        assert api.send("POST", "/v1/reset", {"keep": ["topics"]}).status == 200
        assert len(api.get("/v1/topics")["topics"]) == 2
        assert api.send("POST", "/v1/reset", {"keep": ["users"]}).body["errors"][0]["pointer"] == "/keep/0"
        assert api.get("/readyz")["ready"] is True


def test_several_nodes_of_a_process_are_reset_together() -> None:
    with serving(brokers=3, topics=["orders"]) as (kafka, api):
        api.send("POST", "/v1/topics", {"name": "other"})
        assert api.send("POST", "/v1/reset", {}).status == 200
        assert list(kafka.topics()) == ["orders"]
        kafka.kill(3)
        refused = api.send("POST", "/v1/reset", {})
        assert (refused.status, "restart(3)" in refused.body["detail"]) == (409, True)


def test_the_clock_moves_stops_and_goes_on() -> None:
    with serving() as (_, api):
        before = api.get("/v1/clock")["wall_ms"]
        moved = api.send("POST", "/v1/clock/advance", {"ms": 3_600_000})
        assert moved.body["wall_ms"] - before >= 3_600_000
        assert api.send("POST", "/v1/clock/freeze").body["is_frozen"] is True
        assert api.get("/v1/clock")["wall_ms"] == api.get("/v1/clock")["wall_ms"]
        assert api.send("POST", "/v1/clock/resume").body["is_frozen"] is False
        assert api.send("POST", "/v1/clock/advance", {"ms": -1}).status == 400


def test_addresses_change_and_come_back() -> None:
    with serving() as (_, api):
        path = "/v1/brokers/1/advertised"
        first = api.get(path)
        told = api.send("PUT", path, {"PLAINTEXT": "broker.example:9092"})
        assert told.body == {"PLAINTEXT": "broker.example:9092"} == api.get("/v1/brokers/1")["endpoints"]
        assert api.send("PUT", path, {}).body == first
        assert api.send("PUT", path, {"OTHER": "a:1"}).status == 409
        assert api.send("PUT", path, {"PLAINTEXT": 1}).status == 400
        assert api.send("PUT", "/v1/brokers/9/advertised", {}).status == 404


def test_data_of_the_user_are_changed_only_with_allow_faults(tmp_path: Path) -> None:
    arguments = ("--data-dir", str(tmp_path / "data"))
    for flags, expected in (((), 403), (("--allow-faults",), 201)):
        with serving_process(tmp_path, *arguments, *flags) as (child, state):
            api = Api(state["control_url"])
            answered = api.send("POST", "/v1/topics", {"name": "orders"})
            assert answered.status == expected
            assert api.get("/v1/topics")["topics"] == ([] if expected == 403 else [answered.body])
            assert api.send("POST", "/v1/wait", {"what": "cluster"}).status == 200
            assert api.send("POST", "/v1/reset", {}).status == (403 if expected == 403 else 409)
            done = api.send("POST", "/v1/reset", {"delete_data": True})
            assert done.status == (403 if expected == 403 else 200)
            assert api.get("/v1/topics")["topics"] == []
            api.close()
            assert child.stop() == 0


def test_each_route_that_changes_something_answers_403_on_data_of_the_user(tmp_path: Path) -> None:
    with serving_process(tmp_path, "--data-dir", str(tmp_path / "data")) as (child, state):
        api = Api(state["control_url"])
        before = [api.get(path) for path in ("/v1/topics", "/v1/faults", "/v1/lag", "/v1/brokers/1/advertised")]
        answers = {}
        for route in ROUTES:
            body = BODIES.get((route.method, route.path))
            if route.body is not None and body is not None and "timeout_ms" in body:
                body = {**body, "timeout_ms": 0}
            answers[route.method, route.path] = api.send(route.method, target_of(route), body)
        after = [api.get(path) for path in ("/v1/topics", "/v1/faults", "/v1/lag", "/v1/brokers/1/advertised")]
        assert api.get("/v1/requests")["is_on"] is False
        api.close()
        assert child.stop() == 0
    refused = {key for key, answered in answers.items() if answered.status == 403}
    assert refused == {(method, path) for method, path in answers if method != "GET"} - {("POST", "/v1/wait")}
    assert {answers[key].body["type"] for key in refused} == {"urn:kafkacompat:problem:data-of-the-user"}
    assert "--allow-faults" in answers["POST", "/v1/reset"].body["detail"]
    assert before == after
