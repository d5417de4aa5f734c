"""Puts the captures of several nodes into one file, in the order of time; each connection gets a number of its own."""

from __future__ import annotations

import heapq
import os

from kafkacompat.errors import KafkaCompatError
from kafkacompat.traffic.capture_file import END, CaptureFile, encode_header, end_entry, entry_pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from kafkacompat.traffic.capture_file import Entry


def join(paths: Sequence[str], target: BinaryIO, *, source: str, reason: str) -> None:
    """Write the entries of all files, which stay. source, reason: for the first line, and for the last entry.

    At most one entry of each file is in memory. Files of nodes that were killed may be cut off: what is whole is taken.
    Raises CaptureFileError for another file, OSError, and KafkaCompatError without files.
    """
    files = [CaptureFile(path) for path in paths]
    if not files:
        raise KafkaCompatError("there is no capture to be joined")
    try:
        began_ms = min(int(file.header["began_ms"]) for file in files)
        redacted = sorted({name for file in files for name in file.header["redacted"]})
        target.write(encode_header({"source": source, "began_ms": began_ms, "redacted": redacted}))
        numbers: dict[tuple[int, int], int] = {}
        at_us, wall_ms = 0, began_ms
        streams = [_shifted(index, file, began_ms) for index, file in enumerate(files)]
        for _, index, entry in heapq.merge(*streams, key=lambda each: each[:2]):
            number = numbers.setdefault((index, entry.connection), len(numbers) + 1)
            target.writelines(entry_pieces(entry._replace(connection=number)))
            at_us, wall_ms = entry.at_us, entry.wall_ms
        target.writelines(entry_pieces(end_entry(reason, at_us, wall_ms)))
    finally:
        for file in files:
            file.__exit__(None, None, None)


def _shifted(index: int, file: CaptureFile, began_ms: int) -> Iterator[tuple[int, int, Entry]]:
    """The entries of a file but its end, with times since `began_ms`."""
    shift_us = (int(file.header["began_ms"]) - began_ms) * 1_000
    for entry in file:
        if entry.kind != END:
            at_us = entry.at_us + shift_us
            yield at_us, index, entry._replace(at_us=at_us)


def remove(paths: Sequence[str]) -> None:
    """Remove files; one that is gone is no error."""
    for path in paths:
        if os.path.exists(path):  # noqa: PTH110 (as elsewhere)
            os.unlink(path)  # noqa: PTH108 (as elsewhere)
