"""`audit_replicas` on the directories of three brokers."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]
from pyspark.sql import SparkSession

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.clients.confluent_kafka import using as confluent
from compat_tests.clients.samples import eventually
from compat_tests.kafkacompat_broker import KafkacompatBroker
from compat_tests.spark.workbench import WAIT_S
from kafkacompat.protocol.records.batch import split
from kafkacompat.spark import AuditError, audit_replicas

TOPIC = "orders"
BEHIND_VALUE_BYTES = 1
"""Of a batch, behind the value of its last record: the number of headers, which is none."""


def is_in(checkpoint: Path) -> bool:
    """Whether the high watermarks are those of all records."""
    return checkpoint.exists() and all(f"{TOPIC} {number} 2000\n" in checkpoint.read_text() for number in range(2))


@pytest.mark.parametrize("kind", [ApacheKafka, KafkacompatBroker])
@pytest.mark.spark_behaviour
def test_replicas_are_the_same_until_one_is_damaged(
    kind: type[ApacheKafka] | type[KafkacompatBroker], spark: SparkSession, tmp_path: Path
) -> None:
    with closing(kind(brokers=3)) as cluster:
        cluster.start()
        settings = {"bootstrap.servers": cluster.bootstrap_servers}
        admin = AdminClient(settings)
        confluent.only(admin.create_topics([NewTopic(TOPIC, 2, 3)]))
        producer = Producer({**settings, "acks": "all", "batch.size": 4000})
        for number in range(4000):
            producer.produce(TOPIC, b"%d" % number * 30, partition=number % 2)
            producer.poll(0)
        assert producer.flush(WAIT_S) == 0
        eventually(lambda: all(is_in(path / "replication-offset-checkpoint") for path in cluster.data_dirs), WAIT_S)
        cluster.kill()
        copies = [str(shutil.copytree(path, tmp_path / str(n))) for n, path in enumerate(cluster.data_dirs)]
    report = audit_replicas(spark, copies, topics=TOPIC)
    assert report.findings == ()
    assert report.totals["partitions"] == 2
    assert report.totals["equal_batches"] > 2
    (file,) = Path(copies[1]).glob(f"{TOPIC}-0/*.log")
    data = bytearray(file.read_bytes())
    batches = split(data)
    at, header = batches[len(batches) // 2]
    data[at + header.size_bytes - BEHIND_VALUE_BYTES - 1] ^= 1
    file.write_bytes(data)
    (found,) = audit_replicas(spark, copies, topics=TOPIC).findings
    assert (found.kind, found.replica, found.partition) == ("replica-checksum", copies[1], 0)
    assert (found.first_offset, found.last_offset) == (header.base_offset, header.last_offset)
    assert found.detail.endswith(f"; records that differ: {header.last_offset}"), found.detail
    with pytest.raises(AuditError, match="two brokers or more"):
        audit_replicas(spark, copies[:1])
    for number in range(2):
        shutil.rmtree(Path(copies[number], f"{TOPIC}-{number}"))
    with pytest.raises(AuditError, match=f"nothing to compare: no partition of '{TOPIC}' is in two of"):
        audit_replicas(spark, copies[:2], topics=TOPIC)
