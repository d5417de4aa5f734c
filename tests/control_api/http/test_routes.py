"""The table of routes: each is answered, documented and, if it is missing, refused by name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacompat.control_api.http.application import operation_of
from kafkacompat.control_api.http.routes import ROUTES, Route, is_available
from tests.control_api.harness import Api, serving, target_of

PRINTABLE = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40)


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    with serving(topics={"orders": 2}) as (_, api):
        yield api


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_each_route_is_answered_or_names_what_is_missing(api: Api, route: Route) -> None:
    if route.capability == "processes":
        route = route._replace(path=route.path.replace("{broker_id}", "9"))  # the one that runs is needed
    answered = api.send(route.method, target_of(route))
    if is_available(route):
        assert callable(operation_of(route))
        assert answered.status in (route.status, 400, 404, 408, 409, 422), answered
        assert answered.status != 404 or answered.body["type"] != "urn:kafkacompat:problem:no-resource"
    else:
        assert answered.status == 501
        assert answered.body["capability"] == route.capability


def test_routes_are_distinct() -> None:
    keys = [(route.method, route.path) for route in ROUTES]
    assert len(set(keys)) == len(keys)


def test_the_index_lists_capabilities_and_resources(api: Api) -> None:
    index = api.get("/v1")
    assert {"cluster", "health", "metrics"} <= set(index["capabilities"])
    assert set(index["resources"]) == {route.path for route in ROUTES}
    assert not set(index["capabilities"]) & set(index["missing"])


def test_the_cluster_and_its_brokers_are_told() -> None:
    with serving(topics={"orders": 2}) as (_, api):
        cluster = api.get("/v1/cluster")
        assert (cluster["controller_id"], cluster["broker_ids"], cluster["topic_count"]) == (1, [1], 1)
        assert cluster["ready"] is True
        (broker,) = api.get("/v1/brokers")["brokers"]
        assert api.get("/v1/brokers/1") == broker
    assert broker["is_controller"]
    assert not broker["is_fenced"]


@pytest.mark.parametrize(
    ("method", "path", "status", "says"),
    [
        ("GET", "/v1/brokers/9", 404, "the cluster has 1"),
        ("GET", "/v1/brokers/one", 400, "an integer"),
        ("GET", "/v1/clutser", 404, "did you mean /v1/cluster?"),
        ("GET", "/v1/cluster?colour=red", 400, "no such member"),
        ("GET", "/v1/cluster?a=1&a=2", 400, "twice"),
        ("GET", "/v1/%ff", 400, "cannot be read"),
        ("DELETE", "/v1/cluster", 405, "GET, HEAD"),
        ("PATCH", "/v1/cluster", 405, "GET, HEAD"),
        ("GET", "/metrics?partitions=maybe", 400, "a boolean"),
        ("GET", "/metrics?partition=true", 400, "no such member"),
    ],
)
def test_a_wrong_request_is_told_what_to_do(api: Api, method: str, path: str, status: int, says: str) -> None:
    answered = api.send(method, path)
    assert answered.status == status
    assert answered.headers["content-type"] == "application/problem+json"
    assert says in answered.body["detail"]


@settings(max_examples=150, deadline=None)
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"]),
    path=st.one_of(
        st.sampled_from([route.path for route in ROUTES]),
        st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=" "), max_size=40).map(
            "/{}".format
        ),
    ),
    query=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30),
    body=st.binary(max_size=200),
)
def test_whatever_is_asked_gets_an_answer_that_is_no_bug(
    api: Api, method: str, path: str, query: str, body: bytes
) -> None:
    answered = api.send(method, f"{path}?{query}", raw=body or None)
    assert answered.status not in (500, 503)
    if answered.status >= 400 and method != "HEAD":
        assert answered.body["status"] == answered.status
