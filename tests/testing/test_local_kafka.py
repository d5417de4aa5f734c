"""LocalKafka has the methods of testcontainers' KafkaContainer, and other projects' tests run with it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kafkacompat import KafkaCompatError
from kafkacompat.testing import KafkaContainer, LocalKafka
from kafkacompat.testing.local_kafka import DEFAULT_PORT, UNAVAILABLE, version_of
from tests.metadata_client import partition_counts

PUBLIC = {
    "MIN_KRAFT_TAG", "TC_START_SCRIPT", "configure", "copy_from_container", "copy_into_container", "create_file",
    "exec", "get_bootstrap_server", "get_container_host_ip", "get_container_id", "get_container_info",
    "get_docker_client", "get_exposed_port", "get_logs", "get_wrapped_container", "maybe_emulate_amd64", "reload",
    "start", "status", "stop", "tc_start", "wait", "waiting_for", "with_bind_ports", "with_cluster_id",
    "with_command", "with_copy_into_container", "with_env", "with_env_file", "with_envs", "with_exposed_ports",
    "with_kraft", "with_kwargs", "with_name", "with_network", "with_network_aliases", "with_tmpfs_mount",
    "with_volume_mapping",
}  # fmt: skip
"""The public names of testcontainers.kafka.KafkaContainer 4.15.0."""


def test_each_public_name_is_there_or_has_a_reason() -> None:
    assert PUBLIC - set(dir(LocalKafka)) == set(UNAVAILABLE)


def test_the_public_names_are_those_of_testcontainers() -> None:
    from testcontainers.community import kafka

    assert {name for name in dir(kafka.KafkaContainer) if not name.startswith("_")} == PUBLIC


def test_what_needs_a_container_says_so() -> None:
    kafka = LocalKafka()
    for name, reason in UNAVAILABLE.items():
        assert not hasattr(kafka, name)
        with pytest.raises(KafkaCompatError, match=name) as raised:
            getattr(kafka, name)
        assert reason in str(raised.value)
    with pytest.raises(AttributeError, match="'no_such_method'"):
        kafka.no_such_method  # noqa: B018
    with pytest.raises(KafkaCompatError, match="only PLAINTEXT"):
        LocalKafka(security_protocol="SSL")


def test_variables_are_settings_and_those_of_containers_have_no_effect(tmp_path: Path) -> None:
    (tmp_path / "env").write_text("# ours\nexport KAFKA_AUTO_CREATE_TOPICS_ENABLE='true'\nOTHER=1\n\n")
    kafka = (
        LocalKafka("confluentinc/cp-kafka:7.6.0", env={"KAFKA_LISTENERS": "PLAINTEXT://0.0.0.0:9093"})
        .with_kraft()
        .with_cluster_id("MkU3OEVBNTcwNTJENDM2Qg")
        .with_env("KAFKA_NUM_PARTITIONS", "3")
        .with_envs(KAFKA_BROKER_ID="7", KAFKA_ZOOKEEPER_CONNECT="localhost:2181")
        .with_env_file(tmp_path / "env")
        .with_exposed_ports(9093)
        .with_name("kafka")
        .waiting_for(object())
    )
    assert kafka.status == "exited"
    with kafka:
        assert kafka.cluster.cluster_id == "MkU3OEVBNTcwNTJENDM2Qg"
        kafka.cluster.create_topics(["orders"])
        assert partition_counts(kafka.get_bootstrap_server(), ["orders"]) == {"orders": 3}


def test_it_says_where_it_is_and_how_it_is() -> None:
    kafka = KafkaContainer(port=9095)
    with pytest.raises(KafkaCompatError, match="not running"):
        kafka.get_bootstrap_server()
    with kafka:
        assert kafka.start() is kafka  # once more, as many tests do
        host, port = kafka.get_container_host_ip(), kafka.get_exposed_port(9095)
        assert f"{host}:{port}" == kafka.get_bootstrap_server()
        assert kafka.status == "running"
        assert b"Kafka Server started" in kafka.get_logs()[0]
        with pytest.raises(KafkaCompatError, match="port 9092 is not open"):
            kafka.get_exposed_port(9092)
        with pytest.raises(KafkaCompatError, match="call stop"):
            kafka.wait()
    kafka.stop()
    assert (kafka.status, kafka.wait(), kafka.get_logs()) == ("exited", 0, (b"", b""))
    with KafkaContainer().with_bind_ports(DEFAULT_PORT, port) as again:
        assert again.get_exposed_port(DEFAULT_PORT) == port


def test_a_test_as_testcontainers_own_works() -> None:
    kafka_python = pytest.importorskip("kafka")
    with KafkaContainer() as container:
        servers = container.get_bootstrap_server()
        producer = kafka_python.KafkaProducer(bootstrap_servers=[servers], retries=5)
        for number in range(5):
            producer.send("test-topic", f"hello {number}".encode())
        producer.flush()
        producer.close()
        consumer = kafka_python.KafkaConsumer(bootstrap_servers=[servers])
        partition = kafka_python.TopicPartition("test-topic", 0)
        consumer.assign([partition])
        consumer.seek_to_beginning()
        end = consumer.end_offsets([partition])[partition]
        assert [next(consumer).value for _ in range(end)] == [f"hello {number}".encode() for number in range(5)]
        consumer.close()


def test_a_test_of_a_service_with_asyncio_works() -> None:
    aiokafka = pytest.importorskip("aiokafka")

    async def there_and_back() -> bytes:
        with KafkaContainer(image="confluentinc/cp-kafka:8.0.4").with_kraft() as kafka:
            kafka.start()
            servers = kafka.get_bootstrap_server()
            async with aiokafka.AIOKafkaProducer(bootstrap_servers=servers, enable_idempotence=True) as producer:
                await producer.send_and_wait("orders", b"{}")
            consumer = aiokafka.AIOKafkaConsumer("orders", bootstrap_servers=servers, auto_offset_reset="earliest")
            async with consumer:
                message = await asyncio.wait_for(consumer.getone(), 30)
            return bytes(message.value)

    assert asyncio.run(there_and_back()) == b"{}"


def test_helpers_of_spark_s_kind_work() -> None:
    """As PySpark's tests: a container of a Confluent release, an admin client and a producer of kafka-python."""
    kafka_python = pytest.importorskip("kafka")
    container = KafkaContainer("confluentinc/cp-kafka:7.4.0")
    container.start()
    servers = container.get_bootstrap_server()
    admin = kafka_python.KafkaAdminClient(bootstrap_servers=servers, request_timeout_ms=10_000)
    producer = kafka_python.KafkaProducer(bootstrap_servers=servers, request_timeout_ms=10_000, max_block_ms=10_000)
    from kafka.admin import NewTopic

    admin.create_topics([NewTopic(name="words", num_partitions=2, replication_factor=1)])
    for number in range(3):
        producer.send("words", value=f"word {number}".encode()).get(timeout=10)
    assert partition_counts(servers, ["words"]) == {"words": 2}
    admin.delete_topics(["words"])
    admin.close()
    producer.close(timeout=5)
    container.stop()
    assert container.status == "exited"


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("confluentinc/cp-kafka:7.6.1", "7.6.1"), ("apache/kafka:3.9.0", "3.9.0"), ("apache/kafka:4.3.1-rc1", "4.3.1"),
        ("apache/kafka:latest", None), ("kafkacompat", None), ("localhost:5000/kafka", None),
        ("apache/kafka:3.9.0@sha256:0123", "3.9.0"), ("example/kafka:99.1", None),
    ],
)  # fmt: skip
def test_a_tag_names_a_release(image: str, version: str | None) -> None:
    assert version_of(image) == version


def test_a_broker_stands_for_the_release_of_the_tag() -> None:
    for image, release in (("confluentinc/cp-kafka:7.6.1", "3.6"), ("kafkacompat", "none")):
        with LocalKafka(image) as kafka:
            server = kafka.cluster._nodes.sole_server
            assert server.config.get_str("emulated.release") == release
    with LocalKafka().with_env("KAFKACOMPAT_VERSION", "3.9") as kafka:
        assert kafka.cluster._nodes.sole_server.config.get_str("emulated.release") == "3.9"
