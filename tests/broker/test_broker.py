import pytest

from kafkacompat.broker.broker import Broker
from kafkacompat.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from tests.broker.harness import BrokerHarness

BROKER = 4


def test_it_says_where_it_runs():
    broker = BrokerHarness()
    names = ["advertised.listeners", "listeners", "log.dirs"]
    response = broker.ask(DescribeConfigsRequest(resources=[DescribeConfigsResource(BROKER, "1", names)]), 4)
    assert {entry.name: entry.value for entry in response.results[0].configs} == {
        "advertised.listeners": "PLAINTEXT://localhost:9092",
        "listeners": "PLAINTEXT://localhost:9092",
        "log.dirs": "/data",
    }


@pytest.mark.parametrize("clean", [True, False], ids=["stopped", "killed"])
def test_a_start_gives_each_partition_its_role_once(monkeypatch, clean):
    broker = BrokerHarness()
    broker.create_topic("t", 5)
    broker.close(clean=clean)
    broker.fs.restart()
    roles: list[tuple[str, int]] = []
    elected = Broker._on_elected
    monkeypatch.setattr(
        Broker,
        "_on_elected",
        lambda self, partition, now: (roles.append(partition.watch_key), elected(self, partition, now)),
    )
    again = BrokerHarness(broker.fs)
    assert sorted(roles) == [("t", index) for index in range(5)]
    assert all(partition.is_leader for partition in again.broker.partitions)
