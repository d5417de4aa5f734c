"""Holds every answer that a test gets to its schema, so that the OpenAPI document says what the API answers."""

from __future__ import annotations

import json
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

from jsonschema import Draft202012Validator

from kafkacompat.control_api.http.response_schemas import ANSWERS, COMPONENTS, UNAVAILABLE, ref
from kafkacompat.control_api.http.routes import Route, find

JSON, PROBLEM = "application/json", "application/problem+json"


def strict(schema: Any) -> Any:
    """The schema, with no members but those that it lists."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: strict(member) for name, member in schema.items()}
    is_object = isinstance(schema.get("properties"), dict) and "type" in schema
    return {**found, "additionalProperties": schema.get("additionalProperties", False)} if is_object else found


@cache
def validator(method: str, path: str) -> Draft202012Validator:
    """Of the answers of a route; of problems with the path ""."""
    schema = ANSWERS[method, path] if path else ref("problem")
    return Draft202012Validator({**strict(schema), "components": {"schemas": strict(COMPONENTS)}})


def check_answer(method: str, target: str, status: int, headers: dict[str, str], text: str) -> None:
    """Raises AssertionError for an answer that the document does not describe."""
    if method == "HEAD":
        return
    media_type = headers["content-type"]
    if media_type == PROBLEM:
        checked = validator(method, "")
        assert status >= 400
    else:
        route = _route(method, target)
        assert status == route.status or (status == 503 and route.path in UNAVAILABLE), (method, target, status)
        assert media_type == route.media_type, (method, target, media_type)
        if media_type != JSON:
            return
        checked = validator(method, route.path)
    mistakes = [f"{error.json_path}: {error.message}" for error in checked.iter_errors(json.loads(text))]
    assert not mistakes, (method, target, mistakes[:5])


def _route(method: str, target: str) -> Route:
    segments = [unquote(part) for part in urlsplit(target).path.rstrip("/").split("/")[1:]]
    match = find(segments)
    assert match is not None, target
    return match.routes[method]
