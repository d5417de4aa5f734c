r"""rpk's format language: the examples of its help, and each number format there and back."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.cli.exits import VerbError
from kafkacompat.cli.format_in import FormatParser
from kafkacompat.cli.format_language import NUMBER_BITS, Field, pieces_of
from kafkacompat.cli.format_out import FormatWriter, number_format, unpacker
from kafkacompat.client.consuming import Fetched, IncomingRecord
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.builder import Record, build_batch

HEADER = read_header(
    build_batch(
        [Record(0, 0, None, None)], compression=0, timestamp_type=1, leader_epoch=4, producer_id=77, producer_epoch=3,
        base_sequence=0, is_transactional=True,
    )
)  # fmt: skip
MOMENT_MS = 1_700_000_000_123
HEADERS = [("a", b"1"), ("b", b"\xff")]


def written(
    format_: str, key: bytes | None = b"key", value: bytes | None = b"value", topic: str = "foo", times: int = 1
) -> bytes:
    out = io.TextIOWrapper(io.BytesIO())
    writer = FormatWriter(out, format_)
    record = IncomingRecord(12, MOMENT_MS, key, value, HEADERS, HEADER)
    for _ in range(times):
        writer(Fetched(topic, 2, [record], 13, 5, 20, 21), record)
    return out.buffer.getvalue()  # type: ignore[attr-defined, no-any-return]


def read(format_: str, *pieces: bytes) -> list[tuple[str | None, bytes | None, bytes | None]]:
    parser = FormatParser(format_)
    found = [parsed for piece in pieces for parsed in parser.feed(piece)]
    found += parser.end()
    return [(topic, record.key, record.value) for topic, record in found]


@pytest.mark.parametrize(
    ("format_", "expected"),
    [
        (r"%k %v\n", b"key value\n"), (r"%K{big32}%k{hex}", b"\0\0\0\x036b6579"), (r"%T %t{hex}", b"3 666f6f"),
        (r"%t %T %K %V %H %p %o %e %d %x %y %i", b"foo 3 3 5 2 2 12 4 1700000000123 77 3 1"),
        (r"%[ %| %]", b"5 20 21"), (r"%% %{ %} \t\r\\\x41", b"% { } \t\r\\A"),
        (r"%k{base64} %k{base64raw} %v{base64} %v{base64raw}", b"a2V5 a2V5 dmFsdWU= dmFsdWU"),
        (r"%h{ %k=%v{hex} }", b" a=31  b=ff "), (r"%h{%k{hex}%{%V%},}", b"61{1},62{1},"),
        (r"%a{compression} %a{compression;number} %a{compression;hex8}", b"none 0 00"),
        (r"%a{timestamp-type} %a{transactional-bit;bool} %a{control-bit;bool} %a{control-bit}", b"1 true false 0"),
        (r"%d{strftime[%F]}", b"2023-11-14"), (r"%d{strftime### [%F] ###}", b" [2023-11-14] "),
        (r"%d{strftime[%Y-%m-%dT%H:%M:%SZ]}", b"2023-11-14T22:13:20Z"),
        (r"%d{go[2006-01-02T15:04:05Z07:00]}", b"2023-11-14T22:13:20Z"),
        (r"%d{go[Mon, 02 Jan 2006 15:04:05.000 -0700]}", b"Tue, 14 Nov 2023 22:13:20.123 +0000"),
        (r"%d{hex64} %d{big64}", b"0000018bcfe5687b \x00\x00\x01\x8b\xcf\xe5h{"),
        (r"%V{byte}%V{bool}%V{hex4}", b"\x05true5"),
    ],
)  # fmt: skip
def test_formats_print_what_rpks_help_says(format_: str, expected: bytes) -> None:
    assert written(format_) == expected


def test_nothing_is_printed_for_null_and_records_are_counted() -> None:
    assert written("%k|%v|%K %V;", key=None, value=None) == b"||0 0;"
    assert written("%i,", times=3) == b"1,2,3,"


@pytest.mark.parametrize(
    ("spec", "data", "expected"),
    [
        ("is$", b"\x01\0\0\0text", b"1text"), (">I", b"\0\0\1\0", b"256"), ("<bBhH>iIqQ", None, None),
        ("xbx", b"\xff", b"-1"), ("c.", b"ab", b"ab"), ("<H>H", b"\1\0\0\1", b"11"),
        ("i", b"\1\2", b"%!(2 bytes of 4)"), ("c", b"", b"%!(0 bytes of 1)"), ("b$", b"\1\2", b"1%!(bytes are left)"),
    ],
)  # fmt: skip
def test_values_are_unpacked(spec: str, data: bytes | None, expected: bytes | None) -> None:
    if data is None or expected is None:
        import struct

        data = struct.pack("<bBhH", -1, 255, -2, 65_535) + struct.pack(">iIqQ", -3, 2**32 - 1, -4, 2**64 - 1)
        expected = b"-1255-265535-34294967295-418446744073709551615"
    assert unpacker(spec)(data) == expected


@pytest.mark.parametrize(
    "format_",
    [
        "%", "%z", r"\q", "%k{", "%k{rot13}", "%o{big7}", "%h", "%h{%k", "%a", "%a{size}", "%d{strftime[%F}",
        "%d{x[y]}",         "%v{unpack[Z]}", "%v{unpack[si]}", r"\x4",
    ],
)  # fmt: skip
def test_formats_that_say_nothing_are_refused(format_: str) -> None:
    with pytest.raises(VerbError, match="the format is wrong"):
        written(format_)


@given(st.sampled_from(sorted(NUMBER_BITS)), st.integers(-(2**63), 2**63 - 1))
def test_each_number_format_keeps_the_low_bits(word: str, number: int) -> None:
    bits = NUMBER_BITS[word]
    text = number_format(word)(number)
    assert len(text) == (bits // 4 if word.startswith("hex") else bits // 8)
    order = "little" if word.startswith("little") else "big"
    back = int(text, 16) if word.startswith("hex") else int.from_bytes(text, order)  # type: ignore[arg-type]
    assert back == number % 2**bits


@given(st.sampled_from([*sorted(NUMBER_BITS), "ascii"]), st.binary(max_size=15), st.binary(max_size=15), st.data())
def test_what_is_written_by_sizes_is_read_again_however_it_is_cut(
    word: str, key: bytes, value: bytes, data: st.DataObject
) -> None:
    text = written(f"%K{{{word}}}:%k%V{{{word}}}:%v", key, value, times=3)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(f"%K{{{word}}}:%k%V{{{word}}}:%v", *pieces) == [(None, key, value)] * 3


@pytest.mark.parametrize(
    ("format_", "text", "expected"),
    [
        (r"%k %v\n", b"a b\nc d\n", [(None, b"a", b"b"), (None, b"c", b"d")]),
        (r"%k %v\n", b"a b\nc d", [(None, b"a", b"b"), (None, b"c", b"d")]),
        (r"%T{4}%K{4}%V{4}%t%k%v", b"topikey1val1topikey2val2",
         [("topi", b"key1", b"val1"), ("topi", b"key2", b"val2")]),
        (r"%K{big16} foo %k", b"\0\3 foo key\0\1 foo k", [(None, b"key", None), (None, b"k", None)]),
        (r"%v{re#...?#}\n", b"abc\nde\n", [(None, None, b"abc"), (None, None, b"de")]),
        (r"%k %v{json}\n", b'a { "b": [1, 2] }\nc "d"\n', [(None, b"a", b'{"b":[1,2]}'), (None, b"c", b'"d"')]),
        (r"%T{6}%t{hex}\n", b"666f6f\n", [("foo", None, None)]),
        (r"%v{hex},%k{base64}\n", b"ff,YQ==\n", [(None, b"a", b"\xff")]),
        (r"%v", b"all\nof it", [(None, None, b"all\nof it")]),
        (r"%V{bool}%v;", b"truex;false;", [(None, None, b"x"), (None, None, b"")]),
        (r"%V{hex8}%v", b"02ab01c", [(None, None, b"ab"), (None, None, b"c")]),
    ],
)  # fmt: skip
def test_formats_read_what_rpks_help_says(
    format_: str, text: bytes, expected: list[tuple[str | None, bytes | None, bytes | None]]
) -> None:
    assert read(format_, text) == expected
    assert read(format_, *[text[at : at + 1] for at in range(len(text))]) == expected


def test_headers_and_partitions_are_read() -> None:
    parser = FormatParser(r"%p %v%H{3}%h{ %k=%v };\n".replace("%v%H", r"%V{1}%v%H"))
    ((topic, record),) = parser.feed(b"7 x a=1  b=2  c= ;\n")
    assert (topic, record.partition, record.value) == (None, 7, b"x")
    assert record.headers == [("a", b"1"), ("b", b"2"), ("c", b"")]


@pytest.mark.parametrize("format_", ["%k%v", "%h{%k}", "%o", "%d", "%v{unpack[i]}", "%K{x}%k", "%v{re}", "%i %v"])
def test_formats_that_cannot_be_read_are_refused(format_: str) -> None:
    with pytest.raises(VerbError, match="the format is wrong"):
        FormatParser(format_)


@pytest.mark.parametrize(
    ("format_", "text", "why"),
    [
        (r"%k:%v\n", b"no colon\n", "ends within"), (r"a%v\n", b"b\n", "is expected"), (r"%K:%k", b"x:", "a number"),
        (r"%K{4}%k", b"abc", "ends within"), (r"%v{hex}\n", b"xyz\n", "no hex"), (r"%V{bool}%v", b"maybe", "true or"),
        (r"%v{json}\n", b"{]\n", "no JSON"), (r"%v{re[a+]}\n", b"b\n", "matches"),
    ],
)  # fmt: skip
def test_input_that_does_not_fit_is_named(format_: str, text: bytes, why: str) -> None:
    with pytest.raises(VerbError, match=why):
        read(format_, text)


def test_pieces_are_literals_and_fields() -> None:
    assert pieces_of(r"a\n%k{hex}%%") == [b"a\n", Field("k", "hex"), b"%"]
    assert pieces_of("%d{go{{x}}}") == [Field("d", "go", "x")]
