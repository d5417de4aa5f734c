"""Of batches that differ between replicas, the records that do are named, and what cannot be decoded is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.spark.audit.audit_files import find_audited
from kafkacompat.spark.audit.audit_findings import REPLICA_CHECKSUM, Finding
from kafkacompat.spark.audit.audit_records import NAMED_MAX, Content, Suspect, content_of, difference, named
from tests.spark.audit.sound_log import SoundLog

DATA = 9
RECORDS = [Record(100 + n, 1000 + n, b"k%d" % n, b"v" * 20, ()) for n in range(5)]
SIZE_BYTES = (len(build_batch(RECORDS, base_offset=100)) - BATCH_OVERHEAD) // len(RECORDS)


def batch(*changes: tuple[int, int], compression: int = 0) -> bytes:
    """Offsets 100 to 104, with other bytes at some places behind the header."""
    made = build_batch(RECORDS, base_offset=100, compression=compression)
    for at, by in changes:
        made[BATCH_OVERHEAD + at] ^= by
    stamp_crc(made, 0, len(made))
    return bytes(made)


@pytest.mark.parametrize(
    ("mine", "told"),
    [
        (batch(), "no record differs"),
        (batch((SIZE_BYTES * 2 + 12, 1)), "records that differ: 102"),
        (batch((12, 1), (SIZE_BYTES * 4 + 2, 4)), "records that differ: 100, 104"),
        (batch((SIZE_BYTES * 3, 0x40)), "those from 103 on cannot be read here (record "),
        (batch((12, 1), (SIZE_BYTES * 3, 0x40)), "records that differ: 100; those from 103 on cannot be read here ("),
        (batch(compression=1), "no record differs"),
        (batch((0, 0xFF), compression=1), "those from 100 on cannot be read here ("),
    ],
)
def test_records_that_differ_are_named(mine: bytes, told: str) -> None:
    said = difference(content_of(mine), content_of(batch()))
    assert said == told or (told.endswith(("(", " ")) and said.startswith(told)), said


def test_records_of_one_side_differ_and_many_are_counted() -> None:
    one, other = Content(dict.fromkeys(range(20), 7)), Content(dict.fromkeys(range(5), 7))
    names = ", ".join(map(str, range(5, 5 + NAMED_MAX)))
    assert difference(one, other) == difference(other, one) == f"records that differ: {names} and 5 more"
    broken = Content({}, 3, "why")
    assert difference(one, broken) == ("records that differ: 0, 1, 2; those from 3 on cannot be read there (why)")


def test_only_the_batches_of_a_finding_are_decoded_and_compared(tmp_path: Path) -> None:
    log = SoundLog(tmp_path / "0")
    other = shutil.copytree(log.path, tmp_path / "1")
    first, last = log.offsets(1, DATA)
    for number in (DATA, DATA + 1):
        log.segments[1][number][-3] ^= 1
    log.write()
    jobs = {str(path): jobs for path in (log.path, other) for jobs in find_audited([str(path)], ".*").jobs.values()}
    finding = Finding(REPLICA_CHECKSUM, "orders", 0, first, last, "checksum", str(log.path))
    (found,) = named([Suspect(finding, str(other), (first,))], jobs)
    assert found == finding._replace(detail=f"checksum; records that differ: {last}")
