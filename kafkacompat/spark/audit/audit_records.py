"""Which records differ in batches that do: the only ones that an audit of replicas decodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.records.batch import RecordBatchError, read_header
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.spark.audit.audit_findings import Finding
from kafkacompat.spark.audit.audit_scan import Scan
from kafkacompat.spark.audit.audit_segment import SegmentJob

NAMED_MAX = 10
"""Offsets that a finding names; the others are counted."""


class Suspect(NamedTuple):
    """A finding whose batches have other bytes than those of `reference`, another replica, at some base offsets."""

    finding: Finding
    reference: str
    bases: tuple[int, ...]


class Content(NamedTuple):
    """Of some batches: a hash of each record by its offset, and from where on a batch cannot be read, if one cannot."""

    records: dict[int, int]
    unreadable_from: int = UNKNOWN_OFFSET
    reason: str = ""


def named(suspects: Iterable[Suspect], jobs: Mapping[str, Sequence[SegmentJob]]) -> list[Finding]:
    """The findings with the offsets of the records that differ. jobs: the segments of each replica, of one partition.
    Raises OSError.
    """
    suspects = list(suspects)
    wanted: dict[str, set[int]] = {}
    for each in suspects:
        for replica in (each.finding.replica, each.reference):
            wanted.setdefault(replica, set()).update(each.bases)
    contents = {replica: contents_at(jobs[replica], bases) for replica, bases in wanted.items()}
    found = []
    for finding, reference, bases in suspects:
        mine, theirs = (_together(contents[replica], bases) for replica in (finding.replica, reference))
        found.append(finding._replace(detail=f"{finding.detail}; {difference(mine, theirs)}"))
    return found


def contents_at(jobs: Iterable[SegmentJob], bases: Collection[int]) -> dict[int, Content]:
    """What the batches of a log at these base offsets have. Raises OSError."""
    found: dict[int, Content] = {}
    sought = np.array(sorted(bases), np.int64)
    for job in jobs:
        segment = job.segment
        if not any(segment.base_offset <= base < segment.next_base_offset for base in bases):
            continue
        with Path(segment.path).open("rb") as file:
            for batches in Scan(segment.path, is_last=segment.is_last).batches(lambda _: None):
                for number in np.flatnonzero(np.isin(batches.base, sought)).tolist():
                    file.seek(int(batches.position[number]))
                    found.setdefault(int(batches.base[number]), content_of(file.read(int(batches.size[number]))))
    return found


def content_of(batch: bytes) -> Content:
    """The records of a batch, as far as it can be decoded."""
    found: dict[int, int] = {}
    header = read_header(batch)
    try:
        for record in read_records(batch, 0, header):
            found[record.offset] = hash((record.timestamp, record.key, record.value, tuple(record.headers)))
    except RecordBatchError as error:
        return Content(found, max(found, default=header.base_offset - 1) + 1, str(error))
    return Content(found)


def _together(contents: Mapping[int, Content], bases: Iterable[int]) -> Content:
    """Of several batches: all records, and the first place that cannot be read."""
    there = [contents[base] for base in bases if base in contents]
    records = {offset: digest for each in there for offset, digest in each.records.items()}
    first = next((each for each in there if each.reason), None)
    return Content(records) if first is None else Content(records, first.unreadable_from, first.reason)


def difference(mine: Content, theirs: Content) -> str:
    """In words: the records that are not the same in both, or only in one of them, and what cannot be read."""
    limits = [each.unreadable_from for each in (mine, theirs) if each.reason]
    both = mine.records.keys() | theirs.records.keys()
    offsets = sorted(
        at for at in both if mine.records.get(at) != theirs.records.get(at) and at < min(limits, default=at + 1)
    )
    parts = []
    if offsets:
        more = f" and {len(offsets) - NAMED_MAX} more" if len(offsets) > NAMED_MAX else ""
        parts.append(f"records that differ: {', '.join(map(str, offsets[:NAMED_MAX]))}{more}")
    for content, where in ((mine, "here"), (theirs, "there")):
        if content.reason:
            parts.append(f"those from {content.unreadable_from} on cannot be read {where} ({content.reason})")
    return "; ".join(parts) or "no record differs"
