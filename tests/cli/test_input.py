"""How `produce` cuts its input: pieces as they come, records as they end."""

from __future__ import annotations

import os

import pytest

from kafkacompat.cli.exits import VerbError
from kafkacompat.cli.input_pieces import InputPieces
from kafkacompat.cli.record_formats import parser_of, writer_of
from kafkacompat.cli.record_parser import MAX_RECORD_BYTES


def test_what_is_there_is_read_and_known_to_be_all() -> None:
    reading, writing = os.pipe()
    try:
        pieces = InputPieces(reading)
        assert not pieces.has_more()
        os.write(writing, b"one\n")
        assert pieces.has_more()
        read = iter(pieces)
        assert next(read) == b"one\n"
        assert not pieces.has_more()
        os.close(writing)
        assert list(read) == []
    finally:
        os.close(reading)


def test_records_may_end_in_a_later_piece() -> None:
    parser = parser_of("raw")
    values = [record.value for piece in (b"a\nb", b"c\n", b"\nd") for _, record in parser.feed(piece)]
    values += [record.value for _, record in parser.end()]
    assert values == [b"a", b"bc", b"", b"d"]
    assert parser.count == 4


def test_a_record_without_an_end_has_a_limit() -> None:
    parser = parser_of("json")
    with pytest.raises(VerbError, match="longer than"):
        list(parser.feed(b"x" * (MAX_RECORD_BYTES + 1)))


def test_words_that_are_no_format_are_named() -> None:
    with pytest.raises(VerbError, match="no format"):
        parser_of("yaml")
    with pytest.raises(VerbError, match="no format"):
        writer_of("yaml", None)  # type: ignore[arg-type]
