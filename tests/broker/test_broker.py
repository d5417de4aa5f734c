import pytest

from kafkacompat.broker.replicas.partition_events import PartitionEvents
from kafkacompat.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from tests.broker.harness import BrokerHarness

BROKER = 4
HEARTBEAT = 63


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
    elected = PartitionEvents.elected
    monkeypatch.setattr(
        PartitionEvents,
        "elected",
        lambda self, partition, now: (roles.append(partition.watch_key), elected(self, partition, now)),
    )
    again = BrokerHarness(broker.fs)
    assert sorted(roles) == [("t", index) for index in range(5)]
    assert all(partition.is_leader for partition in again.broker.partitions)


def test_the_controller_hears_of_metadata_when_all_partitions_follow_it(monkeypatch):
    broker = BrokerHarness()
    node = broker.broker
    node.partitions.most_a_turn = 2
    told: list[int] = []
    request = node.channel.request

    def listen(lane, api_key, version, message, *args, **kwargs):
        if api_key == HEARTBEAT:
            told.append(message.current_metadata_offset)
        request(lane, api_key, version, message, *args, **kwargs)

    monkeypatch.setattr(node.channel, "request", listen)
    broker.advance(5000)
    before = node.image.offset
    broker.create_topic("t", 5)
    node.lifecycle.controller_changed(broker.now)
    broker.advance(0)
    broker.advance(0)
    node.lifecycle.controller_changed(broker.now)
    assert len(node.partitions) == 5
    assert told[-2:] == [before, node.image.offset]


def test_a_failed_disk_is_no_proof_that_nothing_was_lost():
    node = BrokerHarness().broker
    assert node.lifecycle.has_all()
    node.logs.take_offline(OSError(5, "I/O error"))
    assert not node.lifecycle.has_all()
