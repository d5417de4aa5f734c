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
