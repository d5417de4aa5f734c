"""Random messages of every kind and version, built from the notation."""

import importlib
from dataclasses import dataclass
from functools import cache
from random import Random
from types import ModuleType
from typing import Any

from kafkacompat.protocol import generate
from kafkacompat.protocol.notation import internal
from kafkacompat.protocol.notation.compiler.schema import Field, Message, Struct, name_classes, parse, snake_case
from kafkacompat.protocol.primitives import ZERO_UUID

STRINGS = ("", "a", "topic-1", "ünï-☃-🦜", "x" * 126, "y" * 127, "z" * 300)
BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
ERROR_CODES = (-1, 0, 1, 3, 6, 39, 74, 100, 119)


@dataclass(frozen=True)
class Kind:
    """One request, response or record with the generated functions for it."""

    message: Message
    module: ModuleType
    suffix: str
    api: str = ""

    def __str__(self) -> str:
        return self.message.name

    def encode(self, value: object, version: int) -> bytes:
        out: list[Any] = []
        getattr(self.module, f"encode_{self.suffix}")(value, version, out)
        return b"".join(out)

    def decode(self, data: bytes | bytearray, version: int, pos: int = 0) -> Any:
        return getattr(self.module, f"decode_{self.suffix}")(data, pos, version)


@cache
def api_kinds() -> list[Kind]:
    kinds = []
    for stem, (_source, request, response) in generate.apis().items():
        name_classes([request, response])
        module = importlib.import_module(f"kafkacompat.protocol.messages.{stem}")
        kinds += [Kind(request, module, "request", stem), Kind(response, module, "response", stem)]
    return kinds


@cache
def record_kinds() -> list[Kind]:
    kinds = []
    for stem, source in generate.notation_modules(internal).items():
        messages = parse(source.RECORDS)
        name_classes(messages)
        module = importlib.import_module(f"kafkacompat.protocol.internal.{stem}")
        kinds += [Kind(message, module, snake_case(message.name), stem) for message in messages]
    return kinds


def random_message(kind: Kind, version: int, rng: Random) -> Any:
    """Build a message whose fields are random where `version` has them, and at their defaults elsewhere."""
    return _struct(kind, kind.message.struct, version, rng)


def _struct(kind: Kind, struct: Struct, version: int, rng: Random) -> Any:
    values = {each.name: _value(kind, each, version, rng) for each in struct.present(version)}
    for each in struct.tagged(version):
        if rng.random() < 0.6:
            values[each.name] = _value(kind, each, version, rng)
    return getattr(kind.module, struct.class_name)(**values)


def _value(kind: Kind, each: Field, version: int, rng: Random) -> Any:
    if version in each.nullable and rng.random() < 0.25:
        return None
    if each.is_array:
        return [_one(kind, each, version, rng) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    return _one(kind, each, version, rng)


def _one(kind: Kind, each: Field, version: int, rng: Random) -> Any:
    if each.struct is not None:
        return _struct(kind, each.struct, version, rng)
    if each.type in BITS:
        return _integer(each, rng)
    match each.type:
        case "bool":
            return rng.random() < 0.5
        case "uint16" | "uint32":
            return rng.choice((0, 1, 9092, 65535))
        case "float64":
            return rng.choice((0.0, -1.5, 1e300, rng.random()))
        case "string":
            return rng.choice(STRINGS)
        case "uuid":
            return rng.choice((ZERO_UUID, rng.randbytes(16)))
        case "bytes":
            return rng.randbytes(rng.choice((0, 1, 126, 127, 200)))
        case "records":
            return memoryview(rng.randbytes(rng.choice((0, 70, 127, 200))))
    raise AssertionError(each)


def _integer(each: Field, rng: Random) -> int:
    if each.name.endswith("error_code"):
        return rng.choice(ERROR_CODES)
    if "time" in each.name or "period" in each.name:  # kio makes dates and durations of these, which cannot hold all
        return rng.choice((0, int(each.default or 0), rng.randrange(1 << min(40, BITS[each.type] - 1))))
    top = 1 << (BITS[each.type] - 1)
    return rng.choice((0, 1, -1, top - 1, -top, rng.randrange(-top, top)))
