"""`kafkacompat txn` on Apache Kafka: a transaction that hangs there is found and aborted, and no other one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.apache_kafka import ApacheKafka
from tests.hanging import HANGING_EPOCH, HANGING_ID, leave_hanging


@pytest.fixture
def servers() -> Iterator[str]:
    """Apache Kafka that takes transactional batches without asking their coordinator, as before KIP-890."""
    kafka = ApacheKafka(config={"transaction.partition.verification.enable": "false"})
    try:
        kafka.start()
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
        admin.create_topics([NewTopic("orders", 2)])["orders"].result(30)
        yield kafka.bootstrap_servers
    finally:
        kafka.close()


def _txn(servers: str, *words: str) -> str:
    command = [sys.executable, "-m", "kafkacompat", "txn", *words]
    environment = os.environ | {"KAFKACOMPAT_BOOTSTRAP_SERVERS": servers}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60).stdout


def _rows(servers: str, *words: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in _txn(servers, *words, "-f", "json").splitlines()]


def test_a_transaction_that_hangs_on_apache_kafka_is_found_and_aborted(servers: str) -> None:
    producer = Producer({"bootstrap.servers": servers, "transactional.id": "shop"})
    producer.init_transactions(60)
    producer.begin_transaction()
    producer.produce("orders", b"apple", partition=1)
    producer.flush(30)
    (listed,) = _rows(servers, "list", "--state", "Ongoing", "--longer-than", "1ms", "--pattern", "sh.p")
    (described,) = _rows(servers, "describe", "shop")
    assert (described["partitions"], described["state"]) == (["orders-1"], "Ongoing")
    (active,) = _rows(servers, "producers", "orders", "-p", "1")
    assert (active["producer_id"], active["start_offset"]) == (listed["producer_id"], 0)

    leave_hanging(servers, "orders", age_s=3600)
    (found,) = _rows(servers, "find-hanging")
    assert (found["topic"], found["partition"], found["start_offset"]) == ("orders", 0, 0)
    assert (found["producer_id"], found["producer_epoch"], found["transactional_id"]) == (
        HANGING_ID,
        HANGING_EPOCH,
        None,
    )
    _txn(servers, "abort", "orders", "-p", "0", "--start-offset", "0")
    assert _rows(servers, "find-hanging", "--idle", "1ms", "-t", "orders") == []
    producer.commit_transaction(30)
    (described,) = _rows(servers, "describe", "shop")
    assert described["partitions"] == []
