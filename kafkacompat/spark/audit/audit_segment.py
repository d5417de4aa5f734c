"""One segment of a log, audited by itself: all that needs its batches is done here, in a task of Spark."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from kafkacompat.protocol.columns.varints import Flags, Ints
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.records.batch import COMPRESSION_MASK
from kafkacompat.protocol.records.compression import NAMES
from kafkacompat.spark.audit.audit_findings import CHECKSUM, LEADER_EPOCH, MAX_FINDINGS, UNREADABLE, Finding
from kafkacompat.spark.audit.audit_indexes import OffsetIndexCheck, TimeIndexCheck
from kafkacompat.spark.audit.audit_order import Misplaced, OrderCheck
from kafkacompat.spark.audit.audit_producers import Ends, ProducerCheck, Range
from kafkacompat.spark.audit.audit_runs import runs
from kafkacompat.spark.audit.audit_scan import NO_MARKER, Batches, Scan, Unreadable
from kafkacompat.spark.log.index_files import all_offset_entries, all_time_entries
from kafkacompat.spark.log.log_files import SegmentFile, headers_from, position_of

MS_PER_MINUTE = 60_000
MAX_TIMES = 2000
"""Points of time of a segment, for pictures; with more of them each stands for twice as long."""
SPREAD = 16
"""Parts of a batch in such a picture, where its records are of more than one point of time."""
SPREAD_BEFORE_MS = 1 << 50
"""Batches with timestamps from here on, the year 37,000, are not spread: no clock of a producer says such a time."""


class LogFacts(NamedTuple):
    """What the files beside the segments say of a log. `epochs`: each leader epoch and where it starts."""

    topic: str
    partition: int
    directory: str
    log_start_offset: int
    high_watermark: int
    recovery_point: int
    cleaned_until: int
    epochs: tuple[tuple[int, int], ...]


class SegmentJob(NamedTuple):
    """A segment of a log, and whether it is the log's first one."""

    facts: LogFacts
    segment: SegmentFile
    is_first: bool


class Traffic(NamedTuple):
    """What a segment holds. `times`: bytes and records by the minute, in ms; a batch is spread evenly over its time."""

    size_bytes: int
    batches: int
    records: int
    codecs: dict[str, tuple[int, int]]
    times: dict[int, tuple[int, int]]


class SegmentResult(NamedTuple):
    """What is known of a segment. `more`: findings beyond MAX_FINDINGS, by kind. `blind`: offsets of which nothing is
    known. `end_offset`: behind its last batch; `end_position`: in bytes.
    """

    findings: list[Finding]
    more: dict[str, int]
    blind: list[Range]
    ends: Ends
    traffic: Traffic
    end_offset: int
    end_position: int
    torn_bytes: int
    is_gone: bool = False


def audit_segment(job: SegmentJob) -> SegmentResult:
    """Read a segment, and say all that is wrong with it."""
    return _SegmentAudit(job).result()


class _SegmentAudit:
    """One pass over a segment."""

    def __init__(self, job: SegmentJob) -> None:
        facts, segment = job.facts, job.segment
        self._job = job
        self._order = OrderCheck(
            segment.base_offset, segment.next_base_offset, facts.cleaned_until, is_first=job.is_first,
            is_there=self._is_there,
        )  # fmt: skip
        self._producers = ProducerCheck(facts.cleaned_until)
        self._offset_index = OffsetIndexCheck(all_offset_entries(segment.path), segment.base_offset)
        self._time_index = TimeIndexCheck(all_time_entries(segment.path), segment.base_offset)
        self._epoch = UNKNOWN_OFFSET
        self._traffic = _TrafficCount()
        self._found: list[Misplaced] = []

    def result(self) -> SegmentResult:
        segment = self._job.segment
        scan = Scan(segment.path, is_last=segment.is_last)
        is_gone = False
        try:
            for batches in scan.batches(self._unreadable):
                self._traffic.add(batches)
                self._look_at(self._order.feed(batches))
        except FileNotFoundError:
            is_gone = True  # retention took it
        except OSError as error:
            self._found.append(Misplaced(UNREADABLE, segment.base_offset, UNKNOWN_OFFSET, str(error)))
        if not is_gone:
            self._look_at(self._order.end())
        for first, last in self._order.blind:
            self._time_index.excuse(first, last)
        if not is_gone:
            self._found += [*self._order.found, *self._producers.found]
            self._found += [*self._offset_index.end(), *self._time_index.end()]
        findings = [self._finding(each) for each in dict.fromkeys(self._found)]
        more = Counter(each.kind for each in findings[MAX_FINDINGS:])
        ends = Ends(self._producers.firsts, self._producers.states, self._producers.aborted)
        return SegmentResult(
            findings[:MAX_FINDINGS], dict(more), self._order.blind, ends, self._traffic.sums(),
            self._order.next_offset, scan.end_position, scan.torn_bytes, is_gone,
        )  # fmt: skip

    def _finding(self, each: Misplaced) -> Finding:
        facts = self._job.facts
        return Finding(
            each.kind, facts.topic, facts.partition, each.first_offset, each.last_offset, each.detail,
            facts.directory, self._job.segment.path, each.position,
        )  # fmt: skip

    def _unreadable(self, damage: Unreadable) -> None:
        self._order.unreadable()
        self._offset_index.excuse(damage.position, damage.size_bytes)
        detail = f"{damage.size_bytes} bytes: {damage.reason}"
        self._found.append(Misplaced(damage.kind, UNKNOWN_OFFSET, UNKNOWN_OFFSET, detail, damage.position))

    def _is_there(self, base: int, last: int, crc: int, before: int) -> bool:
        """Whether the same batch is in the file before the position `before`."""
        segment = self._job.segment
        for position, header in headers_from(segment, position_of(segment, base)):
            if header.base_offset >= base:
                return position < before and (header.base_offset, header.last_offset, header.crc) == (base, last, crc)
        return False

    def _look_at(self, batches: Batches) -> None:
        """Batches whose place is known, in ascending order."""
        for number in np.flatnonzero(~batches.is_sound).tolist():
            first, last = int(batches.base[number]), int(batches.last[number])
            self._order.blind.append((first, last))
            detail = f"checksum {batches.computed[number]:08x} of a batch that says {batches.stored[number]:08x}"
            self._found.append(Misplaced(CHECKSUM, first, last, detail, int(batches.position[number])))
        self._offset_index.feed(batches)
        self._time_index.feed(batches)
        self._producers.feed(batches, self._order.blind)
        self._check_epochs(batches)

    def _check_epochs(self, batches: Batches) -> None:
        known = batches.epoch >= 0
        if not known.any():
            return
        base, epoch, position = batches.base[known], batches.epoch[known], batches.position[known]
        last = batches.last[known]
        highest = np.maximum.accumulate(np.append(self._epoch, epoch))
        wrong = epoch < highest[:-1]
        due = highest[:-1]
        facts = self._job.facts
        if facts.epochs:
            epochs, starts = np.array(facts.epochs).T
            slot = np.searchsorted(starts, base, side="right") - 1
            due = np.where(slot >= 0, epochs[np.maximum(slot, 0)], epoch)
            is_new = (epoch > epochs[-1]) & (last >= facts.recovery_point)  # recovery will take it from the batch
            wrong = (epoch != due) & ~is_new
        self._epoch = int(highest[-1])
        for first, end in runs(wrong):
            detail = f"leader epoch {epoch[first]}, where {due[first]} is due"
            self._found.append(Misplaced(LEADER_EPOCH, int(base[first]), int(last[end]), detail, int(position[first])))


class _TrafficCount:
    """Sums over the batches of a segment."""

    def __init__(self) -> None:
        self._size = self._batches = self._records = 0
        self._codecs: dict[str, list[int]] = {}
        self._times: dict[int, list[int]] = {}
        self._width_ms = MS_PER_MINUTE

    def add(self, batches: Batches) -> None:
        data = batches.some(batches.marker == NO_MARKER)
        self._size += int(batches.size.sum())
        self._batches += batches.base.size
        self._records += int(data.count.sum())
        for number, size, records in _by(data.attributes & COMPRESSION_MASK, data.size, data.count):
            _add(self._codecs, NAMES[number] if number < len(NAMES) else str(number), size, records)
        is_long = is_spread(data.base_timestamp, data.max_timestamp, self._width_ms)
        short, long = data.some(~is_long), data.some(is_long)
        self._add_times(short.max_timestamp, short.size, short.count)
        for part in range(SPREAD) if is_long.any() else ():
            at = long.base_timestamp + (long.max_timestamp - long.base_timestamp) * (2 * part + 1) // (2 * SPREAD)
            self._add_times(at, share(long.size, part), share(long.count, part))

    def _add_times(self, at_ms: Ints, sizes: Ints, counts: Ints) -> None:
        for at, size, records in _by(at_ms // self._width_ms, sizes, counts):
            _add(self._times, at * self._width_ms, size, records)
        while len(self._times) > MAX_TIMES:
            self._widen()

    def _widen(self) -> None:
        self._width_ms *= 2
        before, self._times = self._times, {}
        for at, (size, records) in before.items():
            _add(self._times, at // self._width_ms * self._width_ms, size, records)

    def sums(self) -> Traffic:
        codecs = {name: (size, records) for name, (size, records) in self._codecs.items()}
        times = {at: (size, records) for at, (size, records) in self._times.items()}
        return Traffic(self._size, self._batches, self._records, codecs, times)


def is_spread(first_ms: Ints, last_ms: Ints, width_ms: int) -> Flags:
    """Which batches lie over several places of the picture, from the first record's timestamp to the largest one."""
    is_known = (first_ms >= 0) & (last_ms < SPREAD_BEFORE_MS)
    return is_known & (last_ms - np.where(is_known, first_ms, last_ms) > width_ms)


def share(amounts: Ints, part: int) -> Ints:
    """One of SPREAD equal parts of each amount; together they are the whole."""
    return amounts * (part + 1) // SPREAD - amounts * part // SPREAD


def _by(key: Ints, sizes: Ints, counts: Ints) -> list[tuple[int, int, int]]:
    """Each key with bytes and records of its batches."""
    keys, number = np.unique(key, return_inverse=True)
    sums = (np.bincount(number, each, keys.size).astype(np.int64) for each in (sizes, counts))
    return list(zip(keys.tolist(), *(each.tolist() for each in sums), strict=True))


def _add(sums: dict[Any, list[int]], key: object, size: int, records: int) -> None:
    of_key = sums.setdefault(key, [0, 0])
    of_key[0] += size
    of_key[1] += records
