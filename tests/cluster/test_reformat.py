"""Resets of clusters whose directories are not simply empty at the start: several nodes, snapshots, a user's data."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.control_api.advertise import registered
from kafkacompat.protocol import error_codes as errors
from tests.cluster.test_state import init_producer_id, produce
from tests.metadata_client import partition_counts
from tests.raw_client import RawClient
from tests.waiting import wait_until

SEEDED = {"orders": [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}]}


def values(kafka: Cluster) -> list[bytes | None]:
    return sorted(record.value or b"" for record in kafka.records("orders"))


def test_three_brokers_are_as_after_their_start() -> None:
    with Cluster(brokers=3, topics={"orders": (3, 3)}, records=SEEDED) as kafka:
        before = kafka.bootstrap_servers, kafka.cluster_id, kafka.data_dir
        ids = {kafka.topics()["orders"].topic_id}
        with RawClient(kafka.bootstrap_servers.split(",")[0], "leaked") as client:
            client.ask("api_versions", 18, 3, client_software_name="raw", client_software_version="1")
            given = [init_producer_id(client)]
            for _ in range(3):
                kafka.create_topics({"more": (2, 2)})
                left = kafka.reset()
                assert [each.client_id for each in left.connections] == ["leaked"]
                given.append(init_producer_id(client))
                ids.add(kafka.topics()["orders"].topic_id)
                assert list(kafka.topics()) == ["orders"]
                assert values(kafka) == [b"1", b"2"]
        assert (kafka.bootstrap_servers, kafka.cluster_id, kafka.data_dir) == before
        assert len(ids) == len(given) == len(set(given)) == 4
        elsewhere = {"PLAINTEXT": kafka.brokers[1].address.replace("127.0.0.1", "localhost")}
        kafka.advertise(2, elsewhere)
        kafka.reset()
        assert kafka._call(2, lambda server: registered(server, 2)) == elsewhere
        kafka.advertise(2, {})
        kafka.kill(2)
        with pytest.raises(KafkaCompatError, match=r"needs all nodes: start 2 with restart\(2\)"):
            kafka.reset()
        kafka.restart(2)
        kafka.reset()
        assert values(kafka) == [b"1", b"2"]


def test_dedicated_controllers_are_reset_with_their_brokers() -> None:
    with Cluster(brokers=1, controllers=1, topics=["orders"]) as kafka:
        kafka.create_topics(["more"])
        kafka.reset(keep={"topics"})
        assert sorted(kafka.topics()) == ["more", "orders"]
        kafka.reset()
        assert list(kafka.topics()) == ["orders"]
        kafka.add_broker()
        with pytest.raises(KafkaCompatError, match="brokers were added or removed"):
            kafka.reset()
        assert list(kafka.topics()) == ["orders"]


@pytest.mark.parametrize("brokers", [1, 3])
def test_a_restored_cluster_goes_back_to_its_snapshot(tmp_path: Path, brokers: int) -> None:
    path = tmp_path / "it.tar.zst"
    with Cluster(brokers=brokers, records=SEEDED) as kafka:
        kafka.snapshot(path)
    with Cluster.restore(path) as restored, RawClient(restored.bootstrap_servers.split(",")[0]) as client:
        topic_id = restored.topics()["orders"].topic_id
        given = []
        for _ in range(2):
            restored.create_topics(["more"])
            given += [init_producer_id(client), init_producer_id(client)]
            restored.reset()
            assert (list(restored.topics()), values(restored)) == (["orders"], [b"1", b"2"])
            assert restored.topics()["orders"].topic_id == topic_id
        given.append(init_producer_id(client))
        assert len(set(given)) == len(given), "a producer of before has the id of one of after"
        path.write_bytes(path.read_bytes()[:-100])
        restored.create_topics(["more"])
        with pytest.raises(KafkaCompatError, match=r"snapshot .*it\.tar\.zst"):
            restored.reset()
        assert sorted(restored.topics()) == ["more", "orders"], "a snapshot that is damaged changed something"


@pytest.mark.parametrize("brokers", [1, 3])
def test_data_of_the_user_are_deleted_only_on_demand(tmp_path: Path, brokers: int) -> None:
    directory = tmp_path / "data"
    with Cluster(brokers=brokers, data_dir=directory, topics=["orders"]) as kafka:
        cluster_id = kafka.cluster_id
        kafka.create_topics(["more"])
        with pytest.raises(KafkaCompatError, match="say so with delete_data=True"):
            kafka.reset()
        assert sorted(kafka.topics()) == ["more", "orders"]
        node_directory = Path(kafka.brokers[0].data_dir)
        (node_directory / "notes.txt").write_text("of somebody else")
        (node_directory / "backup").mkdir()
        kafka.reset(delete_data=True)
        assert (node_directory / "notes.txt").exists()
        assert (node_directory / "backup").exists()
        assert list(kafka.topics()) == ["orders"]
        with RawClient(kafka.bootstrap_servers.split(",")[0]) as client:
            assert init_producer_id(client) >= 0
    assert [each.name for each in tmp_path.iterdir()] == ["data"], "files are left beside the directory"
    with Cluster(brokers=brokers, data_dir=directory) as kafka:
        assert kafka.cluster_id == cluster_id
        assert list(kafka.topics()) == ["orders"]


def test_clients_of_three_brokers_stay_connected() -> None:
    with Cluster(brokers=3, topics={"orders": (1, 3)}) as kafka:
        leader = kafka.topics()["orders"].partitions[0].leader
        clients = {view.id: RawClient(view.address) for view in kafka.brokers}
        try:
            assert produce(clients[leader], "orders") == (errors.NONE, 0)
            kafka.reset()

            def is_led() -> bool:
                return kafka.topics()["orders"].partitions[0].leader in clients

            wait_until(is_led)
            leader = kafka.topics()["orders"].partitions[0].leader
            assert produce(clients[leader], "orders") == (errors.NONE, 0)
            assert partition_counts(kafka.bootstrap_servers.split(",")[0], ["orders"]) == {"orders": 1}
        finally:
            for client in clients.values():
                client.__exit__(None, None, None)


@pytest.mark.parametrize("processes", [False, True])
def test_a_cluster_with_proxies_is_not_reset(processes: bool) -> None:
    with Cluster(brokers=1, isolation=True, processes=processes, topics=["orders"]) as kafka:
        with pytest.raises(KafkaCompatError, match="isolation=True cannot be reset"):
            kafka.reset()
        assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": 1}


def test_topics_come_with_a_reset() -> None:
    with Cluster(topics=["orders"]) as kafka:
        kafka.create_topics(["more"])
        kafka.reset_with({"events": 3})
        assert sorted(kafka.topics()) == ["events", "orders"]
        assert len(kafka.topics()["events"].partitions) == 3
        with pytest.raises(KafkaCompatError, match="a b"):
            kafka.reset_with(["a b"])
        kafka.reset()
        assert list(kafka.topics()) == ["orders"]
