"""The part of JSON Schema that our schema files use."""

from __future__ import annotations

from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "null": (type(None),),
    "array": (list,), "object": (dict,),
}  # fmt: skip
KNOWN = {
    "$schema", "title", "type", "additionalProperties", "properties", "required", "$defs", "$ref", "enum",
    "description", "minimum", "items", "minItems", "maxItems", "prefixItems", "default",
}  # fmt: skip


def misfits(value: object, schema: dict[str, Any], where: str = "it", root: dict[str, Any] | None = None) -> list[str]:
    """What of the schema's words `value` breaks: those that it uses, no others. root: the document with `$defs`."""
    root = schema if root is None else root
    assert set(schema) <= KNOWN
    if "$ref" in schema:
        return misfits(value, root["$defs"][schema["$ref"].rpartition("/")[2]], where, root)
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    if names and not any(_is(value, name) for name in names):
        return [f"{where} is {value!r}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where} is {value!r}")
    if isinstance(value, int) and value < schema.get("minimum", value):
        found.append(f"{where} is {value}")
    if isinstance(value, dict):
        found += _members(value, schema, where, root)
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{where} has {len(value)} elements")
        items = schema.get("prefixItems") or [schema.get("items", {})] * len(value)
        for item, part in zip(value, items, strict=False):
            found += misfits(item, part, where, root)
    return found


def _members(value: dict[str, Any], schema: dict[str, Any], where: str, root: dict[str, Any]) -> list[str]:
    properties: dict[str, Any] = schema.get("properties", {})
    others = value.keys() - properties.keys()
    found = [f"{where} lacks {name}" for name in schema.get("required", ()) if name not in value]
    if schema.get("additionalProperties") is False:
        found += [f"{where} has {name}" for name in others]
    elif isinstance(schema.get("additionalProperties"), dict):
        for name in others:
            found += misfits(value[name], schema["additionalProperties"], f"{where}.{name}", root)
    for name in value.keys() & properties.keys():
        found += misfits(value[name], properties[name], f"{where}.{name}", root)
    return found


def _is(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])
