"""A broker is stopped, or killed, while clients are connected: what was acknowledged and committed is still there.

Each client is a generator: it works, yields while the broker is away, and goes on with the same objects afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType

from compat_tests.broker_process import Broker
from compat_tests.clients.aiokafka import using as aio
from compat_tests.clients.confluent_kafka import using as confluent
from compat_tests.clients.java_tools import tools as java
from compat_tests.clients.kafka_python import reading
from compat_tests.clients.samples import numbered

pytestmark = pytest.mark.api("Produce", "Fetch", "OffsetCommit", "OffsetFetch", "JoinGroup", "DescribeConfigs")

Visit = Iterator[None]


def kafka_python(broker: Broker, topic: str, group: str, _scratch: Path) -> Visit:
    address = broker.bootstrap_servers
    part = TopicPartition(topic, 0)
    producer = KafkaProducer(bootstrap_servers=address, acks="all")
    consumer = KafkaConsumer(
        topic, bootstrap_servers=address, group_id=group, auto_offset_reset="earliest", enable_auto_commit=False,
        max_poll_records=20,
    )  # fmt: skip
    sent = [producer.send(topic, value, partition=0) for value in numbered(40)]
    assert [future.get(20).offset for future in sent] == list(range(40))
    assert reading.values(reading.read(consumer, 20)) == numbered(40)[:20]
    consumer.commit()
    yield
    sent = [producer.send(topic, value, partition=0) for value in numbered(20, "later")]
    assert [future.get(30).offset for future in sent] == list(range(40, 60))
    assert reading.values(reading.read(consumer, 40)) == numbered(40)[20:] + numbered(20, "later")
    assert consumer.committed(part) == 20
    consumer.commit()
    assert consumer.committed(part) == 60
    consumer.close()
    producer.close()


def confluent_kafka(broker: Broker, topic: str, group: str, _scratch: Path) -> Visit:
    address = broker.bootstrap_servers
    producer = Producer({"bootstrap.servers": address, "enable.idempotence": True})
    consumer = Consumer(
        {"bootstrap.servers": address, "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False}
    )
    confluent.create(AdminClient({"bootstrap.servers": address}), topic)
    reports = confluent.send(producer, topic, numbered(40))
    assert [report.offset() for report in reports] == list(range(40))
    consumer.subscribe([topic])
    assert confluent.values(confluent.read(consumer, 20)) == numbered(40)[:20]
    consumer.commit(asynchronous=False)
    yield
    reports = confluent.send(producer, topic, numbered(20, "later"))
    assert [report.offset() for report in reports] == list(range(40, 60))
    assert confluent.committed(consumer, topic).offset == 20
    assert confluent.values(confluent.read(consumer, 40)) == numbered(40)[20:] + numbered(20, "later")
    consumer.commit(asynchronous=False)
    assert confluent.committed(consumer, topic).offset == 60
    consumer.close()


def aiokafka(broker: Broker, topic: str, group: str, _scratch: Path) -> Visit:
    settings = {"group_id": group, **aio.FAST_GROUP}

    async def before() -> None:
        async with aio.producing(broker, enable_idempotence=True) as producer:
            await aio.send(producer, topic, numbered(40), partition=0)
        async with aio.consuming(broker, topic, max_poll_records=20, **settings) as consumer:
            assert aio.values(await aio.read(consumer, 20)) == numbered(40)[:20]
            await consumer.commit()

    async def after() -> None:
        async with aio.producing(broker, enable_idempotence=True) as producer:
            await aio.send(producer, topic, numbered(20, "later"), partition=0)
        async with aio.consuming(broker, topic, **settings) as consumer:
            assert aio.values(await aio.read(consumer, 40)) == numbered(40)[20:] + numbered(20, "later")

    asyncio.run(before())
    yield
    asyncio.run(after())


def java_console(broker: Broker, topic: str, group: str, scratch: Path) -> Visit:
    tools = java.Tools(broker.bootstrap_servers, scratch)

    def consume(count: int) -> list[str]:
        return tools.run(
            java.CONSOLE_CONSUMER, "--topic", topic, "--group", group, "--from-beginning", "--max-messages",
            str(count), "--timeout-ms", "30000", "--command-property", "max.poll.records=10",
        ).splitlines()  # fmt: skip

    tools.run(java.CONSOLE_PRODUCER, "--topic", topic, stdin="\n".join(f"line {n}" for n in range(30)))
    assert consume(10) == [f"line {n}" for n in range(10)]
    yield
    assert consume(20) == [f"line {n}" for n in range(10, 30)]


CLIENTS: tuple[Callable[[Broker, str, str, Path], Visit], ...] = (kafka_python, confluent_kafka, aiokafka, java_console)


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_clients_go_on_after_a_restart(
    how: str, new_broker: Callable[..., Broker], topic: str, group: str, tmp_path: Path
) -> None:
    broker = new_broker()
    visits = [
        client(broker, f"{topic}-{client.__name__}", f"{group}-{client.__name__}", tmp_path) for client in CLIENTS
    ]
    for visit in visits:
        next(visit)
    resource = ConfigResource(ConfigResourceType.TOPIC, f"{topic}-kafka_python", {"retention.ms": "1234567"})
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)) as admin:
        admin.alter_configs([resource], incremental=True)
        before = remembered(admin, topic)
    assert "1234567" in str(before)
    getattr(broker, how)()
    broker.start()
    for visit in visits:
        assert next(visit, "done") == "done"
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)) as admin:
        assert remembered(admin, topic) == before


def remembered(admin: KafkaAdminClient, topic: str) -> object:
    """What a broker must know after a restart: its cluster id, the topics with their ids, a topic's config."""
    topics = {entry["name"]: entry["topic_id"] for entry in admin.describe_topics() if entry["name"].startswith(topic)}
    configs = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, f"{topic}-kafka_python")])
    return admin.describe_cluster()["cluster_id"], topics, configs
