"""`python -m benchmarks.loading`: how long the loop of a broker stands still while it loads the commits of its groups.

A partition of __consumer_offsets is filled, and then loaded by a broker that is already serving, as after an election.
A turn is what the broker does between two looks at its sockets. Times are CPU times, which a busy machine leaves alone.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from kafkacompat.broker.broker import Broker
from kafkacompat.broker.connection import Connection
from kafkacompat.broker.coordinator.coordinators import GROUP_TOPIC
from kafkacompat.broker.coordinator.group.records import batch_of
from kafkacompat.config import BrokerConfig, development_defaults
from kafkacompat.now import Now
from kafkacompat.protocol.constants import ACKS_ALL
from kafkacompat.protocol.headers import RequestHeader, encode_request_header
from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey, OffsetCommitValue
from kafkacompat.protocol.messages import find_coordinator
from kafkacompat.replication.metadata.image import Endpoint
from kafkacompat.replication.partition import Partition
from kafkacompat.server.clock import SystemClock
from kafkacompat.storage.fs import RealFs

COMMITS = 500_000
PARTITIONS_OF_A_COMMIT = 10
PARTITIONS_OF_A_GROUP = 100
GROUP = "group-0"
SHAPES = {"of as many partitions": 10**9, "of 1,000 partitions, over and over": 1_000}
"""Commits, and of how many partitions that groups read they are."""


def started(data_dir: str, settings: Mapping[str, str] | None = None) -> tuple[Broker, Partition]:
    """A lone broker that serves and has the groups' topic, with one partition."""
    given = {"node.id": "1", "offsets.topic.num.partitions": "1", **(settings or {})}
    config = BrokerConfig.from_sources({}, given, development_defaults(1))
    now = SystemClock().now()
    endpoints = [Endpoint("PLAINTEXT", "localhost", 9092)]
    broker = Broker.open(
        config=config, fs=RealFs(), data_dir=data_dir, endpoints=endpoints, now=now, rng=random.Random(1)
    )
    broker.begin(None, now)
    asked: list[object] = [encode_request_header(RequestHeader(find_coordinator.API_KEY, 2, 1, "benchmark"))]
    find_coordinator.encode_request(find_coordinator.FindCoordinatorRequest(GROUP), 2, asked)
    frame = b"".join(bytes(part) for part in asked)  # type: ignore[call-overload]
    broker.dispatch(frame, Connection(1, "127.0.0.1", "PLAINTEXT"), now, lambda _parts: None)
    broker.flusher.flush_inline(now)
    partition = broker.partitions.get(GROUP_TOPIC, 0)
    assert partition is not None
    return broker, partition


def fill(partition: Partition, commits: int, keys: int, now: Now, every: int = 1) -> None:
    """Append commits to the log as requests of several partitions each do; of `every` so many one is written."""
    for first in range(0, commits, PARTITIONS_OF_A_COMMIT * every):
        records = []
        for number in range(first, min(first + PARTITIONS_OF_A_COMMIT * every, commits), every):
            group, index = divmod(number % keys, PARTITIONS_OF_A_GROUP)
            key = OffsetCommitKey(f"group-{group}", "orders", index)
            records.append((key, OffsetCommitValue(number, -1, "", now.wall_ms)))
        partition.append(memoryview(batch_of(records, now.wall_ms)), ACKS_ALL, now, internal=True)


def turns_of(broker: Broker, partition: Partition) -> list[float]:
    """Load anew; the CPU time of each turn in ms."""
    clock = SystemClock()
    broker.groups.on_resigned(partition, clock.now())
    gc.collect()
    gc.freeze()  # as `kafkacompat serve` does after its start
    turns = []
    since = time.thread_time()
    broker.groups.on_elected(partition, clock.now())
    while True:
        turns.append((time.thread_time() - since) * 1000)
        if not is_loading(broker):
            return turns
        since = time.thread_time()
        broker.timers.run(clock.now())


def is_loading(broker: Broker) -> bool:
    return isinstance(
        broker.groups.read(GROUP, lambda _shard: "", lambda error_code: error_code, SystemClock().now()), int
    )


def main() -> int:
    """Prints a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loading", description=__doc__)
    parser.add_argument("--commits", type=int, default=COMMITS, help="in the log (default: %(default)s)")
    commits = parser.parse_args().commits
    print("| commits loaded | turns | s in all | median turn, ms | longest turn, ms |\n|---|--:|--:|--:|--:|")
    for shape, keys in SHAPES.items():
        with tempfile.TemporaryDirectory(prefix="kafkacompat-loading-") as root:
            broker, partition = started(str(Path(root) / "data"))
            fill(partition, commits, keys, SystemClock().now())
            turns = turns_of(broker, partition)
            broker.close(SystemClock().now(), clean=False)
        middle = statistics.median(turns)
        print(f"| {commits:,} {shape} | {len(turns):,} | {sum(turns) / 1000:.1f} | {middle:.1f} | {max(turns):.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
