"""What clients need to connect, in the form that each takes."""

from __future__ import annotations

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cluster.client_settings import client_settings, unique_group_id


def test_each_client_gets_its_own_key() -> None:
    servers = "127.0.0.1:9092,127.0.0.1:9093"
    for client, key in {
        "aiokafka": "bootstrap_servers", "confluent": "bootstrap.servers", "java": "bootstrap.servers",
        "kafka-python": "bootstrap_servers", "spark": "kafka.bootstrap.servers",
    }.items():  # fmt: skip
        assert client_settings(client, servers) == {key: servers}
    for client, key in {"franz-go": "SeedBrokers", "kafkajs": "brokers", "sarama": "addrs"}.items():
        assert client_settings(client, servers) == {key: servers.split(",")}


def test_an_unknown_client_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(KafkaCompatError, match=r"unknown client 'confluence': use one of aiokafka, confluent, "):
        client_settings("confluence", "127.0.0.1:9092")


def test_group_names_are_never_the_same() -> None:
    assert len({unique_group_id("billing") for _ in range(50)}) == 50


def test_python_clients_connect_with_them() -> None:
    aiokafka = pytest.importorskip("aiokafka")
    confluent_kafka = pytest.importorskip("confluent_kafka")
    kafka_python = pytest.importorskip("kafka")
    import asyncio

    async def send(settings: dict[str, str]) -> None:
        async with aiokafka.AIOKafkaProducer(**settings) as producer:
            await producer.send_and_wait("orders", b"1")

    with Cluster(topics=["orders"]) as kafka:
        asyncio.run(send(kafka.config_for("aiokafka")))
        producer = confluent_kafka.Producer(kafka.config_for("confluent"))
        producer.produce("orders", b"2")
        assert producer.flush(30) == 0
        with kafka_python.KafkaProducer(**kafka.config_for("kafka-python")) as other:
            other.send("orders", b"3").get(30)
        consumer = confluent_kafka.Consumer(
            kafka.config_for("confluent") | {"group.id": kafka.group_id(), "auto.offset.reset": "earliest"}
        )
        consumer.subscribe(["orders"])
        assert [message.value() for message in consumer.consume(3, 30)] == [b"1", b"2", b"3"]
        consumer.close()
