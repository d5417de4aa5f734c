"""The notation as facts."""

from __future__ import annotations

from compat_tests.schemas.facts import FieldFacts, MessageFacts, Schema, StructFacts, default_of
from kafkacompat.protocol import generate
from kafkacompat.protocol.notation import internal
from kafkacompat.protocol.notation.compiler.schema import FOREVER, Field, Message, Versions, parse


def schema() -> Schema:
    """Every message that the notation describes, parsed anew."""
    found = {}
    for source, request, response in generate.apis().values():
        found[request.name] = message_facts(request, source.LISTENERS, source.KEY)
        found[response.name] = message_facts(response, None, source.KEY)
    for source in generate.notation_modules(internal).values():
        found |= {message.name: message_facts(message) for message in parse(source.RECORDS)}
    return found


def message_facts(message: Message, listeners: tuple[str, ...] | None = None, key: int | None = None) -> MessageFacts:
    """One message of the notation; an API's key stands beside its messages, a record's inside."""
    structs = {
        struct.name: StructFacts(written(struct.versions), {each.name: field_facts(each) for each in struct.fields})
        for struct in message.structs
    }
    return MessageFacts(
        written(message.versions), written(message.flexible), message.key if key is None else key, listeners,
        message.unstable, structs,
    )  # fmt: skip


def field_facts(each: Field) -> FieldFacts:
    kind = ("[]" if each.is_array else "") + each.type
    return FieldFacts(
        kind, written(each.versions), written(each.nullable), each.tag, written(each.tagged),
        default_of(kind, each.default), each.ignorable, each.is_key, each.never_flexible,
    )  # fmt: skip


def written(versions: Versions) -> str:
    """Versions as text."""
    if versions.low > versions.high:
        return "none"
    if versions.low == versions.high:
        return str(versions.low)
    return f"{versions.low}+" if versions.high == FOREVER else f"{versions.low}-{versions.high}"
