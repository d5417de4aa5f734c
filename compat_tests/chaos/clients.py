"""Stock clients on threads of their own: they write values that are unique, read them, and enter both into a ledger."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from compat_tests.chaos.history import INFO, OK
from compat_tests.chaos.ledger import Ledger

BATCH, BATCH_S = 500, 0.2
"""What one entry of a reader holds at most, and how long it is collected."""
COMMIT_EVERY_S = 0.5
FLUSH_TIMEOUT_S = 60.0
GIVE_UP_MS = 600_000
"""Of idempotent producers: longer than any outage. When librdkafka gives one message up it takes a new producer epoch,
in which it sends again all that is not answered yet, of all partitions: what was written before is then there twice."""
READ_TIMEOUT_S = 120.0
QUICK = {
    "reconnect.backoff.max.ms": 500,
    "topic.metadata.refresh.interval.ms": 5_000,
    "topic.metadata.propagation.max.ms": 5_000,
    "log_level": 0,
}


def key_of(topic: str, partition: int) -> str:
    return f"{topic}/{partition}"


class Writer(threading.Thread):
    """A producer that writes at a steady rate until it is told to stop, with acks=all but where the promises are tried
    that it does not have with less.

    An idempotent one retries as it likes. A plain one is to send each value once, one at a time; still librdkafka sends
    again what a leader refuses because it leads no more. An error never says that a value is surely not there.
    """

    def __init__(
        self,
        name: str,
        ledger: Ledger,
        servers: str,
        topic: str,
        partitions: int,
        *,
        rate: float,
        idempotent: bool,
        acks: str = "all",
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._ledger = ledger
        self._topic, self._partitions = topic, partitions
        self._pause_s = 1 / rate
        self._is_idempotent = idempotent
        settings = {"bootstrap.servers": servers, "acks": acks, "linger.ms": 2, **QUICK}
        if idempotent:
            settings |= {"enable.idempotence": True, "message.timeout.ms": GIVE_UP_MS}
        else:
            settings |= {
                "retries": 0, "max.in.flight": 1, "message.timeout.ms": 10_000, "request.timeout.ms": 5_000,
            }  # fmt: skip
        self._producer = Producer(settings)
        self._over = threading.Event()

    def run(self) -> None:
        number, due = 0, time.monotonic()
        while not self._over.is_set():
            number += 1
            partition = number % self._partitions
            value = f"{self.name}.{number}"
            self._send(key_of(self._topic, partition), partition, value)
            due = max(due + self._pause_s, time.monotonic() - 1)
            while (left := due - time.monotonic()) > 0:
                self._producer.poll(left)
            self._producer.poll(0)
        self._producer.flush(FLUSH_TIMEOUT_S)

    def finish(self) -> None:
        """No more; returns when all writes have ended one way or the other."""
        self._over.set()
        self.join()

    def _send(self, key: str, partition: int, value: str) -> None:
        since = time.monotonic()

        def ended(error: KafkaError | None, message: Message) -> None:
            offset = message.offset()
            self._ledger.enter(
                "send", process=self.name, key=key, value=value, end=OK if error is None else INFO,
                offset=offset if error is None and offset is not None and offset >= 0 else None,
                idempotent=self._is_idempotent, ms=round((time.monotonic() - since) * 1000, 2),
                **({"error": error.name()} if error else {}),
            )  # fmt: skip

        while not self._over.is_set():
            try:
                self._producer.produce(self._topic, value.encode(), partition=partition, on_delivery=ended)
                return
            except BufferError:
                self._producer.poll(0.1)


class Reader(threading.Thread):
    """A consumer; how it gets its partitions is for the kinds of reader to say."""

    group = ""

    def __init__(self, name: str, ledger: Ledger, servers: str, topic: str, partitions: int, seed: int) -> None:
        super().__init__(name=name, daemon=True)
        self._ledger = ledger
        self._servers, self._topic, self._partitions = servers, topic, partitions
        self._rng = random.Random(f"{seed} {name}")
        self._over = threading.Event()
        self._reads: dict[str, list[tuple[int, str]]] = {}
        self._next: dict[str, int] = {}  # offset to read next, by key

    def run(self) -> None:
        while not self._over.is_set():
            consumer = self._consumer()
            try:
                self._live(consumer)
            finally:
                self._enter()
                consumer.close()

    def finish(self) -> None:
        self._over.set()
        self.join()

    def _consumer(self) -> Consumer:
        raise NotImplementedError

    def _live(self, consumer: Consumer) -> None:
        """One life of a consumer; it ends, and another takes its place."""
        end = time.monotonic() + self._rng.uniform(10, 40)
        while not self._over.is_set() and time.monotonic() < end:
            self._collect(consumer)
            self._done(consumer)

    def _done(self, consumer: Consumer) -> None:
        """After each entry."""

    def _collect(self, consumer: Consumer) -> None:
        """Read for a moment and enter what came."""
        end, count = time.monotonic() + BATCH_S, 0
        while count < BATCH and (left := end - time.monotonic()) > 0:
            message = consumer.poll(left)
            if message is None:
                continue
            if error := message.error():
                if error.code() == KafkaError._AUTO_OFFSET_RESET:
                    self._ledger.enter("reset", process=self.name, why=error.str())
                continue
            self._take(message)
            count += 1
        self._enter()

    def _take(self, message: Message) -> None:
        key = key_of(message.topic() or "", message.partition() or 0)
        self._reads.setdefault(key, []).append((message.offset() or 0, (message.value() or b"").decode()))
        self._next[key] = (message.offset() or 0) + 1

    def _enter(self) -> None:
        if self._reads:
            self._ledger.enter("poll", process=self.name, reads=self._reads)
            self._reads = {}

    def _assigned(self, keys: Sequence[str]) -> None:
        self._enter()
        self._ledger.enter("assign", process=self.name, keys=list(keys), group=self.group)


class AssignedReader(Reader):
    """Reads all partitions; after a while it begins anew, somewhat earlier than where it was."""

    BACK = 2_000

    def _consumer(self) -> Consumer:
        consumer = Consumer(
            {
                "bootstrap.servers": self._servers, "group.id": f"not-{self.name}", "enable.auto.commit": False,
                "auto.offset.reset": "error", **QUICK,
            }
        )  # fmt: skip
        parts = []
        for partition in range(self._partitions):
            last = self._next.get(key_of(self._topic, partition), 0)
            parts.append(TopicPartition(self._topic, partition, max(0, last - self._rng.randint(0, self.BACK))))
        self._assigned([key_of(self._topic, partition) for partition in range(self._partitions)])
        consumer.assign(parts)
        return consumer


class Member(Reader):
    """A member of a group that commits what it has read; now and then it leaves, and comes back as a new one."""

    group = "chaos-group"

    def _consumer(self) -> Consumer:
        consumer = Consumer(
            {
                "bootstrap.servers": self._servers, "group.id": self.group, "enable.auto.commit": False,
                "auto.offset.reset": "earliest", "session.timeout.ms": 6_000, "heartbeat.interval.ms": 1_000,
                "partition.assignment.strategy": "range", **QUICK,
            }
        )  # fmt: skip
        self._next.clear()
        self._commit_at = time.monotonic()
        consumer.subscribe([self._topic], on_assign=self._on_assign, on_revoke=self._on_revoke, on_lost=self._on_revoke)
        return consumer

    def _on_assign(self, _: Consumer, parts: Sequence[TopicPartition]) -> None:
        self._assigned([key_of(part.topic, part.partition) for part in parts])
        self._next.clear()

    def _on_revoke(self, _: Consumer, parts: Sequence[TopicPartition]) -> None:
        self._enter()
        self._next.clear()

    def _done(self, consumer: Consumer) -> None:
        if not self._next or time.monotonic() < self._commit_at:
            return
        self._commit_at = time.monotonic() + COMMIT_EVERY_S
        offsets = dict(self._next)
        parts = []
        for key, offset in offsets.items():
            topic, _, partition = key.rpartition("/")
            parts.append(TopicPartition(topic, int(partition), offset))
        self._ledger.enter("commit", process=self.name, group=self.group, offsets=offsets, end=INFO)
        try:
            done = consumer.commit(offsets=parts, asynchronous=False) or []
        except KafkaException:
            return
        sure = {key_of(part.topic, part.partition): offsets[key_of(part.topic, part.partition)]
                for part in done if part.error is None}  # fmt: skip
        if sure:
            self._ledger.enter("commit", process=self.name, group=self.group, offsets=sure, end=OK)


def read_all(ledger: Ledger, servers: str, topic: str, partitions: int) -> int:
    """Read every partition from its beginning to its end, as the process `final`; how many values there are.

    Raises TimeoutError when that is not possible.
    """
    consumer = Consumer(
        {
            "bootstrap.servers": servers, "group.id": "not-final", "enable.auto.commit": False,
            "auto.offset.reset": "error", **QUICK,
        }
    )  # fmt: skip
    try:
        deadline = time.monotonic() + READ_TIMEOUT_S
        ends = {}
        for partition in range(partitions):
            _, ends[partition] = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=30)
        ledger.enter("assign", process="final", keys=[key_of(topic, part) for part in ends], group="")
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in ends])
        return _read_to(consumer, ledger, ends, deadline)
    finally:
        consumer.close()


def _read_to(consumer: Consumer, ledger: Ledger, ends: dict[int, int], deadline: float) -> int:
    count, open_ends = 0, {partition: end for partition, end in ends.items() if end > 0}
    while open_ends:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the end was not reached of {open_ends}")
        reads: dict[str, list[tuple[int, str]]] = {}
        for message in consumer.consume(BATCH, timeout=0.5):
            if message.error():
                continue
            partition, offset = message.partition() or 0, message.offset() or 0
            reads.setdefault(key_of(message.topic() or "", partition), []).append(
                (offset, (message.value() or b"").decode())
            )
            count += 1
            if offset + 1 >= open_ends.get(partition, 1 << 62):
                del open_ends[partition]
        if reads:
            ledger.enter("poll", process="final", reads=reads)
    return count
