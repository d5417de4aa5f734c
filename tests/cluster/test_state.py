"""`Cluster.reset`: as right after the start, for the clients that stay."""

from __future__ import annotations

import asyncio
import gc
import threading
import warnings
from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import create_topics as created
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchTopic
from kafkacompat.protocol.messages.produce import PartitionProduceData, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.storage.fs import RealFs
from tests import metadata_client
from tests.cluster.leftovers import descriptors, only_newer_objects
from tests.metadata_client import partition_counts
from tests.raw_client import RawClient
from tests.threads import new_threads
from tests.waiting import wait_until

RESETS = 30


def produce(client: RawClient, topic: str, value: bytes = b"a record") -> tuple[int, int]:
    """The error code and the offset of one record."""
    data = [TopicProduceData(topic, partition_data=[PartitionProduceData(0, build_batch([Record(0, 0, None, value)]))])]
    (answer,) = client.ask("produce", 0, 9, acks=-1, timeout_ms=1000, topic_data=data).responses
    return answer.partition_responses[0].error_code, answer.partition_responses[0].base_offset


def send_fetch(client: RawClient, topic: str, max_wait_ms: int, offset: int = 0) -> None:
    topics = [FetchTopic(topic, partitions=[FetchPartition(0, fetch_offset=offset, partition_max_bytes=1 << 20)])]
    client.send("fetch", 1, 11, max_wait_ms=max_wait_ms, min_bytes=1, topics=topics)


def create(client: RawClient, topic: str, partitions: int = 1, **configs: str) -> None:
    wanted = created.CreatableTopic(
        topic, partitions, -1, configs=[created.CreatableTopicConfig(*config) for config in configs.items()]
    )
    (answer,) = client.ask("create_topics", 19, 7, topics=[wanted], timeout_ms=1000).topics
    assert answer.error_code == errors.NONE


def init_producer_id(client: RawClient) -> int:
    answer = client.ask("init_producer_id", 22, 4, transactional_id=None, producer_id=-1, producer_epoch=-1)
    assert answer.error_code == errors.NONE
    return answer.producer_id


def topic_id(kafka: Cluster, topic: str) -> bytes:
    return kafka._call(1, lambda server: server.broker.image.topics[topic].topic_id)


def test_after_a_reset_a_broker_is_as_after_its_start() -> None:
    with Cluster(topics={"orders": 3}) as kafka, RawClient(kafka.bootstrap_servers) as client:
        first = topic_id(kafka, "orders")
        before = kafka.bootstrap_servers, kafka.cluster_id, kafka.brokers[0].id, kafka.data_dir
        create(client, "more")
        assert produce(client, "orders") == (errors.NONE, 0)
        assert produce(client, "more") == (errors.NONE, 0)
        kafka.reset()
        assert (kafka.bootstrap_servers, kafka.cluster_id, kafka.brokers[0].id, kafka.data_dir) == before
        assert partition_counts(kafka.bootstrap_servers, ["orders", "more"]) == {"orders": 3}
        assert topic_id(kafka, "orders") != first
        assert produce(client, "more")[0] == errors.UNKNOWN_TOPIC_OR_PARTITION
        assert produce(client, "orders") == (errors.NONE, 0), "the connection still writes to the former partition"


def test_topics_can_be_kept_with_their_configs_and_without_records() -> None:
    with Cluster(topics={"orders": 3}) as kafka, RawClient(kafka.bootstrap_servers) as client:
        create(client, "more", 2, **{"retention.ms": "1234"})
        assert produce(client, "more") == (errors.NONE, 0)
        kafka.reset(keep={"topics"})
        assert partition_counts(kafka.bootstrap_servers, ["orders", "more"]) == {"orders": 3, "more": 2}
        assert kafka._call(1, lambda server: server.broker.topic_config("more").retention_ms) == 1234
        assert produce(client, "more") == (errors.NONE, 0)
        with pytest.raises(KafkaCompatError, match="keep="):
            kafka.reset(keep={"users"})
        with pytest.raises(KafkaCompatError, match="keep="):
            kafka.reset(keep="topics")


def test_a_request_that_waits_is_answered_and_those_behind_it_reach_the_next_broker() -> None:
    with Cluster(topics=["orders"]) as kafka, RawClient(kafka.bootstrap_servers) as client:
        send_fetch(client, "orders", max_wait_ms=600_000)
        wait_until(lambda: kafka._call(1, lambda server: len(server.broker.purgatory)))
        send_fetch(client, "orders", max_wait_ms=600_000)
        kafka.reset()
        (fetched,) = client.receive().responses
        assert fetched.partitions[0].error_code == errors.NONE
        wait_until(lambda: kafka._call(1, lambda server: len(server.broker.purgatory)))
        with RawClient(kafka.bootstrap_servers) as other:
            assert produce(other, "orders") == (errors.NONE, 0)
        (fetched,) = client.receive().responses
        assert fetched.partitions[0].records


def test_the_clock_shows_the_time_again() -> None:
    with Cluster() as kafka:
        kafka.clock.advance(days=1)
        kafka.clock.freeze()
        kafka.reset()
        assert kafka.clock.view.offset_ms < 1000
        assert not kafka.clock.view.is_frozen


def test_addresses_that_are_advertised_later_stay() -> None:
    with Cluster(topics=["orders"]) as kafka:
        kafka.advertise(1, {"PLAINTEXT": "elsewhere:1234"})
        kafka.reset()
        (broker,) = metadata_client.ask(kafka.bootstrap_servers, ["orders"]).brokers
        assert (broker.host, broker.port) == ("elsewhere", 1234)


def test_producer_ids_go_on() -> None:
    with Cluster() as kafka, RawClient(kafka.bootstrap_servers) as client:
        given = []
        for _ in range(3):
            given += [init_producer_id(client) for _ in range(2)]
            kafka.reset()
            kafka.reset()
        assert len(set(given)) == len(given)


def test_connections_are_listed_and_closed_on_demand() -> None:
    with Cluster() as kafka, RawClient(kafka.bootstrap_servers, "leaked") as client:
        client.ask("api_versions", 18, 3, client_software_name="raw", client_software_version="1")
        (listed,) = kafka.reset().connections
        assert (listed.broker, listed.client_id, listed.client_software_name) == (1, "leaked", "raw")
        assert init_producer_id(client) >= 0
        (again,) = kafka.reset(close_connections=True).connections
        assert again.connection == listed.connection
        assert client.sock.recv(1) == b""
        wait_until(lambda: not kafka.reset().connections)


def test_data_of_the_user_are_never_deleted(tmp_path: Path) -> None:
    with Cluster(data_dir=tmp_path / "data", topics=["orders"]) as kafka:
        with pytest.raises(KafkaCompatError, match="would delete the data in "):
            kafka.reset()
        assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": 1}
    with pytest.raises(KafkaCompatError, match="not running"):
        kafka.reset()


def test_a_broker_whose_disk_fails_during_a_reset_has_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    with Cluster() as kafka:
        monkeypatch.setattr(RealFs, "lock", fails)
        with pytest.raises(KafkaCompatError, match="No space left"):
            kafka.reset()
        with pytest.raises(KafkaCompatError, match=r"node 1 has stopped: .*No space left"):
            _ = kafka.bootstrap_servers


def test_a_restart_follows_a_reset_and_a_reset_a_restart() -> None:
    with Cluster(topics=["orders"]) as kafka:
        for restart in (False, True, False, True):
            with RawClient(kafka.bootstrap_servers) as client:
                assert produce(client, "orders") == (errors.NONE, 0)
            if restart:
                kafka.restart()
            kafka.reset()
        assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": 1}


def directory_id(server: BrokerServer) -> bytes:
    return server.broker.logs.metadata_directory.directory_id


def files_of(directory: str) -> set[str]:
    return {str(path.relative_to(directory)) for path in Path(directory).rglob("*") if path.is_file()}


def test_who_asks_for_the_directory_finds_all_files_in_it_and_all_that_come_after() -> None:
    with Cluster(topics={"orders": 2}) as kafka:
        directory = kafka._call(1, lambda server: server.data_dir)
        assert files_of(directory) == {".lock", "__cluster_metadata-0/00000000000000000000.log"}
        assert kafka.data_dir == kafka.brokers[0].data_dir == directory
        names = {"meta.properties", "session.json", "orders-0/partition.metadata", "orders-1/partition.metadata"}
        assert names < files_of(directory)
        kafka.create_topics(["more"])
        assert "more-0/partition.metadata" in files_of(directory)
        kafka.reset()
        assert names < files_of(directory)


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_node_finds_at_its_next_start_what_no_record_has_written_yet(is_killed: bool) -> None:
    with Cluster(topics={"orders": 2}) as kafka:
        before = kafka.cluster_id, kafka._call(1, directory_id)
        if is_killed:
            kafka.kill(1)
        kafka.restart(1)
        assert (kafka.cluster_id, kafka._call(1, directory_id)) == before
        assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": 2}


def test_resets_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with (
        Cluster(topics={"orders": 2}) as kafka,
        RawClient(kafka.bootstrap_servers) as client,
        only_newer_objects(),
    ):
        own = kafka._call(1, lambda _server: asyncio.get_running_loop())
        for number in range(RESETS):
            if number == 2:  # what starts once has started
                files, threads = descriptors(), set(threading.enumerate())
            produce(client, "orders")
            metadata_client.ask(kafka.bootstrap_servers, ["orders"])
            kafka.reset()
        wait_until(lambda: len(list(tmp_path.iterdir())) == 1, what="discarded directories are removed")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            gc.collect()
        wait_until(lambda: descriptors() <= files)
        assert not new_threads(threads, lambda loop: loop is not own)
    assert not list(tmp_path.iterdir())
