"""Cuts what is to be read of a partition into splits, at batches that the offset index knows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from kafkacompat.protocol.columns.varints import Ints
from kafkacompat.spark.log.index_files import read_offset_index
from kafkacompat.spark.log.log_files import PartitionLog, SegmentFile, batch_at, position_of
from kafkacompat.spark.log.split import Aborted, Split


def plan(
    log: PartitionLog,
    start_offset: int,
    end_offset: int,
    *,
    split_bytes: int,
    must_reach: bool,
    is_committed_end: bool = False,
    aborted: Iterable[Aborted] = (),
) -> list[Split]:
    """The splits from `start_offset` to `end_offset` (exclusive), in order, of about `split_bytes` each.

    `must_reach`: the log has to have all of them, as what is committed has to be there. `is_committed_end`: that is all
    of it.
    """
    if start_offset >= end_offset:
        return []
    covered = [
        segment
        for segment in log.segments
        if segment.base_offset < end_offset and segment.next_base_offset > start_offset
    ]
    in_range = tuple(each for each in aborted if each.first_offset < end_offset and each.last_offset >= start_offset)
    splits = []
    for segment in covered:
        is_end = segment is covered[-1]
        first = position_of(segment, start_offset)
        last = _end_position(segment, end_offset) if is_end else segment.size_bytes
        cuts = _cuts(segment, first, last, split_bytes)
        bounds = [(first, 0), *cuts, (last, segment.next_base_offset)]
        for (position, _), (end_position, following) in pairwise(bounds):
            is_last = is_end and end_position == last
            if position < end_position or is_last:
                splits.append(
                    Split(
                        log.topic, log.partition, segment.path, position, end_position, start_offset,
                        end_offset, is_last=is_last, max_offset=following - 1,
                        must_reach=must_reach and is_last and segment.is_last,
                        is_committed_end=is_committed_end and is_last and log.cleaned_until <= end_offset,
                        may_be_torn=segment.is_last and end_position == segment.size_bytes,
                        aborted=in_range,
                    )
                )  # fmt: skip
    return splits


def _end_position(segment: SegmentFile, end_offset: int) -> int:
    """A position behind the batch that holds the offset before `end_offset`; the end of the file if none is known."""
    entries = read_offset_index(segment.path)
    # the batch of the first entry at or above the end may begin below it: the entry behind that one is safe
    behind = np.flatnonzero(entries["offset"].astype(np.int64) + segment.base_offset >= end_offset)[1:]
    for number in behind[:3].tolist():
        position = int(entries["position"][number])
        header = batch_at(segment, position)
        if header is not None and header.base_offset >= end_offset:
            return position
    return segment.size_bytes


def _cuts(segment: SegmentFile, first: int, last: int, split_bytes: int) -> list[tuple[int, int]]:
    """Where to cut between two positions: at entries of the index that the file bears out. With each position comes an
    offset that no batch before it reaches: the batch's own there, unless the index doubts it.
    """
    if last - first <= split_bytes:
        return []
    entries = read_offset_index(segment.path)
    entries = entries[(entries["position"] > first) & (entries["position"] < last)]
    pieces = -(-(last - first) // split_bytes)
    wanted = [first + (last - first) * number // pieces for number in range(1, pieces)]
    found: list[tuple[int, int]] = []
    places: Ints = np.searchsorted(entries["position"], wanted)
    for number in sorted(set(places.tolist())):
        if number < entries.size:
            offset, position = (int(field) for field in entries[number].tolist())
            header = batch_at(segment, position)
            indexed = segment.base_offset + offset  # the last offset of that batch, or of one behind it
            if header is not None and header.base_offset <= indexed:
                is_sure = header.base_offset + header.last_offset_delta == indexed
                found.append((position, header.base_offset if is_sure else indexed))
    return found
