"""Data in memory: a limit, and full memory is a full disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.broker import scheduled_tasks
from kafkacompat.cluster import memory
from kafkacompat.control_api.faults import disks
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.produce import PartitionProduceData, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.limited_fs import LimitedFs
from tests.raw_client import RawClient
from tests.waiting import wait_until

MAX_BYTES = 16 << 20
VALUE = bytes(900_000)

pytestmark = pytest.mark.skipif(not Path(memory.MEMORY_DIRECTORY).is_dir(), reason="this system has no tmpfs")


def produce(client: RawClient, topic: str, acks: int = 1) -> int:
    data = [TopicProduceData(topic, partition_data=[PartitionProduceData(0, build_batch([Record(0, 0, None, VALUE)]))])]
    (answer,) = client.ask("produce", 0, 9, acks=acks, timeout_ms=1000, topic_data=data).responses
    return int(answer.partition_responses[0].error_code)


def used_bytes(server: BrokerServer) -> int:
    assert isinstance(server.files, LimitedFs)
    return server.files.used_bytes


def fill(client: RawClient, topic: str) -> int:
    """How many records of 900 kB there was room for."""
    for count in range(40):
        if (error := produce(client, topic)) != errors.NONE:
            assert error == errors.KAFKA_STORAGE_ERROR
            return count
    raise AssertionError("it was never full")


def test_full_memory_is_a_full_disk_and_a_deleted_topic_makes_room(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduled_tasks, "DELETE_CHECK_MS", 100)
    config = {"log.segment.delete.delay.ms": 0}
    with Cluster(storage="memory", max_bytes=MAX_BYTES, topics=["orders", "bills"], config=config) as kafka:
        assert kafka.data_dir.startswith(f"{memory.MEMORY_DIRECTORY}/kafkacompat-")
        with RawClient(kafka.bootstrap_servers) as client:
            assert fill(client, "orders") == MAX_BYTES // len(VALUE)
            assert produce(client, "bills") == errors.KAFKA_STORAGE_ERROR
            assert f"max_bytes={MAX_BYTES} is used up: raise it, or delete topics or records" in caplog.text
            assert len(kafka.records("orders")) == MAX_BYTES // len(VALUE), "reads go on"
            kafka.create_topics(["more"])  # the metadata log goes on
            client.ask("delete_topics", 20, 3, topic_names=["orders"], timeout_ms=5000)
            wait_until(lambda: produce(client, "bills") == errors.NONE, what="there is room again")
        directory = kafka.data_dir
    assert not Path(directory).exists()


def test_resets_and_restarts_count_anew() -> None:
    with Cluster(storage="memory", max_bytes=MAX_BYTES, topics=["orders"]) as kafka:
        for _ in range(3):
            with RawClient(kafka.bootstrap_servers) as client:
                assert fill(client, "orders") == MAX_BYTES // len(VALUE)
            kafka.reset()
            size = sum(path.stat().st_size for path in Path(kafka.data_dir).rglob("*") if path.is_file())
            assert 0 < kafka._call(1, used_bytes) <= size
        with RawClient(kafka.bootstrap_servers) as client:
            assert produce(client, "orders") == errors.NONE
        kafka.restart()
        assert kafka._call(1, used_bytes) > len(VALUE)
        with RawClient(kafka.bootstrap_servers) as client:
            assert fill(client, "orders") < MAX_BYTES // len(VALUE)


def test_faults_of_the_disk_come_and_go_beside_the_limit() -> None:
    with Cluster(storage="memory", max_bytes=MAX_BYTES, topics=["orders"]) as kafka:
        kafka._call(1, lambda server: disks.disk(server, free_bytes=0))
        with RawClient(kafka.bootstrap_servers) as client:
            assert produce(client, "orders") == errors.KAFKA_STORAGE_ERROR
            kafka._call(1, disks.disk)
            wait_until(lambda: produce(client, "orders") == errors.NONE)
            assert fill(client, "orders") < MAX_BYTES // len(VALUE)


def test_each_of_several_brokers_has_the_limit(tmp_path: Path) -> None:
    with Cluster(brokers=3, storage="memory", max_bytes=MAX_BYTES, topics={"orders": (1, 3)}) as kafka:
        assert kafka.data_dir.startswith(memory.MEMORY_DIRECTORY)
        leader = kafka.topics()["orders"].partitions[0].leader
        with RawClient(kafka.brokers[leader - 1].address) as client:
            assert produce(client, "orders", acks=-1) == errors.NONE
        assert [kafka._call(each, used_bytes) > len(VALUE) for each in (1, 2, 3)] == [True] * 3
        kafka.snapshot(tmp_path / "it.tar")
        kafka.reset()
        assert kafka.records("orders") == []
    with Cluster.restore(tmp_path / "it.tar", storage="memory", max_bytes=MAX_BYTES) as restored:
        assert [record.value for record in restored.records("orders")] == [VALUE]


def test_what_does_not_fit_is_said_before_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for options, line in (
        ({"storage": "tape"}, "use 'disk' or 'memory'"),
        ({"max_bytes": MAX_BYTES}, "give both, or neither"),
        ({"storage": "memory", "max_bytes": 1}, "max_bytes=1: give at least"),
        ({"storage": "memory", "data_dir": tmp_path}, "storage='memory' and data_dir"),
        ({"storage": "memory", "processes": True}, "storage='memory' and processes"),
        ({"storage": "memory", "max_bytes": 1 << 60}, "--shm-size"),
    ):
        with pytest.raises(KafkaCompatError, match=line):
            Cluster(**options)  # type: ignore[arg-type]
    monkeypatch.setattr(memory, "MEMORY_DIRECTORY", str(tmp_path / "none"))
    with pytest.raises(KafkaCompatError, match=r"needs .*none, which Linux has: leave it out"):
        Cluster(storage="memory")
    assert not os.listdir(tmp_path)  # noqa: PTH208
