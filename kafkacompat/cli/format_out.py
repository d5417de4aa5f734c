"""Prints records in a format of rpk's language."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

from kafkacompat.cli.format_language import NUMBER_BITS, NUMBERS, Field, pieces_of, wrong
from kafkacompat.cli.record_writer import Writer
from kafkacompat.protocol.records.compression import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TextIO

    from kafkacompat.client.consuming import Fetched, IncomingRecord

    Part = Callable[["Shown"], bytes]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNPACKED = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8}
_GO_LAYOUT = {
    "2006": "%Y", "January": "%B", "Jan": "%b", "Monday": "%A", "Mon": "%a", "01": "%m", "02": "%d", "002": "%j",
    "15": "%H", "03": "%I", "04": "%M", "05": "%S", "06": "%y", "PM": "%p", "MST": "UTC", "Z07:00": "Z",
    "Z0700": "Z", "-07:00": "+00:00", "-0700": "+0000",
}  # fmt: skip
"""What Go's reference time stands for, in strftime's words; longer names come first where one begins another."""


class Shown:
    """What the fields of a format are taken from."""

    __slots__ = ("count", "key", "piece", "record", "topic", "value")

    def __init__(
        self, topic: bytes, key: bytes | None, value: bytes | None, piece: Any, record: Any, count: int
    ) -> None:
        self.topic = topic
        self.key = key or b""
        self.value = value or b""
        self.piece: Fetched = piece
        self.record: IncomingRecord = record
        self.count = count


_TEXTS: dict[str, Callable[[Shown], bytes]] = {
    "t": lambda shown: shown.topic,
    "k": lambda shown: shown.key,
    "v": lambda shown: shown.value,
}
_NUMBERS: dict[str, Callable[[Shown], int]] = {
    "T": lambda shown: len(shown.topic),
    "K": lambda shown: len(shown.key),
    "V": lambda shown: len(shown.value),
    "H": lambda shown: len(shown.record.headers),
    "p": lambda shown: shown.piece.partition,
    "o": lambda shown: shown.record.offset,
    "e": lambda shown: shown.record.header.leader_epoch,
    "d": lambda shown: shown.record.timestamp,
    "x": lambda shown: shown.record.header.producer_id,
    "y": lambda shown: shown.record.header.producer_epoch,
    "i": lambda shown: shown.count,
    "[": lambda shown: shown.piece.log_start,
    "|": lambda shown: shown.piece.last_stable,
    "]": lambda shown: shown.piece.high_watermark,
}
_ATTRIBUTES: dict[str, Callable[[Shown], int]] = {
    "compression": lambda shown: shown.record.header.compression,
    "timestamp-type": lambda shown: int(shown.record.header.is_log_append_time),
    "transactional-bit": lambda shown: int(shown.record.header.is_transactional),
    "control-bit": lambda shown: int(shown.record.header.is_control),
}


class FormatWriter(Writer):
    """Prints each record in a format. Raises VerbError for one that cannot be read."""

    def __init__(self, out: TextIO, format_: str) -> None:
        super().__init__(out)
        self._parts = parts_of(format_)
        self._count = 0

    def __call__(self, piece: Fetched, record: IncomingRecord) -> None:
        self._count += 1
        shown = Shown(piece.topic.encode(), record.key, record.value, piece, record, self._count)
        self._out.buffer.write(b"".join([part(shown) for part in self._parts]))


def parts_of(format_: str) -> list[Part]:
    """The functions whose results are what is printed. Raises VerbError."""
    return [_constant(piece) if isinstance(piece, bytes) else _part(piece) for piece in pieces_of(format_)]


def _constant(literal: bytes) -> Part:
    return lambda _shown: literal


def _part(field: Field) -> Part:
    if field.letter == "h":
        return _headers(field)
    if field.letter == "a":
        return _attribute(field)
    if field.letter == "d" and field.inside is not None:
        return _time(field)
    if field.letter in _TEXTS:
        take_text, encode = _TEXTS[field.letter], _text_format(field)
        return lambda shown: encode(take_text(shown))
    if field.letter in _NUMBERS and field.inside is None:
        take_number, write = _NUMBERS[field.letter], number_format(field.modifier)
        return lambda shown: write(take_number(shown))
    raise wrong(f"%{field.letter} is no field")


def number_format(word: str) -> Callable[[int], bytes]:
    """How a number is written; higher bits than the format has are dropped. Raises VerbError."""
    if word in ("", "ascii"):
        return lambda number: b"%d" % number
    if word == "bool":
        return lambda number: b"true" if number else b"false"
    if word not in NUMBERS:
        raise wrong(f"{word!r} is no number format: {', '.join(NUMBERS)}")
    bits = NUMBER_BITS[word]
    mask = (1 << bits) - 1
    if word.startswith("hex"):
        return lambda number: b"%0*x" % (bits // 4, number & mask)
    if word.startswith("little"):
        return lambda number: (number & mask).to_bytes(bits // 8, "little")
    return lambda number: (number & mask).to_bytes(bits // 8, "big")


def _text_format(field: Field) -> Callable[[bytes], bytes]:
    if field.modifier == "unpack" and field.inside is not None:
        return unpacker(field.inside)
    formats: dict[str, Callable[[bytes], bytes]] = {
        "": lambda text: text,
        "hex": lambda text: text.hex().encode(),
        "base64": base64.b64encode,
        "base64raw": lambda text: base64.b64encode(text).rstrip(b"="),
    }
    if field.modifier not in formats or field.inside is not None:
        raise wrong(f"{field.modifier!r} is no text format: hex, base64, base64raw, unpack[...]")
    return formats[field.modifier]


def unpacker(spec: str) -> Callable[[bytes], bytes]:
    """unpack[...]: numbers and text out of bytes; little endian until > is read. Raises VerbError."""
    steps: list[tuple[str, bool]] = []
    is_little = True
    for letter in spec:
        if steps and steps[-1][0] in ("s", "$") and (steps[-1][0], letter) != ("s", "$"):
            raise wrong(f"unpack: {letter} stands behind {steps[-1][0]}")
        if letter in "<>":
            is_little = letter == "<"
        elif letter in _UNPACKED or letter in "c.s$":
            steps.append((letter, is_little))
        elif letter != "x":
            raise wrong(f"unpack: {letter!r} is none of x < > b B h H i I q Q c . s $")

    def unpack(data: bytes) -> bytes:
        out, at = bytearray(), 0
        for letter, little in steps:
            text, at = _unpacked(data, at, letter, is_little=little)
            out += text
        return bytes(out)

    return unpack


def _unpacked(data: bytes, at: int, letter: str, *, is_little: bool) -> tuple[bytes, int]:
    if letter == "s":
        return data[at:], len(data)
    if letter == "$":
        return (b"%!(bytes are left)" if at < len(data) else b""), len(data)
    size = _UNPACKED.get(letter, 1)
    taken = data[at : at + size]
    if len(taken) < size:
        return b"%%!(%d bytes of %d)" % (len(taken), size), len(data)
    if letter in "c.":
        return taken, at + 1
    number = int.from_bytes(taken, "little" if is_little else "big", signed=letter.islower())
    return b"%d" % number, at + size


def _headers(field: Field) -> Part:
    if field.header is None:
        raise wrong("%h says in braces how headers are written, as in %h{ %k=%v}")
    parts = parts_of(field.header)

    def write(shown: Shown) -> bytes:
        out = []
        for name, content in shown.record.headers:
            inner = Shown(b"", name.encode("utf-8", "surrogateescape"), content, shown.piece, shown.record, shown.count)
            out += [part(inner) for part in parts]
        return b"".join(out)

    return write


def _attribute(field: Field) -> Part:
    name, semicolon, word = field.modifier.partition(";")
    if name not in _ATTRIBUTES or field.inside is not None:
        raise wrong(f"%a says in braces which attribute: {', '.join(_ATTRIBUTES)}")
    take = _ATTRIBUTES[name]
    if name == "compression" and not semicolon:
        return lambda shown: NAMES[take(shown)].encode() if take(shown) < len(NAMES) else b"unknown"
    write = number_format("ascii" if word == "number" else word)
    return lambda shown: write(take(shown))


def _time(field: Field) -> Part:
    layout = field.inside or ""
    if field.modifier == "go":
        layout = _go_to_strftime(layout)
    elif field.modifier != "strftime":
        raise wrong(f"%d{{{field.modifier}}} is none of strftime[...], go[...] and the number formats")

    def write(shown: Shown) -> bytes:
        try:
            moment = _EPOCH + timedelta(milliseconds=shown.record.timestamp)
        except OverflowError:
            return b"%d" % shown.record.timestamp
        return strftime(moment, layout).encode()

    return write


def strftime(moment: datetime, layout: str) -> str:
    """Python's, with %N for fractions: %3N are milliseconds. Where that is no layout, the layout itself."""
    fraction = f"{moment.microsecond:06d}"
    for digits in (3, 6):
        layout = layout.replace(f"%{digits}N", fraction[:digits])
    return moment.strftime(layout)


def _go_to_strftime(layout: str) -> str:
    out = ""
    names = sorted(_GO_LAYOUT, key=len, reverse=True)
    while layout:
        if layout[0] in ".," and layout[1:].startswith(("000", "999")):
            digits = 6 if layout[1:].startswith(("000000", "999999")) else 3
            out += f"{layout[0]}%{digits}N"
            layout = layout[1 + digits :]
            continue
        name = next((name for name in names if layout.startswith(name)), "")
        out += _GO_LAYOUT[name] if name else layout[0].replace("%", "%%")
        layout = layout[len(name) or 1 :]
    return out
