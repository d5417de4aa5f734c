"""Partitions in log directories: their segments, and which of their offsets are there and committed."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, BatchHeader, RecordBatchError, read_header
from kafkacompat.protocol.records.reader import record_bytes, times_of
from kafkacompat.spark.log.index_files import read_offset_index, read_time_index
from kafkacompat.storage.checkpoints import (
    CLEANER_FILE,
    HIGH_WATERMARK_FILE,
    LOG_START_FILE,
    META_PROPERTIES_FILE,
    CheckpointError,
    read_offsets,
)
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.partition_dir import parse_directory_name
from kafkacompat.storage.segment import LOG_SUFFIX

TopicPartition = tuple[str, int]


class LogReadError(KafkaCompatError):
    """Log directories or options that do not say what to read."""


class SegmentFile(NamedTuple):
    """A segment. `next_base_offset` is that of the one behind it, LONG_MAX for the last."""

    path: str
    base_offset: int
    next_base_offset: int
    size_bytes: int

    @property
    def is_last(self) -> bool:
        return self.next_base_offset == LONG_MAX


class PartitionLog(NamedTuple):
    """A partition on disk. `high_watermark` and `cleaned_until`, how far compaction has come, are those of the last
    checkpoints, 0 without one.
    """

    topic: str
    partition: int
    directory: str
    segments: tuple[SegmentFile, ...]
    log_start_offset: int
    high_watermark: int
    cleaned_until: int = 0

    @property
    def name(self) -> str:
        return f"{self.topic}-{self.partition}"


def find_logs(
    paths: Iterable[str], is_wanted: Callable[[str, int], bool], *, needs_high_watermarks: bool
) -> dict[TopicPartition, PartitionLog]:
    """The wanted partitions in all log directories that match the paths. Raises LogReadError."""
    found: dict[TopicPartition, PartitionLog] = {}
    for directory in log_directories(paths):
        starts = _offsets(directory / LOG_START_FILE)
        marks = _offsets(directory / HIGH_WATERMARK_FILE)
        cleaned = _offsets(directory / CLEANER_FILE)
        if needs_high_watermarks and not (directory / HIGH_WATERMARK_FILE).exists():
            raise LogReadError(
                f"{directory} has no {HIGH_WATERMARK_FILE}, so it is unknown what is committed. "
                'option("bounds", "all") reads to the end of each log'
            )
        for key, path in partition_folders(directory):
            if not is_wanted(*key):
                continue
            if key in found:
                raise LogReadError(
                    f"{path.name} is in {found[key].directory} and in {directory}. "
                    "Read the directories of one broker together, and those of several brokers one by one"
                )
            log = open_log(key, path, starts.get(key, 0), marks.get(key, 0))
            if log is not None:
                found[key] = log._replace(cleaned_until=cleaned.get(key, 0))
    return dict(sorted(found.items()))


def log_directories(paths: Iterable[str]) -> list[Path]:
    found: dict[Path, None] = {}
    for path in paths:
        matches = sorted(glob.glob(path)) or [path]  # noqa: PTH207 (a pattern may be absolute)
        directories = [Path(match).absolute() for match in matches if Path(match).is_dir()]
        if not directories:
            raise LogReadError(f"there is no directory {path}: the path is a log directory, as in log.dirs of a broker")
        found |= dict.fromkeys(directories)
    for directory in found:
        if not (directory / META_PROPERTIES_FILE).exists() and not any(partition_folders(directory)):
            raise LogReadError(f"{directory} is no log directory: it has neither partitions nor {META_PROPERTIES_FILE}")
    return list(found)


def partition_folders(directory: Path) -> Iterator[tuple[TopicPartition, Path]]:
    for path in sorted(directory.iterdir()):
        key = parse_directory_name(path.name)
        if key is not None and path.is_dir():
            yield key, path


def _offsets(path: Path) -> dict[TopicPartition, int]:
    try:
        return read_offsets(RealFs(), str(path))
    except CheckpointError as error:
        raise LogReadError(f'{error}. option("bounds", "all") does without high watermarks') from None


def open_log(key: TopicPartition, path: Path, start: int, high_watermark: int) -> PartitionLog | None:
    """None for a directory without segments: retention or a deletion took them meanwhile."""
    sizes = {}
    for file in path.iterdir():
        if file.suffix == LOG_SUFFIX and file.stem.isdecimal():
            with suppress(FileNotFoundError):
                sizes[int(file.stem)] = (str(file), file.stat().st_size)
    if not sizes:
        return None
    bases = sorted(sizes)
    segments = tuple(
        SegmentFile(sizes[base][0], base, following, sizes[base][1])
        for base, following in zip(bases, [*bases[1:], LONG_MAX], strict=True)
    )
    return PartitionLog(*key, str(path.parent), segments, max(start, bases[0]), high_watermark)


def batch_at(segment: SegmentFile, position: int) -> BatchHeader | None:
    """The header at a position, if there is one of a batch that the file holds whole."""
    try:
        with Path(segment.path).open("rb") as file:
            file.seek(position)
            header = read_header(file.read(BATCH_OVERHEAD))
    except (OSError, RecordBatchError):
        return None
    fits = position + header.size_bytes <= segment.size_bytes
    return header if fits and header.last_offset_delta >= 0 and header.base_offset >= segment.base_offset else None


def position_of(segment: SegmentFile, offset: int) -> int:
    """A position at or before the batch that holds `offset`, from which the segment can be read."""
    entries = read_offset_index(segment.path)
    if offset > segment.base_offset and entries.size:
        known = entries[entries["offset"] <= offset - segment.base_offset]
        for entry in known[:-4:-1].tolist():
            header = batch_at(segment, entry[1])
            if header is not None and header.base_offset <= segment.base_offset + entry[0]:
                return int(entry[1])
    return 0


def headers_from(segment: SegmentFile, position: int) -> Iterator[tuple[int, BatchHeader]]:
    """Position and header of each batch up to the end of the file, or to what is no whole batch."""
    with suppress(FileNotFoundError, RecordBatchError), Path(segment.path).open("rb") as file:
        while position + BATCH_OVERHEAD <= segment.size_bytes:
            file.seek(position)
            header = read_header(file.read(BATCH_OVERHEAD))
            if position + header.size_bytes > segment.size_bytes:
                return
            yield position, header
            position += header.size_bytes


def log_end_offset(log: PartitionLog) -> int:
    """The offset behind the last whole batch."""
    last = log.segments[-1]
    end = last.base_offset
    for _, header in headers_from(last, position_of(last, LONG_MAX)):
        end = max(end, header.next_offset)
    return end


def offset_for_time(log: PartitionLog, timestamp_ms: int, end_offset: int) -> int | None:
    """The first offset below `end_offset` whose record is at `timestamp_ms` or later; None if there is none."""
    for segment in log.segments:
        if segment.base_offset >= end_offset:
            break
        times = read_time_index(segment.path)
        if not segment.is_last and times.size and 0 < int(times["timestamp"][-1]) < timestamp_ms:
            continue
        before = times[times["timestamp"] <= timestamp_ms]
        first = segment.base_offset + int(before["offset"][-1]) if before.size else segment.base_offset
        for position, header in headers_from(segment, position_of(segment, first)):
            if header.next_offset <= log.log_start_offset or header.max_timestamp < timestamp_ms:
                continue
            offset = _first_at(segment, position, header, timestamp_ms, log.log_start_offset)
            if offset is not None:
                return offset if offset < end_offset else None
    return None


def _first_at(
    segment: SegmentFile, position: int, header: BatchHeader, timestamp_ms: int, start_offset: int
) -> int | None:
    with Path(segment.path).open("rb") as file:
        file.seek(position)
        batch = file.read(header.size_bytes)
    try:
        times = times_of(record_bytes(batch, 0, header), header)
        return next((offset for offset, time in times if time >= timestamp_ms and offset >= start_offset), None)
    except RecordBatchError:
        return max(header.base_offset, start_offset)  # who reads it is told
