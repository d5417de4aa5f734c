"""Clients that nobody closes live through resets: producers keep their records apart, consumers go on."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Any

import pytest

from kafkacompat import Cluster

RESETS = 6
TIMEOUT_S = 60
POLL_MS = 5_000  # a poll of kafka-python that ends between the join and the sync of a leader loses the assignment


def test_every_acknowledged_record_of_an_old_and_a_new_producer_is_there() -> None:
    confluent = pytest.importorskip("confluent_kafka")
    with Cluster(topics=["orders"]) as kafka:
        options = {"bootstrap.servers": kafka.bootstrap_servers, "enable.idempotence": True, "linger.ms": 0}
        old = confluent.Producer(options)
        for number in range(RESETS):
            new = confluent.Producer(options)
            acknowledged: list[bytes] = []
            for at in range(5):
                for name, producer in (("old", old), ("new", new)):
                    _send(producer, f"{number} {at} {name}".encode(), acknowledged)
            assert len(acknowledged) == 10
            there = [record.value for record in kafka.records("orders")]
            assert Counter(there) == Counter(acknowledged)
            kafka.reset()


def _send(producer: Any, value: bytes, acknowledged: list[bytes]) -> None:
    """Send one record and wait until it is acknowledged."""

    def delivered(error: object, message: Any) -> None:
        assert error is None, error
        acknowledged.append(message.value())

    producer.produce("orders", value, on_delivery=delivered)
    assert producer.flush(TIMEOUT_S) == 0


def _produce(kafka: Cluster, value: bytes) -> None:
    confluent = pytest.importorskip("confluent_kafka")
    _send(confluent.Producer({"bootstrap.servers": kafka.bootstrap_servers}), value, [])


def test_a_consumer_of_librdkafka_lives_through_resets() -> None:
    confluent = pytest.importorskip("confluent_kafka")
    with Cluster(topics=["orders"]) as kafka:
        consumer = confluent.Consumer(
            {
                "bootstrap.servers": kafka.bootstrap_servers, "group.id": "group", "auto.offset.reset": "earliest",
                "session.timeout.ms": 6000, "heartbeat.interval.ms": 200, "topic.metadata.refresh.interval.ms": 500,
            }
        )  # fmt: skip
        consumer.subscribe(["orders"])

        def poll() -> list[bytes]:
            message = consumer.poll(0.05)
            return [message.value()] if message is not None and message.error() is None else []

        try:
            _survives(kafka, poll)
        finally:
            consumer.close()


def test_a_consumer_of_kafka_python_lives_through_resets() -> None:
    library = pytest.importorskip("kafka")
    with Cluster(topics=["orders"]) as kafka:
        consumer = library.KafkaConsumer(
            "orders", bootstrap_servers=kafka.bootstrap_servers, group_id="group", auto_offset_reset="earliest",
            session_timeout_ms=6000, heartbeat_interval_ms=200, metadata_max_age_ms=500,
        )  # fmt: skip

        def poll() -> list[bytes]:
            return [record.value for records in consumer.poll(POLL_MS).values() for record in records]

        try:
            _survives(kafka, poll)
        finally:
            consumer.close()


def test_a_consumer_of_aiokafka_lives_through_resets() -> None:
    library = pytest.importorskip("aiokafka")
    with Cluster(topics=["orders"]) as kafka, asyncio.Runner() as runner:

        async def start() -> Any:
            consumer = library.AIOKafkaConsumer(
                "orders", bootstrap_servers=kafka.bootstrap_servers, group_id="group", auto_offset_reset="earliest",
                session_timeout_ms=6000, heartbeat_interval_ms=200, metadata_max_age_ms=500,
                enable_auto_commit=False,  # it knows no topic ids, and would commit its former position when it rejoins
            )  # fmt: skip
            await consumer.start()
            return consumer

        consumer = runner.run(start())

        def poll() -> list[bytes]:
            found = runner.run(consumer.getmany(timeout_ms=50))
            return [record.value for records in found.values() for record in records]

        try:
            _survives(kafka, poll)
        finally:
            runner.run(consumer.stop())


def _survives(kafka: Cluster, poll: Any) -> None:
    """Send a record after each reset, which the consumer must get, and none of the resets before."""
    for number in range(RESETS):
        value = str(number).encode()
        _produce(kafka, value)
        got: list[bytes] = []
        deadline_s = time.monotonic() + TIMEOUT_S
        while value not in got:
            assert time.monotonic() < deadline_s, f"nothing after reset {number}"
            got += poll()
        assert set(got) == {value}
        kafka.reset()
