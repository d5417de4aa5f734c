"""Offset and time indexes as Apache Kafka's DumpLogSegments prints them, and what of them does not fit the segment."""

from bisect import bisect_right
from struct import Struct

from kafkacompat.protocol.constants import NO_TIMESTAMP, UNKNOWN_OFFSET
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage import scan
from kafkacompat.storage.index import CorruptIndexError
from kafkacompat.storage.segment import INDEX_SUFFIX, LOG_SUFFIX, TIME_INDEX_SUFFIX
from kafkacompat.storage.tools.dump_findings import OFFSET_NOT_FOUND, OFFSETS_DIFFER, TIMES_DIFFER, TIMES_OUT_OF_ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.storage.fs import File, Fs
    from kafkacompat.storage.tools.dump_findings import Findings
    from kafkacompat.storage.tools.dump_options import DumpOptions

_OFFSET_ENTRY = Struct(">ii")  # signed, as Kafka reads them
_TIME_ENTRY = Struct(">qi")


def index_lines(fs: "Fs", path: str, base_offset: int, options: "DumpOptions", findings: "Findings") -> "Iterator[str]":
    """The entries of an offset index, each compared with the batch at its position. Raises as ``dump_text``."""
    entries = _entries(fs, path, _OFFSET_ENTRY)
    if not entries:
        yield f"{path} is empty."
        return
    if options.sanity_only:
        _check_last_offset(path, base_offset, entries[-1][0])
        yield f"{path} passed sanity check."
        return
    file = fs.open(_beside(path, INDEX_SUFFIX, LOG_SUFFIX))
    try:
        size_bytes = file.size()
        for number, (relative, position) in enumerate(entries):
            if not relative and number:
                return  # the zeros that a running broker keeps behind the entries
            offset = base_offset + relative
            _check_position(path, position, size_bytes)
            end = min(size_bytes, position + options.max_message_bytes)
            found = next(scan.headers(file, position, end), None)
            if found is None:
                raise CorruptIndexError(path, f"no whole batch of up to {end - position} bytes at position {position}")
            if found[1].last_offset != offset:
                findings.fault(OFFSETS_DIFFER, path, offset, found[1].last_offset)
            if not options.verify_only:
                yield f"offset: {offset} position: {position}"
    finally:
        file.close()


def time_index_lines(
    fs: "Fs", path: str, base_offset: int, options: "DumpOptions", findings: "Findings"
) -> "Iterator[str]":
    """The entries of a time index, each compared with the batch that ends at its offset. Raises as ``dump_text``."""
    entries = _entries(fs, path, _TIME_ENTRY)
    if options.sanity_only:
        if entries and entries[-1][0] < entries[0][0]:
            raise CorruptIndexError(path, f"the last timestamp {entries[-1][0]} is before the first {entries[0][0]}")
        if entries:
            _check_last_offset(path, base_offset, entries[-1][1])
        yield f"{path} passed sanity check."
        return
    positions = _entries(fs, _beside(path, TIME_INDEX_SUFFIX, INDEX_SUFFIX), _OFFSET_ENTRY)
    used = [entry for number, entry in enumerate(positions) if entry[0] or not number]
    relatives = [relative for relative, _ in used]
    file = fs.open(_beside(path, TIME_INDEX_SUFFIX, LOG_SUFFIX))
    previous = NO_TIMESTAMP
    try:
        for number, (timestamp, relative) in enumerate(entries):
            if not relative and number:
                return
            offset = base_offset + relative
            slot = bisect_right(relatives, relative)
            position = used[slot - 1][1] if slot else 0
            _check_position(path, position, file.size())
            last_offset, newest = _batch_with(file, position, offset)
            if last_offset != offset:
                findings.fault(OFFSET_NOT_FOUND, path, offset, last_offset)
            else:
                if newest != timestamp:
                    findings.fault(TIMES_DIFFER, path, timestamp, newest)
                if previous >= timestamp:
                    findings.fault(TIMES_OUT_OF_ORDER, path, timestamp, previous)
            if not options.verify_only:
                yield f"timestamp: {timestamp} offset: {offset}"
            previous = timestamp
    finally:
        file.close()


def _check_position(path: str, position: int, size_bytes: int) -> None:
    if not 0 <= position <= size_bytes:
        raise CorruptIndexError(path, f"position {position} is outside of the segment of {size_bytes} bytes")


def _batch_with(file: "File", position: int, offset: int) -> tuple[int, int]:
    """The last offset of the batch from ``position`` on that ends at or after ``offset``, and if it ends there the
    newest timestamp (ms) of its records. (−1, −1) without such a batch.
    """
    for at, header in scan.headers(file, position, file.size()):
        if header.last_offset < offset:
            continue
        if header.last_offset > offset:
            return header.last_offset, NO_TIMESTAMP
        batch = file.pread(at, header.size_bytes)
        return offset, max((record.timestamp for record in read_records(batch, 0, header)), default=NO_TIMESTAMP)
    return UNKNOWN_OFFSET, NO_TIMESTAMP


def _entries(fs: "Fs", path: str, layout: Struct) -> "list[tuple[int, int]]":
    data = fs.read_bytes(path)
    if len(data) % layout.size:
        raise CorruptIndexError(path, f"{len(data)} bytes are not a multiple of {layout.size}")
    return list(layout.iter_unpack(data))


def _check_last_offset(path: str, base_offset: int, relative: int) -> None:
    if relative < 0:
        raise CorruptIndexError(
            path, f"the last offset {base_offset + relative} is below the base offset {base_offset}"
        )


def _beside(path: str, suffix: str, other: str) -> str:
    return path.removesuffix(suffix) + other
