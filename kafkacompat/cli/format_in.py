"""Reads records in a format of rpk's language: by sizes, or up to the text that follows."""

from __future__ import annotations

import base64
import json
import re

from kafkacompat.cli.exits import VerbError
from kafkacompat.cli.format_language import NUMBER_BITS, Field, pieces_of, wrong
from kafkacompat.cli.record_parser import Parser
from kafkacompat.client.producing import OutgoingRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kafkacompat.cli.record_parser import Parsed

_SIZE_OF = {"k": "K", "v": "V", "t": "T"}
_TEXT_FORMATS = ("", "hex", "base64", "base64raw", "json", "re")
MAX_HEADERS = 10_000
_DIGITS = re.compile(rb"\d{1,19}")


class _NeedsMoreError(Exception):
    """The input ends within a record."""


class FormatParser(Parser):
    """Reads records one behind the other. Raises VerbError for a format that cannot be read."""

    def __init__(self, format_: str) -> None:
        super().__init__()
        self._pieces = pieces_of(format_)
        _check(self._pieces, is_header=False)
        self.topic_wins = any(isinstance(piece, Field) and piece.letter == "t" for piece in self._pieces)

    def feed(self, piece: bytes) -> Iterator[Parsed]:
        data, at = self._rest + piece, 0
        while at < len(data):
            try:
                parsed, at = self._record(data, at, is_end=False)
            except _NeedsMoreError:
                break
            yield parsed
            self.count += 1
        self._keep(data[at:])

    def end(self) -> Iterator[Parsed]:
        data, at = self._rest, 0
        while at < len(data):
            try:
                parsed, at = self._record(data, at, is_end=True)
            except _NeedsMoreError:
                raise VerbError("the input ends within it") from None
            yield parsed
            self.count += 1

    def _record(self, data: bytes, at: int, *, is_end: bool) -> tuple[Parsed, int]:
        reader = _Reader(data, at, is_end=is_end)
        start = at
        reader.read(self._pieces)
        if reader.at == start:
            raise VerbError("the format reads nothing")
        found = reader.texts
        topic = found["t"].decode("utf-8", "replace") if "t" in found else None
        record = OutgoingRecord(found.get("k"), found.get("v"), reader.headers, None, reader.numbers.get("p"))
        return (topic, record), reader.at


def _check(pieces: Sequence[bytes | Field], *, is_header: bool) -> None:
    """Refuse a format by which nothing can be read. Raises VerbError."""
    sized: set[str] = set()
    for at, piece in enumerate(pieces):
        if isinstance(piece, bytes):
            continue
        if piece.letter == "h" and not is_header:
            if piece.header is None or "H" not in sized:
                raise wrong("%h needs the number of headers before it, as in %H{3}%h{ %k=%v }")
            _check(pieces_of(piece.header), is_header=True)
        elif piece.letter in "kv" or (piece.letter == "t" and not is_header):
            if piece.modifier not in _TEXT_FORMATS:
                raise wrong(f"{piece.modifier!r} is no text format to read: hex, base64, json, re[...]")
            if (piece.modifier == "re") != (piece.inside is not None):
                raise wrong("a regular expression stands in brackets, as in %v{re[..?]}")
            follows = pieces[at + 1] if at + 1 < len(pieces) else b""
            has_end = _SIZE_OF[piece.letter] in sized or piece.modifier in ("json", "re") or isinstance(follows, bytes)
            if not has_end:
                raise wrong(f"nothing says where %{piece.letter} ends: put text or %{_SIZE_OF[piece.letter]} around it")
        elif piece.letter in "KVTHp" and (not is_header or piece.letter in "KV"):
            known = ("", "ascii", "bool", *NUMBER_BITS)
            if piece.inside is not None or (piece.modifier not in known and not piece.modifier.isdecimal()):
                raise wrong(f"{piece.modifier!r} is no number format to read")
            sized.add(piece.letter)
        else:
            raise wrong(f"%{piece.letter} cannot be read: %t %T %k %K %v %V %h %H %p can")


class _Reader:
    """Reads one record from `at` on."""

    def __init__(self, data: bytes, at: int, *, is_end: bool) -> None:
        self._data = data
        self._is_end = is_end
        self.at = at
        self.texts: dict[str, bytes] = {}
        self.numbers: dict[str, int] = {}
        self.headers: list[tuple[str, bytes | None]] = []

    def read(self, pieces: Sequence[bytes | Field]) -> None:
        """Read all pieces. Raises _NeedsMoreError, and VerbError for what does not fit."""
        for place, piece in enumerate(pieces):
            if isinstance(piece, bytes):
                self._literal(piece)
            elif piece.letter in "KVTHp":
                self.numbers[piece.letter] = self._number(piece.modifier)
            elif piece.letter == "h":
                self._headers(pieces_of(piece.header or ""))
            else:
                follows = pieces[place + 1] if place + 1 < len(pieces) else b""
                self.texts[piece.letter] = self._text(piece, follows if isinstance(follows, bytes) else b"")

    def _take(self, count: int) -> bytes:
        taken = self._data[self.at : self.at + count]
        if len(taken) < count:
            raise _NeedsMoreError
        self.at += count
        return taken

    def _literal(self, literal: bytes) -> None:
        found = self._data[self.at : self.at + len(literal)]
        if found == literal:
            self.at += len(literal)
        elif literal.startswith(found):
            if not (self._is_end and not found and literal in (b"\n", b"\r\n")):  # the last line may lack its end
                raise _NeedsMoreError
        else:
            raise VerbError(f"{literal!r} is expected, and {found!r} is there")

    def _number(self, word: str) -> int:
        if word in ("", "ascii"):
            match = _DIGITS.match(self._data, self.at)
            if match is None:
                if self.at == len(self._data):
                    raise _NeedsMoreError
                raise VerbError(f"a number is expected, and {self._data[self.at : self.at + 1]!r} is there")
            if match.end() == len(self._data) and not self._is_end:
                raise _NeedsMoreError
            self.at = match.end()
            return int(match[0])
        if word == "bool":
            for text, number in ((b"true", 1), (b"false", 0)):
                if self._data.startswith(text, self.at):
                    self.at += len(text)
                    return number
            if len(self._data) - self.at < 5 and not self._is_end:
                raise _NeedsMoreError
            raise VerbError("true or false is expected")
        if word.isdecimal():
            return int(word)
        bits = NUMBER_BITS[word]
        if word.startswith("hex"):
            taken = self._take(bits // 4)
            try:
                return int(taken, 16)
            except ValueError:
                raise VerbError(f"{taken!r} is no hexadecimal number") from None
        return int.from_bytes(self._take(bits // 8), "little" if word.startswith("little") else "big")

    def _text(self, field: Field, delimiter: bytes) -> bytes:
        size = self.numbers.get(_SIZE_OF[field.letter])
        if field.modifier == "re":
            return self._match(field.inside or "")
        if field.modifier == "json" and size is None:
            return self._json()
        if size is not None:
            taken = self._take(size)
        else:
            end = self._data.find(delimiter, self.at)
            if end < 0 or not delimiter:
                if not self._is_end or (delimiter and delimiter not in (b"\n", b"\r\n")):
                    raise _NeedsMoreError
                end = len(self._data)
            taken = self._data[self.at : end]
            self.at = end
        return _decoded(field.modifier, taken)

    def _match(self, pattern: str) -> bytes:
        try:
            match = re.compile(pattern.encode()).match(self._data, self.at)
        except re.error as error:
            raise wrong(f"{pattern!r} is no regular expression: {error}") from None
        if match is None or (match.end() == len(self._data) and not self._is_end):
            if self._is_end:
                raise VerbError(f"nothing there matches {pattern!r}")
            raise _NeedsMoreError
        self.at = match.end()
        return match[0]

    def _json(self) -> bytes:
        text = self._data[self.at :].decode("utf-8", "surrogateescape")
        stripped = text.lstrip()
        try:
            value, end = json.JSONDecoder().raw_decode(stripped)
        except ValueError as error:
            if self._is_end:
                raise VerbError(f"no JSON: {error}") from None
            raise _NeedsMoreError from None
        if end == len(stripped) and not self._is_end:
            raise _NeedsMoreError  # a number may go on
        whole = len(text) - len(stripped) + end
        self.at += len(text[:whole].encode("utf-8", "surrogateescape"))
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogateescape")

    def _headers(self, pieces: Sequence[bytes | Field]) -> None:
        count = self.numbers.get("H", 0)
        if count > MAX_HEADERS:
            raise VerbError(f"{count} headers are more than {MAX_HEADERS}")
        for _ in range(count):
            inner = _Reader(self._data, self.at, is_end=self._is_end)
            inner.read(pieces)
            name = inner.texts.get("k", b"").decode("utf-8", "surrogateescape")
            self.headers.append((name, inner.texts.get("v", b"")))
            self.at = inner.at


def _decoded(modifier: str, taken: bytes) -> bytes:
    try:
        if modifier == "hex":
            return bytes.fromhex(taken.decode("ascii"))
        if modifier.startswith("base64"):
            return base64.b64decode(taken + b"=" * (-len(taken) % 4), validate=True)
        if modifier == "json":
            return json.dumps(json.loads(taken), ensure_ascii=False, separators=(",", ":")).encode()
    except ValueError as error:
        raise VerbError(f"{taken[:40]!r} is no {modifier}: {error}") from None
    return taken
