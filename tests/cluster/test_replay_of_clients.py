"""What real clients do is replayed on a fresh broker: produce, consume, two members, a rebalance, commits."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kafkacompat.cluster.cluster import Cluster
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 40
POLL_MS = 1_000  # a poll of kafka-python that ends between the join and the sync of a leader loses the assignment


def librdkafka(servers: str) -> None:
    confluent_kafka: Any = pytest.importorskip("confluent_kafka")
    common = {"bootstrap.servers": servers, "client.id": "app", "log_level": 0}
    of_group = {**common, "group.id": "g", "auto.offset.reset": "earliest", "heartbeat.interval.ms": 200}
    producer = confluent_kafka.Producer({**common, "enable.idempotence": True})
    one, other = confluent_kafka.Consumer(of_group), confluent_kafka.Consumer(of_group)
    values: list[bytes] = []

    def poll() -> None:
        for consumer in (one, other):
            message = consumer.poll(0.02)
            if message is not None and message.error() is None:
                values.append(message.value())

    def produce() -> None:
        for number in range(COUNT):
            producer.produce("orders", f"v{number}", f"k{number}")
        assert producer.flush(30) == 0

    def has_values(count: int) -> bool:
        poll()
        return len(set(values)) >= count and len(values) >= count

    def are_assigned() -> bool:
        poll()
        return bool(one.assignment() and other.assignment())

    produce()
    one.subscribe(["orders"])
    wait_until(lambda: has_values(COUNT))
    other.subscribe(["orders"])
    wait_until(are_assigned)
    produce()
    wait_until(lambda: poll() or len(values) >= 2 * COUNT)
    one.commit(asynchronous=False)
    one.close()
    other.close()


def kafka_python(servers: str) -> None:
    kafka: Any = pytest.importorskip("kafka")

    def consumer() -> Any:
        return kafka.KafkaConsumer(
            "orders", bootstrap_servers=servers, group_id="g", client_id="app", auto_offset_reset="earliest",
            heartbeat_interval_ms=200,
        )  # fmt: skip

    producer = kafka.KafkaProducer(bootstrap_servers=servers)
    one = consumer()
    is_over = threading.Event()
    for number in range(COUNT):
        producer.send("orders", b"v%d" % number, b"k%d" % number)
    producer.flush()
    found: list[Any] = []
    wait_until(lambda: found.extend(one.poll(POLL_MS).values()) or sum(map(len, found)) >= COUNT)
    other = consumer()
    thread = threading.Thread(target=lambda: [other.poll(POLL_MS) for _ in iter(is_over.is_set, True)])
    thread.start()
    wait_until(lambda: one.poll(POLL_MS) is not None and one.assignment() and other.assignment())
    producer.send("orders", b"last").get(30)
    one.poll(POLL_MS)
    is_over.set()
    thread.join()
    one.commit()
    for each in (one, other, producer):
        each.close()


def aiokafka(servers: str) -> None:
    module: Any = pytest.importorskip("aiokafka")

    async def work() -> None:
        def consumer() -> Any:
            return module.AIOKafkaConsumer(
                "orders", bootstrap_servers=servers, group_id="g", client_id="app", auto_offset_reset="earliest",
                heartbeat_interval_ms=200,
            )  # fmt: skip

        producer = module.AIOKafkaProducer(bootstrap_servers=servers, enable_idempotence=True)
        await producer.start()
        for number in range(COUNT):
            await producer.send_and_wait("orders", b"v%d" % number, b"k%d" % number)
        one, other = consumer(), consumer()
        await one.start()
        count = 0
        while count < COUNT:
            count += sum(map(len, (await one.getmany(timeout_ms=50)).values()))
        await other.start()
        async with asyncio.timeout(30):
            while not other.assignment():
                await one.getmany(timeout_ms=50)
        await producer.send_and_wait("orders", b"last")
        for each in (one, other, producer):
            await each.stop()

    asyncio.run(work())


@pytest.mark.parametrize("client", [librdkafka, kafka_python, aiokafka])
def test_a_fresh_broker_answers_a_client_the_same(client: Callable[[str], None], tmp_path: Path) -> None:
    path = tmp_path / "a.kct"
    with Cluster(topics={"orders": 2}) as kafka:
        with kafka.capture(path):
            client(kafka.bootstrap_servers)
        records = [record.value for record in kafka.records("orders")]
        generation = kafka.groups()["g"].generation
    with Cluster(topics={"orders": 2}) as kafka:
        report = kafka.replay(path)
        assert report.is_equal, report
        assert [record.value for record in kafka.records("orders")] == records
        assert kafka.groups()["g"].generation == generation
    assert report.compared > 20
