"""Fixture files, written without Spark here: clusters that start with one have its records."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.replication.metadata.new_cluster import InitialTopic
from kafkacompat.spark.fixture_file import NODE_ID, pack
from kafkacompat.spark.new_directory import Chunk, NewLog, Owner, finish, write_chunk
from kafkacompat.spark.packed_batches import LogRecord

CLUSTER_ID = uuid_to_text(bytes(range(16)))


def make(folder: Path, count: int) -> Path:
    """A fixture with records of offsets from 1,000 on."""
    root, out = folder / "root", folder / "orders.kcf"
    root.mkdir()
    records = (LogRecord(1000 + n, 10**12 + n, 0, b"k%d" % n, b"v" * 80, ()) for n in range(count))
    chunk = Chunk(0, "orders", 0, 1000, 1000 + count, is_last=True)
    write_chunk(str(root), chunk, records, {}, is_temporary=True)
    topic = InitialTopic("orders", bytes(range(1, 17)), 2, {"retention.ms": "-1"})
    logs = [NewLog("orders", 0, 1000, 1000 + count), NewLog("orders", 1, 7, 7)]
    finish(str(root), Owner(NODE_ID, CLUSTER_ID), [topic], logs, [chunk], is_temporary=True)
    pack(str(root), str(out), CLUSTER_ID)
    return out


def test_a_cluster_starts_with_a_fixture_and_a_reset_goes_back_to_it(tmp_path: Path) -> None:
    path = make(tmp_path, 50)
    with Cluster(fixture=path, topics=["more"]) as kafka:
        assert sorted(kafka.topics()) == ["more", "orders"]
        assert [record.offset for record in kafka.records("orders")] == list(range(1000, 1050))
        kafka.create_topics(["made"])
        kafka.reset()
        assert "made" not in kafka.topics()
        assert len(kafka.records("orders")) == 50
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_each_call_of_a_function_gets_the_fixture(tmp_path: Path) -> None:
    @Cluster(fixture=make(tmp_path, 3))
    def count(kafka: Cluster) -> int:
        return len(kafka.records("orders"))

    assert [count(), count()] == [3, 3]


def test_what_does_not_fit_is_said(tmp_path: Path) -> None:
    path = make(tmp_path, 3)
    for options, told in (
        ({"brokers": 3}, "brokers=3: the snapshot has 1, leave it out"),
        ({"processes": True}, "the snapshot is of a lone broker in a process"),
        ({"fixture": tmp_path / "none.kcf"}, "none.kcf cannot be read"),
    ):
        with pytest.raises(KafkaCompatError, match=told):
            Cluster(**{"fixture": path, **options})  # type: ignore[arg-type]


def test_a_start_with_100_000_records_takes_less_than_two_seconds(tmp_path: Path) -> None:
    path = make(tmp_path, 100_000)
    begin_s = time.process_time()
    with Cluster(fixture=path) as kafka:
        cpu_s = time.process_time() - begin_s
        (log,) = kafka.topics()["orders"].partitions[0].logs
        assert log.log_end_offset == 101_000
    assert cpu_s < 2
