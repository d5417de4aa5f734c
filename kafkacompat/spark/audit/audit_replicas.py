"""Whether replicas have the same batches: the rules, without Spark.

A checksum covers neither the base offset nor the leader epoch of a batch, so the three are compared one by one. What is
right is what most replicas have; of two, the one whose bytes have the checksum that their header says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kafkacompat.protocol.columns.varints import Ints
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.spark.audit.audit_findings import (
    MAX_FINDINGS,
    REPLICA_BASE_OFFSET,
    REPLICA_CHECKSUM,
    REPLICA_DIVERGED,
    REPLICA_EPOCH,
    REPLICA_MISSING,
    Finding,
)
from kafkacompat.spark.audit.audit_records import Suspect
from kafkacompat.spark.audit.audit_scan import Batches

BUCKET_OFFSETS = 1 << 20
"""Offsets of a partition that are compared together."""
DECODED_MAX = 100
"""Findings of a partition whose records are compared, and batches of each of them."""


class Batch(NamedTuple):
    """A batch of one replica. `is_sound`: its bytes have the checksum that its header says."""

    last: int
    crc: int
    epoch: int
    is_sound: bool


class Differing(NamedTuple):
    """A base offset at which not all replicas have the same. A replica without a batch there is not in `batches`."""

    base: int
    batches: Mapping[str, Batch]


class Compared(NamedTuple):
    """Some offsets of a partition. `last_equal`: the last base offset at which all replicas have the same."""

    equal: int
    last_equal: int
    differing: list[Differing]
    left_out: int


def compare(replicas: Sequence[str], tables: Mapping[str, Batches]) -> Compared:
    """The batches of some offsets of a partition, by replica, each in ascending order."""
    bases = np.unique(np.concatenate([table.base for table in tables.values()]))
    sample: Ints | None = None
    is_equal = np.ones(bases.size, np.bool_)
    for name in replicas:
        mine = _at(tables[name], bases) if name in tables else np.full((3, bases.size), UNKNOWN_OFFSET)
        sample = mine if sample is None else sample
        is_equal &= (mine == sample).all(axis=0) & (mine[0] != UNKNOWN_OFFSET)
    found = [
        Differing(base, {name: batch for name, table in tables.items() if (batch := _batch(table, base)) is not None})
        for base in bases[~is_equal][:MAX_FINDINGS].tolist()
    ]
    equal = bases[is_equal]
    last = int(equal[-1]) if equal.size else UNKNOWN_OFFSET
    return Compared(equal.size, last, found, max(0, bases.size - equal.size - len(found)))


def _at(table: Batches, bases: Ints) -> Ints:
    """Last offset, computed checksum and epoch of the batch at each base offset, UNKNOWN_OFFSET without one."""
    if not table.base.size:
        return np.full((3, bases.size), UNKNOWN_OFFSET)
    slot = np.minimum(np.searchsorted(table.base, bases), table.base.size - 1)
    rows: Ints = np.stack([table.last[slot], table.computed[slot], table.epoch[slot]])
    return np.where(table.base[slot] == bases, rows, UNKNOWN_OFFSET)


def _batch(table: Batches, base: int) -> Batch | None:
    slot = int(np.searchsorted(table.base, base))
    if slot == table.base.size or int(table.base[slot]) != base:
        return None
    sound = bool(table.stored[slot] == table.computed[slot])
    return Batch(int(table.last[slot]), int(table.computed[slot]), int(table.epoch[slot]), sound)


def judge(topic: str, partition: int, replicas: Sequence[str], parts: Iterable[Compared]) -> list[Finding]:
    """The findings of a partition, out of all its parts."""
    parts = list(parts)
    differing = _differing(parts)
    last_equal = max((part.last_equal for part in parts), default=UNKNOWN_OFFSET)
    reference = _reference(replicas, differing)
    found: list[Finding] = []
    for name in replicas:
        if name != reference:
            found += _joined(_of_replica(topic, partition, name, reference, differing, last_equal))
    return found


def suspects(findings: Iterable[Finding], replicas: Sequence[str], parts: Iterable[Compared]) -> list[Suspect]:
    """Of the findings of a partition those whose batches have other bytes, so that their records are to be compared."""
    differing = _differing(parts)
    reference = _reference(replicas, differing)
    return [
        Suspect(
            each, reference,
            tuple(one.base for one in differing if each.first_offset <= one.base <= each.last_offset)[:DECODED_MAX],
        )
        for each in findings
        if each.kind in (REPLICA_CHECKSUM, REPLICA_DIVERGED)
    ][:DECODED_MAX]  # fmt: skip


def _differing(parts: Iterable[Compared]) -> list[Differing]:
    return sorted((each for part in parts for each in part.differing), key=lambda each: each.base)


def _reference(replicas: Sequence[str], differing: Sequence[Differing]) -> str:
    """The replica that is with most others most often; of those the one with the fewest rotten batches."""
    votes: Counter[str] = Counter(dict.fromkeys(replicas, 0))
    for each in differing:
        for name in replicas:
            mine = each.batches.get(name)
            votes[name] += 2 * sum(each.batches.get(other) == mine for other in replicas if other != name)
            votes[name] += mine is not None and mine.is_sound
    return max(replicas, key=lambda name: votes[name])


def _of_replica(
    topic: str, partition: int, name: str, reference: str, differing: Sequence[Differing], last_equal: int
) -> Iterator[Finding]:  # fmt: skip
    mine_only = {
        each.batches[name].crc: each.base
        for each in differing
        if name in each.batches and reference not in each.batches and each.batches[name].is_sound
    }
    others = {each.batches[reference].crc for each in differing if reference in each.batches}
    behind = [each for each in differing if each.base > last_equal]
    diverged = next((each.base for each in behind if _is_other(each, name, reference, others)), None)
    if diverged is not None:
        diverged = min(each.base for each in behind if each.batches.get(name) != each.batches.get(reference))

    def finding(kind: str, first: int, last: int, detail: str) -> Finding:
        return Finding(kind, topic, partition, first, last, f"{detail}; compared with {reference}", name)

    if diverged is not None:
        there = [each for each in behind if each.base >= diverged]
        last = max(batch.last for each in there for batch in each.batches.values())
        epochs = [_epochs(there, who) for who in (name, reference)]
        yield finding(REPLICA_DIVERGED, diverged, last, f"leader epochs {epochs[0]} here, {epochs[1]} there")
    for each in differing:
        mine, theirs = each.batches.get(name), each.batches.get(reference)
        if mine == theirs or theirs is None or (diverged is not None and each.base >= diverged):
            continue  # what only this replica has is told by what it lacks, or is the diverged end
        if mine is None and theirs.crc in mine_only:
            detail = f"the batch says base offset {mine_only[theirs.crc]}"
            yield finding(REPLICA_BASE_OFFSET, each.base, theirs.last, detail)
        elif mine is None:
            yield finding(REPLICA_MISSING, each.base, theirs.last, "no batch")
        elif mine.crc != theirs.crc:
            detail = f"checksum {mine.crc:08x} in place of {theirs.crc:08x}"
            yield finding(REPLICA_CHECKSUM, each.base, theirs.last, detail)
        elif mine.epoch != theirs.epoch:
            yield finding(REPLICA_EPOCH, each.base, theirs.last, f"epoch {mine.epoch} in place of {theirs.epoch}")


def _is_other(each: Differing, name: str, reference: str, others: set[int]) -> bool:
    """Whether a replica has a sound batch that the other one has nowhere."""
    mine = each.batches.get(name)
    return mine is not None and mine.is_sound and mine.crc not in others and mine != each.batches.get(reference)


def _epochs(differing: Iterable[Differing], name: str) -> str:
    found = sorted({each.batches[name].epoch for each in differing if name in each.batches})
    return " and ".join(map(str, found)) or "none"


def _joined(findings: Iterable[Finding]) -> list[Finding]:
    """Offsets without a batch that are next to each other are one finding."""
    found: list[Finding] = []
    for each in findings:
        before = found[-1] if found else None
        if before and each.kind == before.kind == REPLICA_MISSING and each.first_offset == before.last_offset + 1:
            found[-1] = before._replace(last_offset=each.last_offset)
        else:
            found.append(each)
    return found
