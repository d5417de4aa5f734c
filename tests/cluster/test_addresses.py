"""A running broker is advertised at another address."""

from __future__ import annotations

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import incremental_alter_configs as alter
from kafkacompat.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from kafkacompat.protocol.messages.metadata import MetadataRequest
from tests.asking import Asking, ask
from tests.waiting import wait_until

BROKER_RESOURCE = 4
SET, DELETE = 0, 1


def told(address: str) -> dict[int, str]:
    return {each.node_id: f"{each.host}:{each.port}" for each in ask(address, MetadataRequest(topics=[]), 9).brokers}


def set_config(address: str, broker: int, value: str | None) -> int:
    """Alter advertised.listeners as kafka-configs.sh does; the error code."""
    config = alter.AlterableConfig("advertised.listeners", DELETE if value is None else SET, value)
    resource = alter.AlterConfigsResource(BROKER_RESOURCE, str(broker), [config])
    request = alter.IncrementalAlterConfigsRequest(resources=[resource])
    return ask(address, request, 1).responses[0].error_code


def test_the_next_metadata_has_the_new_address_and_connections_stay() -> None:
    with Cluster(topics={"orders": 1}) as kafka, Asking(kafka.bootstrap_servers) as client:
        before = client.ask(MetadataRequest(topics=[]), 9).brokers[0]
        epoch = kafka._call(1, lambda server: server.broker.broker_epoch)
        kafka.advertise(1, {"PLAINTEXT": "broker.example:19092"})
        answer = client.ask(MetadataRequest(topics=None), 9)
        assert [(each.node_id, each.host, each.port) for each in answer.brokers] == [(1, "broker.example", 19092)]
        assert answer.topics[0].partitions[0].leader_id == 1, "its partitions are served all the time"
        assert kafka._call(1, lambda server: server.broker.broker_epoch) == epoch
        kafka.advertise(1, {})
        assert client.ask(MetadataRequest(topics=[]), 9).brokers == [before]


def test_the_other_brokers_tell_the_new_address_too() -> None:
    with Cluster(brokers=3) as kafka:
        first, second, third = kafka.bootstrap_servers.split(",")
        kafka.advertise(2, {"plaintext": f"localhost:{second.rpartition(':')[2]}"})
        for address in (first, second, third):
            assert told(address) == {1: first, 2: f"localhost:{second.rpartition(':')[2]}", 3: third}


@pytest.mark.parametrize(
    ("addresses", "says"),
    [
        ({"OTHER": "a:1"}, "no listener OTHER: use one of PLAINTEXT"),
        ({"PLAINTEXT": "a"}, "'a' is not an address"),
        ({"PLAINTEXT": "a:70000"}, "not an address"),
        ({"PLAINTEXT": "0.0.0.0:9092"}, "nobody can connect to 0.0.0.0:9092"),
        ({"PLAINTEXT": "a:0"}, "nobody can connect"),
    ],
)
def test_an_address_that_cannot_be_is_refused(addresses: dict[str, str], says: str) -> None:
    with Cluster() as kafka:
        before = told(kafka.bootstrap_servers)
        with pytest.raises(KafkaCompatError, match=says):
            kafka.advertise(1, addresses)
        with pytest.raises(KafkaCompatError, match="no node 4"):
            kafka.advertise(4, {})
        assert told(kafka.bootstrap_servers) == before


def test_a_client_alters_advertised_listeners_as_kafka_configs_does(tmp_path) -> None:
    with Cluster(data_dir=tmp_path) as kafka:
        address = kafka.bootstrap_servers
        assert set_config(address, 1, "PLAINTEXT://127.0.0.1:31999") == errors.NONE
        wait_until(lambda: told(address) == {1: "127.0.0.1:31999"})
        kafka.restart()
        address = kafka._call(1, lambda server: f"127.0.0.1:{server._listeners[0].port}")
        assert told(address) == {1: "127.0.0.1:31999"}, "the config is in the metadata log"
        resource = DescribeConfigsResource(BROKER_RESOURCE, "1", ["advertised.listeners"])
        (config,) = ask(address, DescribeConfigsRequest(resources=[resource]), 4).results[0].configs
        assert config.value == "PLAINTEXT://127.0.0.1:31999"
        assert set_config(address, 1, None) == errors.NONE
        wait_until(lambda: told(address) == {1: address})


@pytest.mark.parametrize(
    "value", ["OTHER://a:1", "PLAINTEXT://0.0.0.0:1", "PLAINTEXT://a", "a:1", "", "PLAINTEXT://a:1,"]
)
def test_advertised_listeners_that_cannot_be_are_refused(value: str) -> None:
    with Cluster() as kafka:
        before = told(kafka.bootstrap_servers)
        assert set_config(kafka.bootstrap_servers, 1, value) == errors.INVALID_REQUEST
        assert told(kafka.bootstrap_servers) == before


def test_a_client_alters_them_through_any_broker_of_a_cluster() -> None:
    with Cluster(brokers=3) as kafka:
        addresses = kafka.bootstrap_servers.split(",")
        port = addresses[2].rpartition(":")[2]
        assert set_config(addresses[2], 3, f"PLAINTEXT://localhost:{port}") == errors.NONE
        for address in addresses:
            wait_until(lambda address=address: told(address)[3] == f"localhost:{port}")
