"""The segment that tests of the verbs of `kafkacompat log` look into."""

from __future__ import annotations

from pathlib import Path

from kafkacompat.protocol.records.builder import Record, build_batch

SEGMENT = "00000000000000000000.log"


def segment(folder: Path, *, spoil: bool = False) -> str:
    """Write it: two batches, the last of which is damaged with `spoil`. Returns its path."""
    data = build_batch([Record(0, 5, b"k", b"v", [("h", None)]), Record(1, 6, None, b"\xff")], compression=4)
    data += build_batch([Record(2, 7, b"x", None)], base_offset=2)
    if spoil:
        data[-1] ^= 1
    (folder / SEGMENT).write_bytes(data)
    return str(folder / SEGMENT)
