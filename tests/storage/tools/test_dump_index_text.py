"""Indexes beside their segment, by the rules of Kafka's tool."""

from struct import pack

import pytest

from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.storage.index import CorruptIndexError
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.tools.dump_findings import Findings
from kafkacompat.storage.tools.dump_options import DumpOptions
from kafkacompat.storage.tools.dump_text import dump_text

STEM = f"/{5:020d}"
SIZE = len(build_batch([Record(0, 10, None, b"a"), Record(1, 20, None, b"b")]))


def files(index: bytes = b"", times: bytes = b"") -> MemFs:
    """Two batches of two records, at offset 5 and at 7."""
    fs = MemFs()
    segment = b"".join(
        build_batch([Record(base, at, None, b"a"), Record(base + 1, at + 10, None, b"b")], base_offset=base)
        for base, at in ((5, 10), (7, 30))
    )
    for suffix, content in ((".log", segment), (".index", index), (".timeindex", times)):
        fs.write_atomic(STEM + suffix, content, sync=False)
    return fs


def dumped(fs: MemFs, suffix: str, options: DumpOptions | None = None) -> tuple[list[str], list[str]]:
    findings = Findings()
    printed = list(dump_text(fs, STEM + suffix, options or DumpOptions(), findings))[1:]
    assert findings.is_bad == bool(list(findings.lines()))
    return printed, list(findings.lines())


def test_entries_that_fit_and_the_zeros_behind_them() -> None:
    fs = files(pack(">iiii", 3, SIZE, 0, 0), pack(">qiqiqi", 20, 1, 40, 3, 0, 0))
    assert dumped(fs, ".index") == ([f"offset: 8 position: {SIZE}"], [])
    assert dumped(fs, ".timeindex") == (["timestamp: 20 offset: 6", "timestamp: 40 offset: 8"], [])
    assert dumped(fs, ".timeindex", DumpOptions(verify_only=True)) == ([], [])


def test_entries_that_do_not_fit() -> None:
    fs = files(pack(">iiii", 1, SIZE, 3, 0), pack(">qiqiqiqi", 21, 1, 40, 2, 20, 3, 50, 9))
    assert dumped(fs, ".index")[1] == [
        f"Mismatches in :{STEM}.index", "  Index offset: 8, log offset: 6", "  Index offset: 6, log offset: 8",
    ]  # fmt: skip
    assert dumped(files(pack(">ii", 1, 0), pack(">qiqiqiqi", 21, 1, 40, 2, 20, 3, 50, 9)), ".timeindex")[1] == [
        f"Found timestamp mismatch in :{STEM}.timeindex",
        "  Index timestamp: 21, log timestamp: 20",
        "  Index timestamp: 20, log timestamp: 40",
        f"Found out of order timestamp in :{STEM}.timeindex",
        "  Index timestamp: 20, Previously indexed timestamp: 40",
        f"The following indexed offsets are not found in :{STEM}.timeindex",
        "Indexed offset: 7, found log offset: 8",
        "Indexed offset: 14, found log offset: -1",
    ]


def test_empty_indexes() -> None:
    assert dumped(files(), ".index") == ([f"{STEM}.index is empty."], [])
    assert dumped(files(), ".timeindex") == ([], [])


@pytest.mark.parametrize(
    ("index", "times", "suffix"),
    [
        (pack(">iii", 1, 0, 0), b"", ".index"),
        (pack(">ii", -3, 0), b"", ".index"),
        (b"", pack(">qiqi", 20, 1, 10, 3), ".timeindex"),
        (b"", pack(">qi", 20, -1), ".timeindex"),
        (b"", bytes(13), ".timeindex"),
    ],
)
def test_what_a_start_of_kafka_refuses(index: bytes, times: bytes, suffix: str) -> None:
    with pytest.raises(CorruptIndexError):
        dumped(files(index, times), suffix, DumpOptions(sanity_only=True))


def test_a_position_without_a_batch_is_an_error() -> None:
    fs = files(pack(">ii", 1, 0))
    with pytest.raises(CorruptIndexError, match="no whole batch of up to 20 bytes at position 0"):
        dumped(fs, ".index", DumpOptions(max_message_bytes=20))
