"""Two log directories of a broker: Apache Kafka and this one take turns with them, also while one cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.hand_over.walk import CLIENT_TIMEOUT_S, serve_directory_of
from kafkacompat.protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from kafkacompat.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.asking import Asking
from tests.waiting import wait_until

NAMES = ("one", "two")
PARTITIONS = 4
VERSION = 4


class Pair:
    """Two directories, and whoever serves them."""

    def __init__(self, folder: Path, **config: str) -> None:
        self.folder = folder
        self.paths = [folder / name for name in NAMES]
        self.config = {"log.dirs": ",".join(map(str, self.paths)), **config}
        self.kafka = ApacheKafka(config=self.config)
        self.address = self.kafka.bootstrap_servers

    @contextmanager
    def by_kafka(self, *, is_killed: bool = False) -> Iterator[None]:
        self.kafka.start()
        yield
        if is_killed:
            self.kafka.kill()
        self.kafka.stop()

    @contextmanager
    def by_us(self, *, is_killed: bool = False) -> Iterator[None]:
        ours = serve_directory_of(self.kafka, self.folder / "kafkacompat.log", self.config)
        try:
            yield
            if not is_killed:
                assert ours.stop() == 0
        finally:
            ours.kill()

    def create(self, topic: str) -> None:
        admin = AdminClient({"bootstrap.servers": self.address})
        for future in admin.create_topics([NewTopic(topic, PARTITIONS, 1)]).values():
            future.result(CLIENT_TIMEOUT_S)

    def produce(self, topic: str, count: int) -> None:
        producer = Producer({"bootstrap.servers": self.address, "enable.idempotence": True})
        for number in range(count):
            for partition in range(PARTITIONS):
                producer.produce(topic, str(number), partition=partition)
        assert producer.flush(CLIENT_TIMEOUT_S) == 0

    def values(self, topic: str, count: int) -> list[list[str]]:
        """Those of each partition, which has so many."""
        consumer = Consumer({"bootstrap.servers": self.address, "group.id": "none", "enable.auto.commit": False})
        consumer.assign([TopicPartition(topic, partition, 0) for partition in range(PARTITIONS)])
        found: list[list[str]] = [[] for _ in range(PARTITIONS)]
        for message in consumer.consume(count * PARTITIONS, CLIENT_TIMEOUT_S):
            assert message.error() is None
            found[message.partition()].append(message.value().decode())
        consumer.close()
        return found

    def ask(self, request: Any, version: int) -> Any:
        with Asking(self.address) as client:
            return client.ask(request, version)

    def described(self, *topics: str) -> list[Any]:
        """Of each directory: path, error, whether it knows its room, and its replicas with sizes and lags."""
        asked = [DescribableLogDirTopic(topic, list(range(PARTITIONS))) for topic in topics]
        return sorted(
            (
                each.log_dir, each.error_code, each.total_bytes > 0, each.usable_bytes > 0,
                sorted(
                    (of.name, one.partition_index, one.partition_size, one.offset_lag, one.is_future_key)
                    for of in each.topics
                    for one in of.partitions
                ),
            )
            for each in self.ask(DescribeLogDirsRequest(topics=asked), VERSION).results
        )  # fmt: skip

    def counts(self, *topics: str) -> list[int]:
        """How many replicas each directory has."""
        return [len(replicas) for *_, replicas in self.described(*topics)]

    def leaders(self, topic: str) -> list[int]:
        answer = self.ask(MetadataRequest(topics=[MetadataRequestTopic(name=topic)]), 9)
        return [each.leader_id for each in sorted(answer.topics[0].partitions, key=lambda one: one.partition_index)]

    def with_one_away(self, later: str) -> Any:
        """What is answered for partitions that are away in part, once new ones are all in the other directory."""
        wait_until(lambda: sorted(self.leaders("theirs")) == [-1, -1, 1, 1], CLIENT_TIMEOUT_S)
        self.create(later)
        wait_until(lambda: self.counts(later) == [PARTITIONS, 0], CLIENT_TIMEOUT_S)
        return self.described("theirs"), self.leaders("theirs")


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    made = Pair(tmp_path)
    try:
        yield made
    finally:
        made.kafka.close()


@pytest.mark.parametrize("is_killed", [pytest.param(False, marks=pytest.mark.full), True])
def test_a_pair_of_directories_changes_hands(pair: Pair, is_killed: bool) -> None:
    with pair.by_kafka():
        pair.create("theirs")
        pair.produce("theirs", 10)
        assert pair.counts("theirs") == [PARTITIONS // 2] * 2
        before = pair.described("theirs")
    with pair.by_us(is_killed=is_killed):
        assert pair.described("theirs") == before
        assert pair.values("theirs", 10) == [[str(number) for number in range(10)]] * PARTITIONS
        pair.create("ours")
        for topic in ("theirs", "ours"):
            pair.produce(topic, 10)
        assert pair.counts("theirs", "ours") == [PARTITIONS] * 2
        before = pair.described("theirs", "ours")
    with pair.by_kafka():
        wait_until(lambda: min(pair.leaders("ours") + pair.leaders("theirs")) == 1, CLIENT_TIMEOUT_S)
        assert pair.described("theirs", "ours") == before
        assert pair.values("ours", 10) == [[str(number) for number in range(10)]] * PARTITIONS
        assert pair.values("theirs", 20) == [[str(number) for number in range(10)] * 2] * PARTITIONS


def test_a_directory_that_cannot_be_used_is_left_out_by_both(pair: Pair) -> None:
    """A file takes its place, as in Apache Kafka's own test of failed directories (log_dir_failure_test)."""
    with pair.by_kafka():
        pair.create("theirs")
        pair.produce("theirs", 10)
    seen = []
    away = pair.folder / "away"
    pair.paths[1].rename(away)
    pair.paths[1].write_text("")
    for turn in (pair.by_kafka, pair.by_us):
        with turn():
            seen.append(pair.with_one_away(f"later-{turn.__name__}"))
    assert seen[0] == seen[1]
    pair.paths[1].unlink()
    away.rename(pair.paths[1])
    with pair.by_us():
        wait_until(lambda: pair.leaders("theirs") == [1] * PARTITIONS, CLIENT_TIMEOUT_S)
        assert pair.values("theirs", 10) == [[str(number) for number in range(10)]] * PARTITIONS
