"""`kafkacompat log dump` beside Apache Kafka's DumpLogSegments: line for line the same, in all modes.

The files are those of a directory that Apache Kafka and this broker wrote in turns: groups, transactions, codecs,
headers, a compacted topic, the metadata and its snapshots. Kafka's tool must find no fault in any, nor must
`kafkacompat log verify`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from compat_tests import verified_files
from compat_tests.dumped_files import INDEXES, SEGMENTS, differences, files_of, modes, ours, theirs
from compat_tests.hand_over.walk import Walk
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.log import Log
from tests.crash.life import DIR, TOPIC, Life
from tests.storage.compaction.logs import compact, write
from tests.storage.support import at, topic_config

SEED = 3
LIVES = range(60)
COMPACTED = range(20)
"""Seeds of random operations."""
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
def test_log_verify_finds_no_fault_and_a_changed_byte_of_each_file(directory: Path) -> None:
    verified_files.check(directory, Random(SEED), partitions=12)


@pytest.mark.full
def test_logs_of_random_operations_have_no_fault(tmp_path: Path) -> None:
    """Appends, rolls, transactions, truncations, deleted records, kills and clean stops; and compacted logs."""
    for seed in LIVES:
        for path, content in Life(seed).fs.files().items():
            if path.startswith(f"{DIR}/{TOPIC}-0/"):
                file = tmp_path / str(seed) / path.removeprefix(f"{DIR}/")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
    for seed in COMPACTED:
        _compacted(tmp_path / f"compacted-{seed}" / "c-0", Random(seed))
    files = files_of(*tmp_path.iterdir())
    segments = [path for path in files if path.suffix in SEGMENTS]
    indexes = [path for path in files if path.suffix in INDEXES]
    assert (len(segments) > len(LIVES), len(indexes) > len(LIVES)) == (True, True)
    assert "isvalid: false" not in theirs(segments, "--deep-iteration").stdout
    for mode in ("--verify-index-only", "--index-sanity-check"):
        checked = theirs(indexes, mode)
        assert (checked.status, checked.stderr) == (0, "")
    found = {mode: differences(each, *mode) for mode, each in modes(files)}
    assert {mode: lines[:5] for mode, lines in found.items() if lines} == {}


def _compacted(path: Path, rng: Random) -> None:
    """A log after passes of the cleaner."""
    log = Log.open(
        RealFs(temporary=True), str(path), topic_config(index_interval_bytes=100, segment_bytes=4000),
        topic_id=bytes(16), recovery_point=0, log_start_offset=0, clean=True, now=at(),
    )  # fmt: skip
    for _ in range(3):
        operations: list[object] = []
        for _ in range(20):
            keys = [(b"k%d" % rng.randrange(9), rng.choice((b"v" * rng.randrange(300), None))) for _ in range(4)]
            operations.append(("put", None, keys, rng.choice((0, 1, 4))))
        write(log, [*operations, ("roll",)])
        compact(log)
    log.close(clean=True, now=at())


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
