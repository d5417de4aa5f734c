"""`Cluster(log_dirs=2)`: brokers with several log directories, their faults, moves between them, and snapshots."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cluster.layout import FILE_NAME, HALF_RESET_FILE
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.storage.data_dir import is_reserved_id
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
        assert [Path(path).name for path in broker.log_dirs] == ["disk1", "disk2"]
        assert {str(Path(path).parent) for path in broker.log_dirs} == {kafka.data_dir, broker.data_dir}
        before = places(kafka)
        assert sorted(map(len, before.values())) == [2, 2]
        assert [produce(kafka, index) for index in VALUES] == [errors.NONE] * 4
        for index in before["disk2"]:
            assert move(kafka, index, broker.log_dirs[0]) == errors.NONE
        wait_until(lambda: places(kafka) == {"disk1": [0, 1, 2, 3], "disk2": []}, 60)
        assert values(kafka) == VALUES
        parent = Path(kafka.data_dir)
    assert not parent.exists()


def test_a_broker_goes_on_without_a_disk() -> None:
    with Cluster(log_dirs=2, topics=TOPICS) as kafka:
        (broker,), lost = kafka.brokers, places(kafka)["disk2"]
        assert [produce(kafka, index) for index in VALUES] == [errors.NONE] * 4
        kafka.disk(1, error="EIO", directory=broker.log_dirs[1])
        wait_until(lambda: produce(kafka, lost[0]) == errors.KAFKA_STORAGE_ERROR, 60)
        wait_until(lambda: produce(kafka, lost[1]) == errors.KAFKA_STORAGE_ERROR, 60)
        for index in VALUES.keys() - set(lost):
            assert produce(kafka, index) == errors.NONE
        assert places(kafka)["disk2"] == []
        with pytest.raises(KafkaCompatError, match=r"disk2 has failed|has failed"):
            kafka.snapshot(Path(kafka.data_dir) / "taken.tar")
        kafka.restart(1)
        assert places(kafka)["disk2"] == lost
        assert values(kafka) == VALUES
        with pytest.raises(KafkaCompatError, match=r"choose one of .*disk1.*disk2"):
            kafka.disk(1, error="EIO", directory="/elsewhere")


@pytest.mark.parametrize("way", WAYS)
def test_a_full_disk_is_one_of_two(way: dict[str, Any]) -> None:
    with Cluster(log_dirs=2, topics={"orders": (4, 1)}, **way) as kafka:
        broker = kafka.brokers[0]
        assert [Path(path).name for path in broker.log_dirs] == ["disk1", "disk2"]
        there = places(kafka)
        held = there["disk1"] + there["disk2"]
        wait_until(lambda: [produce(kafka, index) for index in held] == [errors.NONE] * len(held), 60)
        kafka.disk(1, free_bytes=0, directory=broker.log_dirs[1])
        expected = [errors.KAFKA_STORAGE_ERROR if index in there["disk2"] else errors.NONE for index in held]
        wait_until(lambda: [produce(kafka, index) for index in held] == expected, 60)
        kafka.disk(1, directory=broker.log_dirs[1])
        wait_until(lambda: [produce(kafka, index) for index in held] == [errors.NONE] * len(held), 60)


@pytest.mark.parametrize("way", WAYS)
def test_snapshots_and_resets_keep_the_directories(tmp_path: Path, way: dict[str, Any]) -> None:
    path = tmp_path / "taken.tar.zst"
    with Cluster(log_dirs=2, topics={"orders": (4, way.get("brokers", 1))}, **way) as kafka:
        directory = kafka.brokers[0].log_dirs[1]
        wait_until(lambda: move(kafka, 0, directory) == errors.NONE, 60)
        wait_until(lambda: 0 in places(kafka)["disk2"], 60)
        for index, value in VALUES.items():
            kafka_produce(kafka, index, value)
        before = places(kafka)
        kafka.snapshot(path)
        kafka.reset()
        assert sorted(places(kafka)) == ["disk1", "disk2"]
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
        wait_until(lambda: 0 in places(restored)["disk1"], 60)
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
        for index in before["disk2"]:
            assert move(kafka, index, kafka.brokers[0].log_dirs[0]) == errors.NONE
        wait_until(lambda: places(kafka)["disk2"] == [], 60)
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
    with pytest.raises(KafkaCompatError, match=r"ha(s several|ve 2) log directories.*: give log_dirs=2 or more"):
        Cluster(data_dir=tmp_path / "two", **way).start()
    with Cluster(data_dir=tmp_path / "two", log_dirs=2, **way) as kafka:
        assert places(kafka) == before
    with Cluster(data_dir=tmp_path / "two", log_dirs=3, **way) as kafka:
        assert places(kafka) == {**before, "disk3": []}
    (tmp_path / "two" / FILE_NAME).unlink(missing_ok=True)
    with pytest.raises(KafkaCompatError, match="has several log directories: give log_dirs=3 or more"):
        Cluster(data_dir=tmp_path / "two", **way).start()
    with Cluster(data_dir=tmp_path / "one", **way):
        pass
    with pytest.raises(KafkaCompatError, match=r"ha(s|ve) 1 log directory.*: give log_dirs=1, or"):
        Cluster(data_dir=tmp_path / "one", log_dirs=2, **way).start()
    with pytest.raises(KafkaCompatError, match="log_dirs=0: give 1 to 100"):
        Cluster(log_dirs=0)


@pytest.mark.parametrize("way", [{}, {"controllers": 1}, {"isolation": True}])
def test_directories_that_are_missing_are_left_to_the_rules_of_a_start(tmp_path: Path, way: dict[str, Any]) -> None:
    data_dir = tmp_path / "data"
    broker_dir = data_dir / "node-1" if way else data_dir
    with Cluster(data_dir=data_dir, log_dirs=2, **way):
        pass
    shutil.rmtree(broker_dir / "disk2")  # as after a first start that was killed
    with Cluster(data_dir=data_dir, log_dirs=2, topics=TOPICS, **way) as kafka:
        before = places(kafka)
        assert sorted(before) == ["disk1", "disk2"]
        wait_until(lambda: bool(way) or kafka._call(1, has_assigned), 60)
    reasons = {
        "disk1": "disk1 is new, but the metadata log is expected there, and .*: bring back what was in it, or empty the"
    }
    if not way:  # a broker alone knows at its start what was in each
        reasons["disk2"] = "disk2: no meta.properties there, and 2 replicas of this broker are in a log directory that"
    for name, reason in reasons.items():
        disk, elsewhere = broker_dir / name, tmp_path / name
        disk.rename(elsewhere)
        disk.mkdir()  # its disk is not mounted
        with pytest.raises(KafkaCompatError, match=reason):
            Cluster(data_dir=data_dir, log_dirs=2, **way).start()
        with pytest.raises(KafkaCompatError, match="give log_dirs=2 or more"):
            Cluster(data_dir=data_dir, **way).start()
        assert not list(disk.iterdir())
        disk.rmdir()
        elsewhere.rename(disk)
    with Cluster(data_dir=data_dir, log_dirs=2, **way) as kafka:
        assert places(kafka) == before


def has_assigned(server: BrokerServer) -> bool:
    """Whether the metadata name the directories of all replicas."""
    topics = server.broker.image.topics.values()
    return not any(is_reserved_id(each.directory(1)) for topic in topics for each in topic.partitions)


def test_a_data_dir_with_log_directories_is_not_one_itself(tmp_path: Path) -> None:
    with Cluster(data_dir=tmp_path, log_dirs=2):
        pass
    shutil.rmtree(tmp_path / "disk1")
    with pytest.raises(KafkaCompatError, match="has several log directories: give log_dirs=2 or more"):
        Cluster(data_dir=tmp_path).start()
    assert [path.name for path in tmp_path.iterdir()] == ["disk2"]
    (tmp_path / "meta.properties").write_text("")
    for count in (1, 2):
        with pytest.raises(KafkaCompatError, match="is a log directory itself, and others are in it"):
            Cluster(data_dir=tmp_path, log_dirs=count).start()


def test_a_reset_that_is_half_done_is_ended_before_the_directories_are_counted(tmp_path: Path) -> None:
    options: dict[str, Any] = {"data_dir": tmp_path, "controllers": 1, "topics": TOPICS}
    with Cluster(log_dirs=2, **options) as kafka:
        kafka.create_topics(["more"])
    for path in (tmp_path / "node-1" / "disk1").iterdir():
        (shutil.rmtree if path.is_dir() else Path.unlink)(path)
    (tmp_path / HALF_RESET_FILE).write_text(json.dumps({"snapshot": None}))
    with pytest.raises(KafkaCompatError, match="have 2 log directories each: give log_dirs=2 or more"):
        Cluster(**options).start()
    assert (tmp_path / HALF_RESET_FILE).exists()
    with Cluster(log_dirs=2, **options) as kafka:
        assert list(kafka.topics()) == ["orders"]
        assert sorted(map(len, places(kafka).values())) == [2, 2]
    assert not (tmp_path / HALF_RESET_FILE).exists()


def test_directories_in_memory_share_their_limit() -> None:
    with Cluster(storage="memory", max_bytes=16 << 20, log_dirs=2, topics=TOPICS) as kafka:
        there = places(kafka)
        for index in there["disk2"]:
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
