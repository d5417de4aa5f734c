"""A real client through the mapped address: confluent-kafka produces and consumes."""

from __future__ import annotations

from typing import Any

from confluent_kafka import Consumer, Producer

from tests.waiting import wait_until

TOPIC = "orders"


def produce_and_consume(bootstrap_servers: str, count: int = 3) -> None:
    """Send records through a producer with idempotence and read them back in a group."""
    failures: list[Any] = []
    producer = Producer({"bootstrap.servers": bootstrap_servers, "message.timeout.ms": 20_000})
    values = [f"order {number}" for number in range(count)]
    for value in values:
        producer.produce(TOPIC, value, on_delivery=lambda error, _message: failures.append(error) if error else None)
    assert producer.flush(20) == 0
    assert failures == []
    consumer = Consumer(
        {"bootstrap.servers": bootstrap_servers, "group.id": "readers", "auto.offset.reset": "earliest"}
    )
    consumer.subscribe([TOPIC])
    read: list[str] = []

    def has_all() -> bool:
        message = consumer.poll(0.1)
        if message is not None and message.error() is None:
            read.append(message.value().decode())
        return len(read) >= count

    try:
        wait_until(has_all, what=lambda: read)
    finally:
        consumer.close()
    assert sorted(read) == values
