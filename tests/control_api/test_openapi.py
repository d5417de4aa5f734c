"""The OpenAPI document is valid, and says what the table of routes says."""

from __future__ import annotations

from openapi_spec_validator import validate

from kafkacompat.control_api.routes import ROUTES
from tests.control_api.harness import serving


def test_the_document_is_valid_and_has_each_route() -> None:
    with serving() as (_, api):
        document = api.get("/v1/openapi.json")
    validate(document)
    assert document["openapi"] == "3.1.0"
    assert {(method.upper(), path) for path, methods in document["paths"].items() for method in methods} == {
        (route.method, route.path) for route in ROUTES
    }
    ids = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(set(ids)) == len(ids)
