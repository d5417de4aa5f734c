r"""rpk's format language: text with \ escapes and % fields, cut into pieces. `format_out` prints, `format_in` reads."""

from __future__ import annotations

import re
from typing import NamedTuple

from kafkacompat.cli.exits import VerbError

_ESCAPES = {"t": b"\t", "n": b"\n", "r": b"\r", "\\": b"\\"}
_HEX = re.compile(r"x([0-9a-fA-F]{2})")
_CLOSERS = {"[": "]", "{": "}", "(": ")"}
_WORD = re.compile(r"[a-z0-9;-]*")
NUMBER_BITS = {
    **{f"hex{bits}": bits for bits in (4, 8, 16, 32, 64)},
    **{f"{order}{bits}": bits for order in ("big", "little") for bits in (8, 16, 32, 64)},
    "byte": 8,
}
"""How wide each number format is; ascii and bool have no width."""
NUMBERS = ("ascii", "bool", *NUMBER_BITS)


class Field(NamedTuple):
    """A % field. `inside` is what stands in the modifier's own brackets, as in strftime[%F]; `header` is %h's text."""

    letter: str
    modifier: str = ""
    inside: str | None = None
    header: str | None = None


def wrong(text: str) -> VerbError:
    """A format that cannot be read."""
    return VerbError(f"the format is wrong: {text}", 2)


def pieces_of(text: str) -> list[bytes | Field]:
    """Literal bytes and fields, in turn. Raises VerbError."""
    pieces: list[bytes | Field] = []
    literal = bytearray()
    at = 0
    while at < len(text):
        if text[at] == "\\":
            found, at = _escape(text, at + 1)
            literal += found
        elif text[at] != "%":
            literal += text[at].encode("utf-8", "surrogateescape")
            at += 1
        elif text[at + 1 : at + 2] in ("%", "{", "}"):
            literal += text[at + 1].encode()
            at += 2
        else:
            if literal:
                pieces.append(bytes(literal))
                literal.clear()
            field, at = _field(text, at + 1)
            pieces.append(field)
    if literal:
        pieces.append(bytes(literal))
    return pieces


def _escape(text: str, at: int) -> tuple[bytes, int]:
    match = _HEX.match(text, at)
    if match:
        return bytes([int(match[1], 16)]), match.end()
    if text[at : at + 1] not in _ESCAPES or at == len(text):
        raise wrong(f"\\{text[at : at + 1]} is none of \\t, \\n, \\r, \\\\ and \\xNN")
    return _ESCAPES[text[at]], at + 1


def _field(text: str, at: int) -> tuple[Field, int]:
    if at == len(text):
        raise wrong("it ends with %; a percent sign is %%")
    letter = text[at]
    if text[at + 1 : at + 2] != "{":
        return Field(letter), at + 1
    at += 2
    if letter == "h":
        end = _end_of_header(text, at)
        return Field(letter, header=text[at:end]), end + 1
    match = _WORD.match(text, at)
    assert match is not None
    modifier, at = match[0], match.end()
    inside = None
    if text[at : at + 1] not in ("}", ""):
        inside, at = _inside(text, at)
    if text[at : at + 1] != "}":
        raise wrong(f"%{letter}{{{modifier} has no closing brace")
    return Field(letter, modifier, inside), at + 1


def _end_of_header(text: str, at: int) -> int:
    depth = 1
    while at < len(text):
        if text[at] == "%" and text[at + 1 : at + 2] in ("{", "}"):
            at += 1
        elif text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    raise wrong("%h{ has no closing brace")


def _inside(text: str, at: int) -> tuple[str, int]:
    """What is between any number of equal brackets, braces or other characters, like ##...##."""
    opener = text[at]
    count = len(text) - at - len(text[at:].lstrip(opener))
    closer = _CLOSERS.get(opener, opener) * count
    end = text.find(closer, at + count)
    if end < 0:
        raise wrong(f"{opener * count} has no {closer}")
    return text[at + count : end], end + len(closer)
