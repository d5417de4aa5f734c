"""A topic is copied in transactions while the broker and the copying client are killed: each record arrives once.

Clients read, process and write with their offsets in the transaction. Killed at any moment, in turn with the broker,
they go on where the last committed transaction ended.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from compat_tests.broker_process import Broker
from compat_tests.clients.confluent_kafka import using
from compat_tests.clients.exactly_once.copying import CLIENTS
from compat_tests.clients.java_tools import tools as java
from compat_tests.clients.samples import Patience

pytestmark = pytest.mark.api("InitProducerId", "TxnOffsetCommit", "EndTxn")

PARTITIONS = 2
PER_TRANSACTION = 5
FEED_S = 0.02
"""The time between two records that are fed to the source."""
KILLS, KILLS_IN_FULL = 4, 50
COPIER = "org.apache.kafka.tools.TransactionalMessageCopier"
CONFIG = {
    "group.min.session.timeout.ms": "500",
    "group.initial.rebalance.delay.ms": "0",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
}

Command = Callable[[str, str, str, str, int], tuple[Sequence[str], str]]
"""Bootstrap servers, source, target, group and partition -> the command of a copier, and its input."""


def python_copier(client: str) -> Command:
    def command(servers: str, source: str, target: str, group: str, _partition: int) -> tuple[Sequence[str], str]:
        job = {
            "bootstrap_servers": servers, "source": source, "target": target, "group": group,
            "transactional_id": group + "-copier", "per_transaction": PER_TRANSACTION,
        }  # fmt: skip
        return [sys.executable, "-m", "compat_tests.clients.exactly_once.copying", client], json.dumps(job)

    return command


def java_copier(servers: str, source: str, target: str, group: str, partition: int) -> tuple[Sequence[str], str]:
    """The copier of Kafka's own system tests. It ends when it has read what was there at its start."""
    return java.command(
        COPIER, "--broker-list", servers, "--input-topic", source, "--input-partition", str(partition),
        "--output-topic", target, "--consumer-group", group, "--transactional-id", f"{group}-copier-{partition}",
        "--transaction-size", str(PER_TRANSACTION), "--transaction-timeout", "10000", "--enable-random-aborts",
        "--use-group-metadata",
    ), ""  # fmt: skip


COPIERS: dict[str, tuple[Command, int]] = {
    **{client: (python_copier(client), PARTITIONS) for client in CLIENTS},
    "java": (java_copier, 1),
}
"""With the number of partitions that a copier copies."""


class Copier:
    """One copying program, started again whenever it has ended. Its output is in a file."""

    def __init__(self, command: Sequence[str], told: str, log: Path) -> None:
        self._command, self._told, self._log = command, told, log
        self._process: subprocess.Popen[str] | None = None
        self.starts = 0

    def keep_running(self) -> None:
        """Start it if it does not run."""
        if self._process is None or self._process.poll() is not None:
            with self._log.open("a") as out:
                self._process = subprocess.Popen(
                    self._command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT, text=True
                )
            assert self._process.stdin is not None
            self._process.stdin.write(self._told)
            self._process.stdin.close()
            self.starts += 1

    def kill(self) -> None:
        """kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def words(self) -> str:
        """The end of what it wrote."""
        return self._log.read_text()[-4_000:] if self._log.exists() else ""


@contextmanager
def feeding(servers: str, topic: str, partitions: int) -> Iterator[list[int]]:
    """Numbered records come into the topic while this lasts; yields the count of those that were acknowledged."""
    producer = Producer({"bootstrap.servers": servers, "enable.idempotence": True, "delivery.timeout.ms": 120_000})
    acknowledged, over, number = [0], threading.Event(), 0

    def count(error: object, _message: object) -> None:
        assert error is None, error
        acknowledged[0] += 1

    def feed() -> None:
        nonlocal number
        while not over.wait(FEED_S):
            producer.produce(topic, str(number).encode(), partition=number % partitions, on_delivery=count)
            number += 1
            producer.poll(0)

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    try:
        yield acknowledged
    finally:
        over.set()
        thread.join()
        assert producer.flush(120) == 0
    assert acknowledged[0] == number


@pytest.mark.parametrize("client", COPIERS)
def test_each_record_arrives_once(
    client: str,
    new_broker: Callable[..., Broker],
    topic: str,
    group: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    kills = int(os.environ.get("KAFKACOMPAT_KILLS", KILLS_IN_FULL if request.config.getoption("--full") else KILLS))
    command, partitions = COPIERS[client]
    broker = new_broker(CONFIG)
    servers, source, target = broker.bootstrap_servers, topic + "-source", topic + "-target"
    admin = AdminClient({"bootstrap.servers": servers})
    using.create(admin, source, partitions)
    using.create(admin, target, partitions)
    copier = Copier(*command(servers, source, target, group, 0), tmp_path / "copier.log")
    rng = random.Random(topic)
    try:
        with feeding(servers, source, partitions):
            for kill in range(kills):
                progress(copier, servers, group, source, partitions)
                time.sleep(rng.random())
                if kill % 2:
                    broker.kill()
                    time.sleep(rng.random() / 2)
                    broker.start()
                else:
                    copier.kill()
        until(lambda: committed(servers, group, source, partitions) == ends(servers, source, partitions), copier)
    finally:
        copier.kill()
    sent, arrived = values(servers, source, partitions), values(servers, target, partitions)
    assert len(sent) > PER_TRANSACTION * kills
    assert Counter(arrived) == Counter(sent)
    assert len(set(sent)) == len(sent)
    print(f"{client}: {len(sent)} records, {kills} kills, {copier.starts} starts of the copier")


def progress(copier: Copier, servers: str, group: str, topic: str, partitions: int) -> None:
    """Wait until the copier has committed something more."""
    before = sum(committed(servers, group, topic, partitions))
    until(lambda: sum(committed(servers, group, topic, partitions)) > before, copier)


def until(is_so: Callable[[], bool], copier: Copier) -> None:
    """Wait, with the copier running. Raises AssertionError when the time is over."""
    deadline = time.monotonic() + 6 * Patience.wait_s
    while True:
        copier.keep_running()
        if is_so():
            return
        assert time.monotonic() < deadline, copier.words()
        time.sleep(0.1)


def committed(servers: str, group: str, topic: str, partitions: int) -> list[int]:
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group})
    places = [TopicPartition(topic, index) for index in range(partitions)]
    deadline = time.monotonic() + 6 * Patience.wait_s
    try:
        while True:
            try:
                return [max(0, place.offset) for place in consumer.committed(places, timeout=Patience.wait_s)]
            except KafkaException:  # the coordinator is loading
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
    finally:
        consumer.close()


def ends(servers: str, topic: str, partitions: int) -> list[int]:
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "unused"})
    places = [TopicPartition(topic, index) for index in range(partitions)]
    try:
        return [consumer.get_watermark_offsets(place, timeout=Patience.wait_s)[1] for place in places]
    finally:
        consumer.close()


def values(servers: str, topic: str, partitions: int) -> list[bytes | None]:
    """All committed records, to the end of each partition."""
    consumer = Consumer({
        "bootstrap.servers": servers, "group.id": "unused", "isolation.level": "read_committed",
        "enable.partition.eof": True, "auto.offset.reset": "earliest",
    })  # fmt: skip
    consumer.assign([TopicPartition(topic, index, 0) for index in range(partitions)])
    found, ended = [], set()
    try:
        deadline = time.monotonic() + 2 * Patience.wait_s
        while len(ended) < partitions:
            assert time.monotonic() < deadline, f"{len(found)} records, ends of {ended}"
            for message in consumer.consume(1_000, 0.2):
                error = message.error()
                if error is None:
                    found.append(message.value())
                elif error.code() == KafkaError._PARTITION_EOF:
                    ended.add(message.partition())
    finally:
        consumer.close()
    return found
