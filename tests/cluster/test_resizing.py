"""Brokers are added to a running cluster and removed from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cluster import startup_topics
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from kafkacompat.protocol.messages.metadata import MetadataRequest
from tests.asking import ask
from tests.cluster.group_member import partition, send


def told(address: str) -> list[int]:
    return sorted(each.node_id for each in ask(address, MetadataRequest(topics=[]), 9).brokers)


def size_at(kafka: Cluster, broker: int, topic: str) -> int:
    """The bytes that a consumer gets of partition 0 from a broker."""
    (address,) = (each.address for each in kafka.brokers if each.id == broker)
    wanted = FetchTopic(topic, partitions=[FetchPartition(0, fetch_offset=0, partition_max_bytes=1 << 20)])
    answer = ask(address, FetchRequest(max_wait_ms=0, max_bytes=1 << 20, topics=[wanted]), 11)
    assert answer.responses[0].partitions[0].error_code == errors.NONE
    return len(answer.responses[0].partitions[0].records or b"")


@pytest.mark.parametrize(("brokers", "processes"), [(1, False), (3, False), (1, True)])
def test_a_broker_comes_takes_over_and_another_one_goes(brokers: int, processes: bool) -> None:
    with Cluster(brokers=brokers, controllers=1, processes=processes) as kafka:
        first = kafka.bootstrap_servers.partition(",")[0]
        added = kafka.add_broker()
        assert added.id == brokers + 1
        assert added.is_running
        assert [each.id for each in kafka.brokers] == told(first) == list(range(1, brokers + 2))
        assert added.address in kafka.bootstrap_servers.split(",")
        startup_topics.create_topics(first, {"orders": (1, brokers + 1)})
        leader = partition(added.address, "orders").leader_id
        (address,) = (each.address for each in kafka.brokers if each.id == leader)
        assert send(address, "orders") == errors.NONE
        kafka.remove_broker(1)
        left = list(range(2, brokers + 2))
        assert [each.id for each in kafka.brokers] == told(added.address) == left
        found = partition(added.address, "orders")
        assert sorted(found.replica_nodes) == left, "every broker had one: it has one less"
        assert size_at(kafka, found.leader_id, "orders") > 0, "the records are there"


def test_a_replica_moves_to_a_broker_that_is_free() -> None:
    with Cluster(brokers=2, controllers=1) as kafka:
        first = kafka.bootstrap_servers.partition(",")[0]
        startup_topics.create_topics(first, {"orders": (1, 2)})
        assert sorted(partition(first, "orders").replica_nodes) == [1, 2]
        added = kafka.add_broker()
        kafka.remove_broker(2)
        assert sorted(partition(first, "orders").replica_nodes) == [1, added.id]
        another = kafka.add_broker()
        assert another.id == 4, "no id is used twice"


def test_a_cluster_with_a_data_dir_starts_again_with_its_brokers(tmp_path: Path) -> None:
    with Cluster(brokers=2, controllers=1, data_dir=tmp_path) as kafka:
        kafka.add_broker()
        kafka.remove_broker(2)
        kafka.stop()
        kafka.start()
        assert [each.id for each in kafka.brokers] == told(kafka.bootstrap_servers.partition(",")[0]) == [1, 3]
        assert not (tmp_path / "node-2").exists()


def test_what_cannot_be_added_or_removed_is_said() -> None:
    with Cluster() as kafka:
        with pytest.raises(KafkaCompatError, match="add_broker: a lone broker cannot have others"):
            kafka.add_broker()
        with pytest.raises(KafkaCompatError, match="remove_broker: a lone broker"):
            kafka.remove_broker(1)
    with Cluster(brokers=2) as kafka:
        with pytest.raises(KafkaCompatError, match="broker 1 is a controller, too"):
            kafka.remove_broker(1)
        with pytest.raises(KafkaCompatError, match="no node 7"):
            kafka.remove_broker(7)
        kafka.stop(2)
        with pytest.raises(KafkaCompatError, match="node 2 is not running"):
            kafka.remove_broker(2)
    with Cluster(brokers=1, controllers=1) as kafka, pytest.raises(KafkaCompatError, match="only one that runs"):
        kafka.remove_broker(1)
    with Cluster(brokers=2, isolation=True) as kafka, pytest.raises(KafkaCompatError, match="isolation=True"):
        kafka.add_broker()
