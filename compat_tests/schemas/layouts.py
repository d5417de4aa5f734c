"""What a message looks like on the wire in one version: types, nulls and tags in their order, whatever the names."""

from __future__ import annotations

from typing import Any

from compat_tests.schemas.facts import FieldFacts, MessageFacts
from kafkacompat.protocol.notation.compiler.schema import Versions, parse_versions

Layout = tuple[Any, ...]


def versions(message: MessageFacts) -> range:
    """The versions that a message has."""
    valid = parse_versions(message.versions)
    return range(valid.low, valid.high + 1)


def layout(name: str, message: MessageFacts, version: int) -> Layout:
    """The layout of a message: equal for two descriptions that lead to the same bytes."""
    return version in parse_versions(message.flexible), _struct(message, name, version)


def _struct(message: MessageFacts, name: str, version: int) -> Layout:
    fields = message.structs[name].fields.values()
    tagged = [each for each in fields if version in parse_versions(each.tagged)]
    in_order = [each for each in fields if version in parse_versions(each.versions) and each not in tagged]
    return (
        tuple(_field(message, each, version) for each in in_order),
        tuple((each.tag, each.default, _field(message, each, version)) for each in sorted(tagged, key=_tag)),
    )


def _tag(each: FieldFacts) -> int:
    assert each.tag is not None
    return each.tag


def _field(message: MessageFacts, each: FieldFacts, version: int) -> Layout:
    inner = each.type.removeprefix("[]")
    nullable: Versions = parse_versions(each.nullable)
    kind = (each.type.startswith("[]"), _struct(message, inner, version)) if inner in message.structs else each.type
    return kind, version in nullable, each.never_flexible
