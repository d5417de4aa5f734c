"""The words and formats that `-f` takes for records."""

from __future__ import annotations

from kafkacompat.cli.exits import VerbError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from kafkacompat.cli.record_parser import Parser
    from kafkacompat.cli.record_writer import Writer

WORDS = ("json", "table", "csv", "raw")


def writer_of(format_: str, out: TextIO, *, decode_json: bool = False) -> Writer:
    """The writer for a word or a format. Raises VerbError."""
    from kafkacompat.cli.record_writer import ColumnWriter, JsonWriter, RawWriter

    if format_ == "json":
        return JsonWriter(out, decode_json=decode_json)
    if format_ == "raw":
        return RawWriter(out)
    if format_ in ("table", "csv"):
        return ColumnWriter(out, is_csv=format_ == "csv")
    if "%" not in format_:
        raise VerbError(f"{format_!r} is no format: write {', '.join(WORDS)}, or one with % in it, like '%k %v\\n'", 2)
    from kafkacompat.cli.format_out import FormatWriter

    return FormatWriter(out, format_)


def parser_of(format_: str) -> Parser:
    """The parser for a word or a format. Raises VerbError."""
    from kafkacompat.cli.record_parser import JsonParser, LineParser

    if format_ == "json":
        return JsonParser()
    if format_ == "raw":
        return LineParser()
    if "%" not in format_:
        raise VerbError(f"{format_!r} is no format to read: write json, raw, or one with % in it, like '%k %v\\n'", 2)
    from kafkacompat.cli.format_in import FormatParser

    return FormatParser(format_)
