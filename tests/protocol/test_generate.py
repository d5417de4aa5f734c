"""The generated files are current."""

import pytest

from kafkacompat.protocol import generate
from kafkacompat.protocol.notation.compiler import schema


def test_generated_files_are_current() -> None:
    assert generate.stale_files(generate.generated_files()) == []


def test_check_says_what_is_stale(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    files = generate.generated_files()
    path = generate.HERE / "messages" / "fetch.py"
    files[path] += "# changed\n"
    del files[generate.HERE / "internal" / "principal.py"]
    monkeypatch.setattr(generate, "generated_files", lambda: files)
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out == "not current: messages/fetch.py\nnot current: internal/principal.py\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ThrottleTimeMs", "throttle_time_ms"),
        ("KRaftVersionRecord", "kraft_version_record"),
        ("currentTxnFirstOffset", "current_txn_first_offset"),
        ("IsKRaftLeader", "is_kraft_leader"),
        ("ISRUpdate", "isr_update"),
    ],
)
def test_snake_case(name: str, expected: str) -> None:
    assert schema.snake_case(name) == expected


def test_notation_is_read() -> None:
    (message,) = schema.parse("""
ThingRequest 1-4 flexible=3+ key=7
    name      string   0+   nullable=2+ default=null ignorable
    parts     []Part   2+
        size  int32    2+   key
    rest      Rest     0+   tag=1 tagged=3+ nullable
Rest 0+
    flag      bool     0+   default=true
""")
    assert (message.name, message.key, list(message.all_versions())) == ("ThingRequest", 7, [1, 2, 3, 4])
    assert [message.is_flexible(v) for v in message.all_versions()] == [False, False, True, True]
    name, parts, rest = message.struct.fields
    assert (name.default, name.ignorable, 1 in name.nullable, 2 in name.nullable) == ("null", True, False, True)
    assert parts.is_array
    assert parts.struct is not None
    assert parts.struct.fields[0].is_key
    assert rest.struct is not None
    assert rest.struct.fields[0].default == "true"
    assert [f.name for f in message.struct.present(2)] == ["name", "parts", "rest"]
    assert [f.name for f in message.struct.present(3)] == ["name", "parts"]
    assert [f.name for f in message.struct.tagged(4)] == ["rest"]
    assert [f.name for f in message.struct.absent(1)] == ["parts"]
    assert schema.first_alike(message, message.struct, 4) == 3


def test_structs_of_one_name_in_two_messages_get_the_messages_name() -> None:
    both = schema.parse("A 0\n    x  []S  0\n        y  int8  0\n\nB 0\n    x  []S  0\n        y  int16  0")
    schema.name_classes(both)
    assert [s.class_name for message in both for s in message.structs] == ["AS", "A", "BS", "B"]
