"""The indexes beside a segment, read whole. A broker may be writing them: what does not ascend is not there yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kafkacompat.storage.index import OffsetIndex
from kafkacompat.storage.time_index import TimeIndex

_OFFSET_ENTRY = np.dtype([("offset", ">u4"), ("position", ">u4")])
_TIME_ENTRY = np.dtype([("timestamp", ">i8"), ("offset", ">u4")])


def read_offset_index(log_path: str) -> Any:
    """Entries of `offset` (less the base offset) and `position` in ascending order; none without a readable file."""
    entries = _read(log_path, OffsetIndex.suffix, _OFFSET_ENTRY)
    return _ascending(entries, "position")


def read_time_index(log_path: str) -> Any:
    """Entries of `timestamp` (ms) and `offset` (less the base offset) in ascending order."""
    return _ascending(_read(log_path, TimeIndex.suffix, _TIME_ENTRY), "timestamp")


def all_offset_entries(log_path: str) -> Any:
    """Entries as they are in the file, without the zeros that it is allocated with."""
    return _written(_read(log_path, OffsetIndex.suffix, _OFFSET_ENTRY))


def all_time_entries(log_path: str) -> Any:
    """Entries as they are in the file, without the zeros that it is allocated with."""
    return _written(_read(log_path, TimeIndex.suffix, _TIME_ENTRY))


def batch_positions(log_path: str) -> list[int]:
    """Where batches begin, as far as the index knows."""
    found: list[int] = read_offset_index(log_path)["position"].tolist()
    return found


def _read(log_path: str, suffix: str, kind: Any) -> Any:
    try:
        data = Path(log_path).with_suffix(suffix).read_bytes()
    except OSError:
        return np.empty(0, kind)
    return np.frombuffer(data[: len(data) // kind.itemsize * kind.itemsize], kind)


def _ascending(entries: Any, name: str) -> Any:
    """The entries up to the first that is not above the one before: files are allocated ahead, with zeros."""
    values = entries[name].astype(np.int64)
    falls = np.flatnonzero(np.diff(values, prepend=-1) <= 0)
    return entries[: int(falls[0])] if falls.size else entries


def _written(entries: Any) -> Any:
    used = np.flatnonzero(entries != np.zeros(1, entries.dtype))
    return entries[: int(used[-1]) + 1] if used.size else entries[:0]
