"""`python -m benchmarks.spark_plan`: how long Spark's driver plans a read of log directories with many partitions.

It makes the directories of one broker, with a segment, an offset index and a time index in each partition, and plans a
batch of all of it, a batch from a time on, a micro-batch of a stream, and an audit, without Spark: the best of some
rounds, in this process, with the directories in the page cache.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.spark.audit.audit_files import find_audited
from kafkacompat.spark.log.offset_ranges import splits_of_batch
from kafkacompat.spark.log.read_options import parse
from kafkacompat.spark.log.stream_offsets import StreamOffsets

FIRST_MS = 1_700_000_000_000
BATCHES, PER_BATCH = 20, 10


def write(path: Path, partitions: int, directories: int) -> list[str]:
    """Log directories with so many partitions in all."""
    each = PER_BATCH * BATCHES
    data, index, times = b"", b"", b""
    for base in range(0, each, PER_BATCH):
        last = base + PER_BATCH - 1
        index += last.to_bytes(4) + len(data).to_bytes(4) if data else b""
        times += (FIRST_MS + last).to_bytes(8) + last.to_bytes(4)
        data += build_batch([Record(n, FIRST_MS + n, None, b"v") for n in range(base, last + 1)], base_offset=base)
    found = []
    for number in range(directories):
        folder = path / f"disk-{number}"
        folder.mkdir()
        of_folder = range(number, partitions, directories)
        for partition in of_folder:
            log = folder / f"topic-{partition % 100}-{partition // 100}"
            log.mkdir()
            for suffix, content in ((".log", data), (".index", index), (".timeindex", times)):
                (log / f"{0:020d}{suffix}").write_bytes(content)
        lines = ["0", str(len(of_folder)), *(f"topic-{n % 100} {n // 100} {each}" for n in of_folder)]
        (folder / "replication-offset-checkpoint").write_text("".join(f"{line}\n" for line in lines))
        found.append(str(folder))
    return found


def micro_batch(stream: StreamOffsets) -> int:
    """Plan the first one: where it begins, where it ends, and what it reads."""
    start = stream.initial()
    return len(stream.splits(start, stream.latest(start)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partitions", type=int, default=10_000)
    parser.add_argument("--directories", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spark-plan-") as scratch:
        directories = write(Path(scratch), given.partitions, given.directories)
        path = {"path": ",".join(directories)}
        later = str(FIRST_MS + PER_BATCH * BATCHES // 2)
        stream = StreamOffsets(parse({**path, "startingOffsets": "earliest"}, is_stream=True))
        cases: dict[str, Callable[[], object]] = {
            "a batch": lambda: len(splits_of_batch(parse(path))) == given.partitions,
            "a batch from a time on": lambda: splits_of_batch(parse({**path, "startingTimestamp": later})),
            "a micro-batch of a stream": lambda: micro_batch(stream),
            "an audit": lambda: find_audited(directories, ".*"),
        }
        for name, case in cases.items():
            best = float("inf")
            for _ in range(given.rounds):
                began_s = time.process_time()
                assert case()
                best = min(best, time.process_time() - began_s)
            print(f"{name} of {given.partitions:,} partitions: {best:.2f} CPU s", flush=True)


if __name__ == "__main__":
    main()
