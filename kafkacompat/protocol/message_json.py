"""Messages as the JSON that Kafka's generated converters make of them, with Kafka's names and order of fields.

The fields are those of the notation: only those of the version, and of tagged ones those that differ from their
default. Numbers are numbers, uuids and bytes base64 text (the one without padding and with `-` and `_`).
"""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from functools import cache
from importlib import import_module

from kafkacompat.protocol.notation.compiler.schema import Field, Struct, parse
from kafkacompat.protocol.primitives import ZERO_UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kafkacompat.protocol.notation.compiler.schema import Message as Schema
    from kafkacompat.protocol.primitives import Message

_NOTATION = "kafkacompat.protocol.notation.internal"
_NO_VALUE = {"string": "", "bytes": b"", "bool": False, "uuid": ZERO_UUID}
_ESCAPED = re.compile(r"\\(u[0-9a-f]{4}|.)")


def write_json(module: str, message: "Message", version: int) -> "dict[str, Any]":
    """The fields of a record of the internal notation module ``module`` (``consumer_offsets``), written in ``version``.

    Raises KeyError for a message that the module has not.
    """
    return _struct(_schemas(module)[type(message).__name__].struct, message, version)


def json_text(fields: "Mapping[str, Any]") -> str:
    """JSON without spaces, as Jackson writes it: all but quotes, backslashes and control characters as they are."""
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda found: found[0][:2] + found[0][2:].upper(), text)


@cache
def _schemas(module: str) -> "dict[str, Schema]":
    return {schema.name: schema for schema in parse(import_module(f"{_NOTATION}.{module}").RECORDS)}


def _struct(struct: Struct, message: "Message", version: int) -> "dict[str, Any]":
    fields: dict[str, Any] = {}
    for each in struct.fields:
        value = getattr(message, each.name)
        if version in each.tagged:
            if _is_default(each, value, version):
                continue
        elif version not in each.versions:
            continue
        fields[_camel_case(each.name)] = _value(each, value, version)
    return fields


def _is_default(each: Field, value: "Any", version: int) -> bool:
    """Whether a tagged field is not written. A null is the default of a field only where the notation says so."""
    if value is None or each.default == "null":
        return value is None and each.default == "null"
    if each.is_array:
        return not value
    if each.struct:
        return _struct(each.struct, value, version) == _struct(each.struct, type(value)(), version)
    if each.default is None:
        return bool(value == _NO_VALUE.get(each.type, 0))
    if each.type == "string":
        return bool(value == each.default)
    return bool(value == (each.default == "true" if each.type == "bool" else int(each.default)))


def _value(each: Field, value: "Any", version: int) -> "Any":
    if each.is_array and value is not None:
        return [_item(each, item, version) for item in value]
    return _item(each, value, version)


def _item(each: Field, value: "Any", version: int) -> "Any":
    if value is None:
        return None
    if each.struct:
        return _struct(each.struct, value, version)
    if each.type == "uuid":
        return urlsafe_b64encode(value).rstrip(b"=").decode()
    return b64encode(value).decode() if each.type in ("bytes", "records") else value


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    if first == "kraft":
        first = "kRaft"
    return first + "".join(each.capitalize() for each in others)
