"""`/v1/openapi.json`: the OpenAPI 3.1 document, made from the table of routes that answers requests."""

from __future__ import annotations

import re
from typing import Any

from kafkacompat.control_api.problems import MEDIA_TYPE
from kafkacompat.control_api.routes import ROUTES, Parameter, Route, is_available

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.control_api.calls import Call

_PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "A URN that stays the same between versions."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What to do."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "message"],
                "properties": {
                    "pointer": {"type": "string"}, "message": {"type": "string"}, "did_you_mean": {"type": "string"},
                },
            },
        },
    },
}  # fmt: skip


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
            "schemas": {"problem": _PROBLEM},
            "responses": {
                "problem": {
                    "description": "A problem (RFC 9457).",
                    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/problem"}}},
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
    if route.body is not None:
        found["requestBody"] = {
            "required": "required" in route.body, "content": {"application/json": {"schema": route.body}},
        }  # fmt: skip
    if not is_available(route):
        found["description"] = "Not implemented in this version: answers 501."
    return found


def _responses(route: Route) -> dict[str, Any]:
    problem = {"$ref": "#/components/responses/problem"}
    if not is_available(route):
        return {"501": problem, "default": problem}
    media_type = route.media_type.partition(";")[0]
    schema = {"type": "string"} if media_type != "application/json" else {"type": ["object", "null"]}
    return {
        str(route.status): {"description": route.says, "content": {media_type: {"schema": schema}}},
        "default": problem,
    }


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
