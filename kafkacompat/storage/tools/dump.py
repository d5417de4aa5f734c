"""Show what the files of a log hold: one JSON object per line, for people and programs.

``dump`` knows segments, their three indexes and producer snapshots by the ends of their names.
``kafkacompat log dump --json`` prints them.
"""

import json
import re
from collections.abc import Iterator
from struct import Struct

from kafkacompat.protocol.records.batch import HEADER_FIELDS, RecordBatchError, check_crc
from kafkacompat.storage import scan
from kafkacompat.storage.errors import CorruptSnapshotError
from kafkacompat.storage.fs import Fs
from kafkacompat.storage.index import CorruptIndexError, OffsetIndex
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.segment import (
    INDEX_SUFFIX,
    LOG_SUFFIX,
    SNAPSHOT_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
)
from kafkacompat.storage.time_index import TimeIndex
from kafkacompat.storage.txn_index import TxnIndex

Line = dict[str, object]
_NO_FILE_OF_A_LOG = (
    f"is no file of a log: give an offset of 20 digits with {LOG_SUFFIX}, {INDEX_SUFFIX}, {TIME_INDEX_SUFFIX}, "
    f"{TXN_INDEX_SUFFIX} or {SNAPSHOT_SUFFIX}, or a snapshot of the metadata"
)
CHECKPOINT_SUFFIX = ".checkpoint"
"""Of a snapshot of the metadata log, whose batches are those of a segment."""
_METADATA_SNAPSHOT = re.compile(r"(\d{20})-\d{10}|bootstrap")


def dump(fs: Fs, path: str, max_bytes: int | None = None) -> Iterator[str]:
    """The lines for the file at ``path``; one with ``error`` ends a file that is corrupt from there on.

    max_bytes: how much of a segment is read. Raises ValueError for a name that is none of a log's files, and OSError.
    """
    for line in _lines(fs, path, max_bytes):
        yield json.dumps(line)


def file_kind(path: str) -> tuple[str, int]:
    """The suffix of a log's file and the offset in its name. Raises ValueError for any other file."""
    stem, dot, end = path.rpartition("/")[2].rpartition(".")
    suffix = dot + end
    if suffix == CHECKPOINT_SUFFIX and (found := _METADATA_SNAPSHOT.fullmatch(stem)):
        return suffix, int(found[1] or 0)
    if not stem.isdigit() or suffix not in (LOG_SUFFIX, *_READERS):
        raise ValueError(f"{path} {_NO_FILE_OF_A_LOG}")
    return suffix, int(stem)


def _lines(fs: Fs, path: str, max_bytes: int | None) -> Iterator[Line]:
    suffix, offset = file_kind(path)
    try:
        if suffix in _READERS:
            yield from _READERS[suffix](fs, path, offset)
        else:
            yield from _segment(fs, path, max_bytes)
    except (RecordBatchError, CorruptIndexError, CorruptSnapshotError) as error:
        yield {"error": str(error)}


def _segment(fs: Fs, path: str, max_bytes: int | None) -> Iterator[Line]:
    file = fs.open(path)
    try:
        size_bytes = file.size() if max_bytes is None else min(file.size(), max_bytes)
        end = 0
        for position, header, batch in scan.batches(file, 0, size_bytes):
            fields: Line = {name: getattr(header, name) for name in HEADER_FIELDS}
            yield {"position": position, **fields, "is_valid": check_crc(batch, 0, header.size_bytes)}
            end = position + header.size_bytes
        if end < size_bytes and max_bytes is None:
            yield {"position": end, "error": f"{size_bytes - end} bytes are no whole batch"}
    finally:
        file.close()


def _index(fs: Fs, path: str, base_offset: int) -> Iterator[Line]:
    for entry in used_entries(fs, path, OffsetIndex.layout):
        yield {"offset": base_offset + entry[0], "position": entry[1]}


def _time_index(fs: Fs, path: str, base_offset: int) -> Iterator[Line]:
    for entry in used_entries(fs, path, TimeIndex.layout):
        yield {"timestamp_ms": entry[0], "offset": base_offset + entry[1]}


def _txn_index(fs: Fs, path: str, _base_offset: int) -> Iterator[Line]:
    names = ("version", "producer_id", "first_offset", "last_offset", "last_stable_offset")
    for entry in used_entries(fs, path, TxnIndex.layout):
        yield dict(zip(names, entry, strict=True))


def used_entries(fs: Fs, path: str, layout: Struct) -> Iterator[tuple[int, ...]]:
    """The entries of an index up to the zeros that a running Apache Kafka keeps behind them. Raises CorruptIndexError
    and OSError.
    """
    data = fs.read_bytes(path)
    used = -(-len(data.rstrip(b"\0")) // layout.size) * layout.size
    if used > len(data):
        raise CorruptIndexError(path, f"{len(data)} bytes are not a multiple of {layout.size}")
    yield from layout.iter_unpack(data[:used])


def _snapshot(fs: Fs, path: str, end_offset: int) -> Iterator[Line]:
    for entry in ProducerState.decode(fs.read_bytes(path), end_offset).entries.values():
        yield {
            "producer_id": entry.producer_id,
            "epoch": entry.epoch,
            "last_sequence": entry.last_sequence,
            "last_offset": entry.last_offset,
            "last_timestamp_ms": entry.last_timestamp_ms,
            "coordinator_epoch": entry.coordinator_epoch,
            "transaction_first_offset": entry.transaction_first_offset,
        }


_READERS = {
    INDEX_SUFFIX: _index,
    TIME_INDEX_SUFFIX: _time_index,
    TXN_INDEX_SUFFIX: _txn_index,
    SNAPSHOT_SUFFIX: _snapshot,
}
