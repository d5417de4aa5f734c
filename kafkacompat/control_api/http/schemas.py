"""The part of JSON Schema that the control API uses: it checks requests, and is printed in the OpenAPI document."""

from __future__ import annotations

import json

from kafkacompat.control_api.http.problems import FieldError, ProblemError, alike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    Schema: TypeAlias = Mapping[str, Any]

ERRORS_MAX = 20
"""More mistakes of one request are not listed."""

STRING: Schema = {"type": "string"}
BOOLEAN: Schema = {"type": "boolean"}
INTEGER: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float), "object": (dict,),
    "array": (list,), "null": (type(None),),
}  # fmt: skip


def an_object(properties: Mapping[str, Schema], required: tuple[str, ...] = ()) -> Schema:
    """An object with these members and no others."""
    schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def read_json(body: bytes) -> object:
    """The JSON text in a body. Raises ProblemError."""
    try:
        return json.loads(body, parse_constant=_refuse_constant, object_pairs_hook=_distinct)
    except RecursionError:
        said = "it is nested too deeply"
    except ValueError as error:  # JSONDecodeError, UnicodeDecodeError, numbers that are too long
        said = f"{error}"
    raise ProblemError(400, "not-json", f"the body is not JSON: {said}")


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise ValueError(f"an object has the member {name!r:.100} twice")
        members[name] = value
    return members


def check(value: object, schema: Schema, pointer: str = "") -> list[FieldError]:
    """The mistakes in a value, at most ERRORS_MAX."""
    errors: list[FieldError] = []
    _check(value, schema, pointer, errors)
    return errors[:ERRORS_MAX]


def _check(value: object, schema: Schema, pointer: str, errors: list[FieldError]) -> None:
    if len(errors) >= ERRORS_MAX:
        return
    types = schema.get("type")
    if types is not None:
        names = [types] if isinstance(types, str) else list(types)
        if not any(_is(value, name) for name in names):
            errors.append(FieldError(pointer, f"it has to be {' or '.join(_named(name) for name in names)}"))
            return
    if "enum" in schema and value not in schema["enum"]:
        known = [str(each) for each in schema["enum"]]
        errors.append(FieldError(pointer, f"it has to be one of {', '.join(known)}", alike(str(value), known)))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        _check_range(value, schema, pointer, errors)
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        errors.append(FieldError(pointer, f"it has more than {schema['maxLength']} characters"))
    if isinstance(value, dict):
        _check_members(value, schema, pointer, errors)
    if isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            errors.append(FieldError(pointer, f"it has more than {schema['maxItems']} items"))
            return
        for index, item in enumerate(value):
            _check(item, schema.get("items", {}), f"{pointer}/{index}", errors)


def _check_range(value: float, schema: Schema, pointer: str, errors: list[FieldError]) -> None:
    if value < schema.get("minimum", value):
        errors.append(FieldError(pointer, f"it has to be at least {schema['minimum']}"))
    if value > schema.get("maximum", value):
        errors.append(FieldError(pointer, f"it has to be at most {schema['maximum']}"))


def _check_members(value: dict[str, object], schema: Schema, pointer: str, errors: list[FieldError]) -> None:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name, member in value.items():
        at = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
        if name in properties:
            _check(member, properties[name], at, errors)
        elif others is False:
            near, known = alike(name, properties), ", ".join(sorted(properties)) or "none"
            message = "there is no such member"
            errors.append(FieldError(at, message if near else f"{message}: known are {known}", near))
        elif isinstance(others, dict):
            _check(member, others, at, errors)
    errors.extend(
        FieldError(f"{pointer}/{name}", "it is missing") for name in schema.get("required", ()) if name not in value
    )


def _is(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name])


def _named(name: str) -> str:
    return {"null": "null"}.get(name, f"{'an' if name[0] in 'aio' else 'a'} {name}")


def from_text(text: str, schema: Schema) -> object:
    """The value of a query or path parameter: text, or what its schema's type makes of it, if it can."""
    kind = schema.get("type")
    if kind == "integer":
        digits = text[1:] if text[:1] == "-" else text
        return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else text
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    return text
