import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.config import ConfigError
from kafkacompat.config.properties import apply_file_and_flags, nearest, read_flags, read_properties, write_properties


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("a=1\nb = 2\nc:3\nd 4\ne\t=\t5", {"a": "1", "b": "2", "c": "3", "d": "4", "e": "5"}),
        ("# no\n ! no\n\n   a=1", {"a": "1"}),
        ("a=1\na=2", {"a": "2"}),
        ("a=one \\\n   two\\\r\n  three", {"a": "one twothree"}),
        ("a=one\\\\\nb=2", {"a": "one\\", "b": "2"}),
        ("a=one \\\n# two", {"a": "one # two"}),
        ("a", {"a": ""}),
        ("a=", {"a": ""}),
        ("a==b", {"a": "=b"}),
        ("a = : b", {"a": ": b"}),
        ("a\\=b\\ c=1", {"a=b c": "1"}),
        ("a=tab\\tq\\uD83D\\uDE00\\u00e9\\z", {"a": "tab\tq😀éz"}),
        ("path=C:\\\\dir", {"path": "C:\\dir"}),
        ("a=trailing  ", {"a": "trailing  "}),
        ("a=1\rb=2", {"a": "1", "b": "2"}),
        ("a=1\\", {"a": "1"}),
        ("", {}),
    ],
)
def test_properties_are_read_as_java_reads_them(text: str, pairs: dict[str, str]) -> None:
    assert read_properties(text) == pairs


def test_a_bad_escape() -> None:
    with pytest.raises(ValueError, match="hexadecimal"):
        read_properties("a=\\u12")


def test_flags() -> None:
    assert read_flags(["num.partitions=3", "listeners=A://:1,B://:2", "a=b=c"]) == {
        "num.partitions": "3",
        "listeners": "A://:1,B://:2",
        "a": "b=c",
    }
    for flag in ("num.partitions", "=3"):
        with pytest.raises(ConfigError, match="KEY=VALUE"):
            read_flags([flag])


def test_the_nearest_name() -> None:
    assert nearest("num.partition") == "num.partitions"
    assert nearest("log.retention.hour") == "log.retention.hours"
    assert nearest("qqqqqqqq") is None


def test_unknown_names_are_warned_about_and_left_out() -> None:
    file = {"num.partitions": "2", "log.dir.s": "/x", "listener.name.a.max.connections": "5"}
    known_file, known_flags, warnings = apply_file_and_flags(file, {"zzzz": "1", "node.id": "1"})
    assert known_file == {"num.partitions": "2", "listener.name.a.max.connections": "5"}
    assert known_flags == {"node.id": "1"}
    assert warnings == [
        "unknown configuration log.dir.s is ignored; did you mean log.dirs?",
        "unknown configuration zzzz is ignored",
    ]


@given(st.dictionaries(st.text(min_size=1), st.text()))
def test_what_is_written_is_read_back(pairs):
    pairs = {
        name.encode("utf-16", "replace").decode("utf-16"): text.encode("utf-16", "replace").decode("utf-16")
        for name, text in pairs.items()
    }
    written = write_properties(pairs)
    assert written.isascii()
    assert read_properties(written) == pairs
