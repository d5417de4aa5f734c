"""Takes entities out of a request, and joins their errors with the answers to the others, in the order of the
request.
"""

from kafkacompat.broker.answers import Encoded
from kafkacompat.broker.refusals import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.faults.shapes import Entity, Key, Level, Shape

    Path = tuple[Key, ...]


def part(shape: "Shape", request: "Any", keeps: "Callable[[Path], bool]") -> "Any":
    """A copy of the request with only the entities whose path is kept; arrays that lose all their items lose the item
    that has them, too.
    """
    return _part(shape.levels, request, (), keeps)


def _part(levels: "list[Level]", message: "Any", path: "Path", keeps: "Callable[[Path], bool]") -> "Any":
    level = levels[0]
    assert level.asks is not None
    kept: list[Any] = []
    for item in getattr(message, level.asks) or ():
        here = (*path, level.key(item))
        if len(levels) == 1:
            if keeps(here):
                kept.append(item)
            continue
        inner = levels[1].asks
        assert inner is not None
        if getattr(item, inner) is None:  # all partitions of a group
            if keeps(here):
                kept.append(item)
            continue
        smaller = _part(levels[1:], item, here, keeps)
        if getattr(smaller, inner) or not getattr(item, inner):
            kept.append(smaller)
    return changed(message, level.asks, kept)


def changed(message: "Any", name: str, value: object) -> "Any":
    """A shallow copy of a message with another value in one field."""
    kind: Any = type(message)
    copy = kind.__new__(kind)
    for each in _fields(kind):
        setattr(copy, each, getattr(message, each))
    setattr(copy, name, value)
    return copy


def _fields(kind: type) -> "list[str]":
    return [name for each in kind.__mro__ for name in getattr(each, "__slots__", ())]


def errors_of(shape: "Shape", request: "Any", entities: "Collection[Entity]", error_code: int) -> "Any":
    """A response that has nothing but this error for these entities: the API's own, with items where it has none."""
    paths = {entity.path for entity in entities}
    asked = part(shape, request, paths.__contains__)
    response: Any = refusal(shape.api, asked, error_code, shape.version)
    if shape.has_top_error:
        response.error_code = 0
    top = shape.levels[0]
    assert top.answers is not None
    setattr(response, top.answers, list(getattr(response, top.answers)))
    for entity in entities:
        _ensure(shape.levels, response, entity.path, error_code, shape.api.messages)
    return response


def failure_of(shape: "Shape", request: "Any", entities: "Collection[Entity]", error_code: int) -> "Any":
    """The response that fails a whole request. A version without a place for that fails each entity."""
    response: Any = refusal(shape.api, request, error_code, shape.version)
    if shape.has_errors and not shape.has_top_error and not getattr(response, shape.levels[0].answers or ""):
        return errors_of(shape, request, entities, error_code)
    return response


def _ensure(levels: "list[Level]", message: "Any", path: "Path", error_code: int, messages: "Any") -> None:
    """Give a response the item at this path, with the error at the end of the path."""
    level = levels[0]
    assert level.answers is not None
    items = list(getattr(message, level.answers))
    setattr(message, level.answers, items)
    item = next((each for each in items if path[0] in level.keys(each)), None)
    if item is None:
        item = getattr(messages, level.item_class)()
        for name in _fields(type(item)):
            if name.endswith("records") and getattr(item, name) is None:
                setattr(item, name, b"")
        for role, value in path[0]:
            setattr(item, level.answered[role], value)
        items.append(item)
    if len(path) > 1:
        if level.has_error and item.error_code == error_code:
            item.error_code = 0
        _ensure(levels[1:], item, path[1:], error_code, messages)
    elif level.has_error:
        item.error_code = error_code


def without(shape: "Shape", response: "Any", paths: "Collection[Path]") -> None:
    """Take the answers at these paths out of a response."""
    _without(shape.levels, response, {()}, paths)


def _without(levels: "list[Level]", message: "Any", heres: "set[Path]", paths: "Collection[Path]") -> None:
    level = levels[0]
    assert level.answers is not None
    kept: list[Any] = []
    for item in getattr(message, level.answers) or ():
        found = {(*here, key) for here in heres for key in level.keys(item)}
        if len(levels) == 1:
            if found.isdisjoint(paths):
                kept.append(item)
            continue
        if not found.isdisjoint(paths):
            continue
        inner = levels[1].answers
        assert inner is not None
        had = bool(getattr(item, inner))
        _without(levels[1:], item, found, paths)
        if getattr(item, inner) or not had:
            kept.append(item)
    setattr(message, level.answers, kept)


def join(shape: "Shape", request: "Any", response: "Any", others: "Any") -> None:
    """Put the answers in `others` into `response`, and sort both by the request."""
    _join(shape.levels, request, response, others)


def _join(levels: "list[Level]", request: "Any", response: "Any", others: "Any") -> None:
    level = levels[0]
    assert level.asks is not None
    assert level.answers is not None
    asked: dict[Key, Any] = {}
    for item in getattr(request, level.asks, None) or ():
        asked.setdefault(level.key(item), item)
    items = list(getattr(response, level.answers) or ())
    known = {key: item for item in items for key in level.keys(item)}
    for other in getattr(others, level.answers) or ():
        mine = next((known[key] for key in level.keys(other) if key in known), None)
        if mine is None:
            items.append(other)
        elif len(levels) > 1:
            question = next((asked[key] for key in level.keys(other) if key in asked), None)
            _join(levels[1:], question, mine, other)
    order = {key: number for number, key in enumerate(asked)}
    last = len(order)
    items.sort(key=lambda item: min((order[key] for key in level.keys(item) if key in order), default=last))
    setattr(response, level.answers, items)


def decoded(shape: "Shape", response: "Response") -> "Any":
    """The response as a message, also if its handler has encoded it already, or some of its items."""
    parts: list[object] = []
    if type(response) is Encoded:
        parts = response.parts
    elif _has_encoded_items(response):
        shape.api.messages.encode_response(response, shape.version, parts)
    else:
        return response
    body = b"".join(bytes(each) for each in parts)  # type: ignore[call-overload] # bytes-like, all of them
    return shape.api.messages.decode_response(body, 0, shape.version)


def _has_encoded_items(response: "Any") -> bool:
    return any(
        type(value) is list and any(type(item) is bytes for item in value)
        for value in (getattr(response, name) for name in _fields(type(response)))
    )
