"""What the notation and Kafka's schema files both say about a message, in one form that can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class FieldFacts(NamedTuple):
    """One field of a struct. Versions are written as `4-18`, `3`, `0+` or `none`."""

    type: str
    """Kafka's name of the type, `[]` in front of an array's."""
    versions: str
    nullable: str
    tag: int | None
    tagged: str
    default: Any
    """A number, a bool, a text or None; a type's own default (0, empty) where none is written."""
    ignorable: bool
    map_key: bool
    never_flexible: bool


class StructFacts(NamedTuple):
    """A struct and its fields, in the order in which they are written."""

    versions: str
    fields: dict[str, FieldFacts]


class MessageFacts(NamedTuple):
    """A request, a response, a record or a part of a file; `structs` has the message itself under its own name."""

    versions: str
    flexible: str
    key: int | None
    listeners: tuple[str, ...] | None
    unstable: bool
    structs: dict[str, StructFacts]


Schema = dict[str, MessageFacts]
"""Messages by Kafka's name."""


class Difference(NamedTuple):
    """One thing that the notation says otherwise than Kafka."""

    where: str
    """`Message`, `Message Struct`, or `Message Struct.field`."""
    what: str
    ours: object
    theirs: object

    def __str__(self) -> str:
        return f"{self.where}: {self.what} {self.ours}, in Kafka {self.theirs}"


class Comparison:
    """Goes through two schemas once. `differences` are in a fixed order; the numbers say how much was compared."""

    def __init__(self, ours: Schema, theirs: Schema) -> None:
        self.messages = 0
        self.fields = 0
        self.facts = 0
        self.differences = [found for name in sorted({*ours, *theirs}) for found in self._message(name, ours, theirs)]

    def __str__(self) -> str:
        return (
            f"{self.messages} messages, {self.fields} fields, {self.facts} facts compared, "
            f"{len(self.differences)} differ"
        )

    def _message(self, name: str, ours: Schema, theirs: Schema) -> Iterator[Difference]:
        if name not in ours or name not in theirs:
            yield _missing(name, "message", name in ours)
            return
        self.messages += 1
        mine, its = ours[name], theirs[name]
        yield from self._attributes(name, mine, its, "structs")
        for struct in {**mine.structs, **its.structs}:
            where = name if struct == name else f"{name} {struct}"
            if struct not in mine.structs or struct not in its.structs:
                yield _missing(where, "struct", struct in mine.structs)
            else:
                if struct != name:  # the message's own versions are compared above
                    yield from self._attributes(where, mine.structs[struct], its.structs[struct], "fields")
                yield from self._fields(where, mine.structs[struct], its.structs[struct])

    def _fields(self, where: str, mine: StructFacts, its: StructFacts) -> Iterator[Difference]:
        order, their_order = (
            tuple(name for name in one.fields if name in other.fields) for one, other in ((mine, its), (its, mine))
        )
        self.facts += 1
        moved = next((pair for pair in zip(order, their_order, strict=True) if pair[0] != pair[1]), None)
        if moved:
            yield Difference(where, "order", *moved)
        for name in {**mine.fields, **its.fields}:
            if name not in mine.fields or name not in its.fields:
                yield _missing(f"{where}.{name}", "field", name in mine.fields)
            else:
                self.fields += 1
                yield from self._attributes(f"{where}.{name}", mine.fields[name], its.fields[name])

    def _attributes(self, where: str, mine: NamedTuple, its: NamedTuple, *inner: str) -> Iterator[Difference]:
        for what in mine._fields:
            if what not in inner:
                self.facts += 1
                one, other = getattr(mine, what), getattr(its, what)
                if (type(one), one) != (type(other), other):
                    yield Difference(where, what, one, other)


def _missing(where: str, what: str, is_ours: bool) -> Difference:
    return Difference(where, what, *(("here", "none") if is_ours else ("none", "there")))


def default_of(kind: str, text: str | None) -> Any:
    """A default as a value of its type, from its text; the type's own for None."""
    if text == "null":
        return None
    if kind == "bool":
        return text == "true"
    if kind.startswith(("int", "uint")):
        return int(text or "0", 0)
    if kind == "float64":
        return float(text or 0)
    return text or ""
