"""A year of a broker with the default retention: the disk holds about the last week, whatever was written before.

The clock is moved half a week at a time. Before each step a producer writes to topics of all cleanup policies, one
transaction is committed, and a consumer reads what is new and commits. Records that are older than `retention.ms` go,
and compacted topics keep the last record of each key, those of group and transaction coordinators among them.
"""

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from confluent_kafka import Consumer, Producer, TopicPartition

from kafkacompat import Cluster
from tests.waiting import pause

STEP_DAYS = 3.5
STEPS_A_WEEK = 2
KEPT_DAYS = 8
"""The default of `retention.ms` and a day more."""
SEGMENT_BYTES = 1 << 20
METADATA_SEGMENT_BYTES = 8 << 20
INTERNAL_PARTITIONS = 2
VALUE_BYTES = 50_000
KEYS = 4
POLICIES = ("delete", "delete", "compact", "compact,delete")
PATIENCE_S = SMALL_WITHIN_S = 60
READ_S = 0.05
"""How long a read waits for more, as nobody knows how much compaction has left."""
CONFIG = {
    "log.segment.delete.delay.ms": 0,
    "log.cleaner.backoff.ms": 100,
    "log.segment.bytes": SEGMENT_BYTES,
    "metadata.log.segment.bytes": METADATA_SEGMENT_BYTES,
    "offsets.topic.num.partitions": INTERNAL_PARTITIONS,
    "offsets.topic.segment.bytes": SEGMENT_BYTES,
    "transaction.state.log.num.partitions": INTERNAL_PARTITIONS,
    "transaction.state.log.segment.bytes": SEGMENT_BYTES,
}
"""Files go at once, since the minute that they wait is real time."""


class Year(NamedTuple):
    """The size of a run: weeks, topics, the bytes that are written to each of them in a week, and how often the
    consumer commits in half a week.
    """

    weeks: int = 52
    topics: int = 8
    topic_bytes: int = 800_000
    commits: int = 20


def run(year: Year, data_dir: Path) -> Iterator[str]:
    """What was seen, a line for each quarter of the run. Raises AssertionError when a directory holds too much."""
    topics = {
        f"t{number}": {"partitions": 1, "configs": {"cleanup.policy": POLICIES[number % len(POLICIES)]}}
        for number in range(year.topics)
    }
    written_bytes, quarter = 0, max(1, year.weeks * STEPS_A_WEEK // 4)
    with Cluster(topics=topics, config=CONFIG, data_dir=str(data_dir)) as kafka:
        clients = _Clients(kafka, list(topics))
        try:
            for step in range(1, year.weeks * STEPS_A_WEEK + 1):
                written_bytes += clients.half_a_week(year)
                largest = _wait_until_small(data_dir, year)
                kafka.clock.advance(days=STEP_DAYS)
                if step % quarter == 0:
                    total_mb, (size_bytes, name) = sum(sizes(data_dir).values()) / 1e6, largest
                    yield (
                        f"week {step / STEPS_A_WEEK:.0f}: {written_bytes / 1e6:.0f} MB written, "
                        f"{total_mb:.1f} MB on disk; before the clock went on "
                        f"at most {size_bytes / 1e6:.2f} MB in {name}"
                    )
            clients.check_offsets()
        finally:
            clients.close()


def sizes(data_dir: Path) -> "Counter[str]":
    """Bytes by directory of a partition, without files that only wait for their removal, and checkpoints."""
    found: Counter[str] = Counter()
    for path in data_dir.glob("*-*/*"):
        try:
            if not path.name.endswith(".deleted"):
                found[path.parent.name] += path.stat().st_size
        except FileNotFoundError:
            continue
    return found


def limit_bytes(year: Year, name: str) -> int:
    """What a partition may have: eight days' worth and two segments."""
    if name.startswith("__cluster_metadata"):
        return 2 * METADATA_SEGMENT_BYTES
    is_internal = name.startswith("__")
    return 2 * SEGMENT_BYTES + (0 if is_internal else year.topic_bytes * KEPT_DAYS // 7)


def _wait_until_small(data_dir: Path, year: Year) -> tuple[int, str]:
    """The largest directory, once all are below their limits: compaction takes real time."""
    deadline_s = time.monotonic() + SMALL_WITHIN_S
    while True:
        found = sizes(data_dir)
        large = {name: size for name, size in found.items() if size > limit_bytes(year, name)}
        if not large:
            return max((size, name) for name, size in found.items())
        assert time.monotonic() < deadline_s, large
        pause()


class _Clients:
    """A producer, one of transactions, and a consumer of all topics that commits."""

    def __init__(self, kafka: Cluster, topics: list[str]) -> None:
        servers = {"bootstrap.servers": kafka.bootstrap_servers}
        self._kafka, self._topics = kafka, topics
        self._producer = Producer({**servers, "linger.ms": 5})
        self._transactions = Producer({**servers, "transactional.id": "payments"})
        self._transactions.init_transactions(PATIENCE_S)
        self._consumer = Consumer({**servers, "group.id": "g", "enable.auto.commit": False})
        self._consumer.assign([TopicPartition(topic, 0, 0) for topic in topics])

    def half_a_week(self, year: Year) -> int:
        """Write, read and commit what comes in that time. Returns the bytes written."""
        count = year.topic_bytes // STEPS_A_WEEK // VALUE_BYTES
        now_ms = self._kafka.clock.view.wall_ms
        self._transactions.begin_transaction()
        for topic in self._topics:
            self._transactions.produce(topic, b"paid", key=b"transaction", timestamp=now_ms)
            for number in range(count):
                value = bytes(VALUE_BYTES)
                self._producer.produce(topic, value, b"%d" % (number % KEYS), timestamp=now_ms, on_delivery=self._sent)
            self._producer.poll(0)
        assert self._producer.flush(PATIENCE_S) == 0
        self._transactions.commit_transaction(PATIENCE_S)
        self._read(year.commits)
        return len(self._topics) * count * VALUE_BYTES

    def _sent(self, error: object, message: object) -> None:
        assert error is None, (error, message)

    def _read(self, commits: int) -> None:
        """Read all that is new and was not compacted before, and commit the positions so many times."""
        parts = [TopicPartition(topic, 0) for topic in self._topics]
        ends = [self._consumer.get_watermark_offsets(part, PATIENCE_S)[1] for part in parts]
        deadline_s = time.monotonic() + PATIENCE_S
        while behind := self._behind(parts, ends):
            assert time.monotonic() < deadline_s, f"nothing more was read of {behind}"
            if some := self._consumer.consume(100, READ_S):
                assert not [message.error() for message in some if message.error()]
                deadline_s = time.monotonic() + PATIENCE_S
        positions = self._consumer.position(parts)
        for _ in range(commits):
            self._consumer.commit(offsets=positions, asynchronous=False)

    def _behind(self, parts: list[TopicPartition], ends: list[int]) -> list[str]:
        """The topics that are not read to their ends yet, which are markers of transactions."""
        positions = self._consumer.position(parts)
        return [found.topic for found, end in zip(positions, ends, strict=True) if found.offset < end - 1]

    def check_offsets(self) -> None:
        """The offsets that were committed last are still there, and where the logs end but for markers."""
        parts = [TopicPartition(topic, 0) for topic in self._topics]
        for found in self._consumer.committed(parts, PATIENCE_S):
            end = self._consumer.get_watermark_offsets(found, PATIENCE_S)[1]
            assert end - 1 <= found.offset <= end, (found, end)

    def close(self) -> None:
        """Close the consumer; the producers have nothing left."""
        self._consumer.close()
