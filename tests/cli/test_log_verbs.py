"""`kafkacompat log verify`: faults in a directory."""

from __future__ import annotations

import logging
from pathlib import Path

from tests.cli.segments import segment
from tests.cli.verbs import run


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
