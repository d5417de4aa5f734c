"""Which offsets of each partition are read: from the options, the checkpoints and the logs."""

from __future__ import annotations

import logging
from typing import NamedTuple

from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.spark.log.log_files import (
    LogReadError,
    PartitionLog,
    TopicPartition,
    find_logs,
    log_end_offset,
    offset_for_time,
)
from kafkacompat.spark.log.pushed_filters import Narrowing
from kafkacompat.spark.log.read_options import EARLIEST, LATEST, LogOptions, Offsets, Times
from kafkacompat.spark.log.split import Aborted, Split
from kafkacompat.spark.log.split_plan import plan
from kafkacompat.spark.log.transactions import transactions

Logs = dict[TopicPartition, PartitionLog]
EVERYTHING = Narrowing()
_log = logging.getLogger(__name__)


class End(NamedTuple):
    """Where a log ends for the reader, and what was aborted before."""

    offset: int
    aborted: list[Aborted]


def wanted_logs(options: LogOptions) -> Logs:
    """The partitions that the options choose. Raises LogReadError for a topic that is named and not there."""
    logs = find_logs(options.paths, options.topics, needs_high_watermarks=options.is_bounded)
    missing = sorted(options.named - {topic for topic, _ in logs})
    if missing:
        raise LogReadError(f"there is no topic {missing[0]} in {', '.join(options.paths)}")
    for topic, partition in sorted(options.assigned - logs.keys()):
        raise LogReadError(f"assign: there is no partition {topic}-{partition} in {', '.join(options.paths)}")
    return logs


def end_of(log: PartitionLog, options: LogOptions, *, is_stream: bool = False) -> End:
    """The high watermark or, with `bounds=all`, the end of the file; for committed records the last stable offset.

    A batch takes the end of the file as it comes, so that damage before it is found; a stream needs its offset.
    """
    end = max(log.high_watermark, log.log_start_offset)
    if not options.is_bounded:
        end = log_end_offset(log) if is_stream or options.is_read_committed else LONG_MAX
    if not options.is_read_committed:
        return End(end, [])
    return End(*transactions(log, end))


def start_of(log: PartitionLog, options: LogOptions, end: int) -> int:
    """Where a first read begins."""
    at_ms = _time_of(log, options.starting_at_ms)
    if at_ms is not None:
        found = offset_for_time(log, at_ms, end)
        if found is None and options.starts_at_latest:
            return end
        if found is None:
            raise LogReadError(
                f"the start by time: {log.name} has no record at or after {at_ms}. "
                'option("startingOffsetsByTimestampStrategy", "latest") begins at its end'
            )
        return found
    return _offset(log, options.starting, end, "startingOffsets", log.log_start_offset)


def _time_of(log: PartitionLog, given: Times) -> int | None:
    return given.get((log.topic, log.partition)) if isinstance(given, dict) else given


def _offset(log: PartitionLog, given: Offsets, end: int, option: str, otherwise: int) -> int:
    offset = given if isinstance(given, int) else given.get((log.topic, log.partition))
    if offset == EARLIEST:
        return log.log_start_offset
    if offset == LATEST:
        return end
    if offset is None:
        return otherwise
    if offset < 0 or (end != LONG_MAX and offset > end):
        raise LogReadError(f"{option}: {log.name} has offsets {log.log_start_offset} to {end}, not {offset}")
    return offset


def after_loss(log: PartitionLog, offset: int, options: LogOptions) -> int:
    """An offset to go on at, which is another one if records were removed. Raises LogReadError for that."""
    if offset >= log.log_start_offset:
        return offset
    lost(f"{log.name}: offsets {offset} to {log.log_start_offset - 1} were removed", options)
    return log.log_start_offset


def lost(message: str, options: LogOptions) -> None:
    """Raises LogReadError, or warns with `failOnDataLoss=false`."""
    if options.fail_on_data_loss:
        raise LogReadError(f'{message}. option("failOnDataLoss", "false") goes on with what is there')
    _log.warning("%s", message)


def splits_of_batch(options: LogOptions, narrowing: Narrowing = EVERYTHING) -> list[Split]:
    """All that a batch reads."""
    logs = wanted_logs(options)
    for option, given in (
        ("startingOffsets", options.starting), ("endingOffsets", options.ending),
        ("startingOffsetsByTimestamp", options.starting_at_ms), ("endingOffsetsByTimestamp", options.ending_at_ms),
    ):  # fmt: skip
        unknown = sorted(given.keys() - logs.keys()) if isinstance(given, dict) else []
        if unknown:
            raise LogReadError(f"{option}: there is no partition {unknown[0][0]}-{unknown[0][1]} to read")
    splits = []
    for log in logs.values():
        if not narrowing.wants(log.topic, log.partition):
            continue
        latest = end_of(log, options)
        start = after_loss(log, start_of(log, options, latest.offset), options)
        end = _end_of_batch(log, options, latest.offset)
        must_reach = end != LONG_MAX
        start, end = _narrowed(log, start, end, narrowing)
        splits += plan(
            log, start, end, split_bytes=options.split_bytes, must_reach=must_reach,
            is_committed_end=options.is_bounded and end == latest.offset, aborted=latest.aborted,
        )  # fmt: skip
    return splits


def _narrowed(log: PartitionLog, start: int, end: int, narrowing: Narrowing) -> tuple[int, int]:
    """The range without what the query's conditions rule out."""
    start, end = max(start, narrowing.start_offset), min(end, narrowing.end_offset)
    if narrowing.min_timestamp_ms is not None and start < end:
        first = offset_for_time(log, narrowing.min_timestamp_ms, end)
        start = end if first is None else max(start, first)
    return start, end


def _end_of_batch(log: PartitionLog, options: LogOptions, latest: int) -> int:
    at_ms = _time_of(log, options.ending_at_ms)
    if at_ms is not None:
        found = offset_for_time(log, at_ms, latest)
        return latest if found is None else found
    return _offset(log, options.ending, latest, "endingOffsets", latest)
