"""`kafkacompat log dump`: files of logs as kafka-dump-log.sh prints them, and as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.protocol.records.batch import stamp
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.cli.segments import SEGMENT, segment
from tests.cli.verbs import run


def test_batches_and_records_are_printed(tmp_path: Path) -> None:
    done = run("log", "dump", "--json", "-r", segment(tmp_path), servers="")
    lines = done.json_lines
    assert done.status == 0
    assert [line["base_offset"] for line in lines if "base_offset" in line] == [0, 2]
    assert [line for line in lines if "offset" in line] == [
        {"offset": 0, "timestamp": 5, "is_control": False, "key": "k", "value": "v", "key_encoding": "utf8",
         "value_encoding": "utf8", "headers": [["h", None, "utf8"]]},
        {"offset": 1, "timestamp": 6, "is_control": False, "key": None, "value": "/w==", "key_encoding": "utf8",
         "value_encoding": "base64", "headers": []},
        {"offset": 2, "timestamp": 7, "is_control": False, "key": "x", "value": None, "key_encoding": "utf8",
         "value_encoding": "utf8", "headers": []},
    ]  # fmt: skip


def test_a_corrupt_batch_is_status_1_and_its_records_are_not_read(tmp_path: Path) -> None:
    done = run("log", "dump", "--json", "-r", segment(tmp_path, spoil=True), servers="")
    assert done.status == 1
    assert [line["is_valid"] for line in done.json_lines if "is_valid" in line] == [True, False]
    assert [line["offset"] for line in done.json_lines if "offset" in line] == [0, 1]


def test_files_that_are_none_of_a_log_are_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "00000000000000000007.log").mkdir()
    other = run("log", "dump", "--json", str(tmp_path / "notes.txt"), servers="")
    assert other == (
        1, b"", f"kafkacompat: {tmp_path}/notes.txt is no file of a log: give an offset of 20 digits with .log, "
        ".index, .timeindex, .txnindex or .snapshot, or a snapshot of the metadata\n",
    )  # fmt: skip
    folder = tmp_path / "00000000000000000007.log"
    assert run("log", "dump", "--json", str(folder), servers="") == (1, b"", f"kafkacompat: {folder}: Is a directory\n")
    missing = run("log", "dump", str(tmp_path / SEGMENT), servers="")
    assert (missing.status, missing.err) == (3, f"kafkacompat: {tmp_path / SEGMENT} does not exist\n")


def test_the_text_is_that_of_kafkas_tool(tmp_path: Path) -> None:
    path = segment(tmp_path)
    done = run("log", "dump", "--files", path, "--print-data-log", servers="")
    lines = done.out.decode().splitlines()
    assert (done.status, lines[:2]) == (0, [f"Dumping {path}", "Log starting offset: 0"])
    assert [line for line in lines if line.startswith("|")] == [
        "| offset: 0 CreateTime: 5 keySize: 1 valueSize: 1 sequence: -1 headerKeys: [h] key: k payload: v",
        "| offset: 1 CreateTime: 6 keySize: -1 valueSize: 1 sequence: -1 headerKeys: [] payload: \ufffd",
        "| offset: 2 CreateTime: 7 keySize: 1 valueSize: -1 sequence: -1 headerKeys: [] key: x",
    ]


def test_a_segment_is_read_as_far_as_it_is_asked_for(tmp_path: Path) -> None:
    path = segment(tmp_path)
    first = len(build_batch([Record(0, 5, b"k", b"v", [("h", None)]), Record(1, 6, None, b"\xff")], compression=4))
    for extra, count in ((0, 1), (1, 1), (500, 2)):
        text = run("log", "dump", path, "--max-bytes", str(first + extra), servers="")
        assert text.out.count(b"baseOffset") == count
        as_json = run("log", "dump", "--json", path, "--max-bytes", str(first + extra), servers="")
        assert (as_json.status, len(as_json.json_lines)) == (0, count)


def test_a_broken_file_is_status_1_in_text_too(tmp_path: Path) -> None:
    spoiled = run("log", "dump", segment(tmp_path, spoil=True), servers="")
    assert (spoiled.status, spoiled.out.count(b"isvalid: false")) == (1, 1)
    with Path(segment(tmp_path)).open("ab") as file:
        file.write(b"rest of it")
    cut = run("log", "dump", str(tmp_path / SEGMENT), servers="")
    assert cut.status == 1
    assert cut.out.decode().splitlines()[-1] == f"Found 10 invalid bytes at the end of {SEGMENT}"


def test_batches_of_old_formats_are_refused_by_name(tmp_path: Path) -> None:
    data = bytearray(build_batch([Record(0, 5, b"k", b"v")]))
    data[16] = 1
    (tmp_path / SEGMENT).write_bytes(data)
    done = run("log", "dump", str(tmp_path / SEGMENT), servers="")
    assert (done.status, done.err) == (
        1, f"{tmp_path / SEGMENT}: at position 0: message format v1 is not supported, only v2\n",
    )  # fmt: skip


def test_an_index_that_does_not_fit_is_told_at_the_end(tmp_path: Path) -> None:
    segment(tmp_path)
    index = tmp_path / "00000000000000000000.index"
    index.write_bytes((1).to_bytes(4, "big") + bytes(4) + (5).to_bytes(4, "big") + bytes(4))
    done = run("log", "dump", str(index), servers="")
    assert done.out.decode().splitlines()[1:] == ["offset: 1 position: 0", "offset: 5 position: 0"]
    assert done.err == f"Mismatches in :{index}\n  Index offset: 5, log offset: 1\n"
    only = run("log", "dump", "--verify-index-only", str(index), servers="")
    assert (only.status, only.out) == (1, f"Dumping {index}\n".encode())
    as_json = run("log", "dump", "--json", "--verify-index-only", str(index), servers="")
    assert as_json.json_lines == [{"path": str(index), "what": "Mismatches", "indexed": 5, "found": 1}]
    sane = run("log", "dump", "--index-sanity-check", str(index), servers="")
    assert (sane.status, sane.out.decode().splitlines()[1]) == (0, f"{index} passed sanity check.")
    index.write_bytes(bytes(9))
    for form in ((), ("--json",)):
        broken = run("log", "dump", *form, "--index-sanity-check", str(index), servers="")
        assert broken.status == 1
        assert "not a multiple of 8" in broken.err + broken.out.decode()


def test_decoded_records_are_objects_in_json(tmp_path: Path) -> None:
    data = build_batch([Record(0, 5, (7).to_bytes(4, "big"), (8).to_bytes(8, "big"))])
    (tmp_path / SEGMENT).write_bytes(data)
    decoders = ("--key-decoder-class", "org.apache.kafka.tools.api.IntegerDecoder", "--value-decoder-class",
                "org.apache.kafka.tools.api.LongDecoder")  # fmt: skip
    done = run("log", "dump", "--json", "--skip-record-metadata", *decoders, str(tmp_path / SEGMENT), servers="")
    assert done.json_lines[1] == {"key": 7, "value": 8}
    text = run("log", "dump", "--skip-record-metadata", *decoders, str(tmp_path / SEGMENT), servers="")
    assert text.out.decode().splitlines()[-1] == "| key: 7 payload: 8"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no file is given"),
        (("--remote-log-metadata-decoder", SEGMENT), "no tiered storage"),
        (("--value-decoder-class", "com.example.Own", SEGMENT), "com.example.Own is Java and cannot be loaded"),
    ],
)
def test_what_cannot_be_decoded_is_refused_with_a_reason(arguments: tuple[str, ...], said: str) -> None:
    done = run("log", "dump", *arguments, servers="")
    assert done.status == 2
    assert said in done.err


def test_the_example_of_the_page_is_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "data-directories.md").read_text()
    command, _, printed = page.partition("$ kafkacompat log dump ")[2].partition("```")[0].partition("\n")
    monkeypatch.chdir(tmp_path)
    data = build_batch([Record(0, 1_700_000_000_000, b"k", b"paid")])
    stamp(data, 0, base_offset=0, leader_epoch=0)
    file = Path(command.split()[-1])
    file.parent.mkdir()
    file.write_bytes(data)
    assert run("log", "dump", *command.split(), servers="").out.decode() == printed


def test_a_file_that_is_none_of_a_log_hides_nothing_of_the_others(tmp_path: Path) -> None:
    good, other = segment(tmp_path), tmp_path / "partition.metadata"
    other.write_text("version: 0\n")
    done = run("log", "dump", str(other), good, servers="")
    assert (done.status, "partition.metadata" in done.err, "baseOffset: 2" in done.text) == (1, True, True)


@pytest.mark.parametrize("check", ["--verify-index-only", "--index-sanity-check"])
def test_checks_of_damaged_files_are_objects_in_json(tmp_path: Path, check: str) -> None:
    index = tmp_path / "00000000000000000000.index"
    index.write_bytes(bytes(4) + b"\xff\xff\xff\x00")  # a position below zero
    snapshot = tmp_path / "00000000000000000007.snapshot"
    snapshot.write_bytes(b"\0")
    segment(tmp_path, spoil=True)
    done = run("log", "dump", "--json", check, str(snapshot), str(index), servers="")
    assert (done.status, done.err.count("Traceback")) == (1, 0)
    assert '"error"' in done.text


def test_a_record_that_cannot_be_decoded_is_status_1_in_json(tmp_path: Path) -> None:
    done = run("log", "dump", "--json", "-r", "--offsets-decoder", segment(tmp_path), servers="")
    assert (done.status, next(line["position"] for line in done.json_lines if "error" in line)) == (1, 0)
