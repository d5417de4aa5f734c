"""The OpenAPI document is valid, says what the table of routes says, and types every answer."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from kafkacompat.control_api.http.api_examples import BODIES, EXAMPLES
from kafkacompat.control_api.http.calls import Call
from kafkacompat.control_api.http.response_schemas import ANSWERS, COMPONENTS, ref
from kafkacompat.control_api.http.routes import ROUTES, is_available
from kafkacompat.control_api.http.schemas import check
from kafkacompat.control_api.resources.openapi import document
from tests.control_api.answers import JSON, check_answer, strict
from tests.control_api.harness import serving

DOCUMENT: dict[str, Any] = document(Call({}, {}, {}, version="1"))


def test_the_document_is_valid_and_has_each_route() -> None:
    with serving() as (_, api):
        served = api.get("/v1/openapi.json")
    validate(served)
    assert served["openapi"] == "3.1.0"
    assert {(method.upper(), path) for path, methods in served["paths"].items() for method in methods} == {
        (route.method, route.path) for route in ROUTES
    }
    ids = [operation["operationId"] for methods in served["paths"].values() for operation in methods.values()]
    assert len(set(ids)) == len(ids)


def test_each_route_that_answers_json_has_the_schema_of_its_answer() -> None:
    needed = {(route.method, route.path) for route in ROUTES if is_available(route) and route.media_type == JSON}
    assert needed - ANSWERS.keys() == set(), "give them a schema in control_api/http/response_schemas.py"
    assert ANSWERS.keys() - needed == set(), "these answer no JSON"


def test_each_component_is_used_and_each_schema_says_what_it_is() -> None:
    names = set(refs(DOCUMENT))
    assert names == COMPONENTS.keys()
    vague = [name for name, schema in COMPONENTS.items() if not schema.keys() & {"properties", "additionalProperties"}]
    assert vague == ["encoding", "nothing"]


def refs(value: object) -> list[str]:
    """The names of all components that are referred to."""
    if isinstance(value, dict):
        here = [value["$ref"].removeprefix("#/components/schemas/")] if "schemas/" in str(value.get("$ref")) else []
        return here + [name for member in value.values() for name in refs(member)]
    return [name for member in value for name in refs(member)] if isinstance(value, list) else []


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_answers_fit_their_schemas(name: str) -> None:
    checked = Draft202012Validator({**ref(name), "components": {"schemas": strict(COMPONENTS)}})
    assert [error.message for error in checked.iter_errors(EXAMPLES[name])] == []
    assert DOCUMENT["components"]["schemas"][name]["examples"] == [EXAMPLES[name]]


def test_each_body_has_an_example_that_fits_it() -> None:
    bodies = {(route.method, route.path): route.body for route in ROUTES if route.body is not None}
    assert bodies.keys() == BODIES.keys()
    for key, body in bodies.items():
        assert body is not None
        assert [str(error.message) for error in check(BODIES[key], body)] == []


@pytest.mark.parametrize(
    ("method", "target", "status", "text"),
    [
        ("GET", "/v1/lag", 200, '{"lagging": [], "more": 1}'),
        ("GET", "/v1/lag", 200, "{}"),
        ("GET", "/v1/lag", 200, '{"lagging": [{"broker_id": "1", "topic": "a", "partition": 0}]}'),
        ("GET", "/v1/lag", 201, '{"lagging": []}'),
        ("POST", "/v1/heal", 200, '{"healed": true}'),
    ],
)
def test_an_answer_that_is_not_documented_fails_its_test(method: str, target: str, status: int, text: str) -> None:
    with pytest.raises(AssertionError):
        check_answer(method, target, status, {"content-type": JSON}, text)
    check_answer("GET", "/v1/lag", 200, {"content-type": JSON}, '{"lagging": []}')
