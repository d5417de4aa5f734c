"""Directories that other releases of Apache Kafka wrote with their defaults: 4.2 changes hands, 4.4 is only read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.broker_process import Process, free_port
from compat_tests.hand_over.seen import Seen, differences, look
from compat_tests.hand_over.walk import CLIENT_TIMEOUT_S, START_TIMEOUT_S, Walk
from tests.server.test_read_only import hashes

TOPIC, PARTITIONS, RECORDS = "orders", 3, 60


@pytest.mark.full
def test_a_directory_of_4_2_changes_hands_and_nothing_is_lost() -> None:
    walk = Walk(seed=1, version="4.2.0")
    try:
        walk.go(1)
    finally:
        walk.close()


@pytest.fixture(params=["stopped", "killed"])
def of_4_4(request: pytest.FixtureRequest) -> Iterator[tuple[Path, Seen]]:
    """A directory of Apache Kafka 4.4, and what clients saw there."""
    kafka = ApacheKafka("4.4.0")
    try:
        kafka.start()
        _fill(kafka.bootstrap_servers)
        seen = look(kafka.bootstrap_servers)
        (kafka.stop if request.param == "stopped" else kafka.kill)()
        yield kafka.data_dirs[0], seen
    finally:
        kafka.close()


def _fill(bootstrap_servers: str) -> None:
    """Records in and outside of transactions, an aborted one among them, and a group with offsets."""
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    admin.create_topics([NewTopic(TOPIC, PARTITIONS)])[TOPIC].result()
    plain = Producer({"bootstrap.servers": bootstrap_servers})
    in_transactions = Producer({"bootstrap.servers": bootstrap_servers, "transactional.id": "x"})
    in_transactions.init_transactions(CLIENT_TIMEOUT_S)
    for end in (in_transactions.commit_transaction, in_transactions.abort_transaction):
        in_transactions.begin_transaction()
        for number in range(RECORDS):
            for producer in (plain, in_transactions):
                producer.produce(TOPIC, f"value {number}", f"key {number}", number % PARTITIONS)
            assert plain.flush(CLIENT_TIMEOUT_S) == 0
        end(CLIENT_TIMEOUT_S)
    consumer = Consumer(
        {"bootstrap.servers": bootstrap_servers, "group.id": "readers", "auto.offset.reset": "earliest"}
    )
    consumer.subscribe([TOPIC])
    assert len(consumer.consume(RECORDS, CLIENT_TIMEOUT_S)) == RECORDS
    consumer.commit(asynchronous=False)
    consumer.close()


def _command(directory: Path, port: int, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "kafkacompat", "serve", "--no-control", "--host", "127.0.0.1", "--port", str(port),
        "--data-dir", str(directory), "--config", "node.id=1", *more,
    ]  # fmt: skip


@pytest.mark.full
def test_a_directory_of_4_4_is_refused_as_it_is_and_served_read_only(of_4_4: tuple[Path, Seen], tmp_path: Path) -> None:
    directory, seen = of_4_4
    before, port = hashes(directory), free_port()
    refused = subprocess.run(_command(directory, port), capture_output=True, text=True, timeout=START_TIMEOUT_S)
    lines = [line for line in refused.stderr.splitlines() if line.startswith("kafkacompat: ")]
    assert refused.returncode == 1
    assert len(lines) == 1, refused.stderr
    assert "metadata.version 33 (supported: 29 to 30)" in lines[0]
    assert hashes(directory) == before
    log = tmp_path / "read-only.log"
    served = Process(_command(directory, port, "--read-only"), log)
    try:
        served.wait_until(lambda: "ready on" in log.read_text(), START_TIMEOUT_S, "kafkacompat")
        assert differences(seen, look(f"127.0.0.1:{port}")) == []
        assert served.stop() == 0
    finally:
        served.kill()
    assert hashes(directory) == before
