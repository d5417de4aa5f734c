"""A plain copy of a compacted topic between Apache Kafka and this broker: the newest record of each key arrives."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.kafkacompat_broker import KafkacompatBroker

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = 50
RECORDS = 3_000
TOPIC = "prices"
WAIT_S = 60
CONFIGS = {
    "cleanup.policy": "compact", "segment.bytes": "1048576", "min.cleanable.dirty.ratio": "0.01",
    "delete.retention.ms": "86400000",
}  # fmt: skip
CLEANS_SOON = {"log.cleaner.backoff.ms": "200"}

Content = list[tuple[int, bytes, bytes | None]]


@pytest.fixture(scope="module")
def brokers() -> Iterator[dict[str, ApacheKafka | KafkacompatBroker]]:
    """Both brokers, running."""
    found: dict[str, ApacheKafka | KafkacompatBroker] = {
        "kafka": ApacheKafka(config=CLEANS_SOON), "kafkacompat": KafkacompatBroker(CLEANS_SOON),
    }  # fmt: skip
    try:
        for broker in found.values():
            broker.start()
        yield found
    finally:
        for broker in found.values():
            broker.close()


def create(servers: str, topic: str) -> None:
    new = NewTopic(topic, 1, 1, config=CONFIGS)
    admin = AdminClient({"bootstrap.servers": servers})
    for future in admin.create_topics([new]).values():
        future.result(30)


def write(servers: str, topic: str) -> dict[bytes, bytes | None]:
    """Keys that come again and again, some with a tombstone as the last record; the newest value of each."""
    producer = Producer({"bootstrap.servers": servers})
    newest: dict[bytes, bytes | None] = {}
    for number in range(RECORDS + KEYS):
        key = b"key %d" % (number % KEYS)
        newest[key] = None if number >= RECORDS and number % 7 == 0 else b"%d " % number + bytes(1_000)
        producer.produce(topic, key=key, value=newest[key])
    producer.flush()
    return newest


def read(servers: str, topic: str) -> Content:
    """All records from the first one on: offset, key, value."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": uuid.uuid4().hex})
    try:
        _, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), 30)
        consumer.assign([TopicPartition(topic, 0, 0)])
        found: Content = []
        while not found or found[-1][0] < end - 1:
            record = consumer.poll(30)
            assert record is not None
            assert record.error() is None
            found.append((record.offset(), record.key(), record.value()))
        return found
    finally:
        consumer.close()


def compacted(servers: str, topic: str, count: int) -> Content:
    """The records that are left when there are fewer than were written."""
    deadline_s = time.monotonic() + WAIT_S
    while len(found := read(servers, topic)) >= count:
        assert time.monotonic() < deadline_s, "nothing was compacted"
        time.sleep(0.5)
    return found


def newest_of(records: Content) -> dict[bytes, bytes | None]:
    return {key: value for _, key, value in records}


@pytest.mark.parametrize(("source", "target"), [("kafka", "kafkacompat"), ("kafkacompat", "kafka")])
def test_the_newest_record_of_each_key_arrives(
    brokers: dict[str, ApacheKafka | KafkacompatBroker], source: str, target: str
) -> None:
    here, there = brokers[source].bootstrap_servers, brokers[target].bootstrap_servers
    topic = f"{TOPIC}-of-{source}"
    create(here, topic)
    create(there, topic)
    newest = write(here, topic)
    left = compacted(here, topic, RECORDS + KEYS)
    assert newest_of(left) == newest
    offsets = [offset for offset, _, _ in left]
    assert offsets == sorted(set(offsets))
    producer = Producer({"bootstrap.servers": there})
    copies = 2 * RECORDS // len(left)  # each starts anew, and writes everything again
    for _ in range(copies):
        for _, key, value in left:
            producer.produce(topic, key=key, value=value)
        producer.flush()
    copied = compacted(there, topic, copies * len(left))
    assert newest_of(copied) == newest
