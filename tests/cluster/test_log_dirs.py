"""`Cluster(log_dirs=2)`: brokers with several log directories, their faults, moves between them, and snapshots."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.asking import Asking
from tests.waiting import wait_until

TOPICS = {"orders": 4}
VALUES = {index: str(index).encode() for index in range(TOPICS["orders"])}
WAYS: list[Any] = [
    {},
    {"brokers": 3},
    {"brokers": 2, "controllers": 1, "processes": True},
]


def ask(kafka: Cluster, request: Any, version: int) -> Any:
    with Asking(kafka.brokers[0].address) as client:
        return client.ask(request, version)


def places(kafka: Cluster) -> dict[str, list[int]]:
    """The partitions of `orders` in the directories of the first broker, by name."""
    return {
        Path(each.log_dir).name: sorted(
            one.partition_index
            for of in each.topics
            for one in of.partitions
            if of.name == "orders" and not one.is_future_key
        )
        for each in ask(kafka, DescribeLogDirsRequest(topics=None), 4).results
    }


def move(kafka: Cluster, index: int, path: str) -> int:
    wanted = AlterReplicaLogDir(path, [AlterReplicaLogDirTopic("orders", [index])])
    answer = ask(kafka, AlterReplicaLogDirsRequest([wanted]), 2)
    code: int = answer.results[0].partitions[0].error_code
    return code


def produce(kafka: Cluster, index: int) -> int:
    batch = build_batch([Record(0, 1_700_000_000_000, None, VALUES[index])])
    data = TopicProduceData("orders", partition_data=[PartitionProduceData(index, batch)])
    answer = ask(kafka, ProduceRequest(acks=-1, timeout_ms=5000, topic_data=[data]), 9)
    code: int = answer.responses[0].partition_responses[0].error_code
    return code


def values(kafka: Cluster) -> dict[int, bytes]:
    return {record.partition: record.value for record in kafka.records("orders")}


def test_replicas_spread_and_move() -> None:
    with Cluster(log_dirs=2, topics=TOPICS) as kafka:
        (broker,) = kafka.brokers
        assert [Path(path).name for path in broker.log_dirs] == ["disk-1", "disk-2"]
        assert {str(Path(path).parent) for path in broker.log_dirs} == {kafka.data_dir, broker.data_dir}
        before = places(kafka)
        assert sorted(map(len, before.values())) == [2, 2]
        assert [produce(kafka, index) for index in VALUES] == [errors.NONE] * 4
        for index in before["disk-2"]:
            assert move(kafka, index, broker.log_dirs[0]) == errors.NONE
        wait_until(lambda: places(kafka) == {"disk-1": [0, 1, 2, 3], "disk-2": []}, 60)
        assert values(kafka) == VALUES
        parent = Path(kafka.data_dir)
    assert not parent.exists()


def test_a_broker_goes_on_without_a_disk() -> None:
    with Cluster(log_dirs=2, topics=TOPICS) as kafka:
        (broker,), lost = kafka.brokers, places(kafka)["disk-2"]
        assert [produce(kafka, index) for index in VALUES] == [errors.NONE] * 4
        kafka.disk(1, error="EIO", directory=broker.log_dirs[1])
        wait_until(lambda: produce(kafka, lost[0]) == errors.KAFKA_STORAGE_ERROR, 60)
        wait_until(lambda: produce(kafka, lost[1]) == errors.KAFKA_STORAGE_ERROR, 60)
        for index in VALUES.keys() - set(lost):
            assert produce(kafka, index) == errors.NONE
        assert places(kafka)["disk-2"] == []
        with pytest.raises(KafkaCompatError, match=r"disk-2 has failed|has failed"):
            kafka.snapshot(Path(kafka.data_dir) / "taken.tar")
        kafka.restart(1)
        assert places(kafka)["disk-2"] == lost
        assert values(kafka) == VALUES
        with pytest.raises(KafkaCompatError, match=r"choose one of .*disk-1.*disk-2"):
            kafka.disk(1, error="EIO", directory="/elsewhere")


@pytest.mark.parametrize("way", WAYS)
def test_a_full_disk_is_one_of_two(way: dict[str, Any]) -> None:
    with Cluster(log_dirs=2, topics={"orders": (4, 1)}, **way) as kafka:
        broker = kafka.brokers[0]
        assert [Path(path).name for path in broker.log_dirs] == ["disk-1", "disk-2"]
        there = places(kafka)
        held = there["disk-1"] + there["disk-2"]
        wait_until(lambda: [produce(kafka, index) for index in held] == [errors.NONE] * len(held), 60)
        kafka.disk(1, free_bytes=0, directory=broker.log_dirs[1])
        expected = [errors.KAFKA_STORAGE_ERROR if index in there["disk-2"] else errors.NONE for index in held]
        wait_until(lambda: [produce(kafka, index) for index in held] == expected, 60)
        kafka.disk(1, directory=broker.log_dirs[1])
        wait_until(lambda: [produce(kafka, index) for index in held] == [errors.NONE] * len(held), 60)


@pytest.mark.parametrize("way", WAYS)
def test_snapshots_and_resets_keep_the_directories(tmp_path: Path, way: dict[str, Any]) -> None:
    path = tmp_path / "taken.tar.zst"
    with Cluster(log_dirs=2, topics={"orders": (4, way.get("brokers", 1))}, **way) as kafka:
        directory = kafka.brokers[0].log_dirs[1]
        wait_until(lambda: move(kafka, 0, directory) == errors.NONE, 60)
        wait_until(lambda: 0 in places(kafka)["disk-2"], 60)
        for index, value in VALUES.items():
            kafka_produce(kafka, index, value)
        before = places(kafka)
        kafka.snapshot(path)
        kafka.reset()
        assert sorted(places(kafka)) == ["disk-1", "disk-2"]
        assert kafka.records("orders") == []
    options = {"processes": True} if way.get("processes") else {}
    with Cluster.restore(path, **options) as restored:
        assert places(restored) == before
        assert values(restored) == VALUES
        kafka_produce(restored, 0, b"later")
        restored.reset()
        assert places(restored) == before
        assert values(restored) == VALUES
        assert move(restored, 0, restored.brokers[0].log_dirs[0]) == errors.NONE
        wait_until(lambda: 0 in places(restored)["disk-1"], 60)
    with pytest.raises(KafkaCompatError, match="log_dirs=3: the snapshot has 2"):
        Cluster.restore(path, log_dirs=3, **options)


def test_a_snapshot_in_the_middle_of_a_move_has_nothing_of_the_copy(tmp_path: Path) -> None:
    path = tmp_path / "taken.tar"
    config = {"replica.alter.log.dirs.io.max.bytes.per.second": 1}  # the second batch is never copied
    with Cluster(log_dirs=2, topics={"orders": 1}, config=config) as kafka:
        for _ in range(2):
            kafka_produce(kafka, 0, bytes(100_000))
        source, target = sorted(kafka.brokers[0].log_dirs, key=lambda path: not places(kafka)[Path(path).name])
        assert move(kafka, 0, target) == errors.NONE
        wait_until(lambda: any(each.name.endswith("-future") for each in Path(target).iterdir()), 60)
        kafka.snapshot(path)
    with tarfile.open(path) as tar:
        naming = {
            each.name.split("/")[1]
            for each in tar.getmembers()
            if "/orders-0" in each.name
            or (each.name.endswith("-checkpoint") and b"orders" in (tar.extractfile(each) or io.BytesIO()).read())
        }
    assert naming == {Path(source).name}


def kafka_produce(kafka: Cluster, index: int, value: bytes) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    producer.produce("orders", value, partition=index)
    assert producer.flush(60) == 0


def test_a_snapshot_over_http_goes_back_to_nodes_with_as_many_directories(tmp_path: Path) -> None:
    path = tmp_path / "taken.tar"
    with Cluster(log_dirs=2, topics=TOPICS) as kafka:
        taken = kafka._ask("snapshot_resources:take", body={})
        before = places(kafka)
        for index in before["disk-2"]:
            assert move(kafka, index, kafka.brokers[0].log_dirs[0]) == errors.NONE
        wait_until(lambda: places(kafka)["disk-2"] == [], 60)
        kafka._ask("snapshot_resources:restore", path={"snapshot_id": taken["snapshot_id"]}, body={})
        assert places(kafka) == before
        kafka.snapshot(path)
    with Cluster() as other:
        with path.open("rb") as file:
            upload(other, file.read())
        with pytest.raises(KafkaCompatError, match="node 1 has 1 log directories, and 2 in the snapshot"):
            other._ask("snapshot_resources:restore", path={"snapshot_id": "sent"}, body={})


def upload(kafka: Cluster, data: bytes) -> None:
    from http.client import HTTPConnection
    from urllib.parse import urlsplit

    api = HTTPConnection(urlsplit(kafka.control_url).netloc, timeout=60)
    api.request("PUT", "/v1/snapshots/sent/file", data, {"content-type": "application/json"})
    response = api.getresponse()
    assert response.status < 300, response.read()
    response.read()
    api.close()


@pytest.mark.parametrize("way", [{}, {"controllers": 1}])
def test_a_data_dir_keeps_its_number_of_directories(tmp_path: Path, way: dict[str, Any]) -> None:
    with Cluster(data_dir=tmp_path / "two", log_dirs=2, topics=TOPICS, **way) as kafka:
        before = places(kafka)
    with pytest.raises(KafkaCompatError, match="has 2 log directories: give log_dirs=2"):
        Cluster(data_dir=tmp_path / "two", **way).start()
    with Cluster(data_dir=tmp_path / "two", log_dirs=2, **way) as kafka:
        assert places(kafka) == before
    with Cluster(data_dir=tmp_path / "two", log_dirs=3, **way) as kafka:
        assert places(kafka) == {**before, "disk-3": []}
    with Cluster(data_dir=tmp_path / "one", **way):
        pass
    with pytest.raises(KafkaCompatError, match="has 1 log directory: give log_dirs=1"):
        Cluster(data_dir=tmp_path / "one", log_dirs=2, **way).start()
    with pytest.raises(KafkaCompatError, match="log_dirs=0: give 1 to 100"):
        Cluster(log_dirs=0)


def test_directories_in_memory_share_their_limit() -> None:
    with Cluster(storage="memory", max_bytes=16 << 20, log_dirs=2, topics=TOPICS) as kafka:
        there = places(kafka)
        for index in there["disk-2"]:
            assert produce(kafka, index) == errors.NONE
        used = {each.usable_bytes for each in ask(kafka, DescribeLogDirsRequest(topics=None), 4).results}
        assert len(used) == 1
        assert used.pop() < 16 << 20
        kafka.restart(1)
        assert places(kafka) == there


def test_directories_in_the_config_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with Cluster(config={"log.dirs": "/nowhere/a,/nowhere/b"}) as kafka:
        assert len(kafka.brokers[0].log_dirs) == 1
    assert "log.dirs has no effect: data_dir= and log_dirs= say where the logs are" in caplog.text
