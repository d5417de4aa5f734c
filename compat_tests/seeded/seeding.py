"""How a seed is planted: patches over the modules of the broker, before it starts."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

Seed = Callable[[], None]
SEEDS: dict[str, Seed] = {}


def seed(plant: Seed) -> Seed:
    """Register a seed by the name of its function; its docstring says what is wrong with such a broker."""
    assert plant.__doc__, f"{plant.__name__} does not say what it does"
    SEEDS[plant.__name__] = plant
    return plant


def answer(api: str, change: Callable[[Any], None]) -> None:
    """Have `change` spoil each response of an API before it is encoded."""
    module = importlib.import_module(f"kafkacompat.protocol.messages.{api}")
    encode = module.encode_response

    def spoilt(message: Any, version: int, out: Any) -> None:
        change(message)
        encode(message, version, out)

    module.encode_response = spoilt
    handler = importlib.import_module(f"kafkacompat.broker.handlers.{api}")
    if hasattr(handler, "encode_response"):
        handler.encode_response = spoilt


def each(message: Any, *names: str) -> Iterator[Any]:
    """Every item that is reached through these lists, one within the other."""
    first, *rest = names
    for item in getattr(message, first) or ():
        if rest:
            yield from each(item, *rest)
        else:
            yield item


def wrap(owner: str, name: str, wrapper: Callable[..., Any]) -> None:
    """Replace a function or method by `wrapper(original, *its arguments)`. `owner` is `module` or `module:Class`."""
    module, _, cls = owner.partition(":")
    place = importlib.import_module(f"kafkacompat.{module}")
    place = getattr(place, cls) if cls else place
    original = getattr(place, name)

    def wrapped(*arguments: Any, **named: Any) -> Any:
        return wrapper(original, *arguments, **named)

    setattr(place, name, wrapped)


def constant(value: Any) -> Callable[..., Any]:
    """A wrapper that answers the same, whatever it is asked."""
    return lambda _original, *_arguments, **_named: value
