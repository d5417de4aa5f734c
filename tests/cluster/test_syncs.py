"""No fsync holds the loop up: what comes again and again is synced on other threads, of a lone broker and of three.

DECISIONS.md names what is left: an election or a registration, which a machine that stalls may bring about.
"""

from __future__ import annotations

import os
import threading
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from kafkacompat import Cluster
from tests.waiting import wait_until

DEADLINE_S = 60
RARE = ("raft/quorum_state.py", "storage/durability_marker.py")
LOOP_THREAD = "kafkacompat"
ROUNDS = 3
RECORDS = 150
CONFIG = {
    "replica.high.watermark.checkpoint.interval.ms": 50,
    "log.flush.scheduler.interval.ms": 50,
    "log.segment.delete.delay.ms": 0,
    "metadata.log.max.record.bytes.between.snapshots": 1_500,
}


class Syncs:
    """What is synced, by the file's name, and where the loop did it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.on_loop: list[str] = []
        self.elsewhere: Counter[str] = Counter()
        self.is_watching = False
        for name in ("fsync", "fdatasync"):
            if hasattr(os, name):
                monkeypatch.setattr(os, name, self._watched(getattr(os, name)))

    def _watched(self, sync: Callable[[int], None]) -> Callable[[int], None]:
        def call(fd: int) -> None:
            if self.is_watching:
                path = Path(f"/proc/self/fd/{fd}").readlink()
                stack = "".join(traceback.format_stack(limit=12))
                if threading.current_thread().name != LOOP_THREAD:
                    self.elsewhere[path.name] += 1
                elif not any(name in stack for name in RARE):
                    self.on_loop.append(f"{path}\n{stack}")
            sync(fd)

        return call

    def count(self, part: str) -> int:
        return sum(count for name, count in self.elsewhere.items() if part in name)


def work(servers: str, replicas: int) -> None:
    """Topics come and go, one of them under a name that was there just now; records are written, read and committed."""
    settings = {"bootstrap.servers": servers, "allow.auto.create.topics": False}
    admin, producer = AdminClient(settings), Producer({**settings, "linger.ms": 0})
    for n in range(ROUNDS):
        name = f"t{n}"
        config = {"segment.bytes": str(1 << 20), "flush.messages": "20"}
        topics = [NewTopic(name, 2, replicas, config=config), NewTopic("again", 2, replicas)]
        for created in admin.create_topics(topics).values():
            created.result(DEADLINE_S)
        for _ in range(RECORDS):
            producer.produce(name, bytes(20_000))
        producer.produce("again", b"x")
        assert producer.flush(DEADLINE_S) == 0
        consumer = Consumer({**settings, "group.id": "g", "auto.offset.reset": "earliest"})
        consumer.subscribe([name])
        seen: list[object] = []
        wait_until(lambda: seen.extend(consumer.consume(RECORDS, 0.1)) or len(seen) >= RECORDS)  # noqa: B023
        consumer.commit(asynchronous=False)
        consumer.close()
        for deleted in admin.delete_topics(["again", name]).values():
            deleted.result(DEADLINE_S)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the names of files are asked of Linux")
@pytest.mark.parametrize("brokers", [1, 3])
def test_nothing_that_comes_again_is_synced_on_the_loop(
    brokers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    syncs = Syncs(monkeypatch)
    with Cluster(brokers=brokers, data_dir=tmp_path / "data", config=CONFIG) as kafka:
        syncs.is_watching = True
        work(kafka.bootstrap_servers, brokers)
        kinds = ("recovery-point", "replication-offset", ".checkpoint.part", ".log", ".timeindex", "partition.metadata")
        wait_until(lambda: syncs.on_loop or all(syncs.count(kind) >= 2 for kind in kinds))
        syncs.is_watching = False
    assert syncs.on_loop == []
