"""`/v1/openapi.json`: the OpenAPI 3.1 document, made from the table of routes that answers requests."""

from __future__ import annotations

import re
from typing import Any

from kafkacompat.control_api.http.api_examples import BODIES
from kafkacompat.control_api.http.problems import MEDIA_TYPE
from kafkacompat.control_api.http.response_schemas import ANSWERS, UNAVAILABLE, ref, with_examples
from kafkacompat.control_api.http.routes import ROUTES, Parameter, Route, is_available

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.control_api.http.calls import Call
JSON = "application/json"


def document(call: Call) -> dict[str, Any]:
    """GET /v1/openapi.json."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "The control API of kafkacompat",
            "version": call.version,
            "description": "What a running node can be told and asked. Names are in snake_case, times in ms.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "security": [{}, {"token": []}],
        "components": {
            "schemas": with_examples(),
            "responses": {
                "problem": {
                    "description": "A problem (RFC 9457).",
                    "content": {MEDIA_TYPE: {"schema": ref("problem")}},
                }
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation_id(route),
        "summary": route.says,
        "tags": [route.capability],
        "responses": _responses(route),
    }
    if route.parameters:
        found["parameters"] = [_parameter(each) for each in route.parameters]
    if route.takes:
        content = {"type": "string", "contentMediaType": route.takes}
        found["requestBody"] = {"required": True, "content": {route.takes: {"schema": content}}}
    if route.body is not None:
        found["requestBody"] = {
            "required": "required" in route.body,
            "content": {"application/json": {"schema": route.body, **_example(route)}},
        }
    if not is_available(route):
        found["description"] = "Not implemented in this version: answers 501."
    return found


def _responses(route: Route) -> dict[str, Any]:
    problem = {"$ref": "#/components/responses/problem"}
    if not is_available(route):
        return {"501": problem, "default": problem}
    media_type = route.media_type.partition(";")[0]
    key = (route.method, route.path)
    answer = {"content": {media_type: {"schema": ANSWERS[key] if media_type == JSON else {"type": "string"}}}}
    found = {str(route.status): {"description": route.says, **answer}}
    if route.path in UNAVAILABLE:
        found["503"] = {"description": "It is not; `missing` says why.", **answer}
    return {**found, "default": problem}


def _example(route: Route) -> dict[str, Any]:
    body = BODIES.get((route.method, route.path))
    return {} if body is None else {"example": body}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.place,
        "required": parameter.place == "path",
        "description": parameter.says,
        "schema": parameter.schema,
    }


def operation_id(route: Route) -> str:
    """get_v1_brokers_broker_id: unique, and a name in any language."""
    return re.sub(r"[^a-z0-9]+", "_", f"{route.method} {route.path}".lower()).strip("_")
