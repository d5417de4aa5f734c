"""How far a stream has come, and how far it goes next: offsets by topic and partition, as in Spark's Kafka source."""

from __future__ import annotations

from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.spark.log.index_files import batch_positions
from kafkacompat.spark.log.log_files import (
    PartitionLog,
    SegmentFile,
    TopicPartition,
    batch_at,
    headers_from,
    position_of,
)
from kafkacompat.spark.log.offset_ranges import Logs, after_loss, end_of, lost, start_of, wanted_logs
from kafkacompat.spark.log.read_options import LogOptions
from kafkacompat.spark.log.split import Split
from kafkacompat.spark.log.split_plan import plan
from kafkacompat.spark.log.transactions import transactions

Offsets = dict[TopicPartition, int]
JsonOffsets = dict[str, dict[str, int]]
"""What Spark keeps in the checkpoint: `{"orders": {"0": 23}}`, the next offset to read."""


class StreamOffsets:
    """The offsets of one query. Nothing is kept here but where AvailableNow ends; Spark has the rest."""

    def __init__(self, options: LogOptions) -> None:
        self._options = options
        self._target: Offsets | None = None

    def initial(self) -> JsonOffsets:
        """Where a new query begins."""
        logs = wanted_logs(self._options)
        ends = self._ends(logs)
        return as_json({key: start_of(log, self._options, ends[key]) for key, log in logs.items()})

    def stop_at_present_end(self) -> None:
        """From now on nothing behind the present ends is there, nor any other partition."""
        self._target = self._ends(wanted_logs(self._options))

    def latest(
        self, start: JsonOffsets, *, max_offsets: int | None = None, max_bytes: int | None = None
    ) -> JsonOffsets:
        """Where the next batch ends that begins at `start`: at the ends of the logs, or as far as a limit allows, of
        which each partition has its share. Raises LogReadError where records were removed.
        """
        logs = wanted_logs(self._options)
        ends = self._ends(logs)
        known = from_json(start)
        for key in sorted(known.keys() - logs.keys()):
            lost(f"{key[0]}-{key[1]} was deleted", self._options)
        starts = {key: known.get(key, log.log_start_offset) for key, log in logs.items()}
        for key in sorted(ends):
            if ends[key] < starts[key]:
                lost(f"{key[0]}-{key[1]} ends at offset {ends[key]}, but was read up to {starts[key]}", self._options)
                ends[key] = starts[key]
        if self._target is not None:
            ends = {key: max(starts[key], min(end, self._target.get(key, starts[key]))) for key, end in ends.items()}
        if max_offsets is not None:
            sizes = {key: ends[key] - starts[key] for key in ends}
            shares = _shares(sizes, max_offsets)
            return as_json({key: starts[key] + shares[key] for key in ends})
        if max_bytes is not None:
            shares = _shares({key: bytes_between(logs[key], starts[key], ends[key]) for key in ends}, max_bytes)
            return as_json(
                {key: min(ends[key], offset_after(logs[key], starts[key], ends[key], shares[key])) for key in ends}
            )
        return as_json(ends)

    def present_ends(self) -> JsonOffsets:
        """The ends of the logs, for the progress that Spark reports."""
        return as_json(self._ends(wanted_logs(self._options)))

    def splits(self, start: JsonOffsets, end: JsonOffsets) -> list[Split]:
        """What a batch reads. Asked again for the same range, it is the same records."""
        options, known = self._options, from_json(start)
        logs = wanted_logs(options)
        splits: list[Split] = []
        for key, upto in from_json(end).items():
            log = logs.get(key)
            if log is None:
                lost(f"{key[0]}-{key[1]} was deleted", options)
                continue
            first = known.get(key, log.log_start_offset)
            if first < upto:
                # a transaction that began below the end may have its marker above it
                aborted = transactions(log, LONG_MAX)[1] if options.is_read_committed else []
                splits += plan(
                    log, after_loss(log, first, options), upto, split_bytes=options.split_bytes, must_reach=True,
                    aborted=aborted,
                )  # fmt: skip
        return splits

    def _ends(self, logs: Logs) -> Offsets:
        return {key: end_of(log, self._options, is_stream=True).offset for key, log in logs.items()}


def as_json(offsets: Offsets) -> JsonOffsets:
    found: JsonOffsets = {}
    for (topic, partition), offset in sorted(offsets.items()):
        found.setdefault(topic, {})[str(partition)] = offset
    return found


def from_json(offsets: JsonOffsets) -> Offsets:
    return {(topic, int(number)): offset for topic, each in offsets.items() for number, offset in each.items()}


def _shares(sizes: Offsets, limit: int) -> Offsets:
    """`limit` divided by size, at least one for each partition that has something (Spark's KafkaMicroBatchStream)."""
    total = sum(sizes.values())
    if total <= limit:
        return sizes
    return {key: min(size, max(limit * size // total, 1 if size else 0)) for key, size in sizes.items()}


def bytes_between(log: PartitionLog, start: int, end: int) -> int:
    """About so many bytes lie between two offsets, as far as the indexes know."""
    total = 0
    for segment in log.segments:
        if start < end and segment.base_offset < end and segment.next_base_offset > start:
            last = segment.size_bytes if end >= segment.next_base_offset else _behind(segment, end)
            total += max(last - position_of(segment, start), 1)
    return total


def _behind(segment: SegmentFile, end: int) -> int:
    """The position of the first batch at or above `end`, or the file's end."""
    for position, header in headers_from(segment, position_of(segment, end)):
        if header.base_offset >= end:
            return position
    return segment.size_bytes


def offset_after(log: PartitionLog, start: int, end: int, size_bytes: int) -> int:
    """An offset about so many bytes behind `start`, where a batch begins; at least one batch behind it."""
    if size_bytes <= 0 or start >= end:
        return start
    left = size_bytes
    for segment in log.segments:
        if segment.next_base_offset <= start:
            continue
        first = position_of(segment, start)
        if segment.size_bytes - first <= left and not segment.is_last:
            left -= segment.size_bytes - first
            continue
        wanted = first + left
        known = [position for position in batch_positions(segment.path) if first < position <= wanted]
        position = next((at for at in reversed(known) if batch_at(segment, at) is not None), first)
        for at, header in headers_from(segment, position):
            if at + header.size_bytes >= wanted and header.next_offset > start:
                return header.next_offset
        break
    return end
