"""The directories of a snapshot, unpacked, start under Apache Kafka, and show the same records."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from compat_tests.apache_kafka import ApacheKafka
from kafkacompat import Cluster
from kafkacompat.cluster.log_dirs import log_dirs_of
from kafkacompat.control_api.snapshots.snapshot_files import Snapshot, move_voters


@pytest.mark.parametrize(("brokers", "log_dirs"), [(1, 1), (1, 2), (3, 1), pytest.param(3, 2, marks=pytest.mark.full)])
def test_a_snapshot_starts_under_apache_kafka(tmp_path: Path, brokers: int, log_dirs: int) -> None:
    from confluent_kafka import Consumer

    records = {"orders": [{"key": f"key {n}", "value": f"value {n}"} for n in range(300)]}
    path = tmp_path / "it.tar.zst"
    topics = {"orders": (3, brokers)}
    with Cluster(topics=topics, records=records, brokers=brokers, log_dirs=log_dirs) as ours:
        ours.snapshot(path)
        expected = {(record.partition, record.offset, record.value) for record in ours.records("orders")}
    kafka = ApacheKafka(brokers=brokers)
    try:
        ports = {node_id: controller for node_id, (_, controller) in kafka._nodes.items()}
        with Snapshot(path) as snapshot:
            for node_id, data_dir in zip(ports, kafka.data_dirs, strict=True):
                shutil.rmtree(data_dir)
                data_dir.mkdir()
                directories = log_dirs_of(str(data_dir), log_dirs)
                snapshot.unpack(node_id, directories)
                if brokers > 1:  # a lone broker's voter has no listener of its own
                    move_voters(directories[0], ports)
                snapshot.identify(node_id, directories, None)
                properties = kafka._properties(node_id)
                left_out = ("controller.quorum", "log.dirs")
                lines = [line for line in properties.read_text().splitlines() if not line.startswith(left_out)]
                servers = ",".join(f"127.0.0.1:{port}" for port in ports.values())
                lines += [f"controller.quorum.bootstrap.servers={servers}", f"log.dirs={','.join(directories)}", ""]
                properties.write_text("\n".join(lines))
        kafka.start()
        consumer = Consumer(
            {"bootstrap.servers": kafka.bootstrap_servers, "group.id": "g", "auto.offset.reset": "earliest"}
        )
        consumer.subscribe(["orders"])
        found = set()
        try:
            for _ in range(600):
                message = consumer.poll(0.1)
                if message is not None and message.error() is None:
                    found.add((message.partition(), message.offset(), message.value()))
                if len(found) == len(expected):
                    break
        finally:
            consumer.close()
        assert found == expected, kafka.log_tail()[-3000:]
    finally:
        kafka.close()
