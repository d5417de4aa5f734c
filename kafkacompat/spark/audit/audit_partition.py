"""A log as a whole: what its segments say of each other, of the checkpoints, and of the files beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.spark.audit.audit_findings import (
    LOG_START,
    MISSING_MARKER,
    MISSING_OFFSETS,
    OFFSET_INDEX,
    TIME_INDEX,
    TRUNCATED_TAIL,
    TXN_INDEX,
    Finding,
)
from kafkacompat.spark.audit.audit_order import Misplaced
from kafkacompat.spark.audit.audit_producers import LogProducers, Range, intersects
from kafkacompat.spark.audit.audit_segment import SegmentJob, SegmentResult
from kafkacompat.storage.errors import CorruptSnapshotError
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.index import CorruptIndexError
from kafkacompat.storage.producer_snapshots import SNAPSHOT_SUFFIX
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.txn_index import TxnIndex


class PartitionAudit:
    """The findings of a partition out of those of its segments, in their order."""

    def __init__(self, jobs: Sequence[SegmentJob]) -> None:
        self._jobs = jobs
        self._facts = jobs[0].facts
        self._producers = LogProducers(self._facts.cleaned_until)
        self._blind: list[Range] = []
        self._found: list[Finding] = []
        self.more: Counter[str] = Counter()
        self.totals: Counter[str] = Counter()

    def findings(self, results: Sequence[SegmentResult]) -> list[Finding]:
        """All findings, none of which is another's consequence."""
        there = [(job, result) for job, result in zip(self._jobs, results, strict=True) if not result.is_gone]
        for job, result in there:
            self._segment(job, result)
        if there:
            self._tail(*there[-1])
        return list(dict.fromkeys(_without_consequences(self._found, self._blind)))

    def _segment(self, job: SegmentJob, result: SegmentResult) -> None:
        self._found += result.findings
        self.more.update(result.more)
        self._blind += result.blind
        for each in self._producers.then(result.ends, self._blind):
            self._note(job, each)
        self._found += self._txn_index(job)
        self._compare_snapshot(job, result.end_offset)
        self.totals.update(
            segments=1, batches=result.traffic.batches, records=result.traffic.records,
            size_bytes=result.traffic.size_bytes,
        )  # fmt: skip

    def _note(self, job: SegmentJob, each: Misplaced) -> None:
        facts = self._facts
        self._found.append(
            Finding(
                each.kind, facts.topic, facts.partition, each.first_offset, each.last_offset, each.detail,
                facts.directory, job.segment.path, each.position,
            )
        )  # fmt: skip

    def _compare_snapshot(self, job: SegmentJob, end_offset: int) -> None:
        """A producer snapshot at the end of a segment knows which transactions are open there."""
        path = Path(job.segment.path).parent / f"{end_offset:020d}{SNAPSHOT_SUFFIX}"
        try:
            known = ProducerState.decode(path.read_bytes(), end_offset).entries
        except (CorruptSnapshotError, OSError):
            return
        for producer_id, since in self._producers.open().items():
            entry = known.get(producer_id)
            if entry is None or entry.transaction_first_offset == UNKNOWN_OFFSET:
                detail = f"{path.name} says that the transaction of producer {producer_id}, open since offset {since}, "
                self._note(job, Misplaced(MISSING_MARKER, since, end_offset - 1, f"{detail}has ended"))
                self._producers.close(producer_id)

    def _txn_index(self, job: SegmentJob) -> Iterator[Finding]:
        """The transactions that were aborted in a segment, by its index and by its markers."""
        segment, facts = job.segment, self._facts
        path = Path(segment.path).with_suffix(TxnIndex.suffix)
        aborted = {
            (each.producer_id, each.first_offset, each.last_offset)
            for each in self._producers.aborted
            if segment.base_offset <= each.last_offset < segment.next_base_offset
        }
        try:
            index = TxnIndex.load(RealFs(), str(path.with_suffix("")), segment.base_offset) if path.exists() else None
            entries = {entry[1:4] for entry in index.entries()} if index is not None else set()
        except (CorruptIndexError, OSError) as error:
            yield self._of_txn_index(path, segment.base_offset, str(error))
            return
        markers = {(producer_id, last) for producer_id, _, last in aborted}
        for producer_id, first, last in sorted(entries - aborted):
            began_before = (producer_id, UNKNOWN_OFFSET, last) in aborted and first < self._jobs[0].segment.base_offset
            if not (began_before or last < facts.cleaned_until or intersects(self._blind, first, last)):
                what = "other offsets" if (producer_id, last) in markers else "no abort marker"
                yield self._of_txn_index(path, last, f"producer {producer_id}, offsets {first} to {last}: {what}")
        for producer_id, first, last in sorted(aborted - entries):
            is_listed = any((producer_id, last) == (entry[0], entry[2]) for entry in entries)
            if first != UNKNOWN_OFFSET and not is_listed and last >= facts.cleaned_until:
                yield self._of_txn_index(path, last, f"producer {producer_id}, offsets {first} to {last}: no entry")

    def _of_txn_index(self, path: Path, offset: int, detail: str) -> Finding:
        facts = self._facts
        return Finding(TXN_INDEX, facts.topic, facts.partition, offset, offset, detail, facts.directory, str(path))

    def _tail(self, job: SegmentJob, result: SegmentResult) -> None:
        """Whether the log reaches as far as the checkpoints say."""
        facts, end = self._facts, result.end_offset
        committed = max(facts.high_watermark, facts.recovery_point)
        self.totals["torn_bytes"] += result.torn_bytes
        self.totals["open_transactions"] += len(self._producers.open())
        if end < committed:
            name = "high watermark" if committed == facts.high_watermark else "recovery point"
            detail = f"the log ends at offset {end}, and its {name} is {committed}"
            self._found = [each for each in self._found if not _is_behind(each, job, result)]
            self._note(job, Misplaced(TRUNCATED_TAIL, end, committed - 1, detail, result.end_position))
        elif facts.log_start_offset > end:
            detail = f"the log start offset is {facts.log_start_offset}, and the log ends at offset {end}"
            self._note(job, Misplaced(LOG_START, end, facts.log_start_offset - 1, detail))

    def summary(self, results: Sequence[SegmentResult]) -> dict[str, Any]:
        """What is known of the partition, for pages."""
        facts = self._facts
        codecs, times = (_sums(getattr(result.traffic, name) for result in results) for name in ("codecs", "times"))
        return {
            "topic": facts.topic, "partition": facts.partition, "replica": facts.directory,
            "first_offset": self._jobs[0].segment.base_offset, "end_offset": results[-1].end_offset,
            "log_start_offset": facts.log_start_offset, "high_watermark": facts.high_watermark,
            **{name: self.totals[name] for name in ("segments", "batches", "records", "size_bytes")},
            "codecs": codecs, "times": times,
        }  # fmt: skip


def _sums(parts: Iterable[Mapping[Any, tuple[int, int]]]) -> dict[Any, list[int]]:
    """Sums of bytes and records by key."""
    sums: dict[Any, list[int]] = {}
    for part in parts:
        for key, (size, records) in part.items():
            before = sums.get(key, [0, 0])
            sums[key] = [before[0] + size, before[1] + records]
    return sums


def _is_behind(finding: Finding, job: SegmentJob, result: SegmentResult) -> bool:
    """Whether an entry of an index names what a truncated log lost."""
    if Path(finding.file).stem != Path(job.segment.path).stem:
        return False
    behind = finding.kind == OFFSET_INDEX and finding.position >= result.end_position
    return behind or (finding.kind in (TIME_INDEX, TXN_INDEX) and finding.last_offset >= result.end_offset)


def _without_consequences(found: Sequence[Finding], blind: Sequence[Range]) -> Iterator[Finding]:
    """A marker that is gone leaves an offset without a batch; and offsets of which nothing is known may have had it."""
    markers = [each for each in found if each.kind == MISSING_MARKER]
    gone: dict[Finding, Finding] = {}
    for gap in found:
        if gap.kind == MISSING_OFFSETS and gap.first_offset == gap.last_offset:
            for marker in markers:
                if marker.first_offset <= gap.first_offset <= marker.last_offset:
                    gone.setdefault(marker, gap)
    for each in found:
        if each.kind == MISSING_MARKER and each in gone:
            gap = gone[each]
            yield gap._replace(kind=MISSING_MARKER, detail=each.detail)
        elif each.kind == MISSING_MARKER and intersects(blind, each.first_offset, each.last_offset):
            continue
        elif each not in gone.values():
            yield each
