"""`python -m benchmarks.spark_audit`: how fast `audit log` reads segments, in GB a CPU second of its Python side.

One segment for each size of batch, with both indexes and an idempotent producer; what a task of Spark does with it, in
this process: the best of some rounds. Reading, checksums and all rules are in it; nothing is decoded.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from benchmarks.spark_bars import AUDIT_GB
from benchmarks.spark_run import SparkRun, add_out
from kafkacompat.protocol.records.batch import stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.spark.audit.audit_files import find_audited
from kafkacompat.spark.audit.audit_partition import PartitionAudit
from kafkacompat.spark.audit.audit_segment import audit_segment

FIRST_MS = 1_700_000_000_000
INDEX_INTERVAL_BYTES = 4096
CASES = ((1000, 16), (100, 150), (100, 10), (100, 1))
"""Bytes of a value, and records of a batch."""


def write_log(path: Path, value_bytes: int, per_batch: int, size_bytes: int) -> int:
    """A log directory with one sound segment. Returns its size in bytes."""
    folder = path / "orders-0"
    folder.mkdir(parents=True)
    (path / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=x\n")
    records = [Record(n, FIRST_MS + n, None, bytes(value_bytes), ()) for n in range(per_batch)]
    batch = build_batch(records, leader_epoch=0, producer_id=5, producer_epoch=0, base_sequence=0)
    index, times = bytearray(), bytearray()
    position = since = base = 0
    with (folder / f"{0:020d}.log").open("wb") as file:
        while position < size_bytes:
            last = base + per_batch - 1
            batch[0:8], batch[53:57] = base.to_bytes(8), base.to_bytes(4)
            batch[27:35], batch[35:43] = (FIRST_MS + base).to_bytes(8), (FIRST_MS + last).to_bytes(8)
            stamp_crc(batch, 0, len(batch))
            if since > INDEX_INTERVAL_BYTES:
                index += last.to_bytes(4) + position.to_bytes(4)
                times += (FIRST_MS + last).to_bytes(8) + last.to_bytes(4)
                since = 0
            file.write(batch)
            position, since, base = position + len(batch), since + len(batch), base + per_batch
    (folder / f"{0:020d}.index").write_bytes(index)
    (folder / f"{0:020d}.timeindex").write_bytes(times)
    return position


def audited_s(path: Path) -> float:
    """CPU seconds of an audit, which has to find nothing."""
    began = time.process_time()
    for jobs in find_audited([str(path)], ".*").jobs.values():
        assert PartitionAudit(jobs).findings([audit_segment(job) for job in jobs]) == []
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    add_out(parser)
    given = parser.parse_args()
    run = SparkRun(given)
    rates: list[float] = []
    for value_bytes, per_batch in CASES:
        with tempfile.TemporaryDirectory(prefix="spark-audit-") as scratch:
            path = Path(scratch, "data")
            size = write_log(path, value_bytes, per_batch, given.megabytes * 1_000_000)
            best = min(audited_s(path) for _ in range(given.rounds))
            rates.append(size / best / 1e9)
            batches = f"{per_batch} records of {value_bytes} B in a batch"
            run.keep(batches, gb_a_cpu_second=rates[-1])
            print(f"{batches}: {rates[-1]:.2f} GB a CPU second", flush=True)
    run.judge(AUDIT_GB, rates[0])
    run.write()


if __name__ == "__main__":
    main()
