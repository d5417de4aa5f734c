"""Each difference between replicas is found as what it is, in the replica that has it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, stamp_crc
from kafkacompat.spark.audit.audit_files import find_audited
from kafkacompat.spark.audit.audit_findings import OF_REPLICAS, Finding
from kafkacompat.spark.audit.audit_replica_dirs import buckets, joined
from kafkacompat.spark.audit.audit_replicas import compare, judge, suspects
from kafkacompat.spark.audit.audit_scan import Batches
from tests.spark.audit.sound_log import SoundLog

Fault = Callable[[SoundLog], tuple[str, int, int]]
DATA = 9


def tables(replicas: list[Path], end: int) -> dict[int, list[tuple[str, Batches]]]:
    """What Spark's tasks read, one after the other."""
    by_bucket: dict[int, list[tuple[str, Batches]]] = {}
    for path in replicas:
        for jobs in find_audited([str(path)], ".*").jobs.values():
            for job in jobs:
                for bucket, batches in buckets(job, 0, end):
                    by_bucket.setdefault(bucket, []).append((str(path), batches))
    return by_bucket


def findings(replicas: list[Path], end: int) -> list[Finding]:
    """What Spark's tasks do, one after the other."""
    names = [str(path) for path in replicas]
    return judge("orders", 0, names, [compare(names, joined(each)) for each in tables(replicas, end).values()])


def flip(log: SoundLog, at: int, *, has_right_crc: bool = False) -> tuple[int, int]:
    batch = log.segments[1][DATA]
    found = log.offsets(1, DATA)
    batch[at] ^= 1
    if has_right_crc:
        stamp_crc(batch, 0, len(batch))
    log.write()
    return found


def rotten(log: SoundLog) -> tuple[str, int, int]:
    return "replica-checksum", *flip(log, BATCH_OVERHEAD + 20)


def other_batch(log: SoundLog) -> tuple[str, int, int]:
    return "replica-checksum", *flip(log, BATCH_OVERHEAD + 20, has_right_crc=True)


def other_epoch(log: SoundLog) -> tuple[str, int, int]:
    return "replica-epoch", *flip(log, 15)


def other_base_offset(log: SoundLog) -> tuple[str, int, int]:
    return "replica-base-offset", *flip(log, 6)


def lost_batches(log: SoundLog) -> tuple[str, int, int]:
    found = log.offsets(1, DATA)[0], log.offsets(1, DATA + 1)[1]
    del log.segments[1][DATA : DATA + 2]
    log.write()
    return "replica-missing", *found


def lost_end(log: SoundLog) -> tuple[str, int, int]:
    found = log.offsets(2, 5)[0], log.end - 1
    del log.segments[2][5:]
    log.write()
    return "replica-missing", *found


def diverged(log: SoundLog) -> tuple[str, int, int]:
    found = log.offsets(2, 5)[0], log.end - 1
    for batch in log.segments[2][5:]:
        batch[15] = 2
        batch[30] ^= 1
        stamp_crc(batch, 0, len(batch))
    log.write()
    return "replica-diverged", *found


FAULTS = (rotten, other_batch, other_epoch, other_base_offset, lost_batches, lost_end, diverged)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_difference_is_found_as_what_it_is(fault: Fault, number: int, count: int, tmp_path: Path) -> None:
    log = SoundLog(tmp_path / "0")
    replicas = [tmp_path / str(n) for n in range(count)]
    for path in replicas[1:]:
        shutil.copytree(log.path, path)
    assert findings(replicas, log.end) == []
    due = fault(log)
    if number:  # the damaged one is not the first
        shutil.move(log.path, tmp_path / "damaged")
        shutil.move(replicas[number], log.path)
        shutil.move(tmp_path / "damaged", replicas[number])
    found = findings(replicas, log.end)
    if fault is other_base_offset and count == 2:  # of two replicas nobody knows which one is right
        assert [each.kind for each in found] == ["replica-base-offset"]
        return
    assert [(each.kind, each.first_offset, each.last_offset) for each in found] == [due], "\n".join(map(str, found))
    if count == 3 or fault is rotten:
        assert found[0].replica == str(replicas[number])


@pytest.mark.parametrize(
    ("fault", "count"), [(rotten, 1), (other_batch, 1), (diverged, 15), (other_epoch, 0), (lost_end, 0)]
)
def test_records_are_compared_where_batches_have_other_bytes(fault: Fault, count: int, tmp_path: Path) -> None:
    log = SoundLog(tmp_path / "0")
    names = [str(log.path), *(str(shutil.copytree(log.path, tmp_path / str(n))) for n in (1, 2))]
    _, first, last = fault(log)
    parts = [compare(names, joined(each)) for each in tables([Path(name) for name in names], log.end).values()]
    found = suspects(judge("orders", 0, names, parts), names, parts)
    assert [(each.finding.replica, each.reference) for each in found] == [(names[0], names[1])] * bool(count)
    for each in found:
        assert (each.finding.first_offset, each.finding.last_offset, len(each.bases)) == (first, last, count)
        assert each.bases[0] == first


def test_each_kind_has_a_fault(tmp_path: Path) -> None:
    assert {fault(SoundLog(tmp_path / fault.__name__))[0] for fault in FAULTS} == set(OF_REPLICAS)


def test_epochs_of_a_diverged_end_are_named(tmp_path: Path) -> None:
    log = SoundLog(tmp_path / "0")
    others = [shutil.copytree(log.path, tmp_path / str(n)) for n in (1, 2)]
    diverged(log)
    (found,) = findings([log.path, *others], log.end)
    assert found.detail == f"leader epochs 2 here, 3 there; compared with {others[0]}"
