"""`kafkacompat log dump`: batches and records of files."""

from __future__ import annotations

import logging
from pathlib import Path

from kafkacompat.protocol.records.builder import Record, build_batch
from tests.cli.verbs import run

SEGMENT = "00000000000000000000.log"


def segment(folder: Path, *, spoil: bool = False) -> str:
    data = build_batch([Record(0, 5, b"k", b"v", [("h", None)]), Record(1, 6, None, b"\xff")], compression=4)
    data += build_batch([Record(2, 7, b"x", None)], base_offset=2)
    if spoil:
        data[-1] ^= 1
    (folder / SEGMENT).write_bytes(data)
    return str(folder / SEGMENT)


def test_batches_and_records_are_printed(tmp_path: Path) -> None:
    done = run("log", "dump", "-r", segment(tmp_path), servers="")
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
    done = run("log", "dump", "-r", segment(tmp_path, spoil=True), servers="")
    assert done.status == 1
    assert [line["is_valid"] for line in done.json_lines if "is_valid" in line] == [True, False]
    assert [line["offset"] for line in done.json_lines if "offset" in line] == [0, 1]


def test_files_that_are_none_of_a_log_are_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "00000000000000000007.log").mkdir()
    other = run("log", "dump", str(tmp_path / "notes.txt"), servers="")
    assert other == (
        1, b"", f"kafkacompat: {tmp_path}/notes.txt is no file of a log: give an offset of 20 digits with .log, "
        ".index, .timeindex, .txnindex or .snapshot\n",
    )  # fmt: skip
    folder = tmp_path / "00000000000000000007.log"
    assert run("log", "dump", str(folder), servers="") == (1, b"", f"kafkacompat: {folder}: Is a directory\n")
    missing = run("log", "dump", str(tmp_path / SEGMENT), servers="")
    assert missing == (3, b"", f"kafkacompat: {tmp_path / SEGMENT} does not exist\n")


def test_faults_in_a_directory_are_printed_and_are_status_1(tmp_path: Path) -> None:
    before = logging.getLogger("kafkacompat.storage").level
    folder = tmp_path / "t-0"
    folder.mkdir()
    path = segment(folder)
    sound = run("log", "verify", str(folder), servers="")
    assert sound == (0, b"", f"{folder}: no fault was found\n")
    path = segment(folder, spoil=True)
    done = run("log", "verify", str(folder), servers="")
    assert (done.status, done.err) == (1, f"{folder}: 1 faults\n")
    assert done.out.decode().startswith(f"{path}, byte ")
    assert ": wrong checksum. Recovery: truncated to " in done.out.decode()
    (line,) = run("log", "verify", "--json", str(folder), servers="").json_lines
    assert (line["path"], line["what"]) == (path, "wrong checksum")
    assert logging.getLogger("kafkacompat.storage").level == before


def test_what_is_no_data_directory_is_no_fault(tmp_path: Path) -> None:
    other = run("log", "verify", str(tmp_path), servers="")
    said = f"kafkacompat: {tmp_path} is no data directory (it has no meta.properties) and no partition's\n"
    assert other == (2, b"", said)
    missing = run("log", "verify", str(tmp_path / "nothing"), servers="")
    assert missing == (3, b"", f"kafkacompat: {tmp_path}/nothing does not exist\n")
