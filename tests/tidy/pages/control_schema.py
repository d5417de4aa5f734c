"""The schema of what verbs over the control API print: the control API's own, a definition for each kind of line."""

from __future__ import annotations

import json
from typing import Any

from kafkacompat.control_api.http.response_schemas import ANSWERS, COMPONENTS

VERBS = {
    "cluster": "inspect cluster", "topic": "inspect topics", "group": "inspect groups", "record": "inspect records",
    "producer": "inspect producers", "connection": "inspect connections, reset", "request": "inspect requests",
    "fault": "fault add, list, hits", "clock": "clock show, freeze, resume", "advanced": "clock advance",
}  # fmt: skip
"""The definitions that are lines, and the verbs that print them."""


def schema() -> str:
    """The document, with all definitions that its lines refer to."""
    made: dict[str, Any] = {}
    for name in VERBS:
        _define(name, made)
    for name, verbs in VERBS.items():
        made[name] = {"description": verbs, **made[name]}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What the verbs over the control API print as JSON: one of $defs on each line",
        "$defs": made,
    }
    return json.dumps(document, indent=2) + "\n"


def _define(name: str, made: dict[str, Any]) -> None:
    if name in made:
        return
    found = dict(ANSWERS["POST", "/v1/clock/advance"] if name == "advanced" else COMPONENTS[name])
    more: dict[str, Any] = {}
    if name == "cluster":
        more = {"brokers": {"type": "array", "items": {"$ref": "#/components/schemas/broker"}}}
    elif name == "record":
        more = {"topic": {"type": "string"}, "partition": {"type": "integer", "minimum": 0}}
    found["properties"] = {**more, **found.get("properties", {})} if "properties" in found else {}
    found["required"] = [*more, *found.get("required", ())]
    if not found["properties"]:
        del found["properties"], found["required"]
    made[name] = {}
    made[name] = _with_own_references(found, made)


def _with_own_references(value: Any, made: dict[str, Any]) -> Any:
    """The schema with references into this document, to definitions that are made on the way."""
    if isinstance(value, dict):
        if "$ref" in value:
            name = value["$ref"].rpartition("/")[2]
            _define(name, made)
            return {"$ref": f"#/$defs/{name}"}
        return {key: _with_own_references(member, made) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_own_references(member, made) for member in value]
    return value
