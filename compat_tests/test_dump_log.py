"""`kafkacompat log dump` beside Apache Kafka's DumpLogSegments: line for line the same, in all modes.

The files are those of a directory that Apache Kafka and this broker wrote in turns: groups, transactions, codecs,
headers, a compacted topic, the metadata and its snapshots. Kafka's tool must find no fault in any.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_tests.dumped_files import INDEXES, SEGMENTS, differences, files_of, modes, ours, theirs
from compat_tests.hand_over.walk import Walk
from kafkacompat.protocol.records.builder import Record, build_batch

SEED = 3
HEADERS = (("h", b"1"), ("name", None))
DECODED = {"__consumer_offsets", "__transaction_state", "__cluster_metadata", "__share_group_state"}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory after a turn of each broker and the start of one more."""
    walk = Walk(SEED)
    copy = tmp_path_factory.mktemp("dumped") / "data"
    try:
        walk.go(1)
        walk.copy_to(copy)
    finally:
        walk.close()
    yield copy
    shutil.rmtree(copy)


@pytest.mark.full
def test_every_line_is_the_same(directory: Path) -> None:
    files = files_of(directory)
    topics = {path.parent.name.rpartition("-")[0] for path in files if path.suffix in SEGMENTS}
    assert topics >= DECODED
    found = {mode: differences(each, *mode) for mode, each in modes(files)}
    assert {mode: lines[:5] for mode, lines in found.items() if lines} == {}


@pytest.mark.full
def test_kafkas_tool_finds_no_fault(directory: Path) -> None:
    files = files_of(directory)
    dumped = theirs([path for path in files if path.suffix in SEGMENTS], "--deep-iteration")
    assert dumped.status == 0
    assert "isvalid: true" in dumped.stdout
    assert "isvalid: false" not in dumped.stdout
    indexes = [path for path in files if path.suffix in INDEXES]
    for mode in ("--verify-index-only", "--index-sanity-check"):
        checked = theirs(indexes, mode)
        assert (checked.status, checked.stderr) == (0, "")


@pytest.mark.full
def test_faults_are_told_in_the_same_words(tmp_path: Path) -> None:
    stem = tmp_path / "t-0" / f"{5:020d}"
    stem.parent.mkdir()
    batches = [
        build_batch(
            [Record(base, 50, b"k", b"v", HEADERS), Record(base + 1, 3, None, b"")], base_offset=base, compression=codec
        )
        for base, codec in ((5, 0), (7, 4), (12, 1))
    ]
    size = len(batches[0])
    stem.with_suffix(".log").write_bytes(b"".join(batches) + b"the end")
    entries = [(1, 0), (5, size), (8, size + len(batches[1]))]
    times = [(50, 1), (71, 3), (60, 8), (90, 9)]
    pack = int.to_bytes
    stem.with_suffix(".index").write_bytes(b"".join(pack(a, 4, "big") + pack(b, 4, "big") for a, b in entries))
    stem.with_suffix(".timeindex").write_bytes(b"".join(pack(a, 8, "big") + pack(b, 4, "big") for a, b in times))
    files = [stem.with_suffix(suffix) for suffix in (".log", ".index", ".timeindex")]
    for options in ((), ("--deep-iteration",), ("--print-data-log",), ("--verify-index-only",)):
        assert differences(files, *options) == []
    assert "Found out of order timestamp" in ours(files).stderr
