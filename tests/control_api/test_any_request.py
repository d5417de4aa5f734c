"""Requests made from the OpenAPI document, right and nearly right: none is answered with a bug, each answer fits its
schema, and each comes within its time.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from confluent_kafka import Consumer, Producer
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacompat.control_api.http.calls import Call
from kafkacompat.control_api.resources.openapi import document
from tests.control_api.harness import Api, serving
from tests.waiting import wait_until

DOCUMENT: dict[str, Any] = document(Call({}, {}, {}))
ENDING = {"kill", "stop", "start", "restart", "pause", "resume"}
"""Without its brokers nothing else could be asked."""
OPERATIONS = sorted(
    (method.upper(), path)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if "501" not in operation["responses"]
    and not (path.startswith("/v1/brokers/") and path.rpartition("/")[2] in ENDING)
)
NAMES = ["orders", "billing", "till", "new", "", "a/b", "__consumer_offsets", "ü", "*", "clients", "PLAINTEXT", "ready"]
ANSWER_MAX_S = 25.0
"""On a busy machine; what waits for a change of leaders is given up after 10 s."""

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 2**40) | st.sampled_from(NAMES) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=4,
)


def of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit a schema: as much of it as our requests use."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", ["object"])
    return st.one_of(*(of_kind(kind, schema) for kind in kinds))


def of_kind(kind: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if kind == "integer":
        low, high = schema.get("minimum", -3), schema.get("maximum", 2**40)
        return st.integers(low, min(high, low + 3)) | st.integers(low, high)
    if kind == "object":
        known = {name: of(member) for name, member in schema.get("properties", {}).items()}
        needed = {name: known.pop(name) for name in schema.get("required", ())}
        fixed = st.fixed_dictionaries(needed, optional=known)
        others = schema.get("additionalProperties", True)
        if others is False:
            return fixed
        values = of(others) if isinstance(others, dict) else anything
        return st.builds(
            lambda one, two: {**one, **two}, st.dictionaries(st.sampled_from(NAMES), values, max_size=2), fixed
        )
    if kind == "array":
        return st.lists(of(schema["items"]), max_size=3)
    return {
        "string": st.sampled_from(NAMES) | st.text(max_size=8), "boolean": st.booleans(), "null": st.none(),
        "number": st.floats(schema.get("minimum", 0), 100),
    }[kind]  # fmt: skip


def shortened(body: Any) -> Any:
    """Waits of a test are short, and its topics small."""
    if isinstance(body, dict):
        limits = {"timeout_ms": 50, "partitions": 4, "replicas": 3}
        return {
            name: min(value, limits[name]) if name in limits and isinstance(value, int) else value
            for name, value in body.items()
        }
    return body


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, str, bytes | None]:
    """Method, target and body. One in four has something that is not in its schema."""
    method, path = draw(st.sampled_from(OPERATIONS))
    operation = DOCUMENT["paths"][path][method.lower()]
    is_wrong = draw(st.integers(0, 3)) == 0
    query: dict[str, Any] = {}
    for parameter in operation.get("parameters", ()):
        value = draw(st.sampled_from(NAMES) if is_wrong and draw(st.booleans()) else of(parameter["schema"]))
        text = json.dumps(value) if isinstance(value, bool | int) else value
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(text or "orders", safe=""))
        elif draw(st.booleans()):
            query[parameter["name"]] = "50" if parameter["name"] == "timeout_ms" else text
    body = operation.get("requestBody")
    if body is None:
        return method, f"{path}?{urlencode(query)}", None
    if "application/json" not in body["content"]:
        return method, f"{path}?{urlencode(query)}", draw(st.binary(max_size=50))
    schema = body["content"]["application/json"]["schema"]
    value = draw(anything if is_wrong and draw(st.booleans()) else of(schema))
    if is_wrong and isinstance(value, dict):
        value = {**value, **draw(st.dictionaries(st.sampled_from([*schema.get("properties", ()), "x"]), anything))}
    return method, f"{path}?{urlencode(query)}", json.dumps(shortened(value)).encode()


@contextmanager
def busy(brokers: int) -> Iterator[Api]:
    """The API of nodes with a member, an idempotent producer and a journal."""
    config = {"offsets.topic.num.partitions": 1, "group.initial.rebalance.delay.ms": 0}
    with serving(topics={"orders": (2, brokers)}, brokers=brokers, config=config) as (kafka, api):
        settings = {"bootstrap.servers": kafka.bootstrap_servers, "client.id": "till"}
        api.send("PUT", "/v1/requests", {"is_on": True})
        producer = Producer({**settings, "enable.idempotence": True, "linger.ms": 0})
        producer.produce("orders", b"\xff", b"k", 0, headers=[("a", b"\xff"), ("b", None)])
        assert producer.flush(30) == 0
        consumer = Consumer({**settings, "group.id": "billing", "auto.offset.reset": "earliest"})
        consumer.subscribe(["orders"])
        wait_until(lambda: consumer.poll(0.1))
        consumer.commit(asynchronous=False)
        yield api
        api.send("POST", "/v1/heal")
        api.send("POST", "/v1/clock/resume")
        consumer.close()


@pytest.mark.parametrize("brokers", [1, 2])
def test_the_views_of_a_busy_broker_fit_their_schemas(brokers: int) -> None:
    with busy(brokers) as api:
        (group,) = api.get("/v1/groups")["groups"]
        assert group["members"]
        assert group["offsets"]
        of_followers = ("fetch_sessions",) if brokers > 1 else ()
        for view in ("producers", "connections", "requests", *of_followers):
            wait_until(lambda: api.get(f"/v1/{view}")[view], what=view)  # noqa: B023 (it is called here)
        assert api.get("/v1/topics/orders/partitions/0/records")["records"]


@pytest.fixture(scope="module", params=[1, 2])
def api(request: pytest.FixtureRequest) -> Iterator[Api]:
    with busy(request.param) as api:
        yield api


@settings(max_examples=settings.default.max_examples // 2)  # other ones in each run
@given(asked=requests())
def test_no_request_is_a_bug_and_each_answer_fits_its_schema(api: Api, asked: tuple[str, str, bytes | None]) -> None:
    method, target, body = asked
    began_s = time.monotonic()
    answered = api.send(method, target, raw=body)
    assert answered.status < 500, answered
    assert time.monotonic() - began_s < ANSWER_MAX_S
