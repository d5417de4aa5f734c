"""`python -m benchmarks.large_logs`: start-up, search by time and memory with a large log, and memory by partition.

The log is made without a broker. Sparse: every 64 MiB a real batch of 64 KiB, and behind it one whose header is real
and whose content is a hole; each has its entries in the indexes. Solid (`--solid`): real batches throughout. 100 GB
sparse take some megabytes of disk; solid ones take what they say.
"""

from __future__ import annotations

import argparse
import os
import random
import struct
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import cpu_seconds, median, memory_mb
from benchmarks.turns import Broker
from compat_tests.broker_process import remove_directory, scratch_directory
from kafkacompat.protocol.api_keys import CREATE_TOPICS, FETCH, LIST_OFFSETS, PRODUCE
from kafkacompat.protocol.messages import create_topics as ct
from kafkacompat.protocol.messages import fetch
from kafkacompat.protocol.messages import list_offsets as lo
from kafkacompat.protocol.messages import produce as pr
from kafkacompat.protocol.records.batch import stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.storage.producer_state import ProducerState

ROOT = Path(__file__).parent.parent
TOPIC = "large"
SEGMENT_BYTES = 1 << 30
REAL_EVERY_BYTES = 64 << 20
RECORDS_PER_BATCH, RECORD_BYTES = 64, 1000
FIRST_MS = 1_700_000_000_000
SEARCHES = 200
WRITTEN_PARTITIONS, BATCHES_PER_PARTITION = 1_000, 300
TIMESTAMPS_AT = 27
"""Where a batch has its first and its largest timestamp, after each other."""


class Writer:
    """Writes the segments of one partition, and remembers the times of its real batches."""

    def __init__(self, directory: Path, *, solid: bool) -> None:
        self._directory = directory
        self._solid = solid
        records = [Record(n, FIRST_MS, None, os.urandom(RECORD_BYTES)) for n in range(RECORDS_PER_BATCH)]
        self._real = bytearray(build_batch(records))
        self._hole = bytearray(build_batch(records)[:61])
        struct.pack_into(">i", self._hole, 8, REAL_EVERY_BYTES - len(self._real) - 12)
        self.end_offset = 0
        self.times: list[int] = []

    def write(self, total_bytes: int) -> None:
        """Write whole segments until there are so many bytes."""
        for _ in range(total_bytes // SEGMENT_BYTES):
            self._segment()
        epochs = self._directory / "leader-epoch-checkpoint"
        epochs.write_text("0\n1\n0 0\n")
        self._snapshot()

    def _snapshot(self) -> None:
        (self._directory / f"{self.end_offset:020d}.snapshot").write_bytes(ProducerState().encode())

    def _segment(self) -> None:
        self._snapshot()
        base_offset, index, time_index, position = self.end_offset, bytearray(), bytearray(), 0
        stem = self._directory / f"{base_offset:020d}"
        with stem.with_suffix(".log").open("wb") as file:
            while position + (len(self._real) if self._solid else REAL_EVERY_BYTES) <= SEGMENT_BYTES:
                position += self._batch(file, position, base_offset, self._real, len(self._real), index, time_index)
                self.times.append(FIRST_MS + self.end_offset - RECORDS_PER_BATCH)
                if not self._solid:
                    size_bytes = REAL_EVERY_BYTES - len(self._real)
                    position += self._batch(file, position, base_offset, self._hole, size_bytes, index, time_index)
            file.truncate(position)
        stem.with_suffix(".index").write_bytes(index)
        stem.with_suffix(".timeindex").write_bytes(time_index)

    def _batch(
        self,
        file: Any,
        position: int,
        base_offset: int,
        batch: bytearray,
        size_bytes: int,
        index: bytearray,
        time_index: bytearray,
    ) -> int:
        timestamp_ms = FIRST_MS + self.end_offset
        struct.pack_into(">q", batch, 0, self.end_offset)
        struct.pack_into(">qq", batch, TIMESTAMPS_AT, timestamp_ms, timestamp_ms)
        if len(batch) == size_bytes:
            stamp_crc(batch, 0, size_bytes)
        file.seek(position)
        file.write(batch)
        relative = self.end_offset + RECORDS_PER_BATCH - 1 - base_offset
        if position:
            index += struct.pack(">II", relative, position)
        time_index += struct.pack(">qI", timestamp_ms, relative)
        self.end_offset += RECORDS_PER_BATCH
        return size_bytes


def main() -> int:
    """Print one line for each number."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_logs", description=__doc__)
    parser.add_argument("--gigabytes", type=int, default=100, help="(default: %(default)s)")
    parser.add_argument("--solid", action="store_true", help="without holes")
    parser.add_argument("--partitions", action="store_true", help="memory of written partitions instead")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="whose broker (default: this one)")
    options = parser.parse_args()
    directory = scratch_directory("benchmark-large-")
    try:
        if options.partitions:
            _partitions(directory, options.checkout.resolve())
        else:
            _large(directory, options.checkout.resolve(), options.gigabytes, solid=options.solid)
    finally:
        remove_directory(directory)
    return 0


def _large(directory: Path, checkout: Path, gigabytes: int, *, solid: bool) -> None:
    broker = Broker(checkout, directory)
    _create(broker, TOPIC, 1)
    _show("an empty log", broker)
    broker.stop()
    partition = directory / f"{TOPIC}-0"
    for path in partition.glob("0*"):
        path.unlink()
    writer = Writer(partition, solid=solid)
    writer.write(gigabytes << 30)
    (directory / "recovery-point-offset-checkpoint").write_text(f"0\n1\n{TOPIC} 0 {writer.end_offset}\n")
    began = time.perf_counter()
    broker = Broker(checkout, directory)
    print(f"start: {time.perf_counter() - began:.2f} s, CPU {cpu_seconds(broker.process.pid):.2f} s")
    _show(f"{gigabytes} GiB in {gigabytes} segments", broker)
    rng = random.Random(1)
    for what, times in (
        ("the first search, at the end", writer.times[-2:-1]),
        ("searches", rng.choices(writer.times, k=SEARCHES)),
    ):
        broker.meter()
        walls, turns = [], []
        for timestamp_ms in times:
            began = time.perf_counter()
            assert _search(broker, timestamp_ms) == timestamp_ms - FIRST_MS
            walls.append((time.perf_counter() - began) * 1000)
            turns.append(broker.meter()["cpu_ms"])
        print(
            f"{what}: median {median(walls):.2f} ms; of the loop's CPU {median(turns):.2f} ms, at most {max(turns):.2f}"
        )
    _show("after them", broker)
    turns = []
    for timestamp_ms in rng.choices(writer.times, k=SEARCHES):
        broker.meter()
        _fetch(broker, timestamp_ms - FIRST_MS)
        turns.append(broker.meter()["cpu_ms"])
    print(f"fetches of 64 KiB anywhere: the loop's CPU, median {median(turns):.2f} ms")
    _show("after them", broker)
    broker.stop()


def _partitions(directory: Path, checkout: Path) -> None:
    """Resident memory a partition, with producers that are not idempotent."""
    broker = Broker(checkout, directory)
    before, _ = memory_mb(broker.process.pid)
    _create(broker, TOPIC, WRITTEN_PARTITIONS)
    created, _ = memory_mb(broker.process.pid)
    print(f"{WRITTEN_PARTITIONS} partitions: {(created - before) * 1e6 / WRITTEN_PARTITIONS:.0f} B each")
    at = created
    batch = bytes(build_batch([Record(0, FIRST_MS, None, bytes(RECORD_BYTES))]))
    parts = [pr.PartitionProduceData(index, batch) for index in range(WRITTEN_PARTITIONS)]
    for number in range(1, BATCHES_PER_PARTITION + 1):
        request = pr.ProduceRequest(acks=-1, timeout_ms=600_000, topic_data=[pr.TopicProduceData(TOPIC, b"", parts)])
        answer = broker.ask(PRODUCE, 9, request)
        assert not any(part.error_code for part in answer.responses[0].partition_responses)
        if number in (1, 10, BATCHES_PER_PARTITION):
            time.sleep(1)
            at, _ = memory_mb(broker.process.pid)
            print(f"with {number} batches of 1 KB in each: {(at - created) * 1e6 / WRITTEN_PARTITIONS:.0f} B more each")
    broker.stop()


def _create(broker: Broker, topic: str, partitions: int) -> None:
    wanted = [ct.CreatableTopic(topic, partitions, 1)]
    answer = broker.ask(CREATE_TOPICS, 7, ct.CreateTopicsRequest(topics=wanted, timeout_ms=600_000))
    assert not answer.topics[0].error_code, answer


def _search(broker: Broker, timestamp_ms: int) -> int:
    part = lo.ListOffsetsPartition(0, -1, timestamp_ms)
    answer = broker.ask(LIST_OFFSETS, 7, lo.ListOffsetsRequest(-1, 0, [lo.ListOffsetsTopic(TOPIC, [part])]))
    assert not answer.topics[0].partitions[0].error_code, answer
    offset: int = answer.topics[0].partitions[0].offset
    return offset


def _fetch(broker: Broker, offset: int) -> None:
    wanted = fetch.FetchTopic(TOPIC, partitions=[fetch.FetchPartition(0, -1, offset, partition_max_bytes=1 << 16)])
    answer = broker.ask(FETCH, 12, fetch.FetchRequest(max_wait_ms=0, min_bytes=0, topics=[wanted]))
    assert answer.responses[0].partitions[0].records, answer


def _show(what: str, broker: Broker) -> None:
    print(f"{what}: {memory_mb(broker.process.pid)[0]:.1f} MB resident", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
